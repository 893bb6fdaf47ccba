//! What to shrink: groups of buffers at the peak, each with a remedy and its effect.
//!
//! The effect is computed, not guessed: the group's bytes are subtracted from the curve at every point
//! where they are held, and the peak of the rest is compared with the actual peak. So even a large group
//! frees little if another point of the schedule is almost as high without it.
//!
//! | remedy | applies to | bytes removed |
//! |---|---|---|
//! | rematerialize | values of the forward pass that are freed in the backward pass | all |
//! | donate | results for which an argument of the same type is not donated | all |
//! | shard | arguments that are replicated over N devices | 1 − 1/N |
//! | precision | arguments and temporaries of 4 or 8 bytes per float | half |
//! | padding | buffers at least half of which is padding | the padding |
//! | batch | all temporaries | half |

use std::collections::BTreeMap;

use stepscope_model::Framework;
use stepscope_model::hlo::name_stack::{Pass, components, pass, without_operands};
use stepscope_model::hlo::{HeapEventKind, Instruction, Outline, PrimitiveType};

use super::compose::{Held, origin};
use super::plan::{Category, Plan};
use super::replay::Replay;
use super::report::{BufferPadding, BufferSaving};
use super::space::signed;
use crate::telling::format;

/// Maximum number of groups whose effect is computed, largest first.
const MAX_CANDIDATES: usize = 48;
/// Maximum number of groups that are reported.
const MAX_SAVINGS: usize = 24;
/// Groups that would free less than this share of the peak are not reported.
const MIN_RATIO: f64 = 0.002;
/// Maximum number of events that are searched backward for the position in the schedule.
const MAX_EVENTS_BACK: usize = 200;
/// Maximum number of shapes that are reported.
const MAX_SHAPES: usize = 50;

/// A remedy; with equal effects, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Remedy {
    Donate,
    Rematerialize,
    Shard,
    Padding,
    Precision,
    Batch,
}

/// Buffers with one remedy and one origin.
#[derive(Default)]
struct Group {
    source: String,
    instruction: String,
    count: usize,
    bytes: u64,
    /// Bytes to subtract, and at which points: those of a block, or all.
    off: Vec<(u64, Option<(usize, usize)>)>,
}

/// The groups worth reporting, largest effect first.
pub(super) fn savings(
    framework: Framework,
    plan: &Plan<'_>,
    replay: &Replay<'_>,
    outline: &Outline<'_>,
    held: &[Held],
) -> Vec<BufferSaving> {
    let mut groups: BTreeMap<(Remedy, String), Group> = BTreeMap::new();
    let devices = plan.hlo.sharding_device_count().unwrap_or(1);
    let donations = donations(plan, held);
    for (index, held) in held.iter().enumerate() {
        let Some(instruction) = held.buffer.and_then(|buffer| plan.instruction(buffer)) else {
            continue;
        };
        let (scope, source) = origin(plan, instruction);
        let mut add = |remedy: Remedy, group: String, bytes: u64| {
            if bytes == 0 {
                return;
            }
            let group = groups.entry((remedy, group)).or_default();
            if group.count == 0 {
                group.source.clone_from(&source);
                group.instruction.clone_from(&instruction.name);
            }
            group.count += 1;
            group.bytes = group.bytes.saturating_add(held.bytes);
            let points = held.block.map(|block| (block.start, block.end));
            group.off.push((bytes, points));
        };
        let place = if scope.is_empty() {
            match held.category {
                Category::Parameter => "arguments".to_owned(),
                _ => instruction.opcode.clone(),
            }
        } else if held.category == Category::Parameter {
            argument(&scope)
        } else {
            format::without_numbers(&components(without_operands(&scope)).join("/"))
        };
        if donations.contains(&index) {
            add(Remedy::Donate, "results".to_owned(), held.bytes);
        }
        if held.category == Category::Parameter
            && devices > 1
            && plan.hlo.details(outline, instruction).sharding == "{replicated}"
        {
            add(
                Remedy::Shard,
                place.clone(),
                held.bytes - held.bytes / devices,
            );
        }
        if is_saved_for_backward(plan, replay, held, &scope) {
            add(Remedy::Rematerialize, place.clone(), held.bytes);
        }
        let is_shrinkable = matches!(held.category, Category::Parameter | Category::Temporary);
        if is_shrinkable && is_wide_float(plan, held) {
            add(Remedy::Precision, place, held.bytes / 2);
        }
        let padding = held.bytes.saturating_sub(held.unpadded);
        if padding >= held.unpadded {
            add(
                Remedy::Padding,
                super::compose::shape_text(plan, held),
                padding,
            );
        }
        if held.category == Category::Temporary {
            add(Remedy::Batch, "temporaries".to_owned(), held.bytes / 2);
        }
    }
    ranked(framework, replay, groups, devices)
}

