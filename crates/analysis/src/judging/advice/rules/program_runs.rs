//! Many short programs per step (guides: jit larger functions, op-by-op dispatch).

use std::collections::{BTreeMap, BTreeSet};

use stepscope_model::host_names::module_function;
use stepscope_model::{DeviceId, Program, ProgramId, ProgramRun};

use super::callers;
use super::own_python::without_own_python;
use super::pauses_between::pauses_between_ps;
use super::{Outcome, Rule, finding, gravity, no_steps, waiting};
use crate::judging::advice::evidence::in_view;
use crate::judging::advice::facts::Facts;
use crate::judging::advice::programs::BusyProgram;
use crate::judging::advice::report::{AdviceEvidence, AdviceFinding, Confidence};
use crate::judging::advice::steps_of_runs::StepsOfRuns;
use crate::measuring::steps::{PartKind, median};
use crate::telling::format;

pub(super) static RULE: Rule = Rule {
    id: "program_runs",
    title: "Many short programs per step",
    parts: &[PartKind::HostOverhead, PartKind::Idle, PartKind::InputWait],
    check,
};

/// Below this share of a step, the device hardly waits, no matter how many programs run.
const MIN_WAITING: f64 = 0.05;
/// Copies to the device are told from this share of the other time in which devices wait.
const MIN_COPIED: f64 = 0.05;
/// A program of at least this length is worth its launch, and runs of it do not count.
const SHORT_PS: i64 = 1_000_000_000;
/// Number of programs in the evidence.
const TOLD: usize = 4;

/// Why they take long.
pub(super) const WHY: &str = "Each call of a jitted function, and each jnp operation outside of one, is a separate program: the \
     host has to launch it, and XLA cannot fuse it with the next one.";
/// What to do.
pub(super) const FIX: &str = "Put the whole step into one jitted function.";

/// So many short programs of a recording without steps are a loop that runs op by op.
const MANY: usize = 100;
/// Share of all runs that are short.
const MOSTLY: f64 = 0.9;

/// Longer gaps per run have another cause.
const MOST_IDLE_PS: i64 = 10_000_000_000;

/// ` It runs 850 programs, 840 of them shorter than 1.000 ms.`, if a device of a recording without steps
/// runs hardly anything else and is idle for `idle_ps` in all.
pub(super) fn op_by_op(facts: &Facts<'_>, device: DeviceId, idle_ps: i64) -> Option<String> {
    let runs = facts.session.program_runs.iter();
    let own: Vec<&ProgramRun> = runs.filter(|run| run.device == device).collect();
    let short = own.iter().filter(|run| is_short(run)).count();
    let is_most = short >= MANY && short as f64 >= MOSTLY * own.len() as f64;
    let each_ps = idle_ps / i64::try_from(own.len()).unwrap_or(i64::MAX).max(1);
    (is_most && each_ps <= MOST_IDLE_PS).then(|| {
        format!(
            " It runs {}, {short} of them shorter than {}.",
            format::counted(own.len(), "program"),
            format::duration_ps(SHORT_PS as f64)
        )
    })
}

fn check(facts: &Facts<'_>) -> Outcome {
    let Some(waiting) = waiting(facts) else {
        return Outcome::Skipped(no_steps(facts));
    };
    let Some((device, runs)) = runs_per_step(facts) else {
        return Outcome::Skipped("No program runs were recorded within steps.".to_owned());
    };
    let device_name = facts.session.device_title(device);
    let gravity = gravity(&facts.threshold("program_runs_count"), runs);
    // The arguments of each program are copied one by one.
    let copied = gravity.map_or(0.0, |_| copied_ps(facts, device));
    let (waited, own_python) = without_own_python(facts, &waiting);
    let ratio = (waited + copied) / facts.period_ps().unwrap_or(f64::INFINITY);
    let copying = if copied <= MIN_COPIED * waiting.time {
        String::new()
    } else {
        let length = format::duration_ps(copied);
        format!(", and for {length} while it copies to them")
    };
    let text = format!(
        "{device_name} runs {} of less than {} in the median step, and devices are idle for {}{copying}.{own_python}",
        format::counted(runs, "program"),
        format::duration_ps(SHORT_PS as f64),
        waiting.told(facts)
    );
    let Some(severity) = gravity.filter(|_| ratio >= MIN_WAITING) else {
        return Outcome::Passed(text);
    };
    let launcher = launcher(facts, device);
    let paused = pauses_between_ps(facts, device, is_short);
    let text = if paused > MIN_COPIED * (waited + copied) {
        let paused = format::duration_ps(paused);
        format!(
            "{text} Where the next of these programs was already launched, it pauses before it: {paused} per \
             step."
        )
    } else {
        text
    };
    let (text, fix) = match launcher {
        Some(Launcher { name, what }) => (
            format!("{text} Most {what} among them are launched in {name}."),
            format!(
                "{FIX} If Python has to run in between, jit at least {name}, which launches {what}."
            ),
        ),
        None => (text, FIX.to_owned()),
    };
    let found = finding(&RULE, severity, text)
        .why(WHY)
        .fix(fix)
        .why_elsewhere(
            "Each call of a compiled function, and each operation outside of one, is a separate \
             program: the host has to launch it, and XLA cannot fuse it with the next one.",
        )
        .fix_elsewhere("Put the whole step into one compiled function.")
        .code("@jax.jit\ndef train_step(state, batch):    # loss, gradients, update, metrics: one program\n    ...")
        .gain(
            Some((waited + copied + paused) * (1.0 - 1.0 / runs.max(1.0))),
            "time in which devices are idle while their host works or waits, or pause between \
             programs, minus the share of one program",
        )
        .sure(Confidence::Medium)
        .seen(most_run(facts, device));
    match Repeated::of(facts, device, runs) {
        Some(repeated) => repeated.told(facts, found).found(),
        None => found.found(),
    }
}

