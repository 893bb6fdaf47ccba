//! Kernels that JAX lowered: `crates/hlo/tests/kernels`, where the script states what they are.

use super::*;
use crate::{CostEstimate, Outline, Program};

const TPU: &[u8] = include_bytes!("../../tests/kernels/tpu.hlo_proto.pb");
const TRITON: &[u8] = include_bytes!("../../tests/kernels/triton.hlo_proto.pb");

fn kernels(bytes: &[u8]) -> Vec<Kernel> {
    let program = Program::decode(bytes).expect("a program");
    let outline = Outline::of(bytes);
    let calls = program.instructions().filter(|call| Kernel::is_call(call));
    calls
        .map(|call| {
            let operands: Vec<&Instruction> = program.operands(call).collect();
            let details = program.details(&outline, call);
            details.kernel(call, &operands).expect("a kernel")
        })
        .collect()
}

fn named(name: &str) -> Kernel {
    let found = kernels(TPU).into_iter().find(|kernel| kernel.name == name);
    found.expect("a kernel of this name")
}

fn block(of: &str, array: &str, shape: &str, bytes: u64, index_map: &str) -> KernelBlock {
    KernelBlock {
        of: of.to_owned(),
        array: array.to_owned(),
        buffer: buffer("vmem", shape, Some(bytes)),
        index_map: index_map.to_owned(),
    }
}

fn buffer(space: &str, shape: &str, byte_count: Option<u64>) -> KernelBuffer {
    KernelBuffer {
        shape: shape.to_owned(),
        space: space.to_owned(),
        byte_count,
    }
}

#[test]
fn blocks_and_scratch_of_a_product_are_those_of_its_source() {
    let expected = Kernel {
        language: "Mosaic (TPU)",
        name: "blocked_matmul".to_owned(),
        grid: Some(vec![Some(4), Some(2), Some(8)]),
        dimension_semantics: ["parallel", "parallel", "arbitrary"]
            .map(str::to_owned)
            .into(),
        blocks: vec![
            block(
                "operand 0",
                "bf16[1024,1024]",
                "bf16[256,128]",
                256 * 128 * 2,
                "(i, k)",
            ),
            block(
                "operand 1",
                "bf16[1024,1024]",
                "bf16[128,512]",
                128 * 512 * 2,
                "(k, j)",
            ),
            block(
                "result 0",
                "bf16[1024,1024]",
                "bf16[256,512]",
                256 * 512 * 2,
                "(i, j)",
            ),
        ],
        scratch: vec![buffer("vmem", "f32[256,512]", Some(256 * 512 * 4))],
        vmem_limit_bytes: Some(64 << 20),
        cost_estimate: Some(CostEstimate {
            flops: 2 << 30,
            transcendentals: 0,
            bytes_accessed: 6 << 20,
        }),
        ..Kernel::default()
    };
    assert_eq!(named("blocked_matmul"), expected);
}

#[test]
fn prefetched_scalars_come_before_blocks() {
    let kernel = named("gather_rows");
    assert_eq!(kernel.grid, Some(vec![Some(16)]));
    let table = KernelBlock {
        of: "operand 1".to_owned(),
        array: "f32[1024,128]".to_owned(),
        buffer: buffer("any", "f32[1024,128]", Some(1024 * 128 * 4)),
        index_map: String::new(),
    };
    let out = block(
        "result 0",
        "f32[128,128]",
        "f32[8,128]",
        4096,
        "(scalars0[i], 0)",
    );
    assert_eq!(kernel.blocks, [table, out]);
    let semaphore = buffer("semaphore_mem", "!tpu.dma_semaphore[]", None);
    assert_eq!(
        kernel.scratch,
        [buffer("vmem", "f32[8,128]", Some(4096)), semaphore]
    );
}

#[test]
fn sizes_known_at_run_time_and_absent_grids_are_told() {
    let kernel = named("odd_columns");
    assert_eq!(kernel.grid, Some(vec![None, Some(2)]));
    // The first operand is the size of the grid.
    let expected = [
        block(
            "operand 1",
            "f32[1024,512]",
            "f32[8,128]",
            4096,
            "(i, j * 2 + 1)",
        ),
        block("result 0", "f32[1024,256]", "f32[8,128]", 4096, "(i, j)"),
    ];
    assert_eq!(kernel.blocks, expected);
    let kernel = named("double");
    assert_eq!(kernel.grid, Some(Vec::new()));
    assert!(kernel.blocks.iter().all(|block| block.index_map.is_empty()));
    assert!(kernel.unknown.is_empty() && kernel.scratch.is_empty());
}

#[test]
fn a_triton_kernel_states_its_launch() {
    let expected = Kernel {
        language: "Triton",
        name: "add_vectors".to_owned(),
        grid: Some(vec![Some(8), Some(1), Some(1)]),
        warps: Some(4),
        stages: Some(2),
        ..Kernel::default()
    };
    assert_eq!(kernels(TRITON), [expected]);
}

#[test]
fn what_is_not_understood_is_said() {
    let program = Program::decode(TRITON).expect("a program");
    let any = program.instructions().next().expect("an instruction");
    let call = |target: &str| Instruction {
        custom_call_target: target.to_owned(),
        ..any.clone()
    };
    let read = |target: &str, config: &str| {
        let details = Details {
            backend_config: config.to_owned(),
            ..Details::default()
        };
        details.kernel(&call(target), &[])
    };
    let told = |target: &str, config: &str| read(target, config).expect("a kernel").unknown;
    assert!(read("cublas", "{}").is_none());
    assert_eq!(
        told("tpu_custom_call", "{}"),
        "The call contains no kernel that can be read."
    );
    // "module" in base64.
    let text = r#"{"custom_call_config":{"body":"bW9kdWxl"}}"#;
    assert!(told("tpu_custom_call", text).contains("not MLIR bytecode"));
    // "ML", ef, "R", version 9, producer "x".
    let newer = r#"{"custom_call_config":{"body":"TUzvUhN4AA=="}}"#;
    assert!(told("tpu_custom_call", newer).contains("version 9"));
    let cut = r#"{"custom_call_config":{"body":"TUzvUgF4AAE="}}"#;
    assert!(told("tpu_custom_call", cut).contains("damaged"));
    assert!(told("__gpu$xla.gpu.triton", "{num_warps = 4 : i32}").contains("no grid"));
    assert!(told("mosaic_gpu_v2", "").contains("not read"));
}
