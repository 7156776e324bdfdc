//! Longer messages in pieces. The pieces of a page take one command of the host's bus and one
//! lookup (M-7, INV-15). The mock checks two rules of host reads besides.

use nic_device::Device;
use nic_layout::counter::Counter;
use nic_layout::post::PostDescriptor;
use nic_layout::ring::{DMA_AHEAD_SHIFT, DMA_FLAG_ASSIST};

use crate::mock::scene::{post, world, SOURCE};
use crate::mock::{Node, Settings, SETTINGS};

/// The host reads of data that a node has posted: bus address, bytes, and the bytes that the
/// command reads ahead.
fn data_reads(node: &Node) -> Vec<(u32, u32, u32)> {
    let reads =
        node.hardware.reads.iter().map(|(bus, _, control)| (*bus, control & 0xFFFF, control >> DMA_AHEAD_SHIFT));
    reads.filter(|(_, bytes, _)| *bytes != 0).collect()
}

#[test]
fn a_page_goes_in_pieces_that_one_command_reads() {
    let mut world = world(Settings { frame_data_bytes_max: 4096, tx_buffers: 24, ..SETTINGS });
    // A message that misses goes on in the pieces of a message that has waited. The next message
    // hits.
    for (lengths, hits) in [
        (&[508, 512, 512, 512, 512, 512, 512, 496, 20][..], 2),
        (&[300, 328, 352, 376, 400, 424, 448, 472, 496, 480, 20], 4),
    ] {
        let node = &mut world.nodes[0];
        let sent = node.counter(Counter::FramesSent);
        // The message begins 20 bytes behind the begin of a page and ends in the next page.
        node.post(0, &PostDescriptor { local_address: SOURCE * 4096 + 20, ..post(4096) });
        for _ in 0..20 {
            node.step_firmware();
            node.serve_miss();
        }
        let reads = data_reads(node);
        assert_eq!(reads[0].0 % 4096, 20);
        assert_eq!(reads.iter().map(|(_, bytes, _)| *bytes).collect::<Vec<_>>(), lengths);
        let ahead: Vec<u32> = reads.iter().map(|(_, _, ahead)| *ahead).collect();
        assert_eq!(ahead[0], 4076 - lengths[0]);
        assert!(ahead[1..].iter().all(|ahead| *ahead == 0));
        assert_eq!(node.counter(Counter::FramesSent), sent + lengths.len() as u32);
        assert_eq!(node.counter(Counter::SendHits), hits, "one lookup for each page");
        assert_eq!(node.locked_lines(), 1);
        world.settle();
        assert_eq!(world.nodes[0].locked_lines(), 0);
    }
    world.nodes[0].check_sums(true);
}

#[test]
fn without_room_for_all_pieces_each_has_a_command_of_its_own() {
    let mut world = world(Settings { frame_data_bytes_max: 4096, tx_buffers: 5, ..SETTINGS });
    let node = &mut world.nodes[0];
    node.post(0, &post(4096));
    for _ in 0..20 {
        node.step_firmware();
        node.serve_miss();
    }
    assert_eq!(data_reads(node).iter().map(|(_, bytes, ahead)| (*bytes, *ahead)).collect::<Vec<_>>(), [(512, 0); 5]);
    world.settle();
    assert_eq!(world.nodes[0].status(0).ended, 1);
}

#[test]
#[should_panic(expected = "a frame is released before it is placed")]
fn a_release_in_front_of_its_frame_is_found() {
    let hardware = &mut world(SETTINGS).nodes[0].hardware;
    hardware.post_dma_read(0, 0, 0, DMA_FLAG_ASSIST);
}

#[test]
#[should_panic(expected = "does not go on where")]
fn a_host_read_beside_what_was_read_ahead_is_found() {
    let hardware = &mut world(SETTINGS).nodes[0].hardware;
    hardware.read_on(0x1000, 512, 1024);
    hardware.read_on(0x1200, 512, 0);
    hardware.read_on(0x1408, 512, 0);
}
