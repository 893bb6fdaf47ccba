//! Changes as text, and what each does to a replay.

use regex::Regex;
use rustc_hash::FxHashMap;
use stepscope_model::{LabelId, OpId, Session};

use crate::asking::{AnalysisError, Selection};
use crate::measuring::activity::{CAUSES, Cause};
use crate::measuring::selection::compile_pattern;
use crate::measuring::totals::work_totals;
use crate::views::collectives::exposure;
use crate::views::critical_path::collect::name;
use crate::views::ops::{Measured, all_ops};
use crate::views::replay::Replay;
use crate::views::replay::effects::Effects;
use crate::views::replay::path::{Kinds, WaitKind};

/// The forms of a change, for help and errors.
pub(super) const FORMS: &str = "remove:PATTERN, hide:PATTERN, scale:PATTERN:FACTOR, expected:PATTERN, \
                                overlap, network:FACTOR, align, no-input-wait, no-waits, no-launch-gaps, \
                                no-host:CAUSE";

/// The change in which host threads launch ahead.
pub(crate) const NO_WAITS: &str = "no-waits";

/// Largest accepted factor.
const MOST: f64 = 1e6;

/// One change.
#[derive(Debug, Clone)]
pub(super) struct Change {
    /// As given.
    pub(super) text: String,
    kind: ChangeKind,
}

#[derive(Debug, Clone)]
enum ChangeKind {
    Remove(Wanted),
    Hide(Wanted),
    Scale(Wanted, f64),
    Expected(Wanted),
    Overlap,
    Network(f64),
    Align,
    NoInput,
    NoHost(Cause),
    NoLaunchGaps,
    NoWaits,
}

/// Between the program and the op in a pattern that means the ops of one program.
pub(super) const WITHIN: &str = "::";

/// Which ops a change concerns.
#[derive(Debug, Clone)]
enum Wanted {
    Kind(WaitKind),
    Pattern(Regex),
}

impl Change {
    /// Parses one change, or several separated by `;`, or by `,` before the word of a change.
    pub(super) fn parse_all(texts: &[String]) -> Result<Vec<Self>, AnalysisError> {
        let mut found: Vec<String> = Vec::new();
        for text in texts.iter().flat_map(|text| text.split(';')) {
            let mut is_first = true;
            for part in text.split(',') {
                let begins = is_first || begins_change(part);
                is_first = false;
                match found.last_mut().filter(|_| !begins) {
                    Some(before) => {
                        before.push(',');
                        before.push_str(part);
                    }
                    None => found.push(part.to_owned()),
                }
            }
        }
        let texts = found.iter().map(|text| text.trim());
        texts
            .filter(|text| !text.is_empty())
            .map(Self::parse)
            .collect()
    }

    fn parse(text: &str) -> Result<Self, AnalysisError> {
        let (word, rest) = match text.split_once(':') {
            Some((word, rest)) => (word.trim(), Some(rest.trim())),
            None => (text, None),
        };
        let rest = rest.filter(|rest| !rest.is_empty());
        let kind = match (word, rest) {
            ("remove", Some(pattern)) => ChangeKind::Remove(Wanted::of(pattern)?),
            ("hide", Some(pattern)) => ChangeKind::Hide(Wanted::of(pattern)?),
            ("scale", Some(rest)) => {
                let (pattern, by) = rest.rsplit_once(':').ok_or_else(|| wrong(text))?;
                ChangeKind::Scale(Wanted::of(pattern)?, factor(by).ok_or_else(|| wrong(text))?)
            }
            ("expected", Some(pattern)) => ChangeKind::Expected(Wanted::of(pattern)?),
            ("overlap", None) => ChangeKind::Overlap,
            ("network", Some(by)) => {
                let times = factor(by).filter(|&by| by > 0.0);
                ChangeKind::Network(times.ok_or_else(|| wrong(text))?)
            }
            ("align", None) => ChangeKind::Align,
            ("no-input-wait", None) => ChangeKind::NoInput,
            ("no-launch-gaps", None) => ChangeKind::NoLaunchGaps,
            (NO_WAITS, None) => ChangeKind::NoWaits,
            ("no-host", Some(cause)) => {
                let mut causes = CAUSES.into_iter().filter(|cause| is_removable(*cause));
                let known = causes.clone().map(Cause::name).collect::<Vec<_>>();
                let found = causes.find(|one| one.name() == cause);
                let found = found.ok_or_else(|| AnalysisError::NothingSelected {
                    what: format!("--change {text}"),
                    available: known.join(", "),
                });
                ChangeKind::NoHost(found?)
            }
            _ => return Err(wrong(text)),
        };
        Ok(Self {
            text: text.to_owned(),
            kind,
        })
    }

