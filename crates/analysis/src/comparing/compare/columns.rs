//! Columns of the tables of `compare`: titles, units, behavior, and how each is read from its row.
//! The meaning of each column is documented at the field of its row.

use super::report::{
    CompareReport, ComparedCause, ComparedFact, ComparedKernel, ComparedMethod, ComparedOp,
    ComparedOpSide, ComparedPart, ComparedProgram, ComparedSession, Evidence, TimeDifference,
    WaterfallBar,
};
use crate::telling::{Cell, Column, Declared, Field, Unit};

pub(super) const SESSIONS: &[Field<ComparedSession, Option<TimeDifference>>] = &[
    Column::new("session", "Session", Unit::Text)
        .means("Name of the session that is compared with the baseline.")
        .of(|session| session.name.as_str().into()),
    Column::wide("devices", "Devices", Unit::Text).of(|session| session.devices.as_str().into()),
    Column::new("step_count", "Steps", Unit::Count).of(|session| session.step_count.into()),
    Column::wide("typical_step_count", "Typical steps", Unit::Count)
        .of(|session| session.typical_step_count.into()),
    Column::new("step_ps", "Step", Unit::Picos)
        .fractional()
        .formula("mean over hosts of the mean over the host’s devices, per step")
        .of(|session| session.step_ps.into()),
    Column::new("difference_ps", "Difference", Unit::Picos)
        .fractional()
        .means("Mean typical step of this session − mean typical step of the baseline.")
        .within(|_, step| step.as_ref().map(|step| step.difference_ps).into()),
    Column::new("ratio", "Change", Unit::Ratio)
        .means("Difference of the mean typical step ÷ mean typical step of the baseline.")
        .within(|_, step| step.as_ref().and_then(|step| step.ratio).into()),
    Column::new("evidence", "Noise", Unit::Text)
        .means("Whether the difference is more than noise explains.")
        .within(|_, step| step.as_ref().map(|step| step.evidence.name()).into()),
    Column::wide("all_steps_ps", "With outliers", Unit::Picos)
        .fractional()
        .of(|session| session.all_steps_ps.into()),
    Column::wide("busy_ratio", "Device busy", Unit::Ratio)
        .more_is_better()
        .formula("device busy ÷ step, in typical steps")
        .of(|session| session.busy_ratio.into()),
    Column::wide("mfu_ratio", "MFU", Unit::Ratio)
        .more_is_better()
        .formula("Σ (needed FLOPs of a type ÷ its peak) ÷ device time")
        .of(|session| session.mfu_ratio.into()),
    Column::wide("hfu_ratio", "HFU", Unit::Ratio)
        .more_is_better()
        .formula("Σ (FLOPs of a type ÷ its peak) ÷ device time")
        .of(|session| session.hfu_ratio.into()),
    Column::wide("launch_count", "Launches", Unit::Count)
        .fractional()
        .less_is_better()
        .formula("mean over devices")
        .of(|session| session.launch_count.into()),
    Column::wide("compilation_count", "Compilations", Unit::Count)
        .less_is_better()
        .of(|session| session.compilation_count.into()),
    Column::wide("compilation_ps", "Compiling", Unit::Picos)
        .of(|session| session.compilation_ps.into()),
    Column::wide("memory_peak_bytes", "Memory peak", Unit::Bytes)
        .less_is_better()
        .of(|session| session.memory_peak_bytes.into()),
    Column::wide("collective_bytes", "Communicated", Unit::Bytes)
        .fractional()
        .formula("mean over devices")
        .of(|session| session.collective_bytes.into()),
    Column::wide("wall_step_ps", "Wall step", Unit::Picos)
        .fractional()
        .of(|session| session.wall_step_ps.into()),
    Column::wide("training_wall_ps", "Training", Unit::Picos)
        .fractional()
        .of(|session| session.training_wall_ps.into()),
    Column::wide("run_wall_ps", "Whole run", Unit::Picos)
        .fractional()
        .of(|session| session.run_wall_ps.into()),
];

pub(super) const CAUSES: &[Field<ComparedCause, str>] = &[
    Column::wide("session", "Session", Unit::Text)
        .means("Name of the session that is compared with the baseline.")
        .within(|_, session| session.into()),
    Column::wide("kind", "Kind", Unit::Text).of(|cause| cause.kind.as_str().into()),
    Column::new("difference_ps", "Per step", Unit::Picos)
        .fractional()
        .of(|cause| cause.difference_ps.into()),
    Column::wide("evidence", "Noise", Unit::Text)
        .means("Whether the difference is more than noise explains.")
        .of(|cause| cause.evidence.map(Evidence::name).into()),
    Column::new("text", "Why", Unit::Text).of(|cause| cause.text.as_str().into()),
];

