use super::*;
use crate::frame::link::{FLAG_ABORTED, FLAG_LAST, FRAME_BYTES_MIN};
use crate::frame::FrameError;

#[rustfmt::skip]
const WRITE_BYTES: [u8; 52] = [
    0x02, 0x4E, 0x53, 0x00, 0x00, 0x02, 0x02, 0x4E, 0x53, 0x00, 0x00, 0x01, 0x88, 0xB5, 0x01, 0x01,
    0x01, 0x05, 0x04, 0x00, 0x44, 0x33, 0x22, 0x11, 0x88, 0x77, 0x66, 0x55, 0x07, 0x00, 0x00, 0x00,
    0x00, 0x10, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x09, 0x00, 0x00, 0x00,
    0xDE, 0xAD, 0xBE, 0xEF,
];

const WRITE: Repr = Repr {
    destination: 2,
    source: 1,
    session: 5,
    key_width: KeyWidth::Bits64,
    acknowledge: 0x5566_7788,
    body: Body::Write(Write {
        last: true,
        aborted: false,
        notify: false,
        sequence: 0x1122_3344,
        data_bytes: 4,
        buffer: 7,
        buffer_offset: 0x1000,
        key: [1, 2, 0, 0],
        message: 9,
    }),
};

fn wide(repr: Repr) -> Repr {
    let key = [1, 2, 3, 4];
    let body = match repr.body {
        Body::Write(write) => Body::Write(Write { key, ..write }),
        Body::Read(read) => Body::Read(Read { key, ..read }),
        other => other,
    };
    Repr { key_width: KeyWidth::Bits128, body, ..repr }
}

#[test]
fn a_write_parses_from_its_bytes() {
    let packet = Packet::new_checked(&WRITE_BYTES[..]).unwrap();
    assert_eq!(Repr::parse(&packet), Ok(WRITE));
    assert_eq!(packet.data(), [0xDE, 0xAD, 0xBE, 0xEF]);
    assert_eq!(packet.source_node(), 1);
}

#[test]
fn a_write_builds_its_bytes() {
    let mut bytes = WRITE_BYTES;
    bytes[..HEADER_BYTES].fill(0xAA);
    WRITE.emit(&mut Packet::new_checked(&mut bytes[..]).unwrap());
    assert_eq!(bytes, WRITE_BYTES);
}

#[test]
fn the_upper_half_of_a_wide_key_stands_behind_the_header_of_a_narrow_one() {
    let mut bytes = [0xAA; 60];
    wide(WRITE).emit(&mut Packet::new_checked(&mut bytes[..]).unwrap());
    assert_eq!(bytes[..14], WRITE_BYTES[..14]);
    assert_eq!(bytes[14], 0x11, "of another protocol");
    assert_eq!(bytes[15..48], WRITE_BYTES[15..48]);
    assert_eq!(bytes[48..56], [3, 0, 0, 0, 4, 0, 0, 0]);
    let packet = Packet::new_checked(&bytes[..]).unwrap();
    assert_eq!((Repr::parse(&packet), packet.data()), (Ok(wide(WRITE)), &[0xAA; 4][..]));
    assert_eq!(
        word::kind(FrameKind::WRITE, FLAG_LAST) ^ word::mark(KeyWidth::Bits128),
        u32::from_le_bytes([0x88, 0xB5, 0x11, 1])
    );
    assert_eq!((word::data(KeyWidth::Bits64), word::data(KeyWidth::Bits128)), (48, 56));
    assert_eq!(Packet::new_checked(&bytes[..55]).unwrap_err(), FrameError::Truncated);
}

#[test]
fn an_acknowledgement_survives_the_wire() {
    let ack = Repr { body: Body::Acknowledge { refusals: 0x8000_0001 }, ..WRITE };
    let mut bytes = [0xAA; FRAME_BYTES_MIN];
    ack.emit(&mut Packet::new_checked(&mut bytes[..]).unwrap());
    assert_eq!(Repr::parse(&Packet::new_checked(&bytes[..]).unwrap()), Ok(ack));
}