/// Who launches short programs.
struct Launcher {
    /// `log (train.py:7)`
    name: String,
    /// Which of them.
    what: &'static str,
}

/// The program's function that launches most of its single ops, else of the programs that are short, by the
/// time of their calls.
fn launcher(facts: &Facts<'_>, device: DeviceId) -> Option<Launcher> {
    let session = facts.session;
    let single = session.programs.iter().filter(|one| one.is_single_op());
    if let Some(name) = launcher_of(facts, single) {
        let what = "single ops";
        return Some(Launcher { name, what });
    }
    let runs = session.program_runs.iter();
    let (short, long): (Vec<&ProgramRun>, Vec<&ProgramRun>) = runs
        .filter(|run| run.device == device)
        .partition(|run| is_short(run));
    let long: BTreeSet<ProgramId> = long.into_iter().map(|run| run.program).collect();
    let short: BTreeSet<ProgramId> = short.into_iter().map(|run| run.program).collect();
    let always = short.difference(&long).map(|&id| session.program(id));
    let name = launcher_of(facts, always)?;
    let what = "programs";
    Some(Launcher { name, what })
}

/// The program's function that launches most runs of some programs.
fn launcher_of<'a>(
    facts: &Facts<'_>,
    programs: impl Iterator<Item = &'a Program>,
) -> Option<String> {
    let names: BTreeSet<&str> = programs.map(|one| module_function(&one.name)).collect();
    callers::launcher(facts, |function| names.contains(function))
}

/// The title where most of the short programs are runs of one.
pub(super) const REPEATED: &str = "One program runs many times per step";

/// So many runs of one program per step are a loop.
const MIN_RUNS: f64 = 4.0;
/// Share of the short programs of a step that are runs of the one.
const MOST_RUNS: f64 = 0.75;

/// A short program that most runs of a step are of. A program has one set of shapes.
struct Repeated {
    program: ProgramId,
    per_step: f64,
}

impl Repeated {
    fn of(facts: &Facts<'_>, device: DeviceId, runs: f64) -> Option<Self> {
        let steps = StepsOfRuns::of(facts);
        let mut counts: BTreeMap<ProgramId, BTreeMap<usize, usize>> = BTreeMap::new();
        let own = facts.session.program_runs.iter();
        for run in own.filter(|run| run.device == device && is_short(run)) {
            if let Some(row) = steps.step(run) {
                let of_steps = counts.entry(run.program).or_default();
                *of_steps.entry(row.step).or_default() += 1;
            }
        }
        let medians = counts.into_iter().map(|(program, of_steps)| {
            let counts: Vec<f64> = of_steps.into_values().map(|count| count as f64).collect();
            (program, median(&counts))
        });
        let (program, per_step) = medians.max_by(|a, b| a.1.total_cmp(&b.1))?;
        // One op is a part of a function that was not jitted.
        let is_op = facts.session.program(program).is_single_op();
        let is_most = per_step >= MIN_RUNS && per_step >= MOST_RUNS * runs;
        (is_most && !is_op).then_some(Self { program, per_step })
    }

