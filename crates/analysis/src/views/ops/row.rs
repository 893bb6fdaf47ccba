//! From a group to a row: names, work and bound.

use stepscope_model::{DeviceId, Op, OpCost, OpId, ProgramId, Session};

use super::collect::Group;
use super::expectation::rated;
use super::key::Key;
use super::report::OpRow;
use super::roofline::{Roofline, Work, common_peaks};
use super::run::Run;
use crate::telling::attribution;

/// A row with its inputs, for analyses that group rows differently.
pub(crate) struct Measured {
    /// The row as `ops` shows it.
    pub(crate) row: OpRow,
    /// The HLO op of the row.
    pub(crate) op: Option<OpId>,
    /// The program of the row.
    pub(crate) program: Option<ProgramId>,
    /// Devices that the op ran on, ascending.
    pub(crate) devices: Vec<DeviceId>,
    /// Work of all executions. Absent if it is unknown or counted elsewhere (control ops, ends of
    /// asynchronous ops).
    pub(crate) work: Option<Work>,
    /// Rates; empty for both halves of an asynchronous op.
    pub(crate) roofline: Roofline,
}

pub(super) fn measure(session: &Session, group: &Group, total_self_ps: i64) -> Measured {
    let label = session.label(group.label);
    let totals = group.totals;
    let (name, category, program, op) = match group.key {
        Key::Op(id) => {
            let op = session.op(id);
            (
                session.text(op.name),
                session.text(op.category),
                Some(op.program),
                Some(op),
            )
        }
        Key::Kernel(program, name, _) => {
            let kind = label.framework_type.map(|kind| session.text(kind));
            (session.text(name), kind.unwrap_or("kernel"), program, None)
        }
        Key::Transfer(program, direction, _) => (direction.name(), "transfer", program, None),
    };
    let cost = op.and_then(|op| own_cost(session, op));
    let work = cost.map(|cost| Work::of(&cost, group.executions as f64));
    let charged = op.zip(cost).filter(|_| !is_async_half(category));
    let (rates, theory) = charged.map_or_else(Default::default, |(op, cost)| {
        let run = Run {
            session,
            op,
            cost,
            devices: &group.devices,
            executions: group.executions as f64,
            total_ps: totals.total_ps,
        };
        rated(&run, &common_peaks(session, &group.devices))
    });
    let framework_op = label.framework_op.filter(|_| op.is_none());
    let scope = op.map(|op| op.scope).or(framework_op);
    let text = |read: fn(&Op) -> stepscope_model::StringId| {
        op.map(|op| session.text(read(op)).to_owned())
            .unwrap_or_default()
    };
    let row = OpRow {
        program: program
            .map(|id| session.program(id).title())
            .unwrap_or_default(),
        program_id: program_id(session, program),
        name: name.to_owned(),
        category: category.to_owned(),
        category_source: op
            .map(|op| op.category_source.name().to_owned())
            .unwrap_or_default(),
        attribution: attribution::words(&group.attributions),
        class: label.class.name().to_owned(),
        device: device_name(session, group),
        occurrences: totals.occurrences,
        executions: group.executions,
        total_ps: totals.total_ps,
        self_ps: totals.self_ps,
        self_ratio: if total_self_ps > 0 {
            totals.self_ps as f64 / total_self_ps as f64
        } else {
            0.0
        },
        flops: cost.and_then(|cost| cost.flops),
        bytes: cost.map(|cost| cost.bytes),
        flop_rate: rates.flop_rate,
        bandwidth: rates.bandwidth,
        bound_by: rates.bound_by.to_owned(),
        roofline_ratio: rates.ratio,
        operand_type: theory.operand_type,
        peak_flops_per_second: theory.peak_flops,
        expected_ps: theory.expected_ps,
        times_expected: theory
            .expected_ps
            .filter(|&expected| expected > 0.0)
            .map(|expected| totals.total_ps as f64 / expected),
        expectation: theory.sentence,
        cost_source: cost
            .map(|cost| cost.source.name().to_owned())
            .unwrap_or_default(),
        scope: scope
            .map(|id| session.text(id).to_owned())
            .unwrap_or_default(),
        source: text(|op| op.source),
        is_rematerialized: op.is_some_and(|op| op.is_rematerialized),
    };
    Measured {
        row,
        op: match group.key {
            Key::Op(id) => Some(id),
            _ => None,
        },
        program,
        devices: group.devices.clone(),
        work,
        roofline: rates,
    }
}

/// The work counted on the op itself. The work of a control op is done by its body, and that of an
/// asynchronous op is counted on its start only.
pub(crate) fn own_cost(session: &Session, op: &Op) -> Option<OpCost> {
    let is_end = session.text(op.category).ends_with("-done");
    op.cost.filter(|_| !op.is_control && !is_end)
}

/// Whether this is the start or the end of an asynchronous op. The work happens between them, so the
/// time of either gives no rate.
pub(crate) fn is_async_half(category: &str) -> bool {
    category.ends_with("-start") || category.ends_with("-done")
}

fn program_id(session: &Session, program: Option<ProgramId>) -> String {
    program
        .map(|id| session.program(id).id.to_string())
        .unwrap_or_default()
}

/// The device, if there is only one. Empty for work merged over several.
fn device_name(session: &Session, group: &Group) -> String {
    match group.devices.as_slice() {
        [device] if group.is_per_device || session.devices.len() == 1 => {
            session.device_title(*device)
        }
        _ => String::new(),
    }
}
