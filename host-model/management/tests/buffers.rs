//! Buffers whose exporter says which hosts and processes may import them (facts M-3), on two hosts
//! with scripted NICs.

use std::convert::Infallible;
use std::future::Future;

use host_management::{network, Daemon, ImportError, Importer, Importers, ManagementError};
use host_model::address::NodeId;
use host_model::driver::DriverOptions;
use host_model::executor::Task;
use host_model::host::{Host, HostConfig, Node};
use host_model::library::{Access, Export};
use host_model::mock::{elf_image, MockBus};
use host_model::platform::Platform;
use sim_pins::{PciDrive, Ps};

const CLOCK: Ps = Ps::from_ns(30);
/// Shorter than the latency of the management network.
const WINDOW_CLOCKS: u64 = 100;

struct Pair {
    hosts: Vec<(Host<MockBus>, Daemon<Export>)>,
    clocks: u64,
}

impl Pair {
    fn new() -> Pair {
        let mut platform = Platform::load("lanai9").expect("built in");
        platform.host.memory_mib = 16;
        platform.host.pinned_pages_max = 2048;
        platform.host.pinned_pages_high = 1024;
        platform.host.pinned_pages_low = 512;
        let host = |(node, interface)| {
            let driver = DriverOptions::new(NodeId(node as u16), 2, 42);
            let config = HostConfig { platform: platform.clone(), driver, trace: false };
            let Ok(host) =
                Host::new(config, |platform, memory| Ok::<_, Infallible>(MockBus::new(platform.sram.bytes, memory).0));
            let daemon = Daemon::start(interface, platform.management, host.node().processors());
            (host, daemon)
        };
        Pair { hosts: network(2).into_iter().enumerate().map(host).collect(), clocks: 0 }
    }

    fn spawn<F: Future<Output = ()> + 'static>(
        &self,
        host: usize,
        work: impl FnOnce(Node, Daemon<Export>) -> F,
    ) -> Task<()> {
        let (host, daemon) = &self.hosts[host];
        host.spawn("test", |node| work(node, daemon.clone()))
    }

    fn run(&mut self, tasks: &[Task<()>]) {
        for _ in 0..20_000 {
            let begin = Ps(CLOCK.0 * self.clocks);
            for (host, daemon) in &mut self.hosts {
                daemon.begin_window(begin);
                for clock in 1..=WINDOW_CLOCKS {
                    host.rising_edge(begin + Ps(CLOCK.0 * clock), &PciDrive::NONE);
                }
            }
            self.clocks += WINDOW_CLOCKS;
            if tasks.iter().all(Task::is_ended) {
                return;
            }
        }
        panic!("still running after 60 ms");
    }
}

async fn boot(node: &Node) {
    node.boot(&elf_image(&[1, 2, 3, 4])).await.expect("the scripted NIC boots");
}

fn is_refusal(imported: &Result<Export, ImportError>) -> bool {
    matches!(imported, Err(ImportError::Management(ManagementError::NotPermitted { node: 0, .. })))
}

#[test]
fn a_buffer_is_imported_by_those_whom_the_exporter_permits_and_gets_another_key_when_these_change() {
    let mut pair = Pair::new();
    let exporter = pair.spawn(0, |node, daemon| async move {
        boot(&node).await;
        let process = node.open("exporter").await.expect("a free slot");
        let start = process.alloc(4096).expect("room");
        let listed = daemon.receive(1, "first process").await.expect("host 1 exists");
        // The first process of host 1 tells its number in the place of a buffer's.
        let first = Importers::only([Importer::process(1, listed.buffer)]);
        let old = daemon.export(&process, "x", (start, 100), Access::BOTH, first).await.expect("the pages exist");
        daemon.receive(1, "imported").await.expect("host 1 exists");
        let new = daemon.restrict(&process, "x", start, &old, Importers::only([])).await.expect("registered");
        assert_ne!(new.key, old.key, "what was handed out opens nothing any more");
        assert_eq!(Export { key: old.key, ..new }, old, "and nothing else has changed");
        daemon.send(1, "restricted", new).await.expect("host 1 exists");
    });
    let importers = pair.spawn(1, |node, daemon| async move {
        boot(&node).await;
        let first = node.open("first").await.expect("a free slot");
        let second = node.open("second").await.expect("a free slot");
        let told = Export {
            node: node.id(),
            buffer: first.pid().0,
            key: [0; 4],
            key_width: nic_layout::key::KeyWidth::Bits64,
            length_bytes: 0,
            access: Access::READ,
        };
        daemon.send(0, "first process", told).await.expect("host 0 exists");
        let refused = daemon.import(&second, 0, "x").await;
        assert!(is_refusal(&refused), "{refused:?}");
        let imported = daemon.import(&first, 0, "x").await.expect("it is permitted");
        assert_eq!((imported.length_bytes, imported.node), (100, NodeId(0)));
        daemon.send(0, "imported", imported).await.expect("host 0 exists");
        daemon.receive(0, "restricted").await.expect("host 0 exists");
        let refused = daemon.import(&first, 0, "x").await;
        assert!(is_refusal(&refused), "{refused:?}");
    });
    pair.run(&[exporter, importers]);
}
