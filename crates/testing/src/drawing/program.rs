//! Tiny HLO modules for synthetic profiles: instructions in the form of HLO text, to an `HloProto`.
//!
//! `[ROOT] [%]name = shape opcode(operands) key=value …`, with `op_name`, `source`
//! (`file.py:7`), `kind`, `calls` / `to_apply` / `body` / `condition`, `channel_id`,
//! `operand_precision={highest,highest}` and `algorithm=9` of a product, `backend_config='…'`,
//! `replica_groups={{0,1},{2,3}}`, `source_target_pairs={{0,1},{1,0}}`, `is_host_transfer=true`,
//! `sharding={devices=[4,1]<=[4]}` (also `{replicated}`, `{maximal}`, and a list of these),
//! `frontend_attributes={name=value}`, `custom_call_target`, `direction=EQ` of a comparison,
//! `dimensions={0}`, and a dot's dimension lists.
//! `computation name` begins a called computation, `entry` the main one. `alias 0 1` puts result 0 of what
//! the program returns into the memory of argument 1. `allocation`, `buffer` and
//! `heap` draw the compiler's memory plan, see `program/plan.rs`.

use std::collections::BTreeMap;

use prost::Message;

use super::problem::Checked;
use super::text::split_word;

mod messages;
mod plan;
mod sharding;
mod syntax;

use messages::{
    AliasEntry, FrontendAttributes, HloComputation, HloInstruction, HloModule, HloProto, Layout,
    Literal, OpMetadata, Pair, ReplicaGroup, Shape, SliceDimension,
};
use plan::PlanSketch;
use syntax::{inside, numbers, parse_attributes, split_closing, split_top_level};

/// `PrimitiveType` values of `xla_data.proto`.
const ELEMENT_TYPES: [(&str, i32); 19] = [
    ("pred", 1),
    ("s8", 2),
    ("s16", 3),
    ("s32", 4),
    ("s64", 5),
    ("u8", 6),
    ("u16", 7),
    ("u32", 8),
    ("u64", 9),
    ("f16", 10),
    ("f32", 11),
    ("f64", 12),
    ("c64", 15),
    ("bf16", 16),
    ("token", 17),
    ("f8e5m2", 19),
    ("f8e4m3fn", 20),
    ("s4", 21),
    ("u4", 22),
];
const TUPLE: i32 = 13;

/// The program being listed.
pub(super) struct ProgramSketch {
    id: u64,
    module: HloModule,
    /// Instruction and computation ids by name; both are unique in the module.
    ids: BTreeMap<String, i64>,
    plan: PlanSketch,
}

impl ProgramSketch {
    /// `5 jit_step`
    pub(super) fn begin(arguments: &str) -> Checked<Self> {
        let (id, name) = split_word(arguments);
        let id = id.parse().map_err(|_| format!("`{id}` is no program id"))?;
        let name = if name.is_empty() { "jit_step" } else { name };
        let module = HloModule {
            name: name.into(),
            id: 0,
            ..HloModule::default()
        };
        Ok(Self {
            id,
            module,
            ids: BTreeMap::new(),
            plan: PlanSketch::default(),
        })
    }

    /// Whether the line continues a program.
    pub(super) fn accepts(line: &str) -> bool {
        let (word, rest) = split_word(line);
        matches!(word, "computation" | "entry" | "ROOT" | "alias")
            || PlanSketch::accepts(word)
            || rest.starts_with("= ")
    }

    pub(super) fn add(&mut self, line: &str) -> Checked<()> {
        match split_word(line) {
            (word, _) if PlanSketch::accepts(word) => {
                let mut plan = std::mem::take(&mut self.plan);
                let added = plan.add(line, |name| self.id_of(name));
                self.plan = plan;
                added?;
            }
            ("alias", places) => self.add_alias(places)?,
            ("computation", name) => self.begin_computation(name),
            ("entry", name) => {
                self.begin_computation(if name.is_empty() { "main" } else { name });
            }
            ("ROOT", instruction) => {
                self.add_instruction(instruction)?;
                self.mark_root();
            }
            _ => self.add_instruction(line)?,
        }
        Ok(())
    }

    /// Name, id and `HloProto` bytes. The last computation is the entry; where no `ROOT` says
    /// otherwise, the last instruction is the root.
    pub(super) fn finish(mut self) -> (String, u64, Vec<u8>) {
        for computation in &mut self.module.computations {
            if computation.root_id == 0 {
                computation.root_id = computation.instructions.last().map_or(0, |last| last.id);
            }
        }
        if let Some(entry) = self.module.computations.last() {
            self.module.entry_computation_name.clone_from(&entry.name);
            self.module.entry_computation_id = entry.id;
        }
        let name = self.module.name.clone();
        (
            name,
            self.id,
            HloProto {
                hlo_module: Some(self.module),
                buffer_assignment: self.plan.finish(),
            }
            .encode_to_vec(),
        )
    }

