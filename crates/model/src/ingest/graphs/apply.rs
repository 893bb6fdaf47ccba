//! Assigns the found ops to the labels of kernels, and reports the result in the session.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::align::Found;
use super::collect::{Collected, Launch};
use super::unit::GraphKey;
use super::work::Work;
use crate::attribution::Attribution;
use crate::graphs::{Graph, OpenReason};
use crate::ids::{LabelId, OpId, ProgramId, StringId, TrackId};
use crate::ingest::labels::op_from_hlo;
use crate::label::{Class, Label, SliceKind};
use crate::session::Session;
use crate::track::relabel;
use crate::units::Picos;
use crate::vendor::events::kernel_class;

/// The ops and labels that kernels were given, over all hosts.
pub(super) struct Given {
    ops: FxHashMap<(ProgramId, StringId), OpId>,
    /// Labels that differ from another one in op and program.
    labels: FxHashMap<(LabelId, Option<OpId>, Option<ProgramId>, Attribution), LabelId>,
}

impl Given {
    /// The ops that have run so far.
    pub(super) fn of(session: &Session) -> Self {
        let ops = (0..).map(OpId).zip(&session.ops);
        Self {
            ops: ops.map(|(id, op)| ((op.program, op.name), id)).collect(),
            labels: FxHashMap::default(),
        }
    }
}

pub(super) struct Apply<'a> {
    session: &'a mut Session,
    collected: &'a Collected,
    given: &'a mut Given,
    /// New labels of slices, by lane.
    changed: BTreeMap<(TrackId, u32), Vec<(u32, LabelId)>>,
    graphs: BTreeMap<GraphKey, Graph>,
    newly_named: usize,
}

impl<'a> Apply<'a> {
    pub(super) fn new(
        session: &'a mut Session,
        collected: &'a Collected,
        given: &'a mut Given,
    ) -> Self {
        Self {
            session,
            collected,
            given,
            changed: BTreeMap::new(),
            graphs: BTreeMap::new(),
            newly_named: 0,
        }
    }

    /// Returns how many kernels got an op that named none before.
    pub(super) fn run(mut self, work: &[Work], results: Vec<Vec<Found>>) -> usize {
        for (work, found) in work.iter().zip(results) {
            for &number in &work.unit.launches {
                self.launch(work, number, &found);
            }
        }
        relabel(&mut self.session.tracks, self.changed);
        self.session.graphs.extend(self.graphs.into_values());
        self.newly_named
    }

    fn launch(&mut self, work: &Work, number: usize, found: &[Found]) {
        let launch: &'a Launch = &self.collected.launches[number];
        self.graph(&work.key, launch);
        for (position, kernel) in launch.kernels.iter().enumerate() {
            let position = work.unit.position(kernel, position);
            let found = position.and_then(|position| found.get(position)).copied();
            let found = found.unwrap_or(Found::Open(OpenReason::NothingFits));
            let (op, how, reason) = self.decide(work, kernel.label, found);
            self.count(&work.key, how, reason, kernel.duration);
            let before = &self.session.labels[kernel.label.index()];
            if before.op.is_none() && op.is_some() && before.kind == SliceKind::Kernel {
                self.newly_named += 1;
            }
            let program = work.key.program;
            let label = self.label(kernel.label, op, program, how);
            if label != kernel.label {
                let lane = (kernel.slice.track, kernel.slice.lane);
                let of_lane = self.changed.entry(lane).or_default();
                of_lane.push((kernel.slice.index, label));
            }
        }
    }

