//! Exported buffers and remote writes
