//! Notes on steps: how they were found, and which of them statistics exclude.

use documented::DocumentedVariants;
use stepscope_model::{Framework, ProgramId, Session, Step, StepOrigin};

use super::loop_kind::LoopKind;
use super::note::Note;
use super::places::{line_of, python_function};
use super::words::{Word, Words};
use crate::measuring::long_loop::{long_loop, single_run};
use crate::measuring::other_loops::{OtherLoop, other_loops, other_phases};
use crate::measuring::repeats::repeated;
use crate::measuring::selection::{self, Selected, all_series, counted_steps, main_series};
use crate::measuring::steps::parts::PARTS;
use crate::measuring::steps::{
    PartKind, StepSource, StepTime, marking_program, marks, series_time,
};
use crate::measuring::unrecorded::{Ran, calls, ran};
use crate::telling::format;
use crate::telling::recording;

/// How to see the steps of another loop.
const BOTH_LOOPS: &str =
    "Annotate the steps of both loops, under different names: `--series` selects one.";

/// At most this many series are listed besides the main one.
const TOLD_SERIES: usize = 4;

/// How the steps were found, or how to record them if there are none. With a selection, also how many
/// of them it includes.
pub(crate) fn step_notes(session: &Session, selected: Option<&Selected<'_>>) -> Vec<Note> {
    let Some(origin) = session.step_origin.filter(|_| !session.steps.is_empty()) else {
        let text = format!(
            "No steps were recorded and none could be inferred.{}",
            one_run(session).unwrap_or_default()
        );
        let note = Note::warning("steps-missing", text);
        return vec![note.with_code(recording::steps(session))];
    };
    if counted_steps(session).is_empty() {
        return vec![not_timed(session)];
    }
    let mut notes = vec![found(session, origin, selected)];
    if origin.is_inferred()
        && let Some(main) = marking_program(session)
    {
        notes.extend(left_out(session, main, selected));
        notes.extend(other_threads(session, main));
        notes.extend(before_or_after(session, main));
        notes.extend(several_per_call(session, main));
    }
    notes.extend(cut(session, origin));
    notes.extend(warm_up(session, selected));
    notes.extend(other_series(session));
    notes
}

/// A sentence on a program that ran once, and on the iterations of its loop: a whole training may be
/// one scan.
fn one_run(session: &Session) -> Option<String> {
    let run = single_run(session)?;
    let program = session.program(run.program).title();
    let Some(own) = long_loop(session, run) else {
        let run_ps = run.span.duration().0 as f64;
        return Some(format!(
            " {program} ran once, for {}.",
            format::duration_ps(run_ps)
        ));
    };
    let source = own.instruction.source.as_ref();
    let line = source.map(|source| format!(" ({})", line_of(source)));
    Some(format!(
        " {program} ran once, and {} iterations of its loop {}{} take {} of that run, {} each: if an \
         iteration is a step, that is its time.",
        own.iterations,
        own.instruction.name,
        line.unwrap_or_default(),
        format::percent(own.share),
        format::duration_ps(own.duration_ps as f64 / own.iterations as f64),
    ))
}

fn found(session: &Session, origin: StepOrigin, selected: Option<&Selected<'_>>) -> Note {
    let counted = counted(session, selected);
    let runs = || {
        let marks = marks(session, main_series(session));
        match marks.as_slice() {
            [] => "runs of programs".to_owned(),
            [one] => format!("runs of the main program ({one})"),
            several => rounds(several),
        }
    };
    match origin {
        StepOrigin::StepLine => Note::info(
            "steps-origin",
            format!("{counted}, recorded by the device.")),
        StepOrigin::Annotation => {
            let each = runs_in_each(session, selected).unwrap_or_default();
            let annotated = format!("{counted}, annotated as {}{each}", annotation(session));
            Note::info(
                "steps-origin",
                LoopKind::of(session).told(&annotated),
            )
        }
        StepOrigin::Cadence => Note::warning(
            "steps-from-cadence",
            format!(
            "{counted}, from the device's cadence: the period of {}. Steps are annotated, but the work \
             that each annotation launched was not recorded, and the time to dispatch a step is not \
             its step time.",
            runs()
        ))
        .with_hint(
            "Record launches (`host_tracer_level=2`), or wait for the result at the end of every step \
             while you measure.",
        ),
        StepOrigin::ProgramRuns if is_round_of_ops(session) => Note::warning(
            "steps-inferred",
            format!(
                "{counted}, inferred from {}: rounds of ops that the host dispatched one at a time; no \
                 steps were annotated. If a step repeats the same ops, such as layers, a round is a part \
                 of it.",
                runs()
            ),
        )
        .with_code(recording::steps(session)),
        StepOrigin::ProgramRuns => Note::info(
            "steps-inferred",
            format!(
            "{counted}, inferred from {}; no steps were annotated.",
            runs()
        ))
        .with_code(recording::steps(session)),
    }
}

