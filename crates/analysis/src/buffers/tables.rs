//! The `buffers` report as tables.

use super::report::{BufferProgram, BufferRow, BuffersReport};
use crate::cell::{Cell, Column, Table, Unit};
use crate::format;
use crate::note::Note;
use crate::order::{SortColumn, SortValue};
use crate::registry::Report;

/// Columns that `--sort` knows.
pub(super) const SORT_COLUMNS: &[SortColumn<BufferRow>] = &[
    ("bytes", |row| SortValue::Int(row.bytes)),
    ("unpadded_bytes", |row| SortValue::Int(row.unpadded_bytes)),
    ("padding_bytes", |row| SortValue::Int(row.padding_bytes)),
    ("start", |row| {
        SortValue::Float(row.start.map(|at| at as f64))
    }),
    ("end", |row| SortValue::Float(row.end.map(|at| at as f64))),
    ("offset_bytes", |row| {
        SortValue::Float(row.offset_bytes.map(|offset| offset as f64))
    }),
    ("name", |row| SortValue::Text(&row.name)),
    ("opcode", |row| SortValue::Text(&row.opcode)),
    ("category", |row| SortValue::Text(&row.category)),
    ("scope", |row| SortValue::Text(&row.scope)),
    ("source", |row| SortValue::Text(&row.source)),
];

const COLUMNS: &[Column] = &[
    Column::new("name", "Buffer", Unit::Text),
    Column::new("category", "Category", Unit::Text),
    Column::new("bytes", "Bytes", Unit::Bytes),
    Column::new("ratio", "Share", Unit::Ratio),
    Column::new("shape", "Shape", Unit::Text),
    Column::wide("padding_bytes", "Padding", Unit::Bytes),
    Column::wide("scope", "Scope", Unit::Text),
    Column::wide("source", "Source", Unit::Text),
    Column::wide("start", "From", Unit::Count),
    Column::wide("end", "To", Unit::Count),
    Column::wide("end_instruction", "Freed at", Unit::Text),
    Column::wide("opcode", "Opcode", Unit::Text),
    Column::wide("sharding", "Sharding", Unit::Text),
    Column::wide("is_donated", "Donated", Unit::Flag),
    Column::wide("unpadded_bytes", "Without padding", Unit::Bytes),
    Column::wide("offset_bytes", "Offset", Unit::Bytes),
    Column::wide("instruction", "Instruction", Unit::Text),
    Column::wide("buffer_id", "Buffer id", Unit::Text),
];

const SAVING_COLUMNS: &[Column] = &[
    Column::new("remedy", "Remedy", Unit::Text),
    Column::new("frees_bytes", "Would free", Unit::Bytes),
    Column::new("bytes", "Held", Unit::Bytes),
    Column::new("count", "Buffers", Unit::Count),
    Column::new("group", "What", Unit::Text),
    Column::wide("source", "Source", Unit::Text),
    Column::wide("instruction", "Largest", Unit::Text),
    Column::wide("advice", "Advice", Unit::Text),
];

const CATEGORY_COLUMNS: &[Column] = &[
    Column::new("category", "Category", Unit::Text),
    Column::new("bytes", "Bytes", Unit::Bytes),
    Column::new("unpadded_bytes", "Without padding", Unit::Bytes),
    Column::new("ratio", "Share", Unit::Ratio),
    Column::new("count", "Buffers", Unit::Count),
];

const PADDING_COLUMNS: &[Column] = &[
    Column::new("shape", "Shape", Unit::Text),
    Column::new("padding_bytes", "Padding", Unit::Bytes),
    Column::new("padding_ratio", "Of it", Unit::Ratio),
    Column::new("bytes", "Bytes", Unit::Bytes),
    Column::new("count", "Buffers", Unit::Count),
    Column::wide("instruction", "First", Unit::Text),
    Column::wide("source", "Source", Unit::Text),
];

