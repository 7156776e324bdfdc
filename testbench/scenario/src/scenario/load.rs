//! Other work of the hosts than the workload.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sim_pins::Ps;

use crate::error::Result;
use crate::request_error;

/// Other work of the hosts: see `host_model::load`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// Programs on each host that compute beside the workload, at most 64.
    pub programs: u32,
    /// Share of their time that the programs spend in the kernel, in percent, at most 90.
    pub kernel_percent: u32,
    /// The longest section in the kernel that is not interrupted, in us, at most 10000.
    pub kernel_section_us: u64,
    /// A kernel thread that is woken runs up to so much later, in us, at most 10000.
    pub thread_spread_us: u64,
    /// The time to fill a fresh page, in us, at most 10000.
    pub page_fill_us: u64,
}

impl Load {
    /// The same values in the type of the host model.
    pub fn of_host(self) -> host_model::load::Load {
        host_model::load::Load {
            programs: self.programs,
            kernel_percent: self.kernel_percent,
            kernel_section: Ps::from_us(self.kernel_section_us),
            thread_spread: Ps::from_us(self.thread_spread_us),
            page_fill: Ps::from_us(self.page_fill_us),
        }
    }

    pub(super) fn check(&self) -> Result<()> {
        let values = [
            ("load.programs", u64::from(self.programs), 64),
            ("load.kernel_percent", u64::from(self.kernel_percent), 90),
            ("load.kernel_section_us", self.kernel_section_us, 10_000),
            ("load.thread_spread_us", self.thread_spread_us, 10_000),
            ("load.page_fill_us", self.page_fill_us, 10_000),
        ];
        for (key, value, max) in values {
            if value > max {
                return Err(request_error!("{key} = {value}: must be at most {max}"));
            }
        }
        if self.programs > 0 && self.kernel_percent > 0 && self.kernel_section_us == 0 {
            return Err(request_error!(
                "load.kernel_section_us = 0: must be at least 1 with load.kernel_percent above 0"
            ));
        }
        Ok(())
    }
}
