//! The main work of a NIC's processor, in four pieces: looking up keys in chains, copying a frame,
//! a checksum by table, and a machine of many states. Each piece runs twice, the second time warm.
//! A write to the trace CSR marks its beginning; another one, with the result, marks its end.

#![no_std]
#![no_main]

use core::arch::{asm, global_asm};
use core::hint::black_box;

// Registers that functions save must have a value.
global_asm!(
    ".section .text.start",
    ".globl _start",
    "_start: la sp, _stack",
    ".irp register, ra, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11",
    "li \\register, 0",
    ".endr",
    "j main"
);

fn mark(value: u32) {
    // SAFETY: the trace CSR has no effect on the program.
    unsafe { asm!("csrw 0x7c0, {}", in(reg) value) }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    mark(u32::MAX);
    loop {}
}

// ---- Looking up ---------------------------------------------------------------------

const BUCKETS: usize = 64;
const NODES: usize = 192;

#[derive(Clone, Copy)]
struct Node {
    key: u32,
    value: u32,
    next: u16,
}

struct Table {
    heads: [u16; BUCKETS],
    nodes: [Node; NODES],
}

const NIL: u16 = u16::MAX;

fn hash(key: u32) -> usize {
    (key.wrapping_mul(0x9E37_79B1) >> 26) as usize
}

impl Table {
    fn fill(&mut self) {
        self.heads = [NIL; BUCKETS];
        let mut key = 1u32;
        for index in 0..NODES {
            key = key.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let bucket = hash(key);
            self.nodes[index] = Node { key, value: index as u32, next: self.heads[bucket] };
            self.heads[bucket] = index as u16;
        }
    }

    #[inline(never)]
    fn find(&self, key: u32) -> Option<u32> {
        let mut at = self.heads[hash(key)];
        while let Some(node) = self.nodes.get(usize::from(at)) {
            if node.key == key {
                return Some(node.value);
            }
            at = node.next;
        }
        None
    }
}

fn look_up(table: &Table) -> u32 {
    let mut sum = 0u32;
    let mut key = 1u32;
    for round in 0..256u32 {
        key = key.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        // Every fourth key is missing.
        let wanted = if round % 4 == 3 { !key } else { key };
        sum = sum.wrapping_mul(31).wrapping_add(table.find(wanted).unwrap_or(7));
    }
    sum
}

// ---- Copying ------------------------------------------------------------------------

const FRAME: usize = 1500;

fn copy(from: &[u8; FRAME], to: &mut [u8; FRAME]) -> u32 {
    to.copy_from_slice(black_box(from));
    u32::from(black_box(&*to)[FRAME - 1])
}

// ---- Checksum -----------------------------------------------------------------------

fn crc_table(table: &mut [u32; 256]) {
    for (index, entry) in table.iter_mut().enumerate() {
        *entry = (0..8).fold(index as u32, |crc, _| crc >> 1 ^ if crc & 1 == 1 { 0xEDB8_8320 } else { 0 });
    }
}

fn crc(table: &[u32; 256], bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, &byte| crc >> 8 ^ table[((crc ^ u32::from(byte)) & 0xFF) as usize])
}

// ---- States -------------------------------------------------------------------------

#[derive(Clone, Copy)]
enum State {
    Idle,
    Number,
    Word,
    Quoted,
    Escaped,
    Comment,
}

fn parse(bytes: &[u8]) -> u32 {
    let mut state = State::Idle;
    let (mut numbers, mut words, mut quotes, mut value) = (0u32, 0u32, 0u32, 0u32);
    for &byte in bytes {
        state = match (state, byte) {
            (State::Idle, b'0'..=b'9') => {
                value = u32::from(byte - b'0');
                State::Number
            }
            (State::Idle, b'a'..=b'z') => State::Word,
            (State::Idle, b'"') => State::Quoted,
            (State::Idle, b'#') => State::Comment,
            (State::Number, b'0'..=b'9') => {
                value = value.wrapping_mul(10).wrapping_add(u32::from(byte - b'0'));
                State::Number
            }
            (State::Number, _) => {
                numbers = numbers.wrapping_add(value);
                State::Idle
            }
            (State::Word, b'a'..=b'z' | b'0'..=b'9') => State::Word,
            (State::Word, _) => {
                words += 1;
                State::Idle
            }
            (State::Quoted, b'\\') => State::Escaped,
            (State::Quoted, b'"') => {
                quotes += 1;
                State::Idle
            }
            (State::Escaped, _) => State::Quoted,
            (State::Comment, b'\n') => State::Idle,
            (state, _) => state,
        };
    }
    numbers ^ words << 8 ^ quotes << 16
}

const TEXT: &[u8] = b"post 17 send 2048 \"a \\\"frame\\\" of bytes\" key 99812 # until here\nrecv 5 \"x\" timer 250000 alpha9 7 8 9 # b\n\
    window 64 retry 12 \"\" \"\\\\\" credit 4096 drop 0 miss 31 # end of the list\n";

// ---- Main ---------------------------------------------------------------------------

static mut TABLE: Table = Table { heads: [0; BUCKETS], nodes: [Node { key: 0, value: 0, next: 0 }; NODES] };
static mut CRC: [u32; 256] = [0; 256];
static mut FROM: [u8; FRAME] = [0; FRAME];
static mut TO: [u8; FRAME] = [0; FRAME];

#[no_mangle]
extern "C" fn main() -> ! {
    // SAFETY: no other code runs, and each static is borrowed here once.
    let (table, crcs, from, to) =
        unsafe { (&mut *(&raw mut TABLE), &mut *(&raw mut CRC), &mut *(&raw mut FROM), &mut *(&raw mut TO)) };
    table.fill();
    crc_table(crcs);
    for (index, byte) in from.iter_mut().enumerate() {
        *byte = (index * 7) as u8;
    }
    for _ in 0..2 {
        mark(1);
        mark(look_up(black_box(table)));
        mark(2);
        mark(copy(black_box(from), black_box(to)));
        mark(3);
        mark(crc(black_box(crcs), &black_box(&*to)[..1024]));
        mark(4);
        mark(parse(black_box(TEXT)));
    }
    loop {}
}
