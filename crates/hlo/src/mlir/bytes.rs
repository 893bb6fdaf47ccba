//! The primitives of MLIR bytecode.

/// A reader that never goes past its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bytes<'a> {
    rest: &'a [u8],
}

impl<'a> Bytes<'a> {
    pub(super) const fn new(rest: &'a [u8]) -> Self {
        Self { rest }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    pub(super) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }

    /// MLIR's varint: the zeros at the end of the first byte count the bytes that follow.
    pub(super) fn number(&mut self) -> Option<u64> {
        let first = self.byte()?;
        let more = first.trailing_zeros().min(8) as usize;
        let following = self.take(more)?;
        let mut value = [0u8; 8];
        if more == 8 {
            value.copy_from_slice(following);
            return Some(u64::from_le_bytes(value));
        }
        value[0] = first;
        value[1..=more].copy_from_slice(following);
        Some(u64::from_le_bytes(value) >> (more + 1))
    }

    /// The same with a sign: zigzag.
    pub(super) fn signed(&mut self) -> Option<i64> {
        let value = self.number()?;
        Some((value >> 1).cast_signed() ^ -((value & 1).cast_signed()))
    }

    /// An index or a count.
    pub(super) fn index(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    /// A list of numbers behind its count. A number takes at least a byte, so a count that promises
    /// more than the rest holds is damage, and nothing is reserved for it.
    pub(super) fn list<T>(
        &mut self,
        mut one: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        let count = self.count()?;
        (0..count).map(|_| one(self)).collect()
    }

    /// A count of things that take at least a byte each.
    pub(super) fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count <= self.rest.len()).then_some(count)
    }

    /// Text up to a zero.
    pub(super) fn text(&mut self) -> Option<&'a [u8]> {
        let end = self.rest.iter().position(|&byte| byte == 0)?;
        let text = self.take(end)?;
        self.byte()?;
        Some(text)
    }

    /// A section: its id and data.
    pub(super) fn section(&mut self) -> Option<(u8, &'a [u8])> {
        let id = self.byte()?;
        let length = usize::try_from(self.number()?).ok()?;
        if id & 0x80 != 0 {
            self.number()?;
            let padding = self.rest.iter().take_while(|&&byte| byte == 0xcb).count();
            self.take(padding)?;
        }
        Some((id & 0x7f, self.take(length)?))
    }
}
