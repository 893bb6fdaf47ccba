//! Some steps take much longer than the others.

use std::collections::BTreeMap;

use stepscope_model::SaturatingSum as _;

use super::compilation::is_steady;
use super::host_causes::{BUSY_CORES, place_in_step};
use super::idle::serving_ps;
use super::one_launch::OneLaunch;
use super::rival::{Rival, rival_within};
use super::{Outcome, Rule, finding, gravity, no_steps};
use crate::judging::advice::facts::Facts;
use crate::judging::verdict::Severity;
use crate::measuring::activity::{CAUSES, Cause};
use crate::measuring::interval::Intervals;
use crate::measuring::steps::{
    EXPLAINS, MIN_APART, PartKind, StepBar, grown_part, long_steps, typical_long,
};
use crate::telling::format;
use crate::views::hosts::LateStep;

mod long_steps;
mod ops;
mod programs;

use long_steps::{LongSteps, MOSTLY};
use ops::{Compared, OpsOfLongSteps};
use programs::{OfLongSteps, ProgramsOfSteps};

pub(super) static RULE: Rule = Rule {
    id: "step_outliers",
    title: "Some steps take much longer",
    parts: &[],
    check,
};

/// As many odd steps without a recorded cause are no fault of a program whose devices share cores with
/// all else on the machine.
const MOST_ODD: usize = 2;
/// Noise seldom makes a step this many times as long.
const MUCH: f64 = 2.0;
const WARMS_UP: &str = "They are the first steps of the recording: caches, allocators and pipelines may still be \
                        warming up.";
const OR_NOISE: &str = " If the program ran the same steps before the recording, they were warm, and other \
                        processes, or other threads of this one, may have taken the cores on which XLA:CPU \
                        computes.";

fn check(facts: &Facts<'_>) -> Outcome {
    let bars = &facts.bars;
    let Some(step) = facts.step_ps else {
        return Outcome::Skipped(no_steps(facts));
    };
    if bars.len() < MIN_APART {
        let counted = format::counted(bars.len(), "step");
        let verb = if bars.len() == 1 { "is" } else { "are" };
        return Outcome::Skipped(format!(
            "Requires {MIN_APART} steps to know the typical one; there {verb} {counted}."
        ));
    }
    let (long, usual) = long_steps(bars);
    let lost: f64 = long.iter().map(|bar| bar.duration_ps - usual).sum();
    let gain = lost / bars.len() as f64;
    let severity = gravity(&facts.threshold("step_outlier_ratio"), gain / step);
    let Some((typical, severity)) = typical_long(bars).zip(severity) else {
        let durations = bars.iter().map(|bar| bar.duration_ps);
        return Outcome::Passed(format!(
            "The longest of {} steps takes {} (median: {}).",
            bars.len(),
            format::duration_ps(durations.fold(0.0, f64::max)),
            format::duration_ps(usual)
        ));
    };
    let steps = Outliers { long, usual, gain };
    steps.told(facts, typical, severity)
}

/// Steps that take much longer than the others.
struct Outliers<'a> {
    long: Vec<&'a StepBar>,
    /// The median of all steps.
    usual: f64,
    /// What they take beyond it ÷ number of steps.
    gain: f64,
}

impl<'a> Outliers<'a> {
    fn told(&self, facts: &'a Facts<'_>, typical: &'a StepBar, severity: Severity) -> Outcome {
        let Self { long, usual, gain } = self;
        let bars = &facts.bars;
        let of_bars = Positions::of(facts, bars);
        let explained = Explained::of(facts, &of_bars, long, typical, *usual);
        let typical = explained.typical;
        let (part, more) = grown_part(bars, typical);
        if part == PartKind::Idle && serves(facts) {
            let text = "Steps of a server take as long as it waits for requests.";
            return Outcome::Passed(text.to_owned());
        }
        let mut rows = facts.rows().iter();
        let seen = rows.find(|row| Some(row.step) == of_bars.position(typical));
        let evidence = seen.map(|row| {
            let length = format::duration_ps(typical.duration_ps);
            facts.at_row(row, format!("step {}: {length}", typical.step))
        });
        let reason = Reason::of(facts, self, &of_bars, explained, (part, more));
        let found = finding(
            &RULE,
            severity.max(reason.most_severe(facts, self)),
            format!(
                "{}; the median of all {} steps is {}. {}{}",
                took(long, typical),
                bars.len(),
                format::duration_ps(*usual),
                grew(typical, *usual, (part, more)),
                reason.text(facts)
            ),
        )
        .why(reason.why(facts))
        .fix(reason.fix())
        .gain(
            Some(*gain),
            "time of these steps beyond the median ÷ number of steps",
        )
        .of_parts(&[part])
        .within(of_bars.beyond_ps(facts, long, *usual))
        .seen(evidence);
        if reason.may_be_noise && reason.rival.is_none() {
            return found.by_chance().found();
        }
        found.found()
    }
}

