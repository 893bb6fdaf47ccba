//! HLO text of computations and whole programs, short or with everything there is.

use std::fmt::Write;

use crate::aliases::Alias;
use crate::details::Details;
use crate::outline::Outline;
use crate::program::{Computation, Instruction, Program};

/// How much of an instruction is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextForm {
    /// Operands, shapes with layouts, and what the opcode needs.
    Short,
    /// And sharding, constants, metadata, source and configuration of the backend.
    Long,
}

impl Program {
    /// One line of HLO text.
    pub fn instruction_text(
        &self,
        outline: &Outline<'_>,
        instruction: &Instruction,
        form: TextForm,
    ) -> String {
        let mut line = self.text(instruction);
        let details = self.details(outline, instruction);
        if let Some(constant) = &details.constant {
            line = line.replacen("({...})", &format!("({constant})"), 1);
        }
        if form == TextForm::Long {
            push_details(&mut line, self, instruction, &details);
        }
        line
    }

    /// A computation: its head, an instruction a line, and the closing brace.
    pub fn computation_text(
        &self,
        outline: &Outline<'_>,
        computation: &Computation,
        form: TextForm,
    ) -> String {
        let instructions = self.instructions_of(computation);
        let root = self.root(computation).map(|root| root.index);
        let entry = if self.entry().is_some_and(|entry| entry.id == computation.id) {
            "ENTRY "
        } else {
            ""
        };
        let mut text = format!("{entry}%{} (", computation.name);
        for (index, (_, parameter)) in self.parameters_of(computation).iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            let _ = write!(text, "{separator}{}: {}", parameter.name, parameter.shape);
        }
        let result = self.root(computation).map(|root| root.shape.to_string());
        let _ = writeln!(text, ") -> {} {{", result.unwrap_or_default());
        for instruction in instructions {
            let is_root = Some(instruction.index) == root;
            text.push_str(if is_root { "  ROOT " } else { "  " });
            text.push_str(&self.instruction_text(outline, instruction, form));
            text.push('\n');
        }
        text.push('}');
        if !matches!(computation.execution_thread.as_str(), "" | "main") {
            let _ = write!(
                text,
                ", execution_thread=\"{}\"",
                computation.execution_thread
            );
        }
        text.push('\n');
        text
    }

    /// The whole program: a head, then its computations, callees before callers.
    pub fn module_text(&self, outline: &Outline<'_>, form: TextForm) -> String {
        let mut text = format!("HloModule {}", self.name);
        if outline.is_scheduled() {
            text.push_str(", is_scheduled=true");
        }
        let aliases = outline.aliases();
        if !aliases.is_empty() {
            let entries: Vec<String> = aliases.iter().map(Alias::text).collect();
            let _ = write!(text, ", input_output_alias={{ {} }}", entries.join(", "));
        }
        text.push('\n');
        for computation in self.computations() {
            text.push('\n');
            text.push_str(&self.computation_text(outline, computation, form));
        }
        text
    }
}

fn push_details(
    line: &mut String,
    program: &Program,
    instruction: &Instruction,
    details: &Details,
) {
    for attribute in &details.attributes {
        let _ = write!(line, ", {attribute}");
    }
    if !details.sharding.is_empty() {
        let _ = write!(line, ", sharding={}", details.sharding);
    }
    if !details.frontend_attributes.is_empty() {
        let attributes = details.frontend_attributes.iter();
        let attributes = attributes.map(|(name, value)| format!("{name}=\"{value}\""));
        let attributes: Vec<String> = attributes.collect();
        let _ = write!(line, ", frontend_attributes={{{}}}", attributes.join(","));
    }
    if !details.control_predecessor_ids.is_empty() {
        let names = details.control_predecessor_ids.iter();
        let names: Vec<String> = names
            .filter_map(|&id| program.instruction_by_id(id))
            .map(|predecessor| format!("%{}", predecessor.name))
            .collect();
        let _ = write!(line, ", control-predecessors={{{}}}", names.join(", "));
    }
    push_metadata(line, instruction, details);
    let config = &details.backend_config;
    if config.starts_with('{') {
        let _ = write!(line, ", backend_config={config}");
    } else if !config.is_empty() {
        let _ = write!(line, ", backend_config=\"{}\"", config.escape_default());
    }
}

fn push_metadata(line: &mut String, instruction: &Instruction, details: &Details) {
    let mut parts = Vec::new();
    let mut part = |name: &str, value: &str| {
        if !value.is_empty() {
            parts.push(format!("{name}=\"{}\"", value.replace('"', "\\\"")));
        }
    };
    part("op_type", &instruction.op_type);
    part("op_name", &instruction.op_name);
    let source = instruction.source.as_deref();
    part("source_file", source.map_or("", |source| &source.file));
    part("deduplicated_name", &details.deduplicated_name);
    if let Some(source) = source.filter(|source| source.line > 0) {
        parts.push(format!("source_line={}", source.line));
    }
    if !parts.is_empty() {
        let _ = write!(line, ", metadata={{{}}}", parts.join(" "));
    }
}
