//! Exchanges with the host and, via the host, with other TPU slices (megascale), by rendezvous.
//!
//! ```text
//! send ██                 send-done █
//!      recv █                        recv-done ███
//!      ├──────── slack ──────────────┤              excluding other communication in between
//!      ├──────────────── observed ─────────────────┤
//! stall = send + send-done + recv + recv-done
//! ```
//!
//! Both sides of an exchange name the same rendezvous, or else have the same channel. With n participants
//! and s bytes received by each, the bytes over the network are:
//!
//! | Exchange | bytes |
//! |---|---|
//! | one to one | s |
//! | all-gather, all-to-all | (n − 1) · s ÷ n |
//! | all-reduce | 2 (n − 1) · s ÷ n |
//! | reduce-scatter | (n − 1) · s |
//!
//! The profiler records n with the op. An exchange without a kind is one with the host.

use std::collections::BTreeMap;

use stepscope_model::{
    Class, CollectiveKind, DeviceId, LabelId, Picos, ProgramId, Session, SliceId, SliceKind, Span,
    TrackId,
};

use stepscope_model::hlo::{Instruction, Outline};

use super::bandwidth::rate;
use super::report::RendezvousRow;
use super::rows::signed;
use crate::measuring::communication::AllCommunication;
use crate::measuring::interval::Intervals;
use crate::measuring::selection::Selected;
use crate::views::kernels::latency::Latency;

/// Attributes that the framework attaches to sends and receives: the name, and the kind of exchange.
const RENDEZVOUS: &str = "_xla_host_transfer_rendezvous";
const TRANSFER_TYPE: &str = "_xla_megascale_transfer_type";

/// The four ops of an exchange.
const ROLES: [&str; 4] = ["send", "send-done", "recv", "recv-done"];
const SEND: usize = 0;
const SEND_DONE: usize = 1;
const RECV: usize = 2;
const RECV_DONE: usize = 3;

/// What the program says about a rendezvous, and sums over its occurrences.
#[derive(Default)]
struct Exchange {
    transfer_type: String,
    names: [String; ROLES.len()],
    sent_bytes: u64,
    received_bytes: u64,
    sums: Sums,
}

#[derive(Default)]
struct Sums {
    occurrences: i64,
    slack_ps: f64,
    observed_ps: f64,
    roles_ps: [i64; ROLES.len()],
    /// One slice of each op, to read what was recorded with it.
    examples: [Option<SliceId>; ROLES.len()],
    /// Time in `recv-done` of each occurrence that has one.
    received_ps: Vec<i64>,
    worst: Option<(i64, Span, SliceId)>,
}

type Key = (ProgramId, String);
type Slices = [Vec<(Span, SliceId)>; ROLES.len()];

/// One row per rendezvous, longest stall first.
pub(super) fn rendezvous(
    session: &Session,
    selected: &Selected<'_>,
    communication: &AllCommunication,
) -> Vec<RendezvousRow> {
    let mut exchanges: BTreeMap<Key, Exchange> = BTreeMap::new();
    let keys: Vec<Option<(Key, usize)>> = keys(session, &mut exchanges);
    if exchanges.is_empty() {
        return Vec::new();
    }
    for &device in &selected.devices {
        let found = slices(session, selected, device, &keys);
        let own = found.values().flatten().flatten().map(|&(span, _)| span);
        let all = &communication.of_device(device).all;
        let communication = all.union(&Intervals::union_of(own.collect()));
        for (key, slices) in found {
            if let Some(exchange) = exchanges.get_mut(&key) {
                exchange.sums.add(&slices, &communication);
            }
        }
    }
    let mut rows: Vec<RendezvousRow> = exchanges
        .into_iter()
        .filter(|((program, _), exchange)| {
            exchange.sums.occurrences > 0 && selected.has_program(Some(*program))
        })
        .map(|(key, exchange)| row(session, key, &exchange))
        .filter(|row| selected.matches(&[&row.rendezvous, &row.send_op, &row.recv_op]))
        .collect();
    rows.sort_by(|a, b| {
        (b.total_stall_ps.cmp(&a.total_stall_ps)).then_with(|| a.rendezvous.cmp(&b.rendezvous))
    });
    rows
}