    fn told(&self, facts: &Facts<'_>, finding: AdviceFinding) -> AdviceFinding {
        let name = format::shortened(&facts.session.program(self.program).name);
        let mut busy = facts.programs().iter();
        // A result has the shape of an argument: a run may get that of the one before.
        let may_feed = busy
            .find(|one| one.id == self.program)
            .is_none_or(BusyProgram::may_continue);
        let what = format!(
            "{} Of these, {} are of {name}, with the same shapes each time.",
            finding.what,
            format::counted(self.per_step, "run")
        );
        let (fix, code) = if may_feed {
            (FIX_EITHER, CODE_EITHER)
        } else {
            (FIX_VMAP, CODE_VMAP)
        };
        AdviceFinding { what, ..finding }
            .titled(REPEATED.to_owned())
            .fix(fix)
            .fix_elsewhere(
                "Compute all of them in one call: stack their arguments and add a dimension for them.",
            )
            .code(code)
    }
}

const FIX_VMAP: &str = "If no result decides what the next run gets, stack the arguments of all of them, and compute them in \
                        one call with jax.vmap. If the host decides after each result, as an environment \
                        does, let it do so for several of them at a time: one call serves all.";
const CODE_VMAP: &str =
    "results = jax.jit(jax.vmap(function))(stacked)      # not [function(x) for x in xs]";
const FIX_EITHER: &str = "If no run gets the result of another one of its step, such as members of an ensemble, stack the \
                          arguments of all of them and compute them in one call with jax.vmap. If each continues \
                          where the last one ended, run them in one program with jax.lax.scan. If the host works on each result \
                          first, as an environment does, write that in jax.numpy too, or let it do so for several of them \
                          at a time.";
const CODE_EITHER: &str = "states, losses = jax.jit(jax.vmap(update, (0, None)))(states, batch)     # independent runs\n\
                           state, losses = jax.lax.scan(update, state, batches)                     # one after the other";

/// How long the devices of the same host wait in their mean step while it copies to them.
fn copied_ps(facts: &Facts<'_>, device: DeviceId) -> f64 {
    let host = facts.session.device(device).host;
    let causes = facts
        .waits()
        .causes(facts.session, &facts.session.host(host).name);
    let copies = causes.iter().find(|cause| cause.cause == "transfer");
    copies.map_or(0.0, |cause| cause.mean_ps)
}

/// Whether the host may take longer to launch the next program than the device runs this one.
fn is_short(run: &ProgramRun) -> bool {
    run.span.duration().0 < SHORT_PS
}

/// The device with the most short program runs in its median step, and their number.
fn runs_per_step(facts: &Facts<'_>) -> Option<(DeviceId, f64)> {
    let runs = &facts.session.program_runs;
    let mut starts: BTreeMap<DeviceId, Vec<i64>> = BTreeMap::new();
    for run in runs {
        let of_device = starts.entry(run.device).or_default();
        if is_short(run) {
            of_device.push(run.span.start.0);
        }
    }
    let mut counts: BTreeMap<DeviceId, Vec<f64>> = BTreeMap::new();
    for (device, starts) in &mut starts {
        starts.sort_unstable();
        let rows = facts
            .rows()
            .iter()
            .filter(|row| row.device == Some(*device));
        let of_steps = rows.map(|row| {
            let first = starts.partition_point(|&start| start < row.span.start.0);
            let last = starts.partition_point(|&start| start < row.span.end.0);
            last.saturating_sub(first) as f64
        });
        counts.insert(*device, of_steps.collect());
    }
    let medians = counts.into_iter().filter(|(_, counts)| !counts.is_empty());
    let medians = medians.map(|(device, counts)| (device, median(&counts)));
    medians.max_by(|a, b| a.1.total_cmp(&b.1).then_with(|| b.0.cmp(&a.0)))
}

/// The short programs that run most often on a device.
fn most_run(facts: &Facts<'_>, device: DeviceId) -> Vec<AdviceEvidence> {
    let mut sums: BTreeMap<ProgramId, (usize, i64)> = BTreeMap::new();
    for run in &facts.session.program_runs {
        if run.device == device && is_short(run) {
            let sum = sums.entry(run.program).or_default();
            *sum = (sum.0 + 1, sum.1 + run.span.duration().0);
        }
    }
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_by_key(|&(program, (count, _))| (std::cmp::Reverse(count), program));
    let shown = sums.into_iter().take(TOLD).map(|(program, (count, sum))| {
        let program = facts.session.program(program);
        let mean = format::duration_ps(sum as f64 / count as f64);
        let name = format::shortened(&program.name);
        AdviceEvidence {
            program_id: program.id.to_string(),
            ..in_view("op_tree", format!("{name}: {count} runs of {mean}"))
        }
    });
    shown.collect()
}
