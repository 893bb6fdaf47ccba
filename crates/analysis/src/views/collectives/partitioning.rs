//! The whole shape of any instruction's value and how it is divided, in words.

use std::fmt::Write as _;

use stepscope_model::ReplicaGroups;
use stepscope_model::hlo::{Instruction, PlacedDimension, Program, Shape};

use super::mesh::{Mesh, strides};

/// Arrays of a tuple that are written out.
const MAX_ARRAYS: usize = 8;

/// Writes how values are divided over the devices of a program.
pub(crate) struct Partitioning<'a> {
    program: &'a Program,
    mesh: Option<Mesh>,
    device_count: u64,
}

/// The value of an instruction over all devices.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct WholeValue {
    /// `f32[512,1024]`, with `?` for dimensions of which nothing is known; empty if that is all.
    pub(crate) shape: String,
    /// `P(data, None)`, as JAX writes it.
    pub(crate) partition: String,
}

impl<'a> Partitioning<'a> {
    /// `None` for a program of one device.
    pub(crate) fn of(program: &'a Program) -> Option<Self> {
        if !program.has_placements() {
            return None;
        }
        let device_count = program.sharding_device_count()?;
        let mesh = named(program).or_else(|| Mesh::guess(&strides(program), device_count));
        Some(Self {
            program,
            mesh,
            device_count,
        })
    }

    /// Nothing where nothing is known.
    pub(crate) fn value(&self, instruction: &Instruction) -> WholeValue {
        let arrays = self.program.placed(instruction);
        let is_known = |(_, own): &(&Shape, Vec<PlacedDimension>)| {
            own.is_empty() || own.iter().any(|own| own.part_count.is_some())
        };
        // Scalars alone say nothing.
        let has_dimensions = arrays.iter().any(|(_, own)| !own.is_empty());
        if !has_dimensions || !arrays.iter().any(is_known) {
            return WholeValue::default();
        }
        let shown = arrays.iter().take(MAX_ARRAYS);
        let shapes = shown.clone().map(|(shape, own)| whole_shape(shape, own));
        let partitions = shown.map(|(_, own)| self.partition(own));
        let more = arrays.len() > MAX_ARRAYS;
        WholeValue {
            shape: listed(shapes.collect(), more),
            partition: listed(partitions.collect(), more),
        }
    }

    fn partition(&self, dimensions: &[PlacedDimension]) -> String {
        if dimensions.iter().all(|own| own.part_count == Some(1)) {
            return "P()".to_owned();
        }
        let axes = |own: &PlacedDimension| match own.part_count {
            None => "?".to_owned(),
            Some(parts) => Mesh::cut(self.mesh.as_ref(), parts, &own.devices, self.device_count),
        };
        let dimensions: Vec<String> = dimensions.iter().map(axes).collect();
        format!("P({})", dimensions.join(", "))
    }
}

/// The mesh that some collective of the program names.
fn named(program: &Program) -> Option<Mesh> {
    program.instructions().find_map(
        |instruction| match &instruction.attributes()?.replica_groups {
            ReplicaGroups::MeshAxes { mesh, .. } => Some(Mesh::named(mesh)),
            _ => None,
        },
    )
}

fn whole_shape(shape: &Shape, dimensions: &[PlacedDimension]) -> String {
    let mut text = format!("{}[", shape.element_type);
    for (position, own) in dimensions.iter().enumerate() {
        let comma = if position > 0 { "," } else { "" };
        // Writing to a string cannot fail.
        let _ = match own.whole_size() {
            Some(size) => write!(text, "{comma}{size}"),
            None => write!(text, "{comma}?"),
        };
    }
    text.push(']');
    text
}

/// One by itself, several as a tuple.
fn listed(mut texts: Vec<String>, more: bool) -> String {
    if more {
        texts.push("…".to_owned());
    }
    match texts.as_slice() {
        [one] => one.clone(),
        texts => format!("({})", texts.join(", ")),
    }
}
