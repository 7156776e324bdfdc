//! The form of a case as text.
//!
//! A search writes a failing case as text, and a replay reads it.
//!
//! ```text
//! # Why this list is worth keeping.
//! cluster tigon2 time-out cache 64 8 2 buffers 8 2 water 24 8 retransmit 100 interrupt 10 seed 7
//! link loss 10 corrupt 0 duplicate 0 delay 0
//! queues 2
//! host kernel 100 refuses 0
//! crossings late
//! nodes 4 store-and-forward
//! link 3 loss 100 corrupt 0 duplicate 0 delay 0
//! write 0.0 from 0 to 1.0.0 at 0 bytes 4
//! ```

use std::fmt;
use std::fs;
use std::path::Path;
use std::str::FromStr;

use nic_layout::cbh::CbhGeometry;
use nic_layout::key::KeyWidth;
use nicscope_scenario::error::{Error, Result};
use nicscope_scenario::personality::{self, Personality};
use nicscope_scenario::request_error;
use nicscope_scenario::scenario::{Cache, MissService, ReceiveMiss};
use sim_fabric::SwitchMode;

use super::{Case, Cluster, Joint, Nodes, Wire, NODES_MAX, TWO_CORES};
use crate::matched::settings;

impl<O: FromStr<Err = Error>> Case<O> {
    /// Reads a case from a file.
    ///
    /// # Errors
    /// The file cannot be read, or a line of it is wrong.
    pub fn load(path: &Path) -> Result<Case<O>> {
        text_of(path)?.parse().map_err(|error| request_error!("{}: {error}", path.display()))
    }
}

/// The text in a file.
///
/// # Errors
/// The file cannot be read.
pub fn text_of(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|error| request_error!("{}: {error}", path.display()))
}

/// The lines of a case. Semicolons end lines too, so that a case fits into one line.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', ';']).map(str::trim).filter(|line| !line.is_empty())
}

/// The begin of a line that names the personality of a case.
const PERSONALITY: &str = "personality ";

/// The personality of a case, from its text: its operations can be read only in the language of the
/// personality.
///
/// # Errors
/// No personality has the name.
pub fn personality_of(text: &str) -> Result<&'static Personality> {
    let named = lines(text).filter_map(|line| line.strip_prefix(PERSONALITY)).last();
    named.map_or(Ok(Cluster::PLAIN.personality), |name| personality::named(name.trim()))
}

/// The line of a case whose NICs have late crossings.
const LATE_CROSSINGS: &str = "crossings late";

const MODES: [(ReceiveMiss, &str); 3] =
    [(ReceiveMiss::TimeOut, "time-out"), (ReceiveMiss::Restart, "restart"), (ReceiveMiss::Hold, "hold")];
/// Names of services. They stand behind the mode and a comma; the kernel thread has none.
const SERVICES: [(MissService, &str); 2] = [(MissService::Interrupt, "interrupt"), (MissService::Nic, "nic")];

impl fmt::Display for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cluster { platform, personality, cores, receive, service, vmh, cbh, water, .. } = self;
        let Cluster {
            retransmit_us,
            interrupt_us,
            topology,
            wire,
            odd,
            queues,
            kernel,
            refuses,
            late_crossings,
            seed,
            ..
        } = self;
        let mode = MODES.iter().find(|(mode, _)| mode == receive).map_or("", |(_, name)| name);
        let service = SERVICES.iter().find(|(other, _)| other == service);
        let service = service.map_or_else(String::new, |(_, name)| format!(",{name}"));
        let cores = if *cores == 2 { PAIR } else { "" };
        let keys = if cbh.key.is_wide() { WIDE } else { "" };
        writeln!(
            f,
            "cluster {platform} {mode}{service} cache {} {} {} buffers {} {} water {} {} retransmit {retransmit_us} interrupt {interrupt_us} seed {seed}{cores}{keys}",
            vmh.entries, vmh.line_entries, vmh.ways, cbh.entries, cbh.ways, water.0, water.1
        )?;
        if *personality != Cluster::PLAIN.personality {
            writeln!(f, "personality {}", personality.name)?;
        }
        if *topology != Nodes::PAIR {
            writeln!(f, "{topology}")?;
        }
        writeln!(f, "link {wire}")?;
        if let Some((link, wire)) = odd {
            writeln!(f, "link {link} {wire}")?;
        }
        let of_emp = settings::text(&self.emp);
        if !of_emp.is_empty() {
            writeln!(f, "{}{of_emp}", settings::LINE)?;
        }
        writeln!(f, "queues {queues}")?;
        writeln!(f, "host kernel {kernel} refuses {refuses}")?;
        if *late_crossings {
            writeln!(f, "{LATE_CROSSINGS}")?;
        }
        Ok(())
    }
}

