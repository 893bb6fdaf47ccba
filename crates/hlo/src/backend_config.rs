//! The few facts that only a backend's configuration of an instruction holds.
//!
//! The configuration is JSON whose schema belongs to each backend and changes freely, so the
//! wanted keys are picked out of the text and everything else is left alone.

use crate::attributes::{AttentionDimensions, CostEstimate, DotDimensions, Precision};

/// What was found; empty where nothing was.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct BackendConfig {
    pub(crate) dot: Option<DotDimensions>,
    pub(crate) known_trip_count: Option<u64>,
    pub(crate) kind: String,
    pub(crate) cost_estimate: Option<CostEstimate>,
    pub(crate) attention: Option<AttentionDimensions>,
    pub(crate) precision: Precision,
}

pub(crate) fn read(opcode: &str, config: &[u8]) -> BackendConfig {
    let mut found = BackendConfig::default();
    if config.is_empty() || !matches!(opcode, "custom-call" | "while" | "fusion") {
        return found;
    }
    let Ok(config) = std::str::from_utf8(config) else {
        return found;
    };
    match opcode {
        "custom-call" => {
            found.dot = dot_dimensions(config);
            found.precision = precision(config).unwrap_or_default();
            found.cost_estimate = cost_estimate(config);
            found.attention = cudnn_attention(config).or_else(|| engine_attention(config));
        }
        "while" => found.known_trip_count = known_trip_count(config),
        _ => fusion_kind(config)
            .unwrap_or_default()
            .clone_into(&mut found.kind),
    }
    found
}

/// `"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],…}` of a GPU matmul.
fn dot_dimensions(config: &str) -> Option<DotDimensions> {
    let numbers = after_key(config, "dot_dimension_numbers")?;
    Some(DotDimensions {
        lhs_contracting: integers(numbers, "lhs_contracting_dimensions")?,
        rhs_contracting: integers(numbers, "rhs_contracting_dimensions").unwrap_or_default(),
        lhs_batch: integers(numbers, "lhs_batch_dimensions").unwrap_or_default(),
        rhs_batch: integers(numbers, "rhs_batch_dimensions").unwrap_or_default(),
    })
}

/// `"precision_config":{"operand_precision":["DEFAULT","HIGHEST"],"algorithm":"ALG_UNSET"}` of a GPU
/// matmul.
fn precision(config: &str) -> Option<Precision> {
    let (inside, _) = after_key(config, "precision_config")?.split_once('}')?;
    let level = if inside.contains("\"HIGHEST\"") {
        2
    } else {
        u8::from(inside.contains("\"HIGH\""))
    };
    let stated = after_key(inside, "algorithm").unwrap_or_default();
    let stated = stated.trim_start().trim_start_matches('"');
    let stated = stated.split('"').next().unwrap_or_default();
    let algorithm = ALGORITHMS.iter().position(|known| *known == stated);
    let algorithm = algorithm.and_then(|number| u8::try_from(number).ok());
    // Unset where the configuration has none; a name that is not listed is unknown.
    let is_unset = stated.is_empty();
    Some(Precision {
        level,
        algorithm: algorithm.unwrap_or(if is_unset { 0 } else { u8::MAX }),
    })
}

/// `PrecisionConfig.Algorithm` of `xla_data.proto`, by number.
const ALGORITHMS: [&str; 14] = [
    "ALG_UNSET",
    "ALG_DOT_ANY_F8_ANY_F8_F32",
    "ALG_DOT_ANY_F8_ANY_F8_F32_FAST_ACCUM",
    "ALG_DOT_F16_F16_F16",
    "ALG_DOT_F16_F16_F32",
    "ALG_DOT_BF16_BF16_BF16",
    "ALG_DOT_BF16_BF16_F32",
    "ALG_DOT_BF16_BF16_F32_X3",
    "ALG_DOT_BF16_BF16_F32_X6",
    "ALG_DOT_TF32_TF32_F32",
    "ALG_DOT_TF32_TF32_F32_X3",
    "ALG_DOT_F32_F32_F32",
    "ALG_DOT_F64_F64_F64",
    "ALG_DOT_BF16_BF16_F32_X9",
];

