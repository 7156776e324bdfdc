//! Streams that the operating system makes of frames.

use host_model::driver::kernel::Kernel;
use nic_monitor::watches::Watches;

use crate::personality::entry::Personality;
use crate::workload::carried;

pub const ENTRY: Personality = Personality {
    name: "kernel",
    check: |_| Ok(()),
    play: carried::play::<carried::KernelPath>,
    watches: |driver| {
        // Memory itself judges that DMA goes to pinned pages.
        driver.service::<Kernel>().is_ok().then(|| Watches::new(Vec::new()))
    },
    cold_buffers: |driver, _| driver.service::<Kernel>().is_ok().then(Vec::new),
};
