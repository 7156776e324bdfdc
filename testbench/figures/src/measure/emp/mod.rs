//! The group `emp`: what messages cost that the NIC matches.

mod bandwidth;
mod frames;
mod incast;
mod latency;
mod libraries;
mod second_core;
mod soak;
mod translation;

use nic_layout::vmh::VmhGeometry;

use crate::engine::{Experiment, Group};

/// The group.
pub const GROUP: Group = Group {
    name: "emp",
    about: "messages that the NIC matches: latency with its spans, bandwidth, clocks of a frame, two cores, virtual \
            addresses, many nodes that send to one, random operations and planted defects, \
            libraries",
    bars: &BARS,
};

/// The bars of the group.
const BARS: [Experiment; 8] = [
    Experiment::bar("emp.1", "latency of a message of 10 bytes", latency::measure).note(latency::NOTE).images(images),
    Experiment::bar("emp.2", "bandwidth one way and both ways", bandwidth::measure)
        .note(bandwidth::NOTE)
        .images(images),
    Experiment::bar("emp.3", "clocks that the receiving core takes for a frame", frames::measure)
        .note(frames::NOTE)
        .images(images),
    Experiment::bar("emp.4", "messages of two cores over those of one", second_core::messages)
        .note(second_core::NOTE)
        .images(images),
    Experiment::bar("emp.5", "addresses that the NIC translates", translation::measure)
        .note(translation::NOTE)
        .images(translating_images),
    Experiment::bar("emp.6", "many nodes that send to one", incast::measure).note(incast::NOTE).images(images),
    Experiment::bar("emp.7", "random operations on clusters, as recorded, and planted defects", soak::measure)
        .note(soak::NOTE)
        .images(images),
    Experiment::bar("emp.8", "EMP, libraries over it, and the path through the kernel", libraries::measure)
        .note(libraries::NOTE)
        .images(|| vec![("emp", VmhGeometry::RECOMMENDED), ("kernel", VmhGeometry::RECOMMENDED)]),
];

fn translating_images() -> Vec<(&'static str, VmhGeometry)> {
    vec![("emp", VmhGeometry::RECOMMENDED), ("emp-mini", VmhGeometry::RECOMMENDED)]
}

fn images() -> Vec<(&'static str, VmhGeometry)> {
    super::messages::setting::images_of_schemes()
}
