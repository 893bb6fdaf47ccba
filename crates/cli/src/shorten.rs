//! Names of one column, shortened so that rows stay distinguishable.
//!
//! Most names keep both ends ([`format::shortened`]). Names of C++ kernels often differ only in the
//! middle, where that cuts, or end with the same parameters. If different names would look alike,
//! the first of these forms that distinguishes them is used, complete forms before cut ones:
//!
//! ```text
//! void at::native::copy_kernel<float, 4>(int, Array<char*, 2>)      as it is
//! at::native::copy_kernel<float, 4>                                 without result and parameters
//! at::native::copy_kernel<…>                                        without template arguments
//! at::…kernel<float, 4>…                                            around what differs
//! at::native::copy…4>(int…#2                                        numbered in their order
//! ```

use std::collections::{BTreeMap, BTreeSet};

use crate::format::{self, Charset};

/// Characters shown before the first one that differs.
const CONTEXT: usize = 3;

/// Each text in at most this many terminal columns; different texts look different.
pub(crate) fn distinct(texts: &[String], columns: usize, charset: Charset) -> Vec<String> {
    let mut shown: Vec<String> = texts
        .iter()
        .map(|text| format::shortened(text, columns, charset))
        .collect();
    let show = |alike: &[&str], again: &[String], shown: &mut [String]| {
        for (text, shown) in texts.iter().zip(shown) {
            if let Ok(place) = alike.binary_search(&text.as_str()) {
                shown.clone_from(&again[place]);
            }
        }
    };
    let ways: [Way; 5] = [
        |texts, columns, charset| fitting(texts, columns, charset, signature),
        |texts, columns, charset| fitting(texts, columns, charset, collapsed),
        |texts, columns, charset| cut(texts, columns, charset, signature),
        |texts, columns, charset| cut(texts, columns, charset, collapsed),
        around,
    ];
    for way in ways {
        for alike in look_alikes(texts, &shown) {
            let again = way(&alike, columns, charset);
            let different: BTreeSet<&String> = again.iter().collect();
            if different.len() == alike.len() {
                show(&alike, &again, &mut shown);
            }
        }
    }
    // Numbered together, so that no two sets have the same numbers.
    let mut rest: Vec<&str> = look_alikes(texts, &shown).into_iter().flatten().collect();
    rest.sort_unstable();
    show(&rest, &numbered(&rest, columns, charset), &mut shown);
    shown
}

/// Shortens sorted, different texts to at most this many columns. Some may still look alike; the
/// result is empty if this way does not fit.
type Way = fn(&[&str], usize, Charset) -> Vec<String>;

/// A text without its optional parts.
type Form = fn(&str, Charset) -> String;

/// Sets of different texts that look the same, each sorted.
fn look_alikes<'a>(texts: &'a [String], shown: &[String]) -> Vec<Vec<&'a str>> {
    let mut by_look: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (text, shown) in texts.iter().zip(shown) {
        by_look.entry(shown).or_default().insert(text);
    }
    let several = by_look.into_values().filter(|texts| texts.len() > 1);
    several.map(|texts| texts.into_iter().collect()).collect()
}

/// The form of each text, if all fit uncut.
fn fitting(texts: &[&str], columns: usize, charset: Charset, form: Form) -> Vec<String> {
    let short: Vec<String> = texts.iter().map(|text| form(text, charset)).collect();
    if short.iter().all(|text| format::width(text) <= columns) {
        short
    } else {
        Vec::new()
    }
}

/// The form of each text, cut like any other name.
fn cut(texts: &[&str], columns: usize, charset: Charset, form: Form) -> Vec<String> {
    let short = |text: &&str| format::shortened(&form(text, charset), columns, charset);
    texts.iter().map(short).collect()
}

/// `ns::kernel<float>` of `void ns::kernel<float>(int, float*)`; other texts stay as they are.
fn signature(text: &str, _: Charset) -> String {
    let name = text.strip_prefix("void ").unwrap_or(text);
    let Some(head) = name.strip_suffix(')') else {
        return name.to_owned();
    };
    let mut depth = 1;
    for (place, character) in head.char_indices().rev() {
        match character {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        if depth == 0 && place > 0 {
            return head[..place].to_owned();
        }
    }
    name.to_owned()
}

/// `ns::kernel<…>` of `void ns::kernel<float, Array<4>>(int)`.
fn collapsed(text: &str, charset: Charset) -> String {
    let mut short = String::new();
    let mut depth = 0usize;
    for character in signature(text, charset).chars() {
        match character {
            '<' => {
                if depth == 0 {
                    short.push('<');
                    short.push_str(charset.ellipsis());
                }
                depth += 1;
            }
            '>' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    short.push('>');
                }
            }
            _ if depth == 0 => short.push(character),
            _ => {}
        }
    }
    short
}

