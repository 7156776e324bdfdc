//! Figures 3.1, 3.3 and 3.5: latency and bandwidth by the scheme that shares the parts between two
//! cores.

use nicscope_account::results::{Row, Run};
use nicscope_scenario::error::Result;
use nicscope_scenario::scenario::Scheme;
use serde_json::{json, Value};

use super::setting::{self, label, Asked, PLATFORM};
use crate::engine::digits::digits;
use crate::engine::report::{Chart, Finding, Picture, Report, Series, Table};
use crate::engine::{Experiment, Measure};

pub const FIGURE_3_1: Experiment = Experiment {
    id: "emp.fig-3.1",
    title: "one-way latency by size and scheme of two cores (EN-2)",
    thesis: "10 bytes: base 24.31 us, SO 24.52, RO 22.62, DSR 22.76; SR falls with the size as RO does, but less",
    note: NOTE,
    parameters: || parameters(&LATENCY_BYTES),
    images: setting::images_of_schemes,
    measure: Measure::Report(|jobs| {
        let asked = Asked::new("ping-pong");
        let curves = curves(FIGURE_3_1.id, jobs, &asked, &LATENCY_BYTES, |_| 10, |row| row.latency_ps.mean / 1e6)?;
        Ok(report("latency", "one-way latency, us", &curves, latency_findings(&curves)))
    }),
};

pub const FIGURE_3_3: Experiment = Experiment {
    id: "emp.fig-3.3",
    title: "one-way bandwidth by size and scheme of two cores (EN-3)",
    thesis: "base 840 to 880 Mb/s, SO the same, DSR slightly above, RO and SR 964 (EC-1)",
    note: NOTE,
    parameters: || parameters(&ONE_WAY_BYTES),
    images: setting::images_of_schemes,
    measure: Measure::Report(|jobs| {
        let asked = Asked::new("stream").key("workload.outstanding", 2);
        let curves = curves(FIGURE_3_3.id, jobs, &asked, &ONE_WAY_BYTES, setting::count, mbits_per_s)?;
        Ok(report("bandwidth", "one-way bandwidth, Mb/s", &curves, one_way_findings(&curves)))
    }),
};

pub const FIGURE_3_5: Experiment = Experiment {
    id: "emp.fig-3.5",
    title: "bandwidth of both ways together by size and scheme of two cores (EC-5)",
    thesis: "base 940 Mb/s, SO 1100 (+17 %), best for large messages; SR best up to medium, then worst; RO falls for \
             large messages",
    note: NOTE,
    parameters: || parameters(&BOTH_WAYS_BYTES),
    images: setting::images_of_schemes,
    measure: Measure::Report(|jobs| {
        let asked = Asked::new("both-ways").key("workload.outstanding", 2);
        let curves = curves(FIGURE_3_5.id, jobs, &asked, &BOTH_WAYS_BYTES, setting::count, mbits_per_s)?;
        let mut report = report("bandwidth", "both ways together, Mb/s", &curves, both_ways_findings(&curves));
        report.tables.push(gains(&curves));
        Ok(report)
    }),
};

const NOTE: Option<&str> = Some("`base` runs on NICs with one core, the other schemes on NICs with two");
const LATENCY_BYTES: [u32; 6] = [4, 10, 256, 1024, 4096, 14_336];
const ONE_WAY_BYTES: [u32; 5] = [256, 1024, 4096, 16_384, 65_536];
const BOTH_WAYS_BYTES: [u32; 6] = [10, 256, 1024, 4096, 16_384, 65_536];
/// Data bits of a full frame by the bits of its time on the wire, in Mb/s.
const WIRE_MBITS_PER_S: f64 = 966.2;

fn parameters(sizes_bytes: &[u32]) -> Value {
    json!({"platform": PLATFORM, "sizes_bytes": sizes_bytes, "schemes": Scheme::FIXED.map(Scheme::name)})
}

fn mbits_per_s(row: &Row) -> f64 {
    row.bandwidth_bits_per_s / 1e6
}

/// The values of a scheme, by size.
type Curve = Vec<(u32, f64)>;

