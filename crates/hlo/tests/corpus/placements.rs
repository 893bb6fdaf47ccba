//! What programs say of their results, compared with what follows from their inputs.

use stepscope_hlo::{Outline, PlacedDimension, Program, Sharding};

use crate::support;

/// Every result whose sharding a program states and whose dimensions are known has them as stated.
/// How many are known at least is read off these programs; it may only grow.
#[test]
fn results_are_divided_as_their_programs_say() {
    let Some(corpus) = support::corpus() else {
        return;
    };
    let (mut stated, mut known) = (0, 0);
    for (name, bytes) in support::programs(&corpus) {
        let Ok(program) = Program::decode(&bytes) else {
            continue;
        };
        let outline = Outline::of(&bytes);
        let values = program.sharded_values(&outline, 10_000);
        for value in values.iter().filter(|value| !value.is_input) {
            let divisions = value.sharding.as_ref().and_then(Sharding::divisions);
            let Some(mut divisions) = divisions else {
                continue;
            };
            let arrays = program.placed(value.instruction);
            let Some((_, dimensions)) = arrays.iter().find(|(shape, _)| *shape == value.shape)
            else {
                continue;
            };
            divisions.truncate(dimensions.len());
            for (place, own) in dimensions.iter().enumerate() {
                let expected = divisions.get(place).map_or(1, |own| own.part_count);
                stated += 1;
                let Some(found) = own.part_count else {
                    continue;
                };
                known += 1;
                let instruction = &value.instruction.name;
                assert_eq!(found, expected, "{name}: {instruction}, dimension {place}");
            }
        }
    }
    assert!(known * 10 >= stated * 9, "{known} of {stated} dimensions");
}

/// MaxText's train step on four devices, each with 2 sequences of 2048 tokens and 640 of 2560 columns
/// of the weights: the activations of all devices have 8 sequences, and gathered weights are whole.
#[test]
fn maxtexts_products_are_those_of_the_whole_batch() {
    let Some(corpus) = support::corpus() else {
        return;
    };
    let path = corpus.join("hlo/h100-maxtext-train_step.hlo_proto.pb");
    let program = Program::decode(&std::fs::read(path).expect("the program")).expect("decodes");
    let whole = |name: &str| -> Vec<Option<u64>> {
        let instruction = program.instruction(name).expect(name);
        let arrays = program.placed(instruction);
        let (_, dimensions) = arrays.first().expect("an array");
        dimensions.iter().map(PlacedDimension::whole_size).collect()
    };
    let tokens = Some(8 * 2048);
    // Feed-forward block, head, and scores of 8 sequences with 8 heads.
    assert_eq!(whole("custom-call.36.0"), [tokens, Some(8192)]);
    assert_eq!(whole("custom-call.162.0"), [tokens, Some(32000)]);
    assert_eq!(
        whole("custom-call.41.0"),
        [Some(64), Some(2048), Some(2048)]
    );
    // The gradient of weights: summed over the batch.
    assert_eq!(whole("custom-call.79.0"), [Some(2560), Some(1024)]);
    let products = program.instructions().filter(|instruction| {
        let attributes = instruction.attributes();
        attributes.is_some_and(|own| own.dot.is_some())
    });
    let (mut known, mut all) = (0, 0);
    for product in products {
        let arrays = program.placed(product);
        let Some((_, dimensions)) = arrays.first() else {
            continue;
        };
        all += 1;
        known += usize::from(dimensions.iter().all(|own| own.part_count.is_some()));
    }
    assert!(known * 5 >= all * 4, "{known} of {all} products");
}
