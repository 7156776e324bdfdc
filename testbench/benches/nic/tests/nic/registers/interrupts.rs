//! INTA#.

use super::*;

#[test]
fn inta_is_low_exactly_while_an_enabled_cause_is_set() {
    let mut b = bench();
    b.write(Who::Core, interrupt::SET, 0x0001_0100).unwrap();
    b.model.clock().unwrap();
    assert!(!b.model.inta_o.is_high(), "not enabled");
    b.write(Who::Host, interrupt::ENABLE, 0x0001_0100).unwrap();
    assert!(b.model.probe_interrupt_o.is_high());
    b.model.clock().unwrap();
    assert!(b.model.inta_o.is_high() && !b.model.probe_interrupt_o.is_high());
    assert_eq!(b.read(Who::Host, interrupt::STATUS).unwrap(), 0x0001_0100);
    b.write(Who::Host, interrupt::CAUSE, 0x0000_0100).unwrap();
    b.model.clock().unwrap();
    assert!(b.model.inta_o.is_high(), "one cause is left");
    b.write(Who::Host, interrupt::CAUSE, 0x0001_0000).unwrap();
    b.model.clock().unwrap();
    assert!(!b.model.inta_o.is_high());
    b.write(Who::Core, interrupt::SET, 0x0001_0000).unwrap();
    b.model.clock().unwrap();
    assert!(b.model.inta_o.is_high());
    b.write(Who::Host, interrupt::ENABLE, 0).unwrap();
    b.model.clock().unwrap();
    assert!(!b.model.inta_o.is_high());
}
