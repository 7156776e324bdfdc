//! Pictures of windows of a wave file, as SVG.

use std::fmt::Write as _;

use nicscope_account::account::Account;
use nicscope_account::category::Category;
use sim_pins::Ps;

use super::{Signal, SignalKind, WaveFile};

/// A part of a picture: rows between two times.
#[derive(Clone, Debug)]
pub struct Panel {
    /// The title above the panel.
    pub title: String,
    /// The time that is zero on the axis.
    pub origin: Ps,
    /// The time at the left end.
    pub from: Ps,
    /// The time at the right end.
    pub to: Ps,
    /// The rows, from top to bottom.
    pub rows: Vec<Row>,
    /// The labelled stretches of time below the axis.
    pub brackets: Vec<Bracket>,
    /// The parts that other panels enlarge: the letter of the panel, and the two times.
    pub zooms: Vec<(char, Ps, Ps)>,
}

/// A stretch of time with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bracket {
    /// The text at the bracket.
    pub label: String,
    /// The beginning of the stretch.
    pub from: Ps,
    /// The end of the stretch.
    pub to: Ps,
}

/// One line of a panel.
#[derive(Clone, Debug)]
pub struct Row {
    label: String,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    Heading,
    /// A signal by its path: text as boxes, a bit as a line.
    Signal {
        path: String,
        active_low: bool,
    },
    Boxes(Vec<Box>),
}

#[derive(Clone, Debug)]
struct Box {
    from: Ps,
    to: Ps,
    text: String,
    fill: &'static str,
}

impl Row {
    /// A row that only has a label.
    pub fn heading(label: String) -> Row {
        Row { label, content: Content::Heading }
    }

    /// A signal, by its path (scopes and name joined by dots), whose values are shown as labelled
    /// boxes.
    pub fn text(label: &str, path: String) -> Row {
        Row { label: label.into(), content: Content::Signal { path, active_low: false } }
    }

    /// A one-bit signal, by its path, shown as a line that is filled while the signal is high.
    pub fn line(label: &str, path: String) -> Row {
        Row::text(label, path)
    }

    /// A one-bit signal, by its path, shown as a line that is filled while the signal is low.
    pub fn active_low(label: &str, path: String) -> Row {
        Row { label: label.into(), content: Content::Signal { path, active_low: true } }
    }

    /// The spans of a message, coloured by category.
    pub fn spans(label: &str, account: &Account, begin: Ps) -> Row {
        let boxes = account.spans.iter().map(|span| Box {
            from: begin + Ps(span.start_ps),
            to: begin + Ps(span.start_ps + span.duration_ps),
            text: span.stage.clone(),
            fill: category_colour(Category::of(span)),
        });
        Row { label: label.into(), content: Content::Boxes(boxes.collect()) }
    }

    /// Whether the row only has a label.
    pub fn is_heading(&self) -> bool {
        matches!(self.content, Content::Heading)
    }

    /// Whether the row shows activity between two times.
    pub fn is_active(&self, file: &WaveFile, from: Ps, to: Ps) -> bool {
        match &self.content {
            Content::Heading | Content::Boxes(_) => true,
            Content::Signal { path, .. } => file.find(path).is_some_and(|signal| match signal.kind {
                SignalKind::Text { .. } => changes(signal, from, to).any(|(_, value)| !value.trim().is_empty()),
                SignalKind::Bits(_) => {
                    let mut values = changes(signal, from, to).map(|(_, value)| value);
                    let first = values.next();
                    values.any(|value| Some(value) != first)
                }
            }),
        }
    }
}

const LABELS: f64 = 130.0;
const PLOT: f64 = 1050.0;
const RIGHT: f64 = 24.0;
const ROW: f64 = 22.0;
const LANE: f64 = 17.0;
/// The height of the title and the axis above the rows of a panel, in pixels.
const AXIS: f64 = 46.0;
const GAP: f64 = 20.0;
const TOP: f64 = 44.0;
const LEGEND: f64 = 28.0;
/// The width of a letter in a box, in pixels.
const LETTER: f64 = 5.6;

const INK: &str = "#1d2733";
const SOFT: &str = "#5b6875";
const LINE: &str = "#1f6fb5";

fn category_colour(category: Category) -> &'static str {
    match category {
        Category::Host => "#f6cf8f",
        Category::Pci => "#a9cdf0",
        Category::Firmware => "#bfe0b6",
        Category::Hardware => "#b5ddd9",
        Category::Link => "#dfc0ea",
        Category::Waiting => "url(#waiting)",
    }
}

