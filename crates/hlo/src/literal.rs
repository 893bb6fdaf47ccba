//! Values of small constants as HLO text writes them: `0`, `{1, 2, 3}`, `{ { 1, 2 }, { 3, 4 } }`.

use std::fmt::Write;

use prost::Message;

use crate::primitive_type::PrimitiveType;
use crate::shape::Shape;

/// Constants of more elements are not written out, as in HLO text.
const MAX_ELEMENTS: u64 = 10;

/// The values that a constant may carry, one list per type.
#[derive(Clone, PartialEq, Message)]
struct Literal {
    #[prost(bool, repeated, tag = "2")]
    preds: Vec<bool>,
    #[prost(bytes = "vec", tag = "3")]
    u8s: Vec<u8>,
    #[prost(int32, repeated, tag = "4")]
    s32s: Vec<i32>,
    #[prost(int64, repeated, tag = "5")]
    s64s: Vec<i64>,
    #[prost(uint32, repeated, tag = "6")]
    u32s: Vec<u32>,
    #[prost(uint64, repeated, tag = "7")]
    u64s: Vec<u64>,
    #[prost(float, repeated, tag = "8")]
    f32s: Vec<f32>,
    #[prost(double, repeated, tag = "9")]
    f64s: Vec<f64>,
    #[prost(bytes = "vec", tag = "11")]
    f16s: Vec<u8>,
    #[prost(bytes = "vec", tag = "13")]
    bf16s: Vec<u8>,
    #[prost(bytes = "vec", tag = "15")]
    s8s: Vec<u8>,
    #[prost(bytes = "vec", tag = "16")]
    u16s: Vec<u8>,
    #[prost(bytes = "vec", tag = "17")]
    s16s: Vec<u8>,
}

/// The value of a constant; none where it is large, or of a type that is not written out.
pub(crate) fn text(shape: &Shape, literal: &[u8]) -> Option<String> {
    let count = shape.element_count();
    if shape.is_tuple() || count > MAX_ELEMENTS {
        return None;
    }
    let values = values(shape.element_type, &Literal::decode(literal).ok()?)?;
    if values.len() as u64 != count {
        return None;
    }
    let mut text = String::new();
    write_dimension(&mut text, &shape.dimensions, &mut values.iter(), true);
    Some(text)
}

fn values(element_type: PrimitiveType, literal: &Literal) -> Option<Vec<String>> {
    use PrimitiveType as Type;
    let pairs = |bytes: &[u8]| -> Vec<u16> {
        let pairs = bytes.chunks_exact(2);
        pairs
            .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
            .collect()
    };
    Some(match element_type {
        Type::Pred => texts(&literal.preds),
        Type::S8 => literal
            .s8s
            .iter()
            .map(|v| v.cast_signed().to_string())
            .collect(),
        Type::U8 => texts(&literal.u8s),
        Type::S16 => {
            let signed = pairs(&literal.s16s).into_iter().map(u16::cast_signed);
            signed.map(|value| value.to_string()).collect()
        }
        Type::U16 => texts(&pairs(&literal.u16s)),
        Type::S32 => texts(&literal.s32s),
        Type::U32 => texts(&literal.u32s),
        Type::S64 => texts(&literal.s64s),
        Type::U64 => texts(&literal.u64s),
        Type::F32 => {
            let values = literal.f32s.iter();
            values
                .map(|&v| float(f64::from(v), format!("{v:e}"), 6))
                .collect()
        }
        Type::F64 => {
            let values = literal.f64s.iter();
            values.map(|&v| float(v, format!("{v:e}"), 15)).collect()
        }
        Type::Bf16 => {
            let values = pairs(&literal.bf16s).into_iter();
            values.map(|bits| brief(bits, bf16_value, 2)).collect()
        }
        Type::F16 => {
            let values = pairs(&literal.f16s).into_iter();
            values.map(|bits| brief(bits, f16_value, 3)).collect()
        }
        _ => return None,
    })
}

fn texts(values: &[impl ToString]) -> Vec<String> {
    values.iter().map(ToString::to_string).collect()
}

fn bf16_value(bits: u16) -> f64 {
    f64::from(f32::from_bits(u32::from(bits) << 16))
}

/// IEEE half precision: sign, 5 bits of exponent, 10 of fraction.
fn f16_value(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023) / 1024.0);
    sign * match exponent {
        0 => fraction * 2f64.powi(-14),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction) * 2f64.powi(exponent - 15),
    }
}

