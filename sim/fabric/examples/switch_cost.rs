//! Prints the processor time of a switch for each window, without traffic and with all ports at
//! line rate, and what it is of the time of its nodes: `cargo run --release -p sim-fabric --example
//! switch_cost`.
//!
//! A node with the model of a NIC needs about 170 us for a window of 400 ns (53 core clocks of 133
//! MHz at 310 000 clocks/s).

use std::convert::Infallible;

use sim_fabric::{
    Activity, Direction, Fabric, FabricConfig, MacAddress, Node, Port, RunOptions, SwitchModel, SwitchSettings,
    Topology,
};
use sim_pins::{LinkSymbol, Ps};
use sim_time::Clock;

const WINDOW: Ps = Ps(400_000);
const FRAME_BYTES: u64 = 1_000;
const NODE_NS: f64 = 170_000.0;

/// Sends frames without a pause, or nothing, and looks at nothing.
struct Source {
    port: Port,
    clock: Clock,
    to: Option<u8>,
    edge: u64,
}

impl Node for Source {
    type Error = Infallible;
    type Output = ();

    fn run_until(&mut self, end: Ps) -> Result<Activity, Infallible> {
        let end_edge = self.clock.edges_before(end);
        if let Some(to) = self.to {
            for edge in self.edge..end_edge {
                let place = edge % (FRAME_BYTES + 20);
                let data = match place {
                    0..=6 => 0x55,
                    7 => 0xD5,
                    13 => to,
                    _ => 0,
                };
                self.port.tx.send(edge, LinkSymbol { data, enable: place < FRAME_BYTES + 8, error: false });
            }
        }
        self.edge = end_edge;
        self.port.tx.end_window(end_edge);
        Ok(Activity::Busy)
    }

    fn now(&self) -> Ps {
        Ps::ZERO
    }

    fn finish(self) {}
}

fn ns_per_window(nodes: usize, has_switch: bool, is_busy: bool) -> f64 {
    let clock = Clock::new(160_000_000, Ps::ZERO);
    let topology = match has_switch {
        // Cut-through, which forwards these frames although they have no FCS.
        true => {
            Topology::Switch { switch: SwitchSettings { model: SwitchModel::Crossbar, ..SwitchSettings::default() } }
        }
        false => Topology::Cable {},
    };
    let config = FabricConfig {
        topology: &topology,
        nodes,
        latency: WINDOW,
        clock: &|_| clock,
        direction: &|_| Direction::default(),
        address: |node| MacAddress([0, 0, 0, 0, 0, node as u8]),
        address_mask: MacAddress::ALL_BITS,
        nodes_obey_stop: false,
        records_hops: false,
        seed: 1,
    };
    let fabric = Fabric::new(config).expect("it can be built");
    let build = |node: usize, port| {
        let to = is_busy.then_some(((node + 1) % nodes) as u8);
        move || Ok(Source { port, clock, to, edge: 0 })
    };
    const WINDOWS: u64 = 20_000;
    let options = RunOptions { window: WINDOW, end: Ps(WINDOW.0 * WINDOWS), threads: 1, between_windows: None };
    let start = processor_ns();
    fabric.run(build, options);
    (processor_ns() - start) as f64 / WINDOWS as f64
}

/// Time that this thread has spent on a processor, as Linux counts it.
fn processor_ns() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux counts the time of threads");
    text.split(' ').next().and_then(|ns| ns.parse().ok()).expect("its first number is in nanoseconds")
}

fn main() {
    // What the sources cost by themselves is measured on a cable.
    let source = [false, true].map(|is_busy| ns_per_window(2, false, is_busy) / 2.0);
    for nodes in [2, 8, 16, 64] {
        let cost = [false, true].map(|is_busy| {
            let all = ns_per_window(nodes, true, is_busy);
            (all - source[usize::from(is_busy)] * nodes as f64).max(0.0)
        });
        let share = cost.map(|cost| 100.0 * cost / (NODE_NS * nodes as f64));
        println!(
            "{nodes:2} nodes: switch {:8.0} ns per window idle ({:.3} % of the nodes), {:8.0} ns at line rate ({:.3} %)",
            cost[0], share[0], cost[1], share[1]
        );
    }
}
