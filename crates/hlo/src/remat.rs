//! Which recomputation repeats something.
//!
//! `jax.checkpoint` computes the forward pass again in the backward pass. Where nothing else needs the
//! first one, as in a gradient whose loss is not returned, XLA removes it: what is named a
//! recomputation is then the only one, and repeats nothing.
//!
//! ```text
//! jit(f)/jvp(layers)/mlp/dot_general                                            the first, if still there
//! jit(f)/transpose(jvp(layers))/checkpoint/rematted_computation/mlp/dot_general the same path again
//! └───────────────────── region ──────────────────────────────┘
//! ```

use rustc_hash::{FxHashMap, FxHashSet};

use crate::name_stack::{Pass, Path, paths};
use crate::program::Program;

/// What JAX calls the part of a name stack that computes again.
const AGAIN: &str = "rematted_computation";

/// From one in so many paths of a region on, the forward pass is there. Policies save some results,
/// and the compiler renames others, so not every path has one.
const ONE_IN: usize = 4;

/// Takes the mark from the instructions of regions whose forward pass the program does not have. The
/// compiler's own copies (`.remat` in the name) always have an original.
pub(crate) fn unmark_first_computations(program: &mut Program) {
    let marked: Vec<(usize, &str)> = program
        .instructions
        .iter()
        .enumerate()
        .filter(|(_, instruction)| instruction.is_rematerialized)
        .filter_map(|(position, one)| Some((position, region(&one.op_name)?)))
        .collect();
    if marked.is_empty() {
        return;
    }
    let forward = forward_paths(program);
    let mut found: FxHashMap<&str, FxHashMap<Vec<&str>, bool>> = FxHashMap::default();
    for &(position, region) in &marked {
        let of_region = found.entry(region).or_default();
        for path in in_pass(
            &program.instructions[position].op_name,
            Pass::Rematerialized,
        ) {
            let is_again = forward.contains(&path.components);
            of_region.insert(path.components, is_again);
        }
    }
    let is_again = |region: &str| {
        let paths = &found[region];
        let again = paths.values().filter(|&&is_again| is_again).count();
        again * ONE_IN >= paths.len()
    };
    let marked = marked.iter();
    let first: Vec<usize> = marked
        .filter(|(position, region)| {
            !program.instructions[*position].name.contains(".remat") && !is_again(region)
        })
        .map(|&(position, _)| position)
        .collect();
    for position in first {
        program.instructions[position].is_rematerialized = false;
    }
}

/// The name stack before what is computed again.
fn region(op_name: &str) -> Option<&str> {
    op_name.split_once(AGAIN).map(|(region, _)| region)
}

fn forward_paths(program: &Program) -> FxHashSet<Vec<&str>> {
    let names = program
        .instructions
        .iter()
        .map(|one| one.op_name.as_str())
        .filter(|name| !name.is_empty());
    let names: FxHashSet<&str> = names.collect();
    let forward = names
        .into_iter()
        .flat_map(|name| in_pass(name, Pass::Forward));
    forward.map(|path| path.components).collect()
}

fn in_pass(op_name: &str, pass: Pass) -> impl Iterator<Item = Path<'_>> {
    let paths = paths(op_name).into_iter();
    paths.filter(move |path| path.pass == pass)
}
