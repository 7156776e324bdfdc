//! Messages that the NIC matches with posted receives.

use host_model::driver::emp::Emp;
use host_model::driver::Driver;
use nic_monitor::watches::{Messages, Receives, Sends, Watches};
use sim_pins::Ps;

use crate::personality::entry::Personality;
use crate::workload::matched;

pub const ENTRY: Personality =
    Personality { name: "emp", check: matched::check, play: matched::play, watches, cold_buffers };

fn watches(driver: &Driver) -> Option<Watches> {
    let emp = driver.service::<Emp>().ok().filter(|emp| emp.translations().is_none())?;
    let resend = Ps::from_us(emp.resend_us());
    Some(Watches::new(vec![
        Box::new(Messages::new(emp.descriptors().0)),
        Box::<Receives>::default(),
        Box::new(Sends::new(resend)),
    ]))
}

/// Nothing is cached, so nothing misses.
fn cold_buffers(driver: &Driver, _hot: u32) -> Option<Vec<u32>> {
    driver.service::<Emp>().is_ok().then(Vec::new)
}