    /// The op of a kernel and how it was found, or why not.
    fn decide(
        &mut self,
        work: &Work,
        label: LabelId,
        found: Found,
    ) -> (Option<OpId>, Attribution, Option<OpenReason>) {
        let label = &self.session.labels[label.index()];
        let recorded = label.op;
        match (found, work.key.program) {
            (Found::Op(instruction, how), Some(program)) => {
                let op = self.op_of_instruction(program, instruction);
                let how = if op.is_some() { how } else { Attribution::None };
                let reason = op.is_none().then_some(OpenReason::NoHlo);
                (op, how, reason)
            }
            // Only the command buffer as a whole is known.
            (Found::Open(reason @ OpenReason::Whole), program) => {
                let op = recorded.or_else(|| self.op(program?, &work.key.name));
                match op {
                    Some(op) => (Some(op), Attribution::Recorded, None),
                    None => (None, Attribution::None, Some(reason)),
                }
            }
            // Without the program, the name of its command buffer is the best information.
            (Found::Open(reason @ OpenReason::NoHlo), _) if recorded.is_some() => {
                (recorded, Attribution::Recorded, Some(reason))
            }
            (Found::Open(reason), _) => (None, Attribution::None, Some(reason)),
            (Found::Op(..), None) => (None, Attribution::None, Some(OpenReason::NoProgram)),
        }
    }

    fn op_of_instruction(&mut self, program: ProgramId, instruction: u32) -> Option<OpId> {
        let hlo = self.session.programs[program.index()].hlo.as_ref()?;
        let name = hlo.instructions().nth(instruction as usize)?.name.clone();
        self.op(program, &name)
    }

    /// The op with this name, added if new; `None` without a name.
    fn op(&mut self, program: ProgramId, name: &str) -> Option<OpId> {
        if name.is_empty() {
            return None;
        }
        let session = &mut *self.session;
        let text = session.strings.intern(name);
        if let Some(&known) = self.given.ops.get(&(program, text)) {
            return Some(known);
        }
        let op = op_from_hlo(&session.programs, &mut session.strings, program, name);
        let id = OpId::from_index(session.ops.len());
        session.ops.push(op);
        self.given.ops.insert((program, text), id);
        Some(id)
    }

    /// The label with this op instead of its own.
    fn label(
        &mut self,
        label: LabelId,
        op: Option<OpId>,
        program: Option<ProgramId>,
        how: Attribution,
    ) -> LabelId {
        let key = (label, op, program, how);
        if let Some(&known) = self.given.labels.get(&key) {
            return known;
        }
        let old = &self.session.labels[label.index()];
        let mut new = old.clone();
        (new.op, new.attribution) = (op, how);
        new.program = program.or(old.program);
        new.class = self.class(old, op);
        if op.is_some() {
            new.framework_op = None;
        }
        let found = if new == *old {
            label
        } else {
            self.session.labels.push(new);
            LabelId::from_index(self.session.labels.len() - 1)
        };
        self.given.labels.insert(key, found);
        found
    }

    /// The kernel's own name is better evidence than the op for copies and communication.
    fn class(&self, label: &Label, op: Option<OpId>) -> Class {
        let own = match label.transfer {
            Some(transfer) => transfer.class(),
            None => kernel_class(self.session.strings.get(label.name)),
        };
        match op.map(|op| self.session.op_class(op)) {
            None | Some(Class::Compute) => own,
            Some(_) if matches!(own, Class::Copy | Class::Collective) => own,
            Some(of_op) => of_op,
        }
    }

    fn graph(&mut self, key: &GraphKey, launch: &Launch) {
        let strings = &mut self.session.strings;
        let graph = self.graphs.entry(key.clone()).or_insert_with(|| Graph {
            device: launch.device,
            program: launch.program,
            name: strings.intern(&launch.name),
            id: launch.graph,
            launches: 0,
            detail: launch.detail,
            found: [(0, Picos(0)); Attribution::ALL.len()],
            open: Vec::new(),
        });
        graph.launches += 1;
    }

    fn count(
        &mut self,
        key: &GraphKey,
        how: Attribution,
        reason: Option<OpenReason>,
        duration: i64,
    ) {
        let Some(graph) = self.graphs.get_mut(key) else {
            return;
        };
        let add = |sum: &mut Picos| sum.0 = sum.0.saturating_add(duration);
        let found = &mut graph.found[how as usize];
        found.0 += 1;
        add(&mut found.1);
        let Some(reason) = reason else {
            return;
        };
        let known = graph.open.iter().position(|(known, ..)| *known == reason);
        let position = known.unwrap_or_else(|| {
            graph.open.push((reason, 0, Picos(0)));
            graph.open.len() - 1
        });
        let (_, count, time) = &mut graph.open[position];
        *count += 1;
        add(time);
    }
}
