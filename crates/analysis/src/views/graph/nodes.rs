//! Nodes, edges and clusters of a neighborhood.

use rustc_hash::{FxHashMap, FxHashSet};
use stepscope_model::hlo::name_stack::combined_paths;
use stepscope_model::hlo::{CostBasis, Instruction, InstructionIndex, OpClass, Outline, Program};
use stepscope_model::{OpId, Session};

use super::neighborhood::{Neighborhood, Placed, Users, body, is_inlined};
use super::report::{GraphCluster, GraphEdge, GraphNode};
use super::times::Longest;
use crate::measuring::totals::Totals;
use crate::telling::places::SliceRefReport;
use crate::views::collectives::partitioning::Partitioning;

/// What nodes are made from.
pub(super) struct Drawing<'a> {
    pub(super) session: &'a Session,
    pub(super) program: &'a Program,
    pub(super) outline: &'a Outline<'a>,
    pub(super) found: &'a Neighborhood,
    pub(super) times: &'a FxHashMap<&'a str, (OpId, Totals)>,
    pub(super) slices: &'a FxHashMap<OpId, Longest>,
    pub(super) center: InstructionIndex,
    /// How values are divided; none for a program of one device.
    pub(super) partitioning: Option<Partitioning<'a>>,
}

impl Drawing<'_> {
    fn is_opened(&self, index: InstructionIndex) -> bool {
        self.found.opened.contains(&index)
    }

    /// The instruction that computes the result of an opened fusion.
    fn root_of(&self, fusion: &Instruction) -> Option<InstructionIndex> {
        let computation = self.program.called_computations(fusion).next()?;
        self.program.root(computation).map(|root| root.index)
    }

    /// Edges between shown instructions. An edge into an opened fusion ends at the parameter for the
    /// operand, and an edge out of it starts at its root.
    pub(super) fn edges(&self) -> Vec<GraphEdge> {
        let shown: FxHashSet<InstructionIndex> = self
            .found
            .placed
            .iter()
            .map(|placed| placed.index)
            .collect();
        let mut edges = Vec::new();
        for placed in &self.found.placed {
            let Some(user) = self.program.instruction_at(placed.index) else {
                continue;
            };
            for (position, &id) in user.operand_ids.iter().enumerate() {
                let operand = self.program.instruction_by_id(id);
                let Some(operand) = operand.filter(|operand| shown.contains(&operand.index)) else {
                    continue;
                };
                let (from, to) = (
                    self.source_of(operand, &shown),
                    self.target_of(user, position, &shown),
                );
                edges.push(edge(from, to, position, operand));
            }
            let order = self
                .program
                .details(self.outline, user)
                .control_predecessor_ids;
            for id in order {
                let before = self.program.instruction_by_id(id);
                if let Some(before) = before.filter(|before| shown.contains(&before.index)) {
                    let from = self.source_of(before, &shown);
                    let to = user.index;
                    edges.push(GraphEdge {
                        is_control: true,
                        shape: String::new(),
                        bytes: 0,
                        ..edge(from, to, 0, before)
                    });
                }
            }
        }
        edges
    }

    fn source_of(
        &self,
        operand: &Instruction,
        shown: &FxHashSet<InstructionIndex>,
    ) -> InstructionIndex {
        let root = self.root_of(operand).filter(|root| shown.contains(root));
        root.filter(|_| self.is_opened(operand.index))
            .unwrap_or(operand.index)
    }

    fn target_of(
        &self,
        user: &Instruction,
        position: usize,
        shown: &FxHashSet<InstructionIndex>,
    ) -> InstructionIndex {
        if !self.is_opened(user.index) {
            return user.index;
        }
        let parameter = body(self.program, user).and_then(|body| {
            body.iter().find(|inner| {
                inner.opcode == "parameter"
                    && inner.attributes().map_or(0, |a| a.parameter_number)
                        == i64::try_from(position).unwrap_or(-1)
            })
        });
        let parameter = parameter.map(|parameter| parameter.index);
        parameter
            .filter(|parameter| shown.contains(parameter))
            .unwrap_or(user.index)
    }

    pub(super) fn clusters(&self) -> Vec<GraphCluster> {
        let opened = self.found.opened.iter().filter_map(|&index| {
            let fusion = self.program.instruction_at(index)?;
            let computation = self.program.called_computations(fusion).next()?;
            Some(GraphCluster {
                id: number(index),
                name: fusion.name.clone(),
                computation: computation.name.clone(),
                instruction_count: computation.instruction_count(),
            })
        });
        opened.collect()
    }

    pub(super) fn nodes(&self, users: &Users<'_>) -> Vec<GraphNode> {
        let shown: FxHashSet<InstructionIndex> = self
            .found
            .placed
            .iter()
            .map(|placed| placed.index)
            .collect();
        let placed = self.found.placed.iter();
        placed
            .filter_map(|placed| {
                let instruction = self.program.instruction_at(placed.index)?;
                Some(self.node(placed, instruction, users, &shown))
            })
            .collect()
    }

    fn node(
        &self,
        placed: &Placed,
        instruction: &Instruction,
        users: &Users<'_>,
        shown: &FxHashSet<InstructionIndex>,
    ) -> GraphNode {
        let computation = self
            .program
            .computations()
            .get(instruction.computation.index());
        let details = self.program.details(self.outline, instruction);
        let own = self.times.get(instruction.name.as_str());
        let is_fused = computation.is_some_and(|computation| computation.is_fusion_body);
        let own = own.filter(|_| !is_fused);
        let slice = own.and_then(|(op, _)| self.slices.get(op));
        let recorded = own.and_then(|(op, _)| self.session.op(*op).cost);
        let cost = self.program.cost(instruction);
        let source = instruction.source.as_deref();
        let hidden = |list: &[InstructionIndex]| list.iter().filter(|i| !shown.contains(i)).count();
        let is_outside = placed.cluster.is_none();
        let operands = users.operands(instruction);
        let whole = self.partitioning.as_ref().map(|own| own.value(instruction));
        let whole = whole.unwrap_or_default();
        GraphNode {
            id: number(instruction.index),
            name: instruction.name.clone(),
            opcode: instruction.opcode.clone(),
            category: own
                .map(|(op, _)| self.session.text(self.session.op(*op).category))
                .filter(|category| !category.is_empty())
                .unwrap_or_else(|| instruction.category())
                .to_owned(),
            class: class(self.program, instruction).to_owned(),
            shape: instruction.shape.to_string(),
            global_shape: whole.shape,
            partition: whole.partition,
            computation: computation.map(|own| own.name.clone()).unwrap_or_default(),
            distance: placed.distance,
            is_center: instruction.index == self.center,
            is_root: computation
                .and_then(|own| self.program.root(own))
                .is_some_and(|root| root.index == instruction.index),
            cluster: placed.cluster.map(number),
            self_ps: own.map(|(_, totals)| totals.self_ps),
            total_ps: own.map(|(_, totals)| totals.total_ps),
            occurrences: own.map(|(_, totals)| totals.occurrences),
            flops: match recorded {
                Some(recorded) => recorded.flops,
                None => (cost.basis != CostBasis::Unknown).then_some(cost.flops),
            },
            bytes: recorded.map_or(cost.bytes_accessed, |cost| cost.bytes),
            output_bytes: bytes(instruction),
            scope: instruction.op_name.clone(),
            scope_paths: combined_paths(&instruction.op_name),
            source: source
                .map(stepscope_model::hlo::SourceLocation::label)
                .unwrap_or_default(),
            sharding: details.sharding,
            constants: self.constants(instruction),
            calls: self
                .program
                .called_computations(instruction)
                .map(|called| called.name.clone())
                .collect(),
            hidden_operands: if is_outside { hidden(&operands) } else { 0 },
            hidden_users: if is_outside {
                hidden(users.users(instruction.index))
            } else {
                0
            },
            slice: slice.map(|longest| SliceRefReport {
                track: longest.slice.track.0,
                lane: longest.slice.lane,
                index: longest.slice.index,
            }),
            slice_start_ps: slice.map(|longest| longest.start_ps),
            slice_duration_ps: slice.map(|longest| longest.duration_ps),
        }
    }

    fn constants(&self, instruction: &Instruction) -> Vec<String> {
        let operands = self.program.operands(instruction).enumerate();
        let small = operands.filter(|(_, operand)| is_inlined(operand));
        small
            .map(|(position, operand)| {
                let value = self.program.details(self.outline, operand).constant;
                let value = value.unwrap_or_else(|| "…".to_owned());
                format!("{position}: {} {value}", operand.shape)
            })
            .collect()
    }
}

