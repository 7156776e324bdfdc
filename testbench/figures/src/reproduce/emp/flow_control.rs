//! Figure 2.6: flow control between two nodes, and where many nodes send to one.

use nicscope_account::results::Run;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use serde_json::json;

use super::setting::{self, Asked, PLATFORM};
use crate::engine::digits::digits;
use crate::engine::report::{Chart, Finding, Picture, Report, Series, Table};
use crate::engine::{Experiment, Measure};

pub const FIGURE_2_6: Experiment = Experiment {
    id: "emp.fig-2.6",
    title: "flow control: bandwidth of two nodes, and goodput of many nodes that send to one (EC-4, EL-3)",
    thesis: "Figure 2.6: between two nodes EMP without flow control does better, on a cable and behind a switch; more \
             nodes were not studied",
    note: Some(
        "goodput is of all senders together; counts are of all nodes and of the whole run, for each message. The marks \
         of the levels are 32 and 8 free receive buffers of 64",
    ),
    parameters: || {
        json!({
            "platform": PLATFORM,
            "sizes_bytes": SIZES_BYTES,
            "messages": MESSAGES,
            "senders": SENDERS,
            "incasts": INCASTS.map(|incast| (incast.size_bytes, incast.messages, incast.outstanding)),
        })
    },
    images: setting::images,
    measure: Measure::Report(measure),
};

const SIZES_BYTES: [u32; 5] = [256, 1024, 4096, 8192, 16_384];
const MESSAGES: u32 = 24;
const SENDERS: [u32; 3] = [1, 3, 7];

/// Messages that many nodes send to one.
#[derive(Clone, Copy, Debug)]
struct Load {
    size_bytes: u32,
    /// Messages from each sender.
    messages: u32,
    /// That each sender keeps posted.
    outstanding: u32,
}

/// Long messages, whose frames meet in the queue of the switch, and short ones, whose frames come
/// faster than a core takes them.
const INCASTS: [Load; 2] = [
    Load { size_bytes: 16_384, messages: 12, outstanding: 4 },
    Load { size_bytes: 64, messages: 160, outstanding: 16 },
];

/// Name of a way between two nodes, and its topology.
const WAYS: [(&str, &str); 2] = [("cable", "{kind=\"cable\"}"), ("switch", "{kind=\"switch\"}")];
const CONTROLS: [(&str, bool); 2] = [("without", false), ("with", true)];

/// Mb/s by size, of the ways with both controls each: without, with.
type Curve = Vec<(u32, f64)>;

/// Several nodes that send to one. Counts are for each message.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Incast {
    mbits_per_s: f64,
    timeouts: f64,
    frames_again: f64,
    /// Frames that found no receive buffer of the NIC.
    no_buffer: f64,
    /// Frames that the switch had no room for.
    dropped: f64,
    /// Times that a sender took a pace for a node.
    slowed: f64,
}

fn measure(jobs: usize) -> Result<Report> {
    let mut asked = Vec::new();
    for Load { size_bytes, messages, outstanding } in INCASTS {
        for senders in SENDERS {
            asked.extend(CONTROLS.map(|(_, is_on)| {
                let incast = Asked::new("incast").messages(&[size_bytes], messages).key("nodes", senders + 1);
                incast.key("workload.outstanding", outstanding).key("emp.flow_control", is_on)
            }));
        }
    }
    for (_, topology) in WAYS {
        asked.extend(CONTROLS.map(|(_, is_on)| {
            let stream = Asked::new("stream").messages(&SIZES_BYTES, MESSAGES);
            stream.key("topology", topology).key("workload.outstanding", 2).key("emp.flow_control", is_on)
        }));
    }
    let runs = setting::runs(FIGURE_2_6.id, jobs, &asked)?;
    let (many, two) = runs.split_at(INCASTS.len() * SENDERS.len() * CONTROLS.len());
    let curve = |run: &Run| run.rows.iter().map(|row| (row.size_bytes, row.bandwidth_bits_per_s / 1e6)).collect();
    let many: Vec<Incast> = many.iter().map(incast).collect::<Result<_>>()?;
    Ok(report(&two.iter().map(curve).collect::<Vec<_>>(), &many))
}

