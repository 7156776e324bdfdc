/// Bus commands on C/BE[3:0]# in the address phase (PCI 2.3, section 3.1.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Command {
    /// Reads the vector of an interrupt controller. Neither agent of this bus issues it.
    InterruptAcknowledge = 0b0000,
    /// A message to all agents; no agent claims it.
    SpecialCycle = 0b0001,
    /// Read in I/O space.
    IoRead = 0b0010,
    /// Write in I/O space.
    IoWrite = 0b0011,
    /// Read in memory space, of any length.
    MemoryRead = 0b0110,
    /// Write in memory space, of any length.
    MemoryWrite = 0b0111,
    /// Read in configuration space.
    ConfigRead = 0b1010,
    /// Write in configuration space.
    ConfigWrite = 0b1011,
    /// Read in memory space of more than one cache line.
    MemoryReadMultiple = 0b1100,
    /// First of the two address phases of a 64-bit address.
    DualAddressCycle = 0b1101,
    /// Read in memory space to the end of a cache line.
    MemoryReadLine = 0b1110,
    /// Write in memory space of whole cache lines.
    MemoryWriteInvalidate = 0b1111,
}

impl Command {
    /// `None` for the four reserved codes.
    pub const fn decode(cbe_n: u8) -> Option<Command> {
        Some(match cbe_n & 0xF {
            0b0000 => Command::InterruptAcknowledge,
            0b0001 => Command::SpecialCycle,
            0b0010 => Command::IoRead,
            0b0011 => Command::IoWrite,
            0b0110 => Command::MemoryRead,
            0b0111 => Command::MemoryWrite,
            0b1010 => Command::ConfigRead,
            0b1011 => Command::ConfigWrite,
            0b1100 => Command::MemoryReadMultiple,
            0b1101 => Command::DualAddressCycle,
            0b1110 => Command::MemoryReadLine,
            0b1111 => Command::MemoryWriteInvalidate,
            _ => return None,
        })
    }

    /// True when the target drives AD in the data phases.
    pub const fn is_read(self) -> bool {
        matches!(
            self,
            Command::InterruptAcknowledge
                | Command::IoRead
                | Command::MemoryRead
                | Command::ConfigRead
                | Command::MemoryReadMultiple
                | Command::MemoryReadLine
        )
    }

    /// Whether the address is in memory space.
    pub const fn is_memory(self) -> bool {
        matches!(
            self,
            Command::MemoryRead
                | Command::MemoryWrite
                | Command::MemoryReadMultiple
                | Command::MemoryReadLine
                | Command::MemoryWriteInvalidate
        )
    }

    /// Whether the address is in configuration space.
    pub const fn is_config(self) -> bool {
        matches!(self, Command::ConfigRead | Command::ConfigWrite)
    }
}
