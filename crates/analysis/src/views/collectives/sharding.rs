//! How inputs and outputs of programs are divided over devices.
//!
//! Shapes in a compiled program are those of one device. The sharding says into how many parts the whole
//! value is split: `{devices=[4,1]<=[4]}` splits it in four, `{replicated}` keeps it whole on every
//! device, and `{devices=[2,1,4]<=[8] last_tile_dim_replicate}` splits it in two and keeps four copies of
//! each part. The axes of the mesh follow from the devices along each split dimension:
//!
//! ```text
//! mesh data=4 × model=2     0 1 | 2 3 | 4 5 | 6 7      stride of data 2, of model 1
//! split along 0 2 4 6       data                       P(data, None)
//! ```

use std::cmp::Reverse;

use stepscope_model::hlo::{Division, Outline, ShardedValue, Sharding};
use stepscope_model::{Program, ProgramId, Session, SliceKind};

use super::mesh::{Mesh, Meshes};
use super::report::ShardingRow;
use super::rows::signed;
use crate::measuring::selection::Selected;

/// Maximum number of inputs and outputs of one program that are read.
const MAX_VALUES: usize = 20_000;

/// Inputs and outputs of the selected programs that ran on several devices, most bytes first, at
/// most `limit` (0: all), and how many there are.
pub(super) fn shardings(
    session: &Session,
    selected: &Selected<'_>,
    meshes: &Meshes,
    limit: usize,
) -> (Vec<ShardingRow>, usize) {
    let ran = ran(session, selected);
    let mut rows = Vec::new();
    for (number, program) in session.programs.iter().enumerate() {
        let id = ProgramId::from_index(number);
        if ran[number] && selected.has_program(Some(id)) {
            rows.extend(of_program(program, meshes.of_program(id)).unwrap_or_default());
        }
    }
    rows.retain(|row| {
        selected.matches(&[
            &row.name,
            &row.program,
            &row.shape,
            &row.partition,
            &row.sharding,
        ])
    });
    rows.sort_by(|a, b| {
        (b.total_bytes.cmp(&a.total_bytes))
            .then_with(|| (&a.program, Reverse(a.is_input)).cmp(&(&b.program, Reverse(b.is_input))))
            .then_with(|| a.number.cmp(&b.number))
    });
    let count = rows.len();
    if limit > 0 {
        rows.truncate(limit);
    }
    (rows, count)
}

/// Programs that ran on a selected device, by their runs; without recorded runs, by their ops.
fn ran(session: &Session, selected: &Selected<'_>) -> Vec<bool> {
    let mut ran = vec![false; session.programs.len()];
    let mut has_runs = vec![false; session.programs.len()];
    for run in &session.program_runs {
        has_runs[run.program.index()] = true;
        ran[run.program.index()] |= selected.devices.contains(&run.device);
    }
    for label in &session.labels {
        let Some(program) = label.program.filter(|_| label.kind != SliceKind::Host) else {
            continue;
        };
        ran[program.index()] |= !has_runs[program.index()];
    }
    ran
}

fn of_program(program: &Program, mesh: Option<&Mesh>) -> Option<Vec<ShardingRow>> {
    let hlo = program.hlo.as_ref()?;
    let device_count = hlo.sharding_device_count().filter(|&count| count > 1)?;
    let outline = Outline::of(program.hlo_bytes());
    let values = hlo.sharded_values(&outline, MAX_VALUES);
    let own = mesh
        .is_none()
        .then(|| guess(&values, device_count))
        .flatten();
    let mesh = mesh.or(own.as_ref());
    let row = |value: &ShardedValue<'_>| row(program, value, device_count, mesh);
    Some(values.iter().map(row).collect())
}

/// The mesh, inferred from the shardings themselves.
fn guess(values: &[ShardedValue<'_>], device_count: u64) -> Option<Mesh> {
    let mut axes = Vec::new();
    for value in values {
        let divisions = value.sharding.as_ref().and_then(Sharding::divisions);
        for division in divisions.into_iter().flatten() {
            let [first, second, ..] = division.devices[..] else {
                continue;
            };
            let step = second.checked_sub(first)?;
            let is_even = division
                .devices
                .windows(2)
                .all(|pair| pair[1].checked_sub(pair[0]) == Some(step));
            // A split over all devices may be along several axes.
            if is_even && division.part_count < device_count {
                axes.push((u64::try_from(step).ok()?, division.part_count));
            }
        }
    }
    Mesh::guess(&axes, device_count)
}

fn row(
    program: &Program,
    value: &ShardedValue<'_>,
    device_count: u64,
    mesh: Option<&Mesh>,
) -> ShardingRow {
    let device_bytes = value.shape.byte_size();
    let sharding = value.sharding.as_ref();
    let is_on_one = sharding.is_some_and(Sharding::is_on_one_device);
    let part_count = sharding.and_then(Sharding::part_count);
    let total_bytes = if is_on_one {
        device_bytes
    } else {
        device_bytes.saturating_mul(device_count)
    };
    let whole_bytes = part_count.map(|parts| device_bytes.saturating_mul(parts));
    let partition = partition(value, device_count, mesh);
    ShardingRow {
        program: program.title(),
        program_id: program.id.to_string(),
        is_input: value.is_input,
        number: value.number,
        name: name(value),
        instruction: value.instruction.name.clone(),
        shape: value.shape.to_string(),
        is_mesh_guessed: mesh.is_some_and(|mesh| {
            mesh.is_guessed && mesh.axes.iter().any(|(name, _)| partition.contains(name))
        }),
        partition,
        sharding: sharding.map(ToString::to_string).unwrap_or_default(),
        part_count: part_count.map(signed),
        device_count: signed(device_count),
        device_bytes: signed(device_bytes),
        total_bytes: signed(total_bytes),
        replicated_bytes: whole_bytes.map(|whole| signed(total_bytes.saturating_sub(whole))),
    }
}

/// The framework's name for an input, else the instruction; leaves of a tuple with their number.
fn name(value: &ShardedValue<'_>) -> String {
    let instruction = value.instruction;
    let name = match instruction.op_name.as_str() {
        name if value.is_input && !name.is_empty() => name,
        _ => &instruction.name,
    };
    value
        .leaf
        .map_or_else(|| name.to_owned(), |leaf| format!("{name}[{leaf}]"))
}

/// In JAX notation: `P(data, None)`; `P()` for a whole value; empty if the program does not specify it.
fn partition(value: &ShardedValue<'_>, device_count: u64, mesh: Option<&Mesh>) -> String {
    let Some(sharding) = &value.sharding else {
        return String::new();
    };
    if sharding.is_on_one_device() {
        return "one device".to_owned();
    }
    let Some(divisions) = sharding.divisions() else {
        return "manual".to_owned();
    };
    if divisions.iter().all(|division| division.part_count == 1) {
        return "P()".to_owned();
    }
    let axes = |division: &Division| match (division.part_count, division.axes.as_slice()) {
        (parts, []) | (parts @ 1, _) => Mesh::cut(mesh, parts, &division.devices, device_count),
        (_, [one]) => one.clone(),
        (_, axes) => format!("({})", axes.join(", ")),
    };
    let dimensions: Vec<String> = divisions.iter().map(axes).collect();
    format!("P({})", dimensions.join(", "))
}
