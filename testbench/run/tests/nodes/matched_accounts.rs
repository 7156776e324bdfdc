//! Accounts of messages that the NIC matches: their spans add up to the latency, whatever the size,
//! and also where a message is refused or a frame is lost.

use nicscope_account::account::{Account, Span};
use nicscope_account::category::{self, Category};
use nicscope_account::results::Run;
use nicscope_run::run::{self, RunConfig};
use nicscope_scenario::scenario::{self, Scheme};

const SEED: u64 = 16;

/// A ping-pong of messages of these sizes.
fn runs(sizes_bytes: &[u32], set: &[&str]) -> Vec<Run> {
    let sizes = format!("workload.sizes_bytes={sizes_bytes:?}");
    let base = ["personality=emp", "platforms=tigon2", "workload.iterations=4", "workload.warm_up=1", &sizes];
    let set: Vec<String> = base.iter().chain(set).map(|key| key.to_string()).collect();
    let scenario = scenario::load("ping-pong", &set).expect("a scenario");
    let config = RunConfig { scenario, seed: SEED, threads: 1, firmware: None };
    let results = run::run(&config).expect("it runs");
    results.check().expect("all sums agree");
    results.runs
}

fn has(account: &Account, stages: &[&str]) {
    let mut spans = account.spans.iter();
    for stage in stages {
        assert!(spans.any(|span| span.stage == *stage), "{stage} of {:?}", account.spans);
    }
}

#[test]
fn spans_of_messages_of_random_sizes_add_up() {
    let random = (1..=4).map(|k: u32| 1 + (k.wrapping_mul(0x9E37_79B9) >> 8) % 40_000);
    let sizes: Vec<u32> = [0, 1475].into_iter().chain(random).collect();
    let runs = runs(&sizes, &["misses.ratios=0.0"]);
    // Each round trip: two messages, each until both of its processes know, and their sum.
    assert_eq!(runs[0].accounts, sizes.len() as u64 * 4 * 5);
    assert_eq!(runs[0].largest_difference_ps, 0);
    for account in runs[0].hits.iter().chain(&runs[0].acceptances) {
        assert!(account.spans.iter().all(|span| !span.stage.is_empty() && span.duration_ps > 0));
        let shares = category::shares(account);
        assert_eq!(shares.iter().map(|share| share.duration_ps).sum::<u64>(), account.latency_ps);
        let of = |category| shares.iter().find(|share| share.category == category).map_or(0, |share| share.duration_ps);
        assert!(of(Category::Host) > 0 && of(Category::Firmware) > 0 && of(Category::Link) > 0);
    }
    let to_the_process = ["PIO: mailbox", "sender: read descriptor", "link: frame", "receiver: return descriptor"];
    runs[0].hits.iter().for_each(|account| has(account, &to_the_process));
    let accepted = ["receiver: acknowledge", "link: frame", "sender: acknowledgement", "poll: read of the descriptor"];
    runs[0].acceptances.iter().for_each(|account| has(account, &accepted));
}

#[test]
fn a_message_that_is_refused_waits_at_its_sender() {
    let runs = runs(&[10, 5000], &["misses.ratios=0.5", "topology.kind=switch"]);
    assert_eq!(runs[0].largest_difference_ps, 0);
    assert_eq!(runs[0].misses.len(), 2, "one of each size");
    let refused =
        ["receiver: refuse message", "waits for the sender's pause", "sender: time-out", "receiver: place data"];
    runs[0].misses.iter().for_each(|account| has(account, &refused));
    runs[0].misses.iter().for_each(|account| has(account, &["switch 0: forward", "switch 0: forward"]));
}