const SPACE_COLUMNS: &[Column] = &[
    Column::new("name", "Memory", Unit::Text),
    Column::new("peak_bytes", "Peak", Unit::Bytes),
    Column::new("allocation_bytes", "Reserved", Unit::Bytes),
    Column::new("parameter_bytes", "Arguments", Unit::Bytes),
    Column::new("live_out_bytes", "Results", Unit::Bytes),
    Column::new("temporary_bytes", "Temporaries", Unit::Bytes),
    Column::wide("constant_bytes", "Constants", Unit::Bytes),
    Column::wide("thread_local_bytes", "Thread-local", Unit::Bytes),
    Column::wide("non_reusable_bytes", "Not reusable", Unit::Bytes),
    Column::wide("fragmentation_bytes", "Fragmentation", Unit::Bytes),
    Column::wide("allocation_count", "Allocations", Unit::Count),
    Column::wide("event_count", "Events", Unit::Count),
    Column::wide("color", "Number", Unit::Count),
];

const PROGRAM_COLUMNS: &[Column] = &[
    Column::new("program", "Program", Unit::Text),
    Column::new("peak_bytes", "Peak", Unit::Bytes),
    Column::new("allocation_bytes", "Reserved", Unit::Bytes),
    Column::wide("parameter_bytes", "Arguments", Unit::Bytes),
    Column::wide("live_out_bytes", "Results", Unit::Bytes),
    Column::wide("temporary_bytes", "Temporaries", Unit::Bytes),
    Column::wide("instruction_count", "Instructions", Unit::Count),
    Column::new("run_count", "Runs", Unit::Count),
    Column::wide("has_heap_trace", "Heap trace", Unit::Flag),
    Column::wide("program_id", "Program id", Unit::Text),
];

fn row_cells(row: &BufferRow) -> Vec<Cell> {
    vec![
        row.name.as_str().into(),
        row.category.as_str().into(),
        row.bytes.into(),
        row.ratio.into(),
        row.shape.as_str().into(),
        row.padding_bytes.into(),
        row.scope.as_str().into(),
        row.source.as_str().into(),
        row.start.into(),
        row.end.into(),
        row.end_instruction.as_str().into(),
        row.opcode.as_str().into(),
        row.sharding.as_str().into(),
        row.is_donated.into(),
        row.unpadded_bytes.into(),
        row.offset_bytes.into(),
        row.instruction.as_str().into(),
        row.buffer_id.as_str().into(),
    ]
}

impl BuffersReport {
    fn saving_cells(&self) -> Vec<Vec<Cell>> {
        let savings = self.savings.iter().map(|saving| {
            vec![
                saving.remedy.as_str().into(),
                saving.frees_bytes.into(),
                saving.bytes.into(),
                saving.count.into(),
                saving.group.as_str().into(),
                saving.source.as_str().into(),
                saving.instruction.as_str().into(),
                saving.advice.as_str().into(),
            ]
        });
        savings.collect()
    }

    fn category_cells(&self) -> Vec<Vec<Cell>> {
        let categories = self.categories.iter().map(|category| {
            vec![
                category.category.as_str().into(),
                category.bytes.into(),
                category.unpadded_bytes.into(),
                category.ratio.into(),
                category.count.into(),
            ]
        });
        categories.collect()
    }

    fn padding_cells(&self) -> Vec<Vec<Cell>> {
        let shapes = self.padding.iter().map(|shape| {
            vec![
                shape.shape.as_str().into(),
                shape.padding_bytes.into(),
                shape.padding_ratio.into(),
                shape.bytes.into(),
                shape.count.into(),
                shape.instruction.as_str().into(),
                shape.source.as_str().into(),
            ]
        });
        shapes.collect()
    }

    fn space_cells(&self) -> Vec<Vec<Cell>> {
        let spaces = self.spaces.iter().map(|space| {
            vec![
                space.name.as_str().into(),
                space.peak_bytes.into(),
                space.allocation_bytes.into(),
                space.parameter_bytes.into(),
                space.live_out_bytes.into(),
                space.temporary_bytes.into(),
                space.constant_bytes.into(),
                space.thread_local_bytes.into(),
                space.non_reusable_bytes.into(),
                space.fragmentation_bytes.into(),
                space.allocation_count.into(),
                space.event_count.into(),
                space.color.into(),
            ]
        });
        spaces.collect()
    }
}

