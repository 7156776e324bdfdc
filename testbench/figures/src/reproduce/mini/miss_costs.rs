//! What misses cost, and which cache loses the least time, over the constant that decides it.

use host_model::platform::Platform;
use nic_layout::vmh::VmhGeometry;
use nic_lookup::Path;
use page_traces::{all_geometries, name, Counts};

use super::programs::Misses;
use crate::engine::digits::digits;
use crate::engine::report::{Chart, Picture, Series, Table};
use crate::reproduce::trend;

/// What a miss costs the process that waits for it: constants of the platform file, and of the load
/// of the scenario `pages`.
#[derive(Clone, Copy)]
pub struct MissCosts {
    /// The time-out.
    pub retransmit_us: f64,
    /// From the interrupt to the filled line.
    pub service_us: f64,
    /// A call that pins.
    pub pin_call_us: f64,
    /// Each page of the call.
    pub pin_page_us: f64,
    /// To fill a page that no process has touched, before it is pinned.
    pub page_fill_us: f64,
    /// Pages that are sent are filled too. Otherwise the process has written them before.
    pub fills_sent_pages: bool,
    /// A frame that misses comes again after whole time-outs only. Otherwise it comes as soon as
    /// its line is filled, but not before the first time-out.
    pub in_whole_time_outs: bool,
}

impl MissCosts {
    /// From the constants of a platform.
    pub fn of(platform: &Platform, page_fill_us: f64) -> MissCosts {
        let host = &platform.host;
        let service_ns =
            host.interrupt_delay_ns + host.interrupt_handler_ns + host.irq_to_thread_ns + host.miss_service_ns;
        MissCosts {
            retransmit_us: platform.protocol.retransmit_us as f64,
            service_us: service_ns as f64 / 1e3,
            pin_call_us: host.pin_call_ns as f64 / 1e3,
            pin_page_us: host.pin_page_ns as f64 / 1e3,
            page_fill_us,
            fills_sent_pages: false,
            in_whole_time_outs: false,
        }
    }

    /// Microseconds lost for each lookup. Only a cold line is pinned; a frame that misses comes
    /// again after the time-out.
    pub fn for_each_lookup(&self, geometry: VmhGeometry, counts: &Counts) -> f64 {
        let line_us = |page_us: f64| self.service_us + self.pin_call_us + f64::from(geometry.line_entries) * page_us;
        let sent_fill_us = if self.fills_sent_pages { self.page_fill_us } else { 0.0 };
        let sent = line_us(self.pin_page_us + sent_fill_us);
        let received = line_us(self.pin_page_us + self.page_fill_us);
        let wait = |work_us: f64| match self.in_whole_time_outs {
            true => (work_us / self.retransmit_us).ceil() * self.retransmit_us,
            false => work_us.max(self.retransmit_us),
        };
        let [_, send_cold, send_other] = counts.of(Path::Send);
        let [_, receive_cold, receive_other] = counts.of(Path::Receive);
        let sum = send_cold as f64 * sent
            + send_other as f64 * self.service_us
            + receive_cold as f64 * wait(received)
            + receive_other as f64 * wait(self.service_us);
        sum / counts.all_lookups() as f64
    }
}

/// Cost of a geometry over all programs: the geometric mean of what each lookup loses.
pub fn cost(programs: &[Misses], costs: &MissCosts, geometry: VmhGeometry) -> f64 {
    let each: Vec<f64> = programs
        .iter()
        .map(|program| {
            let counts = program.of(geometry.entries, geometry.line_entries, geometry.ways);
            costs.for_each_lookup(geometry, counts).max(1e-9)
        })
        .collect();
    trend::geometric_mean(&each)
}

/// The cache that loses the least time, among those of a size that is `kept`.
pub fn best(programs: &[Misses], costs: &MissCosts, kept: impl Fn(u32) -> bool) -> (f64, VmhGeometry) {
    let geometries = all_geometries().into_iter().filter(|geometry| kept(geometry.entries));
    let costed = geometries.map(|geometry| (cost(programs, costs, geometry), geometry));
    costed.min_by(|a, b| a.0.total_cmp(&b.0)).expect("there are geometries of each size")
}

/// Times to fill a fresh page over which the best cache is looked for, in us. This constant decides
/// which cache is the best, because a cold line on the receive path fills all its pages.
pub const PAGE_FILLS_US: [f64; 11] = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0];

/// Readings of what else is charged: name, sent pages are filled, whole time-outs only.
pub const READINGS: [(&str, bool, bool); 3] = [
    ("received pages filled", false, false),
    ("sent pages too", true, false),
    ("received, whole time-outs", false, true),
];

/// The recommended cache beside the best other one of up to 16K entries, for one reading and one
/// time to fill a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// The time to fill a page.
    pub page_fill_us: f64,
    /// What the recommended cache loses for each lookup.
    pub recommended_us: f64,
    /// What the best cache loses.
    pub best_us: f64,
    /// The best cache.
    pub best: VmhGeometry,
}

impl Trial {
    /// No other cache of the size loses less.
    pub fn is_recommended_best(&self) -> bool {
        self.recommended_us <= self.best_us
    }
}

