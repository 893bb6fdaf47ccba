//! Which operations of products a model needs.

use crate::cost::Needed;
use crate::primitive_type::PrimitiveType;
use crate::program::Program;
use crate::testing::{Draft, array, f32, on_devices, program, sharding};
use crate::wire;

/// Positions of the sequence, and the depth of a head.
const LENGTH: i64 = 64;
const DEPTH: i64 = 16;
/// Of one product of attention: 2 · 64 · 64 · 16.
const FLOPS: f64 = 131_072.0;

fn multiply(draft: &mut Draft, shape: wire::Shape, operands: &[i64], contracted: [i64; 2]) -> i64 {
    draft.add_with("dot", shape, operands, |instruction| {
        instruction.dot_dimension_numbers = Some(Box::new(wire::DotDimensionNumbers {
            lhs_contracting: vec![contracted[0]],
            rhs_contracting: vec![contracted[1]],
            ..wire::DotDimensionNumbers::default()
        }));
    })
}

/// Positions by positions, of a type.
fn square(of: PrimitiveType) -> wire::Shape {
    array(of, &[LENGTH, LENGTH])
}

fn iota(draft: &mut Draft, dimension: i64) -> i64 {
    draft.add_with("iota", square(PrimitiveType::S32), &[], |own| {
        own.dimensions = vec![dimension];
    })
}

fn compare(draft: &mut Draft, operands: [i64; 2], direction: &str) -> i64 {
    draft.add_with("compare", square(PrimitiveType::Pred), &operands, |own| {
        own.comparison_direction = direction.into();
    })
}

/// Forward attention in the entry: scores, a mask by two iotas, weights by values. `use_scores` adds
/// more users of the scores.
fn attention(
    directions: (i64, i64, &str),
    use_scores: impl FnOnce(&mut Draft, i64) -> Option<i64>,
) -> Program {
    let mut masked = Draft::fused(1, "masked");
    let scores = masked.parameter(square(PrimitiveType::F32));
    let (first, second, direction) = directions;
    let (rows, columns) = (iota(&mut masked, first), iota(&mut masked, second));
    let mask = compare(&mut masked, [rows, columns], direction);
    let low = masked.add("constant", f32(&[]), &[]);
    let low = masked.add("broadcast", square(PrimitiveType::F32), &[low]);
    let chosen = masked.add("select", square(PrimitiveType::F32), &[mask, scores, low]);
    masked.add("exponential", square(PrimitiveType::F32), &[chosen]);

    let mut entry = Draft::new(2, "entry");
    let queries = entry.parameter(f32(&[LENGTH, DEPTH]));
    let keys = entry.parameter(f32(&[LENGTH, DEPTH]));
    let values = entry.parameter(f32(&[LENGTH, DEPTH]));
    let scores = multiply(
        &mut entry,
        square(PrimitiveType::F32),
        &[queries, keys],
        [1, 1],
    );
    let extra = use_scores(&mut entry, scores);
    let weights = entry.add_with("fusion", square(PrimitiveType::F32), &[scores], |fusion| {
        fusion.called_computation_ids = vec![1];
    });
    let mixed = multiply(
        &mut entry,
        f32(&[LENGTH, DEPTH]),
        &[weights, values],
        [1, 0],
    );
    if let Some(extra) = extra {
        let shapes = [f32(&[LENGTH, DEPTH]), f32(&[LENGTH])];
        entry.add("tuple", crate::testing::tuple(&shapes), &[mixed, extra]);
    }
    program(vec![masked, entry])
}

/// All of the entry.
fn sum(program: &Program) -> Needed {
    let entry = program.entry().expect("an entry");
    let mut sum = Needed::default();
    for instruction in program.instructions_of(entry) {
        sum.add_times(&program.needed(instruction), 1.0);
    }
    sum
}

#[test]
fn a_causal_mask_hides_half_of_both_products() {
    for direction in ["GE", "GT", "LE", "LT"] {
        let needed = sum(&attention((0, 1, direction), |_, _| None));
        assert_eq!((needed.products.total(), needed.masked), (FLOPS, FLOPS));
    }
}

#[test]
fn other_masks_hide_nothing_that_is_known() {
    // A diagonal, and a comparison along one dimension only.
    for directions in [(0, 1, "EQ"), (0, 1, "NE"), (1, 1, "GE")] {
        let needed = sum(&attention(directions, |_, _| None));
        assert_eq!((needed.products.total(), needed.masked), (2.0 * FLOPS, 0.0));
    }
}

