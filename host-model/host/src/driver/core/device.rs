//! The NIC behind its two BARs: typed registers, SRAM words and structures.

use nic_layout::registers::{Bits, Readable, Register, Writable};
use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::address::{BusAddr, SramAddr};
use crate::bus::BusFault;
use crate::events::Note;
use crate::pio::Pio;

/// Where the NIC is on the bus.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resources {
    /// Bus address of BAR 0, the registers.
    pub registers: BusAddr,
    /// Bus address of BAR 1, the SRAM.
    pub sram: BusAddr,
    /// Size of the SRAM in bytes.
    pub sram_bytes: u32,
}

/// The NIC as one task reaches it.
#[derive(Clone)]
pub struct Device {
    /// Access to the bus, charged to one task.
    pub pio: Pio,
    /// Where the NIC is on the bus.
    pub resources: Resources,
}

impl Device {
    /// Reads a register: one bus transaction.
    pub async fn read<T: Bits, A: Readable>(&self, register: Register<T, A>) -> Result<T, BusFault> {
        let bits = self.pio.read(self.resources.registers + register.offset().0).await?;
        Ok(T::from_bits(bits))
    }

    /// Posts a write of a register: it returns when the store has left the processor.
    pub async fn write<T: Bits, A: Writable>(&self, register: Register<T, A>, value: T) {
        self.write_noted(register, value, None).await;
    }

    /// `note` is recorded when the NIC has taken the word.
    pub async fn write_noted<T: Bits, A: Writable>(&self, register: Register<T, A>, value: T, note: Option<Note>) {
        let address = self.resources.registers + register.offset().0;
        self.pio.write_words(address, &[value.to_bits()], note).await;
    }

    /// Reads one dword of SRAM: one bus transaction. `address` is a multiple of 4.
    pub async fn read_sram(&self, address: SramAddr) -> Result<u32, BusFault> {
        self.pio.read(self.resources.sram + address.0).await
    }

    /// Posts writes of consecutive dwords of SRAM; `address` is a multiple of 4. It returns when
    /// the stores have left the processor.
    pub async fn write_sram(&self, address: SramAddr, words: &[u32]) {
        self.write_sram_noted(address, words, None).await;
    }

    /// The same; `note` is recorded when the last word has reached the NIC.
    pub async fn write_sram_noted(&self, address: SramAddr, words: &[u32], note: Option<Note>) {
        self.pio.write_words(self.resources.sram + address.0, words, note).await;
    }

    /// A structure, each word read once (INV-35).
    pub async fn read_struct<T: FromBytes>(&self, address: SramAddr) -> Result<T, BusFault> {
        let mut bytes = Vec::with_capacity(size_of::<T>());
        for offset in (0..size_of::<T>() as u32).step_by(4) {
            bytes.extend(self.read_sram(address + offset).await?.to_le_bytes());
        }
        Ok(T::read_from_bytes(&bytes).expect("layouts are whole words"))
    }

    /// Posts a write of a structure to SRAM, word by word; `address` is a multiple of 4.
    pub async fn write_struct<T: IntoBytes + Immutable>(&self, address: SramAddr, value: &T) {
        self.write_sram(address, &words_of(value)).await;
    }
}

/// The words of a structure, or of bytes whose number is a multiple of 4.
pub fn words_of<T: IntoBytes + Immutable + ?Sized>(value: &T) -> Vec<u32> {
    let words = value.as_bytes().chunks_exact(4);
    words.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}
