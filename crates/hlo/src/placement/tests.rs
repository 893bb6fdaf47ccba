//! Small programs on a mesh of 4 × 2 devices, worked out by hand.

use crate::primitive_type::PrimitiveType;
use crate::program::Program;
use crate::testing::{Draft, array, f32, on_devices, sharding};
use crate::wire;

/// Device 2·d + m is at place d of four along `data` and m of two along `model`.
const DATA: [i64; 4] = [0, 2, 4, 6];
const MODEL: [i64; 2] = [0, 1];

/// `P(data, None)` and `P(None, model)`.
fn by_data() -> Vec<u8> {
    sharding(&[4, 1, 2], &[8])
}

fn by_model() -> Vec<u8> {
    sharding(&[1, 2, 4], &[4, 2])
}

fn input(entry: &mut Draft, dimensions: &[i64], sharding: Vec<u8>) -> i64 {
    let id = entry.parameter(f32(dimensions));
    entry.edit_last(|own| own.sharding = Some(sharding));
    id
}

fn product(entry: &mut Draft, dimensions: &[i64], operands: [i64; 2]) -> i64 {
    entry.add_with("dot", f32(dimensions), &operands, |own| {
        own.dot_dimension_numbers = Some(Box::new(wire::DotDimensionNumbers {
            lhs_contracting: vec![1],
            rhs_contracting: vec![0],
            ..wire::DotDimensionNumbers::default()
        }));
    })
}

/// Devices that are neighbors along `model`, or along `data`.
fn groups(along_model: bool) -> Vec<wire::ReplicaGroup> {
    let group = |replica_ids: Vec<i64>| wire::ReplicaGroup { replica_ids };
    if along_model {
        (0..4)
            .map(|place| group(vec![2 * place, 2 * place + 1]))
            .collect()
    } else {
        (0..2)
            .map(|place| group(DATA.map(|device| device + place).to_vec()))
            .collect()
    }
}

fn collective(
    entry: &mut Draft,
    opcode: &str,
    shape: wire::Shape,
    operand: i64,
    along: i64,
    along_model: bool,
) -> i64 {
    entry.add_with(opcode, shape, &[operand], |own| {
        own.dimensions = vec![along];
        own.channel_id = 1;
        own.use_global_device_ids = true;
        own.replica_groups = groups(along_model);
    })
}

/// Whole sizes of the first array of an instruction, and the devices along each of its dimensions.
fn placed(program: &Program, id: i64) -> Vec<(Option<u64>, Vec<i64>)> {
    let instruction = program.instruction_by_id(id).expect("an instruction");
    let arrays = program.placed(instruction);
    let (_, dimensions) = arrays.first().expect("an array");
    let dimensions = dimensions.iter();
    dimensions
        .map(|own| (own.whole_size(), own.devices.clone()))
        .collect()
}

fn whole(size: u64) -> (Option<u64>, Vec<i64>) {
    (Some(size), Vec::new())
}

fn data(size: u64) -> (Option<u64>, Vec<i64>) {
    (Some(size), DATA.to_vec())
}

fn model(size: u64) -> (Option<u64>, Vec<i64>) {
    (Some(size), MODEL.to_vec())
}

fn unknown() -> (Option<u64>, Vec<i64>) {
    (None, Vec::new())
}

#[test]
fn products_keep_the_parts_of_their_free_dimensions() {
    let mut entry = Draft::new(1, "entry");
    let x = input(&mut entry, &[128, 512], by_data());
    let w = input(&mut entry, &[512, 256], by_model());
    let y = product(&mut entry, &[128, 256], [x, w]);
    let bias = entry.add("constant", f32(&[]), &[]);
    let bias = entry.add("broadcast", f32(&[128, 256]), &[bias]);
    let sum = entry.add("add", f32(&[128, 256]), &[bias, y]);
    let turned = entry.add_with("transpose", f32(&[256, 128]), &[sum], |own| {
        own.dimensions = vec![1, 0];
    });
    let mean = entry.add_with("reduce", f32(&[256]), &[turned, bias], |own| {
        own.dimensions = vec![1];
    });
    let split = entry.add("reshape", f32(&[8, 32, 128]), &[turned]);
    let program = on_devices(8, vec![entry]);
    assert_eq!(placed(&program, x), [data(512), whole(512)]);
    assert_eq!(placed(&program, w), [whole(512), model(512)]);
    assert_eq!(placed(&program, y), [data(512), model(512)]);
    assert_eq!(placed(&program, bias), [unknown(), unknown()]);
    assert_eq!(placed(&program, sum), [data(512), model(512)]);
    assert_eq!(placed(&program, turned), [model(512), data(512)]);
    assert_eq!(placed(&program, mean), [model(512)]);
    assert_eq!(placed(&program, split), [model(16), whole(32), data(512)]);
}

