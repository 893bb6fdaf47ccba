//! Collecting warnings while the session is built.

use rustc_hash::FxHashSet;
use stepscope_xplane::ProblemKind;

use super::build::BuiltTrack;
use super::clocks::Clocks;
use super::input::HostInput;
use super::plan::{Plan, TrackPlan};
use super::programs::Programs;
use super::round::Round;
use crate::remains::WHY_EMPTY;
use crate::units::Picos;
use crate::warning::{Warning, WarningKind, folded, shortened};

/// Warnings so far.
#[derive(Default)]
pub(super) struct Warnings(Vec<Warning>);

/// Fewer than one slice of so many may overlap others in part: an annotation begins within the call of
/// Python that opens it, and ends after that.
const MANY_OVERLAP: usize = 100;

/// Prefix for warnings of a file that was converted from a trace instead of written by a profiler.
const CONVERTED: &str = "converted: ";
/// Nanoseconds of a day.
const DAY_NS: u64 = 86_400_000_000_000;
/// Problems of one kind on one host beyond this many are summed up.
pub(super) const MAX_EACH: usize = 5;

impl Warnings {
    /// By severity, then host, then text; each once.
    pub(super) fn into_sorted(mut self) -> Vec<Warning> {
        self.0
            .sort_by(|a, b| (a.kind, &a.host, &a.message).cmp(&(b.kind, &b.host, &b.message)));
        self.0.dedup();
        folded(self.0)
    }

    fn add(&mut self, kind: WarningKind, host: &str, message: String, hint: &str) {
        self.0.push(Warning {
            kind,
            host: host.to_owned(),
            message,
            hint: hint.to_owned(),
        });
    }

    /// Results of scanning the files of a round.
    pub(super) fn files(&mut self, round: &Round<'_, '_>, plan: &Plan) {
        for (id, input, space) in round.hosts() {
            let host = &input.host;
            if let Some(problem) = &input.problem {
                let hint =
                    "Capture again, or copy the file again if it was truncated during the copy";
                self.add(WarningKind::Truncated, host, problem.clone(), hint);
            }
            if (*input.bytes).as_ref().is_empty() {
                let message = format!("The file of {host} is empty (0 bytes): {WHY_EMPTY}");
                self.add(WarningKind::Truncated, host, message, "");
            } else if space.planes.is_empty() && space.problems.is_empty() {
                let message = format!("The file of {host} has no planes: nothing was recorded");
                self.add(
                    WarningKind::Missing,
                    host,
                    message,
                    "Check that the profiled code ran while the profiler was on",
                );
            }
            for problem in space.problems.iter().take(MAX_EACH) {
                self.problem(host, problem.kind, problem.offset, &problem.plane);
            }
            if space.problems.len() > MAX_EACH {
                let more = space.problems.len() - MAX_EACH;
                self.add(
                    WarningKind::Damaged,
                    host,
                    format!("{more} more places could not be decoded"),
                    "",
                );
            }
            for text in space.errors.iter().chain(&space.warnings) {
                if let Some(remark) = text.strip_prefix(CONVERTED) {
                    self.add(WarningKind::Missing, host, shortened(remark), "");
                    continue;
                }
                let message = format!("The profiler reported: {}", shortened(text));
                self.add(WarningKind::Recorder, host, message, "");
            }
            let empty = plan.empty_lines[round.position(id)];
            if empty > 0 {
                let rows = if empty == 1 { "row has" } else { "rows have" };
                let message = format!(
                    "{empty} {rows} no events and {} not shown",
                    if empty == 1 { "is" } else { "are" }
                );
                self.add(WarningKind::Repaired, host, message, "");
            }
        }
    }

    /// Hosts whose recorded start cannot be right.
    pub(super) fn clocks(&mut self, inputs: &[HostInput], clocks: &Clocks) {
        for &(position, nanos) in &clocks.far_hosts {
            let message = format!(
                "By its clock the recording began {} days after that of another host; it is shown from the session's start",
                nanos / DAY_NS
            );
            let hint = "Check the clock of the host, or open captures of different days separately";
            self.add(WarningKind::Repaired, &inputs[position].host, message, hint);
        }
    }

    fn problem(&mut self, host: &str, kind: ProblemKind, offset: usize, plane: &str) {
        let location = if plane.is_empty() {
            String::new()
        } else {
            format!(" in plane {plane}")
        };
        match kind {
            ProblemKind::Truncated => self.add(
                WarningKind::Truncated,
                host,
                format!("The file ends within a message that starts at byte {offset}{location}; what came before is shown"),
                "The capture was probably stopped while the file was written, or the copy is incomplete: capture or copy it again",
            ),
            ProblemKind::Malformed => self.add(
                WarningKind::Damaged,
                host,
                format!("The bytes from {offset} on{location} cannot be decoded; the rest is shown"),
                "Compare the file with the original, or capture again",
            ),
        }
    }

