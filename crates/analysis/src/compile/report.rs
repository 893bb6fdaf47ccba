//! What `compile` answers: compilations, their phases, and what was compiled again.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::note::Note;
use crate::overview::VerdictKind;

/// The answer of the `compile` analysis.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct CompileReport {
    /// Time in which the host that compiled longest compiled; absent where no thread was recorded.
    #[ts(type = "number | null")]
    pub total_ps: Option<i64>,
    /// What to think of it.
    pub verdict: VerdictKind,
    /// What it was held against.
    pub threshold: String,
    /// By function, most time first.
    pub functions: Vec<FunctionRow>,
    /// Each compilation, longest first unless sorted otherwise.
    pub rows: Vec<CompilationRow>,
    /// Rows before the limit.
    pub row_count: usize,
    /// Passes of compilers by name, most self time first; the first 200.
    pub passes: Vec<PassRow>,
    /// What the figures do not cover.
    pub notes: Vec<Note>,
}

/// One compilation.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct CompilationRow {
    /// The jitted function whose call compiled. Again: it was compiled before in the window, or a
    /// program of it ran before.
    pub function: String,
    /// Host name.
    pub host: String,
    /// Thread that asked for it.
    pub thread: String,
    /// Step in which it began; absent outside of steps.
    #[ts(type = "number | null")]
    pub step: Option<i64>,
    /// Start since the session began.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// From the first slice of the compilation to the last.
    #[ts(type = "number")]
    pub duration_ps: i64,
    /// Python is traced.
    #[ts(type = "number")]
    pub trace_ps: i64,
    /// Lowered to StableHLO.
    #[ts(type = "number")]
    pub lower_ps: i64,
    /// Passes of XLA over HLO.
    #[ts(type = "number")]
    pub optimise_ps: i64,
    /// Machine code is made: LLVM, PTX, TPU.
    #[ts(type = "number")]
    pub generate_ps: i64,
    /// Kernels are measured.
    #[ts(type = "number")]
    pub autotune_ps: i64,
    /// The compiler, not told apart further.
    #[ts(type = "number")]
    pub backend_ps: i64,
    /// The persistent cache is asked, read or written.
    #[ts(type = "number")]
    pub cache_ps: i64,
    /// The rest: between the phases.
    #[ts(type = "number")]
    pub other_ps: i64,
    /// The persistent compilation cache: a hit where it was asked and no compiler ran, a miss where
    /// one did.
    pub cache: String,
    /// The program it made, `module(program id)`; empty if none could be matched.
    pub program: String,
    /// Its id, as text.
    pub program_id: String,
    /// The function had been compiled before.
    pub is_again: bool,
    /// Arguments whose shape or dtype differs from those of the program before.
    pub change: String,
}

/// One function.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct FunctionRow {
    /// The function; empty if not known.
    pub function: String,
    /// Compilations.
    pub count: usize,
    /// Of those, of what had been compiled before.
    pub again_count: usize,
    /// Of all, those that the persistent cache answered.
    pub hit_count: usize,
    /// Σ duration.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// The longest.
    #[ts(type = "number")]
    pub longest_ps: i64,
    /// What changed from one program to the next.
    pub changes: Vec<String>,
}

/// One pass of a compiler.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct PassRow {
    /// Name.
    pub name: String,
    /// The phase that the name tells, else `pass`.
    pub phase: String,
    /// How often.
    #[ts(type = "number")]
    pub count: i64,
    /// Σ duration; passes run within passes.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Σ (duration − what runs within).
    #[ts(type = "number")]
    pub self_ps: i64,
}