/// Why a long step is long.
struct Reason<'a> {
    typical: &'a StepBar,
    own: Option<Own>,
    longer: Option<String>,
    late: Option<&'a LateStep>,
    part: PartKind,
    blocked: Option<String>,
    /// They are the first steps.
    warms_up: bool,
    /// Nothing explains it but what else runs on the machine.
    may_be_noise: bool,
    rival: Option<Rival>,
}

impl<'a> Reason<'a> {
    fn of(
        facts: &'a Facts<'_>,
        steps: &Outliers<'_>,
        of_bars: &Positions<'_>,
        explained: Explained<'a>,
        (part, more): (PartKind, f64),
    ) -> Self {
        let Explained {
            typical,
            own,
            longer,
        } = explained;
        let excess = typical.duration_ps - steps.usual;
        let late = match &own {
            None => late_in(facts, of_bars, typical, excess),
            Some(_) => None,
        };
        let is_first = |bar: &StepBar| steps.long.iter().any(|one| std::ptr::eq(*one, bar));
        let warms_up = facts.bars.iter().take(steps.long.len()).all(is_first);
        let blocked = blocked_in(facts, part, typical.step, more);
        let is_unexplained = own.is_none() && late.is_none() && !warms_up && blocked.is_none();
        let may_be_noise = is_unexplained
            && (may_lack_cores(facts, part) || lacks_a_core(facts, part, typical.step));
        let rival = may_be_noise.then(|| computes_beside(facts, of_bars, &steps.long));
        Self {
            typical,
            own,
            longer,
            late,
            part,
            blocked,
            warms_up,
            may_be_noise,
            rival: rival.flatten(),
        }
    }

    fn text(&self, facts: &Facts<'_>) -> String {
        let text = match (&self.own, self.late) {
            (Some(own), _) => own.text(facts, self.typical.step),
            (None, Some(late)) => lateness(late),
            (None, None) if self.part == PartKind::DeviceCompute => {
                self.longer.clone().unwrap_or_default()
            }
            (None, None) => String::new(),
        };
        match &self.rival {
            Some(rival) => format!("{text}{}", rival.takes_cores()),
            None => text,
        }
    }

    fn most_severe(&self, facts: &Facts<'_>, steps: &Outliers<'_>) -> Severity {
        // Devices that share cores wait for each other in any step.
        let takes_turns = self.part == PartKind::Idle && facts.has_virtual_devices_only();
        let is_odd = steps.long.len() <= MOST_ODD || takes_turns;
        // What is compiled once is compiled before, in a longer run.
        let compiles_once =
            self.own.is_none() && self.part == PartKind::Compilation && !is_steady(facts);
        if is_odd && self.may_be_noise {
            of_noise(self.typical, steps.usual)
        } else if compiles_once || self.warms_up && self.own.is_none() {
            Severity::Warning
        } else if self.own.as_ref().is_some_and(Own::is_left_over) {
            Severity::Info
        } else {
            Severity::Bad
        }
    }

    fn why(&self, facts: &Facts<'_>) -> String {
        match &self.own {
            Some(own) => own.why().to_owned(),
            None if self.warms_up && self.part != PartKind::Compilation => {
                let or = if may_lack_cores(facts, self.part) { OR_NOISE } else { "" };
                format!("{WARMS_UP}{or}")
            }
            None if self.late.is_some() => {
                "All participants meet in the collectives of a step, so the last to arrive sets the pace."
                    .to_owned()
            }
            None if self.rival.is_some() => Rival::WHY_CORES.to_owned(),
            None => match &self.blocked {
                Some(blocked) => blocked.clone(),
                None => why(facts, self.part, self.typical.step),
            },
        }
    }