impl<O: fmt::Display> fmt::Display for Case<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for remark in &self.remarks {
            writeln!(f, "# {remark}")?;
        }
        write!(f, "{}", self.cluster)?;
        self.ops.iter().try_for_each(|op| writeln!(f, "{op}"))
    }
}

impl<O: FromStr<Err = Error>> FromStr for Case<O> {
    type Err = Error;

    /// Lines end as in [`lines`].
    fn from_str(text: &str) -> Result<Case<O>> {
        let mut case = Case { remarks: Vec::new(), cluster: Cluster::PLAIN, ops: Vec::new() };
        let mut has_cluster = false;
        for line in lines(text) {
            if let Some(remark) = line.strip_prefix('#') {
                case.remarks.push(remark.trim().to_owned());
            } else if line.starts_with("cluster ") {
                // Other lines may stand before this one.
                case.cluster = cluster_of(line, case.cluster)?;
                has_cluster = true;
            } else if line.starts_with(PERSONALITY) {
                case.cluster.personality = personality_of(line)?;
            } else if line.starts_with("nodes ") {
                case.cluster.topology = nodes_of(line)?;
            } else if line.starts_with("link loss") {
                case.cluster.wire = wire_of(line)?;
            } else if line.starts_with("link ") {
                case.cluster.odd = Some(odd_of(line)?);
            } else if line.starts_with("queues ") {
                case.cluster.queues = queues_of(line)?;
            } else if let Some(changes) = line.strip_prefix(settings::LINE) {
                case.cluster.emp = settings::of_text(changes)?;
            } else if line == LATE_CROSSINGS {
                case.cluster.late_crossings = true;
            } else if line.starts_with("host ") {
                (case.cluster.kernel, case.cluster.refuses) = host_of(line)?;
            } else {
                case.ops.push(line.parse()?);
            }
        }
        let links = case.cluster.topology.links();
        if let Some((link, _)) = case.cluster.odd.filter(|(link, _)| *link >= links) {
            return Err(request_error!("link {link}: the case has links 0 to {}", links - 1));
        }
        case.cluster.emp.check(true, case.cluster.cores)?;
        match has_cluster {
            true => Ok(case),
            false => Err(request_error!(
                "the case has no line such as `{}`",
                Cluster::PLAIN.to_string().lines().next().unwrap_or("")
            )),
        }
    }
}

/// The numbers of a line. All other words must be those of the example, which has empty words in
/// the places of numbers.
fn numbers_like(line: &str, example: &[&str]) -> Result<Vec<u64>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let alike =
        words.len() == example.len() && words.iter().zip(example).all(|(word, like)| like.is_empty() || word == like);
    let numbers = words.iter().zip(example).filter(|(_, like)| like.is_empty()).map(|(word, _)| word.parse().ok());
    match numbers.collect::<Option<Vec<u64>>>().filter(|_| alike) {
        Some(numbers) => Ok(numbers),
        None => Err(request_error!("`{line}`: `{}` was expected, with a number at each place", example.join(" _ "))),
    }
}

/// The end of a cluster's line if its NICs have two cores.
const PAIR: &str = " cores 2";
/// The end of a cluster's line if keys have 128 bits. It stands behind [`PAIR`].
const WIDE: &str = " keys 128";

