//! Host threads that launch work, cut where they launch, wait, or begin a step.
//!
//! ```text
//! thread   [ python ][ data_loading ]launch[ python ][ waits for the device ]resume
//!                                      │                          ▲
//! device                               └──▶[ run ]────────────────┘
//! ```

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use stepscope_model::{Activity, Direction, HostId, Lane, Picos, Session, Span, Track, TrackId};

use super::calls::Call;
use super::device::CLOSE_PS;
use super::graph::{Builder, EdgeKind, Node, NodeKind};
use crate::measuring::activity::{Loops, calls_functions, driving_threads, is_input, levels};
use crate::measuring::interval::Intervals;
use crate::measuring::work::{NO_LEVEL, add_levels};
use crate::views::collectives::clocks::Clocks;

/// A thread that something was handed over to begins within this time, unless it first has to wait for
/// a device; then it begins within this time after the work of the device ended.
const WAKE_PS: i64 = 100_000_000;

/// A thread in the graph.
pub(super) struct Chain {
    pub(super) track: TrackId,
    /// Whether it drives devices; other threads wait for those that do.
    pub(super) is_driving: bool,
    /// Where it was cut, as recorded.
    times: Vec<i64>,
    /// For each cut, the node that is over then.
    nodes: Vec<u32>,
    /// When it compiled or handled input. A call that does so before it launches work is late by that;
    /// its launch takes no longer.
    delays: Intervals,
    /// When it dispatched.
    dispatches: Intervals,
}

/// A stretch of a driving thread, with the work of a device that ended with it.
pub(super) struct Stretch {
    pub(super) node: u32,
    pub(super) track: TrackId,
    /// As recorded.
    pub(super) span: Span,
    pub(super) host: HostId,
    pub(super) may_wait: Option<MayWait>,
}

/// What a stretch may have waited for.
pub(super) struct MayWait {
    /// Whether the runtime launched as far ahead as it does, so that the thread waited in a call.
    pub(super) is_paced: bool,
    /// The node by which the thread would continue.
    pub(super) resume: u32,
    pub(super) exit: u32,
    /// The node of what the thread did after the work ended, until it was cut.
    pub(super) rest: u32,
}

/// A stretch of a thread, as recorded.
#[derive(Clone, Copy)]
struct Cut {
    track: TrackId,
    host: HostId,
    from: i64,
    to: i64,
}

/// A thread to be added.
struct Thread<'a> {
    track: TrackId,
    is_driving: bool,
    /// When it waited, and when it read from a device.
    pauses: &'a Pauses,
    /// When it made calls that the device's pace delayed.
    paced: FxHashSet<i64>,
    /// When what it launched ended, if other threads of its host call functions as well: it waits for
    /// its own.
    own_ends: Option<Ends>,
}

impl Thread<'_> {
    /// The last end of work that the thread may have waited for within a stretch of time, excluding its
    /// start. `of_host` are all ends of its host.
    fn last_end(
        &self,
        of_host: &Ends,
        from_ps: i64,
        to_ps: i64,
        is_wait: bool,
    ) -> Option<(i64, u32)> {
        let own = self.own_ends.as_ref().filter(|_| self.is_driving);
        let Some(own) = own else {
            return last_end(of_host, from_ps, to_ps);
        };
        let other = || is_wait.then(|| last_end(of_host, from_ps, to_ps)).flatten();
        last_end(own, from_ps, to_ps).or_else(other)
    }
}

/// When a thread did not work for itself, outermost calls only.
struct Pauses {
    /// In calls that do nothing but wait, other than for input.
    waits: Intervals,
    /// In calls that read from a device: they wait for the result, and then copy it.
    reads: Intervals,
    /// See [`Chain::delays`].
    delays: Intervals,
    /// See [`Chain::dispatches`].
    dispatches: Intervals,
}

/// All threads that launched work.
#[derive(Default)]
pub(super) struct Threads {
    pub(super) chains: Vec<Chain>,
    /// By host and time, for causes.
    pub(super) stretches: Vec<Stretch>,
}

