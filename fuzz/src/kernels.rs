//! The configuration of a custom call: its kernel is described, or what is unknown is said.

use stepscope_model::hlo::{Details, Instruction, Outline, Program};

/// A program with one instruction.
const PROGRAM: &[u8] = b"\x0a\x12\x0a\x05jit_f\x1a\x09\x12\x07\x0a\x01p\x12\x02id";
/// Blocks and buffers of a kernel that are listed.
const MAX_BUFFERS: usize = 256;

/// Panics if reading breaks an invariant. Text is a configuration; anything else a module, as JSON
/// carries it.
pub fn check(bytes: &[u8]) {
    let module = || {
        let body = base64(bytes);
        format!("{{\"custom_call_config\":{{\"body\":\"{body}\"}}}}")
    };
    let config = std::str::from_utf8(bytes).map_or_else(|_| module(), str::to_owned);
    let program = Program::decode(PROGRAM).expect("a program");
    let instruction = program.instructions().next().expect("an instruction");
    let mut details = program.details(&Outline::of(PROGRAM), instruction);
    details.backend_config = config;
    for target in ["tpu_custom_call", "__gpu$xla.gpu.triton", "mosaic_gpu_v2"] {
        described(&details, instruction, target);
    }
    let _ = details.kernel_body();
}

fn described(details: &Details, instruction: &Instruction, target: &str) {
    let mut call = instruction.clone();
    target.clone_into(&mut call.custom_call_target);
    let kernel = details.kernel(&call, &[instruction]).expect("a kernel");
    assert!(kernel.grid.is_some() || !kernel.unknown.is_empty());
    assert!(kernel.blocks.len() <= MAX_BUFFERS && kernel.scratch.len() <= MAX_BUFFERS);
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let letter = |bits: u32| char::from(LETTERS[(bits & 63) as usize]);
    let group = |group: &[u8]| {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        let all = [bits >> 18, bits >> 12, bits >> 6, bits].map(letter);
        all[..=group.len()].iter().collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}
