//! Equations of the firmware's counters: the sums of each counter set, and the totals of core B.

use nic_layout::counter::conservation;
use nicscope_account::results::Equation;

use super::of_node::OfNode;

/// The sums that each counter set of the personality states.
pub(super) fn within_the_sets(node: &OfNode) -> Vec<Equation> {
    let of_set = |equation: nic_layout::counter::Equation| {
        let firmware = |counter| node.firmware(counter);
        Equation::new(
            format!("node {}, firmware: {}", node.index, equation.name),
            equation.whole().map(firmware).sum(),
            equation.parts().map(firmware).sum(),
        )
    };
    conservation(node.report.totals.sets).map(of_set).collect()
}

/// The counters of core A agree with the totals of core B. Empty for a NIC with one core.
pub(super) fn kept_by_core_b(node: &OfNode) -> Vec<Equation> {
    let Some(kept) = &node.report.kept else {
        return Vec::new();
    };
    // Each counter has its own weight, so the errors of two counters cannot cancel.
    let weighed = |values: &mut dyn Iterator<Item = u64>| values.zip(1..).map(|(value, weight)| value * weight).sum();
    vec![
        node.equation(
            "counters of core A = totals of core B",
            weighed(&mut node.report.totals.firmware.iter().map(|&count| u64::from(count))),
            weighed(&mut kept.totals.iter().copied()),
        ),
        node.equation("sums that core B found wrong = 0", kept.violations.into(), 0),
    ]
}