    fn add_alias(&mut self, places: &str) -> Checked<()> {
        const MAY_ALIAS: i32 = 1;
        let number = |text: &str| text.trim().parse::<i64>().ok();
        let both = places.trim().split_once(' ');
        let both = both.and_then(|(result, argument)| number(result).zip(number(argument)));
        let (result, argument) =
            both.ok_or("an alias has the numbers of a result and an argument")?;
        let aliases = self.module.input_output_alias.get_or_insert_default();
        aliases.entries.push(AliasEntry {
            output_shape_index: vec![result],
            parameter_number: argument,
            kind: MAY_ALIAS,
        });
        Ok(())
    }

    fn begin_computation(&mut self, name: &str) {
        let id = self.new_id(name);
        let is_fusion_computation = name.starts_with("fused");
        let computation = HloComputation {
            name: name.into(),
            id,
            is_fusion_computation,
            ..Default::default()
        };
        self.module.computations.push(computation);
    }

    fn mark_root(&mut self) {
        if let Some(computation) = self.module.computations.last_mut() {
            computation.root_id = computation.instructions.last().map_or(0, |last| last.id);
        }
    }

    fn new_id(&mut self, name: &str) -> i64 {
        let id = self.ids.len() as u64 + 1;
        self.ids.insert(name.into(), id.cast_signed());
        id.cast_signed()
    }

    fn id_of(&self, name: &str) -> Checked<i64> {
        let name = name.trim().trim_start_matches('%');
        // An operand may be written with its shape before it.
        let name = name.rsplit_once([' ', '%']).map_or(name, |(_, name)| name);
        self.ids
            .get(name)
            .copied()
            .ok_or_else(|| format!("nothing is called `{name}` yet"))
    }

    fn add_instruction(&mut self, text: &str) -> Checked<()> {
        if self.module.computations.is_empty() {
            self.begin_computation("main");
        }
        let (name, definition) = text
            .split_once(" = ")
            .ok_or("an instruction reads `a = …`")?;
        let name = name.trim().trim_start_matches('%');
        let (shape, rest) = parse_shape(definition.trim())?;
        let (opcode, rest) = rest
            .trim()
            .split_once('(')
            .ok_or("an opcode needs its `(`")?;
        let (operands, attributes) = split_closing(rest)?;
        let mut instruction = HloInstruction {
            name: name.into(),
            opcode: opcode.into(),
            shape: Some(shape),
            ..HloInstruction::default()
        };
        match opcode {
            "parameter" => {
                let number = operands.trim().parse();
                instruction.parameter_number = number.map_err(|_| "a parameter has a number")?;
            }
            // Numbers other than these two types have no value.
            "constant" => {
                instruction.literal = Some(Literal {
                    s32s: operands.trim().parse().into_iter().collect(),
                    f32s: operands.trim().parse().into_iter().collect(),
                });
            }
            _ => instruction.operand_ids = self.ids_of(operands)?,
        }
        for (key, value) in parse_attributes(attributes)? {
            self.set_attribute(&mut instruction, key, value)?;
        }
        instruction.id = self.new_id(name);
        if let Some(computation) = self.module.computations.last_mut() {
            computation.instructions.push(instruction);
        }
        Ok(())
    }

    fn ids_of(&self, names: &str) -> Checked<Vec<i64>> {
        split_top_level(names)
            .into_iter()
            .map(|name| self.id_of(name))
            .collect()
    }

