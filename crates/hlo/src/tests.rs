//! The decoded program as its readers see it: lookup, sources, categories, classes, text.

use prost::Message;

use crate::testing::{Draft, adder, array, encode, f32, program, tuple, window};
use crate::{HloError, OpClass, PrimitiveType, Program, ReplicaGroups, wire};

/// `entry { p; fusion(p) calls fused { p; dot } ; all-reduce-start; all-reduce-done }`
fn small_program() -> Program {
    let matrix = || f32(&[4, 4]);
    let mut fused = Draft::fused(2, "fused");
    let parameter = fused.parameter(matrix());
    fused.add("dot", matrix(), &[parameter, parameter]);
    let mut entry = Draft::new(3, "entry");
    let parameter = entry.parameter(matrix());
    let fusion = entry.add_with("fusion", matrix(), &[parameter], |instruction| {
        instruction.fusion_kind = b"kOutput".to_vec();
        instruction.called_computation_ids = vec![2];
    });
    let start = entry.add_with("all-reduce-start", matrix(), &[fusion], |instruction| {
        instruction.called_computation_ids = vec![1];
        instruction.channel_id = 1;
        instruction.collective_device_list = Some(Box::new(wire::CollectiveDeviceList {
            iota: Some(wire::IotaReplicaGroups {
                group_count: 4,
                devices_per_group: 2,
                reshape_dimensions: vec![2, 4],
                transpose_permutation: vec![1, 0],
            }),
            ..wire::CollectiveDeviceList::default()
        }));
        instruction.use_global_device_ids = true;
    });
    entry.add("all-reduce-done", matrix(), &[start]);
    program(vec![adder(1), fused, entry])
}

#[test]
fn instructions_are_found_by_name_and_id() {
    let program = small_program();
    assert_eq!((program.name.as_str(), program.id), ("jit_f", 7));
    assert_eq!(program.instructions().len(), 3 + 2 + 4);
    let fusion = program.instruction("%fusion.3001").expect("by name");
    assert_eq!(program.instruction_by_id(3001), Some(fusion));
    assert_eq!(program.instruction("fusion"), None);
    let entry = program.entry().expect("an entry");
    assert_eq!(
        (entry.name.as_str(), entry.instruction_count()),
        ("entry", 4)
    );
    assert_eq!(program.root(entry).map(|root| root.id), Some(3003));
    let body = program.called_computations(fusion).next().expect("a body");
    assert!(body.is_fusion_body);
    assert_eq!(
        program.operand(fusion, 0).map(|operand| operand.id),
        Some(3000)
    );
    assert_eq!(program.sharding_device_count(), Some(8));
}

#[test]
fn text_shows_operands_with_shapes_and_attributes() {
    let program = small_program();
    let text = |name| program.text(program.instruction(name).expect("by name"));
    assert_eq!(
        text("parameter.3000"),
        "%parameter.3000 = f32[4,4]{1,0} parameter(0)"
    );
    assert_eq!(
        text("fusion.3001"),
        "%fusion.3001 = f32[4,4]{1,0} fusion(f32[4,4]{1,0} %parameter.3000), kind=kOutput, \
         calls=%fused"
    );
    assert_eq!(
        text("all-reduce-start.3002"),
        "%all-reduce-start.3002 = f32[4,4]{1,0} all-reduce-start(f32[4,4]{1,0} %fusion.3001), \
         channel_id=1, replica_groups=[4,2]<=[2,4]T(1,0), use_global_device_ids=true, \
         to_apply=%adder"
    );
}

#[test]
fn text_of_a_convolution_names_window_and_roles() {
    let mut entry = Draft::new(1, "entry");
    let operands = [
        entry.parameter(f32(&[2, 10, 3])),
        entry.parameter(f32(&[3, 3, 4])),
    ];
    entry.add_with("convolution", f32(&[2, 5, 4]), &operands, |instruction| {
        let window = wire::WindowDimension {
            stride: 2,
            padding_low: 1,
            ..window(3)
        };
        instruction.window = Some(wire::Window {
            dimensions: vec![window],
        });
        instruction.convolution_dimension_numbers =
            Some(Box::new(crate::testing::one_dimensional_convolution()));
        instruction.feature_group_count = 1;
    });
    let program = program(vec![entry]);
    let text = program.text(program.instruction("convolution.1002").expect("by name"));
    let attributes = text.split_once("), ").map(|(_, attributes)| attributes);
    assert_eq!(
        attributes,
        Some("window={size=3 stride=2 pad=1_0}, dim_labels=b0f_0io->b0f")
    );
}

