//! Combines slices of compilation into compilations.
//!
//! ```text
//! call        ─PjitFunction(step)──────────────────────────────────   the compilation's function
//! pieces        trace─────  lower────   backend_compile────────────
//! other threads                            HLO passes──  LLVM────     assigned to it by time
//! ```

use std::collections::BTreeMap;

use stepscope_model::host_names::{
    compiled_function, dispatched_function, is_cache_clear, is_cache_read,
};
use stepscope_model::{
    Activity, CompilePhase, HostId, LabelId, Picos, SaturatingSum as _, Session, SliceKind, Span,
    TrackId,
};

use super::contents::{FORGOTTEN, SAME_PROGRAM};
use super::programs::{Match, Programs};
use super::report::{CompilationRow, FunctionRow};
use crate::measuring::activity::host_tracks;
use crate::measuring::interval::Intervals;
use crate::measuring::work::{NO_LEVEL, add_levels_in_passing};
use crate::telling::places::track_title;

/// Phases by priority: if several cover an instant, the first one gets it.
const PHASES: [CompilePhase; 7] = [
    CompilePhase::Autotune,
    CompilePhase::Generate,
    CompilePhase::Optimize,
    CompilePhase::Backend,
    CompilePhase::Lower,
    CompilePhase::Trace,
    CompilePhase::Cache,
];
const PHASE_COUNT: usize = PHASES.len();

/// Maximum pause between pieces of one compilation, for pieces on one thread outside of any call.
const PAUSE_PS: i64 = 1_000_000_000;

/// An outermost slice of compilation.
struct Piece {
    track: TrackId,
    span: Span,
    /// The outermost call of a jitted function around it.
    call: Option<(Span, String)>,
    is_driven: bool,
}

/// All compilations of the hosts, in chronological order.
pub(super) fn compilations(session: &Session, hosts: &[HostId]) -> Vec<CompilationRow> {
    let phase_of: Vec<u8> = session
        .labels
        .iter()
        .map(|label| match label.activity {
            Activity::Compile(phase) if label.kind != SliceKind::Marker => phase_level(phase),
            _ => NO_LEVEL,
        })
        .collect();
    if phase_of.iter().all(|&level| level == NO_LEVEL) {
        return Vec::new();
    }
    let programs = Programs::of(session);
    let mut rows: Vec<CompilationRow> = hosts
        .iter()
        .flat_map(|&host| of_host(session, host, &phase_of, &programs))
        .collect();
    rows.sort_by(|a, b| (a.start_ps, &a.host).cmp(&(b.start_ps, &b.host)));
    rows
}

fn phase_level(phase: CompilePhase) -> u8 {
    let position = PHASES.iter().position(|&other| other == phase);
    position
        .and_then(|at| u8::try_from(at).ok())
        .unwrap_or(NO_LEVEL)
}

