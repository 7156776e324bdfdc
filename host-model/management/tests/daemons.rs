//! Daemons on hosts without NICs, which run on threads as nodes do.

use std::cell::RefCell;
use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

use host_management::{network, Counts, Daemon, Importer, Importers, Interface, ManagementError};
use host_model::executor::{Executor, Sim, Task};
use host_model::platform::{Management, Platform};
use host_model::processor::{Processors, Usage};
use proptest::prelude::*;
use sim_fabric::{run, Activity, Node, RunOptions};
use sim_pins::Ps;

const WINDOW: Ps = Ps::from_us(4);

fn costs() -> Management {
    Platform::load("lanai9").expect("built in").management
}

/// When and what, as the tasks of a host have noted it.
type Notes = Rc<RefCell<Vec<(Ps, String)>>>;

#[derive(Clone)]
struct Handle {
    daemon: Daemon<u64>,
    sim: Sim,
    notes: Notes,
}

impl Handle {
    fn note(&self, text: impl Into<String>) {
        self.notes.borrow_mut().push((self.sim.now(), text.into()));
    }
}

type Work = Pin<Box<dyn Future<Output = ()>>>;

struct Host {
    executor: Executor,
    processors: Processors,
    handle: Handle,
    tasks: Vec<Task<()>>,
    now: Ps,
}

#[derive(PartialEq, Debug)]
struct HostOutput {
    notes: Vec<(Ps, String)>,
    counts: Counts,
    usage: Usage,
}

impl Host {
    fn new(interface: Interface<u64>, work: fn(Handle) -> Vec<Work>) -> Host {
        let executor = Executor::new();
        let sim = executor.sim();
        let processors = Processors::new(sim.clone(), 2, 800_000_000);
        let daemon = Daemon::start(interface, costs(), &processors);
        let handle = Handle { daemon, sim: sim.clone(), notes: Notes::default() };
        let tasks = work(handle.clone()).into_iter().map(|task| sim.spawn("task", task)).collect();
        Host { executor, processors, handle, tasks, now: Ps::ZERO }
    }
}

impl Node for Host {
    type Error = Infallible;
    type Output = HostOutput;

    fn run_until(&mut self, end: Ps) -> Result<Activity, Infallible> {
        self.handle.daemon.begin_window(self.now);
        self.executor.run_until(Ps(end.0 - 1));
        self.now = end;
        let is_done = self.tasks.iter().all(Task::is_ended);
        Ok(if is_done { Activity::Finished } else { Activity::Busy })
    }

    fn now(&self) -> Ps {
        self.now
    }

    fn finish(self) -> HostOutput {
        let counts = self.handle.daemon.counts();
        HostOutput { notes: self.handle.notes.take(), counts, usage: self.processors.usage() }
    }
}

fn hosts(nodes: usize, threads: usize, window: Ps, work: fn(Handle) -> Vec<Work>) -> Vec<HostOutput> {
    let builders: Vec<_> = network(nodes).into_iter().map(|interface| move || Ok(Host::new(interface, work))).collect();
    let options = RunOptions { window, end: Ps::from_us(20_000), threads, between_windows: None };
    run(builders, options).outputs.into_iter().map(|output| output.expect("it was built")).collect()
}

/// The time of one message of so many bytes of values, from the call to the return of `receive`.
fn one_way(bytes: u64) -> Ps {
    let costs = costs();
    let fixed = 2 * costs.local_ns + costs.send_ns + costs.latency_ns + costs.receive_ns;
    Ps::from_ns(fixed) + costs.wire_time(bytes + u64::from(costs.overhead_bytes))
}

/// Identifier and length fields, and the tag `x`.
const HEAD: u64 = 16 + 1;

#[test]
fn a_message_takes_what_the_platform_says() {
    let hosts = hosts(2, 1, WINDOW, |handle| {
        vec![Box::pin(async move {
            if handle.daemon.node() == 0 {
                handle.sim.sleep_until(Ps::from_us(100)).await;
                handle.daemon.send(1, "x", 7).await.unwrap();
                handle.note("sent");
            } else {
                let value = handle.daemon.receive(0, "x").await.unwrap();
                handle.note(format!("{value}"));
            }
        })]
    });
    let sent = Ps::from_us(100) + Ps::from_ns(costs().local_ns + costs().send_ns);
    assert_eq!(hosts[0].notes, [(sent, "sent".into())]);
    assert_eq!(hosts[1].notes, [(Ps::from_us(100) + one_way(HEAD + 8), "7".into())]);
    assert_eq!(hosts[0].counts, Counts { sent: 1, received: 0, bytes_sent: 78 + HEAD + 8 });
    assert_eq!(hosts[1].counts, Counts { sent: 0, received: 1, bytes_sent: 0 });
    assert_eq!(hosts[1].usage[&("daemon", "receive")], Ps::from_ns(costs().receive_ns));
}

