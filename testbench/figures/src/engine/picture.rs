//! Figures as SVG.

use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use plotters::coord::Shift;
use plotters::prelude::*;
use std::fmt::Display;

use super::report::{Chart, Group, Picture, Series};

/// Colours that can be told apart, in print too.
const COLOURS: [RGBColor; 8] = [
    RGBColor(0x1b, 0x4f, 0x72),
    RGBColor(0xc0, 0x39, 0x2b),
    RGBColor(0x1e, 0x84, 0x49),
    RGBColor(0xb7, 0x95, 0x0b),
    RGBColor(0x6c, 0x34, 0x83),
    RGBColor(0x5d, 0x6d, 0x7e),
    RGBColor(0xca, 0x6f, 0x1e),
    RGBColor(0x14, 0x8f, 0x77),
];

const FONT: &str = "sans-serif";
/// Heights of letters, in pixels like all below.
const TITLE: u32 = 20;
const TEXT: u32 = 14;
const SMALL: u32 = 11;

const PLOT_WIDTH: u32 = 730;
const TITLE_HEIGHT: u32 = 40;
/// On the right, where names stand beside their colours, at least.
const KEY_WIDTH_MIN: u32 = 170;
const SWATCH_WIDTH: u32 = 24;
const MARGIN: u32 = 12;
/// Left of the bars, for the axis.
const STACKS_LEFT: u32 = 72;

/// A picture as SVG text.
///
/// # Errors
/// The picture cannot be drawn.
pub fn svg(picture: &Picture) -> Result<String> {
    let mut text = String::new();
    draw(&mut text, picture).map_err(|error| failed!("the picture {}: {error}", picture.name))?;
    Ok(text)
}

fn draw(text: &mut String, picture: &Picture) -> Result<(), String> {
    let names: Vec<&String> = match &picture.chart {
        Chart::Lines { series, .. } | Chart::Sizes { series, .. } => series.iter().map(|series| &series.name).collect(),
        Chart::Stacks { parts, .. } => parts.iter().collect(),
    };
    let key_width = KEY_WIDTH_MIN.max(SWATCH_WIDTH + widest(names.iter().copied(), TEXT)? + MARGIN);
    let names_below = match &picture.chart {
        Chart::Lines { .. } | Chart::Sizes { .. } => None,
        Chart::Stacks { groups, .. } => Some(NamesBelow::of(groups)?),
    };
    let height = TITLE_HEIGHT + names_below.as_ref().map_or(500, |names| 362 + names.height());

    let area = SVGBackend::with_string(text, (PLOT_WIDTH + key_width, height)).into_drawing_area();
    area.fill(&WHITE).map_err(in_words)?;
    let (top, rest) = area.split_vertically(TITLE_HEIGHT);
    title(&top, &picture.title)?;
    let (plot, key) = rest.split_horizontally(PLOT_WIDTH);
    for (index, name) in names.into_iter().enumerate() {
        let y = 20 + 24 * index as i32;
        key.draw(&Rectangle::new([(4, y), (16, y + 12)], colour(index).filled())).map_err(in_words)?;
        key.draw_text(name, &style(TEXT), (SWATCH_WIDTH as i32, y)).map_err(in_words)?;
    }
    match &picture.chart {
        Chart::Lines { x, y, series } => lines(&plot, [x, y], series, Axis::Even)?,
        Chart::Sizes { y, series } => {
            let of = |(size, value): &(f64, f64)| (size.max(1.0).log2(), *value);
            let scaled = |it: &Series| Series { name: it.name.clone(), points: it.points.iter().map(of).collect() };
            let scaled: Vec<Series> = series.iter().map(scaled).collect();
            lines(&plot, ["message, bytes", y], &scaled, Axis::Sizes)?
        }
        Chart::Stacks { y, parts, groups } => {
            stacks(&plot, y, parts.len(), groups, &names_below.expect("stacks have names below"))?
        }
    }
    area.present().map_err(in_words)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

fn in_words(error: impl Display) -> String {
    error.to_string()
}

fn colour(index: usize) -> RGBColor {
    COLOURS[index % COLOURS.len()]
}

fn style(size: u32) -> TextStyle<'static> {
    TextStyle::from((FONT, size).into_font())
}

fn width(text: &str, size: u32) -> Result<u32, String> {
    Ok((FONT, size).into_font().box_size(text).map_err(in_words)?.0)
}

fn widest<'a>(texts: impl IntoIterator<Item = &'a String>, size: u32) -> Result<u32, String> {
    texts.into_iter().try_fold(0, |widest, text| Ok(widest.max(width(text, size)?)))
}