fn of_host(
    session: &Session,
    host: HostId,
    phase_of: &[u8],
    programs: &Programs<'_>,
) -> Vec<CompilationRow> {
    let tracks: Vec<TrackId> = host_tracks(session, host).collect();
    let is_call: Vec<bool> = session
        .labels
        .iter()
        .map(|label| dispatched_function(session.text(label.name)).is_some())
        .collect();
    let pieces: Vec<Piece> = tracks
        .iter()
        .flat_map(|&track| pieces(session, track, phase_of, &is_call))
        .collect();
    let units = units(pieces);
    let Some(within) = units.iter().map(|unit| unit.span).reduce(Span::hull) else {
        return Vec::new();
    };
    // Disjoint phases of the whole host; a compilation gets those within its span.
    let mut lists: Vec<Vec<Vec<Span>>> = vec![Vec::new(); PHASE_COUNT];
    for &track in &tracks {
        add_levels_in_passing(session, track, phase_of, &[within], &mut lists);
    }
    let mut taken = Intervals::default();
    let phases: Vec<Intervals> = lists
        .into_iter()
        .map(|list| {
            let own = Intervals::union_of_sorted(list).subtract(&taken);
            taken = taken.union(&own);
            own
        })
        .collect();
    let names = named_slices(session, &tracks, within.end);
    let mut compiled: BTreeMap<String, Vec<Earlier>> = BTreeMap::new();
    let rows = units.into_iter().map(|unit| {
        let function = unit.function.clone().or_else(|| names.function(unit.span));
        let function = function.unwrap_or_default();
        let times: Vec<i64> = phases
            .iter()
            .map(|times| times.duration_within(unit.span).0)
            .collect();
        let [autotune, generate, optimize, backend, lower, trace, cache] = times[..] else {
            unreachable!("one per phase");
        };
        let is_compiled = autotune + generate + optimize + backend > 0;
        let was_asked = names.asks_cache(unit.span);
        let found = programs.match_of(host, &function, unit.span);
        let earlier = compiled.entry(function.clone()).or_default();
        if earlier.is_empty() {
            let ran_before = programs.ran_before(host, &function, unit.span.start);
            earlier.extend(ran_before.map(|program| Earlier {
                program: Some(program),
                end: Picos(i64::MIN),
            }));
        }
        // Other functions may have the same name.
        let may_be_same =
            |before: &&Earlier| programs.may_be_same(&function, before.program, found);
        let before = earlier.iter().rev().find(may_be_same).copied();
        let is_again = !function.is_empty() && before.is_some();
        let mut change = match (before.and_then(|before| before.program), found) {
            _ if !is_again => String::new(),
            (Some(before), Some(found)) => programs.change(before, found),
            _ if session.program_runs.is_empty() => {
                "unknown: no run of a program was recorded".to_owned()
            }
            _ => "unknown: one of the programs did not run in the window".to_owned(),
        };
        let is_forgotten = |before: Earlier| names.clears_cache(before.end, unit.span.start);
        if change.starts_with(SAME_PROGRAM) && before.is_some_and(is_forgotten) {
            FORGOTTEN.clone_into(&mut change);
        }
        earlier.push(Earlier {
            program: found,
            end: unit.span.end,
        });
        let duration_ps = unit.span.duration().0;
        CompilationRow {
            function,
            host: session.host(host).name.clone(),
            thread: track_title(session, unit.track),
            step: step_at(session, host, unit.span.start),
            start_ps: unit.span.start.0,
            duration_ps,
            trace_ps: trace,
            lower_ps: lower,
            optimize_ps: optimize,
            generate_ps: generate,
            autotune_ps: autotune,
            backend_ps: backend,
            cache_ps: cache,
            other_ps: duration_ps - times.iter().saturating_sum(),
            cache: match (was_asked, is_compiled) {
                (true, false) => "hit",
                (true, true) => "miss",
                (false, _) => "",
            }
            .to_owned(),
            program: found.map_or_else(String::new, |found| programs.title(found)),
            program_id: found.map_or_else(String::new, |found| programs.id(found)),
            is_again,
            change,
        }
    });
    rows.collect()
}

/// A compilation of a function before another one of it.
#[derive(Clone, Copy)]
struct Earlier {
    program: Option<Match>,
    end: Picos,
}

/// A compilation before its figures.
struct Unit {
    track: TrackId,
    span: Span,
    function: Option<String>,
}

