//! `what_if`: how long steps would take with changes, by replaying what waited for what.
//!
//! | Figure | Definition |
//! |---|---|
//! | replay | as in [`critical_path`](crate::views::critical_path): starts follow from dependencies and measured weights |
//! | change | changes weights or drops dependencies ([`change`]); the order of work on each core, stream and thread stays |
//! | time per step | from step to step, as in `steps`: mean length plus the mean time to the next step of the series ([`measure`]) |
//! | at least, at most | the same under every reading of what the recording leaves open ([`crate::views::replay::effects::Reading`]) |

pub(crate) mod change;
mod columns;
mod measure;
mod offers;
mod picture;
mod report;
mod scenarios;
mod tables;
mod tornado;

use clap::Args;
pub(crate) use measure::Bounded;
pub use report::{
    LaneChange, WhatIfKindRow, WhatIfLane, WhatIfPicture, WhatIfReport, WhatIfRow, WhatIfSlice,
    WhatIfStepRow,
};
pub(crate) use scenarios::Scenarios;
use stepscope_model::{DeviceKind, HostId, Session};

use self::change::Change;
use self::measure::{Changed, Pace, bounded};
use crate::asking::group::Group;
use crate::asking::order;
use crate::asking::selection::Selection;
use crate::asking::{Analysis, AnalysisError};
use crate::measuring::steps::mean;
use crate::telling::Note;
use crate::views::critical_path::collect::Paths;
use crate::views::replay::Replay;
use crate::views::replay::admission::Admission;
use crate::views::replay::effects::Effects;
use crate::views::replay::path::Kinds;
use crate::views::replay::told;

/// The `what_if` analysis.
pub struct WhatIf;

/// Options of [`WhatIf`].
#[derive(Debug, Clone, Default, Args)]
pub struct WhatIfOptions {
    /// What would be different; repeatable, or several separated by `;`. `remove:PATTERN`,
    /// `hide:PATTERN`, `scale:PATTERN:FACTOR` (ops whose name, category, scope or source matches;
    /// or `collectives`, `copies`, `compute`), `expected:PATTERN` (ops take the time that theory
    /// gives), `overlap` (collectives hidden as far as independent compute allows), `network:FACTOR` (so many times as fast), `align` (no
    /// skew at collectives), `no-input-wait`, `no-waits` (hosts launch ahead of devices), `no-launch-gaps`, `no-host:CAUSE` (a cause of `idle`).
    /// Default: the twenty largest single causes
    #[arg(long, value_name = "CHANGE")]
    pub change: Vec<String>,
    /// Which part of the session
    #[command(flatten)]
    pub selection: Selection,
}

