//! Tests of the core alone
