//! The expected results of the kernels, computed as plainly as possible from the same data.

use std::collections::HashMap;

use nic_kernels::{each_kernel, mix, more, Arena, Kernel};

/// The check word of a kernel.
trait Plain: Kernel {
    fn expected(data: &Self::Data) -> u32;
}

/// The expected check words of all kernels, by their numbers.
pub fn expected() -> Vec<u32> {
    let mut arena = Arena::new();
    macro_rules! all {
        ($($number:literal, $kernel:ty, $c:ident;)*) => {
            vec![$({
                let data = arena.of::<$kernel>();
                <$kernel>::prepare(data);
                <$kernel>::expected(data)
            }),*]
        };
    }
    each_kernel!(all)
}

/// The check words that the kernels compute in Rust on this machine.
pub fn computed() -> Vec<u32> {
    let mut arena = Arena::new();
    macro_rules! all {
        ($($number:literal, $kernel:ty, $c:ident;)*) => {
            vec![$({
                let data = arena.of::<$kernel>();
                <$kernel>::prepare(data);
                let returned = <$kernel>::run(data);
                <$kernel>::check(data, returned)
            }),*]
        };
    }
    each_kernel!(all)
}

fn words(words: impl IntoIterator<Item = u32>) -> u32 {
    words.into_iter().fold(0, |sum: u32, word| sum.wrapping_mul(31).wrapping_add(word))
}

impl Plain for mix::Lookup {
    fn expected(table: &mix::Table) -> u32 {
        let values: HashMap<u32, u32> = table.nodes.iter().map(|node| (node.key, node.value)).collect();
        table.queries.iter().filter_map(|key| values.get(key)).fold(0, |sum, value| sum.wrapping_add(*value))
    }
}

impl Plain for mix::Copy {
    fn expected(frames: &mix::Frames) -> u32 {
        words(frames.from)
    }
}

/// The CRC bit by bit, as the standard defines it.
impl Plain for mix::Crc {
    fn expected(data: &mix::Checked) -> u32 {
        let mut crc = !0u32;
        for byte in data.bytes {
            for bit in 0..8 {
                let feedback = (crc ^ u32::from(byte >> bit)) & 1;
                crc = (crc >> 1) ^ (feedback * 0xEDB8_8320);
            }
        }
        !crc
    }
}

/// Works token by token instead of character by character.
impl Plain for mix::Machine {
    fn expected(text: &mix::Text) -> u32 {
        let text = std::str::from_utf8(&text.bytes).expect("ASCII");
        let mut counts = [0u32; 8];
        let mut last = 0;
        for token in text.split([' ', ',', '\n']) {
            last = kind(token);
            counts[last] += 1;
        }
        // The text behind the last separator is an unfinished token.
        counts[last] -= 1;
        counts.iter().fold(last as u32, |sum, &count| sum.wrapping_mul(131).wrapping_add(count))
    }
}

fn kind(token: &str) -> usize {
    let all = |text: &str, allowed: &str| text.chars().all(|c| allowed.contains(c));
    let letters = "abcdefghijklmnopqrstuvwxyz_";
    let unsigned = token.trim_start_matches(['+', '-']);
    match token {
        "" => 0,
        "+" | "-" => 2,
        "0" => 3,
        "0x" => 5,
        _ if letters.contains(&token[..1]) && all(token, &format!("{letters}0123456789")) => 1,
        _ if token.len() - unsigned.len() <= 1 && all(unsigned, "0123456789") => 4,
        _ if token.starts_with("0x") && all(&token[2..], "0123456789abcdef") => 6,
        _ => 7,
    }
}

impl Plain for more::Matrix {
    fn expected(data: &more::Matrices) -> u32 {
        let side = data.a.len();
        words((0..side * side).map(|at| {
            let (row, column) = (at / side, at % side);
            (0..side).map(|i| data.a[row][i] * data.b[i][column]).sum::<i32>() as u32
        }))
    }
}

impl Plain for more::Search {
    fn expected(data: &more::Haystack) -> u32 {
        let windows = data.text.windows(data.word.len()).enumerate();
        windows.filter(|(_, window)| *window == data.word).map(|(place, _)| 1 << 24 | place as u32).sum()
    }
}

impl Plain for more::Sort {
    fn expected(data: &more::Numbers) -> u32 {
        let mut sorted = data.given;
        sorted.sort();
        words(sorted)
    }
}

/// Follows the steps of the definition, one by one, in wide numbers.
impl Plain for more::Hash {
    fn expected(message: &more::Message) -> u32 {
        let times = |a: u32, b: u32| (u64::from(a) * u64::from(b) % (1 << 32)) as u32;
        let rotate = |value: u32, by: u32| {
            let wide = u64::from(value) << by;
            (wide | wide >> 32) as u32
        };
        let mut h = 0u32;
        for &word in &message.words {
            let mut k = times(word, 0xCC9E_2D51);
            k = rotate(k, 15);
            k = times(k, 0x1B87_3593);
            h ^= k;
            h = rotate(h, 13);
            h = ((u64::from(h) * 5 + 0xE654_6B64) % (1 << 32)) as u32;
        }
        h ^= 1024;
        h ^= h >> 16;
        h = times(h, 0x85EB_CA6B);
        h ^= h >> 13;
        h = times(h, 0xC2B2_AE35);
        h ^ h >> 16
    }
}

impl Plain for more::Filter {
    fn expected(data: &more::Samples) -> u32 {
        words((0..data.outputs.len()).map(|i| {
            let sum: i64 =
                (0..data.taps.len()).map(|tap| i64::from(data.inputs[i + tap]) * i64::from(data.taps[tap])).sum();
            (sum >> 8) as u32
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_in_rust_compute_what_the_plain_model_says() {
        assert_eq!(computed(), expected());
    }

    #[test]
    fn check_words_tell_kernels_apart() {
        let mut words = expected();
        words.sort();
        words.dedup();
        assert_eq!(words.len(), crate::runs::NAMES.len());
    }

    #[test]
    fn a_wrong_word_is_found() {
        let mut arena = Arena::new();
        let frames = arena.of::<mix::Copy>();
        mix::Copy::prepare(frames);
        mix::Copy::run(frames);
        frames.to.swap(3, 4);
        assert_ne!(mix::Copy::check(frames, 0), mix::Copy::expected(frames));
    }

    #[test]
    fn tokens_have_their_kinds() {
        for (token, expected) in
            [("buffer_7", 1), ("42", 4), ("0x1f3c", 6), ("-17", 4), ("0", 3), ("x", 1), ("0xq", 7), ("9b", 7), ("", 0)]
        {
            assert_eq!(kind(token), expected, "{token}");
        }
    }
}
