//! The function that completes a step, where others run more often within it.
//!
//! A policy acts many times on parameters that it only reads, until the update changes them; so does
//! an evaluation of several batches between two steps of training. What is read again and again is
//! the same step's; a step is complete when it changes. So does a line search, which evaluates a loss
//! until the next gradient.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;

use stepscope_hlo as hlo;

use crate::ids::ProgramId;
use crate::program::Program;

/// The function runs at least this often between runs of the one that completes its steps.
const MIN_BLOCKS: usize = 2;

/// Arrays that one must update of those that the other reads, unless one is large, and their least share
/// of all that the other is called with: parameters are many, a batch is one or two.
const MIN_SHARED: usize = 2;
const MIN_SHARED_OF_ALL: f64 = 0.25;

/// Elements of an array that may be all of a model's parameters: a counter or a key has fewer.
const MIN_ELEMENTS: i64 = 256;

/// Large arrays that two functions read if they share parameters that neither updates; a batch is one
/// or two.
const MIN_READ: usize = 3;

/// With fewer runs, one more or less is not for the ends of the recording.
const MIN_CUT: usize = 4;

/// Functions that complete steps of functions that complete steps.
const MOST_LEVELS: usize = 3;

/// The function whose runs complete the steps that `frequent` is part of; `frequent` itself, unless
/// another one updates what it reads. `order` has the functions in the order of their runs.
pub(super) fn completing(
    programs: &[Program],
    frequent: ProgramId,
    order: &[ProgramId],
) -> ProgramId {
    let mut counts: BTreeMap<ProgramId, usize> = BTreeMap::new();
    for &function in order {
        *counts.entry(function).or_default() += 1;
    }
    let mut known: BTreeMap<ProgramId, Option<Arrays<'_>>> = BTreeMap::new();
    let mut main = evaluated(programs, frequent, &counts).unwrap_or(frequent);
    for _ in 0..MOST_LEVELS {
        let own_count = counts.get(&main).copied().unwrap_or(0);
        let fewer = counts.iter().filter(|(_, count)| **count < own_count);
        let mut fewer: Vec<ProgramId> = fewer
            .filter(|(function, _)| !programs[function.index()].is_single_op())
            .filter(|(function, _)| blocks_between(order, main, **function) >= MIN_BLOCKS)
            .map(|(function, _)| *function)
            .collect();
        fewer.sort_by_key(|function| (Reverse(counts[function]), *function));
        let mut updates = |function: ProgramId| {
            for one in [main, function] {
                let arrays = || Arrays::of(&programs[one.index()]);
                known.entry(one).or_insert_with(arrays);
            }
            let arrays = |one| known.get(&one).and_then(Option::as_ref);
            let pair = arrays(main).zip(arrays(function));
            pair.is_some_and(|(reader, writer)| {
                writer.updates_what(reader) || writer.differentiates(reader)
            })
        };
        match fewer.into_iter().find(|&function| updates(function)) {
            Some(function) => main = function,
            None => break,
        }
    }
    trained_as_often(programs, main, &counts).unwrap_or(main)
}

/// Whether runs of a function complete steps that runs of another are parts of: it updates what the other
/// one reads.
pub(in crate::ingest) fn completes(
    programs: &[Program],
    function: ProgramId,
    part: ProgramId,
) -> bool {
    let pair =
        Arrays::of_trained(&programs[function.index()]).zip(Arrays::of(&programs[part.index()]));
    pair.is_some_and(|(writer, reader)| writer.updates_what(&reader))
}

