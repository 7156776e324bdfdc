//! Messages that the NIC matches, with virtual addresses that it looks up in a cache.

use host_model::driver::emp::Emp;
use host_model::driver::Driver;
use nic_monitor::watches::{CachePlaces, Caches, Dma, Messages, Receives, Sends, Watches};
use sim_pins::Ps;

use crate::personality::entry::Personality;

pub const ENTRY: Personality = Personality { name: "emp-mini", watches, ..super::emp::ENTRY };

fn watches(driver: &Driver) -> Option<Watches> {
    let emp = driver.service::<Emp>().ok()?;
    let caches = emp.translations()?.caches();
    let caches = CachePlaces {
        vmh_cache: caches.vmh_cache.0,
        vmh: caches.geometry,
        cbh_cache: caches.cbh_cache.0,
        cbh: caches.cbh_geometry,
        directories: None,
    };
    Some(Watches::new(vec![
        Box::new(Messages::with_virtual_addresses(emp.descriptors().0)),
        Box::<Receives>::default(),
        Box::new(Sends::new(Ps::from_us(emp.resend_us()))),
        Box::<Dma>::default(),
        Box::new(Caches::of_messages(&caches)),
    ]))
}
