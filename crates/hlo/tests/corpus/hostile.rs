//! Bytes that nobody meant as a program never panic and never hang.

use proptest::prelude::*;
use stepscope_hlo::Program;

use crate::support;

/// Uses everything that a program offers.
fn exercise(bytes: &[u8]) {
    let Ok(program) = Program::decode(bytes) else {
        return;
    };
    for instruction in program.instructions() {
        let cost = program.cost(instruction);
        assert!(cost.flops.is_finite() && cost.bytes_accessed.is_finite());
        let _ = (
            program.class(instruction),
            instruction.category(),
            program.text(instruction),
        );
        let _ = (
            instruction.shape.padded_byte_size(),
            instruction.shape.device_byte_size(),
        );
    }
    for computation in program.computations() {
        let _ = (
            program.root(computation),
            program.instructions_of(computation).len(),
        );
    }
    let _ = program.sharding_device_count();
}

/// Small real programs, so that a thousand of their variants take seconds.
fn real_programs() -> Vec<Vec<u8>> {
    let Some(corpus) = support::corpus() else {
        return Vec::new();
    };
    let mut programs: Vec<Vec<u8>> = support::programs(&corpus)
        .into_iter()
        .map(|(_, bytes)| bytes)
        .filter(|bytes| bytes.len() < 10_000)
        .collect();
    programs.sort();
    programs.dedup();
    programs
}

proptest! {
    #[test]
    fn random_bytes_are_harmless(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        exercise(&bytes);
    }
}

#[test]
fn truncated_programs_are_harmless() {
    for program in real_programs() {
        for length in (0..program.len()).step_by(1 + program.len() / 200) {
            exercise(&program[..length]);
        }
    }
}

#[test]
fn altered_programs_are_harmless() {
    let programs = real_programs();
    if programs.is_empty() {
        return;
    }
    let edits = proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8);
    let cases = (0..programs.len(), edits);
    let mut runner = proptest::test_runner::TestRunner::default();
    let result = runner.run(&cases, |(program, edits)| {
        let mut bytes = programs[program].clone();
        for (position, value) in edits {
            let position = position.index(bytes.len());
            bytes[position] = value;
        }
        exercise(&bytes);
        Ok(())
    });
    assert!(result.is_ok(), "{result:?}");
}
