//! Name stacks: the one parser of what JAX and XLA write as an op's framework path.
//!
//! ```text
//! jit(step)/transpose(jvp(GPT))/layer_0/checkpoint/rematted_computation/attn/dot_general
//! jit(step) │ GPT │ layer_0 │ attn │ dot_general          components
//!             └ backward          └ rematerialized        pass: rematerialized wins
//! ```
//!
//! An op that XLA made of several carries all their paths, in one of two forms:
//!
//! ```text
//! jit(f)/jvp(a)/transpose;jit(f)/jvp(b)/transpose             one whole path after the other
//! jit(f)/(jvp(a)/dot:jvp(b)/dot:(c:d)/dot)                    what they have in common once
//! ```
//!
//! A parenthesis opens such a list where a component begins with it; elsewhere it belongs to a
//! transformation. Colons within other brackets, doubled ones (`aten::mm`) and those before a number
//! (`layer:0`, unless the list begins with a number) are parts of names.

mod list;
mod merged;

pub use merged::{Merged, combined_paths, merged, shown};

use list::{alternatives, split};

/// Which pass of training an op belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pass {
    /// There is a name stack of JAX, and it contains neither mark of the other passes.
    Forward,
    /// The name stack contains `transpose(`, or the name that PyTorch or TensorFlow gives the op says it.
    Backward,
    /// The name stack contains `rematted_computation`.
    Rematerialized,
    /// There is no name stack to derive it from, or an op of PyTorch does not say it.
    Unknown,
}

/// One path of a name stack.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Path<'a> {
    /// Components without transformations, outermost first. The last one is the primitive.
    pub components: Vec<&'a str>,
    /// The pass its transformations tell.
    pub pass: Pass,
}

/// Transformations that wrap a component: their argument is the component.
const WRAPPERS: [&str; 9] = [
    "transpose",
    "jvp",
    "vjp",
    "vmap",
    "pmap",
    "xmap",
    "checkpoint",
    "remat",
    "linearize",
];

/// Components that only say how their content is run.
const MARKERS: [&str; 5] = [
    "checkpoint",
    "remat",
    "remat2",
    "rematted_computation",
    "transpose",
];

/// Components that reading one name stack may copy. Lists behind lists multiply, and a file may say
/// anything: a list that would take more is read as a name.
const MOST_COPIES: usize = 1 << 18;
/// Lists within lists deeper than this are read as names.
const MOST_LEVELS: usize = 32;

/// All paths that a name stack stands for, in its order; none for an empty one.
pub fn paths(name_stack: &str) -> Vec<Path<'_>> {
    let mut found = Vec::new();
    let mut limits = Limits {
        copies: MOST_COPIES,
        levels: MOST_LEVELS,
    };
    for whole in split(without_type(name_stack), b';') {
        let mut partial = vec![Partial::default()];
        extend(&mut partial, whole, true, &mut limits);
        found.extend(partial.into_iter().map(Partial::finish));
    }
    found.retain(|path| !path.components.is_empty());
    found
}

/// The components of the only path, or of the nearest scope that all paths lie in.
pub fn components(name_stack: &str) -> Vec<&str> {
    merged(name_stack).common
}

/// The pass that most paths of a name stack belong to; of equally many, the first path's. Unknown
/// without paths.
pub fn pass(name_stack: &str) -> Pass {
    majority(&paths(name_stack))
}

/// The name stack as it is written, split at slashes outside brackets, transformations and all.
pub fn parts(name_stack: &str) -> Vec<&str> {
    split(name_stack, b'/')
}

/// Every name that stands in it, each once: of scopes, primitives, and functions within `jit(…)`.
pub fn names(name_stack: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for component in paths(name_stack).iter().flat_map(|path| &path.components) {
        for name in component.split(['/', '(', ')']) {
            if !name.is_empty() && !found.contains(&name) {
                found.push(name);
            }
        }
    }
    found
}

/// Older name stacks end in the operands of the primitive: `…/reduce_sum[axes=(0,)]`.
pub fn without_operands(name_stack: &str) -> &str {
    let mut depth = 0usize;
    for (index, byte) in name_stack.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b'[' if depth == 0 => return &name_stack[..index],
            _ => {}
        }
    }
    name_stack
}

/// TPU profiles write `jit(f)/dot_general:` or `…:Type`; PyTorch's ops have a namespace, `aten::mm`.
pub fn without_type(name_stack: &str) -> &str {
    match name_stack.rsplit_once(':') {
        Some((path, kind)) if !kind.contains(['/', ')', ']', '}']) && !path.ends_with(':') => path,
        _ => name_stack,
    }
}