impl Chain {
    /// The node that is over at a time at which the thread was cut.
    pub(super) fn node_at(&self, time_ps: i64) -> Option<u32> {
        let found = self.times.binary_search(&time_ps).ok()?;
        Some(self.nodes[found])
    }

    /// The last cut within a stretch of time, excluding its start.
    fn last_within(&self, from_ps: i64, to_ps: i64) -> Option<(i64, u32)> {
        let after = self.times.partition_point(|&time| time <= to_ps);
        let position = after.checked_sub(1)?;
        (self.times[position] > from_ps).then(|| (self.times[position], self.nodes[position]))
    }
}

/// Ends of device work on one host, on aligned clocks, sorted.
pub(super) type Ends = Vec<(i64, u32)>;

/// What threads are built from.
pub(super) struct HostSources<'a> {
    pub(super) session: &'a Session,
    pub(super) clocks: &'a Clocks,
    pub(super) calls: &'a [Call],
    /// By host.
    pub(super) ends: &'a [Ends],
    /// By host: times at which steps begin and end there, as recorded.
    pub(super) boundaries: &'a [Vec<i64>],
}

impl HostSources<'_> {
    /// Adds the threads, and the edges from calls to what they launched.
    pub(super) fn add(&self, builder: &mut Builder) -> Threads {
        let session = self.session;
        let mut tracks: Vec<TrackId> = self.calls.iter().map(|call| call.track).collect();
        tracks.sort_unstable();
        tracks.dedup();
        let hosts: Vec<HostId> = (0..session.hosts.len()).map(HostId::from_index).collect();
        let driving = driving_threads(session, &hosts, Loops::All);
        let host_of = |track: TrackId| session.track(track).host.index();
        let drives = |track: TrackId| driving[host_of(track)].contains(&track);
        // Recorders may name the thread that launches on their own: then it stands for the one that drives.
        let mut has_driving = vec![false; hosts.len()];
        for &track in tracks.iter().filter(|&&track| drives(track)) {
            has_driving[host_of(track)] = true;
        }
        let is_driving = |track: TrackId| drives(track) || !has_driving[host_of(track)];
        // Others wait for the threads that drive.
        tracks.sort_by_key(|&track| (!is_driving(track), track));
        let pauses = self.pauses(&tracks);
        let mut calls: FxHashMap<TrackId, Vec<&Call>> = FxHashMap::default();
        for call in self.calls {
            calls.entry(call.track).or_default().push(call);
        }
        let mut calling = vec![0; hosts.len()];
        for &track in tracks.iter().filter(|&&one| calls_functions(session, one)) {
            calling[host_of(track)] += 1;
        }
        let mut threads = Threads::default();
        let mut has_boundaries = vec![false; hosts.len()];
        for (&track, pauses) in tracks.iter().zip(&pauses) {
            let host = session.track(track).host;
            let drives = is_driving(track);
            let own = &calls[&track];
            let mut cuts: Vec<i64> = own.iter().map(|call| call.at_ps).collect();
            if drives {
                let (waits, reads) = (pauses.waits.spans(), pauses.reads.spans());
                let spans = waits.iter().chain(reads);
                cuts.extend(spans.flat_map(|span| [span.start.0, span.end.0]));
                if !has_boundaries[host.index()] {
                    has_boundaries[host.index()] = true;
                    cuts.extend(&self.boundaries[host.index()]);
                }
            }
            cuts.sort_unstable();
            cuts.dedup();
            let paced = own.iter().filter(|call| call.is_paced);
            let paced: FxHashSet<i64> = paced.map(|call| call.at_ps).collect();
            let is_one_of_many = calling[host.index()] > 1 && calls_functions(session, track);
            let thread = Thread {
                track,
                is_driving: drives,
                pauses,
                paced,
                own_ends: is_one_of_many.then(|| own_ends(own)),
            };
            let chain = self.add_thread(builder, &thread, cuts, &mut threads);
            threads.chains.push(chain);
        }
        self.add_launches(builder, &threads);
        threads
    }

    /// When each thread waited or read.
    fn pauses(&self, tracks: &[TrackId]) -> Vec<Pauses> {
        let levels = levels(self.session, |activity| match activity {
            Activity::Blocked => 0,
            Activity::Transfer(Direction::DeviceToHost) => 1,
            activity if is_input(activity) => 2,
            Activity::Compile(_) => 3,
            Activity::Dispatch => 4,
            _ => NO_LEVEL,
        });
        let everything = [Span {
            start: Picos(i64::MIN),
            end: Picos::MAX,
        }];
        let of_track = |&track: &TrackId| {
            let mut spans = vec![Vec::new(); 5];
            let track = self.session.track_in_passing(track);
            add_levels(&track, &levels, &everything, &mut spans);
            let mut next = || Intervals::union_of_sorted(spans.pop().unwrap_or_default());
            let dispatches = next();
            let (compiling, inputs, reads, waits) = (next(), next(), next(), next());
            Pauses {
                // A queue of batches is filled by another thread, not by a device.
                waits: waits.subtract(&inputs),
                reads,
                delays: inputs.union(&compiling),
                dispatches,
            }
        };
        tracks.par_iter().map(of_track).collect()
    }

    fn add_thread(
        &self,
        builder: &mut Builder,
        thread: &Thread<'_>,
        cuts: Vec<i64>,
        threads: &mut Threads,
    ) -> Chain {
        let (track, is_driving) = (thread.track, thread.is_driving);
        let host = self.session.track(track).host;
        let aligned = |time: i64| self.clocks.aligned(host, Picos(time)).0;
        let ends = &self.ends[host.index()];
        let mut chain = Chain {
            track,
            is_driving,
            times: Vec::with_capacity(cuts.len()),
            nodes: Vec::with_capacity(cuts.len()),
            delays: thread.pauses.delays.clone(),
            dispatches: thread.pauses.dispatches.clone(),
        };
        let mut before: Option<(i64, u32)> = None;
        for cut in cuts {
            let instant = |kind| Node::instant(kind, track.0, aligned(cut));
            let Some((from, last)) = before else {
                let handed = (!is_driving)
                    .then(|| handed_over(self.session, threads, host, i64::MIN, cut))
                    .flatten();
                let origin = match handed {
                    Some(handed) => self.add_handed(builder, threads, None, (track, cut), handed),
                    None => builder.add(instant(NodeKind::Mark)),
                };
                chain.push(cut, origin, &mut before);
                continue;
            };
            let is_wait = thread.pauses.waits.contains_instant(Picos(from));
            let is_read = is_driving && thread.pauses.reads.contains_instant(Picos(from));
            let ended = thread.last_end(ends, aligned(from), aligned(cut), is_wait || is_read);
            let is_paced = thread.paced.contains(&cut) && ended.is_some();
            let handed = (!is_driving && !is_paced)
                .then(|| handed_over(self.session, threads, host, from, cut));
            let over = if let Some(handed) = handed.flatten() {
                self.add_handed(builder, threads, Some(last), (track, cut), handed)
            } else if let Some((_, exit)) = ended.filter(|_| is_wait) {
                let resume = builder.add(instant(NodeKind::Resume));
                builder.wait(resume, last, EdgeKind::HostOrder, 0);
                builder.wait(resume, exit, EdgeKind::HostWait, 0);
                resume
            } else {
                let long = |_: &(i64, u32)| is_paced || (is_driving && cut - from >= CLOSE_PS);
                let stretch = Cut {
                    track,
                    host,
                    from,
                    to: cut,
                };
                match ended.filter(long) {
                    Some(ended) if is_read => self.add_read(builder, threads, last, stretch, ended),
                    Some(ended) => {
                        self.add_divided(builder, threads, last, stretch, ended, is_paced)
                    }
                    None => self.add_stretch(builder, threads, last, stretch, is_driving),
                }
            };
            chain.push(cut, over, &mut before);
        }
        chain
    }

    /// A stretch of a thread as a node; with `has_causes`, what the thread did in it counts.
    fn add_stretch(
        &self,
        builder: &mut Builder,
        threads: &mut Threads,
        last: u32,
        cut: Cut,
        has_causes: bool,
    ) -> u32 {
        let aligned = |time: i64| self.clocks.aligned(cut.host, Picos(time)).0;
        let node = builder.add(Node {
            duration_ps: aligned(cut.to) - aligned(cut.from),
            ..Node::instant(NodeKind::Host, cut.track.0, aligned(cut.from))
        });
        builder.wait(node, last, EdgeKind::HostOrder, 0);
        if has_causes {
            threads.stretches.push(Stretch {
                node,
                track: cut.track,
                span: Span::new(Picos(cut.from), Picos(cut.to)),
                host: cut.host,
                may_wait: None,
            });
        }
        node
    }

    /// What another thread handed over with a call: what this thread does from then on, until it is
    /// cut, it does for that call. Before, it had nothing to do.
    fn add_handed(
        &self,
        builder: &mut Builder,
        threads: &mut Threads,
        last: Option<u32>,
        (track, cut): (TrackId, i64),
        (at, call): (i64, u32),
    ) -> u32 {
        let host = self.session.track(track).host;
        let aligned = |time: i64| self.clocks.aligned(host, Picos(time)).0;
        let begin = begin_of_work(&self.session.track_in_passing(track), at, cut);
        let ended = last_end(&self.ends[host.index()], aligned(at), aligned(begin));
        let waited =
            ended.filter(|&(end_ps, _)| begin - at > WAKE_PS && aligned(begin) - end_ps <= WAKE_PS);
        let from = if waited.is_some() { begin } else { at };
        let is_short = cut - from < CLOSE_PS;
        let from = if is_short { cut } else { from };
        let resume = builder.add(Node::instant(NodeKind::Resume, track.0, aligned(from)));
        if let Some(last) = last {
            builder.wait(resume, last, EdgeKind::HostOrder, 0);
        }
        builder.wait(resume, call, EdgeKind::HandOver, 0);
        if let Some((_, exit)) = waited {
            builder.wait(resume, exit, EdgeKind::HostWait, 0);
        }
        if is_short {
            return resume;
        }
        let after = Cut {
            track,
            host,
            from,
            to: cut,
        };
        self.add_stretch(builder, threads, resume, after, true)
    }

    /// A read: the thread waited until the result was there, and then copied it.
    fn add_read(
        &self,
        builder: &mut Builder,
        threads: &mut Threads,
        last: u32,
        cut: Cut,
        (end_ps, exit): (i64, u32),
    ) -> u32 {
        let resume = builder.add(Node::instant(NodeKind::Resume, cut.track.0, end_ps));
        builder.wait(resume, last, EdgeKind::HostOrder, 0);
        builder.wait(resume, exit, EdgeKind::HostWait, 0);
        let at = recorded(self.clocks, cut.host, end_ps).clamp(cut.from, cut.to);
        self.add_stretch(builder, threads, resume, Cut { from: at, ..cut }, true)
    }

    /// A stretch divided where work of a device ended, for which the thread may have waited.
    fn add_divided(
        &self,
        builder: &mut Builder,
        threads: &mut Threads,
        last: u32,
        cut: Cut,
        (end_ps, exit): (i64, u32),
        is_paced: bool,
    ) -> u32 {
        let at = recorded(self.clocks, cut.host, end_ps).clamp(cut.from, cut.to);
        let (before, after) = (Cut { to: at, ..cut }, Cut { from: at, ..cut });
        let node = self.add_stretch(builder, threads, last, before, true);
        let at_ps = builder.graph.nodes[node as usize].end_ps();
        let resume = builder.add(Node::instant(NodeKind::Resume, cut.track.0, at_ps));
        builder.wait(resume, node, EdgeKind::HostOrder, 0);
        let rest = self.add_stretch(builder, threads, resume, after, true);
        if let [.., stretch, _] = &mut threads.stretches[..] {
            stretch.may_wait = Some(MayWait {
                is_paced,
                resume,
                exit,
                rest,
            });
        }
        rest
    }

    fn add_launches(&self, builder: &mut Builder, threads: &Threads) {
        let mut least: Vec<Option<i64>> = Vec::new();
        let mut found = Vec::with_capacity(self.calls.len());
        let chains = threads.chains.iter();
        let chains: FxHashMap<TrackId, &Chain> = chains.map(|one| (one.track, one)).collect();
        for call in self.calls {
            let chain = chains.get(&call.track);
            let node = chain.and_then(|chain| Some((chain, chain.node_at(call.at_ps)?)));
            let Some((chain, from)) = node else {
                continue;
            };
            let nodes = &builder.graph.nodes;
            let start_ps = nodes[call.to as usize].start_ps;
            let latency = start_ps - nodes[from as usize].end_ps();
            builder.graph.launches += 1;
            if latency < 0 {
                builder.graph.late_launches += 1;
            }
            if least.len() <= call.device {
                least.resize(call.device + 1, None);
            }
            if latency >= 0 {
                let host = self.session.track(call.track).host;
                let start_ps = recorded(self.clocks, host, start_ps).max(call.at_ps);
                let meanwhile = Span::new(Picos(call.at_ps), Picos(start_ps));
                // Of kernels, the call is what the host does for each; of programs, it does more.
                let calling = if call.is_of_kernel {
                    chain.dispatches.duration_within(meanwhile).0
                } else {
                    0
                };
                let latency = latency - begun_within(&chain.delays, meanwhile) - calling;
                let latency = latency.max(0);
                let known = &mut least[call.device];
                *known = Some(known.map_or(latency, |known| known.min(latency)));
            }
            found.push((call, from));
        }
        for (call, from) in found {
            let lag_ps = least[call.device].unwrap_or(0);
            builder.wait(call.to, from, call.kind, lag_ps);
        }
    }
}

