//! A case: a cluster and a list of operations, as text too. What a failing search leaves, and what a replay runs.
//!
//! ```text
//! # Why this list is worth keeping.
//! cluster tigon2 time-out cache 64 8 2 buffers 8 2 water 24 8 retransmit 100 interrupt 10 seed 7
//! link loss 10 corrupt 0 duplicate 0 delay 0
//! queues 2
//! host kernel 100 refuses 0
//! write 0.0 from 0 to 1.0.0 at 0 bytes 4
//! ```

use std::fmt;
use std::fs;
use std::path::Path;
use std::str::FromStr;

use nic_layout::cbh::CbhGeometry;
use nic_layout::key::KeyWidth;
use nic_layout::vmh::VmhGeometry;
use nicscope_scenario::error::{Error, Result};
use nicscope_scenario::personality::{self, Personality, PERSONALITIES};
use nicscope_scenario::request_error;
use nicscope_scenario::scenario::{Cache, MissService, ReceiveMiss};

use super::operation::Op;

/// What happens to frames, in thousandths of them, both ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wire {
    pub loss: u32,
    pub corrupt: u32,
    pub duplicate: u32,
    /// Up to 100 us late, so that others overtake them.
    pub delay: u32,
}

/// Both nodes are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cluster {
    pub platform: &'static str,
    /// What the NICs serve.
    pub personality: &'static Personality,
    /// Of each NIC: two on `tigon2` only.
    pub cores: u32,
    pub receive: ReceiveMiss,
    pub service: MissService,
    pub vmh: VmhGeometry,
    pub cbh: CbhGeometry,
    /// High and low water mark of each process, in pages.
    pub water: (u32, u32),
    pub retransmit_us: u32,
    pub interrupt_us: u32,
    pub wire: Wire,
    /// Post queues of each NIC.
    pub queues: u32,
    /// What the kernels' work takes, in percent of the platform's times.
    pub kernel: u32,
    /// Pages that cannot be pinned when they have to be, of a thousand.
    pub refuses: u32,
    pub seed: u64,
}

/// Few sets, so that everything collides.
pub const SMALL_VMH: VmhGeometry = VmhGeometry { entries: 64, line_entries: 8, ways: 2 };
pub const MIDDLE_VMH: VmhGeometry = VmhGeometry { entries: 256, line_entries: 16, ways: 4 };
pub const SMALL_CBH: CbhGeometry = CbhGeometry { entries: 4, ways: 2, key: KeyWidth::Bits64 };
/// Nearly all buffers of a node's processes.
pub const MIDDLE_CBH: CbhGeometry = CbhGeometry { entries: 16, ways: 4, key: KeyWidth::Bits64 };
/// As few as the small one, with keys of 128 bits.
pub const WIDE_CBH: CbhGeometry = CbhGeometry { key: KeyWidth::Bits128, ..SMALL_CBH };

impl Cluster {
    /// What a cluster is that says nothing about a failure.
    pub const PLAIN: Cluster = Cluster {
        platform: "tigon2",
        personality: PERSONALITIES[0],
        cores: 1,
        receive: ReceiveMiss::TimeOut,
        service: MissService::KernelThread,
        vmh: SMALL_VMH,
        cbh: SMALL_CBH,
        water: (64, 48),
        retransmit_us: 100,
        interrupt_us: 10,
        wire: Wire { loss: 0, corrupt: 0, duplicate: 0, delay: 0 },
        queues: 8,
        kernel: 100,
        refuses: 0,
        seed: 1,
    };

    /// The same of another personality. With static tables nothing misses, no pin may fail, and each process has its queue.
    pub fn of_personality(self, personality: &'static Personality) -> Cluster {
        let plain = Cluster::PLAIN;
        match personality.has_caches() {
            true => Cluster { personality, ..self },
            false => {
                Cluster { personality, service: plain.service, queues: plain.queues, refuses: plain.refuses, ..self }
            }
        }
    }