#[test]
fn scores_that_are_used_whole_are_needed_whole() {
    let needed = sum(&attention((0, 1, "GE"), |entry, scores| {
        Some(
            entry.add_with("reduce", f32(&[LENGTH]), &[scores], |reduce| {
                reduce.dimensions = vec![1];
            }),
        )
    }));
    // The weights are masked all the same.
    assert_eq!(
        (needed.products.total(), needed.masked),
        (1.5 * FLOPS, 0.5 * FLOPS)
    );
}

#[test]
fn a_mask_reaches_into_a_loop() {
    let mut body = Draft::new(1, "body");
    let shapes = [f32(&[LENGTH, LENGTH]), f32(&[LENGTH, DEPTH])];
    let state = body.parameter(crate::testing::tuple(&shapes));
    let at = |draft: &mut Draft, state: i64, index: usize| {
        draft.add_with(
            "get-tuple-element",
            shapes[index].clone(),
            &[state],
            |own| {
                own.tuple_index = i64::try_from(index).expect("a small index");
            },
        )
    };
    let (weights, values) = (at(&mut body, state, 0), at(&mut body, state, 1));
    let mixed = multiply(&mut body, f32(&[LENGTH, DEPTH]), &[weights, values], [1, 0]);
    body.add("tuple", crate::testing::tuple(&shapes), &[weights, mixed]);
    let mut entry = Draft::new(2, "entry");
    let (rows, columns) = (iota(&mut entry, 0), iota(&mut entry, 1));
    let mask = compare(&mut entry, [rows, columns], "GE");
    let weights = entry.add("convert", square(PrimitiveType::F32), &[mask]);
    let values = entry.parameter(f32(&[LENGTH, DEPTH]));
    let state = entry.add("tuple", crate::testing::tuple(&shapes), &[weights, values]);
    entry.add_with("while", crate::testing::tuple(&shapes), &[state], |own| {
        own.called_computation_ids = vec![1];
    });
    let needed = sum(&program(vec![body, entry]));
    assert_eq!(
        (needed.products.total(), needed.masked),
        (FLOPS / 2.0, FLOPS / 2.0)
    );
}

#[test]
fn what_repeats_earlier_work_is_not_needed() {
    let drawn = |op_name: &str, name: &str, is_same: bool| {
        let mut entry = Draft::new(1, "entry");
        let left = entry.parameter(f32(&[LENGTH, DEPTH]));
        let right = entry.parameter(f32(&[LENGTH, DEPTH]));
        multiply(
            &mut entry,
            square(PrimitiveType::F32),
            &[left, right],
            [1, 1],
        );
        entry.edit_last(|first| {
            first.metadata = Some(wire::OpMetadata {
                op_name: "jit(f)/dot_general".into(),
                ..wire::OpMetadata::default()
            });
        });
        let operands = if is_same {
            [left, right]
        } else {
            [right, left]
        };
        let shape = square(PrimitiveType::F32);
        entry.add_with("dot", shape, &operands, |again| {
            again.name = name.into();
            again.dot_dimension_numbers = Some(Box::new(wire::DotDimensionNumbers {
                lhs_contracting: vec![1],
                rhs_contracting: vec![1],
                ..wire::DotDimensionNumbers::default()
            }));
            again.metadata = Some(wire::OpMetadata {
                op_name: op_name.into(),
                ..wire::OpMetadata::default()
            });
        });
        let needed = sum(&program(vec![entry]));
        (needed.products.total(), needed.repeated)
    };
    let both = (2.0 * FLOPS, 0.0);
    let one = (FLOPS, FLOPS);
    assert_eq!(drawn("jit(f)/dot_general", "dot.2", false), both);
    assert_eq!(drawn("jit(f)/dot_general", "dot.2", true), one);
    assert_eq!(drawn("jit(f)/dot_general", "dot.2.remat", false), one);
    let scope = "jit(f)/checkpoint/rematted_computation/dot_general";
    assert_eq!(drawn(scope, "dot.2", false), one);
}

/// A product of two inputs with shardings, then an all-reduce over all four devices and another one.
fn on_four_devices(left: Option<Vec<u8>>, right: Option<Vec<u8>>) -> [f64; 2] {
    let mut entry = Draft::new(1, "entry");
    let mut input = |sharding: Option<Vec<u8>>| {
        let number = entry.parameter(f32(&[LENGTH, DEPTH]));
        entry.edit_last(|own| own.sharding = sharding);
        number
    };
    let (left, right) = (input(left), input(right));
    let first = multiply(
        &mut entry,
        square(PrimitiveType::F32),
        &[left, right],
        [1, 1],
    );
    let sum = entry.add_with("all-reduce", square(PrimitiveType::F32), &[first], |own| {
        own.channel_id = 1;
        own.use_global_device_ids = true;
        own.replica_groups = vec![wire::ReplicaGroup {
            replica_ids: vec![0, 1, 2, 3],
        }];
    });
    let second = multiply(&mut entry, square(PrimitiveType::F32), &[sum, sum], [1, 0]);
    let program = on_devices(4, vec![entry]);
    [first, second].map(|id| {
        let product = program.instruction_by_id(id).expect("a product");
        let needed = program.needed(product);
        assert_eq!(needed.copied, needed.total() - needed.products.total());
        needed.products.total() / needed.total()
    })
}

