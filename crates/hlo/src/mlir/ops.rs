//! The ops of a module, with their regions, blocks and values.

use super::bytes::Bytes;

/// Regions within regions; kernels have a dozen.
const MAX_DEPTH: usize = 64;

/// One operation.
#[derive(Debug, Default)]
pub(crate) struct Op {
    /// Position among the names of ops.
    pub(super) name: u32,
    /// The dictionary of its attributes, by number.
    pub(super) attributes: Option<u32>,
    /// The values it uses, numbered from the start of the enclosing isolated region.
    pub(crate) operands: Vec<u32>,
    /// Its first result; others follow.
    pub(crate) first_result: u32,
    /// Its regions, each a list of blocks.
    pub(crate) regions: Vec<Vec<Block>>,
}

/// A list of ops, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// Types of its arguments, by number.
    pub(crate) arguments: Vec<u32>,
    /// The value of its first argument; others follow.
    pub(crate) first_argument: u32,
    /// Its ops.
    pub(crate) ops: Vec<Op>,
}

/// What of an op is encoded.
mod mask {
    pub(super) const ATTRIBUTES: u8 = 1;
    pub(super) const RESULTS: u8 = 2;
    pub(super) const OPERANDS: u8 = 4;
    pub(super) const SUCCESSORS: u8 = 8;
    pub(super) const REGIONS: u8 = 16;
    pub(super) const USE_ORDERS: u8 = 32;
    pub(super) const PROPERTIES: u8 = 64;
}

pub(super) fn read(version: u64, name_count: usize, section: &[u8]) -> Option<Vec<Op>> {
    let reader = Reader {
        version,
        name_count,
    };
    let block = reader.block(&mut Bytes::new(section), &mut Values::default(), 0)?;
    Some(block.ops)
}

struct Reader {
    version: u64,
    name_count: usize,
}

/// How many values are defined: a region numbers its own after all of the regions around it, up to
/// one that sees nothing of them.
#[derive(Debug, Clone, Copy, Default)]
struct Values {
    next: u32,
    end: u32,
}

impl Values {
    fn define(&mut self, count: usize) -> Option<u32> {
        let first = self.next;
        self.next = first.checked_add(u32::try_from(count).ok()?)?;
        Some(first)
    }
}

impl Reader {
    fn block(&self, bytes: &mut Bytes<'_>, values: &mut Values, depth: usize) -> Option<Block> {
        let encoding = bytes.number()?;
        let mut block = Block::default();
        if encoding & 1 == 1 {
            block.arguments = bytes.list(|bytes| self.argument(bytes))?;
            block.first_argument = values.define(block.arguments.len())?;
            if self.version >= 3 && bytes.byte()? != 0 {
                use_orders(bytes, block.arguments.len())?;
            }
        }
        for _ in 0..encoding >> 1 {
            block.ops.push(self.op(bytes, values, depth)?);
        }
        Some(block)
    }

    /// The type of an argument.
    fn argument(&self, bytes: &mut Bytes<'_>) -> Option<u32> {
        let encoding = bytes.number()?;
        // Since version 4 the lowest bit says whether there is a location.
        let (kind, has_location) = if self.version >= 4 {
            (encoding >> 1, encoding & 1 == 1)
        } else {
            (encoding, true)
        };
        if has_location {
            bytes.number()?;
        }
        kind.try_into().ok()
    }

    fn op(&self, bytes: &mut Bytes<'_>, values: &mut Values, depth: usize) -> Option<Op> {
        let name = bytes.index()?;
        let mask = bytes.byte()?;
        // The location.
        bytes.number()?;
        if name as usize >= self.name_count {
            return None;
        }
        let has = |bit: u8| mask & bit != 0;
        let mut op = Op {
            name,
            ..Op::default()
        };
        if has(mask::ATTRIBUTES) {
            op.attributes = Some(bytes.index()?);
        }
        if has(mask::PROPERTIES) {
            bytes.number()?;
        }
        let mut result_count = 0;
        if has(mask::RESULTS) {
            result_count = bytes.list(Bytes::index)?.len();
        }
        op.first_result = values.define(result_count)?;
        if has(mask::OPERANDS) {
            op.operands = bytes.list(Bytes::index)?;
        }
        if has(mask::SUCCESSORS) {
            bytes.list(Bytes::index)?;
        }
        if has(mask::USE_ORDERS) {
            use_orders(bytes, result_count)?;
        }
        if has(mask::REGIONS) {
            op.regions = self.regions(bytes, values, depth)?;
        }
        Some(op)
    }

    fn regions(
        &self,
        bytes: &mut Bytes<'_>,
        values: &mut Values,
        depth: usize,
    ) -> Option<Vec<Vec<Block>>> {
        if depth >= MAX_DEPTH {
            return None;
        }
        let encoding = bytes.number()?;
        let count = usize::try_from(encoding >> 1).ok()?;
        let is_isolated = encoding & 1 == 1;
        let own = |bytes: &mut Bytes<'_>, end: u32| {
            let region = |bytes: &mut Bytes<'_>| self.region(bytes, end, depth + 1);
            // A region takes at least a byte, so the list ends with the bytes.
            (0..count).map(|_| region(bytes)).collect()
        };
        if !is_isolated {
            return own(bytes, values.end);
        }
        // Since version 2 they are in a section, so that they can be read later.
        if self.version >= 2 {
            let (_, section) = bytes.section()?;
            return own(&mut Bytes::new(section), 0);
        }
        own(bytes, 0)
    }

    fn region(&self, bytes: &mut Bytes<'_>, first: u32, depth: usize) -> Option<Vec<Block>> {
        let block_count = bytes.number()?;
        if block_count == 0 {
            return Some(Vec::new());
        }
        let own_count = bytes.index()?;
        let mut values = Values {
            next: first,
            end: first.checked_add(own_count)?,
        };
        (0..block_count)
            .map(|_| self.block(bytes, &mut values, depth))
            .collect()
    }
}

/// Orders of uses, which say nothing about what is computed.
fn use_orders(bytes: &mut Bytes<'_>, value_count: usize) -> Option<()> {
    let count = if value_count > 1 { bytes.count()? } else { 1 };
    for _ in 0..count {
        if value_count > 1 {
            bytes.number()?;
        }
        for _ in 0..bytes.number()? >> 1 {
            bytes.number()?;
        }
    }
    Some(())
}