/// Draws the panels one below the other, with a legend of the message's colours. Returns the SVG
/// text. Signals that the file lacks are left out.
pub fn draw(file: &WaveFile, title: &str, panels: &[Panel]) -> String {
    let mut body = String::new();
    let mut y = TOP;
    for panel in panels {
        y = draw_panel(&mut body, file, panel, y) + GAP;
    }
    draw_legend(&mut body, y);
    let (width, height) = (LABELS + PLOT + RIGHT, y + LEGEND);
    format!(
        concat!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:.0}" font-family="Helvetica, Arial, sans-serif" font-size="12" fill="{ink}">"##,
            "\n",
            r##"<defs><pattern id="waiting" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">"##,
            r##"<rect width="6" height="6" fill="#f4f5f7"/><rect width="1.2" height="6" fill="#c3cad2"/></pattern></defs>"##,
            "\n",
            r##"<rect width="100%" height="100%" fill="#ffffff"/>"##,
            "\n",
            r##"<text x="12" y="26" font-size="16" font-weight="bold">{title}</text>"##,
            "\n{body}</svg>\n"
        ),
        width = width,
        height = height,
        ink = INK,
        title = escape(title),
        body = body
    )
}

/// Draws a panel below `top` and returns its lower end.
fn draw_panel(svg: &mut String, file: &WaveFile, panel: &Panel, top: f64) -> f64 {
    let scale = Scale { from: panel.from, to: panel.to };
    let lanes = lanes(&panel.brackets, &scale);
    let lane_count = lanes.iter().map(|(lane, _)| lane + 1).max().unwrap_or(0);
    let first_row = top + AXIS + lane_count as f64 * LANE;
    let rows: Vec<(&Row, Option<&Signal>)> = panel
        .rows
        .iter()
        .filter_map(|row| match &row.content {
            Content::Signal { path, .. } => file.find(path).map(|signal| (row, Some(signal))),
            _ => Some((row, None)),
        })
        .collect();
    let bottom = first_row + rows.len() as f64 * ROW;

    let _ = writeln!(
        svg,
        r##"<rect x="4" y="{top:.0}" width="{:.0}" height="{:.0}" rx="4" fill="#fbfcfd" stroke="#d5dbe2"/><text x="12" y="{:.0}" font-weight="bold">{}</text>"##,
        LABELS + PLOT + RIGHT - 8.0,
        bottom - top + 6.0,
        top + 18.0,
        escape(&panel.title)
    );
    for (letter, from, to) in &panel.zooms {
        let (from, to) = (scale.x(*from), scale.x(*to));
        let _ = writeln!(
            svg,
            r##"<rect x="{from:.1}" y="{0:.1}" width="{1:.1}" height="{2:.1}" fill="#ffe9a8" opacity="0.55"/><text x="{3:.1}" y="{4:.1}" text-anchor="middle" font-weight="bold" fill="#8a6500">{letter}</text>"##,
            top + AXIS - 4.0,
            (to - from).max(2.0),
            bottom - top - AXIS + 4.0,
            (from + to) / 2.0,
            top + 18.0,
        );
    }
    draw_axis(svg, panel, &scale, top, bottom);
    draw_brackets(svg, &lanes, top + AXIS);
    for (index, (row, signal)) in rows.iter().enumerate() {
        let y = first_row + index as f64 * ROW;
        let (x, weight) = if row.is_heading() { (12, "bold") } else { (20, "normal") };
        let _ = writeln!(
            svg,
            r##"<text x="{x}" y="{:.1}" font-weight="{weight}">{}</text>"##,
            y + 15.0,
            escape(&row.label)
        );
        match (&row.content, signal) {
            (Content::Boxes(boxes), _) => draw_boxes(svg, boxes, &scale, y),
            (Content::Signal { active_low, .. }, Some(signal)) => match signal.kind {
                SignalKind::Bits(1) => draw_bit(svg, signal, *active_low, &scale, y),
                SignalKind::Bits(_) => draw_boxes(svg, &values(signal, panel, hexadecimal), &scale, y),
                SignalKind::Text { .. } => draw_boxes(svg, &values(signal, panel, str::to_string), &scale, y),
            },
            _ => {}
        }
    }
    bottom
}

struct Scale {
    from: Ps,
    to: Ps,
}

impl Scale {
    fn x(&self, at: Ps) -> f64 {
        let at = at.clamp(self.from, self.to);
        LABELS + (at.0 - self.from.0) as f64 / (self.to.0 - self.from.0).max(1) as f64 * PLOT
    }
}