#[test]
fn what_several_devices_compute_alike_is_needed_once() {
    let (whole, half) = (sharding(&[], &[]), sharding(&[2, 1, 2], &[4]));
    // The sum is the same everywhere.
    let ratios =
        |left: &Vec<u8>, right: &Vec<u8>| on_four_devices(Some(left.clone()), Some(right.clone()));
    assert_eq!(ratios(&whole, &whole), [0.25, 0.25]);
    assert_eq!(ratios(&whole, &half), [0.5, 0.25]);
    assert_eq!(ratios(&sharding(&[4, 1, 1], &[4]), &half), [1.0, 0.25]);
    // Without a sharding all may differ.
    assert_eq!(on_four_devices(None, Some(whole)), [1.0, 0.25]);
}

/// Groups, rows, features and columns of a grouped product.
const GROUPED: [i64; 4] = [4, 32, 8, 16];

fn grouped(
    draft: &mut Draft,
    primitive: &str,
    shape: wire::Shape,
    operands: &[i64],
    (contracted, batch): ([i64; 2], &[i64]),
) -> i64 {
    let product = multiply(draft, shape, operands, contracted);
    draft.edit_last(|own| {
        let numbers = own.dot_dimension_numbers.as_mut().expect("a product");
        numbers.lhs_batch = batch.to_vec();
        numbers.rhs_batch = batch.to_vec();
        own.metadata = Some(wire::OpMetadata {
            op_name: format!("jit(step)/jvp()/{primitive}").into(),
            ..wire::OpMetadata::default()
        });
    });
    product
}

/// Rows times groups, as one contraction over groups and features.
fn experts(primitive: &str) -> Program {
    let [groups, rows, features, columns] = GROUPED;
    let mut entry = Draft::new(1, "entry");
    let spread = entry.parameter(f32(&[rows, groups, features]));
    let weights = entry.parameter(f32(&[groups, features, columns]));
    let spread = entry.add("bitcast", f32(&[rows, groups * features]), &[spread]);
    let weights = entry.add("bitcast", f32(&[groups * features, columns]), &[weights]);
    let shape = f32(&[rows, columns]);
    grouped(
        &mut entry,
        primitive,
        shape,
        &[spread, weights],
        ([1, 0], &[]),
    );
    program(vec![entry])
}

#[test]
fn a_row_needs_the_product_with_its_own_group() {
    let [groups, rows, features, columns] = GROUPED;
    let one = (2 * rows * features * columns) as f64;
    let others = one * (groups - 1) as f64;
    for primitive in ["ragged_dot_general", "ragged_dot"] {
        let needed = sum(&experts(primitive));
        assert_eq!((needed.products.total(), needed.masked), (one, others));
    }
    // The gradient of the weights: groups as batch.
    let mut entry = Draft::new(1, "entry");
    let left = entry.parameter(f32(&[groups, rows, features]));
    let right = entry.parameter(f32(&[groups, rows, columns]));
    let shape = f32(&[groups, features, columns]);
    let batch: &[i64] = &[0];
    grouped(
        &mut entry,
        "ragged_dot_general",
        shape,
        &[left, right],
        ([1, 1], batch),
    );
    let needed = sum(&program(vec![entry]));
    assert_eq!((needed.products.total(), needed.masked), (one, others));
}

#[test]
fn products_whose_groups_are_unknown_are_needed_whole() {
    let [groups, rows, features, columns] = GROUPED;
    let all = (2 * groups * rows * features * columns) as f64;
    let needed = sum(&experts("dot_general"));
    assert_eq!((needed.products.total(), needed.masked), (all, 0.0));
    // No shape says of what the contracted dimension was made.
    let mut entry = Draft::new(1, "entry");
    let left = entry.parameter(f32(&[rows, groups * features]));
    let right = entry.parameter(f32(&[groups * features, columns]));
    let shape = f32(&[rows, columns]);
    grouped(
        &mut entry,
        "ragged_dot",
        shape,
        &[left, right],
        ([1, 0], &[]),
    );
    let needed = sum(&program(vec![entry]));
    assert_eq!((needed.products.total(), needed.masked), (all, 0.0));
}
