//! The daemon of one host, and what tasks of the host ask of it.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use host_model::executor::{until, Notify};
use host_model::platform::Management;
use host_model::processor::{Cpu, Priority, Processors};
use sim_pins::Ps;

use crate::importers::Importers;
use crate::message::Message;
use crate::network::{Envelope, Interface};
use crate::packet::{Packet, Topic};

/// The name of the daemon in the accounts of processors.
const TASK: &str = "daemon";
/// The values of one message each, in the order of the messages.
type Inbox<T> = VecDeque<Vec<T>>;

/// A request that the management network cannot serve.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ManagementError {
    /// There is no host of that number.
    #[error("there is no host {node}: the management network joins hosts 0 to {}", nodes - 1)]
    NoSuchHost {
        /// The number that was asked for.
        node: usize,
        /// How many hosts there are.
        nodes: usize,
    },
    /// The exporter restricts the value to other hosts or processes (facts M-3).
    #[error("host {node} does not let this process import {name}")]
    NotPermitted {
        /// The host that publishes the value.
        node: usize,
        /// The name that was looked up.
        name: String,
    },
}

/// A value that this host publishes.
struct Published<T> {
    value: T,
    importers: Importers,
}

/// A lookup of a name that is not published yet.
struct Held {
    host: usize,
    process: Option<u32>,
    request: u64,
}

/// What a daemon has done.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Messages to other hosts.
    pub sent: u64,
    /// Messages of other hosts that the daemon has taken.
    pub received: u64,
    /// Bytes of the messages to other hosts, headers included.
    pub bytes_sent: u64,
}

/// The daemon of a host. Clones are handles of the same daemon.
pub struct Daemon<T>(Rc<State<T>>);

impl<T> Clone for Daemon<T> {
    fn clone(&self) -> Daemon<T> {
        Daemon(self.0.clone())
    }
}

struct State<T> {
    interface: RefCell<Interface<T>>,
    costs: Management,
    daemon_cpu: Cpu,
    caller_cpu: Cpu,
    /// When the last bit of the latest message has left.
    wire_free: Cell<Ps>,
    /// Messages that the daemon has not taken yet, by arrival, host and number at the host.
    coming: RefCell<BTreeMap<(Ps, usize, u64), Packet<T>>>,
    come: Notify,
    published: RefCell<BTreeMap<String, Published<T>>>,
    /// By name.
    held: RefCell<BTreeMap<String, Vec<Held>>>,
    /// Values that have come, by host and topic.
    inboxes: RefCell<BTreeMap<(usize, Topic), Inbox<T>>>,
    /// Answers to lookups, by request. `None`: refused.
    found: RefCell<BTreeMap<u64, Option<T>>>,
    next_request: Cell<u64>,
    /// Something was published, put in an inbox, or found.
    changed: Notify,
    counts: Cell<Counts>,
}

impl<T: Message> Daemon<T> {
    /// Starts the daemon of the host that has these processors.
    pub fn start(interface: Interface<T>, costs: Management, processors: &Processors) -> Daemon<T> {
        let daemon = Daemon(Rc::new(State {
            interface: RefCell::new(interface),
            costs,
            daemon_cpu: processors.cpu(TASK, Priority::User),
            caller_cpu: processors.cpu("management call", Priority::User),
            wire_free: Cell::new(Ps::ZERO),
            coming: RefCell::default(),
            come: Notify::new(),
            published: RefCell::default(),
            held: RefCell::default(),
            inboxes: RefCell::default(),
            found: RefCell::default(),
            next_request: Cell::new(0),
            changed: Notify::new(),
            counts: Cell::default(),
        }));
        let work = daemon.clone();
        daemon.0.daemon_cpu.sim().spawn(TASK, async move { work.serve().await });
        daemon
    }

    /// The number of this host.
    pub fn node(&self) -> usize {
        self.0.interface.borrow().node()
    }

    /// How many hosts there are.
    pub fn nodes(&self) -> usize {
        self.0.interface.borrow().nodes()
    }

    /// What the daemon has done so far.
    pub fn counts(&self) -> Counts {
        self.0.counts.get()
    }

    /// Takes the messages of earlier windows. The host calls this before each of its windows, with
    /// the time at which the window begins.
    ///
    /// # Panics
    /// If a message has arrived before `start`: the window was longer than the latency.
    pub fn begin_window(&self, start: Ps) {
        let taken = self.0.interface.borrow_mut().begin_window(start);
        if taken.is_empty() {
            return;
        }
        for Envelope { arrival, from, sequence, packet, .. } in taken {
            self.0.coming.borrow_mut().insert((arrival, from, sequence), packet);
        }
        self.0.come.notify();
    }