/// What trains and runs as often as a function that updates nothing: a metric of each step takes longer
/// now and then, but it is the training that a reader knows the step by. The first or last run of either
/// may be cut.
fn trained_as_often(
    programs: &[Program],
    main: ProgramId,
    counts: &BTreeMap<ProgramId, usize>,
) -> Option<ProgramId> {
    let arrays = |one: ProgramId| Arrays::of(&programs[one.index()]);
    arrays(main).filter(|own| own.updated() == 0)?;
    let own_count = *counts.get(&main)?;
    let often = counts.iter().filter(|(_, count)| {
        **count == own_count || own_count >= MIN_CUT && count.abs_diff(own_count) == 1
    });
    let trained = often.filter_map(|(one, _)| {
        let own = Arrays::of_trained(&programs[one.index()])?;
        Some((own.updated(), Reverse(*one)))
    });
    trained.max().map(|(_, Reverse(one))| one)
}

/// What a function evaluates, if that is all it does: it updates nothing, and another function, which
/// runs more often, updates what it reads. That one's steps are the loop's, short as they may be. What
/// returns arrays like those that are updated is a gradient, not an evaluation: it is applied array by
/// array.
fn evaluated(
    programs: &[Program],
    evaluation: ProgramId,
    counts: &BTreeMap<ProgramId, usize>,
) -> Option<ProgramId> {
    let arrays = |one: ProgramId| Arrays::of(&programs[one.index()]);
    let reader = arrays(evaluation).filter(|arrays| arrays.updated() == 0)?;
    let own_count = counts.get(&evaluation)?;
    let trains = |one: &ProgramId| {
        let writer = Arrays::of_trained(&programs[one.index()]);
        writer.is_some_and(|writer| writer.updates_what(&reader) && !reader.returns_like(&writer))
    };
    let mut more = counts.iter().filter(|(_, count)| *count > own_count);
    more.find(|(one, _)| trains(one)).map(|(one, _)| *one)
}

/// How many blocks of runs of one function lie between runs of the other.
fn blocks_between(order: &[ProgramId], inner: ProgramId, outer: ProgramId) -> usize {
    let mut blocks = 0;
    let (mut has_outer, mut has_inner) = (false, false);
    for &function in order {
        if function == outer {
            blocks += usize::from(has_outer && has_inner);
            (has_outer, has_inner) = (true, false);
        } else if function == inner {
            has_inner = true;
        }
    }
    blocks
}

/// Type and sizes.
pub(super) type Kind<'a> = (&'static str, &'a [i64]);

fn is_large(kind: &Kind<'_>) -> bool {
    let elements = kind
        .1
        .iter()
        .fold(1i64, |all, &size| all.saturating_mul(size));
    elements >= MIN_ELEMENTS
}

/// What a function is called with: arrays by type and size, without numbers.
pub(super) struct Arrays<'a> {
    all: usize,
    kinds: BTreeMap<Kind<'a>, Uses>,
}

/// How many arrays of one kind a function uses.
#[derive(Default, Clone, Copy)]
struct Uses {
    arguments: usize,
    updated: usize,
    results: usize,
}

impl Uses {
    /// Every result replaces one argument.
    fn updates(self) -> usize {
        self.updated.min(self.results)
    }

    fn reads(self) -> usize {
        self.arguments - self.updates()
    }
}

impl<'a> Arrays<'a> {
    /// `None` where the program is unknown.
    pub(super) fn of(program: &'a Program) -> Option<Self> {
        let signature = program.hlo.as_ref()?.signature()?;
        let mut kinds: BTreeMap<Kind<'a>, Uses> = BTreeMap::new();
        let kind = |shape: &'a hlo::Shape| (shape.element_type.name(), shape.dimensions.as_slice());
        let is_array = |shape: &hlo::Shape| !shape.dimensions.is_empty();
        for argument in signature.arguments.iter().filter(|one| is_array(one.shape)) {
            let uses = kinds.entry(kind(argument.shape)).or_default();
            uses.arguments += 1;
            uses.updated += usize::from(argument.is_updated);
        }
        for shape in signature.results.into_iter().filter(|one| is_array(one)) {
            kinds.entry(kind(shape)).or_default().results += 1;
        }
        Some(Self {
            all: kinds.values().map(|uses| uses.arguments).sum(),
            kinds,
        })
    }

