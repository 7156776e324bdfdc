//! Scenarios from files, with keys overridden from the command line.

use figment::providers::{Format, Toml};
use figment::Figment;
use host_model::platform::toml_error;

use super::Scenario;
use crate::error::Result;
use crate::{request_error, wording};

/// The scenarios that come with the command: name and text.
pub const BUILT_IN: [(&str, &str); 12] = [
    ("ping-pong", include_str!("../../scenarios/ping-pong.toml")),
    ("stream", include_str!("../../scenarios/stream.toml")),
    ("both-ways", include_str!("../../scenarios/both-ways.toml")),
    ("random", include_str!("../../scenarios/random.toml")),
    ("bystander", include_str!("../../scenarios/bystander.toml")),
    ("fetch", include_str!("../../scenarios/fetch.toml")),
    ("notify", include_str!("../../scenarios/notify.toml")),
    ("pages", include_str!("../../scenarios/pages.toml")),
    ("all-to-all", include_str!("../../scenarios/all-to-all.toml")),
    ("incast", include_str!("../../scenarios/incast.toml")),
    ("ring", include_str!("../../scenarios/ring.toml")),
    ("restart", include_str!("../../scenarios/restart.toml")),
];

/// Reads a built-in scenario or a TOML file, and applies overrides, each of the form `KEY=VALUE`.
///
/// # Errors
/// The file cannot be read, a key or value is wrong, or values contradict each other. Only values
/// that depend on a platform are not checked: [`crate::platform::load`] and
/// [`crate::memory_map::check`] do that.
pub fn load(name_or_path: &str, overrides: &[String]) -> Result<Scenario> {
    let (name, text) = match BUILT_IN.iter().find(|(name, _)| *name == name_or_path) {
        Some((name, text)) => (name.to_string(), text.to_string()),
        None if name_or_path.ends_with(".toml") => {
            let text = std::fs::read_to_string(name_or_path)
                .map_err(|error| request_error!("scenario file {name_or_path}: {error}"))?;
            let stem = std::path::Path::new(name_or_path).file_stem().unwrap_or_default();
            (stem.to_string_lossy().into_owned(), text)
        }
        None => {
            let names: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
            return Err(request_error!(
                "unknown scenario {name_or_path:?}: give one of {}, or the path of a .toml file",
                names.join(", ")
            ));
        }
    };
    if let Err(error) = text.parse::<toml::Table>() {
        return Err(request_error!("scenario {name}: {}", toml_error(&text, &error)));
    }
    let mut figment = Figment::from(Toml::string(&text));
    for entry in overrides {
        figment = figment.merge(Toml::string(&override_toml(entry)?));
    }
    if figment.contains("name") {
        return Err(request_error!("scenario {name}: name: no such key, a scenario is called as its file"));
    }
    let mut scenario: Scenario =
        figment.extract().map_err(|error| request_error!("scenario {name}: {}", wording::of(error)))?;
    scenario.name = name;
    scenario.check()?;
    if !scenario.has_caches() {
        if let Some(entry) = overrides.iter().find(|entry| entry.trim_start().starts_with("cache.")) {
            return Err(request_error!("--set {entry}: personality {:?} has no cache", scenario.personality.name));
        }
    }
    Ok(scenario)
}

/// Turns `a.b=value` into TOML. A value that is no TOML becomes a string. A scalar for a list
/// becomes a list of one.
fn override_toml(entry: &str) -> Result<String> {
    let Some((key, value)) = entry.split_once('=') else {
        return Err(request_error!("--set {entry}: must be KEY=VALUE, as in workload.iterations=100"));
    };
    let (key, value) = (key.trim(), value.trim());
    if key.is_empty() || !key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.' || c == '-') {
        return Err(request_error!("--set {entry}: {key:?} is no key; keys look like workload.iterations"));
    }
    let is_list = LIST_KEYS.contains(&key) && !value.starts_with('[');
    let parses = |text: &str| text.parse::<toml::Table>().is_ok();
    let render = |item: &str| match parses(&format!("v = {item}")) {
        true => item.to_string(),
        false => format!("{item:?}"),
    };
    let value = match is_list {
        true => format!("[{}]", value.split(',').map(|item| render(item.trim())).collect::<Vec<_>>().join(", ")),
        false => render(value),
    };
    Ok(format!("{key} = {value}"))
}

/// Keys whose value is a list, so that `--set platforms=lanai9` works.
const LIST_KEYS: [&str; 3] = ["platforms", "workload.sizes_bytes", "misses.ratios"];

#[cfg(test)]
mod tests {
    use nic_layout::nodes::NODES_MAX;
    use nic_layout::vmh::VmhGeometry;

    use super::*;

    fn message(name: &str, overrides: &[&str]) -> String {
        let overrides: Vec<String> = overrides.iter().map(|text| text.to_string()).collect();
        load(name, &overrides).expect_err("must be refused").to_string()
    }