    /// Publishes `value` under `name` on this host for all hosts and processes, in place of an
    /// earlier value of that name. Lookups that wait are answered.
    pub async fn publish(&self, name: &str, value: T) {
        self.publish_to(name, value, Importers::All).await;
    }

    /// The same for some hosts and processes only: lookups of others are refused (facts M-3).
    ///
    /// Publishing a name again changes both the value and the importers. An importer keeps what it
    /// has looked up before: [`Daemon::restrict`] gives the buffer behind a value another key.
    pub async fn publish_to(&self, name: &str, value: T, importers: Importers) {
        self.call("publish").await;
        let published = Published { value, importers };
        self.0.published.borrow_mut().insert(name.to_owned(), published);
        self.0.changed.notify();
        let held = self.0.held.borrow_mut().remove(name).unwrap_or_default();
        if !held.is_empty() {
            let (daemon, name) = (self.clone(), name.to_owned());
            self.0.daemon_cpu.sim().spawn(TASK, async move {
                for Held { host, process, request } in held {
                    let answer = daemon.answer(&name, request, host, process).expect("names stay published");
                    daemon.transmit(host, answer).await;
                }
            });
        }
    }

    /// The value that host `node` publishes under `name`. Waits until it does.
    ///
    /// # Errors
    /// There is no host `node`, or the value is not for all processes of this host.
    pub async fn lookup(&self, node: usize, name: &str) -> Result<T, ManagementError> {
        self.lookup_as(None, node, name).await
    }

    /// The same for a process of this host. The daemon has the number of the process from the
    /// kernel, so a process cannot take another's.
    ///
    /// # Errors
    /// There is no host `node`, or the value is not for this process.
    pub async fn lookup_as(&self, process: Option<u32>, node: usize, name: &str) -> Result<T, ManagementError> {
        self.check(node)?;
        self.call("lookup").await;
        let refused = || ManagementError::NotPermitted { node, name: name.to_owned() };
        if node == self.node() {
            self.0.changed.wait_until(|| self.0.published.borrow().contains_key(name)).await;
            let published = self.0.published.borrow();
            let Published { value, importers } = &published[name];
            return if importers.permit(node, process) { Ok(value.clone()) } else { Err(refused()) };
        }
        let request = self.0.next_request.replace(self.0.next_request.get() + 1);
        self.transmit(node, Packet::Lookup { name: name.to_owned(), request, process }).await;
        self.0.changed.wait_until(|| self.0.found.borrow().contains_key(&request)).await;
        let value = self.0.found.borrow_mut().remove(&request).expect("it was waited for");
        self.call("lookup").await;
        value.ok_or_else(refused)
    }

    /// The answer to a lookup. `None`: nothing is published under the name.
    fn answer(&self, name: &str, request: u64, host: usize, process: Option<u32>) -> Option<Packet<T>> {
        let published = self.0.published.borrow();
        let Published { value, importers } = published.get(name)?;
        Some(match importers.permit(host, process) {
            true => Packet::Found { request, value: value.clone() },
            false => Packet::Refused { request },
        })
    }

    /// Sends `value` to the tasks of host `node` that receive under `tag`. Completes when the
    /// daemon has sent it, not when it has arrived. A host may send to itself.
    ///
    /// # Errors
    /// There is no host `node`.
    pub async fn send(&self, node: usize, tag: &str, value: T) -> Result<(), ManagementError> {
        self.check(node)?;
        self.call("send").await;
        self.pass_on(node, Topic::Tag(tag.to_owned()), vec![value]).await;
        Ok(())
    }

    /// The next value that host `node` has sent under `tag`, in the order in which it was sent.
    ///
    /// # Errors
    /// There is no host `node`.
    pub async fn receive(&self, node: usize, tag: &str) -> Result<T, ManagementError> {
        self.check(node)?;
        let mut values = self.take(node, Topic::Tag(tag.to_owned())).await;
        self.call("receive").await;
        Ok(values.pop().expect("a tagged message has one value"))
    }

    /// Gives `value` to all hosts and returns the values of all, in the order of the hosts. Every
    /// host must call it with the same name, and calls of one name in the same order.
    ///
    /// Works in rounds: in round k a host sends what it has to the host 2^k behind it, and gets as
    /// much from the one 2^k before. So 2 hosts need one message each, and 64 hosts six.
    pub async fn exchange(&self, name: &str, value: T) -> Vec<T> {
        self.call("exchange").await;
        let (node, nodes) = (self.node(), self.nodes());
        // Value j is that of the host j before this one, all round the circle.
        let mut values = vec![value];
        let mut round = 0;
        while values.len() < nodes {
            let distance = values.len();
            let share = distance.min(nodes - distance);
            let topic = Topic::Round(name.to_owned(), round);
            self.pass_on((node + distance) % nodes, topic.clone(), values[..share].to_vec()).await;
            values.extend(self.take((node + nodes - distance) % nodes, topic).await);
            round += 1;
        }
        self.call("exchange").await;
        (0..nodes).map(|host| values[(node + nodes - host) % nodes].clone()).collect()
    }