    /// Clusters that say less, the simplest first.
    pub fn simpler(&self) -> Vec<Cluster> {
        let plain = Cluster::PLAIN;
        let wire = self.wire;
        let tries = [
            Cluster { seed: self.seed, personality: self.personality, ..plain },
            Cluster { wire: Wire::default(), ..*self },
            Cluster { wire: Wire { loss: 0, ..wire }, ..*self },
            Cluster { wire: Wire { corrupt: 0, ..wire }, ..*self },
            Cluster { wire: Wire { duplicate: 0, ..wire }, ..*self },
            Cluster { wire: Wire { delay: 0, ..wire }, ..*self },
            Cluster { queues: plain.queues, ..*self },
            Cluster { kernel: plain.kernel, ..*self },
            Cluster { refuses: plain.refuses, ..*self },
            Cluster { platform: plain.platform, ..*self },
            Cluster { cores: plain.cores, ..*self },
            Cluster { receive: plain.receive, ..*self },
            Cluster { service: plain.service, ..*self },
            Cluster { vmh: plain.vmh, ..*self },
            Cluster { cbh: plain.cbh, ..*self },
            Cluster { water: plain.water, ..*self },
            Cluster { retransmit_us: plain.retransmit_us, interrupt_us: plain.interrupt_us, ..*self },
            Cluster { seed: plain.seed, ..*self },
        ];
        tries.into_iter().filter(|other| other != self).collect()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Lines that begin with `#`, without it.
    pub remarks: Vec<String>,
    pub cluster: Cluster,
    pub ops: Vec<Op>,
}

impl Case {
    pub fn load(path: &Path) -> Result<Case> {
        let text = fs::read_to_string(path).map_err(|error| request_error!("{}: {error}", path.display()))?;
        text.parse().map_err(|error| request_error!("{}: {error}", path.display()))
    }
}

const MODES: [(ReceiveMiss, &str); 3] =
    [(ReceiveMiss::TimeOut, "time-out"), (ReceiveMiss::Restart, "restart"), (ReceiveMiss::Hold, "hold")];
/// Behind the mode and a comma, if it is not the kernel thread.
const SERVICES: [(MissService, &str); 2] = [(MissService::Interrupt, "interrupt"), (MissService::Nic, "nic")];

impl fmt::Display for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cluster { platform, personality, cores, receive, service, vmh, cbh, water, .. } = self;
        let Cluster { retransmit_us, interrupt_us, wire, queues, kernel, refuses, seed, .. } = self;
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
        let Wire { loss, corrupt, duplicate, delay } = wire;
        if *personality != Cluster::PLAIN.personality {
            writeln!(f, "personality {}", personality.name)?;
        }
        writeln!(f, "link loss {loss} corrupt {corrupt} duplicate {duplicate} delay {delay}")?;
        writeln!(f, "queues {queues}")?;
        writeln!(f, "host kernel {kernel} refuses {refuses}")
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for remark in &self.remarks {
            writeln!(f, "# {remark}")?;
        }
        write!(f, "{}", self.cluster)?;
        self.ops.iter().try_for_each(|op| writeln!(f, "{op}"))
    }
}

impl FromStr for Case {
    type Err = Error;

    /// Semicolons end lines too, so that a case fits into a variable.
    fn from_str(text: &str) -> Result<Case> {
        let mut case = Case { remarks: Vec::new(), cluster: Cluster::PLAIN, ops: Vec::new() };
        let mut has_cluster = false;
        for line in text.split(['\n', ';']).map(str::trim).filter(|line| !line.is_empty()) {
            if let Some(remark) = line.strip_prefix('#') {
                case.remarks.push(remark.trim().to_owned());
            } else if line.starts_with("cluster ") {
                let Cluster { personality, wire, queues, kernel, refuses, .. } = case.cluster;
                case.cluster = Cluster { personality, wire, queues, kernel, refuses, ..cluster_of(line)? };
                has_cluster = true;
            } else if let Some(name) = line.strip_prefix("personality ") {
                case.cluster.personality = personality::named(name.trim())?;
            } else if line.starts_with("link ") {
                case.cluster.wire = wire_of(line)?;
            } else if line.starts_with("queues ") {
                case.cluster.queues = queues_of(line)?;
            } else if line.starts_with("host ") {
                (case.cluster.kernel, case.cluster.refuses) = host_of(line)?;
            } else {
                case.ops.push(line.parse()?);
            }
        }
        match has_cluster {
            true => Ok(case),
            false => Err(request_error!(
                "the case has no line such as `{}`",
                Cluster::PLAIN.to_string().lines().next().unwrap_or("")
            )),
        }
    }
}

