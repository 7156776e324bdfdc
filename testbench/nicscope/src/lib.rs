//! The nicscope command
