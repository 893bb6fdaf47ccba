//! What holds memory at one point of the schedule.

use stepscope_model::hlo::{Instruction, Outline};

use super::plan::{BufferIndex, Category, Plan};
use super::replay::{Block, Replay};
use super::report::{BufferCategory, BufferRow};
use super::space::signed;

/// What holds memory at a point: an allocation held from start to end, or a block of the heap.
#[derive(Debug, Clone, Copy)]
pub(super) struct Held {
    pub(super) category: Category,
    /// Position of the allocation that contains it.
    pub(super) allocation: usize,
    /// The buffer that represents it.
    pub(super) buffer: Option<BufferIndex>,
    pub(super) bytes: u64,
    pub(super) unpadded: u64,
    /// The block, if it is a block of the heap.
    pub(super) block: Option<Block>,
}

/// Everything that a memory space holds at a point, largest first.
pub(super) fn held_at(plan: &Plan<'_>, color: i64, replay: &Replay<'_>, point: usize) -> Vec<Held> {
    let mut all = Vec::new();
    for (index, allocation) in plan.allocations(color) {
        if replay.allocation == Some(index) {
            continue;
        }
        let buffer = plan.largest_of(allocation);
        let padding = buffer.map_or(0, |buffer| padding(plan, buffer));
        all.push(Held {
            category: Category::of(allocation),
            allocation: index,
            buffer,
            bytes: allocation.size,
            unpadded: allocation.size.saturating_sub(padding),
            block: None,
        });
    }
    if let Some(allocation) = replay.allocation {
        let block = &plan.assignment.allocations[allocation];
        all.extend(replay.held_at(point).map(|held| Held {
            category: Category::of(block),
            allocation,
            buffer: Some(held.shown),
            bytes: plan.buffer(held.buffer).size,
            unpadded: plan.unpadded(held.buffer),
            block: Some(*held),
        }));
    }
    all.retain(|held| held.bytes > 0);
    all.sort_by_key(|held| (std::cmp::Reverse(held.bytes), held.allocation, held.buffer));
    all
}

fn padding(plan: &Plan<'_>, buffer: BufferIndex) -> u64 {
    plan.buffer(buffer)
        .size
        .saturating_sub(plan.unpadded(buffer))
}

/// Sums by what the memory is used for, in the order of [`Category::ALL`].
pub(super) fn categories(held: &[Held]) -> Vec<BufferCategory> {
    let total: u64 = held
        .iter()
        .fold(0, |sum, held| sum.saturating_add(held.bytes));
    let sums = Category::ALL.into_iter().map(|category| {
        let own = held.iter().filter(|held| held.category == category);
        let (mut bytes, mut unpadded, mut count) = (0u64, 0u64, 0);
        for held in own {
            bytes = bytes.saturating_add(held.bytes);
            unpadded = unpadded.saturating_add(held.unpadded);
            count += 1;
        }
        BufferCategory {
            category: category.name().to_owned(),
            bytes: signed(bytes),
            unpadded_bytes: signed(unpadded),
            ratio: ratio(bytes, total),
            count,
        }
    });
    sums.filter(|category| category.count > 0).collect()
}

pub(super) fn ratio(part: u64, total: u64) -> f64 {
    if total == 0 {
        return 0.0;
    }
    part as f64 / total as f64
}

/// The rows of a point, in the order of `held`.
pub(super) fn rows(
    plan: &Plan<'_>,
    replay: &Replay<'_>,
    outline: &Outline<'_>,
    held: &[Held],
) -> Vec<BufferRow> {
    let total: u64 = held
        .iter()
        .fold(0, |sum, held| sum.saturating_add(held.bytes));
    let rows = held.iter();
    rows.map(|held| row(plan, replay, outline, held, total))
        .collect()
}

fn row(
    plan: &Plan<'_>,
    replay: &Replay<'_>,
    outline: &Outline<'_>,
    held: &Held,
    total: u64,
) -> BufferRow {
    let instruction = held.buffer.and_then(|buffer| plan.instruction(buffer));
    let (scope, source) = instruction.map_or_else(Default::default, |found| origin(plan, found));
    let allocation = &plan.assignment.allocations[held.allocation];
    let is_parameter = held.category == Category::Parameter;
    let sharding = instruction.filter(|_| is_parameter);
    let sharding = sharding.map(|found| plan.hlo.details(outline, found).sharding);
    let point_count = replay.bytes.len();
    let end = held
        .block
        .map(|block| block.end)
        .filter(|&end| end < point_count);
    BufferRow {
        name: held.buffer.map_or_else(
            || format!("allocation {}", allocation.index),
            |buffer| name(plan, buffer),
        ),
        instruction: instruction
            .map(|found| found.name.clone())
            .unwrap_or_default(),
        opcode: instruction
            .map(|found| found.opcode.clone())
            .unwrap_or_default(),
        category: held.category.name().to_owned(),
        shape: shape_text(plan, held),
        bytes: signed(held.bytes),
        unpadded_bytes: signed(held.unpadded),
        padding_bytes: signed(held.bytes.saturating_sub(held.unpadded)),
        ratio: ratio(held.bytes, total),
        scope,
        source,
        start: held.block.map(|block| signed(block.start as u64)),
        end: end.map(|end| signed(end as u64)),
        end_instruction: end.map_or("", |end| replay.instruction_at(end)).to_owned(),
        offset_bytes: held
            .block
            .and_then(|block| plan.offset(block.buffer))
            .map(signed),
        sharding: sharding.unwrap_or_default(),
        is_donated: allocation.is_parameter && allocation.is_maybe_live_out,
        buffer_id: held
            .buffer
            .map(|buffer| plan.buffer(buffer).id.to_string())
            .unwrap_or_default(),
    }
}

/// `while.3{5}`: instruction and position in its tuple.
pub(super) fn name(plan: &Plan<'_>, buffer: BufferIndex) -> String {
    let found = plan.instruction(buffer);
    let name = found.map_or(plan.buffer(buffer).instruction_name.as_str(), |found| {
        &found.name
    });
    let index = &plan.buffer(buffer).shape_index;
    if index.is_empty() {
        return name.to_owned();
    }
    let index: Vec<String> = index.iter().map(ToString::to_string).collect();
    format!("{name}{{{}}}", index.join(","))
}

/// Shape of the buffer that represents the memory.
pub(super) fn shape_text(plan: &Plan<'_>, held: &Held) -> String {
    let shape = held.buffer.and_then(|buffer| plan.shape(buffer));
    match shape {
        Some(shape) if shape.is_tuple() => {
            format!("table of {} pointers", shape.tuple_shapes.len())
        }
        Some(shape) => shape.to_string(),
        None => String::new(),
    }
}

/// Name stack and source of an instruction. If it has neither, those of what it calls, or of its operand:
/// fusions and copies that the compiler inserts often represent one op of the program.
pub(super) fn origin(plan: &Plan<'_>, instruction: &Instruction) -> (String, String) {
    let mut current = instruction;
    for _ in 0..8 {
        if !current.op_name.is_empty() || current.source.is_some() {
            let source = current.source.as_deref();
            let source = source.map(stepscope_model::hlo::SourceLocation::label);
            return (current.op_name.clone(), source.unwrap_or_default());
        }
        let mut called = plan.hlo.called_computations(current);
        let next = match current.opcode.as_str() {
            "fusion" | "async-start" | "call" => called.next().and_then(|c| plan.hlo.root(c)),
            _ => plan.hlo.operand(current, 0),
        };
        match next {
            Some(next) => current = next,
            None => break,
        }
    }
    Default::default()
}
