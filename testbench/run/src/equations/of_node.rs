//! A node of a run, with the counters for its equations.

use nic_layout::counter::Counter;
use nicscope_account::results::Equation;

use crate::cluster::ClusterOutput;
use crate::node::NodeOutput;
use crate::workload::NodeReport;

/// A node of a run that has ended.
pub(super) struct OfNode<'a> {
    pub output: &'a ClusterOutput,
    pub index: usize,
    pub node: &'a NodeOutput<NodeReport>,
    pub report: &'a NodeReport,
}

impl OfNode<'_> {
    /// A counter of the firmware.
    pub fn firmware(&self, counter: Counter) -> u64 {
        self.report.totals.firmware(counter)
    }

    /// The sum of some counters of the firmware.
    pub fn firmware_sum<const N: usize>(&self, counters: [Counter; N]) -> u64 {
        counters.map(|counter| self.firmware(counter)).iter().sum()
    }

    /// A counter of the RTL.
    pub fn rtl(&self, name: &str) -> u64 {
        self.report.totals.rtl(name)
    }

    /// An equation of this node.
    pub fn equation(&self, statement: &str, left: u64, right: u64) -> Equation {
        Equation::new(format!("node {}: {statement}", self.index), left, right)
    }
}