impl Chain {
    fn push(&mut self, cut: i64, node: u32, before: &mut Option<(i64, u32)>) {
        self.times.push(cut);
        self.nodes.push(node);
        *before = Some((cut, node));
    }
}

/// A time of the aligned clock as the host recorded it.
pub(super) fn recorded(clocks: &Clocks, host: HostId, time_ps: i64) -> i64 {
    time_ps + (time_ps - clocks.aligned(host, Picos(time_ps)).0)
}

/// When what these calls launched ended.
fn own_ends(calls: &[&Call]) -> Ends {
    let mut ends: Ends = calls.iter().filter_map(|call| call.end).collect();
    ends.sort_unstable();
    ends
}

/// The last end within a stretch of time, excluding its start.
fn last_end(ends: &Ends, from_ps: i64, to_ps: i64) -> Option<(i64, u32)> {
    let after = ends.partition_point(|&(end, _)| end <= to_ps);
    let found = *ends.get(after.checked_sub(1)?)?;
    (found.0 > from_ps).then_some(found)
}

/// Time of intervals that begin within a window, as far as they lie in it. A copy that is launched is
/// no reason for its own launch to be late, so what begins with the window does not count.
fn begun_within(intervals: &Intervals, window: Span) -> i64 {
    let spans = intervals.spans();
    let first = spans.partition_point(|span| span.start <= window.start);
    let within = spans[first..].iter();
    let within = within.take_while(|span| span.start < window.end);
    let lengths = within.filter_map(|span| span.intersection(window));
    lengths.map(|span| span.duration().0).sum()
}

/// When a thread began to work after a time, `to` at the latest; the time itself if it was at work then.
fn begin_of_work(track: &Track, from: i64, to: i64) -> i64 {
    let within = Span::new(Picos(from), Picos(to));
    let outermost = track.nests.iter().filter(|nest| !nest.is_empty());
    let lanes = outermost.map(|nest| &track.lanes[nest.start as usize]);
    let first = |lane: &Lane| Some(lane.starts()[lane.overlapping(within).next()?]);
    let begin = lanes.filter_map(first).min();
    begin.map_or(to, |begin| begin.max(from))
}

/// The last cut of a driving thread of the host within a stretch of time.
fn handed_over(
    session: &Session,
    threads: &Threads,
    host: HostId,
    from_ps: i64,
    to_ps: i64,
) -> Option<(i64, u32)> {
    let chains = threads.chains.iter();
    let driving =
        chains.filter(|chain| chain.is_driving && session.track(chain.track).host == host);
    driving
        .filter_map(|chain| chain.last_within(from_ps, to_ps))
        .max()
}