impl Analysis for WhatIf {
    const NAME: &'static str = "what_if";
    const GROUP: Group = Group::Waiting;
    const ALIASES: &'static [&'static str] = &["what-if"];
    const SUMMARY: &'static str =
        "How long steps would take without an op, with a faster network, without waiting for input";
    const EXAMPLES: &'static str = "\
# What would gain most: the largest single causes
stepscope what_if ./logs
# Collectives hidden behind computation
stepscope what_if ./logs --change hide:collectives
# A network twice as fast, and input that is always there
stepscope what_if ./logs --change network:2 --change no-input-wait
# Attention in half the time
stepscope what_if ./logs --change 'scale:attention:0.5'";
    type Options = WhatIfOptions;
    type Report = WhatIfReport;

    fn run(session: &Session, options: &WhatIfOptions) -> Result<WhatIfReport, AnalysisError> {
        let selected = options.selection.resolve(session)?;
        let changes = Change::parse_all(&options.change)?;
        let replay = Replay::of(session);
        let admission = Admission::of(session, &replay, &selected);
        if let Some(refusal) = admission.refusal {
            return Ok(refused(refusal, admission.error_ratio, &changes));
        }
        let kinds = Kinds::of(session);
        let none = Effects::none();
        let steps = &admission.steps;
        let before = Paths::of(session, &replay, steps, &none, &replay.unchanged);
        let pace = Pace::of(session, &replay, steps);
        let before_ps = pace.in_replay(&replay.unchanged);
        let mut report = WhatIfReport {
            error_ratio: admission.error_ratio,
            before_ps: Some(before_ps),
            notes: notes(session, &replay),
            ..refused(String::new(), 0.0, &changes)
        };
        let unchanged = Changed::of(&replay, &none).steps(session, &pace, steps);
        report.step_ps = mean(unchanged.iter().map(|row| row.duration_ps));
        let left_out = told::other_steps(session, &selected, steps, None);
        report.notes.extend(left_out);
        report.is_admitted = true;
        report.offers = offers::offers(session, &replay, &kinds, &pace, before_ps);
        if changes.is_empty() {
            report.rows = tornado::tornado(session, &replay, steps, &before, &kinds)?;
        } else {
            let all: Vec<&Change> = changes.iter().collect();
            let effects = change::effects(session, &replay, &kinds, &all)?;
            let after = Changed::of(&replay, &effects);
            if changes.len() > 1 {
                for one in &changes {
                    let alone = change::effects(session, &replay, &kinds, &[one])?;
                    let alone = bounded(&replay, &alone, &pace);
                    report
                        .rows
                        .push(tornado::of_change(&one.text, alone, before_ps));
                }
            }
            let text: Vec<&str> = changes.iter().map(|one| one.text.as_str()).collect();
            let bounds = after.pace(&pace);
            report
                .rows
                .push(tornado::of_change(&text.join("; "), bounds, before_ps));
            report.steps = after.steps(session, &pace, steps);
            report.changed_step_ps = mean(report.steps.iter().map(|row| row.after_ps));
            report.after_ps = Some(bounds.likely);
            report.low_ps = Some(bounds.low);
            report.high_ps = Some(bounds.high);
            let new = Paths::of(session, &replay, steps, &effects, &after.times[0]);
            report.kinds = kind_rows(&before, &new);
            report.picture = picture::picture(session, &replay, steps, &before, &after.times[0]);
        }
        report.row_count = order::arrange(&mut report.rows, &options.selection, columns::ROWS)?;
        Ok(report)
    }
}

fn kind_rows(before: &Paths<'_>, after: &Paths<'_>) -> Vec<WhatIfKindRow> {
    let pairs = before.kinds().into_iter().zip(after.kinds());
    let row = |(before, new): (super::critical_path::PathKindRow, _)| {
        let new: super::critical_path::PathKindRow = new;
        WhatIfKindRow {
            kind: before.kind,
            before_ps: before.mean_ps,
            after_ps: new.mean_ps,
            what: after.most_of(before.kind),
        }
    };
    pairs.map(row).collect()
}

fn notes(session: &Session, replay: &Replay) -> Vec<Note> {
    let mut notes = vec![Note::info(
        "schedule-kept",
        "The order of work on each core, stream and thread is kept. A compiler would plan a changed \
         program anew, which is not modeled.",
    )];
    if has_shared_cores(session) {
        notes.push(Note::info(
            "cores-shared",
            "Devices of XLA:CPU on one host share its cores. The replay gives each its own, so a gain \
             on some of the devices is an upper bound where the cores are busy.",
        ));
    }
    notes.extend(told::notes(session, replay));
    notes
}

/// Whether several devices of XLA:CPU work on one host.
fn has_shared_cores(session: &Session) -> bool {
    let devices = session.devices.iter();
    let cores = devices.filter(|device| device.kind == DeviceKind::Cpu);
    let mut hosts: Vec<HostId> = cores.map(|device| device.host).collect();
    hosts.sort_unstable();
    hosts.windows(2).any(|pair| pair[0] == pair[1])
}

fn refused(refusal: String, error_ratio: f64, changes: &[Change]) -> WhatIfReport {
    WhatIfReport {
        is_admitted: false,
        error_ratio,
        changes: changes.iter().map(|change| change.text.clone()).collect(),
        step_ps: None,
        changed_step_ps: None,
        before_ps: None,
        after_ps: None,
        low_ps: None,
        high_ps: None,
        rows: Vec::new(),
        row_count: 0,
        steps: Vec::new(),
        kinds: Vec::new(),
        picture: None,
        offers: Vec::new(),
        notes: vec![told::refused(&refusal)],
        refusal,
    }
}
