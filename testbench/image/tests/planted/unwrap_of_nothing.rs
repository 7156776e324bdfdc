#[no_mangle]
extern "C" fn main() -> ! {
    loop {
        keep(unknown().checked_sub(1).unwrap());
    }
}
