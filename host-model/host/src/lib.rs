//! Memory, processors, driver and user library of a host