    /// Results of decoding the tracks of a round.
    pub(super) fn tracks(
        &mut self,
        round: &Round<'_, '_>,
        plans: &[TrackPlan],
        built: &[BuiltTrack],
    ) {
        for (id, input, space) in round.hosts() {
            let own = || plans.iter().zip(built).filter(|(plan, _)| plan.host == id);
            // If the file ends early, the scan has already reported it.
            let told = space.problems.iter();
            let told = told.filter(|told| told.kind == ProblemKind::Truncated);
            let told: FxHashSet<&str> = told.map(|told| told.plane.as_str()).collect();
            let is_told = |plane: &str| told.contains(plane);
            let damage = own().flat_map(|(_, built)| &built.decoded.damage);
            let damage = damage.filter(|&&(plane, _, _, is_truncated)| {
                !(is_truncated && is_told(&space.planes[plane as usize].name))
            });
            for &(plane, line, offset, is_truncated) in damage.take(MAX_EACH) {
                let owner = &space.planes[plane as usize];
                let start = space.offset_of(owner.lines[line as usize].as_bytes());
                let kind = if is_truncated {
                    ProblemKind::Truncated
                } else {
                    ProblemKind::Malformed
                };
                self.problem(&input.host, kind, start + offset, &owner.name);
            }
            self.repairs(&input.host, own().map(|(_, built)| built));
        }
    }

    fn repairs<'a>(&mut self, host: &str, built: impl Iterator<Item = &'a BuiltTrack> + Clone) {
        let repaired: u64 = built.clone().map(|built| built.decoded.repaired).sum();
        if repaired > 0 {
            let message = format!(
                "{repaired} events had a negative length or a time out of range and were set to the nearest possible value"
            );
            self.add(WarningKind::Repaired, host, message, "");
        }
        let unsorted = built.clone().filter(|built| built.was_unsorted).count();
        if unsorted > 0 {
            let message = format!("{unsorted} rows were not in time order and were sorted");
            self.add(WarningKind::Repaired, host, message, "");
        }
        let pieces = built.clone().flat_map(|built| &built.pieces);
        let overlapping: usize = pieces.clone().map(|piece| piece.nested.overlapping).sum();
        let lanes = pieces.flat_map(|piece| &piece.nested.lanes);
        let all: usize = lanes.map(|lane| lane.range.len()).sum();
        if overlapping * MANY_OVERLAP > all {
            let message = format!(
                "{overlapping} slices overlap others of their row in part and are shown in lanes of their own"
            );
            self.add(WarningKind::Repaired, host, message, "");
        }
        let distance = built
            .clone()
            .map(|built| built.decoded.clock_distance_ps)
            .max()
            .unwrap_or(0);
        if Picos(distance) > Picos::from_nanos(1_000_000) {
            let message = format!(
                "Device ops carry two times; ops are placed and measured by the device's own clock, up to {:.1} ms from where the host's clock puts them",
                Picos(distance).as_seconds() * 1e3
            );
            self.add(WarningKind::Repaired, host, message, "");
        }
        let aggregates: usize = built.map(|built| built.decoded.aggregates.len()).sum();
        if aggregates > 0 {
            let message = format!(
                "{aggregates} events were recorded as sums without times: they appear in tables but not on the timeline"
            );
            self.add(WarningKind::Missing, host, message, "");
        }
    }

    pub(super) fn programs(&mut self, programs: &Programs) {
        for (title, reason) in programs.damaged.iter().take(MAX_EACH) {
            let message = format!("The HLO of {title} could not be decoded: {reason}");
            self.add(WarningKind::Damaged, "", message, "");
        }
        let more = programs.damaged.len().saturating_sub(MAX_EACH);
        if more > 0 {
            let message = format!("The HLO of {more} more programs could not be decoded");
            self.add(WarningKind::Damaged, "", message, "");
        }
    }

    pub(super) fn nameless(&mut self, count: usize) {
        if count > 0 {
            let message =
                format!("{count} kinds of events have no name in the file and are shown by number");
            self.add(
                WarningKind::Missing,
                "",
                message,
                "The table of names is written last: the file is probably truncated",
            );
        }
    }

    pub(super) fn merged_devices(&mut self, host: &str, count: usize) {
        let message = format!(
            "Ops do not say which of {count} devices ran them: all are shown as those of one, CPU:0"
        );
        let hint = "Record with a newer jaxlib (0.7.2 or later) to see each device";
        self.add(WarningKind::Missing, host, message, hint);
    }

    pub(super) fn attributed(&mut self, count: usize) {
        if count > 0 {
            let message = format!(
                "{count} kernels have no HLO op; they are attributed to the program of their launch"
            );
            self.add(WarningKind::Missing, "", message, "CUDA graphs hide op names; XLA_FLAGS=--xla_gpu_enable_command_buffer= records them, at some cost in speed");
        }
    }
}
