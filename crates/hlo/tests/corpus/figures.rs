//! Programs of real captures: all decode, and figures agree with what devices recorded.

#![expect(
    clippy::float_cmp,
    reason = "whole numbers, recorded or worked out by hand"
)]

use std::collections::HashMap;

use stepscope_hlo::{Cost, Instruction, OpClass, Program};

use crate::support;

#[test]
fn every_program_decodes_and_describes_itself() {
    let Some(corpus) = support::corpus() else {
        return;
    };
    let programs = support::programs(&corpus);
    assert!(programs.len() > 100, "only {} programs", programs.len());
    for (name, bytes) in programs {
        let program = Program::decode(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(program.entry_computation.is_some(), "{name}");
        for instruction in program.instructions() {
            let found = program.instruction(&instruction.name);
            assert_eq!(found, Some(instruction), "{name}");
            let text = program.text(instruction);
            assert!(
                text.starts_with(&format!("%{} = ", instruction.name)),
                "{name}: {text}"
            );
            assert!(!text.contains("unknown"), "{name}: {text}");
            assert!(!instruction.category().is_empty(), "{name}: {text}");
            assert_is_finite(program.cost(instruction), &text);
        }
    }
}

fn assert_is_finite(cost: Cost, text: &str) {
    let Cost {
        flops,
        transcendentals,
        bytes_accessed,
        basis: _,
    } = cost;
    for figure in [flops, transcendentals, bytes_accessed] {
        assert!(figure.is_finite() && figure >= 0.0, "{text}: {cost:?}");
    }
}

#[test]
fn h100_train_step_has_its_products() {
    let Some(corpus) = support::corpus() else {
        return;
    };
    let path = corpus.join("hlo/h100-maxtext-train_step.hlo_proto.pb");
    let program = Program::decode(&std::fs::read(path).expect("the program")).expect("decodes");
    assert_eq!(
        (program.computations().len(), program.instructions().len()),
        (564, 7757)
    );
    assert_eq!(program.sharding_device_count(), Some(4));
    let calls: Vec<&Instruction> = program
        .instructions()
        .filter(|instruction| instruction.custom_call_target == "__cublas$gemm")
        .collect();
    assert_eq!(calls.len(), 159);
    assert!(
        calls
            .iter()
            .all(|call| program.class(call) == OpClass::Matmul)
    );
    // bf16[4096,2560] by bf16[2560,1024], result bf16[4096,1024] beside a workspace.
    let query = program
        .instruction("custom-call.40.0")
        .expect("the query projection");
    let cost = program.cost(query);
    assert_eq!(cost.flops, 2.0 * 4096.0 * 2560.0 * 1024.0);
    let elements = 4096.0 * 2560.0 + 2560.0 * 1024.0 + 4096.0 * 1024.0;
    assert_eq!(cost.bytes_accessed, 2.0 * elements);
    let source = query.source.as_ref().expect("a source");
    assert_eq!(source.label(), "/opt/maxtext/MaxText/layers/linears.py:110");
    assert!(source.stack.len() > 10, "{:?}", source.stack);
}

#[test]
fn mi300x_convolution_agrees_with_a_count_by_hand() {
    let Some(corpus) = support::corpus() else {
        return;
    };
    let folder = corpus.join("hlo/mi300x-jax-conv");
    let path = folder.join("jit_forward_3d_conv(15).hlo_proto.pb");
    let program = Program::decode(&std::fs::read(path).expect("the program")).expect("decodes");
    let convolution = program
        .instruction("cudnn-conv.1.0")
        .expect("the convolution");
    assert_eq!(
        program.text(convolution),
        "%cudnn-conv.1.0 = (bf16[1,5120,34,31,53]{4,3,2,1,0}, u8[7150336]{0}) \
         custom-call(bf16[1,16,32,60,104]{4,3,2,1,0} %bitcast.39.0, \
         bf16[5120,16,1,2,2]{4,3,2,1,0} %bitcast.46.0), \
         window={size=1x2x2 stride=1x2x2 pad=1_1x1_1x1_1}, dim_labels=bf012_oi012->bf012, \
         custom_call_target=\"__cudnn$convForward\""
    );
    // Stride and size are equal, so every one of the 32 x 60 x 104 inputs meets one tap.
    let cost = program.cost(convolution);
    assert_eq!(cost.flops, 2.0 * 16.0 * 5120.0 * (32.0 * 60.0 * 104.0));
    let result = 5120.0 * 34.0 * 31.0 * 53.0;
    let bytes = 2.0 * (result + 16.0 * 32.0 * 60.0 * 104.0 + 5120.0 * 16.0 * 4.0);
    assert_eq!(cost.bytes_accessed, bytes);
}

/// One op as the device recorded it.
struct Recorded {
    text: String,
    flops: u64,
    bytes_accessed: u64,
    program_id: u64,
}

fn recorded_ops(planes: &[support::Plane]) -> Vec<Recorded> {
    let device = planes
        .iter()
        .find(|plane| plane.name == "/device:TPU:0")
        .expect("a TPU");
    let mut ops: Vec<Recorded> = device
        .event_metadata
        .values()
        .filter_map(|event| {
            Some(Recorded {
                text: event.name.clone(),
                flops: device.number(event, "flops").unwrap_or(0),
                bytes_accessed: device.number(event, "bytes_accessed")?,
                program_id: device.number(event, "program_id")?,
            })
        })
        .collect();
    ops.sort_by(|left, right| left.text.cmp(&right.text));
    ops
}

/// libtpu records operations and bytes per op. Text and operations agree for all ops. Bytes agree
/// for all but two kinds: `copy-done`, which libtpu charges with the whole copy again after it
/// has charged the `copy-start`, and a broadcast whose 4-byte operand in scalar memory it leaves
/// out.
#[test]
fn tpu_agrees_on_operations_and_bytes() {
    let Some(corpus) = support::corpus() else {
        return;
    };
    let captures = support::files(&corpus.join("tpu-v6e-4chip-jax"), ".xplane.pb");
    let planes = support::planes(captures.first().expect("the capture"));
    let programs: HashMap<String, Program> = support::programs_of(&planes)
        .into_iter()
        .map(|(name, bytes)| (name, Program::decode(&bytes).expect("decodes")))
        .collect();
    let ops = recorded_ops(&planes);
    let mut differing_bytes = Vec::new();
    for op in &ops {
        let suffix = format!("({})", op.program_id);
        let mut names = programs.keys().filter(|name| name.ends_with(&suffix));
        let program = &programs[names.next().expect("the program of the op")];
        let name = op.text.split(' ').next().unwrap_or_default();
        let instruction = program
            .instruction(name)
            .expect("the instruction of the op");
        assert_eq!(program.text(instruction), op.text);
        let cost = program.cost(instruction);
        assert_eq!(cost.flops, op.flops as f64, "{}", op.text);
        if cost.bytes_accessed != op.bytes_accessed as f64 {
            let difference = op.bytes_accessed as f64 - cost.bytes_accessed;
            differing_bytes.push((instruction.opcode.clone(), difference));
        }
    }
    let copy = 5_368_709_120.0;
    differing_bytes.sort_by(|left, right| left.0.cmp(&right.0));
    let mut expected = vec![("broadcast".to_owned(), -4.0)];
    expected.extend(std::iter::repeat_n(("copy-done".to_owned(), copy), 6));
    assert_eq!(differing_bytes, expected);
    assert_eq!(ops.len(), 23);
}
