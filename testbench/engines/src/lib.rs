//! Tests of the DMA engines and the MAC alone
