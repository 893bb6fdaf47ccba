//! A number as users write it down: `5.03e16`, or the product it is, `6 * 8B * 2^20`.

/// What the factors of a product are worth in letters: thousands to trillions.
const SUFFIXES: [(char, f64); 6] = [
    ('k', 1e3),
    ('K', 1e3),
    ('M', 1e6),
    ('G', 1e9),
    ('B', 1e9),
    ('T', 1e12),
];

const SHAPE: &str = "expected a positive number such as 5.03e16, or a product such as 6*8B*2^20 \
                     (6 x parameters x tokens); factors may end in k, M, B or T";

/// The value of a positive number or a product of positive numbers.
pub(super) fn product(text: &str) -> Result<f64, String> {
    let factors = text.split(['*', '×', '·']).map(factor);
    let value = factors.product::<Option<f64>>();
    let value = value.filter(|value| value.is_finite() && *value > 0.0);
    value.ok_or_else(|| SHAPE.to_owned())
}

/// `8`, `8B`, `2^20`.
fn factor(text: &str) -> Option<f64> {
    if let Some((base, exponent)) = text.split_once('^') {
        return Some(positive(base)?.powi(exponent.trim().parse().ok()?));
    }
    let text = text.trim();
    let scaled = SUFFIXES.iter().find_map(|&(suffix, scale)| {
        let digits = text.strip_suffix(suffix)?;
        Some(positive(digits)? * scale)
    });
    scaled.or_else(|| positive(text))
}

fn positive(text: &str) -> Option<f64> {
    let digits = text.trim().replace(['_', ','], "");
    digits.parse().ok().filter(|number: &f64| *number > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_multiplied_out() {
        let tokens = f64::from(1 << 20);
        for (text, value) in [
            ("5.03e16", 5.03e16),
            ("6*8e9*1048576", 6.0 * 8e9 * tokens),
            ("6 * 8B * 2^20", 6.0 * 8e9 * tokens),
            ("6 × 70 B · 4M", 6.0 * 70e9 * 4e6),
            ("1.5T", 1.5e12),
            ("8_000_000_000*6", 48e9),
            ("1,048,576", tokens),
            ("2*3k", 6e3),
        ] {
            assert_eq!(product(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn what_is_no_positive_product_is_refused() {
        for text in [
            "",
            "*",
            "6*",
            "0",
            "-6*8",
            "-1*-1",
            "nan",
            "inf",
            "1e308*1e308",
            "8Q",
            "6x",
            "2^",
            "2^2.5",
            "B",
            "6*8B parameters",
        ] {
            assert!(product(text).is_err(), "{text}");
        }
    }
}
