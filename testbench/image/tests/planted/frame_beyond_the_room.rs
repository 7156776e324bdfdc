#[inline(never)]
fn half(words: &mut [u32; 400]) {
    let mut more = [0u32; 100];
    for (index, word) in more.iter_mut().enumerate() {
        *word = unknown() ^ index as u32;
    }
    for word in words.iter_mut() {
        *word = unknown();
    }
    for word in more.iter().chain(words.iter()) {
        keep(*word);
    }
}

#[no_mangle]
extern "C" fn main() -> ! {
    let mut words = [0; 400];
    loop {
        half(&mut words);
    }
}