/// In the middle, and smaller if it would not fit.
fn title(area: &Area, text: &str) -> Result<(), String> {
    let whole = area.dim_in_pixel().0;
    let mut size = TITLE;
    while size > SMALL && width(text, size)? + 2 * MARGIN > whole {
        size -= 1;
    }
    let left = whole.saturating_sub(width(text, size)?) / 2;
    area.draw_text(text, &style(size), (left as i32, MARGIN as i32)).map_err(in_words)
}

/// The words of a name in as few lines as its place has room for.
fn wrapped(name: &str, room: u32) -> Result<Vec<String>, String> {
    let mut lines: Vec<String> = Vec::new();
    for word in name.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(&format!("{line} {word}"), TEXT)? <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.into()),
        }
    }
    Ok(lines)
}

/// What stands below bars: their names upright, and below them those of their groups.
struct NamesBelow {
    bars_height: u32,
    groups: Vec<Vec<String>>,
}

impl NamesBelow {
    const LINE: u32 = 18;

    fn of(groups: &[Group]) -> Result<NamesBelow, String> {
        let slots: usize = groups.iter().map(|group| group.bars.len() + 1).sum();
        let slot_width = (PLOT_WIDTH - STACKS_LEFT - 2 * MARGIN) as usize / slots.max(1);
        let wrap = |group: &Group| wrapped(&group.name, ((group.bars.len() + 1) * slot_width) as u32 - 4);
        Ok(NamesBelow {
            bars_height: widest(groups.iter().flat_map(|group| &group.bars).map(|bar| &bar.name), SMALL)?,
            groups: groups.iter().map(wrap).collect::<Result<_, _>>()?,
        })
    }

    fn height(&self) -> u32 {
        let lines = self.groups.iter().map(Vec::len).max().unwrap_or(0) as u32;
        self.bars_height + NamesBelow::LINE * lines + 2 * MARGIN
    }
}

/// What the axis must reach beyond 0 for a bit of room above `values`.
fn top(values: impl Iterator<Item = f64>) -> f64 {
    match values.fold(0.0, f64::max) {
        0.0 => 1.0,
        most => 1.08 * most,
    }
}

/// The horizontal axis of curves.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Axis {
    /// From 0 on.
    Even,
    /// Logarithms of sizes to the base 2, from the smallest on.
    Sizes,
}

impl Axis {
    /// What stands at a place of the axis.
    fn label(self, at: f64) -> String {
        match self {
            Axis::Even if at.fract() == 0.0 => format!("{at}"),
            Axis::Even => format!("{at:.1}"),
            Axis::Sizes if (at - at.round()).abs() > 1e-6 => String::new(),
            Axis::Sizes if at < 9.5 => format!("{}", at.exp2().round()),
            Axis::Sizes => format!("{}K", (at - 10.0).exp2().round()),
        }
    }
}

fn lines(plot: &Area, [x, y]: [&str; 2], series: &[Series], axis: Axis) -> Result<(), String> {
    let points = || series.iter().flat_map(|series| series.points.iter());
    let right = points().map(|point| point.0).fold(f64::MIN_POSITIVE, f64::max);
    let left = match axis {
        Axis::Even => 0.0,
        Axis::Sizes => points().map(|point| point.0).fold(right - 1.0, f64::min).floor(),
    };
    let mut chart = ChartBuilder::on(plot)
        .margin(MARGIN)
        .margin_top(0)
        .margin_right(36)
        .x_label_area_size(48)
        .y_label_area_size(72)
        .build_cartesian_2d(left..right, 0.0..top(points().map(|point| point.1)))
        .map_err(in_words)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_label_formatter(&|at| axis.label(*at))
        .x_desc(x)
        .y_label_formatter(&|at| Axis::Even.label(*at))
        .y_desc(y)
        .axis_desc_style((FONT, 16))
        .label_style((FONT, 14))
        .draw()
        .map_err(in_words)?;
    for (index, series) in series.iter().enumerate() {
        let style = colour(index).stroke_width(2);
        chart.draw_series(LineSeries::new(series.points.iter().copied(), style)).map_err(in_words)?;
        let dots = series.points.iter().map(|point| Circle::new(*point, 3, style.filled()));
        chart.draw_series(dots).map_err(in_words)?;
    }
    Ok(())
}