fn ranked(
    framework: Framework,
    replay: &Replay<'_>,
    groups: BTreeMap<(Remedy, String), Group>,
    devices: u64,
) -> Vec<BufferSaving> {
    let mut groups: Vec<_> = groups.into_iter().collect();
    let taken = |group: &Group| {
        group
            .off
            .iter()
            .fold(0u64, |sum, (b, _)| sum.saturating_add(*b))
    };
    groups.sort_by_key(|(_, group)| std::cmp::Reverse(taken(group)));
    groups.truncate(MAX_CANDIDATES);
    let peak = replay.peak_bytes();
    let mut savings: Vec<BufferSaving> = groups
        .into_iter()
        .map(|((remedy, name), group)| {
            let frees = peak.saturating_sub(peak_without(replay, &group.off));
            BufferSaving {
                remedy: remedy.name().to_owned(),
                group: name,
                source: group.source,
                instruction: group.instruction,
                count: group.count,
                bytes: signed(group.bytes),
                frees_bytes: signed(frees),
                advice: remedy.advice(framework, devices),
            }
        })
        .filter(|saving| saving.frees_bytes as f64 >= peak as f64 * MIN_RATIO)
        .filter(|saving| saving.frees_bytes > 0)
        .collect();
    savings.sort_by_key(|saving| std::cmp::Reverse(saving.frees_bytes));
    savings.truncate(MAX_SAVINGS);
    savings
}

/// The peak without these bytes.
fn peak_without(replay: &Replay<'_>, off: &[(u64, Option<(usize, usize)>)]) -> u64 {
    let count = replay.bytes.len();
    let mut always = 0u64;
    let mut changes = vec![0i128; count + 1];
    for &(bytes, points) in off {
        match points {
            None => always = always.saturating_add(bytes),
            Some((start, end)) => {
                changes[start.min(count)] += i128::from(bytes);
                changes[end.min(count)] -= i128::from(bytes);
            }
        }
    }
    let mut gone = i128::from(always);
    let left = replay.bytes.iter().zip(changes).map(|(&bytes, change)| {
        gone += change;
        u64::try_from(i128::from(bytes) - gone).unwrap_or(0)
    });
    left.max().unwrap_or(0)
}

/// Results that could use the memory of an argument of the same type, one argument each. Arguments that
/// are already donated are excluded.
fn donations(plan: &Plan<'_>, held: &[Held]) -> Vec<usize> {
    let shape = |held: &Held| {
        let shape = plan.shape(held.buffer?)?;
        (!shape.is_tuple()).then(|| {
            (
                shape.element_type.name(),
                shape.dimensions.clone(),
                held.bytes,
            )
        })
    };
    let mut free: BTreeMap<_, usize> = BTreeMap::new();
    for held in held {
        let allocation = &plan.assignment.allocations[held.allocation];
        let is_kept = allocation.is_parameter && !allocation.is_maybe_live_out;
        if let Some(shape) = shape(held).filter(|_| is_kept) {
            *free.entry(shape).or_default() += 1;
        }
    }
    let mut found = Vec::new();
    for (index, held) in held.iter().enumerate() {
        if held.category != Category::Output {
            continue;
        }
        let free = shape(held).and_then(|shape| free.get_mut(&shape));
        if let Some(free) = free.filter(|free| **free > 0) {
            *free -= 1;
            found.push(index);
        }
    }
    found
}

/// Whether the forward pass computed it and it is freed during the backward pass.
fn is_saved_for_backward(plan: &Plan<'_>, replay: &Replay<'_>, held: &Held, scope: &str) -> bool {
    let end = held.block.map(|block| block.end);
    let Some(end) = end.filter(|&end| end < replay.bytes.len()) else {
        return false;
    };
    scope.contains("jvp(")
        && pass(scope) == Pass::Forward
        && pass_at(plan, replay, end) != Some(Pass::Forward)
}

