//! From protobuf messages to the named model.

use memchr::memmem;
use prost::Message;

use crate::attributes::{
    Attributes, ConvolutionDimensions, DotDimensions, GatherDimensions, PaddingDimension,
    Precision, SliceDimension, WindowDimension,
};
use crate::backend_config;
use crate::error::HloError;
use crate::name_stack;
use crate::primitive_type::PrimitiveType;
use crate::program::{Computation, ComputationIndex, Instruction, InstructionIndex, Program};
use crate::remat;
use crate::replica_groups::{MeshAxis, MeshAxisPart, ReplicaGroups};
use crate::shape::{Layout, Shape};
use crate::sharding::Sharding;
use crate::source::SourceResolver;
use crate::wire::{self, text};

/// The attribute of exchanges through the host that go on to other slices.
const BETWEEN_SLICES: &[u8] = b"_xla_megascale_transfer_type";

impl Program {
    /// Reads a serialized HloProto, or a bare HloModuleProto.
    ///
    /// Dangling references and unknown values are tolerated; an error means that there is nothing
    /// usable in the bytes.
    pub fn decode(bytes: &[u8]) -> Result<Self, HloError> {
        decode(bytes)
    }
}

/// Reads an HloProto, or else a bare HloModuleProto.
fn decode(bytes: &[u8]) -> Result<Program, HloError> {
    let wrapped = wire::HloProto::decode(bytes).map(|proto| proto.hlo_module);
    let failure = match wrapped {
        Ok(Some(module)) if !module.computations.is_empty() => return program(module),
        Ok(_) => HloError::Empty,
        Err(error) => HloError::Malformed(error),
    };
    match wire::HloModule::decode(bytes) {
        Ok(module) if !module.computations.is_empty() => program(module),
        _ => Err(failure),
    }
}

fn program(module: wire::HloModule) -> Result<Program, HloError> {
    let instruction_count = module
        .computations
        .iter()
        .map(|c| c.instructions.len())
        .sum();
    let mut program = Program {
        name: text(module.name),
        id: module.id,
        assigned_device_count: module
            .device_assignment
            .as_ref()
            .and_then(assigned_device_count),
        partition_count: partition_count(module.device_assignment.as_ref()),
        assigned_devices: assigned_devices(module.device_assignment.unwrap_or_default()),
        instructions: Vec::with_capacity(instruction_count),
        computations: Vec::with_capacity(module.computations.len()),
        ..Program::default()
    };
    program.by_id.reserve(instruction_count);
    program.by_name.reserve(instruction_count);
    let mut sources = SourceResolver::new(module.stack_frame_index);
    program.functions = sources.functions();
    for computation in module.computations {
        push_computation(&mut program, computation, &mut sources)?;
    }
    remat::unmark_first_computations(&mut program);
    program.entry_computation = program
        .computation_by_id
        .get(&module.entry_computation_id)
        .copied();
    add_shardings(&mut program, &module.spmd_parameters_shardings);
    Ok(program)
}

/// Shardings of the parameters that say none themselves, which the partitioner took from them.
fn add_shardings(program: &mut Program, stated: &[Vec<u8>]) {
    let Some(entry) = program.entry().filter(|_| !stated.is_empty()) else {
        return;
    };
    let parameters = program.parameters_of(entry).into_iter();
    let found: Vec<(InstructionIndex, Sharding)> = parameters
        .filter_map(|(number, parameter)| {
            let own = stated.get(usize::try_from(number).ok()?)?;
            Some((parameter.index, Sharding::decode(own)?))
        })
        .collect();
    for (index, sharding) in found {
        program.shardings.entry(index).or_insert(sharding);
    }
}

fn assigned_device_count(assignment: &wire::DeviceAssignment) -> Option<u64> {
    let replica_count = u64::try_from(assignment.replica_count).ok()?;
    let computation_count = u64::try_from(assignment.computation_count).ok()?;
    Some(replica_count * computation_count).filter(|&count| count > 0)
}

fn partition_count(assignment: Option<&wire::DeviceAssignment>) -> usize {
    assignment.map_or(1, |assignment| assignment.computations.len().max(1))
}

