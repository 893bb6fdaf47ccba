//! Which layers of a program the capture recorded, from Python down to kernels, and which kinds of
//! host work it distinguishes.

use std::collections::BTreeSet;

use stepscope_model::{Activity, Framework, InputStage, Label, Session, SliceKind};

use super::report::VerdictLayer;
use crate::telling::format;

/// Number of example names per layer.
const EXAMPLES: usize = 3;

/// Key and title of a layer, and whether a label belongs to it.
type Layer = (&'static str, &'static str, fn(&Label) -> bool);

/// Layers that are recognized by the labels of slices, outermost first.
const LAYERS: [Layer; 7] = [
    ("python_calls", "Python calls", |label| {
        label.kind == SliceKind::Python
    }),
    (
        "data_loading",
        "Host: data loading",
        |label| matches!(label.activity, Activity::Input(stage) if stage != InputStage::Preprocess),
    ),
    ("preprocessing", "Host: preprocessing", |label| {
        label.activity == Activity::Input(InputStage::Preprocess)
    }),
    ("dispatch", "Host: dispatch", |label| {
        label.activity == Activity::Dispatch
    }),
    ("hlo_ops", "HLO ops", |label| {
        label.op.is_some() && label.kind.is_work()
    }),
    ("kernels", "GPU kernels", |label| {
        label.kind == SliceKind::Kernel
    }),
    ("memory_ops", "Memory ops", |label| {
        label.kind == SliceKind::Transfer || matches!(label.activity, Activity::Transfer(_))
    }),
];

/// Every layer, recorded or not.
pub(super) fn layers(session: &Session) -> Vec<VerdictLayer> {
    let mut names: [BTreeSet<&str>; LAYERS.len()] = Default::default();
    for label in &session.labels {
        for (names, (_, _, holds)) in names.iter_mut().zip(LAYERS) {
            if holds(label) {
                names.insert(session.text(label.name));
            }
        }
    }
    let told = LAYERS.into_iter().zip(&names);
    let mut layers: Vec<VerdictLayer> = told
        .map(|((key, title, _), names)| layer(key, title, names))
        .collect();
    let transformations = transformations(session);
    let title = if session.framework() == Framework::Jax {
        "JAX transformations"
    } else {
        "Transformations"
    };
    layers.insert(1, layer("transformations", title, &transformations));
    layers
}

fn layer(key: &str, title: &str, names: &BTreeSet<&str>) -> VerdictLayer {
    let examples = names.iter().take(EXAMPLES);
    let examples: Vec<String> = examples.map(|name| format::shortened(name)).collect();
    VerdictLayer {
        key: key.to_owned(),
        title: title.to_owned(),
        is_recorded: !names.is_empty(),
        name_count: names.len(),
        examples: examples.join(", "),
    }
}

/// The transformations in the name stacks of ops: `jit`, `jvp` and `transpose` of
/// `jit(step)/transpose(jvp(layer))/dot_general`.
fn transformations(session: &Session) -> BTreeSet<&str> {
    let stacks = session.ops.iter().map(|op| session.text(op.scope));
    let heads = stacks.flat_map(|stack| {
        let before_brackets = stack.split('(').rev().skip(1);
        before_brackets.filter_map(|text| text.rsplit(['/', ')']).next())
    });
    let is_name = |head: &&str| {
        let mut letters = head.chars();
        !head.is_empty() && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    heads.filter(is_name).collect()
}
