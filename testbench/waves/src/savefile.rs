//! GTKWave save files: the signals that are shown, their format, and the window of time.
//!
//! The files in the folder `waves` are templates that open as they are. A copy beside a wave file
//! gets that file's name, the window and the markers.

use std::fmt::Write as _;

use sim_pins::Ps;

/// Signals and text tracks of both nodes, as `miss_waves` writes them.
pub const COMBINED: &str = include_str!("../../../waves/miss.gtkw");
/// The template for the signals of one node's model.
pub const NODE: &str = include_str!("../../../waves/node.gtkw");

/// The wave file and the window that a copy opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View<'a> {
    /// The name of the wave file. It lies in the folder of the save file.
    pub file: &'a str,
    /// The beginning of the window.
    pub from: Ps,
    /// The end of the window.
    pub to: Ps,
    /// At most 26 marked times, named A, B, C ...
    pub markers: &'a [(Ps, &'static str)],
}

/// The width of the waves in a full window, in pixels.
const WAVE_WIDTH: f64 = 1150.0;
const MARKERS: usize = 26;
/// The bits of a text track.
const TEXT_RANGE: &str = "[319:0]";

/// GTKWave's zoom: the negative logarithm, base 2, of the time units (here ps) that 200 pixels
/// take.
fn zoom(from: Ps, to: Ps) -> f64 {
    let ps = to.0.saturating_sub(from.0).max(1) as f64;
    -(ps * 200.0 / WAVE_WIDTH).log2().max(0.0)
}

/// A template with the wave file, the window and the markers filled in.
pub fn fill(template: &str, view: &View) -> String {
    assert!(view.markers.len() <= MARKERS, "there are 26 letters");
    let mut text = String::new();
    for line in template.lines() {
        if line.starts_with("[dumpfile]") {
            let _ = writeln!(text, "[dumpfile] \"{}\"", view.file);
        } else if line.starts_with("[timestart]") {
            let _ = writeln!(text, "[timestart] {}", view.from.0);
        } else if line.starts_with('*') {
            let _ =
                write!(text, "*{:.6} {}", zoom(view.from, view.to), view.markers.first().map_or(-1, |m| m.0 .0 as i64));
            for index in 0..MARKERS {
                let _ = write!(text, " {}", view.markers.get(index).map_or(-1, |marker| marker.0 .0 as i64));
            }
            text.push('\n');
            for (letter, (_, name)) in ('A'..='Z').zip(view.markers) {
                let _ = writeln!(text, "[markername] {letter}{name}");
            }
        } else {
            text.push_str(line);
            text.push('\n');
        }
    }
    match view.file.ends_with(".vcd") {
        // FST has text as packed ASCII; VCD has it as a string without a width.
        true => text.replace("@820\n", "@28\n").replace(TEXT_RANGE, ""),
        false => text,
    }
}

/// The paths of the signals that a save file shows, without their ranges of bits.
pub fn signals(text: &str) -> Vec<&str> {
    text.lines()
        .filter(|line| line.starts_with(|first: char| first.is_ascii_alphabetic()))
        .map(|line| match line.rsplit_once('[') {
            // A range of bits stands at the end of the line. An index in the middle belongs to a
            // generate block.
            Some((name, _)) if line.ends_with(']') => name,
            _ => line,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_names_its_file_and_its_window() {
        let markers = [(Ps(7_000_000), "miss"), (Ps(9_000_000), "fill")];
        let view =
            View { file: "hit.vcd", from: Ps(5_000_000), to: Ps(5_000_000 + 1150 * 1024 / 200), markers: &markers };
        let text = fill(COMBINED, &view);
        assert!(text.contains("[dumpfile] \"hit.vcd\"\n[timestart] 5000000\n"));
        assert!(text.contains("\n*-10.000000 7000000 7000000 9000000 -1 "));
        assert!(text.contains("\n[markername] Amiss\n[markername] Bfill\n"));
        assert!(!text.contains("@820"), "strings of VCD are shown as they are");
        assert_eq!(signals(&text), signals(COMBINED));
    }

    #[test]
    fn text_tracks_have_the_width_that_templates_say() {
        assert_eq!(TEXT_RANGE, format!("[{}:0]", super::super::tracks::TEXT_BYTES * 8 - 1));
        let after_text_flag = COMBINED.split("@820\n").skip(1);
        assert!(after_text_flag.map(|rest| rest.lines().next().unwrap_or("")).all(|name| name.ends_with(TEXT_RANGE)));
    }

    #[test]
    fn templates_name_no_place_of_a_machine() {
        for template in [COMBINED, NODE] {
            assert!(!template.contains("\"/"), "a path in a save file is relative");
            assert!(!signals(template).is_empty());
        }
    }

    #[test]
    fn every_signal_of_the_model_that_is_chosen_is_shown() {
        let shown = signals(COMBINED);
        for node in 0..2 {
            for chosen in super::super::chosen::CHOSEN {
                let path = format!("node{node}.{}", chosen.name);
                assert!(shown.contains(&path.as_str()), "{path}");
            }
        }
    }
}
