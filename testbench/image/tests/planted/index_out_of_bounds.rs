#[no_mangle]
extern "C" fn main() -> ! {
    let words = [1u32, 2, 3];
    loop {
        keep(words[unknown() as usize]);
    }
}