    /// The same of a function that trains. A single op trains nothing: arrays that are copied to a device, or
    /// a sum of two of them, only look like updates of those that are there.
    pub(super) fn of_trained(program: &'a Program) -> Option<Self> {
        let arrays = Self::of(program).filter(Self::trains);
        arrays.filter(|_| !program.is_single_op())
    }

    /// How many of them the function updates.
    pub(super) fn updated(&self) -> usize {
        self.kinds.values().map(|uses| uses.updates()).sum()
    }

    /// Whether it returns arrays like those that the other one updates.
    fn returns_like(&self, writer: &Self) -> bool {
        let updated = writer.kinds.iter().filter(|(_, uses)| uses.updates() > 0);
        let own = updated.filter_map(|(kind, _)| self.kinds.get(kind));
        own.into_iter().any(|uses| uses.results > 0)
    }

    /// Whether it updates nothing and returns arrays like those that the other one reads, which returns
    /// none of them: the gradient of what the other evaluates.
    fn differentiates(&self, evaluation: &Self) -> bool {
        if self.updated() > 0 || evaluation.updated() > 0 {
            return false;
        }
        let (mut arrays, mut has_large) = (0, false);
        for (kind, own) in &self.kinds {
            let of_evaluation = evaluation.kinds.get(kind).copied().unwrap_or_default();
            if own.results == 0 || of_evaluation.arguments == 0 {
                continue;
            }
            if of_evaluation.results > 0 || own.arguments < of_evaluation.arguments {
                return false;
            }
            arrays += own.results.min(of_evaluation.arguments);
            has_large |= is_large(kind);
        }
        (arrays >= MIN_SHARED || has_large)
            && arrays as f64 >= MIN_SHARED_OF_ALL * evaluation.all as f64
    }

    /// Whether both update arrays of the same kinds and read the same parameters: what prepares a cache
    /// and what decodes with it work on one cache.
    pub(super) fn has_state_of(&self, other: &Self) -> bool {
        let all = || {
            self.kinds
                .iter()
                .map(|(kind, uses)| (kind, *uses, other.kinds.get(kind)))
        };
        let is_same = all().all(|(_, own, other)| {
            let others = other.copied().unwrap_or_default();
            own.updates() == 0 || own.updates() == others.updates()
        });
        let read = all().filter(|(kind, ..)| is_large(kind));
        let read = read.filter_map(|(_, own, other)| Some(own.reads().min(other?.reads())));
        is_same && read.sum::<usize>() >= MIN_READ
    }

    /// Whether what it returns may be what it is called with next: all arrays that it returns are of kinds
    /// that it takes.
    pub(super) fn may_be_called_with_results(&self) -> bool {
        let mut returned = self.kinds.values().filter(|uses| uses.results > 0);
        let mut is_any = false;
        returned.all(|uses| {
            is_any = true;
            uses.arguments > 0
        }) && is_any
    }

    /// Whether the other function reads what so many runs of this one returned: stacked along a new axis, put
    /// together along the first one, or as so many arrays.
    pub(super) fn are_all_in(&self, other: &Self, runs: usize) -> bool {
        let count = i64::try_from(runs).unwrap_or(i64::MAX);
        self.made().any(|(element, sizes)| {
            let mut read = other.kinds.iter().filter(|(_, uses)| uses.reads() > 0);
            read.any(|((other_element, others), uses)| {
                let is_stack = || {
                    let mut axes = (0..others.len()).filter(|&axis| others[axis] == count);
                    axes.any(|axis| {
                        let rest = others[..axis].iter().chain(&others[axis + 1..]);
                        sizes.iter().eq(rest)
                    })
                };
                let is_row = || match (sizes, *others) {
                    ([rows, rest @ ..], [all, other_rest @ ..]) => {
                        rest == other_rest && rows.checked_mul(count) == Some(*all)
                    }
                    _ => false,
                };
                let is_list = || sizes == *others && uses.reads() >= runs;
                element == *other_element && (is_stack() || is_row() || is_list())
            })
        })
    }

