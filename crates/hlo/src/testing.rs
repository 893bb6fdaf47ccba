//! Draws small programs for tests: real messages, encoded and decoded again.

use prost::Message;

use crate::primitive_type::PrimitiveType;
use crate::program::Program;
use crate::wire;

/// Room for the instructions of one computation in the numbering of ids.
const IDS_PER_COMPUTATION: i64 = 1000;

/// One computation being drawn; its instructions get ids in order.
pub(crate) struct Draft {
    computation: wire::HloComputation,
    instructions: Vec<wire::HloInstruction>,
}

impl Draft {
    pub(crate) fn new(id: i64, name: &str) -> Self {
        let computation = wire::HloComputation {
            id,
            name: name.into(),
            ..wire::HloComputation::default()
        };
        Self {
            computation,
            instructions: Vec::new(),
        }
    }

    /// The body of a fusion.
    pub(crate) fn fused(id: i64, name: &str) -> Self {
        let mut draft = Self::new(id, name);
        draft.computation.is_fusion_computation = true;
        draft
    }

    pub(crate) fn parameter(&mut self, shape: wire::Shape) -> i64 {
        let is_parameter = |i: &&wire::HloInstruction| i.opcode == b"parameter";
        let number = signed(self.instructions.iter().filter(is_parameter).count());
        self.add_with("parameter", shape, &[], |instruction| {
            instruction.parameter_number = number;
        })
    }

    /// Changes the instruction that was added last.
    pub(crate) fn edit_last(&mut self, edit: impl FnOnce(&mut wire::HloInstruction)) {
        edit(self.instructions.last_mut().expect("an instruction"));
    }

    pub(crate) fn add(&mut self, opcode: &str, shape: wire::Shape, operands: &[i64]) -> i64 {
        self.add_with(opcode, shape, operands, |_| {})
    }

    /// Adds an instruction named after its opcode and position, and makes it the root.
    pub(crate) fn add_with(
        &mut self,
        opcode: &str,
        shape: wire::Shape,
        operands: &[i64],
        edit: impl FnOnce(&mut wire::HloInstruction),
    ) -> i64 {
        let id = self.computation.id * IDS_PER_COMPUTATION + signed(self.instructions.len());
        let mut instruction = wire::HloInstruction {
            name: format!("{opcode}.{id}").into_bytes(),
            opcode: opcode.into(),
            shape: Some(shape),
            id,
            operand_ids: operands.to_vec(),
            ..wire::HloInstruction::default()
        };
        edit(&mut instruction);
        self.instructions.push(instruction);
        self.computation.root_id = id;
        id
    }
}

fn signed(count: usize) -> i64 {
    i64::try_from(count).expect("a small count")
}

/// Encodes a module whose last computation is the entry.
pub(crate) fn encode(drafts: Vec<Draft>) -> Vec<u8> {
    message(drafts).encode_to_vec()
}

/// A module whose last computation is the entry.
pub(crate) fn message(drafts: Vec<Draft>) -> wire::HloProto {
    let computations: Vec<wire::HloComputation> = drafts
        .into_iter()
        .map(|draft| wire::HloComputation {
            instructions: draft
                .instructions
                .iter()
                .map(Message::encode_to_vec)
                .collect(),
            ..draft.computation
        })
        .collect();
    let module = wire::HloModule {
        name: b"jit_f".to_vec(),
        id: 7,
        entry_computation_id: computations.last().map_or(0, |entry| entry.id),
        computations,
        ..wire::HloModule::default()
    };
    wire::HloProto {
        hlo_module: Some(module),
    }
}

pub(crate) fn program(drafts: Vec<Draft>) -> Program {
    Program::decode(&encode(drafts)).expect("a drawn program decodes")
}

