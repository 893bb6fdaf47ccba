//! Comparison kernel by kernel. A method is a session, or the work below one of its name scopes, so that
//! two implementations can be compared whether they were captured separately or together.
//!
//! | Figure | Definition |
//! |---|---|
//! | kernel | kernels and copies by name; on devices that run ops (TPU, XLA:CPU), ops by name without number |
//! | per | a session's figures are per step and device, or of the whole capture if it has no steps; a scope's figures are per run and device of the programs that contain it |
//! | time | self time, so that the kernels of a method sum to it |

use std::collections::BTreeMap;

use stepscope_model::{LabelId, ProgramId, Session, SliceKind};

use super::CompareOptions;
use super::nodes::stem;
use super::report::{ComparedKernel, ComparedMethod, MethodUnit};
use crate::asking::selection::Selection;
use crate::asking::{AnalysisError, Compared};
use crate::measuring::selection::Selected;
use crate::measuring::totals::{WorkTotals, work_totals};

/// Maximum number of scopes that an error lists.
const LISTED_SCOPES: usize = 20;

/// One method and what it launches: time and slices by kernel.
struct Method {
    report: ComparedMethod,
    kernels: BTreeMap<String, (f64, f64)>,
}

/// Methods in the order in which they were given, and the kernels of each compared with the first.
pub(super) fn methods(
    sessions: &[Compared<'_>],
    options: &CompareOptions,
) -> Result<(Vec<ComparedMethod>, Vec<ComparedKernel>), AnalysisError> {
    let scopes = options.scopes();
    let mut methods = Vec::new();
    for (position, one) in sessions.iter().enumerate() {
        let of_session = |error: AnalysisError| error.of_session(one.name);
        let (selected, totals) = work(one.session, &options.selection).map_err(of_session)?;
        let sight = Sight {
            session: one.session,
            selected: &selected,
            totals: &totals,
        };
        if scopes.is_empty() {
            methods.push(sight.whole(position, one.name));
        }
        for scope in &scopes {
            methods.extend(sight.scope(position, one.name, scope));
        }
    }
    for scope in &scopes {
        if !methods.iter().any(|method| method.report.scope == *scope) {
            return Err(unknown_scope(sessions, scope));
        }
    }
    let kernels = against_first(&methods);
    let reports = methods.into_iter().map(|method| method.report);
    Ok((reports.collect(), kernels))
}

/// The selected work. If no time is selected, the work of all steps, if there are any.
fn work<'a>(
    session: &'a Session,
    selection: &Selection,
) -> Result<(Selected<'a>, Vec<WorkTotals>), AnalysisError> {
    let mut selected = selection.resolve(session)?;
    if selected.is_all_time() && !session.steps.is_empty() {
        selected.steps = Some(selected.step_positions());
    }
    let totals = work_totals(session, &selected).to_vec();
    Ok((selected, totals))
}

/// One session with its selected work.
struct Sight<'a> {
    session: &'a Session,
    selected: &'a Selected<'a>,
    totals: &'a [WorkTotals],
}

impl Sight<'_> {
    fn whole(&self, session: usize, name: &str) -> Method {
        let mut devices: Vec<_> = self.totals.iter().map(|totals| totals.device).collect();
        devices.sort_unstable();
        devices.dedup();
        let steps = self.selected.worked_steps();
        let (unit, count) = match steps {
            0 => (MethodUnit::Capture, 1),
            steps => (MethodUnit::Step, steps),
        };
        let times = count * devices.len().max(1);
        let method = Method::new(session, name, "", unit, count);
        method.with(self, times, |_| true)
    }

    /// None if no work has the scope.
    fn scope(&self, session: usize, name: &str, scope: &str) -> Option<Method> {
        let is_within: Vec<bool> = (0..self.session.labels.len())
            .map(|index| self.is_below(LabelId::from_index(index), scope))
            .collect();
        let labels = self.totals.iter().flat_map(|totals| &totals.labels);
        let mut programs: Vec<ProgramId> = labels
            .filter(|(id, _)| is_within[id.index()])
            .filter_map(|(id, _)| self.session.label(*id).program)
            .collect();
        let is_empty = {
            let mut labels = self.totals.iter().flat_map(|totals| &totals.labels);
            !labels.any(|(id, _)| is_within[id.index()])
        };
        if is_empty {
            return None;
        }
        programs.sort_unstable();
        programs.dedup();
        let (unit, runs) = match self.runs(&programs) {
            0 => (MethodUnit::Capture, 1),
            runs => (MethodUnit::Run, runs),
        };
        let method = Method::new(session, name, scope, unit, runs);
        Some(method.with(self, runs, |id| is_within[id.index()]))
    }

    fn is_below(&self, id: LabelId, scope: &str) -> bool {
        let op = self.session.label(id).op;
        op.is_some_and(|op| has_scope(self.session.text(self.session.op(op).scope), scope))
    }

    /// Runs of the programs on the selected devices that start in the selected time.
    fn runs(&self, programs: &[ProgramId]) -> usize {
        let devices = self.selected.devices.iter();
        let windows: Vec<_> = devices.map(|&id| (id, self.selected.windows(id))).collect();
        let runs = self.session.program_runs.iter().filter(|run| {
            let begins_within = windows.iter().any(|(device, windows)| {
                let mut windows = windows.iter();
                *device == run.device && windows.any(|at| at.contains_instant(run.span.start))
            });
            begins_within && programs.binary_search(&run.program).is_ok()
        });
        runs.count()
    }
}