    fn fix(&self) -> &'static str {
        match &self.own {
            Some(own) => own.fix(),
            None if self.warms_up => {
                "Exclude them from what you measure (`--steps`), and start recording at a later step."
            }
            None if self.rival.is_some() => Rival::FIX_CORES,
            None => "Compare the longest of these steps with a typical one in the timeline.",
        }
    }
}

/// A long step that stands for the others, and what its devices did more than usual.
struct Explained<'a> {
    typical: &'a StepBar,
    own: Option<Own>,
    longer: Option<String>,
}

impl<'a> Explained<'a> {
    /// The typical long step, or the one that stands for those with a program that explains most of what all
    /// of them lose. If nothing explains these, but the longest one, that one: the others may be noise.
    fn of(
        facts: &Facts<'_>,
        of_bars: &Positions<'_>,
        long: &[&'a StepBar],
        typical: &'a StepBar,
        usual: f64,
    ) -> Self {
        let by_length = |a: &&&StepBar, b: &&&StepBar| a.duration_ps.total_cmp(&b.duration_ps);
        let longest = long.iter().max_by(by_length).copied().unwrap_or(typical);
        let by = |typical: &'a StepBar, own: Own| Self {
            typical,
            own: Some(own),
            longer: None,
        };
        let lost = long
            .iter()
            .filter_map(|bar| Some((of_bars.position(bar)?, *bar)));
        let lost: BTreeMap<usize, &'a StepBar> = lost.collect();
        let excess_ps = |bar: &StepBar| bar.duration_ps - usual;
        let programs = ProgramsOfSteps::of(facts);
        let mut longer = None;
        let other = (!std::ptr::eq(longest, typical)).then_some(longest);
        for bar in std::iter::once(typical).chain(other) {
            let Some(at) = of_bars.position(bar) else {
                continue;
            };
            let steps = LongSteps {
                long: lost.keys().copied().collect(),
                typical: at,
                excess_ps: excess_ps(bar),
            };
            if let Some(program) = programs.of_long_steps(&steps) {
                return by(bar, Own::Program(program));
            }
            let is_first = std::ptr::eq(bar, typical);
            let lost_ps = || {
                lost.iter()
                    .map(|(&step, bar)| (step, excess_ps(bar)))
                    .collect()
            };
            let few = is_first
                .then(|| programs.of_few_steps(&lost_ps()))
                .flatten();
            if let Some((program, step)) = few {
                return by(
                    lost.get(&step).copied().unwrap_or(bar),
                    Own::Program(program),
                );
            }
            let ops = Compared::of(facts, &steps);
            if let Some(own) = ops.as_ref().and_then(|ops| ops.cause(facts)) {
                return by(bar, Own::Ops(own));
            }
            if is_first {
                longer = ops.and_then(|ops| ops.longer(facts));
            }
        }
        Self {
            typical,
            own: None,
            longer,
        }
    }
}

/// Work that other steps do not have, and that takes enough of what a long step takes beyond the median.
enum Own {
    Program(OfLongSteps),
    Ops(OpsOfLongSteps),
}

impl Own {
    fn text(&self, facts: &Facts<'_>, step: i64) -> String {
        match self {
            Self::Program(own) => own.text(facts, step),
            Self::Ops(own) => own.text(facts, step),
        }
    }

    /// Work from before the recording, which says nothing of the program.
    fn is_left_over(&self) -> bool {
        matches!(self, Self::Ops(own) if own.is_left_over())
    }

    fn why(&self) -> &'static str {
        match self {
            Self::Program(own) => own.why(),
            Self::Ops(own) => own.why(),
        }
    }

    fn fix(&self) -> &'static str {
        match self {
            Self::Program(own) => own.fix(),
            Self::Ops(own) => own.fix(),
        }
    }
}

/// `Step 3 has 1.234 ms more idle than the median.`, if that explains enough of the step.
fn grew(step: &StepBar, usual: f64, (part, more): (PartKind, f64)) -> String {
    let excess = step.duration_ps - usual;
    let number = step.step;
    if more < EXPLAINS * excess {
        return format!("No part of step {number} explains a third of what it takes beyond that.");
    }
    let more = format::duration_ps(more);
    let part = part.in_sentence();
    format!("Step {number} has {more} more {part} than the median.")
}

