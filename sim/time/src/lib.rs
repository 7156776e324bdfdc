//! Clocks in integer picoseconds
