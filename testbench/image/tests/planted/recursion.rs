#[inline(never)]
fn descend(depth: u32) -> u32 {
    if depth == 0 {
        return unknown();
    }
    let below = descend(unknown());
    keep(below);
    below ^ depth
}

#[no_mangle]
extern "C" fn main() -> ! {
    loop {
        keep(descend(unknown()));
    }
}