/// Whether inferred steps are rounds of single ops, as of a loop without `jit`.
fn is_round_of_ops(session: &Session) -> bool {
    let main = marking_program(session);
    main.is_some_and(|main| session.program(main).is_single_op())
}

/// `, each with 8 runs of jit_train_step(5)`; none if the program of the steps runs once in each.
fn runs_in_each(session: &Session, selected: Option<&Selected<'_>>) -> Option<String> {
    let all = || counted_steps(session);
    let steps = selected.map_or_else(all, Selected::step_positions);
    let found = repeated(session, &steps)?;
    let about = if found.is_always { "" } else { "about " };
    let title = session.program(found.program).title();
    Some(format!(", each with {about}{} runs of {title}", found.runs))
}

/// Other threads that run programs of their own beside the loop whose steps were inferred.
fn other_threads(session: &Session, main: ProgramId) -> Option<Note> {
    let others = other_loops(session, main);
    if others.is_empty() {
        return None;
    }
    let told = listed(session, &others);
    let note = Note::warning(
        "steps-of-one-thread",
        format!(
            "Other threads run programs of their own meanwhile: {told}. The steps are those of the \
             thread that runs {}, and the work of the others is in them too.",
            session.program(main).title()
        ),
    );
    Some(note.with_hint(BOTH_LOOPS))
}

/// `jit_eval_step(7) (20 runs of 2.060 ms on average)`
fn listed(session: &Session, others: &[OtherLoop]) -> String {
    let told = others.iter().take(TOLD_SERIES).map(|one| {
        format!(
            "{} ({} of {} on average)",
            session.program(one.program).title(),
            format::counted(one.run_count, "run"),
            format::duration_ps(one.mean_ps)
        )
    });
    let told: Vec<String> = told.collect();
    let more = match others.len() - told.len() {
        0 => String::new(),
        more => format!(" and {} more", format::counted(more, "program")),
    };
    format!("{}{more}", told.join(", "))
}

/// Other loops before the first or after the last step.
fn before_or_after(session: &Session, main: ProgramId) -> Option<Note> {
    let others = other_phases(session);
    if others.is_empty() {
        return None;
    }
    let note = Note::warning(
        "steps-of-one-loop",
        format!(
            "Other programs run again and again before or after these steps: {}. The steps are those of \
             the loop that takes longest, which runs {}, and nothing of the others is in them.",
            listed(session, &others),
            session.program(main).title()
        ),
    );
    Some(note.with_hint(BOTH_LOOPS))
}

/// The function of the program whose calls contain several steps each: nothing recorded says which of the
/// two is a step.
fn several_per_call(session: &Session, main: ProgramId) -> Option<Note> {
    let caller = session.caller_of(main)?;
    let counts = || caller.calls.iter().map(|(_, count)| *count);
    let times = match (caller.launches_per_call(), counts().min(), counts().max()) {
        (Some(usual), ..) => usual.to_string(),
        (None, Some(least), Some(most)) => format!("{least} to {most}"),
        _ => return None,
    };
    let function = python_function(session.label_name(caller.label).trim_start_matches('$'))?;
    let text = format!(
        "Each of {} calls of {function} runs {} {times} times, and takes {} from one call to the next: if a \
         step is such a call, that is its time.",
        caller.calls.len(),
        session.program(main).title(),
        format::duration_ps(caller.period_ps()),
    );
    Some(Note::info("steps-within-calls", text).with_code(recording::steps(session)))
}

/// The name of the main series, with the framework's name for its annotation.
fn annotation(session: &Session) -> String {
    let series = main_series(session).map_or("", |series| session.text(series));
    match session.framework() {
        Framework::PyTorch | Framework::Other => format!("`{series}`"),
        Framework::Jax | Framework::TensorFlow => format!("`{series}` (StepTraceAnnotation)"),
    }
}

/// A note for sessions with steps of which none has a known time.
fn not_timed(session: &Session) -> Note {
    let steps = format::counted(session.steps.len(), "step");
    let has_work = !session.program_runs.is_empty();
    if has_work {
        let text = format!(
            "Step time unknown: {steps} began during the recording, but the end of the device work was \
             not recorded for any of them."
        );
        return Note::warning("step-times-missing", text)
            .with_hint(recording::last_result(session));
    }
    let dispatched =
        format!("Step time unknown: the host dispatched {steps}, but no device work was recorded");
    match calls(session).map_or(Ran::Unknown, |calls| ran(session, &calls)) {
        Ran::WithinCalls | Ran::Executed | Ran::WaitedFor => Note::warning(
            "step-times-missing",
            format!("{dispatched}, although the programs ran."),
        ),
        Ran::Unknown => Note::warning(
            "step-times-missing",
            format!("{dispatched}: perhaps the profiler stopped before the devices ran them."),
        )
        .with_hint(recording::last_result(session)),
    }
}

