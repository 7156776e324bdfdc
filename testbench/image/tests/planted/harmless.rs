#[no_mangle]
extern "C" fn main() -> ! {
    loop {
        keep(unknown());
    }
}
