//! The device is idle while its host prepares input or waits for it (guides: high input share). The
//! figure is that of `input`, for the mean step of the host with the largest share.

use std::collections::BTreeMap;

use stepscope_model::{LabelId, Picos, SaturatingSum as _, Session, Span};

use super::call_copies::CallCopies;
use super::host_causes::{place_of, place_of_copies};
use super::host_updates::HostUpdates;
use super::many_copies::ManyCopies;
use super::queue::Queue;
use super::round_trips::{self, round_trips};
use super::sliced_argument::SlicedArgument;
use super::{FEW_STEPS, Outcome, Rule, finding, gravity, judged_in_recording, no_steps};
use crate::judging::advice::evidence::{
    Longest, between, in_view, longest_input as longest_of_input,
};
use crate::judging::advice::facts::{Facts, part_ps};
use crate::judging::advice::report::{AdviceEvidence, AdviceFinding};
use crate::measuring::activity::Cause;
use crate::measuring::steps::PartKind;
use crate::telling::format;
use crate::telling::places::python_function;
use crate::views::input::{
    InputHost, InputRow, between_steps, loads_itself, may_hide_loading, slowest_stage,
};

pub(super) static RULE: Rule = Rule {
    id: "input_wait",
    title: "Waiting for input",
    parts: &[PartKind::InputWait, PartKind::HostToDevice],
    check,
};

/// Number of causes that the finding names.
const CAUSES: usize = 3;

/// What to do where the pipeline keeps up in most steps.
const RARE: &str = "Some elements take much longer than the others: look at what they need, such as another file, a \
                    refilled buffer or a larger sample.";

/// What to do where the loop itself makes each batch.
const OWN_LOADER: &str = "Make batches on another thread, which puts them into a queue, or in the processes of a loader that \
                          prefetches.";

/// `load (data.py:12)`: the program's function that makes the batches of a host on the thread that launches
/// steps.
fn own_loader(facts: &Facts<'_>, host: &str) -> Option<String> {
    let label = loads_itself(facts.session, &facts.selected, facts.host_named(host)?)?;
    let name = facts.session.label_name(label).trim_start_matches('$');
    let name = python_function(name).filter(|_| says_what(facts.session, name));
    name.map(|function| format::shortened(&function))
}

/// Why steps that wait for little input may be more than they seem, or that they pass.
fn within_limits(facts: &Facts<'_>, share: f64) -> Outcome {
    let threshold = facts.threshold("input_wait_ratio");
    let quiet = facts.worst(|row| row.lengths.quiet_ps() as f64);
    let quiet = quiet.map_or(0.0, |quiet| quiet.share());
    if may_hide_loading(facts.session, quiet) {
        return Outcome::Skipped(format!(
            "No loading was recorded, and a device is idle for {} of its step while its host does \
             nothing that was recorded: it may wait for data.",
            format::percent(quiet)
        ));
    }
    let between = between_steps(facts.session, &facts.selected);
    let between = between.filter(|one| gravity(&threshold, one.ratio()).is_some());
    if let Some(between) = between {
        return Outcome::Skipped(format!(
            "Devices wait for input between steps, for {} of the time from step to step: see time \
             between steps, and `input`.",
            format::percent(between.ratio())
        ));
    }
    let share = format::percent(share);
    Outcome::Passed(format!("Less than {share} of the mean step of any device."))
}