/// Steps that statistics exclude, and why.
fn cut(session: &Session, origin: StepOrigin) -> Option<Note> {
    let main = main_series(session);
    let own = session.steps.iter().filter(|step| step.series == main);
    let own: Vec<&Step> = own.collect();
    let cut = own.iter().filter(|step| step.is_cut);
    let cut: Vec<String> = cut.map(|step| step.number.to_string()).collect();
    if cut.is_empty() {
        return None;
    }
    let named = if cut.len() <= 8 {
        cut.join(", ")
    } else {
        format!("({} of them)", cut.len())
    };
    let (step, is, its) = if cut.len() == 1 {
        ("Step", "is", "its")
    } else {
        ("Steps", "are", "their")
    };
    let why = match origin {
        StepOrigin::ProgramRuns | StepOrigin::Cadence => {
            let begins_cut = own.len() > 1 && own[0].is_cut;
            let ends_cut = own.last().is_some_and(|last| last.is_cut);
            match (begins_cut, ends_cut) {
                (true, false) => "it may have begun before the recording",
                (true, true) => {
                    "the first may have begun before the recording, and no run follows the last, so \
                     its end is unknown"
                }
                (false, _) => "no run follows, so the end is unknown",
            }
            .to_owned()
        }
        StepOrigin::StepLine | StepOrigin::Annotation => {
            format!("the end of {its} device work was not recorded, or no step follows")
        }
    };
    Some(Note::info(
        "steps-cut-off",
        format!("{step} {named} {is} cut off and excluded from statistics: {why}."),
    ))
}

/// Steps that compile and that statistics exclude, where no steps are selected.
fn warm_up(session: &Session, selected: Option<&Selected<'_>>) -> Option<Note> {
    let steps = selected.map_or_else(|| selection::warm_up(session), Selected::warm_up);
    let first = session.steps[steps.first()?.position].number;
    let told = steps.iter().map(|step| {
        format!(
            "step {} compiles for {}",
            session.steps[step.position].number,
            format::duration_ps(step.compilation_ps as f64)
        )
    });
    let told: Vec<String> = told.collect();
    let text = format!(
        "Excluded from statistics as warm-up: {}. See `compile` for what it takes.",
        told.join(", ")
    );
    let hint = format!("To include it, select the steps: `--steps {first}..`.");
    Some(Note::info("steps-warm-up", text).with_hint(hint))
}

/// The other series, each with its own time.
fn other_series(session: &Session) -> Option<Note> {
    let main = main_series(session)?;
    let mut others = all_series(session);
    others.remove(&main);
    let told = others.iter().take(TOLD_SERIES).map(|&series| {
        let (count, mean) = series_time(session, series);
        let name = session.text(series);
        let steps = format::counted(count, "step");
        mean.map_or_else(
            || format!("{name} ({steps}, time unknown)"),
            |mean| format!("{name} ({steps}, mean {})", format::duration_ps(mean)),
        )
    });
    let told: Vec<String> = told.collect();
    let first = session.text(*others.first()?);
    Some(
        Note::info(
            "other-series",
            format!(
                "Figures cover the steps named {}. Other series: {}.",
                session.text(main),
                told.join(", ")
            ),
        )
        .with_hint(format!("To see another series, use `--series {first}`.")),
    )
}

/// `20 steps`, or `3 of 20 steps` where not all are selected.
fn counted(session: &Session, selected: Option<&Selected<'_>>) -> String {
    let all = counted_steps(session).len();
    let counted = format::counted(all, "step");
    let some = selected.map(|selected| selected.step_positions().len());
    match some.filter(|&some| some < all) {
        Some(some) => format!("{some} of {counted}"),
        None => counted,
    }
}

/// Steps that were inferred from runs which the selection leaves out.
fn left_out(session: &Session, main: ProgramId, selected: Option<&Selected<'_>>) -> Option<Note> {
    if selected?.has_program(Some(main)) {
        return None;
    }
    let main = session.program(main).title();
    let note = Note::warning(
        "steps-left-out",
        format!("The steps are those of {main}, whose runs are not selected."),
    );
    Some(note.with_hint("Annotate the loop, so that its steps are known."))
}