/// The fewest digits that are nearer to this value than to both neighbors of its narrow type.
fn brief(bits: u16, value: fn(u16) -> f64, digits: usize) -> String {
    let exact = value(bits);
    let neighbors = [bits.wrapping_sub(1), bits.wrapping_add(1)].map(value);
    let is_near = |text: &str| {
        let read: f64 = text.parse().unwrap_or(f64::NAN);
        neighbors
            .iter()
            .all(|other| (read - exact).abs() < (read - other).abs() || !other.is_finite())
    };
    let mut texts = (0..6).map(|precision| format!("{exact:.precision$e}"));
    let text = texts.find(|text| is_near(text));
    float(exact, text.unwrap_or_else(|| format!("{exact:e}")), digits)
}

/// A number from its scientific text, as C's `%g` with so many digits writes it.
fn float(value: f64, scientific: String, digits: usize) -> String {
    if !value.is_finite() {
        return match (value.is_nan(), value > 0.0) {
            (true, _) => "nan".to_owned(),
            (false, true) => "inf".to_owned(),
            (false, false) => "-inf".to_owned(),
        };
    }
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let given = mantissa.chars().filter(char::is_ascii_digit).count();
    let widest = i32::try_from(given.max(digits)).unwrap_or(i32::MAX);
    if (-4..widest).contains(&exponent) {
        let value: f64 = scientific.parse().unwrap_or(value);
        return value.to_string();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

/// One dimension after another; the outer ones with spaces within their braces.
fn write_dimension<'a>(
    text: &mut String,
    dimensions: &[i64],
    values: &mut impl Iterator<Item = &'a String>,
    is_outermost: bool,
) {
    let [size, inner @ ..] = dimensions else {
        text.push_str(values.next().map_or("?", String::as_str));
        return;
    };
    let is_spaced = !inner.is_empty() || !is_outermost;
    text.push_str(if is_spaced { "{ " } else { "{" });
    for index in 0..*size {
        if index > 0 {
            text.push_str(", ");
        }
        write_dimension(text, inner, values, false);
    }
    let _ = text.write_str(if is_spaced { " }" } else { "}" });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(element_type: PrimitiveType, dimensions: &[i64]) -> Shape {
        Shape {
            element_type,
            dimensions: dimensions.to_vec(),
            ..Shape::default()
        }
    }

    #[test]
    fn numbers_are_written_as_hlo_text_does() {
        let of = |values: &[f32]| Literal {
            f32s: values.to_vec(),
            ..Literal::default()
        };
        let scalar = |value: f32| {
            let literal = of(&[value]).encode_to_vec();
            text(&shape(PrimitiveType::F32, &[]), &literal).expect("a scalar")
        };
        let cases = [
            (0.0, "0"),
            (-0.5, "-0.5"),
            (0.1, "0.1"),
            (1e-8, "1e-08"),
            (0.000_390_625, "0.000390625"),
            (10_000.0, "10000"),
            (f32::NEG_INFINITY, "-inf"),
        ];
        for (value, expected) in cases {
            assert_eq!(scalar(value), expected);
        }
        let lowest = Literal {
            bf16s: 0xff33_u16.to_le_bytes().to_vec(),
            ..Literal::default()
        };
        let half = Literal {
            f16s: 0x3c00_u16.to_le_bytes().to_vec(),
            ..Literal::default()
        };
        let literal = lowest.encode_to_vec();
        assert_eq!(
            text(&shape(PrimitiveType::Bf16, &[]), &literal).as_deref(),
            Some("-2.38e+38")
        );
        let literal = half.encode_to_vec();
        assert_eq!(
            text(&shape(PrimitiveType::F16, &[]), &literal).as_deref(),
            Some("1")
        );
    }

    #[test]
    fn small_arrays_are_written_out_and_large_ones_are_not() {
        let literal = Literal {
            s32s: (1..=6).collect(),
            ..Literal::default()
        }
        .encode_to_vec();
        let of = |dimensions| text(&shape(PrimitiveType::S32, dimensions), &literal);
        assert_eq!(of(&[6]).as_deref(), Some("{1, 2, 3, 4, 5, 6}"));
        assert_eq!(of(&[2, 3]).as_deref(), Some("{ { 1, 2, 3 }, { 4, 5, 6 } }"));
        assert_eq!(of(&[7]), None, "fewer values than the shape has");
        assert_eq!(of(&[1 << 40]), None);
    }
}
