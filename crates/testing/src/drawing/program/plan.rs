//! Memory plans of synthetic programs: allocations, their contents, and heap traces.
//!
//! ```text
//! allocation 0 size=4096 parameter=0 live_out     a block; also constant, thread_local, tuple, color=1
//! buffer 1 a size=4096                            in the block above; offset=… , index=0,1 of a tuple
//! allocation 1 size=8192
//! buffer 2 b size=4096 offset=4096
//! heap alloc 2, share 3 with 2, free 2, free 3    one trace, in the order of the schedule
//! ```

use std::collections::BTreeMap;

use prost::Message;

use crate::drawing::problem::Checked;
use crate::drawing::text::split_word;

/// Package `xla`, `BufferAssignmentProto` and below; field numbers are those of `hlo.proto`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct BufferAssignment {
    #[prost(message, repeated, tag = "1")]
    logical_buffers: Vec<LogicalBuffer>,
    #[prost(message, repeated, tag = "3")]
    allocations: Vec<Allocation>,
    #[prost(message, repeated, tag = "4")]
    heap_traces: Vec<HeapTrace>,
}

#[derive(Clone, PartialEq, Message)]
struct LogicalBuffer {
    #[prost(int64, tag = "1")]
    id: i64,
    #[prost(int64, tag = "2")]
    size: i64,
    #[prost(message, optional, tag = "3")]
    defined_at: Option<Location>,
    #[prost(int64, tag = "4")]
    color: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Location {
    #[prost(int64, repeated, tag = "3")]
    shape_index: Vec<i64>,
    #[prost(int64, tag = "4")]
    instruction_id: i64,
}

#[expect(clippy::struct_excessive_bools, reason = "as many as the message has")]
#[derive(Clone, PartialEq, Message)]
struct Allocation {
    #[prost(int64, tag = "1")]
    index: i64,
    #[prost(int64, tag = "2")]
    size: i64,
    #[prost(bool, tag = "3")]
    is_thread_local: bool,
    #[prost(bool, tag = "5")]
    is_parameter: bool,
    #[prost(int64, tag = "6")]
    parameter_number: i64,
    #[prost(bool, tag = "7")]
    maybe_live_out: bool,
    #[prost(int64, tag = "8")]
    color: i64,
    #[prost(message, repeated, tag = "9")]
    assigned: Vec<Assigned>,
    #[prost(bool, tag = "11")]
    is_tuple: bool,
    #[prost(bool, tag = "12")]
    is_constant: bool,
}

#[derive(Clone, PartialEq, Message)]
struct Assigned {
    #[prost(int64, tag = "1")]
    logical_buffer_id: i64,
    #[prost(int64, tag = "2")]
    offset: i64,
    #[prost(int64, tag = "3")]
    size: i64,
}

#[derive(Clone, PartialEq, Message)]
struct HeapTrace {
    #[prost(message, repeated, tag = "1")]
    events: Vec<Event>,
}

#[derive(Clone, PartialEq, Message)]
struct Event {
    #[prost(int32, tag = "1")]
    kind: i32,
    #[prost(int64, tag = "2")]
    buffer_id: i64,
    #[prost(string, tag = "4")]
    instruction_name: String,
    #[prost(int64, tag = "5")]
    share_with_canonical_id: i64,
}

/// The plan of the program being listed.
#[derive(Default)]
pub(super) struct PlanSketch {
    plan: BufferAssignment,
    /// Name of the instruction of each buffer.
    names: BTreeMap<i64, String>,
}

impl PlanSketch {
    pub(super) fn accepts(word: &str) -> bool {
        matches!(word, "allocation" | "buffer" | "heap")
    }

    /// Adds a line; `id_of` maps names of instructions to IDs.
    pub(super) fn add(&mut self, line: &str, id_of: impl Fn(&str) -> Checked<i64>) -> Checked<()> {
        match split_word(line) {
            ("allocation", rest) => self.add_allocation(rest),
            ("buffer", rest) => self.add_buffer(rest, id_of),
            (_, rest) => self.add_trace(rest),
        }
    }

    pub(super) fn finish(self) -> Option<BufferAssignment> {
        (!self.plan.allocations.is_empty()).then_some(self.plan)
    }

    fn add_allocation(&mut self, text: &str) -> Checked<()> {
        let mut words = text.split_whitespace();
        let mut allocation = Allocation {
            index: number(words.next().unwrap_or_default())?,
            ..Allocation::default()
        };
        for word in words {
            match word.split_once('=') {
                Some(("size", value)) => allocation.size = number(value)?,
                Some(("color", value)) => allocation.color = number(value)?,
                Some(("parameter", value)) => {
                    allocation.is_parameter = true;
                    allocation.parameter_number = number(value)?;
                }
                None if word == "live_out" => allocation.maybe_live_out = true,
                None if word == "constant" => allocation.is_constant = true,
                None if word == "thread_local" => allocation.is_thread_local = true,
                None if word == "tuple" => allocation.is_tuple = true,
                _ => return Err(format!("an allocation has no `{word}`")),
            }
        }
        self.plan.allocations.push(allocation);
        Ok(())
    }

    fn add_buffer(&mut self, text: &str, id_of: impl Fn(&str) -> Checked<i64>) -> Checked<()> {
        let mut words = text.split_whitespace();
        let id = number(words.next().unwrap_or_default())?;
        let name = words.next().ok_or("a buffer needs its instruction")?;
        let (mut size, mut offset, mut shape_index) = (0, 0, Vec::new());
        for word in words {
            match word.split_once('=') {
                Some(("size", value)) => size = number(value)?,
                Some(("offset", value)) => offset = number(value)?,
                Some(("index", value)) => {
                    shape_index = value.split(',').map(number).collect::<Checked<_>>()?;
                }
                _ => return Err(format!("a buffer has no `{word}`")),
            }
        }
        let allocation = self.plan.allocations.last_mut();
        let allocation = allocation.ok_or("a buffer lies in the allocation above it")?;
        allocation.assigned.push(Assigned {
            logical_buffer_id: id,
            offset,
            size,
        });
        self.plan.logical_buffers.push(LogicalBuffer {
            id,
            size,
            color: allocation.color,
            defined_at: Some(Location {
                shape_index,
                instruction_id: id_of(name)?,
            }),
        });
        self.names.insert(id, name.trim_start_matches('%').into());
        Ok(())
    }

    fn add_trace(&mut self, text: &str) -> Checked<()> {
        let events = text.split(',').map(|event| {
            let words: Vec<&str> = event.split_whitespace().collect();
            let (kind, id, shared_with) = match words[..] {
                ["alloc", id] => (0, number(id)?, 0),
                ["free", id] => (1, number(id)?, 0),
                ["share", id, "with", other] => (2, number(id)?, number(other)?),
                _ => return Err(format!("`{event}` is no event of a heap")),
            };
            Ok(Event {
                kind,
                buffer_id: id,
                instruction_name: self.names.get(&id).cloned().unwrap_or_default(),
                share_with_canonical_id: shared_with,
            })
        });
        let events = events.collect::<Checked<_>>()?;
        self.plan.heap_traces.push(HeapTrace { events });
        Ok(())
    }
}

fn number(text: &str) -> Checked<i64> {
    text.parse().map_err(|_| format!("`{text}` is no number"))
}