fn program_cells(program: &BufferProgram) -> Vec<Cell> {
    vec![
        program.program.as_str().into(),
        program.peak_bytes.into(),
        program.allocation_bytes.into(),
        program.parameter_bytes.into(),
        program.live_out_bytes.into(),
        program.temporary_bytes.into(),
        program.instruction_count.into(),
        program.run_count.into(),
        program.has_heap_trace.into(),
        program.program_id.as_str().into(),
    ]
}

impl Report for BuffersReport {
    fn tables(&self) -> Vec<Table> {
        let rows = self.rows.iter().map(row_cells);
        let mut held = Table::new("rows", &self.rows_title(), COLUMNS, rows);
        held.row_count = self.row_count;
        let programs = self.programs.iter().map(program_cells);
        vec![
            held,
            Table::new(
                "savings",
                "What to shrink to fit",
                SAVING_COLUMNS,
                self.saving_cells(),
            ),
            Table::new(
                "categories",
                "By category",
                CATEGORY_COLUMNS,
                self.category_cells(),
            ),
            Table::new(
                "padding",
                "Padding at the peak",
                PADDING_COLUMNS,
                self.padding_cells(),
            ),
            Table::new("spaces", "Memory spaces", SPACE_COLUMNS, self.space_cells()),
            Table::new("programs", "Programs", PROGRAM_COLUMNS, programs),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn headline(&self) -> Vec<(String, String)> {
        if self.program.is_empty() {
            return Vec::new();
        }
        let bytes = |bytes: i64| format::bytes(bytes as f64);
        let mut lines = vec![
            ("Program".to_owned(), self.program.clone()),
            (
                format!("Peak of {}", self.memory_space),
                format!(
                    "{} at {}",
                    bytes(self.peak_bytes),
                    self.point_text(self.peak_position)
                ),
            ),
        ];
        let padding = self.peak_bytes - self.peak_unpadded_bytes;
        if padding > 0 {
            lines.push(("Padding at the peak".to_owned(), bytes(padding)));
        }
        let space = self
            .spaces
            .iter()
            .find(|space| space.color == self.memory_space_color);
        if let Some(space) = space {
            let wasted = match space.fragmentation_bytes {
                0 => String::new(),
                wasted => format!(", {} of it between buffers", bytes(wasted)),
            };
            lines.push((
                "Reserved".to_owned(),
                bytes(space.allocation_bytes) + &wasted,
            ));
        }
        if let Some(scoped) = self.scoped_vmem_bytes {
            let text = format!("{} by {}", bytes(scoped), self.scoped_vmem_instruction);
            lines.push(("Scoped VMEM".to_owned(), text));
        }
        lines
    }
}

impl BuffersReport {
    fn rows_title(&self) -> String {
        if self.position == self.peak_position {
            return "Held at the peak".to_owned();
        }
        format!("Held at {}", self.point_text(self.position))
    }

    fn point_text(&self, position: usize) -> String {
        match self.point_count {
            0 | 1 => "all times".to_owned(),
            count => format!("point {position} of {}", count - 1),
        }
    }
}

/// The report where there is no plan to show.
pub(super) fn without_plan(programs: Vec<BufferProgram>, note: Note) -> BuffersReport {
    BuffersReport {
        rows: Vec::new(),
        row_count: 0,
        program: String::new(),
        program_id: String::new(),
        memory_space: String::new(),
        memory_space_color: 0,
        peak_bytes: 0,
        peak_unpadded_bytes: 0,
        peak_position: 0,
        point_count: 0,
        position: 0,
        position_instruction: String::new(),
        position_scope: String::new(),
        position_bytes: 0,
        categories: Vec::new(),
        curve: Vec::new(),
        heap_bytes: None,
        lifetimes: Vec::new(),
        lifetime_count: 0,
        savings: Vec::new(),
        padding: Vec::new(),
        spaces: Vec::new(),
        programs,
        scoped_vmem_bytes: None,
        scoped_vmem_instruction: String::new(),
        notes: vec![note],
    }
}