/// For each label: the rendezvous it belongs to, and its role.
fn keys(session: &Session, exchanges: &mut BTreeMap<Key, Exchange>) -> Vec<Option<(Key, usize)>> {
    // Only programs with such ops are decoded again.
    let mut outlines: BTreeMap<ProgramId, Outline<'_>> = BTreeMap::new();
    let key = |index: usize| {
        let label = session.label(LabelId::from_index(index));
        if label.kind != SliceKind::Op || !matches!(label.class, Class::Copy | Class::Collective) {
            return None;
        }
        let op = session.op(label.op?);
        let program = session.program(op.program);
        let hlo = program.hlo.as_ref()?;
        let instruction = hlo.instruction(session.text(op.name))?;
        let role = ROLES.iter().position(|role| *role == instruction.opcode)?;
        let collective = hlo.collective(instruction)?;
        let is_receive = match collective.kind {
            CollectiveKind::HostSend => false,
            CollectiveKind::HostReceive => true,
            _ => return None,
        };
        let outline = outlines
            .entry(op.program)
            .or_insert_with(|| Outline::of(program.hlo_bytes()));
        let said =
            |instruction: &Instruction| hlo.details(outline, instruction).frontend_attributes;
        let said = [said(collective.begin), said(instruction)].concat();
        let value = |name: &str| {
            let found = said.iter().find(|(key, _)| key == name);
            found.map(|(_, value)| value.clone())
        };
        let channel = collective.begin.attributes().map_or(0, |a| a.channel_id);
        let name = value(RENDEZVOUS).unwrap_or_else(|| format!("channel {channel}"));
        let key = (op.program, name);
        let exchange = exchanges.entry(key.clone()).or_default();
        exchange.names[role].clone_from(&instruction.name);
        if let Some(transfer_type) = value(TRANSFER_TYPE) {
            exchange.transfer_type = transfer_type;
        }
        let bytes = if is_receive {
            &mut exchange.received_bytes
        } else {
            &mut exchange.sent_bytes
        };
        *bytes = (*bytes).max(collective.operand_bytes);
        Some((key, role))
    };
    (0..session.labels.len()).map(key).collect()
}

fn slices(
    session: &Session,
    selected: &Selected<'_>,
    device: DeviceId,
    keys: &[Option<(Key, usize)>],
) -> BTreeMap<Key, Slices> {
    let mut found: BTreeMap<Key, Slices> = BTreeMap::new();
    let windows = Intervals::union_of(selected.windows(device)).into_spans();
    for (id, track) in session.work_tracks(device) {
        for (number, lane) in track.lanes.iter().enumerate() {
            for &window in &windows {
                for index in lane.starting_in(window) {
                    let Some((key, role)) = &keys[lane.labels()[index].index()] else {
                        continue;
                    };
                    let slice = slice_id(id, number, index);
                    let slices = found.entry(key.clone()).or_default();
                    slices[*role].push((lane.span(index), slice));
                }
            }
        }
    }
    for slices in found.values_mut().flatten() {
        slices.sort_unstable();
    }
    found
}

pub(super) fn slice_id(track: TrackId, lane: usize, index: usize) -> SliceId {
    SliceId {
        track,
        lane: u32::try_from(lane).unwrap_or(u32::MAX),
        index: u32::try_from(index).unwrap_or(u32::MAX),
    }
}

impl Exchange {
    /// Bytes over the network of one occurrence; see the table at the top of this file.
    fn network_bytes(&self, participants: Option<u64>) -> Option<u64> {
        let some = |bytes: u64| (bytes > 0).then_some(bytes);
        let size = || some(self.received_bytes);
        let n = participants.filter(|&n| n > 0);
        // 128 bits cannot overflow here.
        let part = |times: u64, of: u64| {
            let bytes = u128::from(size()?) * u128::from(times) / u128::from(of.max(1));
            some(u64::try_from(bytes).unwrap_or(u64::MAX))
        };
        match self.transfer_type.as_str() {
            "" => some(self.sent_bytes.max(self.received_bytes)),
            "ONE_TO_ONE" => part(n.unwrap_or(1), 1),
            "ALL_GATHER" | "ALL_TO_ALL" => part(n? - 1, n?),
            "ALL_REDUCE" => part((n? - 1).saturating_mul(2), n?),
            "REDUCE_SCATTER" => part(n? - 1, 1),
            _ => None,
        }
    }
}