#[test]
fn collectives_gather_and_divide_what_their_groups_have() {
    let mut entry = Draft::new(1, "entry");
    let x = input(&mut entry, &[128, 256], sharding(&[4, 2, 1], &[8]));
    let all = collective(&mut entry, "all-gather", f32(&[128, 512]), x, 1, true);
    let sum = collective(&mut entry, "all-reduce", f32(&[128, 512]), all, 0, true);
    let part = collective(&mut entry, "reduce-scatter", f32(&[128, 256]), sum, 1, true);
    // Not the groups that have the parts: the number is right, the devices are unknown.
    let other = collective(&mut entry, "all-gather", f32(&[512, 256]), x, 0, true);
    let mixed = collective(&mut entry, "all-to-all", f32(&[128, 256]), x, 0, true);
    let y = input(&mut entry, &[64, 4, 32], sharding(&[4, 1, 1, 2], &[8]));
    let swapped = collective(&mut entry, "all-to-all", f32(&[64, 4, 32]), y, 1, false);
    let program = on_devices(8, vec![entry]);
    assert_eq!(placed(&program, x), [data(512), model(512)]);
    assert_eq!(placed(&program, all), [data(512), whole(512)]);
    assert_eq!(placed(&program, sum), [data(512), whole(512)]);
    assert_eq!(placed(&program, part), [data(512), model(512)]);
    assert_eq!(placed(&program, other)[1], model(512));
    assert_eq!(placed(&program, mixed), [unknown(), unknown()]);
    // Before, all devices along `data` had other rows; now they have other columns of all rows.
    assert_eq!(placed(&program, y), [data(256), whole(4), whole(32)]);
    assert_eq!(placed(&program, swapped), [whole(64), whole(4), data(128)]);
}

#[test]
fn a_slice_by_the_number_of_the_device_divides_a_whole_value() {
    let index = || array(PrimitiveType::U32, &[]);
    let mut entry = Draft::new(1, "entry");
    let x = input(&mut entry, &[64, 512], sharding(&[], &[]));
    let zero = entry.add("constant", index(), &[]);
    let own = entry.add("partition-id", index(), &[]);
    let part = entry.add("dynamic-slice", f32(&[64, 64]), &[x, zero, own]);
    let first = entry.add("dynamic-slice", f32(&[16, 512]), &[x, zero, zero]);
    let program = on_devices(8, vec![entry]);
    let all = (Some(512), (0..8).collect());
    assert_eq!(placed(&program, part), [whole(64), all]);
    assert_eq!(placed(&program, first), [whole(16), whole(512)]);
}

#[test]
fn loops_and_fusions_are_followed() {
    let mut fused = Draft::fused(1, "fused");
    let value = fused.parameter(f32(&[32, 256]));
    let inner = fused.add("exponential", f32(&[32, 256]), &[value]);
    let mut body = Draft::new(2, "body");
    let value = body.parameter(f32(&[32, 256]));
    let fusion = body.add_with("fusion", f32(&[32, 256]), &[value], |own| {
        own.called_computation_ids = vec![1];
    });
    let mut condition = Draft::new(3, "condition");
    condition.parameter(f32(&[32, 256]));
    condition.add("constant", array(PrimitiveType::Pred, &[]), &[]);
    let mut entry = Draft::new(4, "entry");
    let x = input(&mut entry, &[32, 256], by_data());
    let looped = entry.add_with("while", f32(&[32, 256]), &[x], |own| {
        own.called_computation_ids = vec![2, 3];
    });
    let program = on_devices(8, vec![fused, body, condition, entry]);
    for id in [inner, fusion, looped] {
        assert_eq!(placed(&program, id), [data(128), whole(256)], "{id}");
    }
}

#[test]
fn a_gather_takes_rows_by_its_indices() {
    let mut entry = Draft::new(1, "entry");
    let table = input(&mut entry, &[1000, 64], by_model());
    let tokens = input(&mut entry, &[8, 16], by_data());
    let rows = entry.add_with("gather", f32(&[8, 16, 64]), &[table, tokens], |own| {
        own.gather_dimension_numbers = Some(Box::new(wire::GatherDimensionNumbers {
            offset: vec![2],
            collapsed_slice: vec![0],
            index_vector: 2,
            operand_batching: Vec::new(),
        }));
        own.gather_slice_sizes = vec![1, 64];
    });
    let program = on_devices(8, vec![entry]);
    assert_eq!(placed(&program, rows), [data(32), whole(16), model(128)]);
}

#[test]
fn programs_of_one_device_have_no_placements() {
    let mut entry = Draft::new(1, "entry");
    entry.parameter(f32(&[4]));
    assert!(!on_devices(1, vec![entry]).has_placements());
}