/// The pass of the schedule at a point: that of the last preceding instruction with a name stack for
/// which memory was allocated.
fn pass_at(plan: &Plan<'_>, replay: &Replay<'_>, point: usize) -> Option<Pass> {
    let events = replay.trace?.events.get(..point)?;
    let given = events.iter().rev().take(MAX_EVENTS_BACK);
    given
        .filter(|event| event.kind != HeapEventKind::Free)
        .filter_map(|event| plan.hlo.instruction(&event.instruction_name))
        .map(|instruction| origin(plan, instruction).0)
        .map(|scope| pass(&scope))
        .find(|&pass| pass != Pass::Unknown)
}

fn is_wide_float(plan: &Plan<'_>, held: &Held) -> bool {
    let shape = held.buffer.and_then(|buffer| plan.shape(buffer));
    shape.is_some_and(|shape| matches!(shape.element_type, PrimitiveType::F32 | PrimitiveType::F64))
}

/// `state.params['layer_3']['kernel']` is `state.params`: arguments are grouped by their first two
/// names.
fn argument(name: &str) -> String {
    let cut = name
        .char_indices()
        .filter(|&(_, letter)| matches!(letter, '.' | '['));
    let second = cut.skip(1).map(|(at, _)| at).next();
    let name = name.get(..second.unwrap_or(name.len())).unwrap_or(name);
    format::without_numbers(name)
}

impl Remedy {
    const fn name(self) -> &'static str {
        match self {
            Self::Donate => "donate",
            Self::Rematerialize => "rematerialize",
            Self::Shard => "shard",
            Self::Padding => "padding",
            Self::Precision => "precision",
            Self::Batch => "batch",
        }
    }

    fn advice(self, framework: Framework, devices: u64) -> String {
        let is_jax = framework == Framework::Jax;
        match self {
            Self::Donate if is_jax => {
                "Arguments of the same types stay alive next to these results. If the \
                caller does not need them afterwards, donate them: jax.jit(step, \
                donate_argnames=...)."
                    .to_owned()
            }
            Self::Donate => {
                "Arguments of the same types stay alive next to these results. If the \
                caller does not need them afterwards, let the program update them in place."
                    .to_owned()
            }
            Self::Rematerialize if is_jax => {
                "The forward pass keeps them for the backward pass. Recompute them \
                there instead: wrap the layer in jax.checkpoint (flax: nn.remat)."
                    .to_owned()
            }
            Self::Rematerialize => "The forward pass keeps them for the backward pass. Recompute \
                them there instead."
                .to_owned(),
            Self::Shard => format!(
                "Each of the {} holds a full copy. Shard it over them{}, as fully sharded data \
                 parallelism does.",
                format::counted(devices, "device"),
                if is_jax {
                    ", with a NamedSharding that names a mesh axis"
                } else {
                    ""
                }
            ),
            Self::Padding => "At least half of each is padding, because its minor dimensions are \
                smaller than the tiles of the device. Put a large dimension last, or make the minor \
                dimensions multiples of the tile."
                .to_owned(),
            Self::Precision => {
                "Store them in bfloat16 if precision allows: half the bytes.".to_owned()
            }
            Self::Batch => "Half the batch size (or twice the gradient accumulation steps) needs about \
                half the memory for intermediate values."
                .to_owned(),
        }
    }
}

/// Bytes lost to padding, by shape, largest first.
pub(super) fn padding(plan: &Plan<'_>, held: &[Held]) -> Vec<BufferPadding> {
    let mut shapes: BTreeMap<String, BufferPadding> = BTreeMap::new();
    for held in held.iter().filter(|held| held.bytes > held.unpadded) {
        let instruction = held.buffer.and_then(|buffer| plan.instruction(buffer));
        let shape = super::compose::shape_text(plan, held);
        let entry = shapes
            .entry(shape.clone())
            .or_insert_with(|| BufferPadding {
                shape,
                padding_bytes: 0,
                bytes: 0,
                padding_ratio: 0.0,
                count: 0,
                instruction: instruction
                    .map(|found: &Instruction| found.name.clone())
                    .unwrap_or_default(),
                source: instruction
                    .map(|found| origin(plan, found).1)
                    .unwrap_or_default(),
            });
        entry.bytes = entry.bytes.saturating_add(signed(held.bytes));
        let lost = signed(held.bytes - held.unpadded);
        entry.padding_bytes = entry.padding_bytes.saturating_add(lost);
        entry.count += 1;
        entry.padding_ratio = entry.padding_bytes as f64 / entry.bytes as f64;
    }
    let mut shapes: Vec<BufferPadding> = shapes.into_values().collect();
    shapes.sort_by_key(|shape| std::cmp::Reverse(shape.padding_bytes));
    shapes.truncate(MAX_SHAPES);
    shapes
}