/// `"known_trip_count":{"n":"48"}` of a loop.
fn known_trip_count(config: &str) -> Option<u64> {
    let count = after_key(after_key(config, "known_trip_count")?, "n")?;
    leading_integer(count)
}

/// `"cost_estimate":{"flops":8,"transcendentals":0,"bytes_accessed":96}` of a Pallas kernel.
fn cost_estimate(config: &str) -> Option<CostEstimate> {
    let (estimate, _) = after_key(config, "cost_estimate")?
        .trim_start()
        .strip_prefix('{')?
        .split_once('}')?;
    let figure = |key| after_key(estimate, key).and_then(leading_integer);
    Some(CostEstimate {
        flops: figure("flops")?,
        transcendentals: figure("transcendentals").unwrap_or(0),
        bytes_accessed: figure("bytes_accessed").unwrap_or(0),
    })
}

/// `"intermediate_tensor_shape":{"dimensions":["4","16","512","512"],…}` of cuDNN's attention: batch,
/// heads, positions of queries and of keys.
fn cudnn_attention(config: &str) -> Option<AttentionDimensions> {
    let weights = after_key(
        after_key(config, "cudnn_fmha_backend_config")?,
        "intermediate_tensor_shape",
    )?;
    let sizes = integers(weights, "dimensions")?;
    let sizes: Vec<u64> = sizes
        .into_iter()
        .filter_map(|size| size.try_into().ok())
        .collect();
    let &[batch, heads, queries, keys] = sizes.as_slice() else {
        return None;
    };
    let mask = after_key(config, "mask_type")
        .unwrap_or_default()
        .trim_start();
    Some(AttentionDimensions {
        batch,
        heads,
        queries,
        keys,
        depths: 0,
        is_causal: mask.starts_with("\"CAUSAL") || mask.starts_with("\"PADDING_CAUSAL"),
    })
}

/// `{attn_heads = 16 : i64, input_batch = 4 : i64, …}` of Transformer Engine's attention.
fn engine_attention(config: &str) -> Option<AttentionDimensions> {
    let figure = |name| mlir_integer(config, name);
    let depth = figure("head_dim");
    let query_depth = figure("qk_head_dim").or(depth)?;
    Some(AttentionDimensions {
        batch: figure("input_batch")?,
        heads: figure("attn_heads")?,
        queries: figure("q_max_seqlen")?,
        keys: figure("kv_max_seqlen")?,
        depths: query_depth + figure("v_head_dim").unwrap_or(query_depth),
        // The library's numbers of masks: causal, with padding, and both from the bottom right.
        is_causal: matches!(figure("mask_type"), Some(2..=5)),
    })
}

/// The number behind `name = ` in a dictionary of MLIR attributes.
pub(crate) fn mlir_integer(config: &str, name: &str) -> Option<u64> {
    let mut rest = config;
    loop {
        let (before, after) = rest.split_once(name)?;
        rest = after;
        let is_whole = !before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        if let Some(value) = after.strip_prefix(" = ").filter(|_| is_whole) {
            return leading_integer(value);
        }
    }
}

/// The value of `name = "…"` in a dictionary of MLIR attributes, whose escapes are `\0A`, `\22`.
pub(crate) fn mlir_bytes(config: &str, name: &str) -> Option<Vec<u8>> {
    let (_, rest) = config.split_once(&format!("{name} = \""))?;
    let mut bytes = Vec::new();
    let mut rest = rest.as_bytes();
    loop {
        match rest {
            [b'"', ..] => return Some(bytes),
            [b'\\', mark @ (b'"' | b'\\'), tail @ ..] => {
                bytes.push(*mark);
                rest = tail;
            }
            [b'\\', high, low, tail @ ..] => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                let value = digit(*high)? * 16 + digit(*low)?;
                bytes.push(u8::try_from(value).ok()?);
                rest = tail;
            }
            [byte, tail @ ..] => {
                bytes.push(*byte);
                rest = tail;
            }
            [] => return None,
        }
    }
}