/// Category and class of one instruction.
fn described(opcode: &str, edit: impl FnOnce(&mut wire::HloInstruction)) -> (String, OpClass) {
    let mut entry = Draft::new(1, "entry");
    entry.add_with(opcode, f32(&[4]), &[], edit);
    let program = program(vec![entry]);
    let instruction = program.instructions().next().expect("one instruction");
    (
        instruction.category().to_owned(),
        program.class(instruction),
    )
}

#[test]
fn categories_and_classes_follow_the_opcode() {
    let plain = |opcode| described(opcode, |_| {});
    let expected = |category: &str, class| (category.to_owned(), class);
    assert_eq!(
        plain("transpose"),
        expected("data formatting", OpClass::DataFormatting)
    );
    assert_eq!(plain("copy"), expected("data formatting", OpClass::Copy));
    assert_eq!(plain("copy-start"), expected("copy-start", OpClass::Copy));
    assert_eq!(
        plain("tanh"),
        expected("non-fusion elementwise", OpClass::Other)
    );
    assert_eq!(plain("dot"), expected("dot", OpClass::Matmul));
    assert_eq!(plain("while"), expected("while", OpClass::Control));
    assert_eq!(plain("outfeed"), expected("outfeed", OpClass::HostTransfer));
    assert_eq!(
        plain("recv-done"),
        expected("recv-done", OpClass::Collective)
    );
    assert_eq!(
        plain("reduce-scatter"),
        expected("reduce-scatter", OpClass::Collective)
    );
    let to_host = described("send", |instruction| instruction.is_host_transfer = true);
    assert_eq!(to_host, expected("send", OpClass::HostTransfer));
    let call = |target: &str| described("custom-call", |i| i.custom_call_target = target.into()).1;
    assert_eq!(call("__cublas$lt$matmul$f8"), OpClass::Matmul);
    assert_eq!(call("__cudnn$convBackwardFilter"), OpClass::Matmul);
    assert_eq!(call("__cudnn$fmhaSoftmax"), OpClass::Attention);
    assert_eq!(call("Sharding"), OpClass::Other);
    let dilated = described("convolution", |instruction| {
        let dimension = wire::WindowDimension {
            base_dilation: 2,
            ..window(3)
        };
        instruction.window = Some(wire::Window {
            dimensions: vec![dimension],
        });
    });
    assert_eq!(
        dilated,
        expected("convolution base-dilated", OpClass::Matmul)
    );
    let kernel = described("custom-call", |instruction| {
        instruction.custom_call_target = b"tpu_custom_call".to_vec();
        instruction.metadata = Some(wire::OpMetadata {
            op_name: b"jit(step)/splash_attention/pallas_call".to_vec(),
            ..wire::OpMetadata::default()
        });
    });
    assert_eq!(kernel, expected("custom-call", OpClass::Attention));
}

/// Class of a fusion (or other wrapper) whose body applies the opcodes one after the other.
fn class_of_wrapper(wrapper: &str, opcodes: &[&str]) -> OpClass {
    let mut body = Draft::fused(1, "body");
    let mut value = body.parameter(f32(&[4]));
    for opcode in opcodes {
        value = body.add(opcode, f32(&[4]), &[value]);
    }
    let mut entry = Draft::new(2, "entry");
    let parameter = entry.parameter(f32(&[4]));
    let start = entry.add_with(wrapper, f32(&[4]), &[parameter], |i| {
        i.called_computation_ids = vec![1];
    });
    if wrapper == "async-start" {
        let update = entry.add("async-update", f32(&[4]), &[start]);
        entry.add("async-done", f32(&[4]), &[update]);
    }
    let program = program(vec![body, entry]);
    let last = program.instructions().last().expect("an instruction");
    program.class(last)
}