    /// Adds the change to others.
    fn apply(
        &self,
        session: &Session,
        replay: &Replay,
        kinds: &Kinds,
        effects: &mut Effects,
    ) -> Result<(), AnalysisError> {
        match &self.kind {
            ChangeKind::Remove(wanted) => {
                for label in self.labels(session, replay, kinds, wanted)? {
                    effects.scale(label, 0.0);
                    effects.removed[label] = true;
                }
            }
            ChangeKind::Hide(wanted) => {
                let labels = self.labels(session, replay, kinds, wanted)?;
                for label in labels {
                    effects.scale(label, 0.0);
                }
            }
            ChangeKind::Scale(wanted, by) => {
                let labels = self.labels(session, replay, kinds, wanted)?;
                for label in labels {
                    effects.scale(label, *by);
                }
            }
            ChangeKind::Expected(wanted) => {
                let factors = expected_factors(session)?;
                let labels = self.labels(session, replay, kinds, wanted)?;
                let known = labels.iter().filter_map(|&label| {
                    let op = session.label(LabelId::from_index(label)).op?;
                    Some((label, *factors.get(&op)?))
                });
                let known: Vec<(usize, f64)> = known.collect();
                self.require(
                    &known,
                    "no expected time of these ops is known; `ops` says why",
                )?;
                for (label, factor) in known {
                    effects.scale(label, factor);
                }
            }
            ChangeKind::Overlap => {
                let known = self.overlap_factors(session, replay, kinds)?;
                self.require(
                    &known,
                    "no collective has independent compute that could hide it",
                )?;
                for (label, factor) in known {
                    effects.scale(label, factor);
                }
            }
            ChangeKind::Network(by) => {
                let all = Wanted::Kind(WaitKind::Collective);
                for label in self.labels(session, replay, kinds, &all)? {
                    effects.transfer[label] /= by;
                    effects.is_communication[label] = true;
                }
                effects.network *= by;
            }
            ChangeKind::Align if replay.graph.meetings == replay.graph.early_leaves => {
                return Err(self.concerns_nothing(
                    "no collective was matched over devices, so there is no skew to remove",
                ));
            }
            ChangeKind::Align => effects.is_aligned = true,
            ChangeKind::NoInput => {
                for cause in CAUSES.into_iter().filter(|cause| cause.is_input()) {
                    effects.gone[cause.position()] = true;
                }
            }
            ChangeKind::NoHost(cause) => effects.gone[cause.position()] = true,
            ChangeKind::NoWaits => effects.launches_ahead = true,
            ChangeKind::NoLaunchGaps => {
                // Other copies, such as those of results to the host, are launched on their own.
                let labels = session.labels.iter();
                effects.merged = labels.map(|label| label.program.is_some()).collect();
                effects.gone[Cause::Dispatch.position()] = true;
            }
        }
        Ok(())
    }

    /// For each collective that independent compute could hide further: the share that stays.
    fn overlap_factors(
        &self,
        session: &Session,
        replay: &Replay,
        kinds: &Kinds,
    ) -> Result<Vec<(usize, f64)>, AnalysisError> {
        let selected = Selection::default();
        let selected = selected.resolve(session)?;
        let mut factors: FxHashMap<(String, String), f64> = FxHashMap::default();
        for row in exposure(session, &selected).rows {
            if let Some(overlap_ps) = row.overlap_ps.filter(|&overlap| overlap > 0.0) {
                let stays = 1.0 - overlap_ps / row.mean_ps.max(1.0);
                factors.insert((row.program_id, row.name), stays.clamp(0.0, 1.0));
            }
        }
        let all = Wanted::Kind(WaitKind::Collective);
        let labels = self.labels(session, replay, kinds, &all)?;
        let known = labels.into_iter().filter_map(|label| {
            let op = session.op(session.label(LabelId::from_index(label)).op?);
            let program = session.program(op.program).id.to_string();
            let start = session.text(op.name).replace("-done", "-start");
            let own = factors.get(&(program, start))?;
            Some((label, *own))
        });
        Ok(known.collect())
    }

    fn require<T>(&self, found: &[T], available: &str) -> Result<(), AnalysisError> {
        if found.is_empty() {
            Err(self.concerns_nothing(available))
        } else {
            Ok(())
        }
    }

    fn concerns_nothing(&self, available: &str) -> AnalysisError {
        AnalysisError::NothingSelected {
            what: format!("--change {}", self.text),
            available: available.to_owned(),
        }
    }

    /// Labels of the ops that the change concerns; an error if none ran.
    fn labels(
        &self,
        session: &Session,
        replay: &Replay,
        kinds: &Kinds,
        wanted: &Wanted,
    ) -> Result<Vec<usize>, AnalysisError> {
        let mut ran = vec![false; session.labels.len()];
        for node in &replay.graph.nodes {
            if let Some(ran) = ran.get_mut(node.label as usize) {
                *ran = true;
            }
        }
        let is_wanted = |&label: &usize| ran[label] && wanted.has(session, kinds, label);
        let found: Vec<usize> = (0..ran.len()).filter(is_wanted).collect();
        if !found.is_empty() {
            return Ok(found);
        }
        let names = (0..ran.len()).filter(|&label| ran[label]);
        let mut names: Vec<&str> = names
            .map(|label| session.label_name(LabelId::from_index(label)))
            .collect();
        names.sort_unstable();
        names.dedup();
        Err(self.concerns_nothing(&some_of(&names)))
    }
}