/// The same as text.
pub(crate) fn mlir_text(config: &str, name: &str) -> Option<String> {
    let bytes = mlir_bytes(config, name)?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The integer that a text begins with, quoted or not.
pub(crate) fn leading_integer(text: &str) -> Option<u64> {
    let digits = text.trim_start().trim_start_matches('"');
    let end = digits
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(digits.len());
    digits.get(..end)?.parse().ok()
}

/// `"kind":"__ynn_fusion"` of a fusion handled by a library.
fn fusion_kind(config: &str) -> Option<&str> {
    let value = after_key(config, "kind")?.trim_start().strip_prefix('"')?;
    value.split_once('"').map(|(kind, _)| kind)
}

/// The text behind `"key":`.
pub(crate) fn after_key<'a>(config: &'a str, key: &str) -> Option<&'a str> {
    let mut rest = config;
    loop {
        let (before, after) = rest.split_once(key)?;
        rest = after;
        if before.ends_with('"')
            && let Some(value) = after.strip_prefix('"')
            && let Some(value) = value.trim_start().strip_prefix(':')
        {
            return Some(value);
        }
    }
}

/// The array of integers behind a key; each may be quoted, as 64-bit integers are in JSON.
fn integers(config: &str, key: &str) -> Option<Vec<i64>> {
    let (inside, _) = after_key(config, key)?
        .trim_start()
        .strip_prefix('[')?
        .split_once(']')?;
    let numbers = inside
        .split(',')
        .map(|number| number.trim().trim_matches('"'));
    numbers
        .filter(|number| !number.is_empty())
        .map(|number| number.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wanted_keys_are_found_and_lookalikes_are_not() {
        let config = br#"{"name":"n","known_trip_count":{ "n" : "48"},"n":"7"}"#;
        assert_eq!(read("while", config).known_trip_count, Some(48));
        assert_eq!(
            read("while", br#"{"known_trip_count":{"step":"1"}}"#).known_trip_count,
            None
        );
        let config = br#"{"x":"kind","fusion_config":{"kind":"__ynn_fusion"}}"#;
        assert_eq!(read("fusion", config).kind, "__ynn_fusion");
        assert_eq!(read("add", config), BackendConfig::default());
    }

    #[test]
    fn a_kernels_own_estimate_is_read() {
        let config = br#"{"custom_call_config":{"body":"TUw=","cost_estimate": {"flops": 8192,
            "transcendentals": 64, "bytes_accessed": 96}, "needs_layout_passes": true}}"#;
        let estimate = CostEstimate {
            flops: 8192,
            transcendentals: 64,
            bytes_accessed: 96,
        };
        assert_eq!(read("custom-call", config).cost_estimate, Some(estimate));
        let without = br#"{"cost_estimate":{"bytes_accessed":96},"flops":1}"#;
        assert_eq!(read("custom-call", without).cost_estimate, None);
    }

    #[test]
    fn sizes_of_attention_are_read_from_both_libraries() {
        let config = br#"{"cudnn_fmha_backend_config":{"intermediate_tensor_shape":{
            "element_type":"BF16","dimensions":["4","16","512","1024"]},"mask_type":"CAUSAL"}}"#;
        let mut expected = AttentionDimensions {
            batch: 4,
            heads: 16,
            queries: 512,
            keys: 1024,
            depths: 0,
            is_causal: true,
        };
        assert_eq!(read("custom-call", config).attention, Some(expected));
        let config = b"{attn_heads = 16 : i64, head_dim = 64 : i64, input_batch = 4 : i64, \
            kv_max_seqlen = 1024 : i64, mask_type = 0 : i64, q_max_seqlen = 512 : i64}";
        (expected.depths, expected.is_causal) = (128, false);
        assert_eq!(read("custom-call", config).attention, Some(expected));
    }

    #[test]
    fn dot_dimensions_may_be_quoted_or_missing() {
        let config = br#"{"dot_dimension_numbers":{"lhs_contracting_dimensions":["2", 3],
            "rhs_contracting_dimensions":[1],"lhs_batch_dimensions":[]}}"#;
        let expected = DotDimensions {
            lhs_contracting: vec![2, 3],
            rhs_contracting: vec![1],
            ..DotDimensions::default()
        };
        assert_eq!(read("custom-call", config).dot, Some(expected));
        let broken = br#"{"dot_dimension_numbers":{"lhs_contracting_dimensions":["x"]}}"#;
        assert_eq!(read("custom-call", broken).dot, None);
    }
}