/// The start, and the part where a text starts to differ from its neighbors in the order.
fn around(texts: &[&str], columns: usize, charset: Charset) -> Vec<String> {
    let names: Vec<&str> = texts
        .iter()
        .map(|text| text.strip_prefix("void ").unwrap_or(text))
        .collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    let common = |a: &str, b: &str| {
        let pairs = a.chars().zip(b.chars());
        pairs.take_while(|(a, b)| a == b).count()
    };
    let differs = |name: &str| {
        let number = sorted.partition_point(|other| *other < name);
        let before = number.checked_sub(1).map(|at| common(sorted[at], name));
        let after = sorted.get(number + 1).map(|next| common(name, next));
        before.max(after).unwrap_or(0)
    };
    let short = |name: &&str| window(name, differs(name), columns, charset);
    names.iter().map(short).collect()
}

/// The start of a text, and what is around one of its characters.
fn window(text: &str, at: usize, columns: usize, charset: Charset) -> String {
    let ellipsis = charset.ellipsis();
    let length = text.chars().count();
    let room = columns.saturating_sub(2 * format::width(ellipsis));
    // Paths all start alike.
    let is_path = text.contains('/') && !text.contains(' ');
    let head_room = if is_path { 0 } else { room / 4 };
    let width = room - head_room;
    let from = at.saturating_sub(CONTEXT).min(length.saturating_sub(width));
    let from = from.max(head_room);
    let head = format::taken(text.chars(), head_room);
    let shown = format::taken(text.chars().skip(from), width);
    let is_end = from + shown.chars().count() >= length;
    let gap = if from > head_room { ellipsis } else { "" };
    let end = if is_end { "" } else { ellipsis };
    format!("{head}{gap}{shown}{end}")
}

/// The start and a number.
fn numbered(texts: &[&str], columns: usize, charset: Charset) -> Vec<String> {
    let numbers = 1..=texts.len();
    let short = |(text, number): (&&str, usize)| {
        let end = format!("{}#{number}", charset.ellipsis());
        let head = columns.saturating_sub(format::width(&end));
        format!("{}{end}", format::taken(text.chars(), head))
    };
    texts.iter().zip(numbers).map(short).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(texts: &[&str], columns: usize) -> Vec<String> {
        let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        let shown = distinct(&texts, columns, Charset::Ascii);
        for text in &shown {
            assert!(format::width(text) <= columns, "{columns}: {text}");
        }
        shown
    }

    #[test]
    fn names_that_look_different_stay_as_they_are_shortened() {
        let names = ["fusion_with_a_rather_long_name.42", "dot.1", "dot.1"];
        assert_eq!(
            shown(&names, 20),
            ["fusion_wi..._name.42", "dot.1", "dot.1"]
        );
    }

    #[test]
    fn kernels_lose_their_parameters_first() {
        let names = [
            "void at::native::reduce_kernel<512>(at::native::Array<char*, 2>, int)",
            "void at::native::reducer_kernel<64>(at::native::Array<char*, 2>, int)",
        ];
        assert_eq!(
            shown(&names, 36),
            [
                "at::native::reduce_kernel<512>",
                "at::native::reducer_kernel<64>",
            ]
        );
    }

    #[test]
    fn then_their_template_arguments() {
        let names = [
            "void ns::detail::gather_kernel<ns::Functor<float, 4>, ns::Policy<1>>(int)",
            "void ns::detail::scatter_kernel<ns::Functor<float, 4>, ns::Policy<1>>(int)",
        ];
        assert_eq!(
            shown(&names, 31),
            [
                "ns::detail::gather_kernel<...>",
                "ns::detail::scatter_kernel<...>"
            ]
        );
    }

    #[test]
    fn then_all_but_what_differs() {
        let names = [
            "void elementwise_kernel<128, ns::Add<float>, ns::Array<char*, 3>, 4>(int)",
            "void elementwise_kernel<128, ns::Mul<float>, ns::Array<char*, 3>, 4>(int)",
            "void elementwise_kernel<128, ns::Sub<float>, ns::Array<char*, 3>, 4>(int)",
        ];
        let shown = shown(&names, 30);
        for (text, op) in shown.iter().zip(["Add", "Mul", "Sub"]) {
            assert!(text.contains(op) && text.starts_with("elem"), "{text}");
        }
    }

    #[test]
    fn scopes_show_where_they_differ() {
        let scopes = [
            "jit(step)/transformer/layer_1/attention/query/dot_general",
            "jit(step)/transformer/layer_2/attention/query/dot_general",
        ];
        let shown = shown(&scopes, 24);
        assert!(
            shown[0].contains("_1/") && shown[1].contains("_2/"),
            "{shown:?}"
        );
    }

    #[test]
    fn different_names_look_different_at_any_width() {
        let mut names = Vec::new();
        for op in ["Add", "Mul"] {
            for (threads, kind) in [(64, "float"), (64, "double"), (128, "float")] {
                names.push(format!(
                    "void ns::elementwise_kernel<{threads}, ns::{op}<{kind}>, ns::Array<char*, 3>>(ns::{op}<{kind}>, int)"
                ));
            }
        }
        names.push(names[0].clone());
        for columns in 12..100 {
            let shown = distinct(&names, columns, Charset::Unicode);
            let different: BTreeSet<&String> = shown.iter().collect();
            assert_eq!(different.len(), 6, "{columns}: {shown:#?}");
            assert_eq!(shown[0], shown[6], "equal names look equal");
            assert!(shown.iter().all(|text| format::width(text) <= columns));
        }
    }
}
