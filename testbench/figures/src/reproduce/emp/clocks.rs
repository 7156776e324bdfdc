//! The clock of the cores from 44 to 352 MHz, with one core and with two (EL-4).

use nicscope_account::results::Run;
use nicscope_run::cluster::ClusterConfig;
use nicscope_run::run;
use nicscope_scenario::error::Result;
use nicscope_scenario::scenario::Scheme;
use serde_json::json;

use super::setting::{self, label, Asked, PLATFORM};
use crate::engine::digits::digits;
use crate::engine::report::{Chart, Finding, Picture, Report, Series, Table};
use crate::engine::{work, Experiment, Measure};

pub const CLOCKS: Experiment = Experiment {
    id: "emp.clocks",
    title: "latency and messages of both ways by the clock of the cores, with one core and with two (EL-4)",
    thesis: "section 4: the authors wish for a simulator with the number and the clock of the CPUs as parameters",
    note: Some("the clocks of PCI bus, link and host stay as they are; two cores run the scheme DSR"),
    parameters: || json!({"platform": PLATFORM, "mhz": MHZ, "size_bytes": SIZE_BYTES}),
    images: setting::images_of_schemes,
    measure: Measure::Report(|jobs| Ok(report(&measure(jobs)?))),
};

const MHZ: [u32; 4] = [44, 88, 176, 352];
const SIZE_BYTES: u32 = 10;
const SCHEMES: [Scheme; 2] = [Scheme::Base, Scheme::Dsr];

/// A clock and a scheme.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    mhz: u32,
    scheme: Scheme,
    latency_us: f64,
    messages_per_s: f64,
}

fn measure(jobs: usize) -> Result<Vec<Point>> {
    let cases: Vec<(Scheme, u32)> = SCHEMES.iter().flat_map(|scheme| MHZ.map(|mhz| (*scheme, mhz))).collect();
    work::each(CLOCKS.id, jobs, &cases, |&(scheme, mhz)| {
        let play = |asked: Asked| -> Result<Run> {
            let mut config: ClusterConfig = asked.messages(&[SIZE_BYTES], 40).scheme(scheme).config()?;
            config.platform.core.clock_hz = u64::from(mhz) * 1_000_000;
            // Spans are not asked for, and the order of marks is that of the usual clock.
            config.record = false;
            run::single(PLATFORM, &config)
        };
        let one = play(Asked::new("ping-pong"))?;
        let both = play(Asked::new("both-ways").key("workload.outstanding", 2))?;
        let messages_per_s = both.rows[0].bandwidth_bits_per_s / f64::from(8 * SIZE_BYTES);
        Ok(Point { mhz, scheme, latency_us: one.rows[0].latency_ps.mean / 1e6, messages_per_s })
    })
}

fn report(points: &[Point]) -> Report {
    let columns = ["cores", "MHz", "latency us", "messages/s, both ways"];
    let mut table = Table::new(format!("Messages of {SIZE_BYTES} bytes on {PLATFORM}"), columns);
    for point in points {
        let name = name(point.scheme);
        table.row([name.into(), point.mhz.into(), point.latency_us.into(), point.messages_per_s.into()]);
    }
    let series = |value: fn(&Point) -> f64| {
        let of = |scheme: Scheme| Series {
            name: name(scheme),
            points: points.iter().filter(|it| it.scheme == scheme).map(|it| (f64::from(it.mhz), value(it))).collect(),
        };
        SCHEMES.map(of).to_vec()
    };
    let picture = |file: &str, y: &str, series| Picture {
        name: file.into(),
        title: format!("Messages of {SIZE_BYTES} bytes by the clock of the cores"),
        chart: Chart::Lines { x: "core clock, MHz".into(), y: y.into(), series },
    };
    let pictures = vec![
        picture("latency", "one-way latency, us", series(|point| point.latency_us)),
        picture("messages", "thousand messages/s", series(|point| point.messages_per_s / 1e3)),
    ];
    Report { tables: vec![table], pictures, findings: findings(points), ..Report::default() }
}

fn name(scheme: Scheme) -> String {
    match scheme {
        Scheme::Base => "one".into(),
        other => format!("two, {}", label(other)),
    }
}

fn findings(points: &[Point]) -> Vec<Finding> {
    let of = |scheme: Scheme, mhz: u32| points.iter().find(|it| (it.scheme, it.mhz) == (scheme, mhz));
    let rate = |scheme, mhz| of(scheme, mhz).map_or(f64::NAN, |point| point.messages_per_s);
    let gains = MHZ.map(|mhz| rate(Scheme::Dsr, mhz) / rate(Scheme::Base, mhz));
    let (slow, fast) = (rate(Scheme::Base, 44), rate(Scheme::Base, 352));
    let listed = format!("two cores over one at {MHZ:?} MHz: {}", gains.map(digits).join(", "));
    vec![
        Finding::new(
            "EL-4",
            "a second core gains less than a clock of twice the frequency, at 88 MHz",
            gains[1] < rate(Scheme::Base, 176) / rate(Scheme::Base, 88),
            format!("{listed}; 176 MHz over 88: {}", digits(rate(Scheme::Base, 176) / rate(Scheme::Base, 88))),
        ),
        Finding::new(
            "EL-4",
            "eight times the clock gives less than eight times the messages of one core",
            fast < 8.0 * slow,
            format!("{} times", digits(fast / slow)),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_statement_can_hold_and_can_fail() {
        let made_up = |gain: f64, power: f64| -> Vec<Point> {
            let of = |scheme, gain: f64| {
                MHZ.map(|mhz| Point { mhz, scheme, latency_us: 1.0, messages_per_s: gain * f64::from(mhz).powf(power) })
            };
            [of(Scheme::Base, 1.0), of(Scheme::Dsr, gain)].concat()
        };
        let holds = |points: &[Point]| findings(points).iter().map(|it| it.holds).collect::<Vec<_>>();
        assert_eq!(holds(&made_up(1.5, 0.9)), [true; 2]);
        assert_eq!(holds(&made_up(2.5, 1.01)), [false; 2]);
    }
}
