//! What is kept: the vocabulary of compilers, runtimes, drivers and chips. Words are runs of
//! letters; a token of letters and digits is kept only if it is one of a few forms.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

/// Words that are kept: of opcodes, runtimes, drivers, compilers, Python's and JAX's own modules,
/// units.
static WORDS: LazyLock<FxHashSet<&str>> =
    LazyLock::new(|| include_str!("words.txt").split_whitespace().collect());

/// Tokens of letters and digits that are kept: types, chips, functions.
static TOKENS: LazyLock<FxHashSet<&str>> =
    LazyLock::new(|| include_str!("tokens.txt").split_whitespace().collect());

/// Parts of longer words that say what something does, and that determine classes.
const MARKS: [&str; 40] = [
    "allgather",
    "allreduce",
    "autotun",
    "checkpoint",
    "cutlass",
    "dataload",
    "datawait",
    "dgrad",
    "fetchbatch",
    "flashattention",
    "flashattn",
    "fmha",
    "gemm",
    "getbatch",
    "hmma",
    "iteratorgetnext",
    "infeed",
    "inputpipeline",
    "llvm",
    "LLVM",
    "loadbatch",
    "loaddata",
    "makebatch",
    "matmul",
    "nextbatch",
    "nvjet",
    "nvshmem",
    "outfeed",
    "prefetch",
    "preparebatch",
    "readbatch",
    "sdpa",
    "splash",
    "tfrecord",
    "wgmma",
    "wgrad",
    "xmma",
    "nccl",
    "rccl",
    "Callback",
];

/// Units that follow a number without a space.
const UNITS: [&str; 24] = [
    "ns", "us", "ms", "s", "ps", "b", "k", "m", "g", "kb", "mb", "gb", "tb", "kib", "mib", "gib",
    "hz", "khz", "mhz", "ghz", "gbps", "w", "x", "c",
];

/// Matrix instructions of NVIDIA as names of kernels write them: their shape without signs.
const INSTRUCTIONS: [&str; 9] = [
    "884", "1688", "8816", "8832", "16816", "16832", "16864", "161616", "161664",
];

/// Digits of a number within a token that is kept.
const TOKEN_DIGITS: usize = 4;
/// Characters from which a token of hexadecimal digits is an id.
const HEX_ID: usize = 8;

/// Whether a run of letters is vocabulary. A single letter says nothing.
pub(super) fn is_public(word: &str) -> bool {
    let mut letters = word.chars();
    let is_letter =
        letters.next().is_some_and(|letter| letter.is_ascii()) && letters.next().is_none();
    is_letter || word.is_empty() || WORDS.contains(word.to_ascii_lowercase().as_str())
}

/// Whether a run of letters, or each of its parts, is vocabulary.
pub(super) fn is_public_in_parts(word: &str) -> bool {
    is_public(word) || parts(word).iter().all(|part| is_public(part))
}

/// Whether a token of letters and digits is vocabulary: `bf16`, `conv2d`, `ParallelMapV2`,
/// `128x64`, `b01f`, `12ms`.
pub(super) fn is_public_token(token: &str) -> bool {
    let lower = token.to_ascii_lowercase();
    if TOKENS.contains(lower.as_str()) || is_extent(token) || is_dimension_labels(token) {
        return true;
    }
    if is_architecture(&lower) || is_with_unit(&lower) || is_instruction(&lower) {
        return true;
    }
    let is_hex = token.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hex && token.len() >= HEX_ID {
        return false;
    }
    let runs = runs(token);
    let digits = || runs.iter().filter(|run| is_digits(run));
    if digits().any(|run| run.len() > TOKEN_DIGITS) || digits().count() > 2 {
        return false;
    }
    let words = || runs.iter().filter(|run| !is_digits(run));
    if !words().all(|word| is_public_in_parts(word)) {
        return false;
    }
    let is_short = runs.len() == 2 && runs.iter().all(|run| run.len() <= 2);
    let mut all_parts = words().flat_map(|word| parts(word));
    is_short
        || all_parts.any(|part| part.len() > 2)
        || words().any(|word| word.len() > 2 && is_public(word))
}

/// `128`, `128x64`, `2x2x1`: sizes along dimensions.
pub(super) fn is_extent(text: &str) -> bool {
    text.split('x')
        .all(|part| is_digits(part) && part.len() <= 5)
}