/// Draws about ten ticks at 1, 2 or 5 times a power of ten, counted from the panel's origin.
fn draw_axis(svg: &mut String, panel: &Panel, scale: &Scale, top: f64, bottom: f64) {
    let rough = (panel.to.0 - panel.from.0).max(1) as f64 / 10.0;
    let power = 10f64.powf(rough.log10().floor());
    let tick = [1.0, 2.0, 5.0, 10.0].iter().map(|step| step * power).find(|step| *step >= rough).unwrap_or(rough);
    let (from, to) = (panel.from.0 as f64 - panel.origin.0 as f64, panel.to.0 as f64 - panel.origin.0 as f64);
    let mut offset = (from / tick).ceil() * tick;
    let mut grid = String::new();
    while offset <= to {
        let x = scale.x(Ps((panel.origin.0 as f64 + offset) as u64));
        let _ = write!(grid, "M{x:.1} {:.1}V{bottom:.1}", top + AXIS - 8.0);
        let text = match tick >= 1e5 {
            true => format!("{} us", round(offset / 1e6)),
            false => format!("{} ns", round(offset / 1e3)),
        };
        let _ = writeln!(
            svg,
            r##"<text x="{x:.1}" y="{:.1}" text-anchor="middle" font-size="11" fill="{SOFT}">{text}</text>"##,
            top + AXIS - 12.0
        );
        offset += tick;
    }
    let _ = writeln!(svg, r##"<path d="{grid}" stroke="#e3e8ee" fill="none"/>"##);
}

/// The value without the last digits that binary fractions bring.
fn round(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

/// Puts each bracket with its label into the first lane where it touches no other.
fn lanes<'a>(brackets: &'a [Bracket], scale: &Scale) -> Vec<(usize, Placed<'a>)> {
    let mut sorted: Vec<&Bracket> = brackets.iter().collect();
    sorted.sort_by_key(|bracket| bracket.from);
    let mut ends: Vec<f64> = Vec::new();
    let mut placed = Vec::new();
    for bracket in sorted {
        let (from, to) = (scale.x(bracket.from), scale.x(bracket.to));
        let text = format!("{} {:.1} us", bracket.label, (bracket.to - bracket.from).as_us_f64());
        let width = text.len() as f64 * LETTER + 8.0;
        // A label that does not fit inside stands to the right; at the end of the axis it stands to
        // the left.
        let inside = to - from >= width;
        let left = !inside && to + width > LABELS + PLOT;
        let (begin, end) = match (inside, left) {
            (true, _) => (from, to),
            (_, false) => (from, to + width),
            (_, true) => (from - width, to),
        };
        let lane = ends.iter().position(|end| *end <= begin).unwrap_or(ends.len());
        match ends.get_mut(lane) {
            Some(last) => *last = end + 4.0,
            None => ends.push(end + 4.0),
        }
        let (x, anchor) = match (inside, left) {
            (true, _) => ((from + to) / 2.0, "middle"),
            (_, false) => (to + 4.0, "start"),
            (_, true) => (from - 4.0, "end"),
        };
        placed.push((lane, Placed { bracket, from, to, text, x, anchor }));
    }
    placed
}

struct Placed<'a> {
    bracket: &'a Bracket,
    from: f64,
    to: f64,
    text: String,
    x: f64,
    anchor: &'static str,
}

fn draw_brackets(svg: &mut String, lanes: &[(usize, Placed)], top: f64) {
    for (lane, Placed { bracket, from, to, text, x, anchor }) in lanes {
        let y = top + *lane as f64 * LANE;
        let _ = writeln!(
            svg,
            r##"<rect x="{from:.1}" y="{:.1}" width="{:.1}" height="14" rx="2" fill="#ffd9cc" stroke="#d9745a" stroke-width="0.8"><title>{}</title></rect><text x="{x:.1}" y="{:.1}" font-size="11" text-anchor="{anchor}" fill="#7a2e19">{}</text>"##,
            y,
            (to - from).max(1.5),
            escape(&bracket.label),
            y + 11.0,
            escape(text)
        );
    }
}