fn incast(run: &Run) -> Result<Incast> {
    let row = run.rows.first().ok_or_else(|| failed!("incast has no row"))?;
    let all: u64 = run.flows.iter().map(|flow| flow.messages).sum();
    let each = |count: u64| count as f64 / all as f64;
    let counted = |name: &str| each(run.counters.iter().filter_map(|node| node.get(name)).sum());
    Ok(Incast {
        mbits_per_s: row.bandwidth_bits_per_s / 1e6,
        timeouts: counted("firmware.Timeouts"),
        frames_again: counted("firmware.FramesRetransmitted"),
        no_buffer: counted("rtl.mac_rx_no_buffer"),
        dropped: each(run.switches.iter().flatten().map(|port| port["dropped_tail"]).sum()),
        slowed: counted("firmware.PeersSlowed"),
    })
}

/// The values of a load: for each of [`SENDERS`] with each of [`CONTROLS`].
fn of_loads(many: &[Incast]) -> impl Iterator<Item = (Load, &[Incast])> {
    INCASTS.into_iter().zip(many.chunks(SENDERS.len() * CONTROLS.len()))
}

/// `two`: a curve for each of [`WAYS`] with each of [`CONTROLS`]. `many`: a value for each of
/// [`INCASTS`], of [`SENDERS`] and of [`CONTROLS`].
fn report(two: &[Curve], many: &[Incast]) -> Report {
    let names = || WAYS.into_iter().flat_map(|(way, _)| CONTROLS.map(|(control, _)| format!("{way}, {control}")));
    let mut sizes = Table::new("Two nodes, one way, Mb/s", std::iter::once("size B".to_owned()).chain(names()));
    for (index, size_bytes) in SIZES_BYTES.into_iter().enumerate() {
        sizes.row(std::iter::once(size_bytes.into()).chain(two.iter().map(|curve| curve[index].1.into())));
    }
    let columns = [
        "senders",
        "flow control",
        "goodput Mb/s",
        "time-outs",
        "frames again",
        "no buffer",
        "dropped by the switch",
        "slowed",
    ];
    let incasts = of_loads(many).map(|(load, many)| {
        let Load { size_bytes, outstanding, .. } = load;
        let title = format!("Many send to one, {outstanding} messages of {size_bytes} bytes posted by each");
        let mut table = Table::new(title, columns);
        for (senders, pair) in SENDERS.into_iter().zip(many.chunks(CONTROLS.len())) {
            for ((control, _), found) in CONTROLS.into_iter().zip(pair) {
                let Incast { mbits_per_s, timeouts, frames_again, no_buffer, dropped, slowed } = *found;
                let values = [mbits_per_s, timeouts, frames_again, no_buffer, dropped, slowed].map(Into::into);
                table.row([senders.into(), control.into()].into_iter().chain(values));
            }
        }
        table
    });
    let tables = std::iter::once(sizes).chain(incasts).collect();
    let picture = |name: &str, title: &str, chart| Picture { name: name.into(), title: title.into(), chart };
    let by_size = |(name, curve): (String, &Curve)| Series {
        name,
        points: curve.iter().map(|(size, value)| (f64::from(*size), *value)).collect(),
    };
    let bandwidths =
        Chart::Sizes { y: "one-way bandwidth, Mb/s".into(), series: names().zip(two).map(by_size).collect() };
    let mut pictures = vec![picture("bandwidth", "Two nodes, with and without flow control (tigon2)", bandwidths)];
    for (load, many) in of_loads(many) {
        let by_senders = |(index, (name, _)): (usize, (&str, bool))| Series {
            name: format!("{name} flow control"),
            points: SENDERS
                .into_iter()
                .zip(many.iter().skip(index).step_by(CONTROLS.len()))
                .map(|(senders, found)| (f64::from(senders), found.mbits_per_s))
                .collect(),
        };
        let series = CONTROLS.into_iter().enumerate().map(by_senders).collect();
        let chart = Chart::Lines { x: "nodes that send".into(), y: "goodput, Mb/s".into(), series };
        let title = format!("Many nodes send {} bytes to one (tigon2)", load.size_bytes);
        pictures.push(picture(&format!("incast-{}", load.size_bytes), &title, chart));
    }
    Report { tables, pictures, findings: findings(two, many), ..Report::default() }
}

