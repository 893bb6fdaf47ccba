//! Facts about values, followed from where they are made to where they are used: through tuples,
//! fusions, calls and loops.
//!
//! Every array of every instruction has one fact. An analysis says what the inputs of the program
//! are ([`Facts::input`]) and what an instruction makes of the facts of its operands
//! ([`Facts::result`]); tuples, calls and loops are followed here. A computation that is called from
//! several places joins their arguments, so facts only ever grow, until nothing changes.

use crate::program::{Computation, Instruction, Program};
use crate::shape::{MAX_NESTING, Shape};

/// Calls within calls that are followed.
const MAX_DEPTH: usize = 48;
/// Passes over the whole program.
const MAX_SWEEPS: usize = 8;
/// Instructions looked at, per instruction of the program.
const MAX_VISITS: usize = 64;
/// Arrays in all tuples together, per instruction of the program; a tuple that goes through a loop
/// has hundreds.
const MAX_LEAVES: usize = 256;
/// Facts that are copied as fast as an instruction is looked at.
const FACTS_PER_VISIT: usize = 16;

/// An analysis of values.
pub(crate) trait Facts {
    /// What is known of one array. The default says nothing yet.
    type Fact: Copy + PartialEq + Default;

    /// What holds if either does.
    fn join(&mut self, left: Self::Fact, right: Self::Fact) -> Self::Fact;

    /// A parameter of the entry, or one array of it.
    fn input(&mut self, parameter: &Instruction, leaf: usize) -> Self::Fact;

    /// What an instruction that calls nothing makes of its operands; it holds for all arrays of the
    /// result.
    fn result(
        &mut self,
        program: &Program,
        instruction: &Instruction,
        operands: &[&[Self::Fact]],
    ) -> Self::Fact;

    /// The same where the arrays of the result differ: one fact for each of them.
    fn results(
        &mut self,
        program: &Program,
        instruction: &Instruction,
        operands: &[&[Self::Fact]],
        facts: &mut [Self::Fact],
    ) {
        let fact = self.result(program, instruction, operands);
        facts.fill(fact);
    }

    /// What a branch or loop makes of a value, given the fact of the predicate.
    fn controlled(&mut self, value: Self::Fact, _predicate: Self::Fact) -> Self::Fact {
        value
    }
}

/// The facts of a whole program.
#[derive(Debug)]
pub(crate) struct Flow<T> {
    /// `facts[start[i]..start[i + 1]]` are those of the arrays of instruction `i`.
    start: Vec<usize>,
    facts: Vec<T>,
    is_reached: Vec<bool>,
}

impl<T: Copy + Default> Flow<T> {
    /// The facts of all arrays, and where those of each instruction begin; the default for what never
    /// runs.
    pub(crate) fn into_parts(mut self, program: &Program) -> (Vec<usize>, Vec<T>) {
        for instruction in &program.instructions {
            let index = instruction.index.index();
            let is_reached = self.is_reached.get(instruction.computation.index()) == Some(&true);
            let range = self.start[index]..self.start[index + 1];
            if !is_reached {
                self.facts[range].fill(T::default());
            }
        }
        (self.start, self.facts)
    }

    /// The facts of the arrays of an instruction; nothing if it never runs.
    pub(crate) fn of(&self, instruction: &Instruction) -> &[T] {
        let index = instruction.index.index();
        let is_reached = self.is_reached.get(instruction.computation.index()) == Some(&true);
        match (self.start.get(index), self.start.get(index + 1)) {
            (Some(&start), Some(&end)) if is_reached => {
                self.facts.get(start..end).unwrap_or_default()
            }
            _ => &[],
        }
    }
}

/// Follows values through a program; `None` where that takes too long, as only programs made for it
/// do.
pub(crate) fn follow<A: Facts>(program: &Program, analysis: &mut A) -> Option<Flow<A::Fact>> {
    let entry = program.entry()?;
    let mut start = Vec::with_capacity(program.instructions.len() + 1);
    let mut leaf_count = 0usize;
    let most = program.instructions.len().saturating_mul(MAX_LEAVES);
    for instruction in &program.instructions {
        start.push(leaf_count);
        leaf_count = leaf_count.saturating_add(leaves(&instruction.shape, MAX_NESTING));
        if leaf_count > most {
            return None;
        }
    }
    start.push(leaf_count);
    let count = program.computations.len();
    let mut walk = Walk {
        program,
        analysis,
        flow: Flow {
            start,
            facts: vec![A::Fact::default(); leaf_count],
            is_reached: vec![false; count],
        },
        is_active: vec![false; count],
        is_done: vec![false; count],
        has_changed: false,
        visits_left: program.instructions.len().saturating_mul(MAX_VISITS),
    };
    for _ in 0..MAX_SWEEPS {
        walk.has_changed = false;
        walk.is_done.fill(false);
        walk.computation(entry, true, MAX_DEPTH)?;
        if !walk.has_changed {
            return Some(walk.flow);
        }
    }
    None
}

