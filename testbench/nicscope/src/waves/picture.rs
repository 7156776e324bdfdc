//! A picture of a window of a wave file, as SVG.

use std::fmt::Write as _;

use sim_pins::Ps;

use super::{Signal, SignalKind, WaveFile};

/// One line of the picture.
#[derive(Clone, Debug)]
pub struct PictureRow {
    /// What the reader sees on the left.
    pub label: String,
    /// Path of the signal, joined by dots; `None` makes a heading.
    pub signal: Option<String>,
    /// Of an active-low line: drawn as activity when low.
    pub active_low: bool,
}

const LABEL_WIDTH: f64 = 190.0;
const PLOT_WIDTH: f64 = 1010.0;
const ROW_HEIGHT: f64 = 24.0;
const TOP: f64 = 64.0;

/// Draws the rows between two times. Signals that the file lacks are left out.
pub fn draw(file: &WaveFile, title: &str, rows: &[PictureRow], from: Ps, to: Ps) -> String {
    let rows: Vec<(&PictureRow, Option<&Signal>)> = rows
        .iter()
        .filter_map(|row| match &row.signal {
            None => Some((row, None)),
            Some(path) => {
                file.signals().iter().find(|signal| signal.path.join(".") == *path).map(|signal| (row, Some(signal)))
            }
        })
        .collect();
    let scale = Scale { from, to };
    let height = TOP + rows.len() as f64 * ROW_HEIGHT + 16.0;
    let mut svg = String::new();
    let _ = writeln!(
        svg,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {height}" font-family="sans-serif" font-size="12">"#,
        LABEL_WIDTH + PLOT_WIDTH + 20.0
    );
    let _ = writeln!(svg, r##"<rect width="100%" height="100%" fill="#ffffff"/>"##);
    let _ = writeln!(
        svg,
        r##"<text x="12" y="24" font-size="16" font-weight="bold" fill="#1d2733">{}</text>"##,
        escape(title)
    );
    draw_axis(&mut svg, &scale, height);
    for (index, (row, signal)) in rows.iter().enumerate() {
        let y = TOP + index as f64 * ROW_HEIGHT;
        let Some(signal) = signal else {
            let _ = writeln!(
                svg,
                r##"<text x="12" y="{:.1}" font-weight="bold" fill="#1d2733">{}</text>"##,
                y + 17.0,
                escape(&row.label)
            );
            continue;
        };
        let _ = writeln!(svg, r##"<text x="24" y="{:.1}" fill="#3a4653">{}</text>"##, y + 16.0, escape(&row.label));
        match signal.kind {
            SignalKind::Bits(1) => draw_bit(&mut svg, signal, row.active_low, &scale, y),
            SignalKind::Bits(_) => draw_boxes(&mut svg, signal, &scale, y, |value| hexadecimal(value)),
            SignalKind::Text { .. } => draw_boxes(&mut svg, signal, &scale, y, |value| value.trim_end().to_string()),
        }
    }
    svg.push_str("</svg>\n");
    svg
}

struct Scale {
    from: Ps,
    to: Ps,
}

impl Scale {
    fn x(&self, at: Ps) -> f64 {
        let at = at.clamp(self.from, self.to);
        LABEL_WIDTH + (at.0 - self.from.0) as f64 / (self.to.0 - self.from.0).max(1) as f64 * PLOT_WIDTH
    }
}

fn draw_axis(svg: &mut String, scale: &Scale, height: f64) {
    let span = (scale.to.0 - scale.from.0) as f64;
    // About ten ticks at 1, 2 or 5 times a power of ten.
    let rough = span / 10.0;
    let power = 10f64.powf(rough.log10().floor());
    let tick = [1.0, 2.0, 5.0, 10.0].iter().map(|step| step * power).find(|step| *step >= rough).unwrap_or(power);
    let mut offset = 0.0;
    while offset <= span {
        let x = scale.x(Ps(scale.from.0 + offset as u64));
        let _ = writeln!(svg, r##"<line x1="{x:.1}" y1="52" x2="{x:.1}" y2="{height}" stroke="#e3e8ee"/>"##);
        let label = match tick >= 1e6 {
            true => format!("{} us", offset / 1e6),
            false => format!("{} ns", offset / 1e3),
        };
        let _ = writeln!(svg, r##"<text x="{x:.1}" y="46" text-anchor="middle" fill="#6b7885">{label}</text>"##);
        offset += tick;
    }
}

/// A line where changes can be told apart, a bar of activity where they cannot.
fn draw_bit(svg: &mut String, signal: &Signal, active_low: bool, scale: &Scale, y: f64) {
    let (high, low) = (y + 4.0, y + 19.0);
    let level = |value: &str| if value.starts_with('1') { high } else { low };
    let mut path = String::new();
    let mut bars: Vec<(f64, f64)> = Vec::new();
    let mut last: Option<(f64, &str)> = None;
    for (at, value) in window(signal, scale) {
        let x = scale.x(at);
        match last {
            None => {
                let _ = write!(path, "M{x:.2} {:.1}", level(value));
            }
            Some((before, previous)) => {
                if x - before < 0.8 && is_active(previous, active_low) != is_active(value, active_low) {
                    match bars.last_mut() {
                        Some(bar) if before - bar.1 < 1.2 => bar.1 = x,
                        _ => bars.push((before, x)),
                    }
                }
                let _ = write!(path, "L{x:.2} {:.1}L{x:.2} {:.1}", level(previous), level(value));
            }
        }
        last = Some((x, value));
    }
    if let Some((_, value)) = last {
        let _ = write!(path, "L{:.2} {:.1}", LABEL_WIDTH + PLOT_WIDTH, level(value));
    }
    for (from, to) in bars {
        let _ = writeln!(
            svg,
            r##"<rect x="{from:.2}" y="{high}" width="{:.2}" height="{}" fill="#9fc2e8"/>"##,
            (to - from).max(0.8),
            low - high
        );
    }
    let _ = writeln!(svg, r##"<path d="{path}" fill="none" stroke="#1f6fb5" stroke-width="1"/>"##);
}

fn is_active(value: &str, active_low: bool) -> bool {
    value.starts_with('1') != active_low
}

/// One box for each value, with the value in it where it fits.
fn draw_boxes(svg: &mut String, signal: &Signal, scale: &Scale, y: f64, label: impl Fn(&str) -> String) {
    let changes: Vec<(Ps, &str)> = window(signal, scale).collect();
    let mut previous_end = f64::MIN;
    for (index, (at, value)) in changes.iter().enumerate() {
        let from = scale.x(*at);
        let to = changes.get(index + 1).map_or(LABEL_WIDTH + PLOT_WIDTH, |(next, _)| scale.x(*next));
        let text = label(value);
        if text.is_empty() || text == "idle" || to - previous_end < 0.4 {
            continue;
        }
        previous_end = to;
        let fill = colour(&text);
        let _ = writeln!(
            svg,
            r##"<rect x="{from:.2}" y="{:.1}" width="{:.2}" height="17" fill="{fill}" stroke="#ffffff" stroke-width="0.4"><title>{}</title></rect>"##,
            y + 3.0,
            (to - from).max(0.5),
            escape(&text)
        );
        if to - from > 6.6 * text.len() as f64 {
            let _ = writeln!(
                svg,
                r##"<text x="{:.1}" y="{:.1}" text-anchor="middle" font-size="11" fill="#1d2733">{}</text>"##,
                (from + to) / 2.0,
                y + 15.5,
                escape(&text)
            );
        }
    }
}

/// Changes inside the window, the value at its start first.
fn window<'a>(signal: &'a Signal, scale: &Scale) -> impl Iterator<Item = (Ps, &'a str)> {
    let (from, to) = (scale.from, scale.to);
    let before = signal.changes.iter().rev().find(|(at, _)| *at <= from).map(|(_, value)| (from, value.as_str()));
    let inside = signal.changes.iter().filter(move |(at, _)| *at > from && *at <= to);
    before.into_iter().chain(inside.map(|(at, value)| (*at, value.as_str())))
}

fn hexadecimal(bits: &str) -> String {
    if bits.contains(['x', 'X', 'z', 'Z']) {
        return "x".into();
    }
    let padding = (4 - bits.len() % 4) % 4;
    let bits = format!("{}{bits}", "0".repeat(padding));
    let digits: String = bits
        .as_bytes()
        .chunks(4)
        .map(|nibble| {
            let value = nibble.iter().fold(0, |value, bit| value * 2 + u32::from(bit - b'0'));
            char::from_digit(value, 16).expect("four bits make a hexadecimal digit")
        })
        .collect();
    digits
}

/// The same text always has the same colour.
fn colour(text: &str) -> &'static str {
    const COLOURS: [&str; 10] =
        ["#f6d7a7", "#c9e4c5", "#bcd9f2", "#e5c9ea", "#f3c1b8", "#d5e3a1", "#b9e0dc", "#ecd3c4", "#cfd6f5", "#e7e0b4"];
    let word = text.split(' ').next().unwrap_or(text);
    let sum: usize = word.bytes().fold(7, |sum, byte| sum * 31 % 10_007 + byte as usize);
    COLOURS[sum % COLOURS.len()]
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_labelled_in_hexadecimal() {
        assert_eq!(hexadecimal("11111111"), "ff");
        assert_eq!(hexadecimal("10011"), "13");
        assert_eq!(hexadecimal("1x"), "x");
    }

    #[test]
    fn a_missing_signal_is_left_out_and_a_box_is_labelled() {
        let mut file = WaveFile::default();
        let text = file.add(&["n", "driver"], SignalKind::Text { bytes: 16 });
        file.change(text, Ps(0), "idle");
        file.change(text, Ps(100), "pin");
        file.change(text, Ps(900), "idle");
        let rows = ["n.driver", "n.absent"].map(|path| PictureRow {
            label: path.into(),
            signal: Some(path.into()),
            active_low: false,
        });
        let svg = draw(&file, "a < b", &rows, Ps(0), Ps(1000));
        assert!(
            svg.contains(">pin</text>")
                && svg.contains("a &lt; b")
                && !svg.contains("n.absent")
                && !svg.contains(">idle<")
        );
    }
}
