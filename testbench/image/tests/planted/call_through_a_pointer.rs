#[inline(never)]
fn one() {
    keep(1);
}

#[inline(never)]
fn two() {
    keep(2);
}

static WAYS: [fn(); 2] = [one, two];

#[no_mangle]
extern "C" fn main() -> ! {
    loop {
        WAYS[unknown() as usize & 1]();
    }
}
