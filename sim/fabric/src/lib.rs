//! Links between NICs, and their faults