/// A line, filled where the signal is active.
fn draw_bit(svg: &mut String, signal: &Signal, active_low: bool, scale: &Scale, y: f64) {
    let (high, low) = (y + 4.0, y + 18.0);
    let level = |value: &str| if value.starts_with('1') { high } else { low };
    let mut path = String::new();
    let mut active: Vec<(f64, f64)> = Vec::new();
    let mut last: Option<(f64, &str)> = None;
    let steps: Vec<(Ps, &str)> = changes(signal, scale.from, scale.to).collect();
    for (index, (at, value)) in steps.iter().enumerate() {
        let x = scale.x(*at);
        let next = steps.get(index + 1).map_or(LABELS + PLOT, |(at, _)| scale.x(*at));
        if is_active(value, active_low) {
            match active.last_mut() {
                Some(bar) if x - bar.1 < 0.8 => bar.1 = next,
                _ => active.push((x, next)),
            }
        }
        match last {
            None => {
                let _ = write!(path, "M{x:.1} {:.0}", level(value));
            }
            // A level that is shorter than a pixel is shown by the filling only.
            Some((before, _)) if x - before < 0.5 => continue,
            Some(_) => {
                let _ = write!(path, "H{x:.1}V{:.0}", level(value));
            }
        }
        last = Some((x, value));
    }
    if last.is_some() {
        let _ = write!(path, "H{:.1}", LABELS + PLOT);
    }
    let mut bars = String::new();
    for (from, to) in active {
        let _ = write!(bars, "M{from:.1} {high:.0}H{:.1}V{low:.0}H{from:.1}Z", to.max(from + 0.8));
    }
    let _ = writeln!(
        svg,
        r##"<path d="{bars}" fill="#a9cdf0"/><path d="{path}" fill="none" stroke="{LINE}" stroke-width="0.9"/>"##
    );
}

fn is_active(value: &str, active_low: bool) -> bool {
    value.starts_with(if active_low { '0' } else { '1' })
}

/// The values of a signal as boxes; idleness has none.
fn values(signal: &Signal, panel: &Panel, text: impl Fn(&str) -> String) -> Vec<Box> {
    let steps: Vec<(Ps, &str)> = changes(signal, panel.from, panel.to).collect();
    steps
        .iter()
        .enumerate()
        .map(|(index, (from, value))| {
            let text = text(value.trim());
            let fill = text_colour(&text);
            Box { from: *from, to: steps.get(index + 1).map_or(panel.to, |(at, _)| *at), text, fill }
        })
        .filter(|shown| !shown.text.is_empty())
        .collect()
}

fn draw_boxes(svg: &mut String, boxes: &[Box], scale: &Scale, y: f64) {
    // Boxes that are narrower than a pixel are merged into one bar.
    let mut bar: Option<(f64, f64)> = None;
    let flush = |svg: &mut String, bar: &mut Option<(f64, f64)>| {
        if let Some((from, to)) = bar.take() {
            let _ = writeln!(
                svg,
                r##"<rect x="{from:.1}" y="{:.1}" width="{:.1}" height="16" fill="#8fb58a"/>"##,
                y + 3.0,
                (to - from).max(0.8)
            );
        }
    };
    for shown in boxes.iter().filter(|shown| shown.to > scale.from && shown.from < scale.to) {
        let (from, to) = (scale.x(shown.from), scale.x(shown.to));
        if to - from < 1.5 {
            match &mut bar {
                Some(bar) if from - bar.1 < 1.0 => bar.1 = to,
                _ => {
                    flush(svg, &mut bar);
                    bar = Some((from, to));
                }
            }
            continue;
        }
        flush(svg, &mut bar);
        let _ = writeln!(
            svg,
            r##"<rect x="{from:.1}" y="{:.1}" width="{:.1}" height="16" fill="{}" stroke="#ffffff" stroke-width="0.6"><title>{} ({:.3} us)</title></rect>"##,
            y + 3.0,
            to - from,
            shown.fill,
            escape(&shown.text),
            (shown.to - shown.from).as_us_f64()
        );
        if let Some(label) = fitting(&shown.text, to - from) {
            let _ = writeln!(
                svg,
                r##"<text x="{:.1}" y="{:.1}" text-anchor="middle" font-size="10.5">{}</text>"##,
                (from + to) / 2.0,
                y + 14.8,
                escape(&label)
            );
        }
    }
    flush(svg, &mut bar);
}

/// A text that fits a width: the whole text, else the part after its colon, else the part before an
/// address, else its beginning. `None` if that would be unreadable.
fn fitting(text: &str, width: f64) -> Option<String> {
    let room = ((width - 3.0) / LETTER).max(0.0) as usize;
    let short = text.split_once(": ").map_or(text, |(_, short)| short);
    match [text, short, before_address(short)].into_iter().find(|text| text.chars().count() <= room) {
        Some(text) => Some(text.to_string()),
        None if room >= 4 => Some(short.chars().take(room - 1).chain(['…']).collect()),
        None => None,
    }
}

