//! Loops: what runs in the body of which loop, and how often.

use rustc_hash::FxHashMap;

use crate::program::{Computation, Instruction, InstructionIndex, Program};

/// Loops within loops deeper than this are left out: depth is in the hands of whoever wrote the file.
const MOST_LEVELS: usize = 16;

/// A `while` that runs, with how often it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loop {
    /// The `while`.
    pub instruction: InstructionIndex,
    /// Its iterations each time, where the compiler knows their number.
    pub trip_count: Option<u64>,
    /// How often one run of the program comes to it: the iterations of the loops around it. Unknown
    /// in a branch, and in a loop of unknown length.
    pub entries: Option<u64>,
}

/// A loop in whose body something runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InLoop {
    /// Position in [`Loops::loops`].
    pub position: usize,
    /// Whether each iteration runs it equally often. Not so behind a condition, or in another loop
    /// of unknown length.
    pub is_even: bool,
}

/// The loops of a program, the outer ones before those in their bodies.
#[derive(Debug, Default)]
pub struct Loops {
    /// All loops that can be reached from the entry.
    pub loops: Vec<Loop>,
    /// By computation.
    within: Vec<Vec<InLoop>>,
}

impl Loops {
    /// The loops in whose bodies an instruction runs, outermost first; none for instructions within
    /// fusions, and for the conditions of loops.
    pub fn around(&self, instruction: &Instruction) -> &[InLoop] {
        let within = self.within.get(instruction.computation.index());
        within.map_or(&[], Vec::as_slice)
    }
}

/// A computation that is about to be read.
struct Frame<'a> {
    computation: &'a Computation,
    around: Vec<InLoop>,
    /// How often one run of the program executes it.
    runs: Option<u64>,
}

impl Program {
    /// Its loops. A computation that is called from several places belongs to none: its events do not
    /// say which call they come from.
    pub fn loops(&self) -> Loops {
        let mut found = Loops {
            loops: Vec::new(),
            within: vec![Vec::new(); self.computations.len()],
        };
        let callers = self.callers();
        let entry = self.entry().map(|computation| Frame {
            computation,
            around: Vec::new(),
            runs: Some(1),
        });
        let mut pending: Vec<Frame<'_>> = entry.into_iter().collect();
        // Each computation has one caller at most, so none is read twice.
        while let Some(frame) = pending.pop() {
            let calls = self.instructions_of(frame.computation).iter();
            let mut called: Vec<Frame<'_>> = Vec::new();
            for instruction in calls {
                called.extend(self.frames(instruction, &frame, &mut found.loops));
            }
            called.retain(|next| {
                callers.get(&next.computation.id) == Some(&1) && next.around.len() <= MOST_LEVELS
            });
            for next in &called {
                let index = self.computation_by_id.get(&next.computation.id);
                if let Some(around) = index.and_then(|index| found.within.get_mut(index.index())) {
                    around.clone_from(&next.around);
                }
            }
            pending.extend(called.into_iter().rev());
        }
        found
    }

    /// How many instructions call each computation, by its id. The entry is called once more.
    fn callers(&self) -> FxHashMap<i64, usize> {
        let mut callers = FxHashMap::default();
        callers.extend(self.entry().map(|entry| (entry.id, 1)));
        for instruction in self.instructions() {
            for &id in &instruction.called_computation_ids {
                *callers.entry(id).or_default() += 1;
            }
        }
        callers
    }

