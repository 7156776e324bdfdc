//! Figures as SVG.

use plotters::coord::Shift;
use plotters::prelude::*;
use std::fmt::Display;

use super::report::{Chart, Group, Picture, Series};
use crate::error::Result;
use crate::failed;

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
const WIDTH: u32 = 900;
/// On the right, where names stand beside their colours.
const KEY_WIDTH: u32 = 170;

pub fn svg(picture: &Picture) -> Result<String> {
    let mut text = String::new();
    let height = match picture.chart {
        Chart::Lines { .. } => 540,
        Chart::Stacks { .. } => 480,
    };
    {
        let area = SVGBackend::with_string(&mut text, (WIDTH, height)).into_drawing_area();
        let drawn = match &picture.chart {
            Chart::Lines { x, y, series } => lines(&area, &picture.title, [x, y], series),
            Chart::Stacks { y, parts, groups } => stacks(&area, &picture.title, y, parts, groups),
        };
        drawn.and_then(|()| area.present().map_err(|error| error.to_string()))
    }
    .map_err(|error| failed!("the picture {}: {error}", picture.name))?;
    Ok(text)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

fn in_words(error: impl Display) -> String {
    error.to_string()
}

fn colour(index: usize) -> RGBColor {
    COLOURS[index % COLOURS.len()]
}

/// Splits the names of what is drawn from the place to draw.
fn with_key<'a, 'b>(area: &Area<'a>, names: impl Iterator<Item = &'b String>) -> Result<Area<'a>, String> {
    area.fill(&WHITE).map_err(in_words)?;
    let (plot, key) = area.split_horizontally(WIDTH - KEY_WIDTH);
    let style = TextStyle::from((FONT, 14).into_font());
    for (index, name) in names.enumerate() {
        let y = 60 + 24 * index as i32;
        key.draw(&Rectangle::new([(4, y), (16, y + 12)], colour(index).filled())).map_err(in_words)?;
        key.draw_text(name, &style, (24, y)).map_err(in_words)?;
    }
    Ok(plot)
}

/// What the axis must reach beyond 0 for a bit of room above `values`.
fn top(values: impl Iterator<Item = f64>) -> f64 {
    match values.fold(0.0, f64::max) {
        0.0 => 1.0,
        most => 1.08 * most,
    }
}

fn lines(area: &Area, title: &str, [x, y]: [&String; 2], series: &[Series]) -> Result<(), String> {
    let points = || series.iter().flat_map(|series| series.points.iter());
    let right = points().map(|point| point.0).fold(f64::MIN_POSITIVE, f64::max);
    let plot = with_key(area, series.iter().map(|series| &series.name))?;
    let mut chart = ChartBuilder::on(&plot)
        .caption(title, (FONT, 20))
        .margin(12)
        .margin_right(36)
        .x_label_area_size(48)
        .y_label_area_size(72)
        .build_cartesian_2d(0.0..right, 0.0..top(points().map(|point| point.1)))
        .map_err(in_words)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_desc(x)
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

fn stacks(area: &Area, title: &str, y: &str, parts: &[String], groups: &[Group]) -> Result<(), String> {
    // A slot for each bar, and one between groups.
    let mut slots: Vec<(f64, &str, &[f64])> = Vec::new();
    let mut names: Vec<(f64, &str)> = Vec::new();
    let mut at = 0.0;
    for group in groups {
        names.push((at + group.bars.len() as f64 / 2.0, &group.name));
        for bar in &group.bars {
            slots.push((at, &bar.name, &bar.values));
            at += 1.0;
        }
        at += 1.0;
    }
    let plot = with_key(area, parts.iter())?;
    let (plot, below) = plot.split_vertically(plot.dim_in_pixel().1 - 78);
    let highest = top(slots.iter().map(|(.., values)| values.iter().sum::<f64>()));
    let mut chart = ChartBuilder::on(&plot)
        .caption(title, (FONT, 20))
        .margin(12)
        .margin_bottom(0)
        .y_label_area_size(60)
        .build_cartesian_2d(0.0..at.max(1.0), 0.0..highest)
        .map_err(in_words)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .y_desc(y)
        .axis_desc_style((FONT, 16))
        .label_style((FONT, 14))
        .draw()
        .map_err(in_words)?;
    for part in 0..parts.len() {
        let boxes = slots.iter().map(|(at, _, values)| {
            let from: f64 = values[..part].iter().sum();
            Rectangle::new([(at + 0.1, from), (at + 0.9, from + values[part])], colour(part).filled())
        });
        chart.draw_series(boxes).map_err(in_words)?;
    }
    // Names of bars upright, those of groups level, both where the axis has put the bars.
    let pixel = |slot: f64| chart.backend_coord(&(slot, 0.0)).0;
    let upright = TextStyle::from((FONT, 11).into_font().transform(FontTransform::Rotate90));
    for (slot, name, _) in &slots {
        below.draw_text(name, &upright, (pixel(slot + 0.8), 4)).map_err(in_words)?;
    }
    let level = TextStyle::from((FONT, 14).into_font());
    for (middle, name) in &names {
        let (wide, _) = below.estimate_text_size(name, &level).map_err(in_words)?;
        below.draw_text(name, &level, (pixel(*middle) - wide as i32 / 2, 54)).map_err(in_words)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::report::Bar;

    fn picture(chart: Chart) -> String {
        svg(&Picture { name: "p".into(), title: "A title".into(), chart }).unwrap()
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
    fn nothing_can_be_drawn_too() {
        assert!(picture(Chart::Lines { x: "x".into(), y: "y".into(), series: vec![] }).contains("A title"));
        assert!(picture(Chart::Stacks { y: "y".into(), parts: vec![], groups: vec![] }).contains("A title"));
    }
}
