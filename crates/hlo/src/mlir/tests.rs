//! Bytecode of real kernels, cut, damaged, and made up.

use proptest::prelude::*;

use super::*;
use crate::backend_config::mlir_bytes;
use crate::{Outline, Program};

/// The modules of `crates/hlo/tests/kernels`: Mosaic writes version 0, Triton version 6.
fn modules() -> Vec<Vec<u8>> {
    let tpu: &[u8] = include_bytes!("../../tests/kernels/tpu.hlo_proto.pb");
    let gpu: &[u8] = include_bytes!("../../tests/kernels/triton.hlo_proto.pb");
    let mut modules = Vec::new();
    for bytes in [tpu, gpu] {
        let program = Program::decode(bytes).expect("a program");
        let outline = Outline::of(bytes);
        for call in program.instructions() {
            let config = program.details(&outline, call).backend_config;
            modules.extend(crate::kernel::mosaic_body(&config).or(mlir_bytes(&config, "ir")));
        }
    }
    modules
}

/// Reads everything that can be reached.
fn walk(bytes: &[u8]) {
    let _ = strings(bytes);
    if let Ok(module) = Module::read(bytes) {
        for function in module.functions() {
            let _ = module.name(function);
            for name in ["sym_name", "function_type", "window_params", "value"] {
                let _ = module.attribute(function, name);
            }
            for block in function.regions.iter().flatten() {
                for &argument in &block.arguments {
                    let _ = module.type_of(argument);
                }
            }
        }
    }
}

#[test]
fn both_versions_are_read() {
    let modules = modules();
    assert_eq!(modules.len(), 5);
    let names = |bytes: &[u8]| -> Vec<String> {
        let module = Module::read(bytes).expect("a module");
        let names = module.functions().map(|op| module.name(op).to_owned());
        names.collect()
    };
    // The kernel and the functions of its blocks.
    assert_eq!(names(&modules[0]), ["stable_mosaic.func.func"; 4]);
    assert_eq!(names(&modules[4]), ["tt.func"]);
    let triton = Module::read(&modules[4]).expect("a module");
    let ops = triton
        .functions()
        .flat_map(|op| op.regions.iter().flatten());
    let ops: Vec<&str> = ops
        .flat_map(|block| &block.ops)
        .map(|op| triton.name(op))
        .collect();
    assert_eq!(ops.first(), Some(&"tt.get_program_id"));
    assert_eq!(ops.last(), Some(&"tt.return"));
    assert!(
        strings(&modules[0])
            .expect("strings")
            .contains(&"blocked_matmul".to_owned())
    );
}

#[test]
fn a_module_that_is_cut_short_is_refused() {
    for bytes in modules() {
        for length in 0..bytes.len() {
            walk(&bytes[..length]);
            assert!(Module::read(&bytes[..length]).is_err() || length > bytes.len() - 200);
        }
    }
}

#[test]
fn attributes_that_contain_each_other_end() {
    // A list of eight times itself: one string section, one builtin list, no ops.
    let section = |id: u8, data: &[u8]| {
        let mut bytes = vec![id, u8::try_from(data.len() * 2 + 1).expect("short")];
        bytes.extend(data);
        bytes
    };
    let mut bytes = b"ML\xefR\x01x\0".to_vec();
    bytes.extend(section(0, b"\x03\x11builtin\0"));
    bytes.extend(section(1, &[3, 1, 1, 3, 1]));
    let list = [1, 17, 1, 1, 1, 1, 1, 1, 1, 1];
    let dictionary = [3, 3, 5, 1];
    let text = [5, 1];
    bytes.extend(section(2, &[&list[..], &dictionary, &text].concat()));
    bytes.extend(section(3, &[7, 1, 1, 7, 43, 19, 11]));
    // One op with the dictionary, location 0.
    bytes.extend(section(4, &[5, 1, 1, 1, 3]));
    let module = Module::read(&bytes).expect("a module");
    let value = module.attribute(&module.ops[0], "builtin");
    assert!(matches!(value, Some(Attribute::List(_))), "{value:?}");
}

proptest! {
    #[test]
    fn damaged_modules_are_survived(
        which in 0usize..5,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut bytes = modules().swap_remove(which);
        for (place, value) in changes {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        walk(&bytes);
    }

    #[test]
    fn any_bytes_are_survived(mut tail in prop::collection::vec(any::<u8>(), 0..400)) {
        walk(&tail);
        let mut bytes = b"ML\xefR\x0dx\0".to_vec();
        bytes.append(&mut tail);
        walk(&bytes);
    }
}