/// A cluster by its line; what the line does not say is as in `others`.
fn cluster_of(line: &str, others: Cluster) -> Result<Cluster> {
    let (line, key) = match line.strip_suffix(WIDE) {
        Some(line) => (line, KeyWidth::Bits128),
        None => (line, KeyWidth::Bits64),
    };
    let (line, cores) = match line.strip_suffix(PAIR) {
        Some(line) => (line, 2),
        None => (line, 1),
    };
    let mut words = line.split_whitespace().skip(1);
    let (platform, mode) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let platform = host_model::platform::Platform::names()
        .find(|name| *name == platform)
        .ok_or_else(|| request_error!("`{line}`: {platform:?} is no platform (see `nicscope list`)"))?;
    if cores == 2 && platform != TWO_CORES {
        return Err(request_error!("`{line}`: two cores are for {TWO_CORES}"));
    }
    let (way, by) = mode.split_once(',').map_or((mode, None), |(way, by)| (way, Some(by)));
    let (receive, _) = MODES
        .into_iter()
        .find(|(_, name)| *name == way)
        .ok_or_else(|| request_error!("`{line}`: {way:?} must be time-out, restart or hold"))?;
    let service = match by {
        None => MissService::KernelThread,
        Some(by) => SERVICES
            .into_iter()
            .find(|(_, name)| *name == by)
            .map(|(service, _)| service)
            .ok_or_else(|| request_error!("`{line}`: {by:?}, behind the comma, must be interrupt or nic"))?,
    };
    let example = [
        "cluster",
        platform,
        mode,
        "cache",
        "",
        "",
        "",
        "buffers",
        "",
        "",
        "water",
        "",
        "",
        "retransmit",
        "",
        "interrupt",
        "",
        "seed",
        "",
    ];
    let numbers = numbers_like(line, &example)?;
    let number = |index: usize| u32::try_from(numbers[index]).unwrap_or(u32::MAX);
    let vmh = Cache { entries: number(0), line_entries: number(1), ways: number(2) }.geometry()?;
    let cbh = CbhGeometry { entries: number(3), ways: number(4), key };
    let cbh =
        cbh.check().map_err(|error| request_error!("`{line}`: no cache of buffers can be like that ({error:?})"))?;
    let water = (number(5), number(6));
    if water.0 == 0 || water.1 > water.0 {
        return Err(request_error!("`{line}`: water marks are at least one page, the high one and then the low one"));
    }
    let retransmit_us = number(7).clamp(30, 10_000);
    Ok(Cluster {
        platform,
        cores,
        receive,
        service,
        vmh,
        cbh,
        water,
        retransmit_us,
        interrupt_us: number(8).min(10_000),
        seed: numbers[9],
        ..others
    })
}

fn queues_of(line: &str) -> Result<u32> {
    let queues = numbers_like(line, &["queues", ""])?[0];
    match queues {
        1..=8 => Ok(queues as u32),
        _ => Err(request_error!("`{line}`: a NIC has 1 to 8 post queues")),
    }
}

fn host_of(line: &str) -> Result<(u32, u32)> {
    let numbers = numbers_like(line, &["host", "kernel", "", "refuses", ""])?;
    match (numbers[0], numbers[1]) {
        (percent @ 1..=1000, per_mille @ 0..=500) => Ok((percent as u32, per_mille as u32)),
        _ => Err(request_error!(
            "`{line}`: the kernel's work takes 1 to 1000 percent of the platform's times, and 0 to 500 pages of a thousand cannot be pinned"
        )),
    }
}

/// The share of forged frames at the end of a line, which most lines do not have.
fn forge_of(line: &str) -> (&str, u64) {
    let forge = line.split_once(" forge ").and_then(|(head, share)| Some((head, share.trim().parse().ok()?)));
    forge.unwrap_or((line, 0))
}

fn wire_of(line: &str) -> Result<Wire> {
    let (head, forge) = forge_of(line);
    let mut numbers = numbers_like(head, &["link", "loss", "", "corrupt", "", "duplicate", "", "delay", ""])?;
    numbers.push(forge);
    wire_of_shares(line, &numbers)
}

fn odd_of(line: &str) -> Result<(usize, Wire)> {
    let (head, forge) = forge_of(line);
    let mut numbers = numbers_like(head, &["link", "", "loss", "", "corrupt", "", "duplicate", "", "delay", ""])?;
    numbers.push(forge);
    Ok((numbers[0] as usize, wire_of_shares(line, &numbers[1..])?))
}

