//! Collects every collective and each of its occurrences on every device.
//!
//! An asynchronous collective is recorded as two ops, as a span, or as both:
//!
//! ```text
//! ops         █ start    ···other ops···    ██ done
//! async ops   ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
//! occurrence  ├───────────────────────────────┤
//! ```
//!
//! Starts and dones of one op are paired in order. On GPUs, the kernel is the occurrence, whichever half
//! of the op launched it.

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use stepscope_model::{
    Class, CollectiveKind, DeviceId, Label, LabelId, OpId, ProgramId, ReplicaGroups, Session,
    SliceId, SliceKind, Span, TrackRole, collective_kernel,
};

/// One collective: an op of a program, or a kernel without an op.
#[derive(Debug, Clone)]
pub(crate) struct CollectiveOp {
    /// Program it belongs to.
    pub(crate) program: Option<ProgramId>,
    /// The op that starts it, if it was executed.
    pub(crate) op: Option<OpId>,
    /// Name of the instruction that starts it, or of the kernel.
    pub(crate) name: String,
    /// How data is exchanged; none if unknown.
    pub(crate) kind: Option<CollectiveKind>,
    /// Whether the program splits it into a start and a done.
    pub(crate) is_async: bool,
    /// Bytes of its operands on one device; none if the profile does not contain the program.
    pub(crate) operand_bytes: Option<u64>,
    /// Number of devices in a group; none if unknown.
    pub(crate) group_size: Option<u64>,
    /// Groups as the program writes them.
    pub(crate) groups: String,
    /// Algorithm and protocol of the kernel, if its name contains them.
    pub(crate) algorithm: String,
}

impl CollectiveOp {
    /// Whether each device sends to another one, so that devices leave at different times.
    pub(crate) const fn is_between_pairs(&self) -> bool {
        matches!(
            self.kind,
            Some(CollectiveKind::Permute | CollectiveKind::Send | CollectiveKind::Receive)
        )
    }
}

/// One execution of a collective on one device.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Occurrence {
    /// Position in [`Survey::ops`].
    pub(crate) op: usize,
    pub(crate) device: DeviceId,
    /// From its start to its end.
    pub(crate) span: Span,
    /// Time in its own ops and kernels, during which nothing else runs on that track.
    pub(crate) own_ps: i64,
    /// Slice that starts it.
    pub(crate) slice: SliceId,
    /// Whether it is a kernel on a stream that computes nothing, or the program splits it into two ops.
    pub(crate) can_overlap: bool,
}

/// All collectives of a session.
pub(crate) struct Survey {
    pub(crate) ops: Vec<CollectiveOp>,
    /// By device, op, start.
    pub(crate) occurrences: Vec<Occurrence>,
    /// For each label, the position of its collective in `ops`; empty without collectives.
    op_of_label: Vec<Option<usize>>,
}

/// Which part of a collective a label is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    Start,
    Done,
    /// A recorded span from start to end.
    UnderWay,
}

/// A slice that is part of a collective.
#[derive(Debug, Clone, Copy)]
struct Found {
    op: usize,
    part: Part,
    span: Span,
    slice: SliceId,
    /// Whether it is on a stream on which nothing computes.
    is_apart: bool,
}

impl Survey {
    /// Covers all devices and times, so that matching does not depend on the selection.
    pub(crate) fn of(session: &Session) -> Self {
        let mut roles = Roles::new(session);
        let parts: Vec<Option<(usize, Part)>> = (0..session.labels.len())
            .map(|index| roles.part(LabelId::from_index(index)))
            .collect();
        let ops = roles.ops;
        if ops.is_empty() {
            return Self {
                ops,
                occurrences: Vec::new(),
                op_of_label: Vec::new(),
            };
        }
        let devices: Vec<DeviceId> = session.device_ids().collect();
        let occurrences: Vec<Vec<Occurrence>> = devices
            .par_iter()
            .map(|&device| occurrences(&ops, device, &slices(session, device, &parts)))
            .collect();
        Self {
            ops,
            occurrences: occurrences.into_iter().flatten().collect(),
            op_of_label: parts.iter().map(|part| part.map(|(op, _)| op)).collect(),
        }
    }

    /// The collective that a label is a part of, by its position in `ops`.
    pub(crate) fn op_of(&self, label: LabelId) -> Option<usize> {
        self.op_of_label.get(label.index()).copied().flatten()
    }

