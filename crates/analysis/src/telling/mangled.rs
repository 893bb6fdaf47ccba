//! Mangled names of C++ functions (Itanium ABI) as C++ writes them: `_ZN3foo3barIfEEvv` is
//! `void foo::bar<float>()`. NVIDIA's and AMD's recorders write either form.

use cpp_demangle::{DemangleOptions, ParseOptions, Symbol};

/// Longer names are left as they are: substitutions let a short name stand for a very long one.
const MAX_MANGLED_BYTES: usize = 4 << 10;
/// A longer result is not shown.
const MAX_BYTES: usize = 16 << 10;
/// Nesting of types that is followed.
const MAX_DEPTH: u32 = 64;

/// The name as C++ writes it; none if it is not mangled, damaged, or too long.
pub(crate) fn demangled(name: &str) -> Option<String> {
    if !name.starts_with("_Z") || name.len() > MAX_MANGLED_BYTES {
        return None;
    }
    let parsing = ParseOptions::default().recursion_limit(MAX_DEPTH);
    let symbol = Symbol::new_with_options(name, &parsing).ok()?;
    let writing = DemangleOptions::new().recursion_limit(MAX_DEPTH);
    let mut text = Bounded::default();
    symbol.structured_demangle(&mut text, &writing).ok()?;
    Some(text.text)
}

/// A text that refuses to become too long.
#[derive(Default)]
struct Bounded {
    text: String,
}

impl cpp_demangle::DemangleWrite for Bounded {
    fn write_string(&mut self, part: &str) -> std::fmt::Result {
        if self.text.len() + part.len() > MAX_BYTES {
            return Err(std::fmt::Error);
        }
        self.text.push_str(part);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mangled_names_are_written_as_in_cpp() {
        let of = |name: &str| demangled(name);
        assert_eq!(
            of("_ZN3foo3barIfEEvv").as_deref(),
            Some("void foo::bar<float>()")
        );
        assert_eq!(
            of("_Z14vector_add_f32PKfS0_Pfi").as_deref(),
            Some("vector_add_f32(float const*, float const*, float*, int)")
        );
        for plain in [
            "",
            "_Z",
            "gemm_fusion_dot_3",
            "void foo::bar<float>()",
            "_ZN3fooE",
        ] {
            assert_eq!(of(plain).filter(|text| plain == text), None, "{plain}");
        }
    }

    #[test]
    fn names_that_grow_or_nest_without_end_are_left_as_they_are() {
        // Each level of the template repeats the one before twice.
        let mut grown = "_Z1fI1aE".to_owned();
        for level in 0..60 {
            let seen = format!(
                "S{}_",
                char::from(b'0' + u8::try_from(level % 10).expect("small"))
            );
            grown.extend(["I", &seen, &seen, "E"]);
        }
        let nested = format!("_Z1f{}i", "P".repeat(4000));
        for name in [grown, nested, format!("_Z1f{}", "i".repeat(1 << 20))] {
            assert!(demangled(&name).is_none_or(|text| text.len() <= MAX_BYTES));
        }
    }
}