/// Pieces within one call are one compilation, and so are pieces on one thread without a long pause in
/// between. Pieces on other threads during a compilation are part of it.
fn units(pieces: Vec<Piece>) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::new();
    let mut calls: BTreeMap<(TrackId, Span), usize> = BTreeMap::new();
    let mut loose = Vec::new();
    for piece in pieces {
        let Some((call, function)) = piece.call else {
            loose.push(piece);
            continue;
        };
        let position = *calls.entry((piece.track, call)).or_insert_with(|| {
            units.push(Unit {
                track: piece.track,
                span: piece.span,
                function: Some(function),
            });
            units.len() - 1
        });
        units[position].span = units[position].span.hull(piece.span);
    }
    // Python threads first, so that pieces on compiler threads are assigned to their compilations.
    loose.sort_by_key(|piece| (!piece.is_driven, piece.track, piece.span.start));
    let mut last: Option<(TrackId, usize)> = None;
    for piece in loose {
        let overlaps = |unit: &Unit| {
            unit.span
                .intersection(piece.span)
                .is_some_and(|common| 2 * common.duration().0 >= piece.span.duration().0)
        };
        if units.iter().any(overlaps) {
            continue;
        }
        let joined = last.filter(|&(track, position)| {
            let pause = piece
                .span
                .start
                .0
                .saturating_sub(units[position].span.end.0);
            track == piece.track && pause <= PAUSE_PS
        });
        if let Some((_, position)) = joined {
            units[position].span = units[position].span.hull(piece.span);
            continue;
        }
        units.push(Unit {
            track: piece.track,
            span: piece.span,
            function: None,
        });
        last = Some((piece.track, units.len() - 1));
    }
    units.sort_by_key(|unit| (unit.span.start, unit.track));
    units
}

/// Outermost compilation slices of a thread, each with the outermost call around it.
fn pieces(session: &Session, id: TrackId, phase_of: &[u8], is_call: &[bool]) -> Vec<Piece> {
    let counts = |label: LabelId| phase_of[label.index()] != NO_LEVEL || is_call[label.index()];
    let Some(track) = session.track_having(id, counts) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for nest in &track.nests {
        let mut calls: Vec<(Span, String)> = Vec::new();
        let mut covered: Vec<Span> = Vec::new();
        for number in nest.clone() {
            let lane = &track.lanes[number as usize];
            let mut fresh = Vec::new();
            let mut fresh_calls = Vec::new();
            for (index, label) in lane.labels().iter().enumerate() {
                let is_compile = phase_of[label.index()] != NO_LEVEL;
                if !is_compile && !is_call[label.index()] {
                    continue;
                }
                let span = lane.span(index);
                if is_within(&covered, span.start) {
                    continue;
                }
                if is_compile {
                    fresh.push(span);
                } else if around(&calls, span.start).is_none() {
                    let function = dispatched_function(session.label_name(*label));
                    fresh_calls.push((span, function.unwrap_or_default().to_owned()));
                }
            }
            for &span in &fresh {
                found.push(Piece {
                    track: id,
                    span,
                    call: around(&calls, span.start).cloned(),
                    is_driven: track.role == stepscope_model::TrackRole::Python,
                });
            }
            calls.extend(fresh_calls);
            calls.sort_by_key(|call| call.0);
            covered.extend(fresh);
            covered.sort_unstable();
        }
    }
    found
}

/// The call whose span contains the instant; calls are sorted and do not overlap.
fn around(calls: &[(Span, String)], instant: Picos) -> Option<&(Span, String)> {
    let after = calls.partition_point(|(span, _)| span.start <= instant);
    let last = calls.get(after.checked_sub(1)?)?;
    last.0.contains_instant(instant).then_some(last)
}

fn is_within(covered: &[Span], instant: Picos) -> bool {
    let after = covered.partition_point(|span| span.start <= instant);
    after > 0 && covered[after - 1].contains_instant(instant)
}

/// Slices whose names contain the compiled function, and slices that read or clear a cache, sorted by start.
#[derive(Default)]
struct NamedSlices {
    functions: Vec<(Picos, String)>,
    cache_reads: Vec<Picos>,
    cache_clears: Vec<Picos>,
}

/// What the name of a label says of compilations.
#[derive(Default, PartialEq, Eq)]
struct Said {
    function: Option<String>,
    is_read: bool,
    is_clear: bool,
}

