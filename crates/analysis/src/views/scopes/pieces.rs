//! The pieces into which an op's time is divided, and the places where they are counted.

use std::borrow::Cow;

use stepscope_model::hlo::name_stack::{self, Merged, Pass};

use super::ScopeBy;
use super::combined::{Share, first_or};
use super::sums::{Sums, part_ps};
use crate::views::ops::OpRow;

/// A part of an op's time and the place where it is counted.
pub(super) struct Piece<'a> {
    pub(super) place: Vec<Cow<'a, str>>,
    pub(super) sums: Sums,
    pub(super) paths: Vec<String>,
}

/// The whole op in one place.
pub(super) fn whole(op: &OpRow, by: ScopeBy) -> Piece<'_> {
    let merged = name_stack::merged(&op.scope);
    let pass = match merged.pass() {
        _ if op.is_rematerialized => Pass::Rematerialized,
        named => first_or(named, op),
    };
    let paths = match by {
        ScopeBy::Scope if merged.is_combined() => merged.lines(),
        _ => Vec::new(),
    };
    Piece {
        place: place(op, by, merged),
        sums: Sums::of(op, pass),
        paths,
    }
}

/// An op divided over all the paths it serves. The parts are whole picoseconds and sum to its time.
pub(super) fn divided<'a>(op: &OpRow, shares: &[Share<'a>]) -> Vec<Piece<'a>> {
    let (mut ratio, mut given_ps) = (0.0, 0i64);
    let pieces = shares.iter().enumerate().map(|(index, share)| {
        ratio += share.ratio;
        let is_last = index + 1 == shares.len();
        let until_ps = if is_last {
            op.self_ps
        } else {
            part_ps(op.self_ps, ratio)
        };
        let own_ps = until_ps - given_ps;
        given_ps = until_ps;
        let of_op = Sums::of(op, share.pass).scaled(share.ratio);
        let sums = Sums {
            estimated_ps: own_ps,
            ..of_op.timed(own_ps, share.pass)
        };
        Piece {
            place: share.components.iter().map(|&name| name.into()).collect(),
            sums,
            paths: Vec::new(),
        }
    });
    pieces.collect()
}

/// The place of an op in the tree. Work without a name stack is listed by category under
/// `(no scope)`.
fn place<'a>(op: &'a OpRow, by: ScopeBy, merged: Merged<'a>) -> Vec<Cow<'a, str>> {
    let category = if op.category.is_empty() {
        op.class.as_str()
    } else {
        op.category.as_str()
    };
    match by {
        ScopeBy::Scope if merged.paths.is_empty() => vec!["(no scope)".into(), category.into()],
        ScopeBy::Scope => {
            let label = merged.label();
            let common = merged.common.into_iter().map(Cow::from);
            common.chain(label.map(Cow::from)).collect()
        }
        ScopeBy::Source if op.source.is_empty() => vec!["(no source)".into(), category.into()],
        ScopeBy::Source => match op.source.rsplit_once(':') {
            Some((file, line)) => vec![file.into(), line.into()],
            None => vec![op.source.as_str().into()],
        },
    }
}