fn majority(paths: &[Path<'_>]) -> Pass {
    let count = |pass| paths.iter().filter(|path| path.pass == pass).count();
    let mut most = paths.first().map_or(Pass::Unknown, |path| path.pass);
    for pass in [Pass::Forward, Pass::Backward, Pass::Rematerialized] {
        if count(pass) > count(most) {
            most = pass;
        }
    }
    most
}

/// What reading one name stack may still take.
struct Limits {
    copies: usize,
    levels: usize,
}

/// A path as far as it has been read.
#[derive(Debug, Clone, Default)]
struct Partial<'a> {
    components: Vec<&'a str>,
    is_backward: bool,
    is_rematerialized: bool,
}

impl<'a> Partial<'a> {
    fn finish(self) -> Path<'a> {
        // PyTorch names its ops, most of which run in either pass.
        let op = self.components.last();
        let is_of_torch = op.is_some_and(|op| op.contains("::"));
        Path {
            pass: match (self.is_rematerialized, self.is_backward) {
                (true, _) => Pass::Rematerialized,
                (false, true) => Pass::Backward,
                (false, false) if is_of_torch => self.pass_of_torch(),
                (false, false) if self.is_gradient_of_tensorflow() => Pass::Backward,
                (false, false) => Pass::Forward,
            },
            components: self.components,
        }
    }

    /// `aten::threshold_backward`, `autograd::engine::evaluate_function: MmBackward0`; nothing marks what is
    /// not of the backward pass.
    fn pass_of_torch(&self) -> Pass {
        let mut parts = self.components.iter();
        let is_backward =
            parts.any(|part| part.ends_with("_backward") || part.contains("Backward"));
        if is_backward {
            Pass::Backward
        } else {
            Pass::Unknown
        }
    }

    /// `gradient_tape/model/dense/MatMul`, or `gradients/…` of its first version, whose paths have no
    /// functions such as `jit(f)`.
    fn is_gradient_of_tensorflow(&self) -> bool {
        let is_of_jax = self.components.iter().any(|part| part.contains('('));
        !is_of_jax
            && (self.components.contains(&"gradient_tape")
                || self.components.first() == Some(&"gradients"))
    }

    fn push(&mut self, part: &'a str, inner: &'a str, is_last: bool) {
        self.is_backward |= part.contains("transpose(");
        self.is_rematerialized |= part.contains("rematted_computation");
        // `transpose` as the last component is the primitive of that name.
        let is_marker = MARKERS.contains(&inner) && !is_last;
        if !inner.is_empty() && !is_marker {
            self.components.push(inner);
        }
    }
}

/// Appends a part of a name stack to each of the paths read so far.
fn extend<'a>(paths: &mut Vec<Partial<'a>>, text: &'a str, is_end: bool, limits: &mut Limits) {
    let parts = split(text, b'/');
    let last = parts.len().saturating_sub(1);
    for (index, part) in parts.into_iter().enumerate() {
        let is_last = is_end && index == last;
        let inner = unwrap(part);
        let members = alternatives(inner).filter(|members| limits.allow(paths, members.len()));
        let Some(members) = members else {
            for path in paths.iter_mut() {
                path.push(part, inner, is_last);
            }
            continue;
        };
        let is_backward = part
            .split_once(inner)
            .is_some_and(|(wrappers, _)| wrappers.contains("transpose("));
        *paths = branch(paths, &members, is_last, limits);
        for path in paths.iter_mut() {
            path.is_backward |= is_backward;
        }
    }
}

/// Each path goes on with each of the members of a list.
fn branch<'a>(
    paths: &[Partial<'a>],
    members: &[&'a str],
    is_end: bool,
    limits: &mut Limits,
) -> Vec<Partial<'a>> {
    let mut found = Vec::new();
    limits.levels -= 1;
    for path in paths {
        for member in members {
            let mut own = vec![path.clone()];
            extend(&mut own, member, is_end, limits);
            found.append(&mut own);
        }
    }
    limits.levels += 1;
    found
}

impl Limits {
    /// Whether a list of so many members may be read, which is charged.
    fn allow(&mut self, paths: &[Partial<'_>], members: usize) -> bool {
        let components: usize = paths.iter().map(|path| path.components.len() + 1).sum();
        let copies = components.saturating_mul(members);
        if self.levels == 0 || copies > self.copies {
            return false;
        }
        self.copies -= copies;
        true
    }
}

/// `transpose(jvp(layer_0))` is `layer_0`; `jit(f)` stays.
fn unwrap(mut part: &str) -> &str {
    loop {
        part = part.trim();
        let Some((wrapper, rest)) = part.split_once('(') else {
            return part;
        };
        let Some(inner) = rest
            .strip_suffix(')')
            .filter(|_| WRAPPERS.contains(&wrapper))
        else {
            return part;
        };
        part = inner;
    }
}

#[cfg(test)]
mod tests;
