//! Columns of the tables of `buffers`: titles, units, behavior, and how each is read from its row.
//! The meaning of each column is documented at the field of its row.

use super::report::{
    BufferCategory, BufferPadding, BufferProgram, BufferRow, BufferSaving, BufferSpace,
};
use crate::telling::{Column, Declared, Field, Identity, Unit};

pub(super) const ROWS: &[Field<BufferRow>] = &[
    Column::new("name", "Buffer", Unit::Text).of(|row| row.name.as_str().into()),
    Column::new("category", "Category", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.category.as_str().into()),
    Column::new("bytes", "Bytes", Unit::Bytes)
        .adds_over_rows()
        .less_is_better()
        .of(|row| row.bytes.into()),
    Column::new("ratio", "Share", Unit::Ratio)
        .formula("bytes ÷ Σ bytes at the point")
        .of(|row| row.ratio.into()),
    Column::new("shape", "Shape", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.shape.as_str().into()),
    Column::wide("padding_bytes", "Padding", Unit::Bytes)
        .formula("bytes − Π dimensions × bytes of an element")
        .adds_over_rows()
        .less_is_better()
        .of(|row| row.padding_bytes.into()),
    Column::wide("scope", "Scope", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.scope.as_str().into()),
    Column::wide("source", "Source", Unit::Text)
        .identifies(Identity::Unnumbered)
        .of(|row| row.source.as_str().into()),
    Column::wide("start", "From", Unit::Count)
        .position()
        .of(|row| row.start.into()),
    Column::wide("end", "To", Unit::Count)
        .position()
        .of(|row| row.end.into()),
    Column::wide("end_instruction", "Freed at", Unit::Text)
        .of(|row| row.end_instruction.as_str().into()),
    Column::wide("opcode", "Opcode", Unit::Text).of(|row| row.opcode.as_str().into()),
    Column::wide("sharding", "Sharding", Unit::Text).of(|row| row.sharding.as_str().into()),
    Column::wide("is_donated", "Donated", Unit::Flag).of(|row| row.is_donated.into()),
    Column::wide("unpadded_bytes", "Without padding", Unit::Bytes)
        .adds_over_rows()
        .of(|row| row.unpadded_bytes.into()),
    Column::wide("offset_bytes", "Offset", Unit::Bytes)
        .position()
        .of(|row| row.offset_bytes.into()),
    Column::wide("instruction", "Instruction", Unit::Text)
        .of(|row| row.instruction.as_str().into()),
    Column::wide("buffer_id", "Buffer id", Unit::Text).of(|row| row.buffer_id.as_str().into()),
];

pub(super) const SAVINGS: &[Field<BufferSaving>] = &[
    Column::new("remedy", "Remedy", Unit::Text).of(|saving| saving.remedy.as_str().into()),
    Column::new("frees_bytes", "Would free", Unit::Bytes).of(|saving| saving.frees_bytes.into()),
    Column::new("bytes", "Held", Unit::Bytes)
        .less_is_better()
        .of(|saving| saving.bytes.into()),
    Column::new("count", "Buffers", Unit::Count).of(|saving| saving.count.into()),
    Column::new("group", "Group", Unit::Text).of(|saving| saving.group.as_str().into()),
    Column::wide("source", "Source", Unit::Text).of(|saving| saving.source.as_str().into()),
    Column::wide("instruction", "Largest buffer", Unit::Text)
        .of(|saving| saving.instruction.as_str().into()),
    Column::wide("advice", "Advice", Unit::Text).of(|saving| saving.advice.as_str().into()),
];

pub(super) const CATEGORIES: &[Field<BufferCategory>] = &[
    Column::new("category", "Category", Unit::Text)
        .of(|category| category.category.as_str().into()),
    Column::new("bytes", "Bytes", Unit::Bytes)
        .adds_over_rows()
        .less_is_better()
        .of(|category| category.bytes.into()),
    Column::new("unpadded_bytes", "Without padding", Unit::Bytes)
        .adds_over_rows()
        .of(|category| category.unpadded_bytes.into()),
    Column::new("ratio", "Share", Unit::Ratio).of(|category| category.ratio.into()),
    Column::new("count", "Buffers", Unit::Count)
        .adds_over_rows()
        .of(|category| category.count.into()),
];

