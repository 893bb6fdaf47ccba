//! What `compile` answers: compilations, their phases, and what was recompiled.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::telling::thresholds::VerdictKind;
use crate::telling::{Note, Word};

/// Phases of a compilation, in their usual order.
pub(crate) const PHASES: [Word; 8] = [
    Word::new("trace", "Trace", "Python is traced to a jaxpr"),
    Word::new("lower", "Lower", "the jaxpr is lowered to StableHLO"),
    Word::new(
        "cache",
        "Cache",
        "the persistent cache is queried, read or written",
    ),
    Word::new("optimize", "HLO passes", "XLA runs its passes over HLO"),
    Word::new(
        "generate",
        "Code generation",
        "LLVM, PTX, TPU or fusion code is generated",
    ),
    Word::new(
        "autotune",
        "Autotuning",
        "kernels are measured to choose the fastest",
    ),
    Word::new("backend", "Backend", "compiler time without further detail"),
    Word::new("other", "Other", "time between the phases"),
];

/// The answer of the `compile` analysis.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct CompileReport {
    /// Time spent compiling, on the host that compiled most. Absent if no host thread was recorded.
    #[ts(type = "number | null")]
    pub total_ps: Option<i64>,
    /// Share of the mean step in which devices wait for compilation, 0..1. Absent without steps.
    pub in_steps_ratio: Option<f64>,
    /// Verdict on the total, or on the share of the mean step if that is worse.
    pub verdict: VerdictKind,
    /// Threshold of the verdict.
    pub threshold: String,
    /// Compilations by function, most time first.
    pub functions: Vec<FunctionRow>,
    /// Each compilation, longest first unless sorted otherwise.
    pub rows: Vec<CompilationRow>,
    /// Rows before the limit.
    pub row_count: usize,
    /// Compiler passes by name, most self time first, at most 200.
    pub passes: Vec<PassRow>,
    /// What the figures do not cover.
    pub notes: Vec<Note>,
}

/// One compilation.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct CompilationRow {
    /// Jitted function whose call triggered the compilation. Empty if unknown.
    pub function: String,
    /// Name of the host that compiled.
    pub host: String,
    /// Thread that requested the compilation.
    pub thread: String,
    /// Step in which the compilation started. Absent outside of steps.
    #[ts(type = "number | null")]
    pub step: Option<i64>,
    /// Start of the compilation since the session began.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Time from the first slice of the compilation to the last.
    #[ts(type = "number")]
    pub duration_ps: i64,
    /// Time in which the function is traced to a jaxpr.
    #[ts(type = "number")]
    pub trace_ps: i64,
    /// Time in which the function is lowered to StableHLO.
    #[ts(type = "number")]
    pub lower_ps: i64,
    /// Time in which XLA runs its passes over HLO.
    #[ts(type = "number")]
    pub optimize_ps: i64,
    /// Time in which code is generated (LLVM, PTX, TPU).
    #[ts(type = "number")]
    pub generate_ps: i64,
    /// Time in which the compiler measures kernels to choose the fastest (autotuning).
    #[ts(type = "number")]
    pub autotune_ps: i64,
    /// Time in the compiler that cannot be attributed to a more specific phase.
    #[ts(type = "number")]
    pub backend_ps: i64,
    /// Time in which the persistent cache is queried, read or written.
    #[ts(type = "number")]
    pub cache_ps: i64,
    /// Remaining time of the compilation, between its phases.
    #[ts(type = "number")]
    pub other_ps: i64,
    /// Result of querying the persistent compilation cache: `hit` if no compiler ran, `miss` if one
    /// did. Empty if it was not queried.
    pub cache: String,
    /// Program that the compilation produced, as `module(program id)`. Empty if none could be
    /// matched.
    pub program: String,
    /// Id of the program, as text. Empty if no program could be matched.
    pub program_id: String,
    /// Whether the function was compiled before in the window, or one of its programs ran before.
    pub is_again: bool,
    /// What changed since the previous program of the function, such as the shape or dtype of an
    /// argument. Empty if the function was not compiled before.
    pub change: String,
}

impl CompilationRow {
    /// Whether a function was traced, and nothing lowered, compiled, or read from the cache.
    pub(crate) fn is_only_traced(&self) -> bool {
        let after = [
            self.lower_ps,
            self.optimize_ps,
            self.generate_ps,
            self.autotune_ps,
            self.backend_ps,
            self.cache_ps,
        ];
        self.trace_ps > 0 && after.iter().all(|&phase| phase == 0)
    }
}

/// The compilations of one function.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct FunctionRow {
    /// Name of the compiled function. Empty if unknown.
    pub function: String,
    /// Number of compilations of the function.
    pub count: usize,
    /// Number of compilations of the function after it had already been compiled.
    pub again_count: usize,
    /// Number of compilations of the function that were cache hits.
    pub hit_count: usize,
    /// Σ duration of the compilations of the function.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Duration of the longest compilation of the function.
    #[ts(type = "number")]
    pub longest_ps: i64,
    /// What changed from one program of the function to the next.
    pub changes: Vec<String>,
}

/// One pass of a compiler.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct PassRow {
    /// Name of the compiler pass.
    pub name: String,
    /// Compilation phase that the name of the pass indicates, or `pass` if it indicates none.
    pub phase: String,
    /// Number of runs of the pass.
    #[ts(type = "number")]
    pub count: i64,
    /// Σ duration of the pass, including other passes that run within it.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Self time of the pass: Σ duration without what runs within it.
    #[ts(type = "number")]
    pub self_ps: i64,
}