    fn set_attribute(&self, to: &mut HloInstruction, key: &str, value: &str) -> Checked<()> {
        let metadata = to.metadata.get_or_insert_with(OpMetadata::default);
        match key {
            "op_name" => metadata.op_name = value.into(),
            "source" => {
                let (file, line) = value.rsplit_once(':').ok_or("a source reads `file.py:7`")?;
                metadata.source_file = file.into();
                metadata.source_line = line.parse().map_err(|_| "a source line is a number")?;
            }
            "kind" => to.fusion_kind = value.into(),
            "calls" | "to_apply" | "body" | "condition" => {
                to.called_computation_ids.extend(self.ids_of(value)?);
            }
            "channel_id" => {
                to.channel_id = value.parse().map_err(|_| "a channel id is a number")?;
            }
            "custom_call_target" => to.custom_call_target = value.into(),
            "direction" => to.comparison_direction = value.into(),
            "dimensions" => to.dimensions = numbers(value)?,
            "slice" => {
                let bounds = split_top_level(inside(value)).into_iter();
                let bounds = bounds.map(|one| {
                    let one = one.trim_matches(['[', ']']).replace(':', ",");
                    match numbers(&one)?[..] {
                        [start, limit] => Ok(SliceDimension {
                            start,
                            limit,
                            stride: 1,
                        }),
                        _ => Err(format!("`{one}` is no slice like `[0:8]`")),
                    }
                });
                to.slice_dimensions = bounds.collect::<Checked<_>>()?;
            }
            "is_host_transfer" => to.is_host_transfer = value == "true",
            "sharding" => to.sharding = Some(sharding::parse(value)?),
            "frontend_attributes" => {
                let pairs = split_top_level(inside(value)).into_iter();
                let map = pairs.map(|pair| {
                    let (name, value) = pair.split_once('=').ok_or("`name=value` is missing")?;
                    Ok((name.to_owned(), value.trim_matches('"').to_owned()))
                });
                let map = map.collect::<Checked<_>>()?;
                to.frontend_attributes = Some(FrontendAttributes { map });
            }
            "source_target_pairs" => {
                let pairs = split_top_level(inside(value)).into_iter();
                let pairs = pairs.map(|pair| match numbers(pair)?[..] {
                    [source, target] => Ok(Pair { source, target }),
                    _ => Err(format!("`{pair}` is no pair")),
                });
                to.source_target_pairs = pairs.collect::<Checked<_>>()?;
            }
            "operand_precision" => {
                let levels = split_top_level(inside(value)).into_iter();
                let levels = levels.map(|level| match level.trim() {
                    "default" => Ok(0),
                    "high" => Ok(1),
                    "highest" => Ok(2),
                    other => Err(format!("no precision `{other}`")),
                });
                let config = to.precision_config.get_or_insert_default();
                config.operand_precision = levels.collect::<Checked<_>>()?;
            }
            "algorithm" => {
                let config = to.precision_config.get_or_insert_default();
                config.algorithm = value.parse().map_err(|_| "an algorithm is a number")?;
            }
            "backend_config" => to.backend_config = value.trim_matches('\'').as_bytes().to_vec(),
            "replica_groups" => {
                let groups = split_top_level(inside(value));
                to.replica_groups = groups
                    .into_iter()
                    .map(|group| {
                        Ok(ReplicaGroup {
                            replica_ids: numbers(group)?,
                        })
                    })
                    .collect::<Checked<_>>()?;
            }
            _ => {
                let dot = to.dot_dimension_numbers.get_or_insert_default();
                let dimensions = match key {
                    "lhs_contracting_dims" => &mut dot.lhs_contracting,
                    "rhs_contracting_dims" => &mut dot.rhs_contracting,
                    "lhs_batch_dims" => &mut dot.lhs_batch,
                    "rhs_batch_dims" => &mut dot.rhs_batch,
                    _ => return Err(format!("no attribute `{key}` can be drawn")),
                };
                *dimensions = numbers(value)?;
            }
        }
        Ok(())
    }
}

/// `f32[8,16]{1,0}` or `(f32[8], s32[])`, and what follows.
fn parse_shape(text: &str) -> Checked<(Shape, &str)> {
    if let Some(inside) = text.strip_prefix('(') {
        let (members, rest) = split_closing(inside)?;
        let members = split_top_level(members)
            .into_iter()
            .map(|member| parse_shape(member.trim()));
        let tuple_shapes = members
            .map(|member| member.map(|(shape, _)| shape))
            .collect::<Checked<_>>()?;
        return Ok((
            Shape {
                element_type: TUPLE,
                tuple_shapes,
                ..Shape::default()
            },
            rest,
        ));
    }
    let problem = || format!("`{text}` does not begin with a shape like `f32[8,16]`");
    let (element, rest) = text.split_once('[').ok_or_else(problem)?;
    let (dimensions, rest) = rest.split_once(']').ok_or_else(problem)?;
    let known = ELEMENT_TYPES.iter().find(|(name, _)| *name == element);
    let &(_, element_type) = known.ok_or_else(|| format!("no element type `{element}`"))?;
    let dimensions = numbers(dimensions)?;
    let (order, rest) = match rest.strip_prefix('{') {
        Some(layout) => layout.split_once('}').ok_or_else(problem)?,
        None => ("", rest),
    };
    // A layout may continue with tiles after a colon; they are ignored.
    let order = numbers(order.split(':').next().unwrap_or(""))?;
    let row_major = (0..dimensions.len() as u64)
        .rev()
        .map(u64::cast_signed)
        .collect();
    let minor_to_major = if order.is_empty() { row_major } else { order };
    let layout = Some(Layout { minor_to_major });
    Ok((
        Shape {
            element_type,
            dimensions,
            layout,
            ..Shape::default()
        },
        rest,
    ))
}