impl PartKind {
    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::DeviceCompute => "device_compute",
            Self::Collectives => "collectives",
            Self::HostToDevice => "host_to_device",
            Self::DeviceToHost => "device_to_host",
            Self::DeviceToDevice => "device_to_device",
            Self::PythonCallbacks => "python_callbacks",
            Self::InputWait => "input_wait",
            Self::Compilation => "compilation",
            Self::HostOverhead => "host_overhead",
            Self::Idle => "idle",
        }
    }

    /// Names, titles and meanings of all parts.
    pub(crate) fn words() -> Words {
        let word = |part: &Self| Word::new(part.name(), part.title(), part.get_variant_docs());
        Words {
            name: "parts",
            words: PARTS.iter().map(word).collect(),
        }
    }

    /// The title in tables.
    pub const fn title(self) -> &'static str {
        match self {
            Self::DeviceCompute => "Device compute",
            Self::Collectives => "Collectives",
            Self::HostToDevice => "Host to device",
            Self::DeviceToHost => "Device to host",
            Self::DeviceToDevice => "Device to device",
            Self::PythonCallbacks => "Python callbacks",
            Self::InputWait => "Input wait",
            Self::Compilation => "Compilation",
            Self::HostOverhead => "Host overhead",
            Self::Idle => "Idle",
        }
    }

    /// The title as it appears within a sentence.
    pub fn in_sentence(self) -> String {
        match self {
            Self::PythonCallbacks => self.title().to_owned(),
            _ => self.title().to_lowercase(),
        }
    }
}

/// `rounds of generate and judge`, `rounds of 25 programs`.
fn rounds(names: &[String]) -> String {
    const NAMED: usize = 4;
    match names.len() {
        0..=NAMED => format!("rounds of {}", joined(names)),
        many => format!("rounds of {many} programs"),
    }
}

/// `generate and judge`.
fn joined(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

/// How the steps were found and what marks them: "annotated as `train`", `inferred from runs of
/// jit_step(5)`.
pub fn found_in_words(time: &StepTime) -> String {
    let names: Vec<String> = time
        .marks
        .iter()
        .map(|name| format::shortened(name))
        .collect();
    let runs = || match names.as_slice() {
        [] => "program runs".to_owned(),
        [one] => format!("runs of {one}"),
        several => rounds(several),
    };
    let found = match time.source {
        StepSource::StepLine => "recorded by the device".to_owned(),
        StepSource::Annotation if names.is_empty() => "annotated".to_owned(),
        StepSource::Annotation => format!("annotated as `{}`", joined(&names)),
        StepSource::Cadence => format!("from the device's cadence: {}", runs()),
        StepSource::ProgramRuns => format!("inferred from {}", runs()),
    };
    match time.warm_up.as_slice() {
        [] => found,
        [one] => format!("{found}; without step {one}, which compiles"),
        [one, two, ..] => format!("{found}; without steps {one} and {two}, which compile"),
    }
}

/// Headline of the step time: mean and spread.
pub(crate) fn step_time_lines(time: &StepTime) -> Vec<(String, String)> {
    let source = found_in_words(time);
    let duration = format::duration_ps;
    let spread = format!(
        "median {}, {} to {}, σ {}",
        duration(time.median),
        duration(time.min as f64),
        duration(time.max as f64),
        duration(time.stddev),
    );
    if time.count == 1 {
        let one = format!("{} for 1 step ({source})", duration(time.mean));
        return vec![("Step time".to_owned(), one)];
    }
    let mean = format!(
        "{} mean of {} ({source})",
        duration(time.mean),
        format::counted(time.count, "step")
    );
    let mut lines = vec![
        ("Step time".to_owned(), mean),
        ("Spread".to_owned(), spread),
    ];
    let between = between_in_words(time);
    lines.extend(between.map(|text| ("Between".to_owned(), text)));
    lines
}

/// Time outside of steps below this share of the time from step to step is not worth a line.
const MIN_BETWEEN: f64 = 0.1;

/// The share of the time from step to step that passes between steps; none if it is small.
pub(crate) fn share_between(time: &StepTime) -> Option<f64> {
    Some(time.between_ratio()).filter(|&share| share >= MIN_BETWEEN)
}

/// The share of the time from step to step that passes in steps of other series; none if it is small.
pub(crate) fn share_of_others(time: &StepTime) -> Option<f64> {
    Some(time.other_steps_ratio()).filter(|&share| share >= MIN_BETWEEN)
}

/// `16.23 ms from the end of a step to the start of the next, not in the step time`; none if little time
/// passes between steps. Time in steps of other series is a figure of its own.
pub fn between_in_words(time: &StepTime) -> Option<String> {
    let between = share_between(time).map(|_| {
        let between = format::duration_ps(time.between);
        format!("{between} from the end of a step to the start of the next")
    });
    let others = share_of_others(time).map(|_| {
        let others = format::duration_ps(time.other_steps);
        format!("{others} in steps of other series before the next step")
    });
    let all: Vec<String> = between.into_iter().chain(others).collect();
    (!all.is_empty()).then(|| format!("{}, not in the step time", all.join(" and ")))
}
