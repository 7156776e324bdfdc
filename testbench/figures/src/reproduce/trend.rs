//! Decisions on trends, from numbers alone.

/// A line through points by least squares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    pub slope: f64,
    /// Share of the variance that the line explains: 1 if all points lie on it.
    pub r2: f64,
}

/// # Panics
/// With fewer than two different values of x.
pub fn line(points: &[(f64, f64)]) -> Line {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (mean_x, mean_y) = (mean(|point| point.0), mean(|point| point.1));
    let sum = |of: &dyn Fn(f64, f64) -> f64| points.iter().map(|(x, y)| of(x - mean_x, y - mean_y)).sum::<f64>();
    let (xx, xy, yy) = (sum(&|x, _| x * x), sum(&|x, y| x * y), sum(&|_, y| y * y));
    assert!(xx > 0.0, "a line needs two different x");
    let r2 = if yy == 0.0 { 1.0 } else { xy * xy / (xx * yy) };
    Line { slope: xy / xx, r2 }
}

pub fn falls(values: &[f64]) -> bool {
    values.windows(2).all(|pair| pair[1] < pair[0])
}

pub fn rises(values: &[f64]) -> bool {
    values.windows(2).all(|pair| pair[1] > pair[0])
}

/// The mean of ratios.
pub fn geometric_mean(values: &[f64]) -> f64 {
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_and_a_bend_shows() {
        let straight = line(&[(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]);
        assert!((straight.slope - 2.0).abs() < 1e-12 && (straight.r2 - 1.0).abs() < 1e-12);
        let bent = line(&[(0.0, 0.0), (1.0, 1.0), (2.0, 1.0), (3.0, 0.0)]);
        assert!(bent.slope.abs() < 1e-12 && bent.r2 < 0.01);
        assert_eq!(line(&[(0.0, 4.0), (1.0, 4.0)]), Line { slope: 0.0, r2: 1.0 });
    }

    #[test]
    fn what_stays_neither_falls_nor_rises() {
        assert!(falls(&[3.0, 2.0, 1.0]) && !falls(&[3.0, 3.0]) && !falls(&[1.0, 2.0]));
        assert!(rises(&[1.0, 2.0]) && !rises(&[2.0, 2.0]));
    }

    #[test]
    fn doubling_and_halving_make_one() {
        assert!((geometric_mean(&[2.0, 0.5]) - 1.0).abs() < 1e-12);
    }
}