impl Sums {
    /// Adds the occurrences: the k-th slices of the four ops belong together.
    fn add(&mut self, slices: &Slices, communication: &Intervals) {
        let count = slices.iter().map(Vec::len).max().unwrap_or(0);
        for occurrence in 0..count {
            let at = |role: usize| slices[role].get(occurrence).copied();
            let own = (0..ROLES.len()).filter_map(at);
            let Some((first, slice)) = own.clone().min() else {
                continue;
            };
            self.occurrences += 1;
            let mut stall_ps = 0i64;
            for role in 0..ROLES.len() {
                let example = &mut self.examples[role];
                *example = example.or(at(role).map(|(_, slice)| slice));
                let length_ps = at(role).map_or(0, |(span, _)| span.duration().0);
                self.roles_ps[role] = self.roles_ps[role].saturating_add(length_ps);
                stall_ps = stall_ps.saturating_add(length_ps);
            }
            if let Some((span, _)) = at(RECV_DONE) {
                self.received_ps.push(span.duration().0);
            }
            let begin = at(SEND).map_or(first.start, |(span, _)| span.start);
            let last = at(RECV_DONE).or(at(SEND_DONE)).or(at(RECV));
            if let Some((last, _)) = last {
                let until = last.start.max(begin);
                let between = Span {
                    start: begin,
                    end: until,
                };
                let other_ps = communication.duration_within(between).0;
                self.slack_ps += ((until - begin).0 - other_ps).max(0) as f64;
                self.observed_ps += (last.end.max(begin) - begin).0 as f64;
            }
            if self.worst.is_none_or(|(worst, ..)| stall_ps > worst) {
                self.worst = Some((stall_ps, first, slice));
            }
        }
    }
}

fn row(session: &Session, (program, rendezvous): Key, exchange: &Exchange) -> RendezvousRow {
    let sums = &exchange.sums;
    let count = sums.occurrences.max(1) as f64;
    let mean = |sum: i64| sum as f64 / count;
    let total_stall_ps = sums
        .roles_ps
        .iter()
        .fold(0i64, |sum, &own| sum.saturating_add(own));
    let mut examples = sums.examples.iter().flatten();
    let participants = examples.find_map(|&slice| session.exchange_participants(slice));
    let bytes = exchange.network_bytes(participants);
    let slack_ps = sums.slack_ps / count;
    let received = Latency::of(sums.received_ps.clone());
    let (_, span, slice) = sums.worst.unwrap_or((
        0,
        Span {
            start: Picos::ZERO,
            end: Picos::ZERO,
        },
        slice_id(TrackId(0), 0, 0),
    ));
    let named = |one: usize, other: usize| match exchange.names[one].as_str() {
        "" => exchange.names[other].clone(),
        name => name.to_owned(),
    };
    RendezvousRow {
        rendezvous,
        transfer_type: exchange.transfer_type.clone(),
        participants: participants.map(signed),
        program: session.program(program).title(),
        program_id: session.program(program).id.to_string(),
        send_op: named(SEND, SEND_DONE),
        recv_op: named(RECV, RECV_DONE),
        occurrences: sums.occurrences,
        bytes: bytes.map(signed),
        slack_ps,
        observed_ps: sums.observed_ps / count,
        send_ps: mean(sums.roles_ps[SEND]),
        send_done_ps: mean(sums.roles_ps[SEND_DONE]),
        recv_ps: mean(sums.roles_ps[RECV]),
        recv_done_ps: mean(sums.roles_ps[RECV_DONE]),
        recv_done_p50_ps: received.p50_ps,
        recv_done_p99_ps: received.p99_ps,
        stall_ps: mean(total_stall_ps),
        total_stall_ps,
        required_bandwidth: bytes.and_then(|bytes| rate(bytes, slack_ps)),
        start_ps: span.start.0,
        slice: slice.into(),
    }
}