pub(super) const WATERFALL: &[Field<WaterfallBar, str>] = &[
    Column::wide("session", "Session", Unit::Text)
        .means("Name of the session that is compared with the baseline.")
        .within(|_, session| session.into()),
    Column::new("title", "What", Unit::Text).of(|bar| bar.title.as_str().into()),
    Column::wide("kind", "Kind", Unit::Text).of(|bar| bar.kind.name().into()),
    Column::new("part", "Part", Unit::Text).of(|bar| {
        bar.part
            .map(crate::measuring::steps::PartKind::title)
            .into()
    }),
    Column::new("difference_ps", "Difference", Unit::Picos)
        .fractional()
        .of(|bar| bar.difference_ps.into()),
    Column::new("evidence", "Noise", Unit::Text)
        .means("Whether the difference is more than noise explains.")
        .of(|bar| bar.evidence.name().into()),
];

pub(super) const OPS: &[Field<ComparedOp, CompareReport>] = &[
    Column::wide("session", "Session", Unit::Text)
        .within(|op, report| report.sessions[op.session].name.as_str().into()),
    Column::new("name", "Op", Unit::Text)
        .means("Name of the op in this session. Empty if the op is gone.")
        .of(|op| text(op.other.as_ref(), |side| &side.name)),
    Column::new("baseline_name", "Baseline", Unit::Text)
        .means("Name of the op in the baseline. Empty if the op is new.")
        .of(|op| text(op.baseline.as_ref(), |side| &side.name)),
    Column::new("matched", "Matched", Unit::Text).of(|op| op.matched.as_str().into()),
    Column::new("baseline_ps", "Before", Unit::Picos)
        .fractional()
        .means("Self time of the op per step in the baseline, mean over devices.")
        .of(|op| op.time.baseline_ps.into()),
    Column::new("mean_ps", "After", Unit::Picos)
        .fractional()
        .means("Self time of the op per step in this session, mean over devices.")
        .of(|op| op.time.mean_ps.into()),
    Column::new("step_difference_ps", "Effect on step", Unit::Picos)
        .fractional()
        .of(|op| op.step_difference_ps.into()),
    Column::new("evidence", "Noise", Unit::Text)
        .means("Whether the difference is more than noise explains.")
        .of(|op| op.time.evidence.name().into()),
    Column::wide("low_ps", "Low", Unit::Picos)
        .fractional()
        .means("Lower end of the confidence interval of the difference in self time.")
        .of(|op| op.time.low_ps.into()),
    Column::wide("high_ps", "High", Unit::Picos)
        .fractional()
        .means("Upper end of the confidence interval of the difference in self time.")
        .of(|op| op.time.high_ps.into()),
    Column::wide("change", "Change", Unit::Text).of(|op| op.change.as_str().into()),
    Column::wide("class", "Class", Unit::Text).of(|op| op.class.as_str().into()),
    Column::wide("source", "Source", Unit::Text)
        .means("Source line of the program that created the op.")
        .of(|op| known(op, |side| &side.source)),
    Column::wide("scope", "Scope", Unit::Text)
        .means("Name stack of the op: where the program created it.")
        .of(|op| known(op, |side| &side.scope)),
    Column::wide("program_id", "Program", Unit::Text)
        .means("Id of the program that contains the op in this session.")
        .of(|op| text(op.other.as_ref(), |side| &side.program_id)),
    Column::wide("baseline_program_id", "Baseline program", Unit::Text)
        .means("Id of the program that contains the op in the baseline.")
        .of(|op| text(op.baseline.as_ref(), |side| &side.program_id)),
    Column::wide("difference_ps", "Self difference", Unit::Picos)
        .fractional()
        .means("Self time of the op per step in this session − in the baseline.")
        .of(|op| op.time.difference_ps.into()),
    Column::wide("ratio", "Relative", Unit::Ratio)
        .means("Difference in self time ÷ self time of the op in the baseline.")
        .of(|op| op.time.ratio.into()),
];

pub(super) const PARTS: &[Field<ComparedPart, str>] = &[
    Column::wide("session", "Session", Unit::Text)
        .means("Name of the session that is compared with the baseline.")
        .within(|_, session| session.into()),
    Column::new("part", "Part", Unit::Text).of(|part| part.part.title().into()),
    Column::new("baseline_ps", "Before", Unit::Picos)
        .fractional()
        .means("Mean time of the part per typical step in the baseline.")
        .of(|part| part.time.baseline_ps.into()),
    Column::new("mean_ps", "After", Unit::Picos)
        .fractional()
        .means("Mean time of the part per typical step in this session.")
        .of(|part| part.time.mean_ps.into()),
    Column::new("difference_ps", "Difference", Unit::Picos)
        .fractional()
        .means("Mean time of the part per typical step in this session − in the baseline.")
        .of(|part| part.time.difference_ps.into()),
    Column::wide("low_ps", "Low", Unit::Picos)
        .fractional()
        .means("Lower end of the confidence interval of the difference in the part.")
        .of(|part| part.time.low_ps.into()),
    Column::wide("high_ps", "High", Unit::Picos)
        .fractional()
        .means("Upper end of the confidence interval of the difference in the part.")
        .of(|part| part.time.high_ps.into()),
    Column::new("evidence", "Noise", Unit::Text)
        .means("Whether the difference is more than noise explains.")
        .of(|part| part.time.evidence.name().into()),
];