#[test]
fn the_document_has_the_constants_of_the_platforms() {
    let document = include_str!("../../../docs/management.md");
    let Management { local_ns, send_ns, receive_ns, latency_ns, bits_per_s, overhead_bytes } = costs();
    assert_eq!(Platform::load("tigon2").expect("built in").management, costs());
    for (key, value) in [
        ("local_ns", local_ns),
        ("send_ns", send_ns),
        ("receive_ns", receive_ns),
        ("latency_ns", latency_ns),
        ("bits_per_s", bits_per_s),
        ("overhead_bytes", overhead_bytes.into()),
    ] {
        assert!(document.contains(&format!("| `{key}` | {value} |")), "{key} = {value}");
    }
    let message_us = (one_way(HEAD + 8).0 + 500_000) / 1_000_000;
    assert!(document.contains(&format!("A message of 8 bytes takes {message_us} us")));
}

#[test]
fn a_lookup_waits_for_what_it_looks_for_and_costs_a_round_trip() {
    let hosts = hosts(2, 2, WINDOW, |handle| {
        vec![Box::pin(async move {
            if handle.daemon.node() == 0 {
                handle.sim.sleep_until(Ps::from_us(1_000)).await;
                handle.daemon.publish("x", 1).await;
                handle.sim.sleep_until(Ps::from_us(2_500)).await;
                handle.daemon.publish("x", 2).await;
                assert_eq!(handle.daemon.lookup(0, "x").await, Ok(2), "a host finds its own values");
            } else {
                for begin in [0, 2_000, 3_000] {
                    handle.sim.sleep_until(Ps::from_us(begin)).await;
                    let value = handle.daemon.lookup(0, "x").await.unwrap();
                    handle.note(format!("{value}"));
                }
            }
        })]
    });
    let back = one_way(16 + 8);
    let there = one_way(HEAD);
    // Between request and reply, neither end has a call to pay.
    let round_trip = there + back - Ps::from_ns(2 * costs().local_ns);
    let expected = [
        (Ps::from_us(1_000) + back, "1"),
        (Ps::from_us(2_000) + round_trip, "1"),
        (Ps::from_us(3_000) + round_trip, "2"),
    ];
    assert_eq!(hosts[1].notes, expected.map(|(at, text)| (at, text.to_owned())));
}

#[test]
fn messages_between_two_hosts_keep_their_order() {
    let hosts = hosts(3, 2, WINDOW, |handle| {
        vec![Box::pin(async move {
            if handle.daemon.node() < 2 {
                for k in 0..20 {
                    handle.daemon.send(2, "x", k).await.unwrap();
                }
            } else {
                for k in 0..20 {
                    for from in [1, 0] {
                        assert_eq!(handle.daemon.receive(from, "x").await, Ok(k));
                    }
                }
                handle.note("all");
            }
        })]
    });
    assert_eq!(hosts[2].notes.len(), 1);
    assert_eq!(hosts[2].counts.received, 40);
}

#[test]
fn nobody_leaves_a_barrier_before_all_have_come() {
    for nodes in [2, 3, 5, 8, 64] {
        let hosts = hosts(nodes, 2, WINDOW, |handle| {
            vec![Box::pin(async move {
                let node = handle.daemon.node() as u64;
                for round in 0..3 {
                    handle.sim.sleep_for(Ps::from_us(37 * (node % 11) + 200 * u64::from(round == node))).await;
                    handle.note("comes");
                    handle.daemon.barrier("x").await;
                    handle.note("leaves");
                }
            })]
        });
        for round in 0..3 {
            let last_comes = hosts.iter().map(|host| host.notes[2 * round].0).max().unwrap();
            let first_leaves = hosts.iter().map(|host| host.notes[2 * round + 1].0).min().unwrap();
            assert!(last_comes < first_leaves, "{nodes} hosts, round {round}");
        }
    }
}

#[test]
fn an_exchange_gives_all_values_in_the_order_of_the_hosts() {
    for nodes in [1, 2, 3, 4, 7, 8, 33, 64] {
        let hosts = hosts(nodes, 2, WINDOW, |handle| {
            vec![Box::pin(async move {
                for round in [0, 1_000] {
                    let values = handle.daemon.exchange("x", round + handle.daemon.node() as u64).await;
                    let expected: Vec<u64> = (0..handle.daemon.nodes() as u64).map(|node| round + node).collect();
                    assert_eq!(values, expected);
                }
                handle.note("done");
            })]
        });
        assert!(hosts.iter().all(|host| host.notes.len() == 1));
        let rounds = nodes.next_power_of_two().trailing_zeros();
        assert!(hosts.iter().all(|host| host.counts.sent == 2 * u64::from(rounds)));
    }
}