fn wire_of_shares(line: &str, shares: &[u64]) -> Result<Wire> {
    if shares.iter().sum::<u64>() > 500 {
        return Err(request_error!("`{line}`: at most 500 of 1000 frames in all, or nothing arrives"));
    }
    let number = |index: usize| shares[index] as u32;
    Ok(Wire { loss: number(0), corrupt: number(1), duplicate: number(2), delay: number(3), forge: number(4) })
}

/// Names of the modes of switches.
const SWITCHES: [(SwitchMode, &str); 2] =
    [(SwitchMode::StoreAndForward, "store-and-forward"), (SwitchMode::CutThrough, "cut-through")];

impl fmt::Display for Nodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |mode: SwitchMode| SWITCHES.iter().find(|(other, _)| *other == mode).map_or("", |(_, name)| name);
        write!(f, "nodes {}", self.nodes)?;
        match self.joint {
            Joint::Cable => Ok(()),
            Joint::Switch(mode) => write!(f, " {}", name(mode)),
            Joint::TwoLevel { mode, nodes_per_leaf, spines } => {
                write!(f, " {} leaf {nodes_per_leaf} spines {spines}", name(mode))
            }
        }
    }
}

impl fmt::Display for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Wire { loss, corrupt, duplicate, delay, forge } = self;
        write!(f, "loss {loss} corrupt {corrupt} duplicate {duplicate} delay {delay}")?;
        if *forge != 0 {
            write!(f, " forge {forge}")?;
        }
        Ok(())
    }
}

fn nodes_of(line: &str) -> Result<Nodes> {
    let wrong = || {
        request_error!("`{line}`: such as `nodes 4 store-and-forward` or `nodes 8 cut-through leaf 4 spines 2` was expected, with at most {NODES_MAX} nodes")
    };
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = |index: usize| words.get(index).and_then(|word| word.parse::<usize>().ok()).ok_or_else(wrong);
    let mode = |index: usize| {
        let found = SWITCHES.iter().find(|(_, name)| words.get(index) == Some(name));
        found.map(|(mode, _)| *mode).ok_or_else(wrong)
    };
    let joint = match words.len() {
        2 => Joint::Cable,
        3 => Joint::Switch(mode(2)?),
        7 if words[3] == "leaf" && words[5] == "spines" => {
            Joint::TwoLevel { mode: mode(2)?, nodes_per_leaf: number(4)?, spines: number(6)? }
        }
        _ => return Err(wrong()),
    };
    let nodes = Nodes { nodes: number(1)?, joint };
    if nodes.nodes > NODES_MAX {
        return Err(wrong());
    }
    nodes.of_fabric().cables(nodes.nodes).map_err(|error| request_error!("`{line}`: {error}"))?;
    Ok(nodes)
}

#[cfg(test)]
mod tests {
    use nicscope_scenario::personality::PERSONALITIES;

    use super::*;
    use crate::rdma::operation::Op;

    const TEXT: &str = "# Two writes.
cluster lanai9 hold,nic cache 64 8 2 buffers 4 2 water 24 8 retransmit 100 interrupt 10 seed 7
link loss 10 corrupt 0 duplicate 5 delay 1
queues 3
host kernel 20 refuses 30
write 0.0 from 0 to 1.0.0 at 0 bytes 4 notify
write 0.0 from 17 to 1.3.2 at 9 bytes 4097 wrong-key
read 1.2 into 3 from 0.1.0 at 0 bytes 33 hole
export 1.0.2 from 100 bytes 5000 write listen
export 1.0.2 from 100 bytes 5000 read
withdraw 1.0.2
wait 0.1
end 0.1
kill 0.1 after 30
invalidate 1.1 page 7
pause 0 us 12
settle
";