    #[test]
    fn built_in_scenarios_are_valid() {
        for (name, _) in BUILT_IN {
            load(name, &[]).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }

    #[test]
    fn an_override_replaces_only_its_key() {
        let scenario = load("ping-pong", &["workload.iterations=3".into(), "platforms=lanai9".into()]).unwrap();
        assert_eq!(scenario.workload.iterations, 3);
        assert_eq!(scenario.workload.warm_up, 2);
        assert_eq!(scenario.platforms, ["lanai9"]);
    }

    #[test]
    fn scenarios_that_need_no_misses_have_both_personalities() {
        for name in ["ping-pong", "stream", "random"] {
            let scenario = load(name, &["personality=vmmc".into(), "misses.ratios=0.0".into()]).unwrap();
            assert_eq!(scenario.personality.image(1), "vmmc");
            assert_eq!(scenario.geometry().unwrap(), VmhGeometry::RECOMMENDED);
        }
    }

    #[test]
    fn a_scalar_for_a_list_is_a_list() {
        let scenario = load("ping-pong", &["workload.sizes_bytes=4,64".into(), "misses.ratios=0.5".into()]).unwrap();
        assert_eq!(scenario.workload.sizes_bytes, [4, 64]);
        assert_eq!(scenario.misses.ratios, [0.5]);
    }

    #[test]
    fn errors_name_the_key_the_value_and_what_is_right() {
        assert!(message("pong", &[]).contains("ping-pong"));
        assert!(message("ping-pong", &["workload.iteration=3"]).contains("iterations"));
        assert!(message("ping-pong", &["workload.sizes_bytes=0"]).contains("must be 1 to"));
        assert!(message("ping-pong", &["workload.sizes_bytes=1000000"]).contains("1000000"));
        assert!(message("ping-pong", &["cache.ways=3"]).contains("power of two"));
        assert!(message("ping-pong", &["cache.ways=16"]).contains("2, 4 or 8"));
        assert!(message("ping-pong", &["misses.ratios=1.5"]).contains("0 to 1"));
        assert!(message("ping-pong", &["link.retransmit_us=0"]).contains("1 to 1000000"));
        assert!(message("ping-pong", &["misses.receive=nack"]).contains("time-out"));
        assert!(message("ping-pong", &["misses.cache=tlb"]).contains("cbh"));
        assert!(message("ping-pong", &["misses.side=both"]).contains("receive"));
        assert!(message("ping-pong", &["misses.side=send", "misses.cache=cbh"]).contains("only translations"));
        assert!(message("ping-pong", &["misses.service=nobody"]).contains("kernel-thread"));
        assert!(message("ping-pong", &["workload.program=fft"]).contains("only with"));
        assert!(message("pages", &["workload.program=doom"]).contains("radix"));
        assert!(message("pages", &["workload.sizes_bytes=16"]).contains("33 to 2048"));
        assert!(message("pages", &["personality=vmmc"]).contains("no caches"));
        let short = message("ping-pong", &["personality=echo"]);
        assert!(short.contains("nicscope run stream --set personality=echo") && !short.contains("caches"), "{short}");
        assert!(message("pages", &["misses.ratios=0.5"]).contains("go where they like"));
        assert!(message("pages", &["load.kernel_percent=95"]).contains("at most 90"));
        assert!(message("pages", &["load.kernel_section_us=0"]).contains("at least 1"));
        assert!(message("ping-pong", &["misses.held_frames_max=17"]).contains("at most 16"));
        assert!(message("ping-pong", &["nic.post_queues=0"]).contains("1 to 8"));
        assert!(message("ping-pong", &["nic.processes_max=5000"]).contains("1 to 4095"));
        let shared = ["personality=vmmc", "misses.ratios=0.0", "nic.post_queues=2"];
        assert!(message("ping-pong", &shared).contains("must be 8"));
        assert!(message("ping-pong", &["nonsense"]).contains("KEY=VALUE"));
        assert!(message("all-to-all", &["nodes=1"]).contains("nodes = 1: must be 2 to"));
        for nodes in ["nodes=1", "nodes=65", "nodes=1000"] {
            assert!(message("all-to-all", &[nodes]).contains(&format!("must be 2 to {NODES_MAX}")));
        }
        assert!(
            message("all-to-all", &["personality=vmmc", "nodes=17"]).contains("2 to 16 with personality = \"vmmc\"")
        );
        assert!(message("ping-pong", &["nodes=4"]).contains("topology.kind = \"switch\""));
        assert!(message("ping-pong", &["nodes=3", "topology.kind=switch"]).contains("in pairs"));
        assert!(message("pages", &["nodes=4", "topology.kind=switch"]).contains("must be 2 with"));
        assert!(message("all-to-all", &["topology.kind=mesh"]).contains("two-level"));
        assert!(message("all-to-all", &["topology={kind=\"two-level\",nodes_per_leaf=8,spines=1}"]).contains("1 to 7"));
        assert!(message("ring", &["topology.switch.output_queue_bytes=1"]).contains("output_queue_bytes = 1 "));
        assert!(message("restart", &["restart.node=2"]).contains("must be 0 to 1"));
        assert!(message("restart", &["restart.after_us=0"]).contains("must be 1 to 1000000"));
        assert!(message("restart", &["workload.sizes_bytes=[4,8]"]).contains("must be one size"));
        assert!(message("restart", &["nodes=4", "topology.kind=switch"]).contains("must be 2 with"));
        assert!(message("restart", &["workload.kind=stream"]).contains("only with workload.kind"));
        assert!(message("stream", &["workload.kind=restart"]).contains("restart is missing"));
        assert!(message("ring", &["misses.ratios=0.5"]).contains("must be [0.0]"));
        assert!(message("ring", &["faults.delay_ratio=0.5"]).contains("faults.delay_ns_max = 0"));
        assert!(message("ring", &["faults.links=[{link=8,loss_ratio=0.5}]"]).contains("link = 8: must be 0 to 7"));
        assert!(
            message("ring", &["faults.links=[{link=7,loss_ratio=1.5}]"]).contains("loss_ratio: 1.5: must be 0 to 1")
        );
        assert!(message("ping-pong", &["personality=tcp"]).contains("mini, vmmc"));
        assert!(message("ping-pong", &["personality=vmmc"]).contains("misses.ratios=0.0"));
        let cached = ["personality=vmmc", "misses.ratios=0.0", "cache.ways=2"];
        assert!(message("ping-pong", &cached).contains("has no cache"));
        assert!(message("ping-pong", &["personality=tcp"]).contains("mini"));
        assert!(message("missing.toml", &[]).contains("missing.toml"));
    }
}
