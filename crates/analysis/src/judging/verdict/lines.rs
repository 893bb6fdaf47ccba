//! The verdict in a few lines: what was captured, the key figures, the top ops, the findings.

use super::evidence::short;
use super::limits;
use super::report::{Finding, Severity, VerdictOp, VerdictReport};
use crate::measuring::steps::{StepPart, StepSource};
use crate::telling::attribution;
use crate::telling::format;
use crate::telling::steps::between_in_words;
use crate::views::ops::beside;

/// At most [`limits::LINES`] lines. The last one counts the findings that do not fit.
/// `program_count` is set for sessions that consist only of programs.
pub(super) fn lines(report: &VerdictReport, program_count: Option<usize>) -> Vec<String> {
    if let Some(count) = program_count {
        let count = format::counted(count, "program");
        return vec![format!(
            "HLO of {count} without recorded events: see `stepscope buffers PATH` and \
             `stepscope graph PATH`"
        )];
    }
    if report.host_count == 0 && report.memory_profile_count > 0 {
        let count = format::counted(report.memory_profile_count, "memory profile");
        let first = format!("{count} without recorded events: see `stepscope heap PATH`");
        return std::iter::once(first)
            .chain(report.findings.iter().map(finding))
            .collect();
    }
    let mut lines = vec![captured(report)];
    lines.extend(key_figures(report));
    // Without work of a device, nothing is known of what it did.
    if report.device_busy_ratio.is_some() {
        lines.extend(mean_step(report));
    }
    lines.extend(attribution::sentence(&report.attribution).map(|share| covered(&share)));
    lines.extend(top_ops(report));
    let room = limits::LINES - lines.len();
    let findings = report.findings.as_slice();
    let shown = if findings.len() > room {
        room - 1
    } else {
        findings.len()
    };
    lines.extend(findings[..shown].iter().map(finding));
    let rest = findings.len() - shown;
    if rest > 0 {
        let counted = format::counted(rest, "more finding");
        lines.push(format!("{counted}: `stepscope verdict PATH --csv`"));
    }
    lines
}

/// `Captured 20 steps in 163.2 ms: 1 × XLA:CPU on 1 host, 1.2 MiB, 9,312 events`
fn captured(report: &VerdictReport) -> String {
    let timed = report.step_time_ps.as_ref().map_or(0, |time| time.count);
    let duration = format::duration_ps(report.duration_ps as f64);
    let steps = format::counted(report.annotated_step_count.max(timed), "step");
    let what = match (timed, report.annotated_step_count) {
        (0, 0) if report.duration_ps == 0 => "no timed events".to_owned(),
        (0, 0) => format!("{duration}, no steps"),
        (0, _) => format!("{steps} (none timed) in {duration}"),
        (timed, annotated) if timed < annotated => format!("{steps} ({timed} timed) in {duration}"),
        _ => format!("{steps} in {duration}"),
    };
    let devices: Vec<String> = report
        .devices
        .iter()
        .map(|chip| format!("{} × {}", chip.count, chip.chip))
        .collect();
    let devices = if devices.is_empty() {
        "no devices".to_owned()
    } else {
        devices.join(", ")
    };
    format!(
        "Captured {what}: {devices} on {}, {}, {} {}",
        format::counted(report.host_count, "host"),
        format::bytes(report.size_bytes as f64),
        format::count(report.event_count as f64),
        if report.event_count == 1 {
            "event"
        } else {
            "events"
        },
    )
}

/// `Step time 7.815 ms (mean; median 6.556 ms); devices busy 77.5 % of the time from the first to the
/// last step`
fn key_figures(report: &VerdictReport) -> Option<String> {
    let time = report.step_time_ps.as_ref().map(|time| {
        let inferred = match time.source {
            StepSource::Cadence => ", from the device's cadence",
            StepSource::ProgramRuns => ", inferred",
            StepSource::StepLine | StepSource::Annotation => "",
        };
        let mean = format::duration_ps(time.mean);
        let median = format::duration_ps(time.median);
        match time.count {
            1 => format!("Step time {mean}{inferred}"),
            _ => format!("Step time {mean} (mean; median {median}{inferred})"),
        }
    });
    let between = report.step_time_ps.as_ref();
    let between = between.and_then(between_in_words);
    let time = time.map(|time| match between {
        Some(between) => format!("{time}; {between}"),
        None => time,
    });
    let window = match report.step_time_ps {
        Some(_) => "from the first to the last step",
        None => "from the first to the last work of any device",
    };
    let busy = report.device_busy_ratio.map(|ratio| {
        let share = format::percent(ratio);
        format!("devices busy {share} of the time {window}")
    });
    let mfu = report.mfu_ratio.map_or_else(String::new, |mfu| {
        let unknown = beside(1.0 - report.flops_known_ratio.unwrap_or(0.0));
        let unknown = unknown.replacen("; ", ", ", 1);
        format!("; MFU {}{unknown}", format::exact_percent(mfu))
    });
    let busy = busy.map(|busy| format!("{busy}{mfu}"));
    match (time, busy) {
        (Some(time), Some(busy)) => Some(format!("{time}; {busy}")),
        (Some(only), None) => Some(only),
        (None, Some(busy)) => Some(format!("D{}", &busy[1..])),
        (None, None) => None,
    }
}

/// `Mean step: device compute 51.5 %, input wait 26.0 %, idle 12.1 %`. A device that copies or waits
/// within an op is busy, so the busy ratio alone does not show how well it is used. The busy ratio also
/// covers the time between steps; these shares do not.
fn mean_step(report: &VerdictReport) -> Option<String> {
    let mut parts: Vec<&StepPart> = report.step_parts.iter().collect();
    parts.retain(|part| part.ratio >= limits::PART_RATIO);
    parts.sort_by(|a, b| b.ratio.total_cmp(&a.ratio));
    let named: Vec<String> = parts
        .into_iter()
        .take(limits::PARTS_IN_LINES)
        .map(|part| {
            let name = part.part.in_sentence();
            format!("{name} {}", format::percent(part.ratio))
        })
        .collect();
    (!named.is_empty()).then(|| format!("Mean step: {}", named.join(", ")))
}

/// `Kernel time with an HLO op: 97.5 % (recorded 80.1 %, by order 17.4 %)`
fn covered(share: &str) -> String {
    format!("Kernel time with an HLO op: {share}")
}

fn top_ops(report: &VerdictReport) -> Option<String> {
    let shown = &report.top_ops[..report.top_ops.len().min(limits::TOP_OPS_IN_LINES)];
    let named = |op: &VerdictOp| {
        // Ops of several programs may have one name.
        let alike = shown.iter().filter(|other| other.name == op.name).count();
        match op.program.as_str() {
            program if alike > 1 && !program.is_empty() => {
                format!("{} of {}", short(&op.name), short(program))
            }
            _ => short(&op.name),
        }
    };
    let ops: Vec<String> = shown
        .iter()
        .map(|op| format!("{} {}", named(op), format::percent(op.self_ratio)))
        .collect();
    (!ops.is_empty()).then(|| format!("Top ops: {}", ops.join(", ")))
}

/// `warning: 1 compilation … Fix: …`
fn finding(finding: &Finding) -> String {
    let word = finding.severity.word();
    let mut line = format!("{word}: {}", finding.what);
    // Keep informational findings short; the report has the rest.
    if finding.severity != Severity::Info && !finding.why.is_empty() {
        line.push(' ');
        line.push_str(&finding.why);
    }
    if !finding.fix.is_empty() {
        line.push_str(" Fix: ");
        line.push_str(&finding.fix);
    }
    line
}