    #[test]
    fn text_and_case_are_the_same() {
        let case: Case<Op> = TEXT.parse().expect("it is a case");
        assert_eq!(case.to_string(), TEXT);
        let wide = TEXT.replace("seed 7", "seed 7 keys 128");
        let case_of_wide: Case<Op> = wide.parse().expect("it is a case");
        assert_eq!((case_of_wide.to_string(), case_of_wide.cluster.cbh.key), (wide, KeyWidth::Bits128));
        let pair = wide_of_tigon2();
        let case_of_pair: Case<Op> = pair.parse().expect("it is a case");
        assert_eq!((case_of_pair.to_string(), case_of_pair.cluster.cores), (pair, 2));
        let late = TEXT.replace("refuses 30\n", "refuses 30\ncrossings late\n");
        let case_of_late: Case<Op> = late.parse().expect("it is a case");
        assert_eq!((case_of_late.to_string(), case_of_late.cluster.late_crossings), (late, true));
        let of_vmmc = TEXT.replace("link loss", "personality vmmc\nlink loss");
        let case_of_vmmc: Case<Op> = of_vmmc.parse().expect("it is a case");
        assert_eq!((case_of_vmmc.to_string(), case_of_vmmc.cluster.personality), (of_vmmc, PERSONALITIES[1]));
        for nodes in ["nodes 4 store-and-forward", "nodes 8 cut-through leaf 3 spines 2"] {
            let text = TEXT.replace("link loss", &format!("{nodes}\nlink loss"));
            let text = text.replace("queues", "link 3 loss 0 corrupt 9 duplicate 0 delay 0\nqueues");
            let text = text.replace("write 0.0 from 0 to 1.0.0", "write 0.0 from 0 to 3.0.0");
            let case: Case<Op> = text.parse().expect("it is a case");
            assert_eq!(case.to_string(), text);
            assert_eq!((case.cluster.wire_of(3).corrupt, case.cluster.wire_of(2).loss), (9, 10));
            let fewest = case.cluster.simpler().into_iter().map(|cluster| cluster.topology.nodes).min();
            assert_eq!(fewest, Some(2));
        }
        assert_eq!(TEXT.replace('\n', ";").parse::<Case<Op>>().expect("in one line"), case);
    }

    fn wide_of_tigon2() -> String {
        TEXT.replace("lanai9", "tigon2").replace("seed 7", "seed 7 cores 2 keys 128")
    }

    #[test]
    fn wrong_text_says_what_would_be_right() {
        let error = |text: &str| text.parse::<Case<Op>>().expect_err("it is wrong").to_string();
        let cluster = TEXT.lines().nth(1).expect("the cluster");
        assert!(error("settle").contains("cluster tigon2"));
        assert!(error(&cluster.replace("lanai9", "lanai")).contains("platform"));
        assert!(error(&cluster.replace(",nic", ",nobody")).contains("interrupt or nic"));
        assert!(error(&cluster.replace("seed 7", "seed 7 cores 2")).contains("two cores"));
        assert!(error(&cluster.replace("hold", "held")).contains("time-out, restart or hold"));
        assert!(error(&cluster.replace("cache 64 8", "cache 64")).contains("cache"));
        assert!(error(&cluster.replace("cache 64 8 2", "cache 65 8 2")).contains("power of two"));
        assert!(error(&cluster.replace("water 24 8", "water 8 24")).contains("water marks"));
        assert!(error("queues 9").contains("1 to 8"));
        assert!(error("nodes 9 cut-through").contains("at most 8"));
        assert!(error("nodes 3").contains("a cable joins 2 nodes"));
        assert!(error(&format!("{cluster}\nlink 1 loss 1 corrupt 0 duplicate 0 delay 0")).contains("links 0 to 0"));
        assert!(error("host kernel 0 refuses 0").contains("1 to 1000"));
        assert!(error("link loss 400 corrupt 400 duplicate 0 delay 0").contains("at most 500"));
        for line in ["write 0.0 from 0 to 0.0.0 at 0 bytes 4", "end 8.0", "wait 0.9", "settle now", "pause 0", "sing"] {
            assert!(error(&format!("{cluster}\n{line}")).contains("is not an operation"), "{line}");
        }
    }

    #[test]
    fn what_is_simpler_differs_and_ends() {
        let case: Case<Op> = TEXT.parse().expect("it is a case");
        for op in case.ops {
            let mut op = op;
            for _ in 0..200 {
                let simpler = op.simpler();
                assert!(!simpler.contains(&op), "{op}");
                match simpler.last() {
                    Some(last) => op = *last,
                    None => break,
                }
            }
            assert!(op.simpler().is_empty() || matches!(op, Op::Post(_)), "{op}");
        }
        assert!(case.cluster.simpler().iter().all(|other| *other != case.cluster));
        assert!(Cluster::PLAIN.simpler().is_empty());
    }
}