/// Devices by logical id: replica by replica, its partitions in order. Empty where the lists are
/// not of one length.
fn assigned_devices(assignment: wire::DeviceAssignment) -> Vec<i64> {
    let partitions: Vec<Vec<i64>> = assignment
        .computations
        .into_iter()
        .map(|computation| computation.replica_ids)
        .collect();
    let replica_count = partitions.first().map_or(0, Vec::len);
    if partitions.iter().any(|ids| ids.len() != replica_count) {
        return Vec::new();
    }
    (0..replica_count)
        .flat_map(|replica| partitions.iter().map(move |ids| ids[replica]))
        .collect()
}

fn push_computation(
    program: &mut Program,
    computation: wire::HloComputation,
    sources: &mut SourceResolver,
) -> Result<(), HloError> {
    let index = ComputationIndex(position(program.computations.len()));
    let start = position(program.instructions.len());
    for bytes in computation.instructions {
        let mut instruction =
            wire::HloInstruction::decode(bytes.as_slice()).map_err(HloError::Malformed)?;
        let position = InstructionIndex(position(program.instructions.len()));
        let sharding = instruction.sharding.take();
        if let Some(sharding) = sharding.and_then(|bytes| Sharding::decode(&bytes)) {
            program.shardings.insert(position, sharding);
        }
        let instruction = self::instruction(instruction, position, index, sources);
        program.by_id.entry(instruction.id).or_insert(position);
        register_name(program, &instruction, computation.is_fusion_computation);
        program.instructions.push(instruction);
    }
    program
        .computation_by_id
        .entry(computation.id)
        .or_insert(index);
    program.computations.push(Computation {
        name: text(computation.name),
        id: computation.id,
        root_id: computation.root_id,
        is_fusion_body: computation.is_fusion_computation,
        execution_thread: text(computation.execution_thread),
        range: start..position(program.instructions.len()),
    });
    Ok(())
}