    /// Waits until all hosts have come to the barrier of this name, in the rounds of
    /// [`exchange`](Daemon::exchange).
    pub async fn barrier(&self, name: &str) {
        self.call("barrier").await;
        let (node, nodes) = (self.node(), self.nodes());
        let (mut distance, mut round) = (1, 0);
        while distance < nodes {
            let topic = Topic::Round(name.to_owned(), round);
            self.pass_on((node + distance) % nodes, topic.clone(), Vec::new()).await;
            self.take((node + nodes - distance) % nodes, topic).await;
            distance *= 2;
            round += 1;
        }
        self.call("barrier").await;
    }

    fn check(&self, node: usize) -> Result<(), ManagementError> {
        let nodes = self.nodes();
        if node < nodes {
            Ok(())
        } else {
            Err(ManagementError::NoSuchHost { node, nodes })
        }
    }

    fn put_answer(&self, request: u64, value: Option<T>) {
        self.0.found.borrow_mut().insert(request, value);
        self.0.changed.notify();
    }

    /// A process hands something to the daemon, or gets something from it.
    async fn call(&self, label: &'static str) {
        self.0.caller_cpu.charge(label, Ps::from_ns(self.0.costs.local_ns)).await;
    }

    async fn pass_on(&self, node: usize, topic: Topic, values: Vec<T>) {
        if node == self.node() {
            self.put(node, topic, values);
        } else {
            self.transmit(node, Packet::Values { topic, values }).await;
        }
    }

    fn put(&self, from: usize, topic: Topic, values: Vec<T>) {
        self.0.inboxes.borrow_mut().entry((from, topic)).or_default().push_back(values);
        self.0.changed.notify();
    }

    async fn take(&self, from: usize, topic: Topic) -> Vec<T> {
        let key = (from, topic);
        loop {
            let next = {
                let mut inboxes = self.0.inboxes.borrow_mut();
                let next = inboxes.get_mut(&key).and_then(VecDeque::pop_front);
                if inboxes.get(&key).is_some_and(VecDeque::is_empty) {
                    inboxes.remove(&key);
                }
                next
            };
            match next {
                Some(values) => return values,
                None => self.0.changed.notified().await,
            }
        }
    }

    /// Sends a message to another host.
    async fn transmit(&self, node: usize, packet: Packet<T>) {
        let state = &*self.0;
        state.daemon_cpu.charge("send", Ps::from_ns(state.costs.send_ns)).await;
        let bytes = u64::from(packet.bytes() + state.costs.overhead_bytes);
        let begin = state.wire_free.get().max(state.daemon_cpu.sim().now());
        let end = begin + state.costs.wire_time(bytes);
        state.wire_free.set(end);
        let counts = state.counts.get();
        state.counts.set(Counts { sent: counts.sent + 1, bytes_sent: counts.bytes_sent + bytes, ..counts });
        state.interface.borrow_mut().post(node, end + Ps::from_ns(state.costs.latency_ns), packet);
    }

    /// Takes messages as they arrive, one at a time.
    async fn serve(&self) {
        let state = &*self.0;
        loop {
            let first = state.coming.borrow().keys().next().copied();
            let sim = state.daemon_cpu.sim();
            match first {
                None => state.come.notified().await,
                // A later window may bring an earlier message.
                Some((arrival, ..)) if arrival > sim.now() => _ = until(sim, arrival, state.come.notified()).await,
                Some(key) => {
                    let packet = state.coming.borrow_mut().remove(&key).expect("it is the first");
                    state.daemon_cpu.charge("receive", Ps::from_ns(state.costs.receive_ns)).await;
                    let counts = state.counts.get();
                    state.counts.set(Counts { received: counts.received + 1, ..counts });
                    self.handle(key.1, packet).await;
                }
            }
        }
    }

    async fn handle(&self, from: usize, packet: Packet<T>) {
        match packet {
            Packet::Values { topic, values } => self.put(from, topic, values),
            Packet::Found { request, value } => self.put_answer(request, Some(value)),
            Packet::Refused { request } => self.put_answer(request, None),
            Packet::Lookup { name, request, process } => {
                let answer = self.answer(&name, request, from, process);
                match answer {
                    Some(answer) => self.transmit(from, answer).await,
                    None => {
                        let lookup = Held { host: from, process, request };
                        self.0.held.borrow_mut().entry(name).or_default().push(lookup);
                    }
                }
            }
        }
    }
}
