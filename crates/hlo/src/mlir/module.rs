//! A module: its ops, with their names, attributes and types.

use super::attributes::{Attribute, Type};
use super::ops::{self, Op};
use super::sections::{Refusal, sections};
use super::tables::{self, Tables};

/// The newest version of the format that is read.
const NEWEST_VERSION: u64 = 6;

/// A module.
#[derive(Debug)]
pub(crate) struct Module<'a> {
    tables: Tables<'a>,
    /// The ops at the top: usually one `builtin.module`.
    pub(crate) ops: Vec<Op>,
}

impl<'a> Module<'a> {
    /// Reads a module.
    pub(crate) fn read(data: &'a [u8]) -> Result<Self, Refusal> {
        let (version, sections) = sections(data)?;
        if version > NEWEST_VERSION {
            return Err(Refusal::Version(version));
        }
        let tables = Tables::read(version, &sections).ok_or(Refusal::Damaged)?;
        let ops = sections.ops.ok_or(Refusal::Damaged)?;
        let ops = ops::read(version, tables.op_names.len(), ops).ok_or(Refusal::Damaged)?;
        Ok(Self { tables, ops })
    }

    /// The name of an op, with its dialect: `func.return`.
    pub(crate) fn name(&self, op: &Op) -> &str {
        let name = self.tables.op_names.get(op.name as usize);
        name.map_or("", String::as_str)
    }

    /// An attribute of an op; of a property only if the bytecode stores it with the attributes.
    pub(crate) fn attribute(&self, op: &Op, name: &str) -> Option<Attribute> {
        self.tables.named(op.attributes?, name)
    }

    /// A type by its number.
    pub(crate) fn type_of(&self, number: u32) -> Type {
        self.tables.type_of(number)
    }

    /// The ops within the modules at the top.
    pub(crate) fn functions(&self) -> impl Iterator<Item = &Op> {
        let blocks = self.ops.iter().flat_map(|op| op.regions.iter().flatten());
        blocks.flat_map(|block| &block.ops)
    }
}

/// The table of strings of a module: names of its ops, functions, attributes. Empty if it has none.
pub(crate) fn strings(data: &[u8]) -> Result<Vec<String>, Refusal> {
    let (_, sections) = sections(data)?;
    let strings = sections.strings.and_then(tables::strings);
    let strings = strings.unwrap_or_default().into_iter();
    Ok(strings
        .map(|text| String::from_utf8_lossy(text).into_owned())
        .collect())
}