/// A module for a number of devices, each with a part of every value.
pub(crate) fn on_devices(count: i64, drafts: Vec<Draft>) -> Program {
    let mut message = message(drafts);
    if let Some(module) = &mut message.hlo_module {
        let device = |device| wire::ReplicaGroup {
            replica_ids: vec![device],
        };
        module.device_assignment = Some(wire::DeviceAssignment {
            replica_count: 1,
            computation_count: i32::try_from(count).expect("a small count"),
            computations: (0..count).map(device).collect(),
        });
    }
    Program::decode(&message.encode_to_vec()).expect("a drawn program decodes")
}

/// `OpSharding` of `{devices=[tiles]<=[reshape] last_tile_dim_replicate}`, the devices transposed where
/// `reshape` has two sizes; of a whole value without tiles.
pub(crate) fn sharding(tiles: &[i64], reshape: &[i64]) -> Vec<u8> {
    #[derive(Clone, PartialEq, Message)]
    struct Proto {
        #[prost(int32, tag = "1")]
        kind: i32,
        #[prost(int64, repeated, tag = "3")]
        tiles: Vec<i64>,
        #[prost(bool, tag = "6")]
        has_copies: bool,
        #[prost(int64, repeated, tag = "9")]
        reshape: Vec<i64>,
        #[prost(int32, repeated, tag = "10")]
        transpose: Vec<i32>,
    }
    let is_tiled = !tiles.is_empty();
    let transpose = if reshape.len() == 2 {
        vec![1, 0]
    } else {
        Vec::new()
    };
    Proto {
        kind: if is_tiled { 3 } else { 0 },
        tiles: tiles.to_vec(),
        has_copies: is_tiled,
        reshape: reshape.to_vec(),
        transpose,
    }
    .encode_to_vec()
}

/// `f32[dimensions]` in row-major layout.
pub(crate) fn f32(dimensions: &[i64]) -> wire::Shape {
    array(PrimitiveType::F32, dimensions)
}

/// An array in row-major layout.
pub(crate) fn array(element_type: PrimitiveType, dimensions: &[i64]) -> wire::Shape {
    let number = (0..64).find(|&number| PrimitiveType::from_number(number) == element_type);
    wire::Shape {
        element_type: number.expect("a known type"),
        dimensions: dimensions.to_vec(),
        layout: Some(wire::Layout {
            minor_to_major: (0..signed(dimensions.len())).rev().collect(),
            ..wire::Layout::default()
        }),
        ..wire::Shape::default()
    }
}

pub(crate) fn tuple(shapes: &[wire::Shape]) -> wire::Shape {
    wire::Shape {
        element_type: 13,
        tuple_shapes: shapes.to_vec(),
        ..wire::Shape::default()
    }
}

/// The same array in another memory space.
pub(crate) fn in_memory_space(mut shape: wire::Shape, memory_space: i64) -> wire::Shape {
    shape.layout.get_or_insert_default().memory_space = memory_space;
    shape
}

/// `{ ROOT add(x, y) }` on scalars.
pub(crate) fn adder(id: i64) -> Draft {
    let mut adder = Draft::new(id, "adder");
    let (x, y) = (adder.parameter(f32(&[])), adder.parameter(f32(&[])));
    adder.add("add", f32(&[]), &[x, y]);
    adder
}

/// A window of one dimension with neutral stride, padding and dilation.
pub(crate) fn window(size: i64) -> wire::WindowDimension {
    wire::WindowDimension {
        size,
        stride: 1,
        window_dilation: 1,
        base_dilation: 1,
        ..wire::WindowDimension::default()
    }
}

/// `b0f_0io->b0f`: one spatial dimension.
pub(crate) fn one_dimensional_convolution() -> wire::ConvolutionDimensionNumbers {
    wire::ConvolutionDimensionNumbers {
        input_batch: 0,
        input_spatial: vec![1],
        input_feature: 2,
        kernel_spatial: vec![0],
        kernel_input_feature: 1,
        kernel_output_feature: 2,
        output_batch: 0,
        output_spatial: vec![1],
        output_feature: 2,
    }
}
