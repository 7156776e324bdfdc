//! Lookup caches of the NIC