impl Method {
    fn new(session: usize, name: &str, scope: &str, unit: MethodUnit, count: usize) -> Self {
        let name = match scope {
            "" => name.to_owned(),
            scope => format!("{name}: {scope}"),
        };
        Self {
            report: ComparedMethod {
                session,
                name,
                scope: scope.to_owned(),
                unit,
                count,
                device_ps: 0.0,
                launch_count: 0.0,
                kernel_count: 0,
                mean_launch_ps: None,
                ratio: None,
            },
            kernels: BTreeMap::new(),
        }
    }

    /// Adds the work that `counts` accepts, divided by how often the method ran.
    fn with(mut self, sight: &Sight<'_>, times: usize, counts: impl Fn(LabelId) -> bool) -> Self {
        let times = times.max(1) as f64;
        let all = sight.totals.iter().flat_map(|totals| &totals.labels);
        for (id, totals) in all.filter(|(id, _)| counts(*id)) {
            let label = sight.session.label(*id);
            let name = sight.session.text(label.name);
            let name = match label.kind {
                SliceKind::Op => stem(name),
                _ => name,
            };
            let kernel = self.kernels.entry(name.to_owned()).or_default();
            kernel.0 += totals.self_ps as f64 / times;
            kernel.1 += totals.occurrences as f64 / times;
        }
        let kernels = self.kernels.values();
        let (time, launches) = kernels.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        self.report.device_ps = time;
        self.report.launch_count = launches;
        self.report.kernel_count = self.kernels.len();
        self.report.mean_launch_ps = (launches > 0.0).then(|| time / launches);
        self
    }
}

/// Whether a name stack contains the scope as whole components: `jit(f)/jvp(tad)/dot` contains `tad`,
/// `f` and `jvp(tad)/dot`.
fn has_scope(stack: &str, scope: &str) -> bool {
    let is_boundary = |letter: Option<char>| letter.is_none_or(|at| "/()".contains(at));
    stack.match_indices(scope).any(|(at, found)| {
        let after = stack[at + found.len()..].chars().next();
        is_boundary(stack[..at].chars().next_back()) && is_boundary(after)
    })
}

fn unknown_scope(sessions: &[Compared<'_>], scope: &str) -> AnalysisError {
    let ops = sessions.iter().flat_map(|one| {
        let session = one.session;
        session.ops.iter().map(|op| session.text(op.scope))
    });
    let mut known: Vec<&str> = ops
        .flat_map(|stack| stack.split(['/', '(', ')']))
        .filter(|component| !component.is_empty())
        .collect();
    known.sort_unstable();
    known.dedup();
    let rest = known.len().saturating_sub(LISTED_SCOPES);
    known.truncate(LISTED_SCOPES);
    let mut available = known.join(", ");
    if rest > 0 {
        available = format!("{available} and {rest} more (`stepscope scopes` lists them)");
    }
    AnalysisError::NothingSelected {
        what: format!("--scope {scope}"),
        available,
    }
}

/// The kernels of every method compared with those of the first, largest difference first.
fn against_first(methods: &[Method]) -> Vec<ComparedKernel> {
    let Some((first, others)) = methods.split_first() else {
        return Vec::new();
    };
    let mut rows = Vec::new();
    for (position, other) in others.iter().enumerate() {
        let mut names: Vec<&String> = first.kernels.keys().chain(other.kernels.keys()).collect();
        names.sort_unstable();
        names.dedup();
        rows.extend(names.into_iter().map(|name| {
            let of = |method: &Method| method.kernels.get(name).copied().unwrap_or_default();
            let ((baseline_ps, baseline_count), (mean_ps, count)) = (of(first), of(other));
            ComparedKernel {
                method: position + 1,
                name: name.clone(),
                baseline_count,
                count,
                baseline_ps,
                mean_ps,
                difference_ps: mean_ps - baseline_ps,
            }
        }));
    }
    rows.sort_by(|a, b| {
        let weight = |row: &ComparedKernel| row.difference_ps.abs();
        weight(b).total_cmp(&weight(a))
    });
    rows
}

/// Device time of each method ÷ that of the first.
pub(super) fn set_ratios(methods: &mut [ComparedMethod]) {
    let first = methods.first().map_or(0.0, |method| method.device_ps);
    for method in methods.iter_mut().skip(1) {
        method.ratio = (first > 0.0).then(|| method.device_ps / first);
    }
}

#[cfg(test)]
mod tests {
    use super::has_scope;

    #[test]
    fn a_scope_is_made_of_whole_components() {
        let stack = "jit(train_step)/transpose(jvp(tad))/dot_general";
        for scope in ["tad", "train_step", "jvp(tad)", "jvp(tad))/dot_general"] {
            assert!(has_scope(stack, scope), "{scope}");
        }
        for scope in ["ta", "step", "tadpole", "dot"] {
            assert!(!has_scope(stack, scope), "{scope}");
        }
    }
}
