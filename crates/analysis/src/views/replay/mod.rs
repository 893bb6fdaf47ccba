//! Replays a session: a graph of what waited for what, from which every start follows.
//!
//! | Dependency | Evidence |
//! |---|---|
//! | order on a core, stream or thread | slices of one track ([`segments`], [`device`]) |
//! | order of program runs on several threads | the runs of an XLA:CPU device ([`device`]) |
//! | start → done of asynchronous ops | the program, or the names of the ops ([`operands`]) |
//! | operands across streams and threads | the program ([`operands`]) |
//! | launch → work | recorded correlation, run ids, calls ([`calls`]) |
//! | host thread, waits, hand-overs | slices of the threads that launch ([`host`]) |
//! | collectives | occurrences matched over devices ([`meetings`]) |
//! | a wait between streams | inferred from times: the other stream's work ended just before ([`device`]) |
//!
//! Gaps that none of these explains keep their length, with the reason for them ([`causes`]).

pub mod admission;
mod align;
mod calls;
mod causes;
mod device;
pub mod effects;
pub mod graph;
mod host;
mod meetings;
mod operands;
pub mod path;
pub mod run;
mod segments;
pub(crate) mod size;
pub mod steps;
pub(crate) mod told;

use std::sync::Arc;

use stepscope_model::{DeviceKind, Session, TrackId};

use self::device::{DeviceNodes, Members, Sources};
use self::effects::{Effects, Reading};
use self::graph::{Builder, Graph};
use self::host::{Ends, HostSources};
use self::operands::Operands;
use self::run::{Times, Weights};
use self::steps::StepOn;
use crate::measuring::work::work_labels;
use crate::views::collectives::{Exchanges, exchanges};

/// A session as a graph, and its steps in it.
pub struct Replay {
    /// The graph.
    pub graph: Graph,
    /// Every step on every device that worked in it; without steps, the whole recording of each.
    pub steps: Vec<StepOn>,
    /// The replay without any change.
    pub unchanged: Times,
}

impl Replay {
    /// Builds the graph of a session, once.
    pub fn of(session: &Session) -> Arc<Self> {
        session.memo.get_or_compute(|| build(session))
    }

    /// Replays with a change.
    pub fn with(&self, effects: &Effects, reading: Reading) -> Times {
        self.weights(effects, reading).replay()
    }

    /// The weights under a change.
    pub fn weights<'a>(&'a self, effects: &'a Effects, reading: Reading) -> Weights<'a> {
        let weights = Weights::new(&self.graph, effects, reading);
        if !effects.is_aligned {
            return weights;
        }
        let none = Effects::none();
        let unchanged = Weights::new(&self.graph, &none, Reading::Likely);
        let catching = align::catching_up(&self.graph, &unchanged, &self.unchanged);
        weights.catching_up(catching)
    }
}

fn build(session: &Session) -> Replay {
    if size::too_large(size::slices(session)).is_some() {
        return empty();
    }
    let exchanges: Arc<Exchanges> = exchanges(session);
    let clocks = &exchanges.clocks;
    let operands = Operands::of(session);
    let is_work = work_labels(session);
    let matched = meetings::matched(&exchanges);
    let sources = Sources {
        session,
        clocks,
        operands: &operands,
        is_work: &is_work,
        matched: &matched,
    };
    let mut builder = Builder::default();
    let mut members = Members::default();
    let devices: Vec<DeviceNodes> = session
        .device_ids()
        .map(|device| sources.add(&mut builder, device, &mut members))
        .filter(|on| !on.segments.is_empty())
        .collect();
    meetings::add(&mut builder, &exchanges, &mut members);
    let aligned = |position: usize, time: i64| sources.aligned(devices[position].device, time);
    let calls = calls::calls(session, &devices, aligned);
    let calls_on = calls_on(session, calls.iter().map(|call| call.track));
    let wanted = steps::wanted(session, clocks, &devices, &calls_on);
    let boundaries = steps::boundaries(&wanted, session.hosts.len());
    let ends = ends(session, &devices);
    let hosts = HostSources {
        session,
        clocks,
        calls: &calls,
        ends: &ends,
        boundaries: &boundaries,
    };
    let mut threads = hosts.add(&mut builder);
    for on in &devices {
        let is_gpu = session.device(on.device).kind.is_gpu();
        on.add_device_order(&mut builder, is_gpu);
        if session.device(on.device).kind == DeviceKind::Cpu {
            sources.add_run_order(&mut builder, on);
        }
    }
    let steps = steps::anchor(&mut builder, &devices, &threads, wanted);
    causes::add_host_causes(session, &mut builder, &mut threads);
    let mut graph = builder.finish();
    causes::add_device_causes(session, clocks, &mut graph);
    let unchanged = Weights::new(&graph, &Effects::none(), Reading::Likely).replay();
    Replay {
        graph,
        steps,
        unchanged,
    }
}

/// Of a session that is too large; [`size`] says so.
fn empty() -> Replay {
    let graph = Builder::default().finish();
    let unchanged = Weights::new(&graph, &Effects::none(), Reading::Likely).replay();
    Replay {
        graph,
        steps: Vec::new(),
        unchanged,
    }
}

/// For each host, whether calls on it are known to have launched work.
fn calls_on(session: &Session, tracks: impl Iterator<Item = TrackId>) -> Vec<bool> {
    let mut known = vec![false; session.hosts.len()];
    for track in tracks {
        known[session.track(track).host.index()] = true;
    }
    known
}

/// For each host, when work of its devices ended.
fn ends(session: &Session, devices: &[DeviceNodes]) -> Vec<Ends> {
    let mut ends: Vec<Ends> = vec![Vec::new(); session.hosts.len()];
    for on in devices {
        let own = &mut ends[session.device(on.device).host.index()];
        own.extend(on.segments.iter().map(|one| (one.end_ps, one.exit)));
    }
    for own in &mut ends {
        own.sort_unstable();
    }
    ends
}
