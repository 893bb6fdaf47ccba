//! In which order instructions are executed.
//!
//! A program lists the instructions of a computation with operands before users, in an order that
//! says little else. What a device runs one after the other stands in the module's schedule, which
//! few questions need, so it is read again from the bytes.

use prost::Message;
use rustc_hash::FxHashMap;

use crate::outline::{Outline, field};
use crate::program::{Computation, Instruction, Program};

/// The order of execution within the computations of one program.
#[derive(Debug, Clone, Default)]
pub struct Schedule {
    /// Ids of instructions, by the id of their computation.
    sequences: FxHashMap<i64, Vec<i64>>,
}

impl Schedule {
    /// The schedule in the bytes of a serialized program; empty where it has none or where it
    /// cannot be read.
    pub fn decode(program: &[u8]) -> Self {
        let bytes = field(Outline::of(program).module, 7).unwrap_or_default();
        let decoded = proto::Schedule::decode(bytes).unwrap_or_default();
        let sequences = decoded.sequences.into_iter();
        Self {
            sequences: sequences
                .map(|entry| {
                    let sequence = entry.sequence.unwrap_or_default();
                    (entry.computation_id, sequence.instruction_ids)
                })
                .collect(),
        }
    }

    /// Whether the program says in which order anything is executed.
    pub fn is_empty(&self) -> bool {
        self.sequences.is_empty()
    }

    /// The instructions of a computation in the order of execution; in that of the file where the
    /// schedule does not list the computation.
    pub fn sequence<'a>(
        &self,
        program: &'a Program,
        computation: &Computation,
    ) -> Vec<&'a Instruction> {
        let Some(ids) = self.sequences.get(&computation.id) else {
            return program.instructions_of(computation).iter().collect();
        };
        ids.iter()
            .filter_map(|&id| program.instruction_by_id(id))
            .collect()
    }
}

mod proto {
    use prost::Message;

    #[derive(Clone, PartialEq, Message)]
    pub(super) struct Schedule {
        #[prost(message, repeated, tag = "1")]
        pub(super) sequences: Vec<Entry>,
    }

    #[derive(Clone, PartialEq, Message)]
    pub(super) struct Entry {
        #[prost(int64, tag = "1")]
        pub(super) computation_id: i64,
        #[prost(message, optional, tag = "2")]
        pub(super) sequence: Option<Sequence>,
    }

    #[derive(Clone, PartialEq, Eq, Message)]
    pub(super) struct Sequence {
        #[prost(int64, repeated, tag = "1")]
        pub(super) instruction_ids: Vec<i64>,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Draft, encode, f32};

    #[test]
    fn the_schedule_wins_over_the_order_of_the_file() {
        let mut entry = Draft::new(2, "main");
        let x = entry.parameter(f32(&[2]));
        entry.add("copy", f32(&[2]), &[x]);
        entry.add("negate", f32(&[2]), &[x]);
        let mut bytes = encode(vec![entry]);
        let program = Program::decode(&bytes).expect("a program");
        let main = &program.computations()[0];
        let names = |schedule: &Schedule| -> Vec<String> {
            let sequence = schedule.sequence(&program, main).into_iter();
            sequence
                .map(|instruction| instruction.name.clone())
                .collect()
        };
        let in_file = Schedule::decode(&bytes);
        assert!(in_file.is_empty());
        assert_eq!(
            names(&in_file),
            ["parameter.2000", "copy.2001", "negate.2002"]
        );
        let ids: Vec<i64> = ["parameter.2000", "negate.2002", "copy.2001"]
            .iter()
            .filter_map(|name| Some(program.instruction(name)?.id))
            .chain([-5])
            .collect();
        let schedule = proto::Schedule {
            sequences: vec![proto::Entry {
                computation_id: main.id,
                sequence: Some(proto::Sequence {
                    instruction_ids: ids,
                }),
            }],
        };
        // The module is the first field of the file: rebuild it with the schedule behind.
        let mut module = Outline::of(&bytes).module.to_vec();
        prost::encoding::message::encode(7, &schedule, &mut module);
        bytes.clear();
        prost::encoding::bytes::encode(1, &module, &mut bytes);
        let scheduled = Schedule::decode(&bytes);
        assert!(!scheduled.is_empty());
        assert_eq!(
            names(&scheduled),
            ["parameter.2000", "negate.2002", "copy.2001"]
        );
    }
}
