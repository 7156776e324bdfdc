//! The verilated NIC with typed pins