impl Said {
    fn by(name: &str) -> Self {
        Self {
            function: compiled_function(name).map(str::to_owned),
            is_read: is_cache_read(name),
            is_clear: is_cache_clear(name),
        }
    }
}

/// Those before `end`.
fn named_slices(session: &Session, tracks: &[TrackId], end: Picos) -> NamedSlices {
    let within = Span {
        start: Picos(i64::MIN),
        end,
    };
    let names = session.labels.iter().map(|label| session.text(label.name));
    let said: Vec<Said> = names.map(Said::by).collect();
    let mut slices = NamedSlices::default();
    let nothing = Said::default();
    if said.iter().all(|said| *said == nothing) {
        return slices;
    }
    for &id in tracks {
        let is_named = |label: LabelId| said[label.index()] != nothing;
        let Some(track) = session.track_having(id, is_named) else {
            continue;
        };
        for lane in &track.lanes {
            for index in lane.overlapping(within) {
                let said = &said[lane.labels()[index].index()];
                let start = Picos(lane.starts()[index]);
                if let Some(function) = &said.function {
                    slices.functions.push((start, function.clone()));
                }
                if said.is_read {
                    slices.cache_reads.push(start);
                }
                if said.is_clear {
                    slices.cache_clears.push(start);
                }
            }
        }
    }
    slices.functions.sort();
    slices.cache_reads.sort_unstable();
    slices.cache_clears.sort_unstable();
    slices
}

impl NamedSlices {
    fn function(&self, span: Span) -> Option<String> {
        let first = self
            .functions
            .partition_point(|(start, _)| *start < span.start);
        let found = self.functions.get(first)?;
        (found.0 < span.end).then(|| found.1.clone())
    }

    fn asks_cache(&self, span: Span) -> bool {
        has_within(&self.cache_reads, span.start, span.end)
    }

    fn clears_cache(&self, from: Picos, to: Picos) -> bool {
        has_within(&self.cache_clears, from, to)
    }
}

/// Whether one of these, which are sorted, is from `from` on and before `to`.
fn has_within(sorted: &[Picos], from: Picos, to: Picos) -> bool {
    let first = sorted.partition_point(|start| *start < from);
    sorted.get(first).is_some_and(|start| *start < to)
}

/// The step whose annotation on the host contains the instant; else the step with any span that does.
fn step_at(session: &Session, host: HostId, instant: Picos) -> Option<i64> {
    let holds = |of_host: bool| {
        let mut steps = session.steps.iter();
        steps.find(|step| {
            step.on_host(host).iter().any(|span| {
                span.span.contains_instant(instant) && (span.device.is_none() || !of_host)
            })
        })
    };
    holds(true).or_else(|| holds(false)).map(|step| step.number)
}

/// Compilations by function, most time first.
pub(super) fn functions(rows: &[CompilationRow]) -> Vec<FunctionRow> {
    let mut functions: BTreeMap<&str, FunctionRow> = BTreeMap::new();
    for row in rows {
        let entry = functions
            .entry(&row.function)
            .or_insert_with(|| FunctionRow {
                function: row.function.clone(),
                count: 0,
                again_count: 0,
                hit_count: 0,
                total_ps: 0,
                longest_ps: 0,
                changes: Vec::new(),
            });
        entry.count += 1;
        entry.again_count += usize::from(row.is_again);
        entry.hit_count += usize::from(row.cache == "hit");
        entry.total_ps = entry.total_ps.saturating_add(row.duration_ps);
        entry.longest_ps = entry.longest_ps.max(row.duration_ps);
        if !row.change.is_empty() && !entry.changes.contains(&row.change) {
            entry.changes.push(row.change.clone());
        }
    }
    let mut functions: Vec<FunctionRow> = functions.into_values().collect();
    functions.sort_by(|a, b| (b.total_ps, &a.function).cmp(&(a.total_ps, &b.function)));
    functions
}
