//! Short HLO text of one instruction, in the form XLA prints and profilers show.

use std::fmt::{self, Display, Write};

use crate::attributes::{Attributes, ConvolutionDimensions, WindowDimension};
use crate::opcode::{is_collective, without_async_suffix};
use crate::program::{Instruction, Program};
use crate::replica_groups::ReplicaGroups;
use crate::shape::write_separator;

impl Program {
    /// One line of short HLO text, as profilers show it: operands with their shapes, without
    /// metadata and backend configuration.
    pub fn text(&self, instruction: &Instruction) -> String {
        instruction_text(self, instruction)
    }
}

fn instruction_text(program: &Program, instruction: &Instruction) -> String {
    let mut text = String::with_capacity(128);
    // Writing to a string cannot fail.
    let _ = write_instruction(&mut text, program, instruction);
    text
}

fn write_instruction(
    out: &mut String,
    program: &Program,
    instruction: &Instruction,
) -> fmt::Result {
    let Instruction {
        name,
        shape,
        opcode,
        ..
    } = instruction;
    write!(out, "%{name} = {shape} {opcode}(")?;
    let default = Attributes::default();
    let attributes = instruction.attributes().unwrap_or(&default);
    match opcode.as_str() {
        "parameter" => write!(out, "{}", attributes.parameter_number)?,
        "constant" => out.write_str("{...}")?,
        _ => write_operands(out, program, instruction)?,
    }
    out.write_str(")")?;
    if is_collective(opcode) {
        write_communication(out, attributes)?;
    }
    write_shape_attributes(out, opcode, attributes)?;
    write_window_attributes(out, attributes)?;
    if !instruction.custom_call_target.is_empty() {
        write!(
            out,
            ", custom_call_target=\"{}\"",
            instruction.custom_call_target
        )?;
    }
    if !instruction.fusion_kind.is_empty() {
        write!(out, ", kind={}", instruction.fusion_kind)?;
    }
    write_called_computations(out, program, instruction)
}

fn write_operands(out: &mut String, program: &Program, instruction: &Instruction) -> fmt::Result {
    for (index, &id) in instruction.operand_ids.iter().enumerate() {
        write_separator(out, index)?;
        match program.instruction_by_id(id) {
            Some(operand) => write!(out, "{} %{}", operand.shape, operand.name)?,
            None => write!(out, "%unknown.{id}")?,
        }
    }
    Ok(())
}

fn write_communication(out: &mut String, attributes: &Attributes) -> fmt::Result {
    if attributes.channel_id != 0 {
        write!(out, ", channel_id={}", attributes.channel_id)?;
    }
    let groups = &attributes.replica_groups;
    if *groups != ReplicaGroups::default() {
        write!(out, ", replica_groups={groups}")?;
    }
    if !attributes.source_target_pairs.is_empty() {
        let pairs = attributes.source_target_pairs.iter();
        let pairs = pairs.map(|(source, target)| format!("{{{source},{target}}}"));
        write!(
            out,
            ", source_target_pairs={{{}}}",
            pairs.collect::<Vec<_>>().join(",")
        )?;
    }
    if attributes.is_host_transfer {
        out.write_str(", is_host_transfer=true")?;
    }
    if attributes.uses_global_device_ids {
        out.write_str(", use_global_device_ids=true")?;
    }
    Ok(())
}

fn write_shape_attributes(out: &mut String, opcode: &str, attributes: &Attributes) -> fmt::Result {
    let dimensions = joined(&attributes.dimensions, ",");
    match without_async_suffix(opcode) {
        "iota" => write!(out, ", iota_dimension={dimensions}")?,
        "get-tuple-element" => write!(out, ", index={}", attributes.tuple_index)?,
        "broadcast" => write!(out, ", dimensions={{{dimensions}}}")?,
        _ if !attributes.dimensions.is_empty() => write!(out, ", dimensions={{{dimensions}}}")?,
        _ => {}
    }
    if !attributes.comparison_direction.is_empty() {
        write!(out, ", direction={}", attributes.comparison_direction)?;
    }
    if !attributes.slice.is_empty() {
        let bounds = attributes.slice.iter().map(|slice| match slice.stride {
            0 | 1 => format!("[{}:{}]", slice.start, slice.limit),
            stride => format!("[{}:{}:{stride}]", slice.start, slice.limit),
        });
        write!(out, ", slice={{{}}}", bounds.collect::<Vec<_>>().join(", "))?;
    }
    if !attributes.padding.is_empty() {
        let padding = attributes
            .padding
            .iter()
            .map(|padding| match padding.interior {
                0 => format!("{}_{}", padding.low, padding.high),
                interior => format!("{}_{}_{interior}", padding.low, padding.high),
            });
        write!(out, ", padding={}", padding.collect::<Vec<_>>().join("x"))?;
    }
    let lists = [
        ("dynamic_slice_sizes", &attributes.dynamic_slice_sizes),
        ("fft_length", &attributes.fft_length),
    ];
    write_lists(out, &lists)?;
    match &attributes.dot {
        Some(dot) if opcode != "custom-call" => write_lists(
            out,
            &[
                ("lhs_batch_dims", &dot.lhs_batch),
                ("lhs_contracting_dims", &dot.lhs_contracting),
                ("rhs_batch_dims", &dot.rhs_batch),
                ("rhs_contracting_dims", &dot.rhs_contracting),
            ],
        ),
        _ => Ok(()),
    }
}