/// Trials of each reading, by time to fill a page.
pub fn trials(programs: &[Misses], costs: &MissCosts) -> [Vec<Trial>; 3] {
    READINGS.map(|(_, fills_sent_pages, in_whole_time_outs)| {
        let trial = |page_fill_us| {
            let costs = MissCosts { page_fill_us, fills_sent_pages, in_whole_time_outs, ..*costs };
            let (best_us, best) = best(programs, &costs, |entries| entries <= VmhGeometry::RECOMMENDED.entries);
            Trial { page_fill_us, recommended_us: cost(programs, &costs, VmhGeometry::RECOMMENDED), best_us, best }
        };
        PAGE_FILLS_US.map(trial).into()
    })
}

/// The trials as a table and a picture.
pub fn by_page_fill(trials: &[Vec<Trial>; 3]) -> (Table, Picture) {
    let recommended = name(VmhGeometry::RECOMMENDED);
    let of_reading = |(reading, ..): &(&str, bool, bool)| {
        [format!("{reading}: {recommended} us"), "best of up to 16K".to_owned(), "us".to_owned()]
    };
    let columns = std::iter::once("fill of a page us".to_owned()).chain(READINGS.iter().flat_map(of_reading));
    let title = format!("Lost for each lookup by the time to fill a fresh page: {recommended} beside the best cache");
    let mut table = Table::new(title, columns);
    for (index, page_fill_us) in PAGE_FILLS_US.into_iter().enumerate() {
        let cells = trials.iter().flat_map(|trials| {
            let trial = &trials[index];
            [trial.recommended_us.into(), name(trial.best).into(), trial.best_us.into()]
        });
        table.row(std::iter::once(page_fill_us.into()).chain(cells));
    }
    let series = |name: String, value: fn(&Trial) -> f64, trials: &[Trial]| Series {
        name,
        points: trials.iter().map(|trial| (trial.page_fill_us, value(trial))).collect(),
    };
    let of_reading = |((reading, ..), trials): (&(&str, bool, bool), &Vec<Trial>)| {
        [
            series(format!("{recommended}, {reading}"), |trial| trial.recommended_us, trials),
            series(format!("best, {reading}"), |trial| trial.best_us, trials),
        ]
    };
    let chart = Chart::Lines {
        x: "time to fill a fresh page, us".into(),
        y: "lost for each lookup, us".into(),
        series: READINGS.iter().zip(trials).flat_map(of_reading).collect(),
    };
    (table, Picture { name: "page-fill".into(), title: "The recommended cache and the best one".into(), chart })
}

/// Over which times to fill a page the recommended cache is the best, in words.
pub fn holds_over(trials: &[Vec<Trial>; 3]) -> String {
    let of_reading = |((reading, ..), trials): (&(&str, bool, bool), &Vec<Trial>)| {
        let good: Vec<String> =
            trials.iter().filter(|trial| trial.is_recommended_best()).map(|it| digits(it.page_fill_us)).collect();
        match good.is_empty() {
            true => format!("{reading}: nowhere"),
            false => format!("{reading}: at {}", good.join(", ")),
        }
    };
    let each: Vec<String> = READINGS.iter().zip(trials).map(of_reading).collect();
    format!("it holds over 0 to 5 us to fill a page, {}", each.join("; "))
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Round numbers.
    pub const COSTS: MissCosts = MissCosts {
        retransmit_us: 250.0,
        service_us: 50.0,
        pin_call_us: 2.0,
        pin_page_us: 0.5,
        page_fill_us: 0.0,
        fills_sent_pages: false,
        in_whole_time_outs: false,
    };

    #[test]
    fn pages_are_filled_where_they_are_received_and_a_wait_may_be_in_whole_time_outs() {
        let geometry = VmhGeometry::RECOMMENDED;
        let sent = Counts { lookups: [1, 0], cold: [1, 0], non_cold: [0, 0] };
        let received = Counts { lookups: [0, 1], cold: [0, 1], non_cold: [0, 0] };
        let filled = MissCosts { page_fill_us: 4.0, ..COSTS };
        assert_eq!(filled.for_each_lookup(geometry, &sent), 50.0 + 2.0 + 32.0);
        assert_eq!(filled.for_each_lookup(geometry, &received), 50.0 + 2.0 + 32.0 + 256.0);
        let both = MissCosts { fills_sent_pages: true, ..filled };
        assert_eq!(both.for_each_lookup(geometry, &sent), 50.0 + 2.0 + 32.0 + 256.0);
        let whole = MissCosts { in_whole_time_outs: true, ..filled };
        assert_eq!(whole.for_each_lookup(geometry, &received), 500.0);
    }

    #[test]
    fn only_cold_lines_are_pinned_and_only_frames_wait_for_the_time_out() {
        let geometry = VmhGeometry::RECOMMENDED;
        let one = |counts| COSTS.for_each_lookup(geometry, &counts);
        assert_eq!(one(Counts { lookups: [1, 0], cold: [1, 0], non_cold: [0, 0] }), 50.0 + 2.0 + 32.0);
        assert_eq!(one(Counts { lookups: [1, 0], cold: [0, 0], non_cold: [1, 0] }), 50.0);
        assert_eq!(one(Counts { lookups: [0, 1], cold: [0, 1], non_cold: [0, 0] }), 250.0);
        assert_eq!(one(Counts { lookups: [0, 1], cold: [0, 0], non_cold: [0, 1] }), 250.0);
    }
}
