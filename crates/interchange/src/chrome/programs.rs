//! The program of each op of a TPU.
//!
//! Profiles record it with the op. Trace viewers hide that number, and leave what the row of program
//! runs shows: an op belongs to the program whose run it begins in.

use std::collections::BTreeMap;

use super::build::Builder;
use crate::draft::{Draft, PlaneIndex, Tables, Value, written_stats};

/// Rows of program runs and, at the same place, of the ops that they ran.
const ROWS: [(&str, &[&str]); 2] = [
    ("XLA Modules", &["XLA Ops", "Async XLA Ops"]),
    ("Sparse Core Modules", &["Sparse Core Ops"]),
];

impl Builder {
    /// Says of each op which program ran it, where the trace does not.
    pub(super) fn join_programs(&mut self) {
        for (_, draft) in &mut self.hosts {
            for plane in (0..draft.planes.len()).map(PlaneIndex) {
                let found = draft.plane(plane);
                let is_tpu = found.name.starts_with("/device:TPU");
                if is_tpu && !found.tables.has_stat(b"program_id") {
                    for (runs, ops) in ROWS {
                        join(draft, plane, runs, ops);
                    }
                }
            }
        }
    }
}

/// One run of a program.
struct Run {
    start: i64,
    end: i64,
    /// Position of its program among the stats to add, from 1.
    program: u32,
}

fn join(draft: &mut Draft, plane: PlaneIndex, row: &str, rows_of_ops: &[&str]) {
    let Draft { planes, lines, .. } = draft;
    let tables = &mut planes[plane.0].tables;
    let mut programs: BTreeMap<i64, u32> = BTreeMap::new();
    let mut stats: Vec<Vec<u8>> = Vec::new();
    let mut runs: Vec<Run> = Vec::new();
    let names = tables.event_names();
    for line in lines
        .iter()
        .filter(|line| line.plane == plane && line.name == row)
    {
        for event in line.placed() {
            let program = *programs.entry(event.metadata).or_insert_with(|| {
                let name = names.get(&event.metadata).map_or(&b""[..], Vec::as_slice);
                stats.push(program_stats(tables, name));
                u32::try_from(stats.len()).unwrap_or(0)
            });
            runs.push(Run {
                start: event.start,
                end: event.end(),
                program,
            });
        }
    }
    if runs.is_empty() {
        return;
    }
    runs.sort_by_key(|run| run.start);
    let of_plane = lines.iter_mut().filter(|line| line.plane == plane);
    for line in of_plane.filter(|line| rows_of_ops.contains(&line.name.as_str())) {
        let owner = |start: i64| {
            let next = runs.partition_point(|run| run.start <= start);
            let run = runs.get(next.checked_sub(1)?)?;
            (start < run.end).then_some(run.program)
        };
        line.owners = line
            .placed()
            .iter()
            .map(|event| owner(event.start).unwrap_or(0))
            .collect();
        line.owner_stats.clone_from(&stats);
    }
}

/// `jit_step(70)` says both; a name without a number stands for itself.
fn program_stats(tables: &mut Tables, title: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(title).into_owned();
    let parts = text
        .strip_suffix(')')
        .and_then(|rest| rest.rsplit_once('('));
    let id = parts.and_then(|(_, digits)| {
        let unsigned = digits.parse::<u64>().ok().map(u64::cast_signed);
        unsigned.or_else(|| digits.parse::<i64>().ok())
    });
    written_stats(tables, |stats| match id {
        Some(id) => stats.add(b"program_id", Value::Int(id)),
        None => stats.add(b"hlo_module", Value::Text(text.as_bytes())),
    })
}
