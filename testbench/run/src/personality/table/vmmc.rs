//! Handles looked up in static tables.

use host_model::driver::vmmc::Vmmc;
use host_model::driver::Driver;
use nic_monitor::watches::{Dma, Link, Notifications, Posts, StaticPlaces, StaticTables, Watches};

use crate::personality::entry::Personality;
use crate::workload::remote_memory;

pub const ENTRY: Personality =
    Personality { name: "vmmc", check: remote_memory::check, play: remote_memory::play, watches, cold_buffers };

fn watches(driver: &Driver) -> Option<Watches> {
    let vmmc = driver.service::<Vmmc>().ok()?;
    let tables = vmmc.tables();
    let tables = StaticPlaces { at: tables.at.0, geometry: tables.geometry };
    Some(Watches::new(vec![
        Box::<Posts>::default(),
        Box::<Dma>::default(),
        Box::new(StaticTables::new(&tables)),
        Box::<Notifications>::default(),
        Box::<Link>::default(),
    ]))
}

/// Static tables hold all descriptors, so none misses.
fn cold_buffers(driver: &Driver, _hot: u32) -> Option<Vec<u32>> {
    driver.service::<Vmmc>().is_ok().then(Vec::new)
}
