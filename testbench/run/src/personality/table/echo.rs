//! Every frame goes back to its sender.

pub mod play;
mod watch;

use host_model::driver::echo::Echo;
use host_model::driver::Driver;
use nic_monitor::watches::{Dma, Link, Posts, Watches};

use crate::personality::entry::Personality;

/// The entry of `echo`.
pub const ENTRY: Personality =
    Personality { name: "echo", check: play::check, play: play::play, watches, cold_buffers: |_, _| None };

/// `Returned` comes before `Link`, which closes the frame that both judge.
fn watches(driver: &Driver) -> Option<Watches> {
    driver.service::<Echo>().ok()?;
    let returned = Box::<watch::Returned>::default();
    Some(Watches::new(vec![Box::<Posts>::default(), Box::<Dma>::default(), returned, Box::<Link>::default()]))
}