    /// The occurrence that a slice is a part of: its start, its done, its span or its kernel.
    pub(crate) fn occurrence_of(&self, session: &Session, slice: SliceId) -> Option<usize> {
        let lane = session.lane(slice.track, slice.lane)?;
        let index = slice.index as usize;
        let op = self.op_of(*lane.labels().get(index)?)?;
        let device = session.track(slice.track).device?;
        let span = lane.span(index);
        let before = |one: &Occurrence| (one.device, one.op) < (device, op);
        let first = self.occurrences.partition_point(before);
        let same = (first..).zip(&self.occurrences[first..]);
        let same = same.take_while(|(_, one)| (one.device, one.op) == (device, op));
        let shared = |one: &Occurrence| one.span.intersection(span).map(Span::duration);
        same.filter(|(_, one)| one.slice == slice || shared(one).is_some())
            .max_by_key(|(_, one)| (one.slice == slice, shared(one)))
            .map(|(number, _)| number)
    }
}

/// Assigns a collective and a part to each label.
struct Roles<'a> {
    session: &'a Session,
    ops: Vec<CollectiveOp>,
    by_name: FxHashMap<(Option<ProgramId>, String), usize>,
}

impl<'a> Roles<'a> {
    fn new(session: &'a Session) -> Self {
        Self {
            session,
            ops: Vec::new(),
            by_name: FxHashMap::default(),
        }
    }

    fn part(&mut self, id: LabelId) -> Option<(usize, Part)> {
        let label = self.session.label(id);
        if !label.kind.is_work() && label.kind != SliceKind::AsyncOp {
            return None;
        }
        let is_kernel = matches!(label.kind, SliceKind::Kernel | SliceKind::Transfer);
        if let Some(found) = self.by_instruction(label, is_kernel) {
            return Some(found);
        }
        if label.class != Class::Collective {
            return None;
        }
        match label.op {
            Some(op) if !is_kernel => Some(self.by_op_name(label, op)),
            _ => Some(self.by_kernel_name(label)),
        }
    }

    /// From the program; includes exchanges with the host, whose class is not collective.
    fn by_instruction(&mut self, label: &Label, is_kernel: bool) -> Option<(usize, Part)> {
        let op_id = label.op?;
        let op = self.session.op(op_id);
        let program = self.session.program(op.program).hlo.as_ref()?;
        let instruction = program.instruction(self.session.text(op.name))?;
        let may_be = label.class == Class::Collective
            || instruction.opcode.starts_with("send")
            || instruction.opcode.starts_with("recv");
        let collective = may_be.then(|| program.collective(instruction)).flatten()?;
        let is_done = instruction.opcode.ends_with("-done");
        let part = match label.kind {
            SliceKind::AsyncOp => Part::UnderWay,
            _ if is_kernel || !collective.is_async => Part::Whole,
            _ if is_done => Part::Done,
            _ => Part::Start,
        };
        let is_begin = collective.begin.id == instruction.id;
        let kernel = if is_kernel {
            collective_kernel(self.session.text(label.name))
        } else {
            stepscope_model::CollectiveKernel::default()
        };
        let groups = collective.replica_groups().map(ToString::to_string);
        let index = self.op(CollectiveOp {
            program: Some(op.program),
            op: is_begin.then_some(op_id),
            name: collective.begin.name.clone(),
            kind: Some(collective.kind),
            is_async: collective.is_async,
            operand_bytes: Some(collective.operand_bytes),
            group_size: collective.group_size(),
            groups: groups.unwrap_or_default(),
            algorithm: algorithm(&kernel),
        });
        Some((index, part))
    }

    /// Without the program: from the name of the op, `all-reduce-start.3`, and the groups in its HLO text,
    /// which TPUs record with it.
    fn by_op_name(&mut self, label: &Label, op_id: OpId) -> (usize, Part) {
        let op = self.session.op(op_id);
        let name = self.session.text(op.name);
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let category = self.session.text(op.category);
        let is_host = category.starts_with("host");
        let kind = CollectiveKind::of_opcode(stem, is_host)
            .or_else(|| CollectiveKind::of_opcode(category, is_host));
        let part = match label.kind {
            SliceKind::AsyncOp => Part::UnderWay,
            _ if stem.ends_with("-done") => Part::Done,
            _ if stem.ends_with("-start") => Part::Start,
            _ => Part::Whole,
        };
        let groups = ReplicaGroups::of_text(self.session.text(op.expression));
        let index = self.op(CollectiveOp {
            program: Some(op.program),
            op: (part != Part::Done).then_some(op_id),
            name: name.replacen("-done", "-start", 1),
            kind,
            is_async: part != Part::Whole,
            operand_bytes: None,
            group_size: groups.as_ref().and_then(ReplicaGroups::group_size),
            groups: groups.map(|groups| groups.to_string()).unwrap_or_default(),
            algorithm: String::new(),
        });
        (index, part)
    }

