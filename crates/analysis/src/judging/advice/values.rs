//! Where a value of a program comes from: through fusions, calls and whatever only rearranges it.
//!
//! ```text
//! fusion.2(p.0)  ──►  root of its body: transpose(convert(parameter 0))  ──►  p.0, as it is
//! ```

use stepscope_model::hlo::{Instruction, OpClass, Program};

/// How deeply nested fusions are searched for products.
const MAX_DEPTH: usize = 3;
/// Instructions that are followed from a value.
const MAX_STEPS: usize = 32;

/// A value of a program, and the fusions that it is computed in, outermost first.
#[derive(Clone)]
pub(super) struct Value<'a> {
    pub(super) at: &'a Instruction,
    within: Vec<&'a Instruction>,
}

/// Opcodes that keep the elements of their first operand, in another order, shape or type.
pub(super) fn rearranges(opcode: &str) -> bool {
    matches!(
        opcode,
        "bitcast" | "reshape" | "transpose" | "copy" | "convert" | "copy-start" | "copy-done"
    )
}

/// The same, or copies elements.
pub(super) fn repeats(opcode: &str) -> bool {
    rearranges(opcode) || opcode == "broadcast"
}

impl<'a> Value<'a> {
    /// Of an instruction that is in no fusion.
    pub(super) fn of(at: &'a Instruction) -> Self {
        Self {
            at,
            within: Vec::new(),
        }
    }

    /// One of its operands.
    pub(super) fn operand(&self, program: &'a Program, number: usize) -> Option<Self> {
        Some(Self {
            at: program.operand(self.at, number)?,
            within: self.within.clone(),
        })
    }

    /// What it is made from by instructions that `passes` accepts, each from its first operand; into
    /// fusions and out of them.
    pub(super) fn origin(mut self, program: &'a Program, passes: fn(&str) -> bool) -> Self {
        for _ in 0..MAX_STEPS {
            match self.before(program, passes) {
                Some(before) => self = before,
                None => break,
            }
        }
        self
    }

    fn before(&self, program: &'a Program, passes: fn(&str) -> bool) -> Option<Self> {
        match self.at.opcode.as_str() {
            "parameter" => {
                let mut within = self.within.clone();
                let fusion = within.pop()?;
                let number = self.at.attributes().map_or(0, |own| own.parameter_number);
                let number = usize::try_from(number).ok()?;
                let at = program.operand(fusion, number)?;
                Some(Self { at, within })
            }
            "fusion" | "call" => self.root(program),
            "get-tuple-element" => {
                let number = self.at.attributes().map_or(0, |own| own.tuple_index);
                let mut made = self.operand(program, 0)?;
                if matches!(made.at.opcode.as_str(), "fusion" | "call") {
                    made = made.root(program)?;
                }
                let is_tuple = made.at.opcode == "tuple";
                made.operand(program, usize::try_from(number).ok()?)
                    .filter(|_| is_tuple)
            }
            opcode if passes(opcode) => self.operand(program, 0),
            _ => None,
        }
    }

    /// What a fusion returns.
    fn root(&self, program: &'a Program) -> Option<Self> {
        let body = program.called_computations(self.at).next()?;
        let mut within = self.within.clone();
        within.push(self.at);
        let at = program.root(body)?;
        Some(Self { at, within })
    }

    /// The matrix products among the instruction and those in its fusions.
    pub(super) fn products(self, program: &'a Program) -> Vec<Self> {
        match self.at.opcode.as_str() {
            "dot" | "convolution" => vec![self],
            "custom-call" if program.class(self.at) == OpClass::Matmul => vec![self],
            "fusion" if self.within.len() < MAX_DEPTH => self
                .inside(program)
                .into_iter()
                .flat_map(|inner| inner.products(program))
                .collect(),
            _ => Vec::new(),
        }
    }

    /// The instructions in a fusion.
    pub(super) fn inside(&self, program: &'a Program) -> Vec<Self> {
        let mut within = self.within.clone();
        within.push(self.at);
        let bodies = program.called_computations(self.at);
        let inside = bodies.flat_map(|body| program.instructions_of(body));
        inside
            .map(|at| Self {
                at,
                within: within.clone(),
            })
            .collect()
    }
}