fn write_lists(out: &mut String, lists: &[(&str, &Vec<i64>)]) -> fmt::Result {
    for (name, list) in lists {
        if !list.is_empty() {
            write!(out, ", {name}={{{}}}", joined(list, ","))?;
        }
    }
    Ok(())
}

fn write_window_attributes(out: &mut String, attributes: &Attributes) -> fmt::Result {
    if !attributes.window.is_empty() {
        write!(out, ", window={{{}}}", window_text(&attributes.window))?;
    }
    if let Some(dimensions) = &attributes.convolution {
        write!(out, ", dim_labels={}", dimension_labels(dimensions))?;
    }
    if attributes.feature_group_count > 1 {
        write!(
            out,
            ", feature_group_count={}",
            attributes.feature_group_count
        )?;
    }
    if attributes.batch_group_count > 1 {
        write!(out, ", batch_group_count={}", attributes.batch_group_count)?;
    }
    Ok(())
}

/// `size=3x3 stride=2x2 pad=1_1x1_1`, where parts that say nothing are left out.
fn window_text(window: &[WindowDimension]) -> String {
    let part = |name: &str, of: &dyn Fn(&WindowDimension) -> String, default: &str| {
        let values: Vec<String> = window.iter().map(of).collect();
        let is_default = values.iter().all(|value| value == default);
        (!is_default).then(|| format!("{name}={}", values.join("x")))
    };
    let parts = [
        part("size", &|dimension| dimension.size.to_string(), ""),
        part("stride", &|dimension| dimension.stride.to_string(), "1"),
        part(
            "pad",
            &|d| format!("{}_{}", d.padding_low, d.padding_high),
            "0_0",
        ),
        part(
            "lhs_dilate",
            &|dimension| dimension.base_dilation.to_string(),
            "1",
        ),
        part(
            "rhs_dilate",
            &|dimension| dimension.window_dilation.to_string(),
            "1",
        ),
        part(
            "rhs_reversal",
            &|dimension| u8::from(dimension.is_reversed).to_string(),
            "0",
        ),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// `bf012_oi012->bf012`: the role of every dimension of input, kernel and output.
fn dimension_labels(dimensions: &ConvolutionDimensions) -> String {
    let labels = |first: (char, i64), second: (char, i64), spatial: &[i64]| {
        let spatial = spatial
            .iter()
            .zip('0'..='9')
            .map(|(&dimension, digit)| (digit, dimension));
        let mut roles: Vec<(char, i64)> = [first, second].into_iter().chain(spatial).collect();
        roles.sort_by_key(|&(_, dimension)| dimension);
        roles
            .into_iter()
            .map(|(label, _)| label)
            .collect::<String>()
    };
    let input = labels(
        ('b', dimensions.input_batch),
        ('f', dimensions.input_feature),
        &dimensions.input_spatial,
    );
    let kernel = labels(
        ('i', dimensions.kernel_input_feature),
        ('o', dimensions.kernel_output_feature),
        &dimensions.kernel_spatial,
    );
    let output = labels(
        ('b', dimensions.output_batch),
        ('f', dimensions.output_feature),
        &dimensions.output_spatial,
    );
    format!("{input}_{kernel}->{output}")
}

fn write_called_computations(
    out: &mut String,
    program: &Program,
    instruction: &Instruction,
) -> fmt::Result {
    let names: Vec<String> = instruction
        .called_computation_ids
        .iter()
        .map(|&id| match program.computation_by_id(id) {
            Some(computation) => format!("%{}", computation.name),
            None => format!("%unknown.{id}"),
        })
        .collect();
    match (instruction.opcode.as_str(), names.as_slice()) {
        (_, []) => Ok(()),
        ("while", [body, condition]) => write!(out, ", condition={condition}, body={body}"),
        ("conditional", branches) => {
            write!(out, ", branch_computations={{{}}}", branches.join(", "))
        }
        ("select-and-scatter", [select, scatter]) => {
            write!(out, ", select={select}, scatter={scatter}")
        }
        ("fusion" | "async-start" | "async-update" | "async-done", [called]) => {
            write!(out, ", calls={called}")
        }
        (_, [called]) => write!(out, ", to_apply={called}"),
        (_, several) => write!(out, ", called_computations={{{}}}", several.join(", ")),
    }
}

fn joined(values: &[impl Display], separator: &str) -> String {
    values
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(separator)
}
