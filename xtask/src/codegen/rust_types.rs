//! Report types as the Rust sources declare them: names, fields with their types, documentation.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use syn::{Attribute, Expr, Fields, GenericArgument, Item, Lit, Meta, PathArguments, Type};

use crate::tree;

/// Folders with types that are serialized as JSON.
const SOURCES: [&str; 2] = ["crates/analysis/src", "crates/server/src"];

/// A type that ts-rs exports.
pub(super) struct Declared {
    pub(super) documentation: String,
    pub(super) shape: Shape,
}

/// The form of a type in JSON.
pub(super) enum Shape {
    Struct(Vec<Field>),
    /// One of these texts, each with its documentation.
    Words(Vec<(String, String)>),
}

pub(super) struct Field {
    /// The key in JSON.
    pub(super) key: String,
    pub(super) documentation: String,
    pub(super) kind: Kind,
}

/// The type of a field.
pub(super) enum Kind {
    Whole,
    Number,
    Text,
    Flag,
    List(Box<Self>),
    Optional(Box<Self>),
    /// Keys are texts.
    Map(Box<Self>),
    Named(String),
}

/// Every type that derives `TS`, by its name.
pub(super) fn read(root: &Path) -> Result<BTreeMap<String, Declared>> {
    let mut types = BTreeMap::new();
    for folder in SOURCES {
        for file in tree::text_files(&root.join(folder))? {
            if !file.has_extension(&["rs"]) {
                continue;
            }
            let path = format!("{folder}/{}", file.path);
            let parsed =
                syn::parse_file(&file.text).with_context(|| format!("cannot parse {path}"))?;
            for item in &parsed.items {
                let Some((name, declared)) =
                    declared(item).with_context(|| format!("cannot read the types of {path}"))?
                else {
                    continue;
                };
                if types.insert(name.clone(), declared).is_some() {
                    bail!("two types are called {name}; reports need names of their own");
                }
            }
        }
    }
    Ok(types)
}

fn declared(item: &Item) -> Result<Option<(String, Declared)>> {
    match item {
        Item::Struct(item) if derives_ts(&item.attrs) => {
            let name = item.ident.to_string();
            let shape = fields(&item.fields, &name).with_context(|| format!("in {name}"))?;
            let documentation = documentation(&item.attrs);
            Ok(Some((
                name,
                Declared {
                    documentation,
                    shape,
                },
            )))
        }
        Item::Enum(item) if derives_ts(&item.attrs) => {
            let name = item.ident.to_string();
            if serde_value(&item.attrs, "rename_all").as_deref() != Some("snake_case") {
                bail!("{name} is an enum without rename_all = \"snake_case\"");
            }
            let mut words = Vec::new();
            for variant in &item.variants {
                if variant.fields != Fields::Unit {
                    bail!(
                        "{name}::{} holds values; reports use plain words",
                        variant.ident
                    );
                }
                let word = serde_value(&variant.attrs, "rename")
                    .unwrap_or_else(|| snake_case(&variant.ident.to_string()));
                words.push((word, documentation(&variant.attrs)));
            }
            let documentation = documentation(&item.attrs);
            let shape = Shape::Words(words);
            Ok(Some((
                name,
                Declared {
                    documentation,
                    shape,
                },
            )))
        }
        _ => Ok(None),
    }
}

fn derives_ts(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let mut found = false;
        if attribute.path().is_ident("derive") {
            let _ = attribute.parse_nested_meta(|meta| {
                found |= meta
                    .path
                    .segments
                    .last()
                    .is_some_and(|part| part.ident == "TS");
                Ok(())
            });
        }
        found
    })
}

/// `own` is what `Self` stands for.
fn fields(fields: &Fields, own: &str) -> Result<Shape> {
    let Fields::Named(named) = fields else {
        bail!("it has no named fields");
    };
    let mut found = Vec::new();
    for field in &named.named {
        let name = field
            .ident
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default();
        if serde_has(&field.attrs, "skip") {
            continue;
        }
        if serde_has(&field.attrs, "flatten") {
            bail!("{name} is flattened, which the Python types do not know");
        }
        let name = name.trim_start_matches("r#").to_owned();
        let kind = kind(&field.ty, own).with_context(|| format!("in the field {name}"))?;
        found.push(Field {
            key: serde_value(&field.attrs, "rename").unwrap_or(name),
            documentation: documentation(&field.attrs),
            kind,
        });
    }
    Ok(Shape::Struct(found))
}