#[test]
fn classes_look_into_wrappers() {
    assert_eq!(
        class_of_wrapper("fusion", &["convert", "dot", "add"]),
        OpClass::Matmul
    );
    assert_eq!(
        class_of_wrapper("fusion", &["bitcast", "transpose", "copy"]),
        OpClass::DataFormatting
    );
    assert_eq!(
        class_of_wrapper("fusion", &["bitcast", "copy"]),
        OpClass::Copy
    );
    assert_eq!(
        class_of_wrapper("fusion", &["transpose", "exponential"]),
        OpClass::Other
    );
    assert_eq!(
        class_of_wrapper("fusion", &["all-reduce", "slice"]),
        OpClass::Collective
    );
    assert_eq!(
        class_of_wrapper("async-start", &["all-to-all"]),
        OpClass::Collective
    );
    assert_eq!(class_of_wrapper("async-start", &["copy"]), OpClass::Copy);
    assert_eq!(class_of_wrapper("call", &["dot"]), OpClass::Control);
}

#[test]
fn sources_come_from_metadata_or_the_top_of_the_stack() {
    let location = |file_name_id, function_name_id, line| wire::FileLocation {
        file_name_id,
        function_name_id,
        line,
        column: 4,
    };
    // Frame 3 (layer.py:30) was called by 2 (main.py:20), which calls itself its parent.
    let frame = |file_location_id, parent_frame_id| wire::StackFrame {
        file_location_id,
        parent_frame_id,
    };
    let index = wire::StackFrameIndex {
        file_names: vec![b"main.py".to_vec(), b"layer.py".to_vec()],
        function_names: vec![b"main".to_vec(), b"Layer.__call__".to_vec()],
        file_locations: vec![location(1, 1, 20), location(2, 2, 30)],
        stack_frames: vec![frame(9, 0), frame(1, 2), frame(2, 2)],
    };
    let mut resolver = crate::source::SourceResolver::new(Some(index));
    let mut resolve = |source_file: &str, source_line, stack_frame_id| {
        resolver.resolve(&mut wire::OpMetadata {
            source_file: source_file.into(),
            source_line,
            stack_frame_id,
            ..wire::OpMetadata::default()
        })
    };
    let source = resolve("", 0, 3).expect("from the stack");
    assert_eq!(source.label(), "layer.py:30");
    assert_eq!(source.stack_text(), "layer.py:30:4\nmain.py:20:4");
    assert_eq!(source.stack[0].function, "Layer.__call__");
    let source = resolve("other.py", 7, 3).expect("from the metadata");
    assert_eq!(
        (source.label(), source.stack.len()),
        ("other.py:7".to_owned(), 2)
    );
    assert_eq!(resolve("", 0, 0), None);
    assert_eq!(resolve("", 0, 77), None, "a dangling stack");
}

#[test]
fn a_bare_module_is_a_program_too() {
    let bytes = encode(vec![adder(1)]);
    let module = wire::HloProto::decode(bytes.as_slice())
        .expect("a proto")
        .hlo_module;
    let bare = module.expect("a module").encode_to_vec();
    let program = Program::decode(&bare).expect("a bare module");
    assert_eq!(
        (program.name.as_str(), program.instructions().len()),
        ("jit_f", 3)
    );
}

#[test]
fn nothing_usable_is_an_error() {
    assert!(matches!(Program::decode(b""), Err(HloError::Empty)));
    assert!(matches!(
        Program::decode(b"not a program"),
        Err(HloError::Malformed(_))
    ));
}

#[test]
fn repeated_integers_may_be_packed_or_not() {
    // f32[2,3]: field 2 = 11; field 3 unpacked, then packed.
    let unpacked = wire::Shape::decode(&[0x10, 11, 0x18, 2, 0x18, 3][..]).expect("unpacked");
    let packed = wire::Shape::decode(&[0x10, 11, 0x1a, 2, 2, 3][..]).expect("packed");
    assert_eq!(unpacked.dimensions, [2, 3]);
    assert_eq!(unpacked, packed);
}

#[test]
fn broken_characters_cost_a_name_and_not_the_program() {
    let mut entry = Draft::new(1, "entry");
    entry.add_with("copy", f32(&[4]), &[], |i| i.name = b"bad\xffname".to_vec());
    assert!(
        program(vec![entry])
            .instruction("bad\u{fffd}name")
            .is_some()
    );
}