fn check(facts: &Facts<'_>) -> Outcome {
    if let Some(outcome) = judged_in_recording(facts) {
        return outcome;
    }
    let threshold = facts.threshold("input_wait_ratio");
    // Waiting for data is these parts, on a TPU without what the program copies itself.
    let bound = facts.worst(|row| {
        RULE.parts
            .iter()
            .map(|&part| part_ps(row, part) as f64)
            .sum()
    });
    let (Some(_), Some(most)) = (facts.step_ps, bound) else {
        return Outcome::Skipped(no_steps(facts));
    };
    if gravity(&threshold, most.share()).is_none() {
        return within_limits(facts, most.share());
    }
    let waits = facts.waits();
    let by_share = |a: &&InputHost, b: &&InputHost| ratio(a).total_cmp(&ratio(b));
    let Some(worst) = waits.hosts.iter().max_by(by_share) else {
        return Outcome::Skipped(no_steps(facts));
    };
    let wait = worst.input_mean_ps;
    let share = format::percent(ratio(worst));
    let Some(severity) = gravity(&threshold, ratio(worst)) else {
        return Outcome::Passed(format!(
            "At most {share} of the mean step, on {}.",
            worst.host
        ));
    };
    let several = facts.session.hosts.len() > 1;
    let on = if several {
        format!(" on {}", worst.host)
    } else {
        String::new()
    };
    let causes = waits.causes(facts.session, &worst.host);
    let told = causes.iter().take(CAUSES);
    let words: Vec<String> = told
        .map(|cause| format!("{} {}", cause.meaning, format::duration_ps(cause.mean_ps)))
        .collect();
    let main = causes.first();
    let remedy = main.map(|cause| cause.remedy.clone());
    let main = main.map_or("", |cause| cause.cause.as_str());
    let is_rare = worst.input_median_ps < FEW_STEPS * wait;
    let is_wait = main == "wait";
    let queue = is_wait.then(|| Queue::of(facts, &worst.host)).flatten();
    let loader = (is_wait && queue.is_none())
        .then(|| own_loader(facts, &worst.host))
        .flatten();
    let remedy = remedy.map(|remedy| match main {
        "wait" if is_rare => RARE.to_owned(),
        "wait" if loader.is_some() => OWN_LOADER.to_owned(),
        _ => remedy,
    });
    let doing = match (&queue, loader) {
        (Some(queue), _) => queue.filled_by(),
        (None, Some(loader)) => loads(&loader),
        (None, None) => doing(facts, worst, main),
    };
    let found = finding(
        &RULE,
        severity,
        format!(
            "The devices{on} wait for data for {} of their mean step ({share}) and {} of the median \
             step: {}.{}{}",
            format::duration_ps(wait),
            format::duration_ps(worst.input_median_ps),
            words.join("; "),
            doing,
            others(&waits.hosts, worst),
        ),
    )
    .why("The data of a step is not on the device when the device is ready for it.")
    .fix(format!(
        "{} Keep a few batches ready on the device, ahead of the step.{}{}",
        remedy.unwrap_or_default(),
        pace(worst),
        if several {
            " If one host is slower than the others, check what differs there: its disk, its share \
             of the data, its processes."
        } else {
            ""
        }
    ))
    .code(&facts.example(CODE))
    .gain(
        Some(wait),
        "what `input` shows for the mean step of the host with the largest share",
    )
    .of_step(worst.duration_mean_ps)
    .without("no-input-wait")
    .seen(longest(&waits.rows, &worst.host))
    .seen([in_view("input", "waiting by step, cause and stage".to_owned())]);
    let mut found = explained(facts, (worst, main), queue.as_ref(), found);
    if several {
        // The gain is that of all hosts without waiting, so a title that names one has to mean one.
        let mut also = waits.hosts.iter().filter(|host| host.host != worst.host);
        let is_alone = also.all(|host| gravity(&threshold, ratio(host)).is_none());
        found = found.titled(title(&worst.host, is_alone));
    }
    found.found()
}

/// What the loop's own function does.
fn loads(loader: &str) -> String {
    format!(
        " Most of it is {loader}, which runs on the thread that launches the steps when the loop asks for \
         the next batch."
    )
}

/// The finding with what is known of a queue, or of arrays that are no batches or are many.
fn explained(
    facts: &Facts<'_>,
    (worst, main): (&InputHost, &str),
    queue: Option<&Queue>,
    finding: AdviceFinding,
) -> AdviceFinding {
    if let Some(queue) = queue {
        return queue.told(finding);
    }
    if main != "transfer" {
        return finding;
    }
    if let Some(argument) = SlicedArgument::of(facts) {
        return argument.told(finding);
    }
    if let Some(copies) = CallCopies::of(facts, &worst.host) {
        return copies.told(finding);
    }
    if let Some(trips) = round_trips(facts, &worst.host) {
        return round_trips::told(finding, trips);
    }
    if let Some(copies) = ManyCopies::of(facts, &worst.host) {
        return copies.told(finding);
    }
    match HostUpdates::of(facts) {
        Some(updates) => updates.told(finding),
        None => finding,
    }
}

fn title(host: &str, is_alone: bool) -> String {
    if is_alone {
        format!("{host} waits for input")
    } else {
        format!("The hosts wait for input, {host} longest")
    }
}

/// Where loading takes longer than the rest of the step, it sets the pace also in the background.
fn pace(host: &InputHost) -> String {
    let (loading, rest) = (
        host.loading_mean_ps,
        host.duration_mean_ps - host.input_mean_ps,
    );
    if loading < MUCH * rest {
        return String::new();
    }
    format!(
        " The host loads for {} per step, and the rest of the step takes {}: in the background, one \
         loader still sets the pace, so use several, or make loading cheaper.",
        format::duration_ps(loading),
        format::duration_ps(rest)
    )
}

/// Loading takes clearly longer than the rest of the step.
const MUCH: f64 = 1.2;

/// Share of a host's steps spent waiting for data.
fn ratio(host: &InputHost) -> f64 {
    host.input_ratio.unwrap_or(0.0)
}

/// The step that waits longest.
fn longest(rows: &[InputRow], host: &str) -> Option<AdviceEvidence> {
    let own = rows.iter().filter(|row| row.host == host);
    let row = own.max_by_key(|row| row.input_ps)?;
    let text = format!(
        "step {} on {host}: {} of waiting",
        row.step,
        format::duration_ps(row.input_ps as f64)
    );
    Some(AdviceEvidence {
        step: Some(row.step),
        ..between(row.start_ps, row.start_ps + row.duration_ps, text)
    })
}

