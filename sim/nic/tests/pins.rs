//! A configuration read by hand: every kind of PCI pin has to work for it.

use sim_nic::{clock, Nic, NicConfig, ParameterSet};
use sim_pins::{PciControl, PciDrive, PciLines, PciPin, Ps, LINK_IDLE};
use sim_time::{Clock, Scheduler};

/// A NIC with its four clocks, and what the rest of the slot drives.
struct Slot {
    nic: Nic,
    scheduler: Scheduler<{ clock::COUNT }>,
    host: PciDrive,
}

impl Slot {
    fn new(parameters: ParameterSet, waves: bool) -> Slot {
        let nic = Nic::new(NicConfig { waves, ..NicConfig::new(parameters) }).expect("it builds");
        let clocks = [(88_000_000, 0), (66_000_000, 1_000), (125_000_000, 500), (125_000_000, 4_700)];
        let scheduler = Scheduler::new(clocks.map(|(hz, phase)| Clock::new(hz, Ps(phase))));
        let mut slot = Slot { nic, scheduler, host: PciDrive::NONE };
        slot.drive(PciPin::Rst, false);
        slot.drive(PciPin::Gnt, true);
        slot.drive(PciPin::Idsel, false);
        slot
    }

    fn drive(&mut self, pin: PciPin, level: bool) {
        self.host.enables.set(pin, true);
        self.host.levels.control.set(pin, level);
    }

    fn release(&mut self, pin: PciPin) {
        self.host.enables.set(pin, false);
    }

    /// Runs to behind the next PCI edge, and returns the levels that it sampled.
    fn pci_edge(&mut self) -> PciLines {
        loop {
            let instant = self.scheduler.advance();
            let mut sampled = None;
            if instant.rising.contains(clock::PCI) {
                let (lines, conflict) = self.nic.drive().resolve(&self.host);
                assert_eq!(conflict, None, "at {}", instant.at);
                self.nic.sense_pci(&lines);
                sampled = Some(lines);
            }
            if instant.rising.contains(clock::GMII_RX) {
                self.nic.receive(LINK_IDLE);
            }
            self.nic.tick(instant).expect("no assertion fails");
            if let Some(lines) = sampled {
                return lines;
            }
        }
    }

    fn reset(&mut self) {
        for _ in 0..16 {
            self.pci_edge();
        }
        self.drive(PciPin::Rst, true);
        for _ in 0..16 {
            self.pci_edge();
        }
    }

    /// A configuration read of type 0 (PCI 2.3, 3.2.2.3), with even parity one clock behind AD.
    fn config_read(&mut self, register: u32) -> u32 {
        self.drive(PciPin::Frame, false);
        self.drive(PciPin::Idsel, true);
        self.drive(PciPin::Irdy, true);
        self.host.levels.ad = register.into();
        self.host.ad_enable = 1;
        self.host.levels.cbe_n = 0b1010;
        self.host.cbe_enable = 1;
        self.pci_edge();
        let parity = (register.count_ones() + 0b1010u32.count_ones()) % 2 == 1;
        self.drive(PciPin::Par, parity);
        self.drive(PciPin::Frame, true);
        self.drive(PciPin::Idsel, false);
        self.drive(PciPin::Irdy, false);
        self.host.ad_enable = 0;
        self.host.levels.cbe_n = 0;
        self.pci_edge();
        self.release(PciPin::Par);
        let data = (0..32)
            .find_map(|_| {
                let lines = self.pci_edge();
                lines.low(PciPin::Trdy).then_some(lines)
            })
            .expect("the target answers");
        assert!(data.low(PciPin::Devsel));
        self.drive(PciPin::Irdy, true);
        self.host.cbe_enable = 0;
        let behind = self.pci_edge();
        let expected = (data.ad as u32).count_ones() % 2 == 1; // C/BE# are all zero
        assert_eq!(behind.high(PciPin::Par), expected, "PAR makes AD, C/BE# and itself even");
        self.host.enables = PciControl::from_bits(PciPin::Rst.mask() | PciPin::Gnt.mask() | PciPin::Idsel.mask());
        self.pci_edge();
        data.ad as u32
    }
}

#[test]
fn a_nic_in_reset_drives_nothing() {
    let mut slot = Slot::new(ParameterSet::Tigon2, false);
    for _ in 0..20 {
        slot.pci_edge();
    }
    let drive = slot.nic.drive();
    assert_eq!((drive.enables.bits(), drive.ad_enable, drive.cbe_enable), (0, 0, 0));
    assert_eq!(slot.nic.transmit(), LINK_IDLE);
}

#[test]
fn every_build_answers_a_configuration_read() {
    for parameters in ParameterSet::ALL {
        let ids = [false, true].map(|waves| {
            let mut slot = Slot::new(parameters, waves);
            slot.reset();
            let id = slot.config_read(0);
            assert!(id != 0 && id != u32::MAX, "device and vendor are {id:#010x}");
            assert_eq!(slot.config_read(0), id);
            (id, slot.nic.now(), slot.nic.core_cycles())
        });
        assert_eq!(ids[0], ids[1], "waves change no cycle");
        assert_eq!(ids[0].2, Clock::new(88_000_000, Ps(0)).edges_before(ids[0].1 + Ps(1)));
    }
}

/// The recording was made with direct edges; it is played with Verilator's own evaluation.
#[test]
fn both_ways_of_evaluation_drive_the_same_outputs() {
    let mut slot = Slot::new(ParameterSet::Tigon2, false);
    slot.nic.record();
    slot.reset();
    for register in (0..256).step_by(4) {
        slot.config_read(register);
    }
    let recording = slot.nic.take_recording();
    assert!(recording.instants() > 1_000);
    assert_eq!(recording.play_bare(true).outputs, Some(recording.outputs()));
}

#[test]
fn markers_and_probes_belong_to_core_clocks() {
    let mut slot = Slot::new(ParameterSet::Tigon2, false);
    for _ in 0..2_000 {
        let instant = slot.scheduler.advance();
        slot.nic.tick(instant).unwrap();
        if !instant.rising.contains(clock::CORE) {
            assert_eq!((slot.nic.marker(), slot.nic.probes()), (None, 0));
        }
    }
}