    fn by_kernel_name(&mut self, label: &Label) -> (usize, Part) {
        let name = self.session.text(label.name);
        let kernel = collective_kernel(name);
        let short = name.split('(').next().unwrap_or(name).to_owned();
        let index = self.op(CollectiveOp {
            program: label.program,
            op: label.op,
            name: short,
            kind: kernel.kind,
            is_async: false,
            operand_bytes: None,
            group_size: None,
            groups: String::new(),
            algorithm: algorithm(&kernel),
        });
        let is_span = label.kind == SliceKind::AsyncOp;
        (index, if is_span { Part::UnderWay } else { Part::Whole })
    }

    fn op(&mut self, op: CollectiveOp) -> usize {
        let next = self.ops.len();
        let key = (op.program, op.name.clone());
        let index = *self.by_name.entry(key).or_insert(next);
        if index == next {
            self.ops.push(op);
        } else {
            let known = &mut self.ops[index];
            known.op = known.op.or(op.op);
            known.is_async |= op.is_async;
            if known.algorithm.is_empty() {
                known.algorithm = op.algorithm;
            }
            // A done does not repeat the groups of its start.
            if known.group_size.is_none() {
                (known.group_size, known.groups) = (op.group_size, op.groups);
            }
        }
        index
    }
}

fn algorithm(kernel: &stepscope_model::CollectiveKernel) -> String {
    let words = [kernel.algorithm, kernel.protocol];
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// Slices of collectives on a device, sorted by op and start.
fn slices(session: &Session, device: DeviceId, parts: &[Option<(usize, Part)>]) -> Vec<Found> {
    let mut found = Vec::new();
    for (id, track) in session.device_tracks(device) {
        let is_looked_at = matches!(
            track.role,
            TrackRole::Ops | TrackRole::Stream | TrackRole::AsyncOps
        );
        if !is_looked_at {
            continue;
        }
        let first = found.len();
        let mut computes = false;
        for (lane_number, lane) in track.lanes.iter().enumerate() {
            for (index, label) in lane.labels().iter().enumerate() {
                let Some((op, part)) = parts[label.index()] else {
                    computes = true;
                    continue;
                };
                found.push(Found {
                    op,
                    part,
                    span: lane.span(index),
                    slice: SliceId {
                        track: id,
                        lane: u32::try_from(lane_number).unwrap_or(u32::MAX),
                        index: u32::try_from(index).unwrap_or(u32::MAX),
                    },
                    is_apart: false,
                });
            }
        }
        let is_apart = track.role == TrackRole::Stream && !computes;
        for slice in &mut found[first..] {
            slice.is_apart = is_apart;
        }
    }
    found.sort_by_key(|slice| (slice.op, slice.span, slice.slice));
    found
}

fn occurrences(ops: &[CollectiveOp], device: DeviceId, found: &[Found]) -> Vec<Occurrence> {
    let mut all = Vec::new();
    for of_op in found.chunk_by(|a, b| a.op == b.op) {
        let is_async = ops[of_op[0].op].is_async;
        // The ops have its start and end; the async span repeats them.
        let has_ops = of_op.iter().any(|slice| slice.part != Part::UnderWay);
        let mut open: std::collections::VecDeque<usize> = std::collections::VecDeque::new();
        for slice in of_op {
            let one = Occurrence {
                op: slice.op,
                device,
                span: slice.span,
                own_ps: slice.span.duration().0,
                slice: slice.slice,
                can_overlap: is_async || slice.is_apart,
            };
            match slice.part {
                Part::Whole => all.push(one),
                Part::UnderWay if has_ops => {}
                Part::UnderWay => all.push(Occurrence { own_ps: 0, ..one }),
                Part::Start => {
                    open.push_back(all.len());
                    all.push(one);
                }
                Part::Done => match open.pop_front() {
                    Some(begun) => {
                        let begun: &mut Occurrence = &mut all[begun];
                        begun.span = begun.span.hull(slice.span);
                        begun.own_ps = begun.own_ps.saturating_add(one.own_ps);
                    }
                    // It started before the capture.
                    None => all.push(one),
                },
            }
        }
    }
    all
}