    /// What it only reads, by type and sizes.
    pub(super) fn arguments(&self) -> impl Iterator<Item = Kind<'a>> {
        let read = self.kinds.iter().filter(|(_, uses)| uses.reads() > 0);
        read.map(|(kind, _)| *kind)
    }

    /// What it returns that replaces none of its arguments, by type and sizes.
    pub(super) fn made(&self) -> impl Iterator<Item = Kind<'a>> {
        let made = self.kinds.iter();
        made.filter(|(_, uses)| uses.results > uses.updates())
            .map(|(kind, _)| *kind)
    }

    /// Whether it updates what may be parameters, several arrays or a large one, and reads something else,
    /// which what only copies weights does not.
    pub(super) fn trains(&self) -> bool {
        let updated = self.kinds.iter().filter(|(_, uses)| uses.updates() > 0);
        let may_be_parameters =
            self.updates_several() || updated.into_iter().any(|(kind, _)| is_large(kind));
        may_be_parameters && self.read() > 0
    }

    /// Whether it updates more than one array.
    pub(super) fn updates_several(&self) -> bool {
        self.updated() >= MIN_SHARED
    }

    /// Whether the other function uses arrays like those that this one updates.
    pub(super) fn updates_kinds_of(&self, other: &Self) -> bool {
        let mut updated = self.kinds.iter().filter(|(_, uses)| uses.updates() > 0);
        updated.any(|(kind, _)| other.kinds.contains_key(kind))
    }

    /// Whether all that it updates follows what the other updates: means of weights, or a target
    /// network, are of the same sizes, and it reads those.
    pub(super) fn follows(&self, other: &Self) -> bool {
        self.kinds.iter().all(|(kind, uses)| {
            let others = other.kinds.get(kind).copied().unwrap_or_default();
            uses.updates() <= others.updates().min(uses.reads())
        })
    }

    /// How many of them it only reads.
    pub(super) fn read(&self) -> usize {
        self.all - self.updated()
    }

    /// Whether this function updates what the other one reads. It does not if the other updates more
    /// arrays of that kind itself: training also reads the weights of an old policy, which something
    /// copies now and then. With as many each, as the two sides of an adversarial network, each must
    /// read what the other updates.
    pub(super) fn updates_what(&self, reader: &Self) -> bool {
        let shared = Shared::of(self, reader);
        let is_enough = shared.may_be_parameters()
            && shared.arrays as f64 >= MIN_SHARED_OF_ALL * reader.all as f64;
        is_enough
            && match shared.by_writer.cmp(&shared.by_reader) {
                Ordering::Greater => true,
                Ordering::Equal => Shared::of(reader, self).may_be_parameters(),
                Ordering::Less => false,
            }
    }
}

/// What one function updates and another one reads.
struct Shared {
    arrays: usize,
    has_large: bool,
    /// Arrays of these kinds that the first one updates, and that the other one does.
    by_writer: usize,
    by_reader: usize,
}

impl Shared {
    fn of(writer: &Arrays<'_>, reader: &Arrays<'_>) -> Self {
        let mut shared = Self {
            arrays: 0,
            has_large: false,
            by_writer: 0,
            by_reader: 0,
        };
        for (kind, &own) in &reader.kinds {
            let other = writer.kinds.get(kind).copied().unwrap_or_default();
            if own.reads() == 0 || other.updates() == 0 {
                continue;
            }
            shared.arrays += own.reads().min(other.updates());
            shared.has_large |= is_large(kind);
            shared.by_writer += other.updates();
            shared.by_reader += own.updates();
        }
        shared
    }

    fn may_be_parameters(&self) -> bool {
        self.arrays >= MIN_SHARED || self.has_large
    }
}
