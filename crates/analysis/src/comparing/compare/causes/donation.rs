//! Arguments whose memory the results of a program take over on one side only: the caller donated them.

use stepscope_model::hlo::{Alias, Outline, Program, Shape};

use super::super::cause::cause;
use super::super::nodes::stem;
use super::super::pair::Both;
use super::super::pairing::ProgramPair;
use super::super::report::ComparedCause;
use crate::telling::format;

/// Results of a program, and those that take over the memory of arguments.
#[derive(Debug, Clone, Copy)]
struct Donated {
    results: usize,
    /// Results in the memory of an argument.
    reused: usize,
    reused_bytes: i64,
}

impl Donated {
    fn of(program: &Program, bytes: &[u8]) -> Option<Self> {
        let root = program.root(program.entry()?)?;
        let aliases = Outline::of(bytes).aliases();
        let bytes = aliases.iter().map(|alias| size(&root.shape, alias));
        Some(Self {
            results: root.shape.arrays().len(),
            reused: aliases.len(),
            reused_bytes: bytes.fold(0, i64::saturating_add),
        })
    }

    const fn own(self) -> usize {
        self.results.saturating_sub(self.reused)
    }
}

/// The programs whose arguments are donated on one side and not on the other.
pub(super) fn of_donation(both: &Both<'_, '_>) -> Vec<ComparedCause> {
    let pairs = both.pairing.compared();
    pairs.filter_map(|pair| of_program(both, pair)).collect()
}

fn of_program(both: &Both<'_, '_>, pair: &ProgramPair) -> Option<ComparedCause> {
    let programs = [0, 1].map(|side| both.sides[side].session.program(pair.programs[side]));
    if programs[0].hlo_bytes() == programs[1].hlo_bytes() {
        return None;
    }
    let donated = |side: usize| {
        let program = programs[side];
        Donated::of(program.hlo.as_ref()?, program.hlo_bytes())
    };
    let (before, after) = (donated(0)?, donated(1)?);
    // A program with more or fewer arguments has more or fewer of both.
    let is_less = after.reused < before.reused && after.own() > before.own();
    let is_more = after.reused > before.reused && after.own() < before.own();
    if !is_less && !is_more {
        return None;
    }
    let name = format::shortened(&programs[1].name);
    let bytes = before.reused_bytes.saturating_sub(after.reused_bytes);
    let changed = before.reused.abs_diff(after.reused);
    let (verb, need) = if is_less {
        ("are no longer", "in memory of their own")
    } else {
        ("are now", "in the memory of arguments")
    };
    let more = if is_less { "more" } else { "fewer" };
    let copies = match copies(both, pair, is_less) {
        0 => String::new(),
        1 => format!("1 copy {more}, "),
        count => format!("{count} copies {more}, "),
    };
    let results = format::counted(changed, "result");
    let text = format!(
        "arguments of {name} {verb} donated: {copies}{results} {need} ({})",
        format::signed(bytes as f64, format::bytes)
    );
    Some(ComparedCause {
        difference_bytes: Some(bytes),
        ..cause("donation", text, None)
    })
}

/// Copies of the program that ran on one side only.
fn copies(both: &Both<'_, '_>, pair: &ProgramPair, are_new: bool) -> usize {
    let side = usize::from(are_new);
    let alone = both.changes.ops.iter().filter(|change| {
        let (own, other) = match side {
            0 => (change.baseline, change.other),
            _ => (change.other, change.baseline),
        };
        let session = both.sides[side].session;
        let is_copy = both.item(side, own).is_some_and(|item| {
            item.program(session) == Some(pair.programs[side]) && stem(item.name(session)) == "copy"
        });
        other.is_none() && is_copy
    });
    alone.count()
}

/// Bytes of the result that an alias is of.
fn size(shape: &Shape, alias: &Alias) -> i64 {
    let mut path = alias.output.iter();
    let found = path.try_fold(shape, |shape, &at| {
        shape.tuple_shapes.get(usize::try_from(at).ok()?)
    });
    let bytes = found.map_or(0, Shape::byte_size);
    i64::try_from(bytes).unwrap_or(i64::MAX)
}