/// A curve for each scheme. `count`: messages of a size.
fn curves(
    what: &str,
    jobs: usize,
    asked: &Asked,
    sizes_bytes: &[u32],
    count: fn(u32) -> u32,
    value: fn(&Row) -> f64,
) -> Result<Vec<Curve>> {
    // A run has the same number of messages of all its sizes.
    let groups: Vec<&[u32]> = sizes_bytes.chunk_by(|one, other| count(*one) == count(*other)).collect();
    let of = |scheme| groups.iter().map(move |sizes| asked.clone().messages(sizes, count(sizes[0])).scheme(scheme));
    let runs = setting::runs(what, jobs, &Scheme::FIXED.into_iter().flat_map(of).collect::<Vec<_>>())?;
    let rows = |runs: &[Run]| runs.iter().flat_map(|run| &run.rows).map(|row| (row.size_bytes, value(row))).collect();
    Ok(runs.chunks(groups.len()).map(rows).collect())
}

/// What the second core is worth, beside other firmware of two cores on the same chip. That
/// firmware passes frames of the host's network stack, and matches no messages.
fn gains(curves: &[Curve]) -> Table {
    let schemes = [Scheme::So, Scheme::Ro, Scheme::Dsr, Scheme::Sr];
    let columns = ["frames", "size B"].map(String::from).into_iter().chain(schemes.map(label));
    let published = ["thesis: best scheme", "other firmware on this chip"].map(String::from);
    let mut table = Table::new("Messages of two cores over those of one, both ways", columns.chain(published));
    for (name, size, thesis, other) in [("smallest", 10, None, 2.57), ("largest", 16_384, Some(1.17), 1.65)] {
        let gain = |scheme| at(curves, scheme, size) / at(curves, Scheme::Base, size);
        let values = schemes.into_iter().map(|scheme| gain(scheme).into());
        table.row([name.into(), size.into()].into_iter().chain(values).chain([thesis.into(), other.into()]));
    }
    table
}

fn report(name: &str, y: &str, curves: &[Curve], findings: Vec<Finding>) -> Report {
    let labels = Scheme::FIXED.map(label);
    let mut table = Table::new(capitalised(y), std::iter::once("size B".to_owned()).chain(labels.clone()));
    for (index, (size_bytes, _)) in curves[0].iter().enumerate() {
        table.row(std::iter::once((*size_bytes).into()).chain(curves.iter().map(|curve| curve[index].1.into())));
    }
    let series = labels.into_iter().zip(curves).map(|(name, curve)| Series {
        name,
        points: curve.iter().map(|(size_bytes, value)| (f64::from(*size_bytes), *value)).collect(),
    });
    let chart = Chart::Sizes { y: y.into(), series: series.collect() };
    let picture = Picture { name: name.into(), title: format!("{} ({PLATFORM})", capitalised(y)), chart };
    Report { tables: vec![table], pictures: vec![picture], findings, ..Report::default() }
}

/// A text with a capital first letter.
fn capitalised(text: &str) -> String {
    text[..1].to_uppercase() + &text[1..]
}

/// The value of a scheme at a size.
fn at(curves: &[Curve], scheme: Scheme, size_bytes: u32) -> f64 {
    let curve = Scheme::FIXED.iter().position(|it| *it == scheme).and_then(|index| curves.get(index));
    let found = curve.and_then(|curve| curve.iter().find(|(size, _)| *size == size_bytes));
    found.map_or(f64::NAN, |(_, value)| *value)
}

/// The largest size.
fn last(curves: &[Curve]) -> u32 {
    curves[0].last().map_or(0, |(size, _)| *size)
}

/// All schemes at a size, in words.
fn listed(curves: &[Curve], size_bytes: u32) -> String {
    let of = |scheme| format!("{} {}", label(scheme), digits(at(curves, scheme, size_bytes)));
    format!("{size_bytes} bytes: {}", Scheme::FIXED.map(of).join(", "))
}

fn latency_findings(curves: &[Curve]) -> Vec<Finding> {
    let gain = |scheme, size| at(curves, scheme, size) / at(curves, Scheme::Base, size) - 1.0;
    let (small, large) = (10, last(curves));
    let finding = |statement: &str, holds: bool, size| Finding::new("EN-2", statement, holds, listed(curves, size));
    vec![
        finding("SO gains no latency at 10 bytes", gain(Scheme::So, small) >= 0.0, small),
        finding("RO has less latency than base at 10 bytes", gain(Scheme::Ro, small) < 0.0, small),
        finding("DSR has less latency than base at 10 bytes", gain(Scheme::Dsr, small) < 0.0, small),
        finding("RO has less latency than base at 14 KB", gain(Scheme::Ro, large) < 0.0, large),
        finding(
            "SR has less latency than base at 14 KB, and gains less than RO",
            gain(Scheme::Sr, large) < 0.0 && gain(Scheme::Sr, large) > gain(Scheme::Ro, large),
            large,
        ),
    ]
}

