//! What a module defines, imports and mentions.

use std::collections::HashSet;

use syn::visit::{self, Visit};
use syn::{Attribute, Item, UseTree, Visibility};

/// A `use`, one leaf of its tree.
pub(super) struct Import {
    pub(super) path: Vec<String>,
    /// The name it gets here; [`None`] for `*`.
    pub(super) name: Option<String>,
    /// It passes the name on to others.
    pub(super) is_public: bool,
}

/// What one module says, without its submodules.
#[derive(Default)]
pub(super) struct Mentions {
    /// Names of the items that it defines.
    pub(super) defined: HashSet<String>,
    pub(super) imports: Vec<Import>,
    /// Every path in its code.
    pub(super) paths: Vec<Vec<String>>,
}

impl Mentions {
    pub(super) fn of(items: &[Item]) -> Self {
        let mut mentions = Self::default();
        for item in items {
            mentions.visit_item(item);
            mentions.defined.extend(name_of(item));
        }
        mentions
    }

    fn import(&mut self, prefix: &[String], tree: &UseTree, is_public: bool) {
        let with = |name: &syn::Ident| {
            let mut path = prefix.to_vec();
            path.push(name.to_string());
            path
        };
        let import = match tree {
            UseTree::Path(part) => {
                return self.import(&with(&part.ident), &part.tree, is_public);
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(prefix, tree, is_public);
                }
                return;
            }
            UseTree::Glob(_) => (prefix.to_vec(), None),
            UseTree::Name(name) if name.ident == "self" => {
                (prefix.to_vec(), prefix.last().cloned())
            }
            UseTree::Name(name) => (with(&name.ident), Some(name.ident.to_string())),
            UseTree::Rename(name) if name.ident == "self" => {
                (prefix.to_vec(), Some(name.rename.to_string()))
            }
            UseTree::Rename(name) => (with(&name.ident), Some(name.rename.to_string())),
        };
        let (path, name) = import;
        self.imports.push(Import {
            path,
            name,
            is_public,
        });
    }
}

impl<'ast> Visit<'ast> for Mentions {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Use(item) => {
                let is_public = !matches!(item.vis, Visibility::Inherited);
                if !is_for_tests(&item.attrs) {
                    self.import(&[], &item.tree, is_public);
                }
            }
            Item::Fn(item) if is_for_tests(&item.attrs) => {}
            Item::Impl(item) if is_for_tests(&item.attrs) => {}
            // Modules speak for themselves.
            Item::Mod(_) => {}
            item => visit::visit_item(self, item),
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names = path.segments.iter().map(|part| part.ident.to_string());
        self.paths.push(names.collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        self.paths.extend(paths_of(&called.tokens.to_string()));
        visit::visit_macro(self, called);
    }
}

/// The paths in the text of a macro's arguments, which need not be Rust.
fn paths_of(tokens: &str) -> Vec<Vec<String>> {
    let mut found: Vec<Vec<String>> = Vec::new();
    let (mut is_joined, mut was_name) = (false, false);
    for word in tokens.split_whitespace() {
        let is_name = word.starts_with(|first: char| first.is_alphabetic() || first == '_')
            && word
                .chars()
                .all(|letter| letter.is_alphanumeric() || letter == '_');
        match (is_name, is_joined, found.last_mut()) {
            (true, true, Some(path)) => path.push(word.to_owned()),
            (true, _, _) => found.push(vec![word.to_owned()]),
            (false, ..) => {}
        }
        is_joined = word == "::" && was_name;
        was_name = is_name;
    }
    found
}

fn name_of(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::TraitAlias(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

/// Whether it is compiled for tests only.
pub(super) fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .meta
                .require_list()
                .is_ok_and(|list| list.tokens.to_string() == "test")
    })
}

/// The file that a `#[path]` names.
pub(super) fn path_attribute(attributes: &[Attribute]) -> Option<String> {
    let path = attributes
        .iter()
        .find(|attribute| attribute.path().is_ident("path"))?;
    match &path.meta.require_name_value().ok()?.value {
        syn::Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Str(text),
            ..
        }) => Some(text.value()),
        _ => None,
    }
}