#[test]
fn executed_instructions_win_a_name_over_fused_ones() {
    let name = |i: &mut wire::HloInstruction| i.name = b"same".to_vec();
    let mut fused = Draft::fused(1, "fused");
    fused.add_with("add", f32(&[4]), &[], name);
    let mut entry = Draft::new(2, "entry");
    entry.add_with("copy", f32(&[4]), &[], name);
    let program = program(vec![fused, entry]);
    assert_eq!(
        program
            .instruction("same")
            .map(|found| found.opcode.as_str()),
        Some("copy")
    );
}

#[test]
fn rematerialized_work_is_known_by_name_or_scope() {
    let mut entry = Draft::new(1, "entry");
    entry.add_with("add", f32(&[4]), &[], |i| i.name = b"add.3.remat2".to_vec());
    entry.add_with("add", f32(&[4]), &[], |i| {
        i.metadata = Some(wire::OpMetadata {
            op_name: b"jit(f)/checkpoint/rematted_computation/add".to_vec(),
            ..wire::OpMetadata::default()
        });
    });
    entry.add_with("add", f32(&[4]), &[], |i| {
        i.metadata = Some(wire::OpMetadata {
            op_name: b"jit(f)/jvp()/add".to_vec(),
            ..wire::OpMetadata::default()
        });
    });
    entry.add("add", f32(&[4]), &[]);
    let program = program(vec![entry]);
    assert_eq!(rematerialized(&program), [true, true, false, false]);
}

fn rematerialized(program: &Program) -> Vec<bool> {
    let instructions = program.instructions();
    instructions.map(|i| i.is_rematerialized).collect()
}

/// A gradient whose loss nobody uses: XLA drops the forward pass, so that the "recomputation" is the
/// only one. Another region of the same program repeats its forward pass.
#[test]
fn a_recomputation_without_a_first_one_is_none() {
    let mut entry = Draft::new(1, "entry");
    let names = [
        "jit(f)/transpose(jvp())/checkpoint/rematted_computation/dot_general",
        "jit(f)/transpose(jvp())/checkpoint/rematted_computation/tanh",
        "jit(f)/transpose(jvp())/checkpoint/dot_general",
        "jit(f)/jvp(tail)/exp",
        "jit(f)/transpose(jvp(tail))/checkpoint/rematted_computation/exp",
    ];
    for name in names {
        entry.add_with("add", f32(&[4]), &[], |i| {
            i.metadata = Some(wire::OpMetadata {
                op_name: name.as_bytes().to_vec(),
                ..wire::OpMetadata::default()
            });
        });
    }
    let program = program(vec![entry]);
    let flags = [false, false, false, false, true];
    assert_eq!(rematerialized(&program), flags);
}

#[test]
fn group_sizes_come_from_lists_and_sequences() {
    let listed = ReplicaGroups::Listed(vec![vec![0, 1], vec![2, 3]]);
    assert_eq!(
        (listed.group_size(), listed.device_count()),
        (Some(2), Some(4))
    );
    assert_eq!(ReplicaGroups::default().group_size(), None);
    let sequence = ReplicaGroups::Iota {
        group_count: 4,
        devices_per_group: 2,
        reshape_dimensions: vec![8],
        transpose_permutation: vec![],
    };
    assert_eq!(
        (sequence.group_size(), sequence.device_count()),
        (Some(2), Some(8))
    );
}

#[test]
fn tuples_and_elements_show_their_index() {
    let mut entry = Draft::new(1, "entry");
    let flag = entry.parameter(array(PrimitiveType::Pred, &[]));
    let both = entry.add(
        "tuple",
        tuple(&[array(PrimitiveType::Pred, &[]), f32(&[2])]),
        &[flag, 7],
    );
    entry.add_with("get-tuple-element", f32(&[2]), &[both], |i| {
        i.tuple_index = 1;
    });
    let program = program(vec![entry]);
    let text = program.text(program.instruction("tuple.1001").expect("by name"));
    let expected = "%tuple.1001 = (pred[], f32[2]{0}) tuple(pred[] %parameter.1000, %unknown.7)";
    assert_eq!(text, expected);
    let text = program.text(
        program
            .instruction("get-tuple-element.1002")
            .expect("by name"),
    );
    assert!(text.ends_with("%tuple.1001), index=1"), "{text}");
}