/// `b01f`, `01io`: which dimension of a convolution is which.
fn is_dimension_labels(token: &str) -> bool {
    let bytes = token.as_bytes();
    let is_label = |byte: &u8| b"bfio01234".contains(byte);
    let is_new = |(at, byte): (usize, &u8)| !bytes[..at].contains(byte);
    (2..=6).contains(&bytes.len())
        && bytes.iter().all(is_label)
        && bytes.iter().enumerate().all(is_new)
}

/// `sm90`, `sm100a`, `gfx90a`.
fn is_architecture(lower: &str) -> bool {
    let is_short = |rest: &str| (1..=4).contains(&rest.len());
    let number = |rest: &str| {
        rest.trim_end_matches(['a', 'f', 'c'])
            .parse::<u32>()
            .is_ok()
    };
    let names = ["sm", "gfx", "compute"];
    let rest = names.iter().find_map(|name| lower.strip_prefix(name));
    rest.is_some_and(|rest| is_short(rest) && number(rest))
}

/// `s16816gemm`, `h884`, `MI32x32x8x1`, `s256x128x16gemm`: shapes of matrix instructions and of
/// tiles in names of kernels.
fn is_instruction(lower: &str) -> bool {
    let shape = lower.trim_start_matches(|letter: char| letter.is_ascii_lowercase());
    let before = &lower[..lower.len() - shape.len()];
    let plain = shape.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
    let behind = &shape[plain.len()..];
    let is_shape = plain.contains('x') && plain.len() <= 16 && is_extent(plain);
    (is_shape || INSTRUCTIONS.contains(&plain)) && is_public(before) && is_public(behind)
}

fn is_with_unit(lower: &str) -> bool {
    let digits = lower.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0
        && digits <= 6
        && lower
            .get(digits..)
            .is_some_and(|unit| UNITS.contains(&unit))
}

/// Whether a text is digits and nothing else.
pub(super) fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Runs of letters and runs of digits, in turn.
pub(super) fn runs(token: &str) -> Vec<&str> {
    let mut runs = Vec::new();
    let mut rest = token;
    while let Some(first) = rest.chars().next() {
        let is_digit = first.is_ascii_digit();
        let end = rest.find(|letter: char| letter.is_ascii_digit() != is_digit);
        let (run, behind) = rest.split_at(end.unwrap_or(rest.len()));
        runs.push(run);
        rest = behind;
    }
    runs
}

/// `PjRtClient` is `Pj`, `Rt`, `Client`, and `HLOModule` is `HLO`, `Module`.
pub(super) fn parts(word: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let letters: Vec<(usize, char)> = word.char_indices().collect();
    let mut begin = 0;
    for at in 1..letters.len() {
        let (place, letter) = letters[at];
        let is_after_small = !letters[at - 1].1.is_uppercase();
        let is_before_small = letters
            .get(at + 1)
            .is_some_and(|next| next.1.is_lowercase());
        if letter.is_uppercase() && (is_after_small || is_before_small) {
            parts.push(&word[begin..place]);
            begin = place;
        }
    }
    parts.push(&word[begin..]);
    parts
}

/// A mark within a word, as written there, and its position.
pub(super) fn mark(word: &str) -> Option<(usize, &str)> {
    let lower = word.to_ascii_lowercase();
    MARKS.iter().find_map(|mark| {
        let place = if mark.starts_with(char::is_uppercase) {
            word.find(mark)
        } else {
            lower.find(mark)
        }?;
        Some((place, word.get(place..place + mark.len())?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_letters_and_digits_are_kept_only_in_known_forms() {
        for kept in [
            "bf16",
            "f8e4m3fn",
            "conv2d",
            "ParallelMapV2",
            "128x64",
            "b01f",
            "01io",
            "12ms",
            "sm90",
            "gfx942",
            "s16816gemm",
            "MI32x32x8x1",
            "H100",
            "v5e",
            "MemcpyD2H",
            "fusion12",
            "p0",
        ] {
            assert!(is_public_token(kept), "{kept}");
        }
        for private in [
            "u1234567",
            "a1b2c3d4",
            "7f3a9b2c",
            "add1dead",
            "alice42",
            "x9y8z7",
            "sk7f",
            "1a2b3c",
            "fusion1234567",
        ] {
            assert!(!is_public_token(private), "{private}");
        }
    }
}
