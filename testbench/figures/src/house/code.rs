//! Bar 2: bytes of code of the firmware images, and instructions that a message takes.

use std::fs;
use std::path::Path;

use nic_layout::vmh::VmhGeometry;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use nicscope_scenario::image::{self, workspace};
use object::{Object, ObjectSection};

use super::instructions::{self, Message};
use super::regressions::figures_of;
use crate::engine::compare::Record;
use crate::engine::{Figure, Target};
use crate::reproduce::COMPARED;

pub const NOTE: &str = "`fast` is what start-up copies to the scratchpad: hot functions and initialised data. \
     Instructions are those that the cores of both nodes retire for a message more, every lookup hitting";

/// The record of the earlier commit, below the root of the project: its code, and the bar of
/// memory.
const BEFORE: &str = "testbench/figures/records/code.json";

/// Sections of an image that hold what the core executes or reads on its hot path, and their names
/// in figures.
const SECTIONS: [(&str, &str); 3] = [(".text", "text"), (".rodata", "rodata"), (".fast", "fast")];

pub fn measure() -> Result<Vec<Figure>> {
    let before = Record::read(&workspace().join(BEFORE))?;
    let mut now = Vec::new();
    for personality in COMPARED {
        let path = image::build(personality, VmhGeometry::RECOMMENDED)?;
        now.extend(sections(personality, &path)?);
        for message in Message::ALL {
            let id = format!("house.2.{}_{personality}", message.name);
            now.push(Figure::new(id, instructions::of(message, personality, None)?, "instructions", Target::None));
        }
    }
    let memory = figures_of(&before)?;
    Ok(of(&before, now, &memory))
}

/// Bytes of the sections of an image.
fn sections(personality: &str, path: &Path) -> Result<Vec<Figure>> {
    let wrong = |error: &dyn std::fmt::Display| failed!("{}: {error}", path.display());
    let file = fs::read(path).map_err(|error| wrong(&error))?;
    let elf = object::File::parse(&*file).map_err(|error| wrong(&error))?;
    let bytes = |name: &str| elf.section_by_name(name).map_or(0, |section| section.size());
    let figure = |(section, name): (&str, &str)| {
        Figure::new(format!("house.2.{name}_{personality}"), bytes(section) as f64, "bytes", Target::None)
    };
    Ok(SECTIONS.map(figure).into())
}

/// What the record has may not grow; the figures of memory meet their own targets.
fn of(before: &Record, now: Vec<Figure>, memory: &[Figure]) -> Vec<Figure> {
    let beside = |figure: Figure| match before.figure(&figure.id) {
        Some(earlier) => Figure { target: Target::AtMost(earlier.value), ..figure }
            .paper(format!("{} before", earlier.value_text()))
            .source(before.commit.clone()),
        None => figure,
    };
    let missed: Vec<&str> = memory.iter().filter(|figure| !figure.ok()).map(|figure| figure.id.as_str()).collect();
    let held =
        Figure::new("house.2.memory_targets_missed", missed.len() as f64, "figures of memory", Target::Exactly(0.0));
    now.into_iter().map(beside).chain([held.paper(missed.join(", "))]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_that_grows_and_memory_that_grows_miss() {
        let bytes = |value| Figure::new("house.2.text_x", value, "bytes", Target::None);
        let before = Record { commit: "abc".into(), command: String::new(), figures: vec![bytes(100.0)] };
        let memory = |kb| [Figure::new("m.2.total", kb, "KB", Target::AtMost(364.0))];
        let met = |now, kb| of(&before, vec![bytes(now)], &memory(kb)).iter().map(Figure::ok).collect::<Vec<_>>();
        assert_eq!(met(100.0, 364.0), [true, true]);
        assert_eq!(met(101.0, 364.0), [false, true]);
        assert_eq!(met(99.0, 365.0), [true, false]);
    }

    #[test]
    fn the_sections_of_an_image_have_bytes() {
        let path = image::build(COMPARED[0], VmhGeometry::RECOMMENDED).unwrap();
        let figures = sections("x", &path).unwrap();
        assert!(figures.len() == SECTIONS.len() && figures.iter().all(|figure| figure.value > 0.0), "{figures:?}");
    }
}
