//! What is read of an instruction only when somebody looks at it.

use std::collections::BTreeMap;
use std::hash::BuildHasher as _;

use prost::Message;
use rustc_hash::FxBuildHasher;

use crate::literal;
use crate::outline::Outline;
use crate::program::{Instruction, Program};
use crate::sharding::OpSharding;
use crate::wire::text;

/// The rest of an instruction: what [`Instruction`] does not keep. Empty where there is nothing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Details {
    /// How its value is divided over devices, in the words of HLO text.
    pub sharding: String,
    /// Value of a small constant.
    pub constant: Option<String>,
    /// Hash of the value of a constant of any size: other values have other ones.
    pub(crate) literal_hash: Option<u64>,
    /// Configuration for the backend: JSON, or text of another form.
    pub backend_config: String,
    /// Names and values that the framework attached, sorted by name.
    pub frontend_attributes: Vec<(String, String)>,
    /// Ids of instructions that must run before it although it does not use their values.
    pub control_predecessor_ids: Vec<i64>,
    /// The instruction whose code it shares.
    pub deduplicated_name: String,
    /// More attributes for the long text, each `name=value`.
    pub(crate) attributes: Vec<String>,
}

impl Program {
    /// The rest of an instruction, from the outline of the bytes this program was decoded from.
    pub fn details(&self, outline: &Outline<'_>, instruction: &Instruction) -> Details {
        let is_of_these_bytes = outline.instructions.len() == self.instructions.len();
        let bytes = outline.instructions.get(instruction.index.index());
        let proto = bytes.filter(|_| is_of_these_bytes);
        let proto = proto.and_then(|bytes| InstructionRest::decode(*bytes).ok());
        proto.map_or_else(Details::default, |proto| details(proto, instruction))
    }
}

fn details(proto: InstructionRest, instruction: &Instruction) -> Details {
    let mut attributes = Vec::new();
    if let Some(gather) = &proto.gather {
        let mut lists = gather.lists();
        lists.push(("slice_sizes", &proto.gather_slice_sizes));
        attributes.extend(lists.into_iter().map(|(name, list)| listed(name, list)));
        attributes.push(format!("index_vector_dim={}", gather.index_vector));
    }
    if let Some(scatter) = &proto.scatter {
        let lists = scatter.lists().into_iter();
        attributes.extend(lists.map(|(name, list)| listed(name, list)));
        attributes.push(format!("index_vector_dim={}", scatter.index_vector));
    }
    let flags = [
        ("custom_call_has_side_effect", proto.has_side_effect),
        ("is_stable", proto.is_stable),
        ("constrain_layout", proto.constrain_layout),
    ];
    let set = flags.into_iter().filter(|(_, is_set)| *is_set);
    attributes.extend(set.map(|(name, _)| format!("{name}=true")));
    if !proto.async_execution_thread.is_empty() {
        let thread = text(proto.async_execution_thread);
        attributes.push(format!("async_execution_thread=\"{thread}\""));
    }
    let map = proto.frontend_attributes.unwrap_or_default().map;
    let literal = proto.literal;
    let literal_hash = literal
        .as_ref()
        .map(|literal| FxBuildHasher.hash_one(literal));
    Details {
        sharding: proto
            .sharding
            .map(|sharding| sharding.text())
            .unwrap_or_default(),
        literal_hash,
        constant: literal.and_then(|literal| literal::text(&instruction.shape, &literal)),
        backend_config: text(proto.backend_config),
        frontend_attributes: map.into_iter().collect(),
        control_predecessor_ids: proto.control_predecessor_ids,
        deduplicated_name: proto
            .metadata
            .map(|m| text(m.deduplicated_name))
            .unwrap_or_default(),
        attributes,
    }
}

fn listed(name: &str, list: &[i64]) -> String {
    let numbers: Vec<String> = list.iter().map(ToString::to_string).collect();
    format!("{name}={{{}}}", numbers.join(","))
}

#[derive(Clone, PartialEq, Message)]
struct InstructionRest {
    #[prost(message, optional, tag = "7")]
    metadata: Option<MetadataRest>,
    #[prost(bytes = "vec", optional, tag = "8")]
    literal: Option<Vec<u8>>,
    #[prost(message, optional, tag = "33")]
    gather: Option<GatherDimensions>,
    #[prost(int64, repeated, tag = "34")]
    gather_slice_sizes: Vec<i64>,
    #[prost(int64, repeated, tag = "37")]
    control_predecessor_ids: Vec<i64>,
    #[prost(message, optional, tag = "40")]
    sharding: Option<OpSharding>,
    #[prost(bytes = "vec", tag = "43")]
    backend_config: Vec<u8>,
    #[prost(message, optional, tag = "48")]
    scatter: Option<ScatterDimensions>,
    #[prost(bool, tag = "56")]
    constrain_layout: bool,
    #[prost(bool, tag = "60")]
    is_stable: bool,
    #[prost(bool, tag = "65")]
    has_side_effect: bool,
    #[prost(message, optional, tag = "68")]
    frontend_attributes: Option<FrontendAttributes>,
    #[prost(bytes = "vec", tag = "79")]
    async_execution_thread: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
struct MetadataRest {
    #[prost(bytes = "vec", tag = "12")]
    deduplicated_name: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
struct FrontendAttributes {
    #[prost(btree_map = "string, string", tag = "1")]
    map: BTreeMap<String, String>,
}

#[derive(Clone, PartialEq, Message)]
struct GatherDimensions {
    #[prost(int64, repeated, tag = "1")]
    offset: Vec<i64>,
    #[prost(int64, repeated, tag = "2")]
    collapsed: Vec<i64>,
    #[prost(int64, repeated, tag = "3")]
    start_index_map: Vec<i64>,
    #[prost(int64, tag = "4")]
    index_vector: i64,
}

#[derive(Clone, PartialEq, Message)]
struct ScatterDimensions {
    #[prost(int64, repeated, tag = "1")]
    update_window: Vec<i64>,
    #[prost(int64, repeated, tag = "2")]
    inserted_window: Vec<i64>,
    #[prost(int64, repeated, tag = "3")]
    to_operand: Vec<i64>,
    #[prost(int64, tag = "4")]
    index_vector: i64,
}

impl GatherDimensions {
    fn lists(&self) -> Vec<(&'static str, &Vec<i64>)> {
        vec![
            ("offset_dims", &self.offset),
            ("collapsed_slice_dims", &self.collapsed),
            ("start_index_map", &self.start_index_map),
        ]
    }
}

impl ScatterDimensions {
    fn lists(&self) -> Vec<(&'static str, &Vec<i64>)> {
        vec![
            ("update_window_dims", &self.update_window),
            ("inserted_window_dims", &self.inserted_window),
            ("scatter_dims_to_operand_dims", &self.to_operand),
        ]
    }
}
