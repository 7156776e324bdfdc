//! `nicscope list`: what there is to ask for.

use host_model::platform::Platform;
use nicscope_figures::groups::groups;
use nicscope_figures::reproduce::{self, ABSENT};
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use nicscope_scenario::personality::PERSONALITIES;
use nicscope_scenario::scenario::{self, BUILT_IN};
use serde::Serialize;

use crate::cli::ListArgs;
use crate::output;

#[derive(Serialize)]
struct List {
    scenarios: Vec<ScenarioEntry>,
    platforms: Vec<PlatformEntry>,
    personalities: Vec<Named>,
    /// Groups of figures for `nicscope measure`.
    groups: Vec<Named>,
    /// For `nicscope reproduce`.
    experiments: Vec<Named>,
    /// Results of the papers that no experiment has.
    absent: Vec<AbsentEntry>,
}

#[derive(Serialize)]
struct AbsentEntry {
    what: &'static str,
    why: &'static str,
}

#[derive(Serialize)]
struct ScenarioEntry {
    name: &'static str,
    description: String,
    platforms: Vec<String>,
}

#[derive(Serialize)]
struct PlatformEntry {
    name: &'static str,
    description: String,
    core_hz: u64,
    sram_bytes: u32,
    pci_width_bits: u32,
    pci_hz: u64,
    link_hz: u64,
    frame_data_bytes_max: u32,
    host_processors: u32,
    host_hz: u64,
}

#[derive(Serialize)]
struct Named {
    name: &'static str,
    description: &'static str,
}

/// Prints what there is to ask for.
///
/// # Errors
/// A built-in scenario or platform file is wrong.
pub fn run(arguments: &ListArgs) -> Result<()> {
    let list = List::collect()?;
    let text = match arguments.json {
        true => serde_json::to_string(&list).map_err(|error| failed!("list: {error}"))? + "\n",
        false => list.text(),
    };
    output::print(&text)
}

impl List {
    fn collect() -> Result<List> {
        let mut scenarios = Vec::new();
        for (name, _) in BUILT_IN {
            let scenario = scenario::load(name, &[])?;
            scenarios.push(ScenarioEntry { name, description: scenario.description, platforms: scenario.platforms });
        }
        let mut platforms = Vec::new();
        for name in Platform::names() {
            let platform = Platform::load(name).map_err(|error| failed!("{error}"))?;
            platforms.push(PlatformEntry {
                name,
                description: platform.description,
                core_hz: platform.core.clock_hz,
                sram_bytes: platform.sram.bytes,
                pci_width_bits: platform.pci.width_bits,
                pci_hz: platform.pci.clock_hz,
                link_hz: platform.link.clock_hz,
                frame_data_bytes_max: platform.link.frame_data_bytes_max,
                host_processors: platform.host.processor_count,
                host_hz: platform.host.processor_clock_hz,
            });
        }
        Ok(List {
            scenarios,
            platforms,
            personalities: PERSONALITIES.map(|it| Named { name: it.name, description: it.description }).into(),
            groups: groups().map(|group| Named { name: group.name, description: group.about }).collect(),
            experiments: reproduce::experiments().map(|it| Named { name: it.id, description: it.title }).collect(),
            absent: ABSENT.map(|it| AbsentEntry { what: it.what, why: it.why }).into(),
        })
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let mut section = |title: &str, lines: &mut dyn Iterator<Item = (&str, String)>| {
            text.push_str(&format!("{title}\n"));
            for (name, description) in lines {
                text.push_str(&format!("  {name:<15} {description}\n"));
            }
        };
        section(
            "scenarios (nicscope run NAME)",
            &mut self
                .scenarios
                .iter()
                .map(|entry| (entry.name, format!("{}; on {}", entry.description, entry.platforms.join(", ")))),
        );
        section(
            "platforms (--set platforms=NAME)",
            &mut self.platforms.iter().map(|entry| (entry.name, entry.in_words())),
        );
        section(
            "personalities (nicscope memory-map NAME)",
            &mut self.personalities.iter().map(|entry| (entry.name, entry.description.into())),
        );
        section(
            "groups of figures (nicscope measure NAME)",
            &mut self.groups.iter().map(|entry| (entry.name, entry.description.into())),
        );
        section(
            "experiments (nicscope reproduce NAME)",
            &mut self.experiments.iter().map(|entry| (entry.name, entry.description.into())),
        );
        section(
            "results of the papers that are not made again",
            &mut self.absent.iter().map(|entry| (entry.what, format!("({})", entry.why))),
        );
        text
    }
}

impl PlatformEntry {
    fn in_words(&self) -> String {
        let mhz = |hz: u64| format!("{} MHz", hz / 1_000_000);
        format!(
            "core {}, SRAM {} KB, PCI {} bit {}, link {} with frames of {} B, hosts {} x {}",
            mhz(self.core_hz),
            self.sram_bytes / 1024,
            self.pci_width_bits,
            mhz(self.pci_hz),
            mhz(self.link_hz),
            self.frame_data_bytes_max,
            self.host_processors,
            mhz(self.host_hz),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_there_is_has_a_name_and_a_description() {
        let list = List::collect().unwrap();
        assert_eq!(list.scenarios.len(), BUILT_IN.len());
        assert!(list.scenarios.iter().all(|entry| !entry.description.is_empty()));
        assert!(list.platforms.iter().all(|entry| !entry.description.is_empty()));
        for named in list.personalities.iter().chain(&list.groups) {
            assert!(!named.description.is_empty(), "{}", named.name);
        }
    }

    #[test]
    fn the_text_names_everything() {
        let list = List::collect().unwrap();
        let text = list.text();
        for name in [
            "ping-pong",
            "stream",
            "random",
            "tigon2",
            "lanai9",
            "mini",
            "vmmc",
            "echo",
            "machine",
            "MC-7",
            "MC-8",
            "Table 4.5",
        ] {
            assert!(text.contains(name), "{name}");
        }
    }
}