fn kind(of: &Type, own: &str) -> Result<Kind> {
    let path = match of {
        Type::Path(path) => &path.path,
        Type::Reference(reference) => return kind(&reference.elem, own),
        Type::Array(array) => return Ok(Kind::List(Box::new(kind(&array.elem, own)?))),
        Type::Slice(slice) => return Ok(Kind::List(Box::new(kind(&slice.elem, own)?))),
        _ => bail!("a type that the Python types do not know"),
    };
    let Some(last) = path.segments.last() else {
        bail!("a type without a name");
    };
    let mut arguments = match &last.arguments {
        PathArguments::AngleBracketed(generics) => generics
            .args
            .iter()
            .filter_map(|argument| match argument {
                GenericArgument::Type(inner) => Some(kind(inner, own)),
                _ => None,
            })
            .collect::<Result<Vec<_>>>()?,
        _ => Vec::new(),
    };
    let name = match last.ident.to_string() {
        name if name == "Self" => own.to_owned(),
        name => name,
    };
    Ok(match (name.as_str(), arguments.pop()) {
        ("i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" | "usize" | "isize", _) => {
            Kind::Whole
        }
        ("f32" | "f64", _) => Kind::Number,
        ("String" | "str", _) => Kind::Text,
        ("bool", _) => Kind::Flag,
        ("Vec", Some(inner)) => Kind::List(Box::new(inner)),
        ("Option", Some(inner)) => Kind::Optional(Box::new(inner)),
        ("BTreeMap", Some(inner)) => Kind::Map(Box::new(inner)),
        ("Box", Some(inner)) => inner,
        (_, None) => Kind::Named(name),
        (_, Some(_)) => bail!("{name}<…> is a type that the Python types do not know"),
    })
}

/// The text of the `///` lines, links to Rust items as plain code.
fn documentation(attributes: &[Attribute]) -> String {
    let mut lines = Vec::new();
    for attribute in attributes {
        if let Meta::NameValue(pair) = &attribute.meta
            && pair.path.is_ident("doc")
            && let Expr::Lit(literal) = &pair.value
            && let Lit::Str(text) = &literal.lit
        {
            let line = text.value().trim().to_owned();
            lines.push(
                line.replace("[`", "`")
                    .replace("`]", "`")
                    .replace("::", "."),
            );
        }
    }
    lines.join("\n").trim().to_owned()
}

fn serde_has(attributes: &[Attribute], name: &str) -> bool {
    serde_find(attributes, name).is_some()
}

fn serde_value(attributes: &[Attribute], name: &str) -> Option<String> {
    serde_find(attributes, name).filter(|value| !value.is_empty())
}

/// The value of `#[serde(name = "value")]`; an empty one of `#[serde(name)]`.
fn serde_find(attributes: &[Attribute], name: &str) -> Option<String> {
    let mut found = None;
    for attribute in attributes.iter().filter(|a| a.path().is_ident("serde")) {
        let _ = attribute.parse_nested_meta(|meta| {
            let value = match meta.value() {
                Ok(value) => value.parse::<syn::LitStr>()?.value(),
                Err(_) => String::new(),
            };
            if meta.path.is_ident(name) {
                found = Some(value);
            }
            Ok(())
        });
    }
    found
}

/// Like serde's `snake_case` for variants: each capital starts a word.
fn snake_case(name: &str) -> String {
    let mut text = String::new();
    for (index, letter) in name.chars().enumerate() {
        if letter.is_uppercase() && index > 0 {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_struct_is_read_with_what_serde_does_to_it() {
        let source = "
            /// One op, see [`Other::name`].
            #[derive(Debug, Serialize, TS)]
            pub struct Row {
                /// Its class.
                pub class: &'static str,
                #[serde(rename = \"total\")]
                pub total_ps: Option<Vec<i64>>,
                #[serde(skip)]
                pub hidden: Unknown<u8, i8>,
                pub ratio: f64,
                pub kind: WordKind,
            }";
        let item: Item = syn::parse_str(source).unwrap();
        let (name, declared) = declared(&item).unwrap().unwrap();
        assert_eq!(
            (name.as_str(), declared.documentation.as_str()),
            ("Row", "One op, see `Other.name`.")
        );
        let Shape::Struct(fields) = declared.shape else {
            panic!("a struct");
        };
        let keys: Vec<&str> = fields.iter().map(|field| field.key.as_str()).collect();
        assert_eq!(keys, ["class", "total", "ratio", "kind"]);
        assert!(
            matches!(&fields[1].kind, Kind::Optional(list) if matches!(&**list, Kind::List(_)))
        );
        assert!(matches!(&fields[3].kind, Kind::Named(name) if name == "WordKind"));
    }

    #[test]
    fn what_python_could_not_say_is_refused() {
        let data = "#[derive(TS)] #[serde(rename_all = \"snake_case\")] enum Kind { A, B(u8) }";
        assert!(declared(&syn::parse_str(data).unwrap()).is_err());
        let flat = "#[derive(TS)] struct Row { #[serde(flatten)] inner: Other }";
        assert!(declared(&syn::parse_str(flat).unwrap()).is_err());
        assert_eq!(snake_case("HostToDevice"), "host_to_device");
    }
}
