//! Which programs a function was compiled to: one for each shape of its arguments.

use std::collections::{BTreeMap, BTreeSet};

use stepscope_hlo as hlo;

use crate::ids::ProgramId;
use crate::program::Program;
use crate::vendor::hosts::{module_function, plain_function};

/// Two programs of a function share at least this much of their lines. A compiler drops a line where
/// a shape makes it needless.
const MIN_SHARED: f64 = 0.6;

/// The plain name of functions without one.
const LAMBDA: &str = "_lambda";

/// Functions of one name that are told apart; programs of more are alone. Comparing all of them with
/// each other would take time that grows faster than the profile.
const MOST_KNOWN: usize = 64;

/// The programs of a session by function. Names alone do not tell: every lambda is `jit__lambda`, and
/// the gradient of `loss` is a `jit_loss` too. Programs are of one function if they have the same name,
/// as many arguments, come from the same lines of code, and both or neither differentiate. A program of
/// unknown lines is alone, and so is a program of a single op, which the host dispatches for whatever
/// needs it.
#[derive(Debug)]
pub struct Functions {
    /// For each program, the one that stands for its function.
    of: Vec<ProgramId>,
}

impl Functions {
    /// Of all programs of a session.
    pub fn of(programs: &[Program]) -> Self {
        let ids = || (0..programs.len()).map(ProgramId::from_index);
        let mut found = Self {
            of: ids().collect(),
        };
        let mut by_name: BTreeMap<&str, Vec<ProgramId>> = BTreeMap::new();
        for id in ids() {
            by_name
                .entry(&programs[id.index()].name)
                .or_default()
                .push(id);
        }
        for (name, alike) in by_name.iter().filter(|(_, alike)| alike.len() > 1) {
            found.join(name, alike, programs);
        }
        found
    }

    /// The program that stands for the function of a program.
    pub fn function(&self, program: ProgramId) -> ProgramId {
        self.of[program.index()]
    }

    fn join(&mut self, name: &str, alike: &[ProgramId], programs: &[Program]) {
        let mut known: Vec<(ProgramId, Traits<'_>)> = Vec::new();
        for &id in alike {
            let program = &programs[id.index()];
            let Some(traits) = Traits::of(name, program) else {
                continue;
            };
            match known.iter().find(|(_, other)| other.is_like(&traits)) {
                Some(&(first, _)) => self.of[id.index()] = first,
                None if known.len() < MOST_KNOWN => known.push((id, traits)),
                None => {}
            }
        }
    }
}

/// What programs of one function have in common.
struct Traits<'a> {
    arguments: usize,
    lines: BTreeSet<(&'a str, u32)>,
    /// Whether ops of a backward pass are among its ops.
    differentiates: bool,
    /// Of a lambda: its arguments and its ops.
    nameless: Option<(Vec<&'a hlo::Shape>, Vec<&'a str>)>,
}

impl<'a> Traits<'a> {
    fn of(name: &str, program: &'a Program) -> Option<Self> {
        // A whole function may be one fusion, which is no single op.
        let hlo = program.hlo.as_ref();
        let hlo = hlo.filter(|hlo| !program.is_single_op() || has_fused(hlo))?;
        let entry = hlo.instructions_of(hlo.entry()?).iter();
        let parameters = entry.filter(|one| one.opcode == "parameter");
        let shapes: Vec<&hlo::Shape> = parameters.map(|one| &one.shape).collect();
        let lines = lines(name, hlo);
        let is_lambda = plain_function(module_function(name)) == LAMBDA;
        let ops = || hlo.instructions().map(|one| one.opcode.as_str()).collect();
        (!lines.is_empty()).then(|| Self {
            arguments: shapes.len(),
            lines,
            differentiates: hlo.instructions().any(is_backward),
            nameless: is_lambda.then(|| (shapes, ops())),
        })
    }

    fn is_like(&self, other: &Self) -> bool {
        let shared = self.lines.intersection(&other.lines).count();
        let (fewer, more) = (self.lines.len(), other.lines.len());
        let (fewer, more) = (fewer.min(more), fewer.max(more));
        self.arguments == other.arguments
            && self.differentiates == other.differentiates
            && shared == fewer
            && shared as f64 >= MIN_SHARED * more as f64
            && !self.differs(other)
    }
}

impl Traits<'_> {
    /// Whether these are two lambdas of one line: one lambda is not compiled twice for the same
    /// arguments, unless it is made anew, and then its ops are the same.
    fn differs(&self, other: &Self) -> bool {
        let both = self.nameless.as_ref().zip(other.nameless.as_ref());
        both.is_some_and(|((shapes, ops), (others, other_ops))| {
            shapes == others && ops != other_ops
        })
    }
}

/// The lines that instructions were traced from. Where stacks were recorded, the calls up to the
/// function itself count, so that functions that call the same code differ; callers do not.
fn lines<'a>(name: &str, hlo: &'a hlo::Program) -> BTreeSet<(&'a str, u32)> {
    let function = plain_function(module_function(name));
    let mut lines = BTreeSet::new();
    let mut seen = BTreeSet::new();
    for source in hlo.instructions().filter_map(|one| one.source.as_deref()) {
        if !seen.insert(std::ptr::from_ref(source)) {
            continue;
        }
        lines.insert((source.file.as_str(), source.line));
        let mut stack = source.stack.iter();
        let own = stack.rposition(|frame| is_function(&function, &frame.function));
        let called = source.stack.iter().take(own.map_or(0, |own| own + 1));
        lines.extend(called.map(|frame| (frame.file.as_str(), frame.line)));
    }
    lines
}

fn is_backward(instruction: &hlo::Instruction) -> bool {
    hlo::name_stack::pass(&instruction.op_name) == hlo::name_stack::Pass::Backward
}

/// Whether a fusion of the program holds several ops.
fn has_fused(hlo: &hlo::Program) -> bool {
    let bodies = hlo.computations().iter().filter(|one| one.is_fusion_body);
    let ops = bodies.flat_map(|body| hlo.instructions_of(body));
    let ops = ops.filter(|one| !matches!(one.opcode.as_str(), "parameter" | "constant" | "tuple"));
    ops.count() > 1
}

/// Whether a frame of Python, such as `main.<locals>.<lambda>`, is a function by its plain name, such as
/// `_lambda`.
fn is_function(function: &str, qualified: &str) -> bool {
    let own = qualified.rsplit('.').next().unwrap_or_default();
    !function.is_empty() && plain_function(own) == function
}
