//! Frameworks of programs, and what names say about them.

/// The framework of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Framework {
    /// JAX, or unknown: what records for XLA is usually JAX.
    Jax,
    /// TensorFlow.
    TensorFlow,
    /// PyTorch.
    PyTorch,
    /// Another one, such as Julia's Reactant.
    Other,
}

/// Prefixes of program names.
const PROGRAMS: &[(&str, Framework)] = &[
    ("jit_", Framework::Jax),
    ("pmap_", Framework::Jax),
    ("pjit_", Framework::Jax),
    ("cluster_", Framework::TensorFlow),
    ("a_inference_", Framework::TensorFlow),
    ("__inference_", Framework::TensorFlow),
    ("SyncTensorsGraph", Framework::PyTorch),
    ("reactant_", Framework::Other),
];

/// Parts of names of events, kernels, and frames. What several frameworks have, such as threads
/// named `tf_` or the pipelines of tf.data, is not evidence.
const EVENTS: &[(&str, Framework)] = &[
    ("PjitFunction", Framework::Jax),
    ("jit(", Framework::Jax),
    ("jax/_src", Framework::Jax),
    ("jaxlib", Framework::Jax),
    ("tensorflow::", Framework::TensorFlow),
    ("ExecutorState::", Framework::TensorFlow),
    ("EagerExecute", Framework::TensorFlow),
    ("EagerLocalExecute", Framework::TensorFlow),
    ("TFE_Py_", Framework::TensorFlow),
    ("aten::", Framework::PyTorch),
    ("at::native::", Framework::PyTorch),
    ("ProfilerStep#", Framework::PyTorch),
    ("torch/", Framework::PyTorch),
];

pub(crate) fn of_program(name: &str) -> Option<Framework> {
    let found = PROGRAMS.iter().find(|(start, _)| name.starts_with(start));
    found.map(|&(_, framework)| framework)
}

pub(crate) fn of_event(name: &str) -> Option<Framework> {
    let found = EVENTS.iter().find(|(part, _)| name.contains(part));
    found.map(|&(_, framework)| framework)
}