/// In each scheme a stage names the core on which it is.
#[test]
fn spans_of_messages_on_two_cores_add_up() {
    let cases: [(Scheme, &[&str]); 5] = [
        (Scheme::So, &["handed over, waits for core B", "sender, core B: ask for data", "receiver: match"]),
        (Scheme::Ro, &["sender: ask for data", "receiver: match", "handed over, waits for core B"]),
        (Scheme::Dsr, &["sender: ask for data", "receiver, core B: match", "receiver, core B: place data"]),
        (Scheme::Sr, &["sender, core B: ask for data", "receiver: match", "receiver, core B: return descriptor"]),
        (Scheme::Dynamic, &["sender: ask for data", "receiver, core B: match"]),
    ];
    let sizes = [10, 0, 5000];
    for (scheme, stages) in cases {
        let runs = runs(&sizes, &["misses.ratios=0.0", "cores=2", &format!("emp.scheme=\"{}\"", scheme.name())]);
        assert_eq!(runs[0].accounts, sizes.len() as u64 * 4 * 5, "{scheme:?}");
        assert_eq!(runs[0].largest_difference_ps, 0, "{scheme:?}");
        has(&runs[0].hits[0], stages);
    }
}

/// A page that is not in the NIC's cache, where the message is sent from and where it goes.
#[test]
fn a_message_that_misses_waits_for_the_host() {
    let by_the_host = ["interrupt delay", "interrupt handler", "miss thread wakes", "fill line (PIO)", "miss served"];
    for (side, role) in [("send", "sender"), ("receive", "receiver")] {
        let set = ["personality=emp-mini", "misses.ratios=0.5", &format!("misses.side={side}")];
        let runs = runs(&[10, 5000], &set);
        assert_eq!(runs[0].accounts, 2 * 4 * 5);
        assert_eq!(runs[0].largest_difference_ps, 0);
        assert_eq!(runs[0].misses.len(), 2, "one of each size");
        let [parked, then] = ["parked", "after lookup hit"].map(|stage| format!("{role}: {stage}"));
        let whole: Vec<&str> = [&*parked].into_iter().chain(by_the_host).chain([&*then]).collect();
        has(&runs[0].misses[0], &whole);
        // The frames behind the first are still on the wire when the receiver raises the miss.
        has(&runs[0].misses[1], &whole[whole.len() - 3..]);
        // Whatever the core does meanwhile, the message waits for the host.
        for account in &runs[0].misses {
            let is = |span: &Span, stage: &str| span.stage == stage;
            let begin = account.spans.iter().position(|span| is(span, "miss thread wakes")).expect("a miss");
            let waits = account.spans[begin..].iter().take_while(|span| !is(span, "miss served"));
            waits.for_each(|span| assert!(!span.stage.starts_with(role), "{:?}", account.spans));
        }
    }
}

/// Frames that are lost, wrong, doubled and held back, and acknowledgements as well.
#[test]
fn spans_add_up_on_a_link_that_does_everything_wrong() {
    let faults = [
        "misses.ratios=0.0",
        "workload.iterations=10",
        // Most of the time is waiting for these.
        "emp.resend_us=100",
        "faults.loss_ratio=0.03",
        "faults.corrupt_ratio=0.03",
        "faults.duplicate_ratio=0.06",
        "faults.delay_ratio=0.06",
        "faults.delay_ns_min=1000",
        "faults.delay_ns_max=60000",
    ];
    let cases = [("emp", "switch", 1), ("emp", "cable", 2), ("emp-mini", "cable", 1)];
    for (personality, topology, cores) in cases {
        let own = [format!("personality={personality}"), format!("topology.kind={topology}"), format!("cores={cores}")];
        let set: Vec<&str> = faults.into_iter().chain(own.iter().map(String::as_str)).collect();
        let runs = runs(&[10, 9000], &set);
        assert_eq!(runs[0].accounts, 2 * 10 * 5);
        assert_eq!(runs[0].largest_difference_ps, 0);
        let again: u64 = runs[0].rows.iter().map(|row| row.retransmissions).sum();
        assert!(again > 0, "no frame was sent again");
    }
}