fn findings(two: &[Curve], many: &[Incast]) -> Vec<Finding> {
    // With flow control over without it.
    let gains: Vec<f64> = two
        .chunks(CONTROLS.len())
        .flat_map(|pair| pair[0].iter().zip(&pair[1]).map(|((_, without), (_, with))| with / without))
        .collect();
    let (least, most) =
        gains.iter().fold((f64::INFINITY, 0.0_f64), |(least, most), it| (least.min(*it), most.max(*it)));
    let all = || {
        of_loads(many).flat_map(|(load, many)| {
            many.chunks(CONTROLS.len())
                .zip(SENDERS)
                .filter(|(_, it)| *it > 1)
                .map(move |(it, senders)| (load, senders, it))
        })
    };
    let listed = |what: fn(&Incast) -> f64| {
        let both = |(load, senders, pair): (Load, u32, &[Incast])| {
            let [without, with] = [0, 1].map(|index| digits(what(&pair[index])));
            format!("{senders} to 1, {} bytes: {without} without, {with} with", load.size_bytes)
        };
        all().map(both).collect::<Vec<_>>().join("; ")
    };
    let every = |holds: fn(&Incast, &Incast) -> bool| all().all(|(.., pair)| holds(&pair[0], &pair[1]));
    vec![
        Finding::new(
            "EC-4",
            "between two nodes EMP without flow control does better",
            most <= 1.005 && least < 0.99,
            format!("with flow control {} to {} times the bandwidth without it", digits(least), digits(most)),
        ),
        Finding::new(
            "EL-3",
            "where many nodes send to one, flow control gains goodput",
            every(|without, with| with.mbits_per_s > 1.01 * without.mbits_per_s),
            format!("Mb/s: {}", listed(|it| it.mbits_per_s)),
        ),
        Finding::new(
            "EC-4",
            "with flow control fewer frames are sent again",
            every(|without, with| with.frames_again < without.frames_again),
            format!("frames again for each message: {}", listed(|it| it.frames_again)),
        ),
        Finding::new(
            "E-41",
            "the receive buffers of the NIC are what is overrun without flow control",
            all().all(|(.., pair)| pair[0].no_buffer > 0.0 && pair[0].no_buffer > pair[0].dropped),
            format!(
                "frames for each message that found no buffer: {}; that the switch dropped: {}",
                listed(|it| it.no_buffer),
                listed(|it| it.dropped)
            ),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_statement_can_hold_and_can_fail() {
        let curves = |with: f64| -> Vec<Curve> {
            let curve = |value: f64| SIZES_BYTES.map(|size| (size, value)).to_vec();
            vec![curve(900.0), curve(900.0 * with), curve(900.0), curve(900.0)]
        };
        let many = |gain: f64, lost: [f64; 2]| -> Vec<Incast> {
            let of = |gain: f64| Incast {
                mbits_per_s: 800.0 * gain,
                frames_again: 1.0 / gain,
                no_buffer: lost[0],
                dropped: lost[1],
                ..Incast::default()
            };
            (0..INCASTS.len() * SENDERS.len()).flat_map(|_| [of(1.0), of(gain)]).collect()
        };
        let holds = |report: &Report| report.findings.iter().map(|it| it.holds).collect::<Vec<_>>();
        assert_eq!(holds(&report(&curves(0.9), &many(1.1, [1.0, 0.0]))), [true; 4]);
        assert_eq!(holds(&report(&curves(1.1), &many(0.9, [0.0, 1.0]))), [false; 4]);
        assert_eq!(holds(&report(&curves(1.0), &many(1.0, [0.0, 0.0]))), [false; 4]);
    }
}