/// What loads. If most of the wait is copies, where the host makes them.
fn doing(facts: &Facts<'_>, worst: &InputHost, main: &str) -> String {
    match main {
        "transfer" => {
            let place = place_of_copies(facts);
            let place = place.strip_prefix(',').unwrap_or_default();
            return if place.is_empty() {
                String::new()
            } else {
                format!(" The copies are made{place}.")
            };
        }
        "copies" => return String::new(),
        _ => {}
    }
    if let Some(stage) = main_stage(facts, worst) {
        return format!(" Most of it is {stage}.");
    }
    match longest_input(facts, worst) {
        // `next(iterator)` does not say which iterator it is, but what runs within it does.
        Some(name) if name == "builtins next" => place_of(facts, Cause::DataLoading)
            .strip_prefix(", in ")
            .map_or_else(String::new, |place| format!(" Most of it is {place}.")),
        Some(name) => format!(" Most of it is {name}."),
        None => String::new(),
    }
}

/// Share of the waits of a host from which on the slowest stage is what they are for.
const MOST: f64 = 0.5;

/// The slowest stage of the threads that drive the devices, where it is a function that takes most of
/// what a host waits for: `augment (data.py:8)`.
fn main_stage(facts: &Facts<'_>, worst: &InputHost) -> Option<String> {
    let rows = facts.waits().rows.iter();
    let own = rows.filter(|row| row.host == worst.host);
    let mut waits: BTreeMap<i64, i64> = BTreeMap::new();
    for row in own {
        let longest = waits.entry(row.step).or_default();
        *longest = row.waiting_ps.max(*longest);
    }
    let waits_ps = waits.into_values().saturating_sum() as f64;
    let stage = slowest_stage(facts.session, &facts.selected)?;
    let function = python_function(&stage.name)?;
    let own_ps = (stage.self_ps - stage.background_ps) as f64;
    let is_most = stage.name.contains(".py:") && own_ps >= MOST * waits_ps;
    (is_most && says_what(facts.session, &stage.name)).then(|| format::shortened(&function))
}

/// The longest input slice in the step that waits longest, else the slowest stage: `data_loading`, or a
/// function and who calls it.
fn longest_input(facts: &Facts<'_>, worst: &InputHost) -> Option<String> {
    let session = facts.session;
    let rows = facts.waits().rows.iter();
    let row = rows
        .filter(|row| row.host == worst.host)
        .max_by_key(|row| row.input_ps);
    let host = session
        .hosts
        .iter()
        .position(|host| host.name == worst.host);
    let slice = row.zip(host).and_then(|(row, host)| {
        let start = Picos(row.start_ps);
        let within = Span::new(start, start + Picos(row.duration_ps));
        let host = stepscope_model::HostId::from_index(host);
        longest_of_input(session, host, within)
    });
    match slice {
        Some(slice) => Some(called(session, &slice)),
        None => slowest_stage(session, &facts.selected).map(|stage| plain(&stage.name)),
    }
}

/// `data_loading`, `load (data.py:12)`, `load (data.py:12), which calls __getitem__ (_npyio_impl.py:239)`.
fn called(session: &Session, slice: &Longest) -> String {
    let name = session.label_name(slice.label);
    let function =
        |label: LabelId| python_function(session.label_name(label).trim_start_matches('$'));
    let Some(function_called) = slice
        .frames
        .called()
        .or(Some(slice.label))
        .and_then(function)
    else {
        return plain(name);
    };
    if says_what(session, name) || !name.contains(".py:") {
        return plain(name);
    }
    let function_called = format::shortened(&function_called);
    let own = slice.frames.own().filter(|&own| own != slice.label);
    match own.and_then(function) {
        Some(own) => format!("{}, which calls {function_called}", format::shortened(&own)),
        None => format!("{function_called}, which the loop's own code calls"),
    }
}

/// Whether a frame is of a function of the program that says itself what it is for: Python gave it no name.
fn says_what(session: &Session, name: &str) -> bool {
    !session.is_library_frame(name) && !name.contains(" __")
}

fn plain(name: &str) -> String {
    format::shortened(name.trim_start_matches('$'))
}

/// How long the other hosts wait, if there are any.
fn others(hosts: &[InputHost], worst: &InputHost) -> String {
    let rest: Vec<f64> = hosts
        .iter()
        .filter(|host| host.host != worst.host)
        .map(|host| host.input_mean_ps)
        .collect();
    if rest.is_empty() {
        return String::new();
    }
    format!(
        " Devices of the other hosts wait for data for {} of their mean step (median over hosts), and \
         then for this host in collectives.",
        format::duration_ps(crate::measuring::steps::median(&rest))
    )
}

const CODE: &str = "\
loader = grain.load(source, worker_count=8, ...)     # or tf.data's prefetch(AUTOTUNE)
batch = jax.device_put(next(loader), sharding)       # copies while the step runs
for step in range(steps):
    state = train_step(state, batch)                 # returns immediately
    batch = jax.device_put(next(loader), sharding)   # next batch, during the step";