pub(super) const PADDING: &[Field<BufferPadding>] = &[
    Column::new("shape", "Shape", Unit::Text).of(|shape| shape.shape.as_str().into()),
    Column::new("padding_bytes", "Padding", Unit::Bytes)
        .adds_over_rows()
        .less_is_better()
        .of(|shape| shape.padding_bytes.into()),
    Column::new("padding_ratio", "Padding share", Unit::Ratio)
        .of(|shape| shape.padding_ratio.into()),
    Column::new("bytes", "Bytes", Unit::Bytes)
        .adds_over_rows()
        .less_is_better()
        .of(|shape| shape.bytes.into()),
    Column::new("count", "Buffers", Unit::Count)
        .adds_over_rows()
        .of(|shape| shape.count.into()),
    Column::wide("instruction", "First buffer", Unit::Text)
        .of(|shape| shape.instruction.as_str().into()),
    Column::wide("source", "Source", Unit::Text).of(|shape| shape.source.as_str().into()),
];

pub(super) const SPACES: &[Field<BufferSpace>] = &[
    Column::new("name", "Memory", Unit::Text).of(|space| space.name.as_str().into()),
    Column::new("peak_bytes", "Peak", Unit::Bytes)
        .less_is_better()
        .of(|space| space.peak_bytes.into()),
    Column::new("allocation_bytes", "Reserved", Unit::Bytes)
        .less_is_better()
        .of(|space| space.allocation_bytes.into()),
    Column::new("parameter_bytes", "Arguments", Unit::Bytes)
        .less_is_better()
        .of(|space| space.parameter_bytes.into()),
    Column::new("live_out_bytes", "Results", Unit::Bytes)
        .less_is_better()
        .of(|space| space.live_out_bytes.into()),
    Column::new("temporary_bytes", "Temporaries", Unit::Bytes)
        .less_is_better()
        .of(|space| space.temporary_bytes.into()),
    Column::wide("constant_bytes", "Constants", Unit::Bytes)
        .less_is_better()
        .of(|space| space.constant_bytes.into()),
    Column::wide("thread_local_bytes", "Thread-local", Unit::Bytes)
        .less_is_better()
        .of(|space| space.thread_local_bytes.into()),
    Column::wide("non_reusable_bytes", "Not reusable", Unit::Bytes)
        .less_is_better()
        .of(|space| space.non_reusable_bytes.into()),
    Column::wide("fragmentation_bytes", "Fragmentation", Unit::Bytes)
        .less_is_better()
        .of(|space| space.fragmentation_bytes.into()),
    Column::wide("allocation_count", "Allocations", Unit::Count)
        .of(|space| space.allocation_count.into()),
    Column::wide("event_count", "Events", Unit::Count).of(|space| space.event_count.into()),
    Column::wide("color", "Number", Unit::Count)
        .position()
        .of(|space| space.color.into()),
];

pub(super) const PROGRAMS: &[Field<BufferProgram>] = &[
    Column::new("program", "Program", Unit::Text).of(|program| program.program.as_str().into()),
    Column::new("peak_bytes", "Peak", Unit::Bytes)
        .less_is_better()
        .of(|program| program.peak_bytes.into()),
    Column::new("allocation_bytes", "Reserved", Unit::Bytes)
        .less_is_better()
        .of(|program| program.allocation_bytes.into()),
    Column::wide("parameter_bytes", "Arguments", Unit::Bytes)
        .less_is_better()
        .of(|program| program.parameter_bytes.into()),
    Column::wide("live_out_bytes", "Results", Unit::Bytes)
        .less_is_better()
        .of(|program| program.live_out_bytes.into()),
    Column::wide("temporary_bytes", "Temporaries", Unit::Bytes)
        .less_is_better()
        .of(|program| program.temporary_bytes.into()),
    Column::wide("instruction_count", "Instructions", Unit::Count)
        .of(|program| program.instruction_count.into()),
    Column::new("run_count", "Runs", Unit::Count).of(|program| program.run_count.into()),
    Column::wide("has_heap_trace", "Heap trace", Unit::Flag)
        .of(|program| program.has_heap_trace.into()),
    Column::wide("program_id", "Program id", Unit::Text)
        .of(|program| program.program_id.as_str().into()),
];

/// The key figures of the report.
pub(super) const FIGURES: &[Column] = &[
    Column::new("peak_bytes", "Peak", Unit::Bytes).less_is_better(),
    Column::new("peak_unpadded_bytes", "Peak without padding", Unit::Bytes).less_is_better(),
    Column::new("heap_bytes", "Heap", Unit::Bytes).less_is_better(),
    Column::new("scoped_vmem_bytes", "Scoped VMEM", Unit::Bytes).less_is_better(),
];

/// The tables of the report with their columns.
pub(super) fn tables() -> Vec<Declared> {
    vec![
        Declared::of("rows", ROWS),
        Declared::of("savings", SAVINGS),
        Declared::of("categories", CATEGORIES),
        Declared::of("padding", PADDING),
        Declared::of("spaces", SPACES),
        Declared::of("programs", PROGRAMS),
    ]
}
