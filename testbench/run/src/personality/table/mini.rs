//! Handles looked up in caches on the NIC.

use host_model::driver::mini::Mini;
use host_model::driver::Driver;
use nic_monitor::watches::{CachePlaces, Caches, Dma, Fetches, Link, Notifications, Posts, Watches};

use crate::personality::entry::Personality;
use crate::workload::{places, remote_memory};

pub const ENTRY: Personality =
    Personality { name: "mini", check: remote_memory::check, play: remote_memory::play, watches, cold_buffers };

fn watches(driver: &Driver) -> Option<Watches> {
    let mini = driver.service::<Mini>().ok()?;
    let caches = mini.caches();
    let caches = CachePlaces {
        vmh_cache: caches.vmh_cache.0,
        vmh: caches.geometry,
        cbh_cache: caches.cbh_cache.0,
        cbh: caches.cbh_geometry,
        directories: caches.directories.map(|at| at.0),
    };
    Some(Watches::new(vec![
        Box::<Posts>::default(),
        Box::new(Fetches::new(&caches)),
        Box::<Dma>::default(),
        Box::new(Caches::new(&caches)),
        Box::<Notifications>::default(),
        Box::<Link>::default(),
    ]))
}

fn cold_buffers(driver: &Driver, hot: u32) -> Option<Vec<u32>> {
    let mini = driver.service::<Mini>().ok()?;
    Some(places::cold_buffers(mini.caches().cbh_geometry, hot).collect())
}
