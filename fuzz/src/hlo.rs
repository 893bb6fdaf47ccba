//! Arbitrary bytes are refused or become a program in which every reference leads somewhere.

use stepscope_model::hlo::Program;

/// Panics if decoding breaks an invariant.
pub fn check(bytes: &[u8]) {
    let Ok(program) = Program::decode(bytes) else {
        return;
    };
    let loops = program.loops();
    for computation in program.computations() {
        for instruction in program.instructions_of(computation) {
            program.operands(instruction).for_each(drop);
            assert!(program.instruction_at(instruction.index).is_some());
            for around in loops.around(instruction) {
                assert!(around.position < loops.loops.len());
            }
            for (shape, placed) in program.placed(instruction) {
                assert!(placed.len() == shape.dimensions.len());
            }
        }
    }
}
