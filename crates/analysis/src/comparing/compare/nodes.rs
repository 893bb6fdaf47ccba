//! The instructions of a program as nodes of a graph, with the features by which they are recognized.
//! Without HLO, a program's ops are nodes without neighbors, with names, categories and scopes.

use std::hash::{Hash, Hasher};
use std::str::Split;

use rustc_hash::{FxHashMap, FxHasher};
use stepscope_model::hlo::name_stack::{Pass, pass};
use stepscope_model::{ProgramId, Session};

use super::items::Item;
use crate::views::ops::key::Key;

/// Instruction, op or kernel.
pub(super) struct Node {
    /// Its position among the items of its side, if it ran.
    pub(super) item: Option<usize>,
    pub(super) name: String,
    /// What it does: opcode, kind of fusion, target of a custom call; else the category.
    pub(super) opcode: String,
    /// Shape of its value without layout; empty if unknown.
    pub(super) shape: String,
    pub(super) scope: String,
    pub(super) source: String,
    /// Hash of the opcodes inside a fusion.
    pub(super) body: u64,
    /// The pass of training by its scope.
    pub(super) pass: Pass,
    /// How often it runs in a typical step.
    pub(super) runs: f64,
    /// Number of dimensions, where nodes with another number do not match.
    pub(super) rank: Option<usize>,
    pub(super) operands: Vec<u32>,
    pub(super) users: Vec<u32>,
    /// Whether it only moves or names data, such as parameters and tuples.
    pub(super) is_bookkeeping: bool,
}

impl Node {
    /// Leaves what HLO says of it unknown.
    pub(super) fn forget_shape(&mut self) {
        self.shape.clear();
        self.body = 0;
        self.rank = None;
    }
}

/// The nodes of one program with the items that ran; for `None`, the items that ran without a program.
pub(super) fn nodes(session: &Session, program: Option<ProgramId>, items: &[Item]) -> Vec<Node> {
    let mut nodes = Vec::new();
    let mut by_name: FxHashMap<&str, usize> = FxHashMap::default();
    let hlo = program.and_then(|id| session.program(id).hlo.as_ref());
    if let Some(hlo) = hlo {
        let mut node_of: FxHashMap<i64, u32> = FxHashMap::default();
        let computations = hlo.computations().iter();
        let executed = computations.filter(|computation| !computation.is_fusion_body);
        let instructions: Vec<&stepscope_model::hlo::Instruction> = executed
            .flat_map(|computation| hlo.instructions_of(computation))
            .collect();
        for instruction in &instructions {
            by_name.insert(&instruction.name, nodes.len());
            node_of.insert(
                instruction.id,
                u32::try_from(nodes.len()).unwrap_or(u32::MAX),
            );
            nodes.push(of_instruction(hlo, instruction));
        }
        for (index, instruction) in instructions.iter().enumerate() {
            let operands = instruction.operand_ids.iter();
            let operands: Vec<u32> = operands.filter_map(|id| node_of.get(id).copied()).collect();
            for &operand in &operands {
                nodes[operand as usize]
                    .users
                    .push(u32::try_from(index).unwrap_or(u32::MAX));
            }
            nodes[index].operands = operands;
        }
    }
    for (index, item) in items.iter().enumerate() {
        if item.program(session) != program {
            continue;
        }
        match by_name
            .get(item.name(session))
            .filter(|_| item.op().is_some())
        {
            Some(&node) => {
                nodes[node].item = Some(index);
                nodes[node].runs = item.count();
            }
            None => nodes.push(of_item(session, index, item)),
        }
    }
    nodes
}

/// Unmatched items, as nodes without neighbors. Their programs differ, so that only what HLO says of each
/// tells them apart: `jit_add` of a vector is not that of a matrix.
pub(super) fn loose(session: &Session, items: &[Item], is_matched: &[bool]) -> Vec<Node> {
    let rest = items
        .iter()
        .enumerate()
        .filter(|(index, _)| !is_matched[*index]);
    rest.map(|(index, item)| {
        let mut node = of_item(session, index, item);
        let program = item.program(session).filter(|_| item.op().is_some());
        let hlo = program.and_then(|id| session.program(id).hlo.as_ref());
        if let Some((hlo, instruction)) =
            hlo.and_then(|hlo| Some((hlo, hlo.instruction(item.name(session))?)))
        {
            node.shape = shape_text(&instruction.shape);
            node.body = body(hlo, instruction);
            let is_array = !instruction.shape.is_tuple();
            node.rank = is_array.then_some(instruction.shape.dimensions.len());
        }
        node
    })
    .collect()
}