#[test]
fn a_host_that_does_not_exist_is_refused() {
    let hosts = hosts(2, 1, WINDOW, |handle| {
        vec![Box::pin(async move {
            let refused = ManagementError::NoSuchHost { node: 2, nodes: 2 };
            assert_eq!(handle.daemon.send(2, "x", 1).await, Err(refused.clone()));
            assert_eq!(handle.daemon.receive(2, "x").await, Err(refused.clone()));
            assert_eq!(handle.daemon.lookup(2, "x").await, Err(refused.clone()));
            assert_eq!(refused.to_string(), "there is no host 2: the management network joins hosts 0 to 1");
            let own = handle.daemon.node();
            handle.daemon.send(own, "x", 5).await.unwrap();
            assert_eq!(handle.daemon.receive(own, "x").await, Ok(5));
            handle.note("refused");
        })]
    });
    assert!(hosts.iter().all(|host| host.notes.len() == 1 && host.counts == Counts::default()));
}

#[test]
#[should_panic(expected = "must not be shorter than a window")]
fn a_window_longer_than_the_latency_is_found_out() {
    hosts(2, 1, Ps::from_us(200), |handle| {
        vec![Box::pin(async move {
            let peer = 1 - handle.daemon.node();
            handle.daemon.send(peer, "x", 1).await.unwrap();
            handle.daemon.receive(peer, "x").await.unwrap();
        })]
    });
}

/// Tasks that talk to each other at times of their own.
fn chatter(handle: Handle) -> Vec<Work> {
    let tasks = 3;
    (0..tasks)
        .map(|task| {
            let handle = handle.clone();
            Box::pin(async move {
                let (node, nodes) = (handle.daemon.node(), handle.daemon.nodes());
                let tag = format!("task {task}");
                for k in 0..6u64 {
                    handle.sim.sleep_for(Ps(1_234_567 * (k + task as u64) * (node as u64 + 1) % 90_000_000)).await;
                    let to = (node + 1 + k as usize % (nodes - 1)) % nodes;
                    handle.daemon.send(to, &tag, 100 * k + node as u64).await.unwrap();
                    handle.daemon.publish(&format!("{tag} {k}"), k).await;
                    let found = handle.daemon.lookup(to, &format!("{tag} {k}")).await.unwrap();
                    handle.note(format!("{tag} found {found} of {to}"));
                    let from = (node + 2 * nodes - 1 - k as usize % (nodes - 1)) % nodes;
                    let value = handle.daemon.receive(from, &tag).await.unwrap();
                    handle.note(format!("{tag} got {value} of {from}"));
                }
                handle.daemon.barrier(&tag).await;
                handle.note(tag);
            }) as Work
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn threads_and_windows_change_nothing(nodes in 2..7usize, window in 300_000..6_000_000u64) {
        let one = hosts(nodes, 1, WINDOW, chatter);
        prop_assert!(one.iter().all(|host| host.notes.len() == 3 * 13), "all tasks have ended");
        prop_assert_eq!(&one, &hosts(nodes, 2, WINDOW, chatter));
        prop_assert_eq!(&one, &hosts(nodes, 3, WINDOW, chatter));
        prop_assert_eq!(&one, &hosts(nodes, 2, Ps(window), chatter));
        let (sent, received): (Vec<_>, Vec<_>) = one.iter().map(|host| (host.counts.sent, host.counts.received)).unzip();
        prop_assert_eq!(sent.iter().sum::<u64>(), received.iter().sum::<u64>(), "every message arrives");
    }
}

#[test]
fn a_value_is_handed_to_those_for_whom_it_is_published_and_to_no_other() {
    let hosts = hosts(3, 2, WINDOW, |handle| {
        vec![Box::pin(async move {
            if handle.daemon.node() == 0 {
                // Lookups wait for this one.
                handle.sim.sleep_until(Ps::from_us(1_000)).await;
                let first = Importers::only([Importer::process(1, 7), Importer::host(0)]);
                handle.daemon.publish_to("x", 1, first).await;
                assert_eq!(handle.daemon.lookup_as(Some(3), 0, "x").await, Ok(1), "every process of the host");
                handle.sim.sleep_until(Ps::from_us(2_500)).await;
                handle.daemon.publish_to("x", 2, Importers::only([Importer::host(2)])).await;
                let own = handle.daemon.lookup(0, "x").await;
                assert_eq!(own, Err(ManagementError::NotPermitted { node: 0, name: "x".into() }));
                handle.sim.sleep_until(Ps::from_us(4_500)).await;
                handle.daemon.publish("x", 3).await;
            } else {
                for begin in [0, 3_000, 5_000] {
                    handle.sim.sleep_until(Ps::from_us(begin)).await;
                    for process in [None, Some(7), Some(8)] {
                        let value = handle.daemon.lookup_as(process, 0, "x").await;
                        handle.note(value.map_or_else(|error| error.to_string(), |value| value.to_string()));
                    }
                }
            }
        })]
    });
    let refused = "host 0 does not let this process import x";
    let seen = |host: usize| hosts[host].notes.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>();
    assert_eq!(seen(1), [refused, "1", refused, refused, refused, refused, "3", "3", "3"]);
    assert_eq!(seen(2), [refused, refused, refused, "2", "2", "2", "3", "3", "3"]);
}