/// The numbers of a line whose other words are those of an example.
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

/// At the end of the line of a cluster whose NICs have two cores, and the platform that may.
const PAIR: &str = " cores 2";
pub const TWO_CORES: &str = "tigon2";
/// Behind that, of one whose keys have 128 bits.
const WIDE: &str = " keys 128";

fn cluster_of(line: &str) -> Result<Cluster> {
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
        personality: Cluster::PLAIN.personality,
        cores,
        receive,
        service,
        vmh,
        cbh,
        water,
        retransmit_us,
        interrupt_us: number(8).min(10_000),
        wire: Wire::default(),
        queues: Cluster::PLAIN.queues,
        kernel: Cluster::PLAIN.kernel,
        refuses: Cluster::PLAIN.refuses,
        seed: numbers[9],
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

fn wire_of(line: &str) -> Result<Wire> {
    let numbers = numbers_like(line, &["link", "loss", "", "corrupt", "", "duplicate", "", "delay", ""])?;
    if numbers.iter().sum::<u64>() > 500 {
        return Err(request_error!("`{line}`: at most 500 of 1000 frames in all, or nothing arrives"));
    }
    let number = |index: usize| numbers[index] as u32;
    Ok(Wire { loss: number(0), corrupt: number(1), duplicate: number(2), delay: number(3) })
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let case: Case = TEXT.parse().expect("it is a case");
        assert_eq!(case.to_string(), TEXT);
        let wide = TEXT.replace("seed 7", "seed 7 keys 128");
        let case_of_wide: Case = wide.parse().expect("it is a case");
        assert_eq!((case_of_wide.to_string(), case_of_wide.cluster.cbh.key), (wide, KeyWidth::Bits128));
        let pair = wide_of_tigon2();
        let case_of_pair: Case = pair.parse().expect("it is a case");
        assert_eq!((case_of_pair.to_string(), case_of_pair.cluster.cores), (pair, 2));
        let of_vmmc = TEXT.replace("link loss", "personality vmmc\nlink loss");
        let case_of_vmmc: Case = of_vmmc.parse().expect("it is a case");
        assert_eq!((case_of_vmmc.to_string(), case_of_vmmc.cluster.personality), (of_vmmc, PERSONALITIES[1]));
        assert_eq!(TEXT.replace('\n', ";").parse::<Case>().expect("in one line"), case);
    }

    fn wide_of_tigon2() -> String {
        TEXT.replace("lanai9", "tigon2").replace("seed 7", "seed 7 cores 2 keys 128")
    }

    #[test]
    fn wrong_text_says_what_would_be_right() {
        let error = |text: &str| text.parse::<Case>().expect_err("it is wrong").to_string();
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
        assert!(error("host kernel 0 refuses 0").contains("1 to 1000"));
        assert!(error("link loss 400 corrupt 400 duplicate 0 delay 0").contains("at most 500"));
        for line in ["write 0.0 from 0 to 0.0.0 at 0 bytes 4", "end 2.0", "wait 0.9", "settle now", "pause 0", "sing"] {
            assert!(error(&format!("{cluster}\n{line}")).contains("is not an operation"), "{line}");
        }
    }

    #[test]
    fn what_is_simpler_differs_and_ends() {
        let case: Case = TEXT.parse().expect("it is a case");
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