fn one_way_findings(curves: &[Curve]) -> Vec<Finding> {
    let peak = |scheme| {
        let values = curves[0].iter().map(|(size, _)| at(curves, scheme, *size));
        values.fold(0.0, f64::max)
    };
    let peaks = || Scheme::FIXED.map(|scheme| format!("{} {}", label(scheme), digits(peak(scheme)))).join(", ");
    let finding = |claim: &str, statement: &str, holds: bool| {
        Finding::new(claim, statement, holds, format!("peaks in Mb/s: {}", peaks()))
    };
    let base = peak(Scheme::Base);
    vec![
        finding("EC-1", "a transmitter on the other core gains nothing one way", peak(Scheme::So) < 1.01 * base),
        finding(
            "EC-1",
            "a receiver on the other core reaches 99 % of the wire",
            peak(Scheme::Ro) > 0.99 * WIRE_MBITS_PER_S,
        ),
        finding("EC-1", "base does not reach 99 % of the wire", base < 0.99 * WIRE_MBITS_PER_S),
        finding("EN-3", "DSR has more bandwidth than base", peak(Scheme::Dsr) > base),
    ]
}

fn both_ways_findings(curves: &[Curve]) -> Vec<Finding> {
    let large = last(curves);
    let is_best = |scheme, size| Scheme::FIXED.iter().all(|other| at(curves, scheme, size) >= at(curves, *other, size));
    let medium = [256, 1024, 4096];
    let values = medium.map(|size| listed(curves, size)).join("; ");
    let ro = |size| at(curves, Scheme::Ro, size);
    let best_of_ro = curves[0].iter().map(|(size, _)| ro(*size)).fold(0.0, f64::max);
    let gain = at(curves, Scheme::So, large) / at(curves, Scheme::Base, large);
    vec![
        Finding::new(
            "EC-5",
            "SR is best up to medium sizes",
            medium.iter().all(|size| is_best(Scheme::Sr, *size)),
            values,
        ),
        Finding::new("EC-5", "SO is best at large sizes", is_best(Scheme::So, large), listed(curves, large)),
        Finding::new(
            "EC-5",
            "RO falls at large sizes",
            ro(large) < 0.98 * best_of_ro,
            format!("{} Mb/s at {large} bytes, at most {}", digits(ro(large)), digits(best_of_ro)),
        ),
        Finding::new(
            "EN-3",
            "SO carries at least 10 % more than base at large sizes",
            gain >= 1.1,
            format!("{} times base", digits(gain)),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(found: &[Finding]) -> Vec<bool> {
        found.iter().map(|finding| finding.holds).collect()
    }

    /// The same values for small and large, in the order base, SO, RO, DSR, SR.
    fn made_up(sizes: &[u32], values: [f64; 5]) -> Vec<Curve> {
        values.map(|value| sizes.iter().map(|size| (*size, value)).collect()).into()
    }

    #[test]
    fn each_statement_can_hold_and_can_fail() {
        let thesis = made_up(&LATENCY_BYTES, [24.3, 24.5, 22.6, 22.8, 23.0]);
        assert_eq!(holds(&latency_findings(&thesis)), [true; 5]);
        let other = made_up(&LATENCY_BYTES, [10.0, 9.0, 11.0, 11.0, 12.0]);
        assert_eq!(holds(&latency_findings(&other)), [false; 5]);
        let thesis = made_up(&ONE_WAY_BYTES, [860.0, 860.0, 964.0, 870.0, 964.0]);
        assert_eq!(holds(&one_way_findings(&thesis)), [true; 4]);
        let other = made_up(&ONE_WAY_BYTES, [960.0, 970.0, 940.0, 950.0, 900.0]);
        assert_eq!(holds(&one_way_findings(&other)), [false; 4]);

        let mut thesis = made_up(&BOTH_WAYS_BYTES, [900.0, 950.0, 1000.0, 980.0, 1050.0]);
        for (curve, value) in thesis.iter_mut().zip([940.0, 1100.0, 900.0, 980.0, 880.0]) {
            curve.last_mut().unwrap().1 = value;
        }
        assert_eq!(holds(&both_ways_findings(&thesis)), [true; 4]);
        let other = made_up(&BOTH_WAYS_BYTES, [1800.0, 1700.0, 1600.0, 1500.0, 1400.0]);
        assert_eq!(holds(&both_ways_findings(&other)), [false; 4]);
        assert_eq!(gains(&other).rows.len(), 2);
    }
}
