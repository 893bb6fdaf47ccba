//! `unsafe` is counted: each file that has it is listed with the number of its uses and a reason,
//! so that one more is a decision that reviewers see.

use std::collections::BTreeMap;

use serde::Deserialize;
use syn::visit::{self, Visit};

use crate::tree::SourceFile;

/// What `[unsafe_code]` in `docs/internals/layers.toml` says of a file.
#[derive(Debug, Deserialize)]
pub(crate) struct Counted {
    /// Blocks, functions, traits and implementations.
    pub(crate) count: usize,
    /// Why safe code cannot do it.
    pub(crate) why: String,
}

/// Files whose count is not the listed one.
pub(crate) fn violations(files: &[SourceFile], listed: &BTreeMap<String, Counted>) -> Vec<String> {
    let mut found = Vec::new();
    for file in files.iter().filter(|file| file.has_extension(&["rs"])) {
        let count = uses(&file.text);
        let listed = listed.get(&file.path);
        let known = listed.map_or(0, |listed| listed.count);
        if count != known {
            found.push(format!(
                "{}: `unsafe` stands {count} times, and [unsafe_code] of \
                 docs/internals/layers.toml says {known}",
                file.path
            ));
        }
    }
    for (path, listed) in listed {
        if listed.why.trim().is_empty() || files.iter().all(|file| file.path != *path) {
            found.push(format!(
                "[unsafe_code]: {path} has no reason, or is no file"
            ));
        }
    }
    found
}

/// How often `unsafe` stands in a text, in the sense of [`Counted::count`].
fn uses(text: &str) -> usize {
    if !text.contains("unsafe") {
        return 0;
    }
    let Ok(file) = syn::parse_file(text) else {
        return 0;
    };
    let mut uses = Uses(0);
    uses.visit_file(&file);
    uses.0
}

struct Uses(usize);

impl<'ast> Visit<'ast> for Uses {
    fn visit_expr_unsafe(&mut self, block: &'ast syn::ExprUnsafe) {
        self.0 += 1;
        visit::visit_expr_unsafe(self, block);
    }

    fn visit_signature(&mut self, signature: &'ast syn::Signature) {
        self.0 += usize::from(signature.unsafety.is_some());
        visit::visit_signature(self, signature);
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        self.0 += usize::from(item.unsafety.is_some());
        visit::visit_item_impl(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.0 += usize::from(item.unsafety.is_some());
        visit::visit_item_trait(self, item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> SourceFile {
        SourceFile {
            path: "a.rs".to_owned(),
            text: text.to_owned(),
        }
    }

    #[test]
    fn blocks_functions_and_implementations_count_and_words_do_not() {
        let text = "
            // unsafe is a word here
            unsafe fn a() {}
            unsafe impl Send for B {}
            fn c() { let text = \"unsafe\"; unsafe { a(); } }
        ";
        assert_eq!(uses(text), 3);
        let listed = |count, why: &str| {
            let why = why.to_owned();
            BTreeMap::from([("a.rs".to_owned(), Counted { count, why })])
        };
        let files = [file(text)];
        assert!(violations(&files, &listed(3, "a reason")).is_empty());
        assert_eq!(violations(&files, &listed(2, "a reason")).len(), 1);
        assert_eq!(violations(&files, &listed(3, "")).len(), 1);
        assert_eq!(violations(&files, &BTreeMap::new()).len(), 1);
        assert_eq!(violations(&[], &listed(1, "a reason")).len(), 1);
    }
}
