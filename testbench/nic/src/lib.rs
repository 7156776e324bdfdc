//! Tests of memory, registers and the NIC as a whole
