//! Sequence numbers, acknowledgement and retransmission per node