fn stacks(area: &Area, y: &str, parts: usize, groups: &[Group], names_below: &NamesBelow) -> Result<(), String> {
    // A slot for each bar, and one between groups.
    let mut slots: Vec<(f64, &str, &[f64])> = Vec::new();
    let mut middles: Vec<f64> = Vec::new();
    let mut at = 0.0;
    for group in groups {
        middles.push(at + group.bars.len() as f64 / 2.0);
        for bar in &group.bars {
            slots.push((at, &bar.name, &bar.values));
            at += 1.0;
        }
        at += 1.0;
    }
    let (plot, below) = area.split_vertically(area.dim_in_pixel().1 - names_below.height());
    let highest = top(slots.iter().map(|(.., values)| values.iter().sum::<f64>()));
    let mut chart = ChartBuilder::on(&plot)
        .margin(MARGIN)
        .margin_top(0)
        .margin_bottom(0)
        .y_label_area_size(STACKS_LEFT)
        .build_cartesian_2d(0.0..at.max(1.0), 0.0..highest)
        .map_err(in_words)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .y_label_formatter(&|at| Axis::Even.label(*at))
        .y_desc(y)
        .axis_desc_style((FONT, 16))
        .label_style((FONT, 14))
        .draw()
        .map_err(in_words)?;
    for part in 0..parts {
        let boxes = slots.iter().map(|(at, _, values)| {
            let from: f64 = values[..part].iter().sum();
            Rectangle::new([(at + 0.1, from), (at + 0.9, from + values[part])], colour(part).filled())
        });
        chart.draw_series(boxes).map_err(in_words)?;
    }
    // Where the axis has put the bars.
    let pixel = |slot: f64| chart.backend_coord(&(slot, 0.0)).0;
    let upright = TextStyle::from((FONT, SMALL).into_font().transform(FontTransform::Rotate90));
    for (slot, name, _) in &slots {
        below.draw_text(name, &upright, (pixel(slot + 0.8), 4)).map_err(in_words)?;
    }
    for (middle, lines) in middles.iter().zip(&names_below.groups) {
        for (line, number) in lines.iter().zip(0..) {
            let left = pixel(*middle) - width(line, TEXT)? as i32 / 2;
            let y = names_below.bars_height + MARGIN + NamesBelow::LINE * number;
            below.draw_text(line, &style(TEXT), (left, y as i32)).map_err(in_words)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::report::Bar;

    fn picture(chart: Chart) -> String {
        svg(&Picture { name: "p".into(), title: "A title".into(), chart }).unwrap()
    }

    /// Attributes of all elements of a kind, in the order of the file.
    fn elements<const N: usize>(text: &str, kind: &str, names: [&str; N]) -> Vec<[f64; N]> {
        let number = |element: &str, name: &str| -> f64 {
            let value = element.split(&format!(" {name}=\"")).nth(1).expect("the attribute").split('"').next();
            value.expect("a value").parse().expect("a number")
        };
        let open = format!("<{kind} ");
        let elements = text.split(&open).skip(1).map(|it| format!(" {}", it.split('>').next().unwrap()));
        elements.map(|element| names.map(|name| number(&element, name))).collect()
    }

    /// Places are in whole pixels.
    const ROUNDING: f64 = 1.5;

    #[test]
    fn marks_stand_where_their_points_are() {
        let points = vec![(0.0, 1.0), (50.0, 2.0), (100.0, 0.5)];
        let series = vec![Series { name: "4 B".into(), points }];
        let text = picture(Chart::Lines { x: "ratio".into(), y: "us".into(), series });
        let marks = elements(&text, "circle", ["cx", "cy"]);
        let [[x0, y0], [x1, y1], [x2, y2]] = marks[..] else { panic!("three marks: {marks:?}") };
        assert!(x2 > x0 && (2.0 * (x1 - x0) - (x2 - x0)).abs() <= 2.0 * ROUNDING, "{marks:?}");
        // Larger values stand higher: the second is one unit above the first, the third half a unit
        // below the first.
        assert!(y1 < y0 && y0 < y2, "{marks:?}");
        assert!(((y0 - y1) - 2.0 * (y2 - y0)).abs() <= 3.0 * ROUNDING, "{marks:?}");
    }

    #[test]
    fn a_size_stands_by_its_logarithm_and_powers_of_two_have_their_names() {
        let series = vec![Series { name: "EMP".into(), points: vec![(64.0, 1.0), (256.0, 2.0), (4096.0, 0.5)] }];
        let text = picture(Chart::Sizes { y: "us".into(), series });
        let marks = elements(&text, "circle", ["cx", "cy"]);
        let [[x0, _], [x1, _], [x2, _]] = marks[..] else { panic!("three marks: {marks:?}") };
        assert!(x2 > x0 && (3.0 * (x1 - x0) - (x2 - x0)).abs() <= 3.0 * ROUNDING, "{marks:?}");
        assert_eq!([6.0, 8.0, 10.0, 12.0, 6.5].map(|at| Axis::Sizes.label(at)), ["64", "256", "1K", "4K", ""]);
        assert!(text.contains("message, bytes"));
    }

    #[test]
    fn bars_are_as_high_as_their_values_and_stand_on_each_other() {
        let bar = |name: &str, values: [f64; 2]| Bar { name: name.into(), values: values.into() };
        let bars = vec![bar("one", [1.0, 2.0]), bar("other", [3.0, 0.5])];
        let groups = vec![Group { name: "g".into(), bars }];
        let text = picture(Chart::Stacks { y: "%".into(), parts: vec!["a".into(), "b".into()], groups });
        let boxes = elements(&text, "rect", ["x", "y", "width", "height"]);
        // The last four: the lower part of each bar, then the upper one.
        let [low_one, low_other, high_one, high_other] = boxes[boxes.len() - 4..] else { panic!("{boxes:?}") };
        let unit = low_one[3];
        assert!(unit > 20.0, "{boxes:?}");
        for (part, value) in [(high_one, 2.0), (low_other, 3.0), (high_other, 0.5)] {
            assert!((part[3] - value * unit).abs() <= 4.0 * ROUNDING, "{boxes:?}");
        }
        for (low, high) in [(low_one, high_one), (low_other, high_other)] {
            assert_eq!((low[0], low[2]), (high[0], high[2]), "one above the other");
            assert!((high[1] + high[3] - low[1]).abs() <= ROUNDING, "{boxes:?}");
        }
        assert!(low_one[0] + low_one[2] < low_other[0], "beside each other");
        assert!((low_one[1] + low_one[3] - low_other[1] - low_other[3]).abs() <= ROUNDING, "on one axis");
    }

    #[test]
    fn lines_have_axes_names_and_all_points() {
        let series = |name: &str| Series { name: name.into(), points: vec![(0.0, 1.0), (50.0, 2.0), (100.0, 0.5)] };
        let text =
            picture(Chart::Lines { x: "ratio".into(), y: "us".into(), series: vec![series("4 B"), series("4 KB")] });
        for word in ["A title", "ratio", "us", "4 B", "4 KB", "</svg>"] {
            assert!(text.contains(word), "{word}");
        }
        assert_eq!(text.matches("<circle").count(), 6);
    }

    #[test]
    fn stacks_have_a_box_for_each_part_and_names_below() {
        let bar = |name: &str| Bar { name: name.into(), values: vec![1.0, 2.0] };
        let groups = vec![
            Group { name: "C8".into(), bars: vec![bar("L8"), bar("L16")] },
            Group { name: "C16".into(), bars: vec![bar("L64")] },
        ];
        let text = picture(Chart::Stacks { y: "%".into(), parts: vec!["cold".into(), "warm".into()], groups });
        for word in ["C8", "C16", "L8", "L16", "L64", "cold", "warm"] {
            assert!(text.contains(&format!("{word}\n")), "{word}");
        }
    }

    #[test]
    fn names_of_groups_are_wrapped_to_the_width_of_their_bars() {
        let bars = |count| (0..count).map(|_| Bar { name: "kernel thread".into(), values: vec![1.0] }).collect();
        let group = |name: &str, count| Group { name: name.into(), bars: bars(count) };
        let groups: Vec<Group> = (0..6).map(|_| group("VMH, received, time-out", 3)).collect();
        let names = NamesBelow::of(&groups).unwrap();
        assert_eq!(names.groups[0], ["VMH, received,", "time-out"]);
        assert_eq!(names.bars_height, width("kernel thread", SMALL).unwrap());
        assert_eq!(NamesBelow::of(&[group("VMH, received, time-out", 3)]).unwrap().groups[0].len(), 1);
        // A word that is too long has a line of its own.
        assert_eq!(wrapped("retransmissions of frames", 20).unwrap(), ["retransmissions", "of", "frames"]);
    }

    #[test]
    fn long_names_make_the_picture_wider_and_a_long_title_is_smaller() {
        let long = "added to a message of 4 B whose pages are pinned already";
        let lines = |name: &str| Chart::Lines {
            x: "x".into(),
            y: "y".into(),
            series: vec![Series { name: name.into(), points: vec![] }],
        };
        assert!(picture(lines("4 B")).contains("width=\"900\""));
        let wide = PLOT_WIDTH + SWATCH_WIDTH + width(long, TEXT).unwrap() + MARGIN;
        assert!(picture(lines(long)).contains(&format!("width=\"{wide}\"")));

        let size_of = |title: &str| -> f64 {
            let text = svg(&Picture { name: "p".into(), title: title.into(), chart: lines("4 B") }).unwrap();
            let before = &text[..text.find(title).expect("the title")];
            before.rsplit("font-size=\"").next().unwrap().split('"').next().unwrap().parse().unwrap()
        };
        assert!(size_of(&["words of a title"; 8].join(" ")) < size_of("A title"));
    }

    #[test]
    fn nothing_can_be_drawn_too() {
        assert!(picture(Chart::Lines { x: "x".into(), y: "y".into(), series: vec![] }).contains("A title"));
        assert!(picture(Chart::Sizes { y: "y".into(), series: vec![] }).contains("A title"));
        assert!(picture(Chart::Stacks { y: "y".into(), parts: vec![], groups: vec![] }).contains("A title"));
    }
}
