//! The instruction that waits for an event and jumps to its handler (docs/core.md, Dispatch).

/// CSR: the event whose handler [`HANDLER_CSR`] is.
pub const INDEX_CSR: u16 = 0x7C1;

/// CSR: where the handler of that event begins.
pub const HANDLER_CSR: u16 = 0x7C2;

/// `nic.dispatch rd`: no assembler knows it. The link register `rd` gets the address behind it.
pub const fn encoding(rd: u32) -> u32 {
    assert!(rd < 32);
    rd << 7 | 0x0B
}

/// With `ra` as link register, so that a handler is a function.
pub const DISPATCH_RA: u32 = encoding(1);
