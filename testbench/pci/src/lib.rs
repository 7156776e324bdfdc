//! Tests of the PCI block alone