/// The gravest that an odd step may be which noise explains.
fn of_noise(typical: &StepBar, usual: f64) -> Severity {
    if typical.duration_ps < MUCH * usual {
        Severity::Info
    } else {
        Severity::Warning
    }
}

/// Whether a part may take longer because the cores were taken.
fn may_lack_cores(facts: &Facts<'_>, part: PartKind) -> bool {
    facts.is_cpu_only() && matches!(part, PartKind::DeviceCompute | PartKind::Idle)
}

/// Whether the host took long to launch the only program of a step, as it does where its thread gets no
/// core meanwhile.
fn lacks_a_core(facts: &Facts<'_>, part: PartKind, step: i64) -> bool {
    let mut hosts = facts.selected.hosts.iter();
    part == PartKind::HostOverhead
        && facts.is_cpu_only()
        && main_work(facts, step) == Some(Cause::Dispatch)
        && hosts.any(|&host| OneLaunch::of(facts, host).is_some())
}

/// Whether the host waits for requests.
fn serves(facts: &Facts<'_>) -> bool {
    let places = facts.by_place(|row| row.lengths.quiet_ps() as f64);
    let mut places = places.iter().map(|own| own.place);
    places.any(|place| serving_ps(facts, place).is_some())
}

/// So many steps are named, the longest.
const MOST_NAMED: usize = 8;

/// `Step 3 took 1.234 ms`, `Steps 3, 7 took up to 1.234 ms`, `Steps 3, 7 and 5 more took up to 1.234 ms`. The
/// explained one is named.
fn took(long: &[&StepBar], explained: &StepBar) -> String {
    let mut named = long.to_vec();
    named.sort_by(|a, b| b.duration_ps.total_cmp(&a.duration_ps));
    let longest = named.first().map_or(0.0, |bar| bar.duration_ps);
    let longest = format::duration_ps(longest);
    if let [one] = long {
        return format!("Step {} took {longest}", one.step);
    }
    if let Some(at) = named.iter().position(|bar| std::ptr::eq(*bar, explained))
        && at >= MOST_NAMED
    {
        named.swap(at, MOST_NAMED - 1);
    }
    named.truncate(MOST_NAMED);
    // In their order in the recording, as the bars are.
    let is_named = |bar: &&&StepBar| named.iter().any(|one| std::ptr::eq(*one, **bar));
    let numbers = long.iter().filter(is_named).map(|bar| bar.step.to_string());
    let numbers: Vec<String> = numbers.collect();
    let more = match long.len() - numbers.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("Steps {}{more} took up to {longest}", numbers.join(", "))
}

/// Another thread that computes during most of the long steps.
fn computes_beside(facts: &Facts<'_>, of_bars: &Positions<'_>, long: &[&StepBar]) -> Option<Rival> {
    let long: Vec<usize> = long
        .iter()
        .filter_map(|bar| of_bars.position(bar))
        .collect();
    let rows = || facts.rows().iter().filter(|row| long.contains(&row.step));
    let host = rows().next()?.host;
    let own = rows().filter(|row| row.host == host);
    rival_within(
        facts,
        host,
        &Intervals::union_of(own.map(|row| row.span).collect()),
    )
}

/// Why a step takes longer because of a part of it.
fn why(facts: &Facts<'_>, part: PartKind, step: i64) -> String {
    let known = match part {
        PartKind::HostOverhead => return host_work(facts, step),
        PartKind::InputWait => {
            "Late input: a slow batch or disk, a filling shuffle buffer, more to copy to the device."
        }
        PartKind::Compilation => {
            "A function was compiled within these steps: its first call, or an argument of another \
             shape or type (see `stepscope compile`)."
        }
        PartKind::Collectives => late_participant(facts),
        _ if facts.is_cpu_only() => BUSY_CORES,
        _ => "The devices themselves took longer, or the cause on the host was not recorded.",
    };
    known.to_owned()
}

