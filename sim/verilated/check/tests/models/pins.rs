use verilated::{Context, Model};
use verilated_check::EveryWidth;

#[test]
fn a_port_of_every_width_carries_its_value() {
    let mut top = EveryWidth::new(Context::new()).unwrap();
    top.bit_i.set(0);
    top.byte_i.set(0xA5);
    top.nine_i.set(0x1A5);
    top.half_i.set(0x1234);
    top.seventeen_i.set(0x1_0001);
    top.word_i.set(0x89AB_CDEF);
    top.thirty_three_i.set(0x1_0000_0001);
    top.double_i.set(0x0123_4567_89AB_CDEF);
    top.sixty_five_i.set([1, 2, 1]);
    top.wide_i.set([1, 2, 3, 4]);
    top.tick(1000, 1).unwrap();
    assert_eq!(top.bit_o.get(), 1);
    assert_eq!(top.byte_o.get(), 0x5A);
    assert_eq!(top.nine_o.get(), 0x05A);
    assert_eq!(top.half_o.get(), 0xEDCB);
    assert_eq!(top.seventeen_o.get(), 0x0_FFFE);
    assert_eq!(top.word_o.get(), 0x7654_3210);
    assert_eq!(top.thirty_three_o.get(), 0x0_FFFF_FFFE);
    assert_eq!(top.double_o.get(), 0xFEDC_BA98_7654_3210);
    assert_eq!(top.sixty_five_o.get(), [!1, !2, 0]);
    assert_eq!(top.wide_o.get(), [!1, !2, !3, !4]);
}

#[test]
fn an_input_keeps_what_was_driven() {
    let top = EveryWidth::new(Context::new()).unwrap();
    top.nine_i.set(0x1FF);
    top.bit_i.set_bool(true);
    assert_eq!((top.nine_i.get(), top.bit_i.get()), (0x1FF, 1));
}

#[cfg(debug_assertions)]
#[test]
#[should_panic(expected = "a port of 9 bits")]
fn bits_beyond_a_port_are_refused() {
    EveryWidth::new(Context::new()).unwrap().nine_i.set(0x200);
}
