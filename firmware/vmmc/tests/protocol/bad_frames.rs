//! Bad frames. Each reason to refuse or drop a frame has its counter, and a refused frame counts as
//! received (M-49; INV-21, 22, 34).

use nic_layout::cbh::{cbh, Descriptor};
use nic_layout::counter::Counter;
use nic_layout::frame::rdma::{Repr, Write};
use nic_layout::tables::PERMIT_READ;

use crate::mock::scene::{frame, world, DESCRIPTOR, PID};
use crate::mock::SETTINGS;

/// Makes a good frame bad.
type Change = fn(&mut Repr, &mut Write);

#[test]
fn each_bad_frame_ends_in_its_own_counter_and_refused_ones_advance_the_sequence() {
    let mut world = world(SETTINGS);
    // The driver has answered that these two buffers do not exist.
    world.nodes[1].load_buffer(cbh(PID, 1));
    world.nodes[1].load_buffer(u32::MAX);
    let refused: [(Counter, Change); 7] = [
        (Counter::FramesRefusedBuffer, |_, write| write.buffer = cbh(PID, 1)),
        (Counter::FramesRefusedKey, |_, write| write.key = [1, 3, 0, 0]),
        (Counter::FramesRefusedBounds, |_, write| write.buffer_offset = 8 * 4096 - 3),
        (Counter::FramesRefusedBounds, |_, write| write.buffer_offset = u32::MAX),
        (Counter::FramesRefusedAborted, |_, write| (write.aborted, write.data_bytes) = (true, 0)),
        (Counter::FramesAccepted, |_, write| write.data_bytes = 0),
        (Counter::FramesRefusedBuffer, |_, write| write.buffer = u32::MAX),
    ];
    let mut sequence = 0;
    for (counter, change) in refused {
        let before = world.nodes[1].counter(counter);
        world.nodes[1].deliver(&frame(sequence, change));
        world.run(100, |world| world.nodes[1].counter(counter) == before + 1);
        sequence += 1;
    }
    let dropped: [(Counter, Change); 7] = [
        (Counter::FramesMalformed, |repr, _| repr.destination = 0),
        (Counter::FramesMalformed, |_, write| write.data_bytes = 13),
        (Counter::FramesMalformed, |_, write| write.data_bytes = u16::MAX),
        (Counter::FramesStrange, |repr, _| repr.source = 2),
        (Counter::FramesStrange, |repr, _| repr.source = 1),
        (Counter::FramesStrange, |repr, _| repr.session = 4),
        (Counter::FramesGap, |_, write| write.sequence += 1),
    ];
    for (counter, change) in dropped {
        let before = world.nodes[1].counter(counter);
        world.nodes[1].deliver(&frame(sequence, change));
        world.run(100, |world| world.nodes[1].counter(counter) == before + 1);
    }
    world.nodes[1].deliver(&[0; 59]);
    world.nodes[1].deliver(&[0xFF; 64]);
    world.nodes[1].deliver(&frame(0, |_, _| {}));
    world.settle();
    assert_eq!(world.nodes[1].counter(Counter::FramesDuplicate), 1);
    // Node 0 has sent no frame, so every acknowledgement is wild to it. It counts them and goes on.
    assert!(world.nodes[0].counter(Counter::AcksWild) > 0);
    world.nodes.iter().for_each(|node| node.check_sums(true));
}

#[test]
fn permission_is_checked() {
    let mut world = world(SETTINGS);
    let read_only = cbh(PID, 3);
    world.nodes[1].export(read_only, Descriptor { permissions: PERMIT_READ, ..DESCRIPTOR });
    world.nodes[1].load_buffer(read_only);
    world.nodes[1].deliver(&frame(0, |_, write| write.buffer = cbh(PID, 3)));
    world.run(100, |world| world.nodes[1].counter(Counter::FramesRefusedPermission) == 1);
}