fn draw_legend(svg: &mut String, y: f64) {
    let mut x = LABELS;
    let _ = writeln!(svg, r##"<text x="12" y="{:.1}">message is in</text>"##, y + 11.0);
    for category in Category::ALL {
        let _ = writeln!(
            svg,
            r##"<rect x="{x:.0}" y="{y:.1}" width="22" height="14" fill="{}" stroke="#d5dbe2"/><text x="{:.0}" y="{:.1}">{}</text>"##,
            category_colour(category),
            x + 28.0,
            y + 11.0,
            category.name()
        );
        x += 130.0;
    }
}

/// Changes inside the window, the value at its start first.
fn changes(signal: &Signal, from: Ps, to: Ps) -> impl Iterator<Item = (Ps, &str)> {
    let inside = signal.changes.partition_point(|(at, _)| *at <= from);
    let before = inside.checked_sub(1).map(|index| (from, signal.changes[index].1.as_str()));
    let rest = signal.changes[inside..].iter().take_while(move |(at, _)| *at < to);
    before.into_iter().chain(rest.map(|(at, value)| (*at, value.as_str())))
}

fn hexadecimal(bits: &str) -> String {
    if bits.contains(['x', 'X', 'z', 'Z']) {
        return "x".into();
    }
    let padding = (4 - bits.len() % 4) % 4;
    let bits = format!("{}{bits}", "0".repeat(padding));
    let nibbles = bits.as_bytes().chunks(4);
    nibbles
        .map(|nibble| {
            let value = nibble.iter().fold(0, |value, bit| value * 2 + u32::from(bit - b'0'));
            char::from_digit(value, 16).expect("four bits make a hexadecimal digit")
        })
        .collect()
}

/// The part before an address: "host writes" of "host writes e0009560 x8".
fn before_address(text: &str) -> &str {
    let is_address = |word: &str| word.len() == 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let address = text.split(' ').find(|word| is_address(word));
    address.and_then(|word| text.split(word).next()).map_or(text, str::trim_end)
}

/// The colour of a text. It depends on the words only, not on the numbers after them.
fn text_colour(text: &str) -> &'static str {
    const COLOURS: [&str; 8] = ["#d4e8cf", "#f4dfb6", "#cfe2f5", "#e8d5ee", "#f3d2cb", "#dfe8b8", "#cbe6e2", "#dadff6"];
    let sum: usize = before_address(text).bytes().fold(7, |sum, byte| (sum * 31 + byte as usize) % 10_007);
    COLOURS[sum % COLOURS.len()]
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel(rows: Vec<Row>, brackets: Vec<Bracket>) -> Panel {
        let (from, to) = (Ps(0), Ps(100_000_000));
        Panel { title: "p".into(), origin: from, from, to, rows, brackets, zooms: vec![('A', from, Ps(9_000_000))] }
    }

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
        file.change(text, Ps(0), "");
        file.change(text, Ps(10_000_000), "pin");
        file.change(text, Ps(90_000_000), "");
        let rows = vec![Row::text("driver", "n.driver".into()), Row::line("absent", "n.absent".into())];
        assert!(rows[0].is_active(&file, Ps(0), Ps(20_000_000)) && !rows[0].is_active(&file, Ps(0), Ps(5_000_000)));
        let svg = draw(&file, "a < b", &[panel(rows, Vec::new())]);
        assert!(svg.contains(">pin</text>") && svg.contains("a &lt; b") && !svg.contains("absent"));
    }

    #[test]
    fn labels_shrink_to_their_box() {
        assert_eq!(fitting("sender: lookup", 200.0).unwrap(), "sender: lookup");
        assert_eq!(fitting("sender: lookup", 45.0).unwrap(), "lookup");
        assert_eq!(fitting("sender: lookup", 30.0).unwrap(), "loo…");
        assert_eq!(fitting("sender: lookup", 10.0), None);
        assert_eq!(fitting("host writes f8000040 x8", 70.0).unwrap(), "host writes");
    }

    #[test]
    fn labels_of_brackets_do_not_overlap() {
        let bracket = |label: &str, from: u64, to: u64| Bracket { label: label.into(), from: Ps(from), to: Ps(to) };
        let brackets = [
            bracket("fill", 50_000_000, 51_000_000),
            bracket("pin", 20_000_000, 50_000_000),
            bracket("end", 51_000_000, 90_000_000),
        ];
        let scale = Scale { from: Ps(0), to: Ps(100_000_000) };
        let lanes = lanes(&brackets, &scale);
        let order: Vec<_> = lanes.iter().map(|(lane, placed)| (*lane, placed.bracket.label.as_str())).collect();
        assert_eq!(order, [(0, "pin"), (1, "fill"), (0, "end")]);
    }
}