/// What the host waits for in a step, if that is most of what devices are idle there beyond the median.
fn blocked_in(facts: &Facts<'_>, part: PartKind, step: i64, more_ps: f64) -> Option<String> {
    if part != PartKind::Idle {
        return None;
    }
    let rows = facts.gaps().steps.iter().filter(|row| row.step == step);
    let times = rows.map(|row| row.causes_ps[Cause::Blocked.position()]);
    let longest = times.max().unwrap_or(0);
    (longest as f64 >= MOSTLY * more_ps).then(|| {
        format!(
            "The thread that launches the next step waits for a lock, a socket, or another thread or \
             process meanwhile{}.",
            place_in_step(facts, Cause::Blocked, step)
        )
    })
}

/// Who was late at a collective of the typical step, if the others waited for it for most of what the
/// step takes beyond the median.
fn late_in<'a>(
    facts: &'a Facts<'_>,
    of_bars: &Positions<'_>,
    typical: &StepBar,
    excess_ps: f64,
) -> Option<&'a LateStep> {
    if facts.has_virtual_devices_only() {
        return None;
    }
    let step = of_bars.position(typical)?;
    let mut steps = facts.late().steps.iter();
    let found = steps.find(|late| late.step == step)?;
    (found.caused_ps as f64 >= MOSTLY * excess_ps).then_some(found)
}

fn lateness(late: &LateStep) -> String {
    let doing = match late.activity.as_str() {
        "" => "; nothing recorded says what it did before".to_owned(),
        activity => format!("; before, it is in {}", format::shortened(activity)),
    };
    format!(
        " {} arrives {} late at {}, and the others wait{doing}.",
        late.name,
        format::duration_ps(late.lateness_ps as f64),
        late.collective,
    )
}

/// What the host did most while devices waited in a step.
fn main_work(facts: &Facts<'_>, step: i64) -> Option<Cause> {
    let rows = facts.gaps().steps.iter().filter(|row| row.step == step);
    let time = |cause: Cause| -> i64 {
        let own = rows.clone().map(|row| row.causes_ps[cause.position()]);
        own.saturating_sum()
    };
    let told = CAUSES
        .into_iter()
        .filter(|cause| !matches!(cause, Cause::Device | Cause::Blocked | Cause::Unknown));
    told.max_by_key(|&cause| time(cause))
        .filter(|&cause| time(cause) > 0)
}

/// The same in words.
fn host_work(facts: &Facts<'_>, step: i64) -> String {
    main_work(facts, step).map_or_else(
        || "Extra host work, of which nothing was recorded.".to_owned(),
        |cause| format!("Extra host work, most of it {}.", cause.meaning()),
    )
}

/// Why collectives took longer, as far as the devices tell.
fn late_participant(facts: &Facts<'_>) -> &'static str {
    if facts.session.hosts.len() > 1 {
        "A collective participant was late: check the other hosts."
    } else if facts.is_cpu_only() {
        "Virtual devices of XLA:CPU take turns on the same cores, and each collective waits for the \
         last of them."
    } else {
        "A collective participant was late: compare the devices in these steps."
    }
}

/// Where the bars are in the session. Numbers do not tell: they start anew in every epoch.
struct Positions<'a> {
    bars: &'a [StepBar],
    /// Positions of the bars' steps in `Session::steps`.
    steps: Vec<usize>,
}

impl<'a> Positions<'a> {
    fn of(facts: &Facts<'_>, bars: &'a [StepBar]) -> Self {
        let steps = facts.rows().chunk_by(|a, b| a.step == b.step);
        Self {
            bars,
            steps: steps.map(|rows| rows[0].step).collect(),
        }
    }

    /// What these steps take beyond the usual length, in each row of the steps.
    fn beyond_ps(&self, facts: &Facts<'_>, long: &[&StepBar], usual: f64) -> Vec<f64> {
        let beyond = long.iter().filter_map(|bar| {
            let step = self.position(bar)?;
            Some((step, bar.duration_ps - usual))
        });
        let beyond: BTreeMap<usize, f64> = beyond.collect();
        let rows = facts.rows().iter();
        rows.map(|row| beyond.get(&row.step).copied().unwrap_or(0.0))
            .collect()
    }

    fn position(&self, bar: &StepBar) -> Option<usize> {
        let at = self.bars.iter().position(|one| std::ptr::eq(one, bar))?;
        self.steps.get(at).copied()
    }
}
