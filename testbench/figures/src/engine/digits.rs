//! Numbers as text.

/// A count as a whole number, any other number with three or four significant digits.
pub fn digits(number: f64) -> String {
    match number.abs() {
        _ if number.fract() == 0.0 => format!("{number:.0}"),
        size if size >= 1000.0 => format!("{number:.0}"),
        size if size >= 100.0 => format!("{number:.1}"),
        size if size >= 1.0 => format!("{number:.2}"),
        _ => format!("{number:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_digits_that_count() {
        assert_eq!(
            [0.0, 12.0, 0.0625, 2.71429, 253.44, 12_406.7].map(digits),
            ["0", "12", "0.062", "2.71", "253.4", "12407"]
        );
    }
}
