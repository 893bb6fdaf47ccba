//! MaxText's formula of a train step's operations, compared with what its program says.

use stepscope_hlo::{Computation, Needed, Program};

use crate::support;

/// Needed operations of one execution, with the trip counts that the compiler knew.
fn executed(program: &Program, computation: &Computation) -> Needed {
    let mut sum = Needed::default();
    for instruction in program.instructions_of(computation) {
        let called = || program.called_computations(instruction);
        match instruction.opcode.as_str() {
            "while" => {
                let trips = instruction
                    .attributes()
                    .and_then(|own| own.known_trip_count);
                let body = called().next().expect("a loop has a body");
                sum.add_times(
                    &executed(program, body),
                    trips.expect("a known trip count") as f64,
                );
            }
            "call" => {
                for body in called() {
                    sum.add_times(&executed(program, body), 1.0);
                }
            }
            _ => sum.add_times(&program.needed(instruction), 1.0),
        }
    }
    sum
}

/// The configuration as the shapes of the program say it: four devices, each with 2 sequences of 2048
/// tokens; 8 layers of width 2560 (640 on each device) with 8 heads of 128 and a gated feed-forward
/// block of 8192; 32000 words, whose table serves as the head too.
///
/// `calculate_tflops_training_per_device` of MaxText: three times the products of a forward pass, and
/// half of the scores.
#[test]
fn maxtexts_formula_agrees_with_its_program() {
    let Some(corpus) = support::corpus() else {
        return;
    };
    let path = corpus.join("hlo/h100-maxtext-train_step.hlo_proto.pb");
    let program = Program::decode(&std::fs::read(path).expect("the program")).expect("decodes");
    let (batch, length, width, heads, depth) = (2.0, 2048.0, 2560.0, 8.0, 128.0);
    let (hidden, words, layers) = (8192.0, 32000.0, 8.0);
    let tokens = batch * length;
    let feed_forward = 2.0 * tokens * width * hidden * 2.0 + 2.0 * tokens * hidden * width;
    let projections = 2.0 * tokens * width * (heads + 2.0 * heads) * depth;
    let output = 2.0 * tokens * heads * depth * width;
    let head = 2.0 * tokens * width * words;
    let weights = ((feed_forward + projections + output) * layers + head) * 3.0;
    let attention = 4.0 * batch * length * length * heads * depth / 2.0 * layers * 3.0;
    let needed = executed(&program, program.entry().expect("an entry"));
    let found = needed.products.total();
    let expected = weights + attention;
    assert!(
        (found / expected - 1.0).abs() < 0.02,
        "{found:e} instead of {expected:e}: {needed:?}"
    );
    // Of each layer, both products of attention are computed once more, and half of all products of
    // attention is masked.
    let whole = attention * 2.0;
    assert!(
        (needed.repeated / (whole / 3.0) - 1.0).abs() < 0.02,
        "{needed:?}"
    );
    assert!(
        (needed.masked / (whole / 2.0) - 1.0).abs() < 0.02,
        "{needed:?}"
    );
}