    /// What an instruction executes; a loop is noted.
    fn frames<'a>(
        &'a self,
        instruction: &Instruction,
        frame: &Frame<'a>,
        loops: &mut Vec<Loop>,
    ) -> Vec<Frame<'a>> {
        let uneven = || {
            let around = frame.around.iter();
            around
                .map(|&own| InLoop {
                    is_even: false,
                    ..own
                })
                .collect()
        };
        let (around, runs) = match instruction.opcode.as_str() {
            "call" | "async-start" => (frame.around.clone(), frame.runs),
            "conditional" => (uneven(), None),
            "while" => {
                let trip_count = instruction
                    .attributes()
                    .and_then(|own| own.known_trip_count);
                loops.push(Loop {
                    instruction: instruction.index,
                    trip_count,
                    entries: frame.runs,
                });
                let own = InLoop {
                    position: loops.len() - 1,
                    is_even: true,
                };
                let mut around = match trip_count {
                    Some(_) => frame.around.clone(),
                    None => uneven(),
                };
                around.push(own);
                let runs = frame.runs.zip(trip_count);
                let runs = runs.and_then(|(runs, trips)| runs.checked_mul(trips));
                // Body first, then the condition.
                let body = self.called_computations(instruction).take(1);
                return body
                    .map(|computation| Frame {
                        computation,
                        around: around.clone(),
                        runs,
                    })
                    .collect();
            }
            _ => return Vec::new(),
        };
        self.called_computations(instruction)
            .map(|computation| Frame {
                computation,
                around: around.clone(),
                runs,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Draft, f32, program};

    fn while_of(draft: &mut Draft, body: i64, trips: Option<u64>) {
        let argument = draft.parameter(f32(&[]));
        draft.add_with("while", f32(&[]), &[argument], |own| {
            own.called_computation_ids = vec![body, 9];
            if let Some(trips) = trips {
                let config = format!(r#"{{"known_trip_count":{{"n":"{trips}"}}}}"#);
                own.backend_config = config.into_bytes();
            }
        });
    }

    /// A loop of 5 in a loop of 3, a branch in the inner one, and the condition of both.
    fn nested(inner: Option<u64>) -> Program {
        let mut branch = Draft::new(1, "branch");
        let value = branch.parameter(f32(&[]));
        branch.add("tanh", f32(&[]), &[value]);
        let mut inside = Draft::new(2, "inside");
        let value = inside.parameter(f32(&[]));
        inside.add("exp", f32(&[]), &[value]);
        inside.add_with("conditional", f32(&[]), &[value, value], |own| {
            own.called_computation_ids = vec![1];
        });
        let mut outside = Draft::new(3, "outside");
        while_of(&mut outside, 2, inner);
        let mut condition = Draft::new(9, "condition");
        let value = condition.parameter(f32(&[]));
        condition.add("not", f32(&[]), &[value]);
        let mut entry = Draft::new(4, "entry");
        while_of(&mut entry, 3, Some(3));
        program(vec![branch, inside, outside, condition, entry])
    }

    fn around(program: &Program, name: &str) -> Vec<(usize, bool)> {
        let instruction = program.instruction(name).expect(name);
        let loops = program.loops();
        let around = loops.around(instruction).iter();
        around.map(|own| (own.position, own.is_even)).collect()
    }

    #[test]
    fn loops_know_how_often_a_run_comes_to_them() {
        let nested = nested(Some(5));
        let loops = nested.loops().loops;
        let facts: Vec<_> = loops
            .iter()
            .map(|own| (own.trip_count, own.entries))
            .collect();
        assert_eq!(facts, [(Some(3), Some(1)), (Some(5), Some(3))]);
        assert_eq!(around(&nested, "while.4001"), []);
        assert_eq!(around(&nested, "while.3001"), [(0, true)]);
        assert_eq!(around(&nested, "exp.2001"), [(0, true), (1, true)]);
        assert_eq!(around(&nested, "tanh.1001"), [(0, false), (1, false)]);
        assert_eq!(around(&nested, "not.9001"), []);
    }

    #[test]
    fn a_loop_of_unknown_length_is_uneven_for_the_loops_around_it() {
        let nested = nested(None);
        let loops = nested.loops().loops;
        assert_eq!((loops[1].trip_count, loops[1].entries), (None, Some(3)));
        assert_eq!(around(&nested, "exp.2001"), [(0, false), (1, true)]);
    }

    #[test]
    fn what_is_called_twice_and_what_calls_itself_is_left_out() {
        let mut body = Draft::new(1, "body");
        while_of(&mut body, 1, Some(2));
        let mut entry = Draft::new(2, "entry");
        while_of(&mut entry, 1, Some(2));
        let own = program(vec![body, entry]);
        assert_eq!(own.loops().loops.len(), 1);
        assert_eq!(around(&own, "while.1001"), []);
    }
}