/// A position as stored. A message is below 2^31 bytes, so this never saturates in practice.
fn position(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// Names are unique in well-formed programs; else the first one executed on its own wins.
fn register_name(program: &mut Program, instruction: &Instruction, is_fused: bool) {
    let Some(&earlier) = program.by_name.get(instruction.name.as_str()) else {
        program
            .by_name
            .insert(instruction.name.as_str().into(), instruction.index);
        return;
    };
    let earlier_is_fused = program
        .instructions
        .get(earlier.index())
        .and_then(|earlier| program.computations.get(earlier.computation.index()))
        .is_some_and(|computation| computation.is_fusion_body);
    if earlier_is_fused && !is_fused {
        program
            .by_name
            .insert(instruction.name.as_str().into(), instruction.index);
    }
}

fn instruction(
    mut proto: wire::HloInstruction,
    index: InstructionIndex,
    computation: ComputationIndex,
    sources: &mut SourceResolver,
) -> Instruction {
    let mut metadata = proto.metadata.take().unwrap_or_default();
    let name = text(std::mem::take(&mut proto.name));
    let opcode = text(std::mem::take(&mut proto.opcode));
    let op_name = text(std::mem::take(&mut metadata.op_name));
    Instruction {
        id: proto.id,
        shape: proto.shape.take().map(shape).unwrap_or_default(),
        op_type: text(std::mem::take(&mut metadata.op_type)),
        source: sources.resolve(&mut metadata),
        custom_call_target: text(std::mem::take(&mut proto.custom_call_target)),
        fusion_kind: text(std::mem::take(&mut proto.fusion_kind)),
        operand_ids: std::mem::take(&mut proto.operand_ids),
        called_computation_ids: std::mem::take(&mut proto.called_computation_ids),
        is_rematerialized: name.contains(".remat")
            || name_stack::pass(&op_name) == name_stack::Pass::Rematerialized,
        computation,
        index,
        attributes: attributes(proto, &opcode),
        name,
        opcode,
        op_name,
    }
}

fn shape(proto: wire::Shape) -> Shape {
    let mut dynamic_dimensions = proto.is_dynamic_dimension;
    if !dynamic_dimensions.contains(&true) {
        dynamic_dimensions = Vec::new();
    }
    Shape {
        element_type: PrimitiveType::from_number(proto.element_type),
        dimensions: proto.dimensions,
        dynamic_dimensions,
        layout: proto.layout.map(|layout| Layout {
            minor_to_major: layout.minor_to_major,
            tiles: layout
                .tiles
                .into_iter()
                .map(|tile| tile.dimensions)
                .collect(),
            element_size_bits: layout.element_size_in_bits,
            memory_space: layout.memory_space,
        }),
        tuple_shapes: proto.tuple_shapes.into_iter().map(shape).collect(),
    }
}

fn attributes(proto: wire::HloInstruction, opcode: &str) -> Option<Box<Attributes>> {
    let config = backend_config::read(opcode, &proto.backend_config);
    let ragged = proto
        .ragged_dot_dimension_numbers
        .and_then(|ragged| ragged.dot_dimension_numbers);
    let dot = proto
        .dot_dimension_numbers
        .map(|dot| *dot)
        .or(ragged)
        .map(dot_dimensions);
    let attributes = Attributes {
        dimensions: proto.dimensions,
        window: proto.window.map(window).unwrap_or_default(),
        convolution: proto
            .convolution_dimension_numbers
            .map(|c| Box::new(convolution(*c))),
        dot: dot.or(config.dot).map(Box::new),
        gather: proto
            .gather_dimension_numbers
            .map(|own| Box::new(gather(*own, proto.gather_slice_sizes))),
        slice: proto
            .slice_dimensions
            .into_iter()
            .map(|s| SliceDimension {
                start: s.start,
                limit: s.limit,
                stride: s.stride,
            })
            .collect(),
        dynamic_slice_sizes: proto.dynamic_slice_sizes,
        padding: proto.padding_config.map(padding).unwrap_or_default(),
        fft_length: proto.fft_length,
        parameter_number: proto.parameter_number,
        tuple_index: proto.tuple_index,
        feature_group_count: proto.feature_group_count,
        batch_group_count: proto.batch_group_count,
        comparison_direction: text(proto.comparison_direction),
        channel_id: proto.channel_id,
        replica_groups: replica_groups(
            proto.replica_groups,
            proto.collective_device_list,
            proto.iota_device_list,
            proto.mesh_axes_device_list,
        ),
        uses_global_device_ids: proto.use_global_device_ids,
        source_target_pairs: proto
            .source_target_pairs
            .into_iter()
            .map(|pair| (pair.source, pair.target))
            .collect(),
        is_host_transfer: proto.is_host_transfer,
        is_between_slices: proto.is_host_transfer
            && memmem::find(&proto.frontend_attributes, BETWEEN_SLICES).is_some(),
        // GPU matmul calls have both, and only their configuration is filled in.
        precision: proto
            .precision_config
            .as_ref()
            .map(precision)
            .filter(|stated| *stated != Precision::default())
            .unwrap_or(config.precision),
        known_trip_count: config.known_trip_count,
        backend_kind: config.kind,
        cost_estimate: config.cost_estimate.map(Box::new),
        attention: config.attention.map(Box::new),
    };
    (attributes != Attributes::default()).then(|| Box::new(attributes))
}

fn gather(proto: wire::GatherDimensionNumbers, slice_sizes: Vec<i64>) -> GatherDimensions {
    // Dimensions that go through operand and indices together are in the result once, too.
    let collapsed = [proto.collapsed_slice, proto.operand_batching].concat();
    GatherDimensions {
        offset: proto.offset,
        collapsed,
        index_vector: proto.index_vector,
        slice_sizes,
    }
}

/// Packed nibbles (3) say how operands are stored, not how exactly they are multiplied.
fn precision(proto: &wire::PrecisionConfig) -> Precision {
    let levels = proto.operand_precision.iter();
    let level = levels.filter(|level| (0..=2).contains(*level)).max();
    Precision {
        level: level.map_or(0, |&level| u8::try_from(level).unwrap_or(0)),
        algorithm: u8::try_from(proto.algorithm).unwrap_or(u8::MAX),
    }
}

fn window(proto: wire::Window) -> Vec<WindowDimension> {
    let dimensions = proto.dimensions.into_iter();
    dimensions
        .map(|dimension| WindowDimension {
            size: dimension.size,
            stride: dimension.stride.max(1),
            padding_low: dimension.padding_low,
            padding_high: dimension.padding_high,
            window_dilation: dimension.window_dilation.max(1),
            base_dilation: dimension.base_dilation.max(1),
            is_reversed: dimension.window_reversal,
        })
        .collect()
}

fn convolution(proto: wire::ConvolutionDimensionNumbers) -> ConvolutionDimensions {
    ConvolutionDimensions {
        input_batch: proto.input_batch,
        input_feature: proto.input_feature,
        input_spatial: proto.input_spatial,
        kernel_input_feature: proto.kernel_input_feature,
        kernel_output_feature: proto.kernel_output_feature,
        kernel_spatial: proto.kernel_spatial,
        output_batch: proto.output_batch,
        output_feature: proto.output_feature,
        output_spatial: proto.output_spatial,
    }
}

fn dot_dimensions(proto: wire::DotDimensionNumbers) -> DotDimensions {
    DotDimensions {
        lhs_contracting: proto.lhs_contracting,
        rhs_contracting: proto.rhs_contracting,
        lhs_batch: proto.lhs_batch,
        rhs_batch: proto.rhs_batch,
    }
}

fn padding(proto: wire::PaddingConfig) -> Vec<PaddingDimension> {
    let dimensions = proto.dimensions.into_iter();
    dimensions
        .map(|d| PaddingDimension {
            low: d.low,
            high: d.high,
            interior: d.interior,
        })
        .collect()
}

/// Compilers wrote the groups at first, then the device list, then each form in a field of its own;
/// several may be present.
fn replica_groups(
    groups: Vec<wire::ReplicaGroup>,
    list: Option<Box<wire::CollectiveDeviceList>>,
    iota: Option<Box<wire::IotaReplicaGroups>>,
    mesh: Option<Box<wire::MeshAxesReplicaGroups>>,
) -> ReplicaGroups {
    if let Some(mesh) = mesh {
        return mesh_axes(*mesh);
    }
    let list = list.map(|list| *list).unwrap_or_default();
    if let Some(iota) = iota.map(|iota| *iota).or(list.iota) {
        return ReplicaGroups::Iota {
            group_count: u64::try_from(iota.group_count).unwrap_or(0),
            devices_per_group: u64::try_from(iota.devices_per_group).unwrap_or(0),
            reshape_dimensions: iota.reshape_dimensions,
            transpose_permutation: iota.transpose_permutation,
        };
    }
    let groups = if list.replica_groups.is_empty() {
        groups
    } else {
        list.replica_groups
    };
    ReplicaGroups::Listed(groups.into_iter().map(|group| group.replica_ids).collect())
}

fn mesh_axes(proto: wire::MeshAxesReplicaGroups) -> ReplicaGroups {
    let size = |size: i64| u64::try_from(size).unwrap_or(0);
    let mesh = proto.mesh.unwrap_or_default();
    let axis = |axis: wire::MeshAxis| MeshAxis {
        name: text(axis.name),
        size: size(axis.size),
    };
    let part = |axis: wire::AxisRef| MeshAxisPart {
        axis: usize::try_from(axis.mesh_axis_index).unwrap_or(usize::MAX),
        part: axis.part.map(|part| (size(part.before), size(part.size))),
    };
    ReplicaGroups::MeshAxes {
        mesh: mesh.axes.into_iter().map(axis).collect(),
        device_ids: mesh.device_ids,
        axes: proto.axes.into_iter().map(part).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the partitioner of JAX 0.12 leaves: parameters say nothing, and the module says all.
    #[test]
    fn shardings_of_parameters_may_stand_in_the_module() {
        let parameter = |number: i64| wire::HloInstruction {
            name: format!("p.{number}").into_bytes(),
            opcode: b"parameter".to_vec(),
            parameter_number: number,
            id: 1 + number,
            // Of three devices.
            sharding: (number == 2).then(|| vec![0x08, 0x03, 0x1a, 0x01, 0x03]),
            ..wire::HloInstruction::default()
        };
        let entry = wire::HloComputation {
            id: 7,
            instructions: (0..3).map(|one| parameter(one).encode_to_vec()).collect(),
            root_id: 1,
            ..wire::HloComputation::default()
        };
        // Whole on each device, which has no bytes, and cut into two.
        let halves = vec![0x08, 0x03, 0x1a, 0x01, 0x02];
        let module = wire::HloModule {
            computations: vec![entry],
            entry_computation_id: 7,
            spmd_parameters_shardings: vec![Vec::new(), halves.clone(), halves],
            ..wire::HloModule::default()
        };
        let program = Program::decode(&module.encode_to_vec()).expect("a program");
        let parts: Vec<Option<u64>> = (0..3)
            .map(|at| program.shardings.get(&InstructionIndex(at))?.part_count())
            .collect();
        assert_eq!(parts, [Some(1), Some(2), Some(3)]);
    }
}