#[test]
fn frames_of_every_other_kind_survive_the_wire() {
    let read = Read {
        sequence: 3,
        buffer: 7,
        buffer_offset: 40,
        key: [1, 2, 0, 0],
        message: 9,
        length: 5000,
        id: 0x0001_0002,
    };
    let reply =
        Reply { last: true, aborted: false, sequence: 4, data_bytes: 12, id: 0x0001_0002, offset: 1466, message: 9 };
    let others = [Body::Probe { sequence: 8 }, Body::Missed { expected: 5 }, Body::Restart { expected: 6 }];
    for body in [Body::Read(read), Body::Reply(reply)].into_iter().chain(others) {
        let frame = Repr { body, ..WRITE };
        for frame in [frame, wide(frame)] {
            // With what the longer data of a wide read need.
            let mut bytes = [0xAA; FRAME_BYTES_MIN + 16];
            frame.emit(&mut Packet::new_checked(&mut bytes[..]).unwrap());
            assert_eq!(Repr::parse(&Packet::new_checked(&bytes[..]).unwrap()), Ok(frame));
        }
    }
}

#[test]
fn a_single_bit_makes_no_kind_of_another() {
    use FrameKind as K;
    let kinds = [K::WRITE, K::ACKNOWLEDGE, K::READ, K::REPLY, K::PROBE, K::MISSED, K::RESTART].map(|kind| kind.0);
    for (i, one) in kinds.iter().enumerate() {
        assert!(kinds[i + 1..].iter().all(|other| (one ^ other).count_ones() >= 2));
    }
}

#[test]
fn the_words_of_the_firmware_are_the_same_bytes() {
    let words = [
        (word::ADDRESS_0, word::addresses(2, 1)[0]),
        (word::ADDRESS_1, word::addresses(2, 1)[1]),
        (word::ADDRESS_2, word::addresses(2, 1)[2]),
        (word::TYPE, word::kind(FrameKind::WRITE, FLAG_LAST)),
        (word::NODE_LENGTH, word::node_length(1, 5, 4)),
        (word::SEQUENCE, 0x1122_3344),
        (word::ACKNOWLEDGE, 0x5566_7788),
        (word::BUFFER, 7),
        (word::BUFFER_OFFSET, 0x1000),
        (word::KEY_0, 1),
        (word::KEY_1, 2),
        (word::MESSAGE, 9),
    ];
    for (at, value) in words {
        assert_eq!(value.to_le_bytes(), WRITE_BYTES[at as usize..at as usize + 4]);
    }
    assert_eq!(word::data_bytes(word::node_length(1, 5, 4)), 4);
    assert_eq!(word::session(word::node_length(1, 5, 4)), 5);
    assert_eq!(word::flags(word::kind(FrameKind::WRITE, 3)), 3);
}

#[test]
fn what_is_not_legal_is_refused() {
    let refused = |at: usize, value: u8| {
        let mut bytes = WRITE_BYTES;
        bytes[at] = value;
        Repr::parse(&Packet::new_checked(&bytes[..]).unwrap()).unwrap_err()
    };
    assert_eq!(refused(offset::ETHERTYPE, 8), FrameError::OtherEthertype);
    assert_eq!(refused(offset::KIND, 3), FrameError::UnknownKind);
    assert_eq!(refused(offset::KIND, 0x41), FrameError::OtherProtocol);
    assert_eq!(refused(offset::FLAGS, 0x80), FrameError::BadFlags);
    assert_eq!(refused(offset::FLAGS, FLAG_ABORTED), FrameError::BadFlags);
    assert_eq!(refused(offset::FLAGS, FLAG_NOTIFY), FrameError::BadFlags);
    assert_eq!(refused(offset::KIND, FrameKind::READ.0), FrameError::Truncated);
    assert_eq!(refused(offset::DATA_BYTES, 5), FrameError::Truncated);
    assert_eq!(Packet::new_checked(&WRITE_BYTES[..47]).unwrap_err(), FrameError::Truncated);
}
