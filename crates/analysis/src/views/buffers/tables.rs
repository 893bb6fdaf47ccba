//! The `buffers` report as tables.

use super::columns::{self, CATEGORIES, PADDING, PROGRAMS, ROWS, SAVINGS, SPACES};
use super::report::{BufferProgram, BuffersReport};
use crate::asking::Report;
use crate::telling::Note;
use crate::telling::format;
use crate::telling::{Declared, DeclaredColumn, Table};

impl Report for BuffersReport {
    fn declared() -> Vec<Declared> {
        columns::tables()
    }

    fn figures() -> Vec<DeclaredColumn> {
        DeclaredColumn::figures::<Self>(columns::FIGURES)
    }

    fn tables(&self) -> Vec<Table> {
        let mut held = Table::of("rows", &self.rows_title(), ROWS, &self.rows);
        held.row_count = self.row_count;
        vec![
            held,
            Table::of("savings", "What to shrink", SAVINGS, &self.savings),
            Table::of("categories", "By category", CATEGORIES, &self.categories),
            Table::of("padding", "Padding at the peak", PADDING, &self.padding),
            Table::of("spaces", "Memory spaces", SPACES, &self.spaces),
            Table::of("programs", "Programs", PROGRAMS, &self.programs),
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
                wasted => format!(", {} of it unused at the peak", bytes(wasted)),
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

/// The report if there is no plan to show.
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