pub(super) const PROGRAMS: &[Field<ComparedProgram, str>] = &[
    Column::wide("session", "Session", Unit::Text)
        .means("Name of the session, unique among the compared sessions.")
        .within(|_, session| session.into()),
    Column::new("baseline", "Baseline", Unit::Text).of(|program| program.baseline.as_str().into()),
    Column::new("other", "Program", Unit::Text).of(|program| program.other.as_str().into()),
    Column::new("matched", "Matched", Unit::Text)
        .means(
            "How the program matches the baseline: one of `same`, `changed`, `new` or \
             `gone`. Ops are matched by scope, source line, opcode, shape, neighbors \
             and position in the program, not by name.",
        )
        .of(|program| program.matched.as_str().into()),
    Column::wide("baseline_instructions", "Before", Unit::Count)
        .of(|program| program.baseline_instructions.into()),
    Column::wide("other_instructions", "After", Unit::Count)
        .of(|program| program.other_instructions.into()),
    Column::new("added_count", "Added", Unit::Count).of(|program| program.added_count.into()),
    Column::new("removed_count", "Removed", Unit::Count).of(|program| program.removed_count.into()),
    Column::new("changed_count", "Changed", Unit::Count).of(|program| program.changed_count.into()),
];

pub(super) const ENVIRONMENT: &[Field<ComparedFact, str>] = &[
    Column::wide("session", "Session", Unit::Text)
        .means("Name of the session that is compared with the baseline.")
        .within(|_, session| session.into()),
    Column::new("name", "Fact", Unit::Text).of(|fact| fact.name.as_str().into()),
    Column::new("baseline", "Baseline", Unit::Text).of(|fact| fact.baseline.as_str().into()),
    Column::new("other", "This session", Unit::Text).of(|fact| fact.other.as_str().into()),
];

pub(super) const METHODS: &[Field<ComparedMethod>] = &[
    Column::new("method", "Method", Unit::Text)
        .means("Name of the session, with the name scope if there is one.")
        .of(|method| method.name.as_str().into()),
    Column::new("device_ps", "Device time", Unit::Picos)
        .fractional()
        .of(|method| method.device_ps.into()),
    Column::new("ratio", "Vs. first", Unit::Ratio).of(|method| method.ratio.into()),
    Column::new("unit", "Per", Unit::Text).of(|method| method.unit.name().into()),
    Column::new("count", "Count", Unit::Count).of(|method| method.count.into()),
    Column::new("launch_count", "Launches", Unit::Count)
        .fractional()
        .of(|method| method.launch_count.into()),
    Column::wide("kernel_count", "Kernels", Unit::Count).of(|method| method.kernel_count.into()),
    Column::new("mean_launch_ps", "Mean launch", Unit::Picos)
        .fractional()
        .of(|method| method.mean_launch_ps.into()),
];

pub(super) const KERNELS: &[Field<ComparedKernel, CompareReport>] = &[
    Column::wide("method", "Method", Unit::Text)
        .within(|kernel, report| report.methods[kernel.method].name.as_str().into()),
    Column::new("kernel", "Kernel", Unit::Text)
        .means("Name of the kernel. On devices that run ops instead of kernels, the kind of op.")
        .of(|kernel| kernel.name.as_str().into()),
    Column::new("baseline_count", "Launches before", Unit::Count)
        .fractional()
        .of(|kernel| kernel.baseline_count.into()),
    Column::new("count", "Launches after", Unit::Count)
        .fractional()
        .of(|kernel| kernel.count.into()),
    Column::new("baseline_ps", "Before", Unit::Picos)
        .fractional()
        .of(|kernel| kernel.baseline_ps.into()),
    Column::new("mean_ps", "After", Unit::Picos)
        .fractional()
        .of(|kernel| kernel.mean_ps.into()),
    Column::new("difference_ps", "Difference", Unit::Picos)
        .fractional()
        .of(|kernel| kernel.difference_ps.into()),
];

/// The tables of the report with their columns.
pub(super) fn tables() -> Vec<Declared> {
    vec![
        Declared::of("sessions", SESSIONS),
        Declared::of("causes", CAUSES),
        Declared::of("waterfall", WATERFALL),
        Declared::of("outliers", WATERFALL),
        Declared::of("ops", OPS),
        Declared::of("parts", PARTS),
        Declared::of("programs", PROGRAMS),
        Declared::of("environment", ENVIRONMENT),
        Declared::of("methods", METHODS),
        Declared::of("kernels", KERNELS),
    ]
}

/// A text of one side of an op; missing if that side does not have the op.
fn text(side: Option<&ComparedOpSide>, read: fn(&ComparedOpSide) -> &str) -> Cell {
    side.map(read).into()
}

/// A text of the op in this session, else in the baseline.
fn known(op: &ComparedOp, read: fn(&ComparedOpSide) -> &str) -> Cell {
    text(op.other.as_ref().or(op.baseline.as_ref()), read)
}