/// Number of arrays in a shape.
fn leaves(shape: &Shape, depth: usize) -> usize {
    if !shape.is_tuple() {
        return 1;
    }
    let Some(depth) = depth.checked_sub(1) else {
        return 1;
    };
    let inner = shape.tuple_shapes.iter();
    inner.fold(0, |sum, inner| sum.saturating_add(leaves(inner, depth)))
}

struct Walk<'a, A: Facts> {
    program: &'a Program,
    analysis: &'a mut A,
    flow: Flow<A::Fact>,
    /// Computations that are being followed: a call back into one is ignored.
    is_active: Vec<bool>,
    /// Computations whose arguments have not changed since they were followed.
    is_done: Vec<bool>,
    /// Whether the arguments of any computation have grown in this sweep.
    has_changed: bool,
    visits_left: usize,
}

impl<A: Facts> Walk<'_, A> {
    /// Follows the values of a computation whose parameters have their facts.
    fn computation(&mut self, own: &Computation, is_entry: bool, depth: usize) -> Option<()> {
        let index = self.program.computation_by_id.get(&own.id)?.index();
        if self.is_active[index] || self.is_done[index] {
            return Some(());
        }
        let depth = depth.checked_sub(1)?;
        self.is_active[index] = true;
        self.flow.is_reached[index] = true;
        let program = self.program;
        for instruction in program.instructions_of(own) {
            self.pay(1)?;
            self.instruction(instruction, is_entry, depth)?;
        }
        self.is_active[index] = false;
        self.is_done[index] = true;
        Some(())
    }

    fn instruction(&mut self, own: &Instruction, is_entry: bool, depth: usize) -> Option<()> {
        match own.opcode.as_str() {
            "parameter" if is_entry => {
                for leaf in 0..self.range(own).len() {
                    let fact = self.analysis.input(own, leaf);
                    let position = self.range(own).start + leaf;
                    self.flow.facts[position] = fact;
                }
            }
            "parameter" => {}
            "tuple" => {
                let facts = self.arguments(own)?.concat();
                self.store(own, &facts);
            }
            "get-tuple-element" => {
                let facts = self.element(own);
                self.store(own, &facts);
            }
            "fusion" | "call" | "async-start" => {
                let called: Vec<&Computation> = self.program.called_computations(own).collect();
                let arguments = self.arguments(own)?;
                let mut facts = Vec::new();
                for body in called {
                    self.bind(body, &arguments)?;
                    self.computation(body, false, depth)?;
                    facts = self.root(body);
                }
                // An asynchronous call returns its operands, its result and a context.
                let room = self.range(own).len();
                if own.opcode == "async-start" && room > facts.len() {
                    facts = [arguments.concat(), facts].concat();
                    facts.resize(room.max(facts.len()), A::Fact::default());
                }
                self.store(own, &facts);
            }
            "while" => self.repeat(own, depth)?,
            "conditional" => self.branch(own, depth)?,
            _ => self.plain(own)?,
        }
        Some(())
    }

    /// Whatever calls nothing. What only renames or orders values keeps their facts apart.
    fn plain(&mut self, own: &Instruction) -> Option<()> {
        let arguments = self.arguments(own)?;
        let length = self.range(own).len();
        let is_order_only = matches!(
            own.opcode.as_str(),
            "opt-barrier" | "optimization-barrier" | "add-dependency" | "domain" | "copy"
        );
        if let Some(first) = arguments.first().filter(|_| is_order_only)
            && first.len() == length
        {
            self.store(own, first);
            return Some(());
        }
        let operands: Vec<&[A::Fact]> = arguments.iter().map(Vec::as_slice).collect();
        let range = self.range(own);
        let facts = &mut self.flow.facts[range];
        self.analysis.results(self.program, own, &operands, facts);
        Some(())
    }

    /// A loop: its state is that of the start and that of every iteration.
    fn repeat(&mut self, own: &Instruction, depth: usize) -> Option<()> {
        let called: Vec<&Computation> = self.program.called_computations(own).collect();
        let mut state = self.arguments(own)?;
        loop {
            let before = state.clone();
            for (position, body) in called.iter().enumerate() {
                self.bind(body, &state)?;
                self.computation(body, false, depth)?;
                let root = self.root(body);
                let Some(facts) = state.first_mut() else {
                    continue;
                };
                // Body first, then the condition.
                if position == 0 && root.len() == facts.len() {
                    for (own, next) in facts.iter_mut().zip(root) {
                        *own = self.analysis.join(*own, next);
                    }
                } else if let Some(&predicate) = root.first() {
                    for own in facts.iter_mut() {
                        *own = self.analysis.controlled(*own, predicate);
                    }
                }
            }
            if state == before {
                break;
            }
        }
        let facts = state.into_iter().next().unwrap_or_default();
        self.store(own, &facts);
        Some(())
    }

    /// A choice: the first operand says which, each other one goes to its branch.
    fn branch(&mut self, own: &Instruction, depth: usize) -> Option<()> {
        let called: Vec<&Computation> = self.program.called_computations(own).collect();
        let arguments = self.arguments(own)?;
        let predicate = arguments.first().and_then(|facts| facts.first()).copied();
        let mut joined: Option<Vec<A::Fact>> = None;
        for (position, body) in called.into_iter().enumerate() {
            self.bind(body, arguments.get(position + 1..).unwrap_or_default())?;
            self.computation(body, false, depth)?;
            let root = self.root(body);
            joined = Some(match joined {
                Some(before) if before.len() == root.len() => before
                    .into_iter()
                    .zip(root)
                    .map(|(left, right)| self.analysis.join(left, right))
                    .collect(),
                _ => root,
            });
        }
        let mut facts = joined.unwrap_or_default();
        if let Some(predicate) = predicate {
            for own in &mut facts {
                *own = self.analysis.controlled(*own, predicate);
            }
        }
        self.store(own, &facts);
        Some(())
    }

    /// Joins arguments to the parameters of a computation, by their numbers.
    fn bind(&mut self, body: &Computation, arguments: &[Vec<A::Fact>]) -> Option<()> {
        let program = self.program;
        self.pay(body.instruction_count())?;
        for parameter in program.instructions_of(body) {
            if parameter.opcode != "parameter" {
                continue;
            }
            let number = parameter.attributes().map_or(0, |own| own.parameter_number);
            let argument = usize::try_from(number).ok().and_then(|n| arguments.get(n));
            let range = self.range(parameter);
            let Some(argument) = argument.filter(|argument| argument.len() == range.len()) else {
                continue;
            };
            for (position, &fact) in range.zip(argument) {
                let before = self.flow.facts[position];
                let joined = self.analysis.join(before, fact);
                if joined != before {
                    self.flow.facts[position] = joined;
                    self.has_changed = true;
                    if let Some(index) = program.computation_by_id.get(&body.id) {
                        self.is_done[index.index()] = false;
                    }
                }
            }
        }
        Some(())
    }

    /// Charges work to the budget.
    fn pay(&mut self, amount: usize) -> Option<()> {
        self.visits_left = self.visits_left.checked_sub(amount)?;
        Some(())
    }

    fn root(&self, body: &Computation) -> Vec<A::Fact> {
        let root = self.program.root(body);
        root.map_or_else(Vec::new, |root| self.facts_of(root).to_vec())
    }

    /// The facts of each operand.
    fn arguments(&mut self, own: &Instruction) -> Option<Vec<Vec<A::Fact>>> {
        let program = self.program;
        let mut arguments = Vec::with_capacity(own.operand_ids.len());
        for operand in program.operands(own) {
            self.pay(self.range(operand).len() / FACTS_PER_VISIT)?;
            arguments.push(self.facts_of(operand).to_vec());
        }
        Some(arguments)
    }

    /// The part of the operand's facts that a get-tuple-element takes.
    fn element(&self, own: &Instruction) -> Vec<A::Fact> {
        let Some(operand) = self.program.operand(own, 0) else {
            return Vec::new();
        };
        let index = own.attributes().map_or(0, |own| own.tuple_index);
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        let before = operand.shape.tuple_shapes.iter().take(index);
        let skipped = before.fold(0usize, |sum, shape| {
            sum.saturating_add(leaves(shape, MAX_NESTING - 1))
        });
        let length = self.range(own).len();
        let facts = self.facts_of(operand);
        let end = skipped.saturating_add(length);
        facts.get(skipped..end).unwrap_or_default().to_vec()
    }

    /// Stores facts; where they are of another number, their join for all arrays.
    fn store(&mut self, own: &Instruction, facts: &[A::Fact]) {
        let range = self.range(own);
        if facts.len() == range.len() {
            self.flow.facts[range].copy_from_slice(facts);
            return;
        }
        let mut joined = A::Fact::default();
        for &fact in facts {
            joined = self.analysis.join(joined, fact);
        }
        self.flow.facts[range].fill(joined);
    }

    fn facts_of(&self, instruction: &Instruction) -> &[A::Fact] {
        let range = self.range(instruction);
        self.flow.facts.get(range).unwrap_or_default()
    }

    fn range(&self, instruction: &Instruction) -> std::ops::Range<usize> {
        let index = instruction.index.index();
        self.flow.start[index]..self.flow.start[index + 1]
    }
}