/// Hash of the opcodes inside a fusion.
fn body(
    hlo: &stepscope_model::hlo::Program,
    instruction: &stepscope_model::hlo::Instruction,
) -> u64 {
    let mut opcodes: Vec<&str> = hlo
        .called_computations(instruction)
        .filter(|computation| computation.is_fusion_body)
        .flat_map(|computation| hlo.instructions_of(computation))
        .map(|inner| inner.opcode.as_str())
        .filter(|opcode| !is_bookkeeping(opcode))
        .collect();
    opcodes.sort_unstable();
    hash(&opcodes)
}

fn of_instruction(
    hlo: &stepscope_model::hlo::Program,
    instruction: &stepscope_model::hlo::Instruction,
) -> Node {
    let source = instruction.source.as_ref();
    Node {
        item: None,
        name: instruction.name.clone(),
        opcode: [
            instruction.opcode.as_str(),
            instruction.fusion_kind.as_str(),
            instruction.custom_call_target.as_str(),
        ]
        .join(" ")
        .trim_end()
        .to_owned(),
        shape: shape_text(&instruction.shape),
        scope: instruction.op_name.clone(),
        source: source.map_or_else(String::new, |at| at.label()),
        body: body(hlo, instruction),
        pass: pass(&instruction.op_name),
        runs: 0.0,
        rank: None,
        operands: Vec::new(),
        users: Vec::new(),
        is_bookkeeping: is_bookkeeping(&instruction.opcode),
    }
}

fn of_item(session: &Session, index: usize, item: &Item) -> Node {
    let op = item.op().map(|op| session.op(op));
    let text = |id: Option<stepscope_model::StringId>| {
        id.map(|id| session.text(id).to_owned()).unwrap_or_default()
    };
    let category = text(op.map(|op| op.category));
    let framework_op = session.label(item.label).framework_op;
    let scope = text(op.map(|op| op.scope).or(framework_op));
    Node {
        item: Some(index),
        name: item.name(session).to_owned(),
        opcode: match item.key {
            // Copies in different directions do not match.
            Key::Transfer(_, direction, _) => format!("copy {}", direction.name()),
            _ if category.is_empty() => session.label(item.label).class.name().to_owned(),
            _ => category,
        },
        shape: String::new(),
        pass: pass(&scope),
        scope,
        source: text(op.map(|op| op.source)),
        body: 0,
        runs: item.count(),
        rank: None,
        operands: Vec::new(),
        users: Vec::new(),
        is_bookkeeping: false,
    }
}

/// `f32[64,512]`; tuples in parentheses.
pub(super) fn shape_text(shape: &stepscope_model::hlo::Shape) -> String {
    if shape.is_tuple() {
        let parts: Vec<String> = shape.tuple_shapes.iter().map(shape_text).collect();
        return format!("({})", parts.join(", "));
    }
    let dimensions: Vec<String> = shape.dimensions.iter().map(ToString::to_string).collect();
    format!("{}[{}]", shape.element_type.name(), dimensions.join(","))
}

/// The dimensions of each array of a shape in text form.
pub(super) fn arrays(shape: &str) -> impl Iterator<Item = Split<'_, char>> {
    let inner = shape.split('[').skip(1);
    inner
        .filter_map(|rest| rest.split_once(']'))
        .map(|(dimensions, _)| dimensions.split(','))
}

/// Opcodes that only name or pass on values.
pub(super) fn is_bookkeeping(opcode: &str) -> bool {
    matches!(
        opcode,
        "parameter"
            | "constant"
            | "tuple"
            | "get-tuple-element"
            | "bitcast"
            | "after-all"
            | "opt-barrier"
    )
}

/// A name without the number that distinguishes instructions of one kind: `fusion` for `fusion.123`.
pub(super) fn stem(name: &str) -> &str {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let mut stem = name;
    while let Some((before, after)) = stem.rsplit_once(['.', '_'])
        && (is_number(after) || after == "clone" || after == "remat")
        && !before.is_empty()
    {
        stem = before;
    }
    stem
}

/// A digest that is the same in every run.
pub(super) fn hash(value: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[test]
    fn numbers_are_no_part_of_a_name() {
        assert_eq!(stem("fusion.123"), "fusion");
        assert_eq!(stem("loop_add_fusion.4.remat"), "loop_add_fusion");
        assert_eq!(stem("gemm_fusion_dot_7"), "gemm_fusion_dot");
        assert_eq!(stem("dot"), "dot");
        assert_eq!(stem("7"), "7");
    }
}
