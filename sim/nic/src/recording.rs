//! What stood on the input pins of a NIC at each instant, so that the same run can be played again
//! without its surroundings: by a bare C++ loop (`cpp/play.cpp`), or on a build with waves.

use std::io::{self, Read, Write};

use sim_pins::{LinkSymbol, PciControl, PciDrive, PciLines, Ps};
use sim_time::{ClockSet, Instant};

use crate::nic::{Fault, Nic};

/// One instant.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Edge {
    delta_ps: u32,
    rising: u16,
    /// The next element of `levels` is on the pins from here on.
    levels_changed: u16,
}

/// All inputs but clocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
struct Levels {
    ad: u64,
    control: u16,
    cbe_n: u8,
    rxd: u8,
    rx_dv: u8,
    rx_er: u8,
}

impl Levels {
    fn new(lines: &PciLines, symbol: LinkSymbol) -> Levels {
        Levels {
            ad: lines.ad,
            control: lines.control.bits(),
            cbe_n: lines.cbe_n,
            rxd: symbol.data,
            rx_dv: symbol.enable.into(),
            rx_er: symbol.error.into(),
        }
    }

    fn lines(&self) -> PciLines {
        PciLines { control: PciControl::from_bits(self.control), ad: self.ad, cbe_n: self.cbe_n }
    }

    fn symbol(&self) -> LinkSymbol {
        LinkSymbol { data: self.rxd, enable: self.rx_dv != 0, error: self.rx_er != 0 }
    }
}

/// A run of one NIC from its first instant on.
#[derive(Clone, Default, Debug)]
pub struct Recording {
    edges: Vec<Edge>,
    levels: Vec<Levels>,
    end: Ps,
    outputs: u64,
}

/// What a bare C++ loop found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Played {
    /// Calls of the model.
    pub evaluations: u64,
    /// Hash of all outputs at all instants, if asked for.
    pub outputs: Option<u64>,
}

extern "C" {
    fn nic_tigon2_play(
        edges: *const Edge,
        count: usize,
        levels: *const Levels,
        with_outputs: bool,
        evaluations: *mut u64,
    ) -> u64;
}

impl Recording {
    pub(crate) fn note_inputs(&mut self, instant: Instant, lines: &PciLines, symbol: LinkSymbol) {
        let levels = Levels::new(lines, symbol);
        let levels_changed = self.levels.last() != Some(&levels);
        if levels_changed {
            self.levels.push(levels);
        }
        let delta_ps = u32::try_from((instant.at - self.end).0).expect("instants are nanoseconds apart");
        self.edges.push(Edge { delta_ps, rising: instant.rising.0 as u16, levels_changed: levels_changed.into() });
        self.end = instant.at;
    }

    /// Packed as `cpp/play.cpp` packs them.
    pub(crate) fn note_outputs(&mut self, drive: &PciDrive, symbol: LinkSymbol, trace: (bool, u32), probes: u16) {
        self.mix(drive.levels.ad);
        self.mix(
            u64::from(drive.levels.control.bits())
                | u64::from(drive.enables.bits()) << 16
                | u64::from(drive.levels.cbe_n) << 32
                | u64::from(drive.ad_enable) << 40
                | u64::from(drive.cbe_enable) << 42
                | u64::from(symbol.data) << 44
                | u64::from(symbol.enable) << 52
                | u64::from(symbol.error) << 53,
        );
        self.mix(u64::from(trace.1) | u64::from(trace.0) << 32 | u64::from(probes) << 33);
    }

    fn mix(&mut self, word: u64) {
        let hash = (self.outputs ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.outputs = hash ^ hash >> 32;
    }

    /// How many instants there are.
    pub fn instants(&self) -> usize {
        self.edges.len()
    }

    /// The last instant.
    pub fn end(&self) -> Ps {
        self.end
    }

    /// Hash of all outputs at all instants, as they were in the run.
    pub fn outputs(&self) -> u64 {
        self.outputs
    }

    /// Plays the recording of a `tigon2` in C++, on a model of its own, from the first instant to
    /// the last without a look at Rust.
    pub fn play_bare(&self, with_outputs: bool) -> Played {
        let mut evaluations = 0;
        // SAFETY: both vectors outlive the call, each edge that says so has its element of
        // `levels`, and the types are laid out alike.
        let outputs = unsafe {
            nic_tigon2_play(self.edges.as_ptr(), self.edges.len(), self.levels.as_ptr(), with_outputs, &mut evaluations)
        };
        Played { evaluations, outputs: with_outputs.then_some(outputs) }
    }

    /// Writes it for another process: counts, instants, levels, all in little endian.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        for count in [self.edges.len() as u64, self.levels.len() as u64, self.outputs] {
            out.write_all(&count.to_le_bytes())?;
        }
        for edge in &self.edges {
            out.write_all(&edge.delta_ps.to_le_bytes())?;
            out.write_all(&edge.rising.to_le_bytes())?;
            out.write_all(&edge.levels_changed.to_le_bytes())?;
        }
        for levels in &self.levels {
            out.write_all(&levels.ad.to_le_bytes())?;
            out.write_all(&levels.control.to_le_bytes())?;
            out.write_all(&[levels.cbe_n, levels.rxd, levels.rx_dv, levels.rx_er, 0, 0])?;
        }
        Ok(())
    }

    /// Reads what [`Recording::write`] has written.
    ///
    /// # Errors
    ///
    /// If the input ends too early or cannot be read.
    pub fn read(input: &mut impl Read) -> io::Result<Recording> {
        let (edge_count, level_count, outputs) = (u64_from(input)?, u64_from(input)?, u64_from(input)?);
        let mut recording = Recording { outputs, ..Recording::default() };
        for _ in 0..edge_count {
            let word = u64_from(input)?;
            let edge = Edge { delta_ps: word as u32, rising: (word >> 32) as u16, levels_changed: (word >> 48) as u16 };
            recording.end += Ps(edge.delta_ps.into());
            recording.edges.push(edge);
        }
        for _ in 0..level_count {
            let (ad, rest) = (u64_from(input)?, u64_from(input)?.to_le_bytes());
            recording.levels.push(Levels {
                ad,
                control: u16::from_le_bytes([rest[0], rest[1]]),
                cbe_n: rest[2],
                rxd: rest[3],
                rx_dv: rest[4],
                rx_er: rest[5],
            });
        }
        Ok(recording)
    }

    /// Plays it on a NIC that has not ticked yet, and calls `before` ahead of each instant.
    pub fn play_on(
        &self,
        nic: &mut Nic,
        mut before: impl FnMut(&mut Nic, Ps) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let (mut at, mut levels) = (Ps::ZERO, self.levels.iter());
        for edge in &self.edges {
            at += Ps(edge.delta_ps.into());
            before(nic, at)?;
            if edge.levels_changed != 0 {
                let levels = levels.next().expect("each change was recorded");
                nic.sense_pci(&levels.lines());
                nic.receive(levels.symbol());
            }
            nic.tick(Instant { at, rising: ClockSet(edge.rising.into()) })?;
        }
        Ok(())
    }
}

fn u64_from(input: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    input.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}