impl Wanted {
    fn of(pattern: &str) -> Result<Self, AnalysisError> {
        Ok(match pattern.trim() {
            "collectives" => Self::Kind(WaitKind::Collective),
            "copies" => Self::Kind(WaitKind::Copy),
            "compute" => Self::Kind(WaitKind::Compute),
            pattern => Self::Pattern(compile_pattern(pattern)?),
        })
    }

    fn has(&self, session: &Session, kinds: &Kinds, number: usize) -> bool {
        let pattern = match self {
            Self::Kind(kind) => {
                return kinds.kind(u32::try_from(number).unwrap_or(u32::MAX)) == *kind;
            }
            Self::Pattern(pattern) => pattern,
        };
        let label = session.label(LabelId::from_index(number));
        let op = label.op.map(|op| session.op(op));
        let of_op = op
            .into_iter()
            .flat_map(|op| [op.name, op.category, op.scope, op.source]);
        let mut texts = of_op.chain([label.name]);
        if texts.any(|text| pattern.is_match(session.text(text))) {
            return true;
        }
        // Ops of several programs may have one name: `jit_step(5)::dot.1` is that of one of them.
        let program = label.program.filter(|_| pattern.as_str().contains(WITHIN));
        program.is_some_and(|program| {
            let program = session.program(program).title();
            let name = name(session, LabelId::from_index(number));
            pattern.is_match(&format!("{program}{WITHIN}{name}"))
        })
    }
}

/// For each op that takes longer than theory says: expected ÷ measured.
fn expected_factors(session: &Session) -> Result<FxHashMap<OpId, f64>, AnalysisError> {
    let selected = Selection::default();
    let selected = selected.resolve(session)?;
    let all = all_ops(session, &selected, &work_totals(session, &selected));
    let factor = |one: &Measured| {
        let expected = one.row.expected_ps?;
        let factor = expected / one.row.total_ps.max(1) as f64;
        Some((one.op?, factor.min(1.0)))
    };
    Ok(all.ops.iter().filter_map(factor).collect())
}

/// What several changes do together.
pub(super) fn effects(
    session: &Session,
    replay: &Replay,
    kinds: &Kinds,
    changes: &[&Change],
) -> Result<Effects, AnalysisError> {
    let count = session.labels.len();
    let is_part = |label: usize| {
        let op = session.label(LabelId::from_index(label)).op;
        let name = op.map_or("", |op| session.text(session.op(op).name));
        name.contains("-start") || name.contains("-done")
    };
    let mut effects = Effects {
        work: vec![1.0; count],
        transfer: vec![1.0; count],
        removed: vec![false; count],
        is_communication: vec![false; count],
        is_part: (0..count).map(is_part).collect(),
        has_launches: session.devices.iter().any(|device| device.kind.is_gpu()),
        ..Effects::none()
    };
    for change in changes {
        change.apply(session, replay, kinds, &mut effects)?;
    }
    Ok(effects)
}

/// Whether a host may stop doing this: it does something, and does not only wait.
pub(crate) const fn is_removable(cause: Cause) -> bool {
    !matches!(cause, Cause::Unknown | Cause::Device | Cause::Blocked)
}

/// Whether a text begins like a change, so that a comma before it is not part of a pattern.
fn begins_change(text: &str) -> bool {
    let text = text.trim_start();
    let words = [
        "remove:",
        "hide:",
        "scale:",
        "expected:",
        "network:",
        "no-host:",
    ];
    words.iter().any(|word| text.starts_with(word))
        || [
            "align",
            "overlap",
            "no-input-wait",
            "no-launch-gaps",
            NO_WAITS,
        ]
        .contains(&text.trim_end())
}

/// Some of many names, each shortened: enough to see what names look like here.
fn some_of(names: &[&str]) -> String {
    const MOST_NAMES: usize = 8;
    const MOST_LETTERS: usize = 60;
    let short = |name: &&str| match name.char_indices().nth(MOST_LETTERS) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => (*name).to_owned(),
    };
    let some: Vec<String> = names.iter().take(MOST_NAMES).map(short).collect();
    let rest = names.len().saturating_sub(MOST_NAMES);
    match rest {
        0 => some.join(", "),
        rest => format!("{} and {rest} more", some.join(", ")),
    }
}

fn factor(text: &str) -> Option<f64> {
    let text = text.trim();
    let number: f64 = text.strip_suffix('x').unwrap_or(text).parse().ok()?;
    (0.0..=MOST).contains(&number).then_some(number)
}

fn wrong(text: &str) -> AnalysisError {
    AnalysisError::Options(format!(
        "--change takes one of {FORMS}, not {text:?}. PATTERN is a regular expression for names, \
         categories, scopes and sources, PROGRAM::NAME, or one of collectives, copies, compute; FACTOR is a number \
         of at least 0, and above 0 for the network"
    ))
}