fn edge(
    from: InstructionIndex,
    to: InstructionIndex,
    position: usize,
    operand: &Instruction,
) -> GraphEdge {
    GraphEdge {
        from_id: number(from),
        to_id: number(to),
        operand: u32::try_from(position).unwrap_or(u32::MAX),
        shape: operand.shape.to_string(),
        bytes: bytes(operand),
        is_control: false,
    }
}

fn bytes(instruction: &Instruction) -> i64 {
    i64::try_from(instruction.shape.padded_byte_size()).unwrap_or(i64::MAX)
}

/// The position of an instruction, which is the id of its node.
pub(super) fn number(index: InstructionIndex) -> u32 {
    u32::try_from(index.index()).unwrap_or(u32::MAX)
}

/// What an instruction does, for its color: by its class if it has one, else by its opcode.
pub(super) fn class(program: &Program, instruction: &Instruction) -> &'static str {
    match instruction.opcode.as_str() {
        "parameter" => return "parameter",
        "constant" | "iota" => return "constant",
        "while" | "conditional" | "call" => return "control",
        _ => {}
    }
    match program.class(instruction) {
        OpClass::Matmul => "matmul",
        OpClass::Attention => "attention",
        OpClass::Collective => "collective",
        OpClass::Copy => "copy",
        OpClass::DataFormatting => "formatting",
        OpClass::Control => "control",
        OpClass::HostTransfer => "host",
        OpClass::HostCallback => "python",
        OpClass::Other => match instruction.opcode.as_str() {
            "reduce"
            | "reduce-window"
            | "scatter"
            | "gather"
            | "select-and-scatter"
            | "sort"
            | "batch-norm-training"
            | "batch-norm-inference"
            | "batch-norm-grad" => "reduction",
            "broadcast"
            | "dynamic-update-slice"
            | "dynamic-slice"
            | "slice"
            | "concatenate"
            | "pad" => "update",
            "bitcast" | "tuple" | "get-tuple-element" => "formatting",
            "custom-call" => "call",
            _ => "compute",
        },
    }
}
