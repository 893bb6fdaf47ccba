//! The evidence for the rules: figures of the overview, and what the session recorded.

use std::sync::Arc;

use stepscope_model::{DeviceId, DeviceKind, Session, Span, Warning, WarningKind};

use super::limits;
use super::report::{VerdictDevices, VerdictOp};
use crate::asking::AnalysisError;
use crate::asking::selection::Selection;
use crate::telling::attribution::{AttributionShare, covered_ratio};
use crate::views::glance::Glance;
use crate::views::kernels::attribution_shares;
use crate::views::roofline::{Utilization, utilization};

/// The evidence for the rules.
pub(super) struct Evidence<'a> {
    pub(super) session: &'a Session,
    /// Overview of the whole session: the only source of step time, busy time and top ops.
    pub(super) overview: Arc<Glance>,
    /// HFU and MFU of the whole session.
    pub(super) utilization: Utilization,
    /// Time that was captured.
    pub(super) duration_ps: i64,
    /// First start and last end of each device's work.
    pub(super) work: Arc<Vec<Option<Span>>>,
    /// Share of kernel time that is attributed to HLO ops, as in `kernels`; GPUs only.
    pub(super) attributed_ratio: Option<f64>,
    /// That share by how the op was found; empty without GPUs.
    pub(super) attribution: Vec<AttributionShare>,
    pub(super) size_bytes: i64,
    pub(super) event_count: i64,
}

impl<'a> Evidence<'a> {
    pub(super) fn of(session: &'a Session) -> Result<Self, AnalysisError> {
        let selection = Selection::default();
        let selected = selection.resolve(session)?;
        let overview = Glance::of(session, &selected);
        let has_gpu = session.devices.iter().any(|device| device.kind.is_gpu());
        let attribution = if has_gpu {
            attribution_shares(session, &overview.totals)
        } else {
            Vec::new()
        };
        let size: usize = session
            .hosts
            .iter()
            .map(|host| (*host.bytes).as_ref().len())
            .sum();
        let events: u64 = session.hosts.iter().map(|host| host.event_count).sum();
        Ok(Self {
            session,
            duration_ps: session
                .captured()
                .map_or(0, |captured| captured.duration().0),
            utilization: utilization(session, &selected, &overview.ops.ops, None),
            overview,
            work: crate::measuring::windows::work_extents(session),
            attributed_ratio: covered_ratio(&attribution),
            attribution,
            size_bytes: i64::try_from(size).unwrap_or(i64::MAX),
            event_count: i64::try_from(events).unwrap_or(i64::MAX),
        })
    }

    /// Devices that recorded any work at all.
    pub(super) fn working(&self) -> impl Iterator<Item = DeviceId> {
        let devices = self.session.device_ids();
        devices.filter(|device| self.work[device.index()].is_some())
    }

    /// Whether any device recorded work.
    pub(super) fn has_work(&self) -> bool {
        self.work.iter().any(Option::is_some)
    }

    /// Warnings of these kinds.
    pub(super) fn warnings(&self, kinds: &[WarningKind]) -> Vec<&'a Warning> {
        let all = self.session.warnings.iter();
        all.filter(|warning| kinds.contains(&warning.kind))
            .collect()
    }

    /// Number of devices by chip, in the order of devices.
    pub(super) fn chips(&self) -> Vec<VerdictDevices> {
        let mut chips: Vec<VerdictDevices> = Vec::new();
        for id in self.session.device_ids() {
            let device = self.session.device(id);
            let name = match device.chip.name.as_str() {
                "" => device.kind.name(),
                name => name,
            };
            let known = chips.iter().position(|chip| chip.chip == name);
            let position = known.unwrap_or(chips.len());
            if known.is_none() {
                chips.push(VerdictDevices {
                    chip: name.to_owned(),
                    count: 0,
                    working_count: 0,
                });
            }
            let chip = &mut chips[position];
            chip.count += 1;
            chip.working_count += usize::from(self.work[id.index()].is_some());
        }
        chips
    }

    pub(super) fn top_ops(&self) -> Vec<VerdictOp> {
        let ops = self.overview.ops.rows().take(limits::TOP_OPS);
        ops.map(|op| VerdictOp {
            name: op.name.clone(),
            program: op.program.clone(),
            self_ratio: op.self_ratio,
        })
        .collect()
    }

    /// Whether devices worked, and all that did are XLA:CPU devices.
    pub(super) fn is_cpu_only(&self) -> bool {
        let mut working = self.working().peekable();
        working.peek().is_some()
            && working.all(|id| self.session.device(id).kind == DeviceKind::Cpu)
    }
}

/// Lists names: `a, b, c, d and 5 more`.
pub(super) fn listed(names: &[&str]) -> String {
    const SHOWN: usize = 4;
    let shown = names.len().min(if names.len() == SHOWN + 1 {
        SHOWN + 1
    } else {
        SHOWN
    });
    let text = names[..shown].join(", ");
    match names.len() - shown {
        0 => text,
        more => format!("{text} and {more} more"),
    }
}

/// A name cut to the length used in lines.
pub(super) fn short(name: &str) -> String {
    crate::telling::format::shortened_to(name, limits::LARGEST_NAME)
}
