//! What the report says about steps: the key figures, the stacked bar, the step that stands out.

use stepscope_analysis::measuring::steps::{
    PartKind, StepBar, excess_ps, grown_parts, typical_long,
};
use stepscope_analysis::telling::format as figures;
use stepscope_analysis::telling::{between_in_words, found_in_words};
use stepscope_analysis::views::overview::OverviewReport;

use crate::format::{self, Charset};
use crate::page::{self, BOLD, FAINT};
use crate::parts::LOOKS;

/// Maximum number of steps in the small chart, one character each.
const CHART_STEPS: usize = 60;

/// Columns of the labels of key figures.
const LABEL: usize = 13;

/// Step time, device busy ratio, small chart of steps.
pub(crate) fn key_figures(report: &OverviewReport, width: usize, charset: Charset) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(time) = &report.step_time_ps {
        let duration = |picos: f64| charset.text(&figures::duration_ps(picos));
        let mean = if time.count == 1 { "" } else { "mean " };
        lines.push(format!(
            "Step time    {BOLD}{}{BOLD:#} {mean}of {}, {}",
            duration(time.mean),
            figures::counted(time.count, "step"),
            charset.text(&found_in_words(time)),
        ));
        if time.count > 1 {
            lines.push(format!(
                "             median {}, min {}, max {}",
                duration(time.median),
                duration(time.min as f64),
                duration(time.max as f64),
            ));
        }
        let between = between_in_words(time);
        lines.extend(between.map(|text| format!("             {}", charset.text(&text))));
    } else {
        lines
            .push("Step time    unknown: no steps were recorded and none could be inferred".into());
    }
    if let Some(ratio) = report.device_busy_ratio {
        let (count, all) = (report.device_busy_count, report.devices.len());
        let count = if count < all {
            format!("{count} of {all} devices")
        } else {
            figures::counted(count, "device")
        };
        let busy = figures::percent(ratio);
        // With what is between steps; without what is before the first and after the last one.
        let of = if report.step_time_ps.is_some() {
            "the time from first to last step"
        } else {
            "the time"
        };
        lines.push(format!(
            "Device busy  {BOLD}{busy}{BOLD:#} of {of}, mean of {count}"
        ));
    }
    lines.extend(utilization(report));
    let lines = lines.iter();
    let mut lines: Vec<String> = lines
        .flat_map(|line| page::hanging(line, LABEL, width))
        .collect();
    lines.extend(chart(&report.step_series, width, charset));
    lines
}

/// MFU and HFU, and how much of the time they do not cover; nothing if they are unknown.
fn utilization(report: &OverviewReport) -> Option<String> {
    let (mfu, rest) = report.mfu_in_words()?;
    Some(format!("MFU          {BOLD}{mfu}{BOLD:#} {rest}"))
}

/// A character per step, and the outlier with the cause of its length.
fn chart(steps: &[StepBar], width: usize, charset: Charset) -> Vec<String> {
    if steps.len() < 2 {
        return Vec::new();
    }
    let room = CHART_STEPS.min(width.saturating_sub(13)).max(1);
    let durations: Vec<f64> = steps.iter().map(|step| step.duration_ps).collect();
    let binned: Vec<f64> = durations
        .chunks(durations.len().div_ceil(room))
        .map(|chunk| chunk.iter().copied().fold(0.0, f64::max))
        .collect();
    let chart = page::sparkline(&binned, charset);
    let told = charset.text(&outliers(steps));
    let first = format!("Steps        {chart}  {told}");
    if format::width(&first) <= width {
        return vec![first];
    }
    let rest = format::wrapped(&told, width.saturating_sub(13).max(20));
    let rest = rest.into_iter().map(|line| format!("             {line}"));
    std::iter::once(format!("Steps        {chart}"))
        .chain(rest)
        .collect()
}

/// `step 4 took 168.2 ms: 120.3 ms more input wait than usual`, for the step that advice explains; without long
/// steps, for the one furthest from usual.
fn outliers(steps: &[StepBar]) -> String {
    let outliers: Vec<&StepBar> = steps.iter().filter(|step| step.is_outlier).collect();
    let long = typical_long(steps);
    let is_short = long.is_none();
    let by_length = |a: &&&StepBar, b: &&&StepBar| a.duration_ps.total_cmp(&b.duration_ps);
    let Some(step) = long.or_else(|| outliers.iter().min_by(by_length).copied()) else {
        return "no outliers".to_owned();
    };
    let duration = figures::duration_ps(step.duration_ps);
    let only = if is_short { "only " } else { "" };
    let mut told = format!("step {} took {only}{duration}", step.step);
    if !is_short {
        told.push_str(&reason(steps, step));
    }
    match outliers.len() {
        1 => told,
        count => format!("{count} outliers; {told}"),
    }
}

/// Parts that together take this share of what a step takes longer explain it.
const EXPLAINED: f64 = 0.8;

/// `: 120.3 ms more input wait than usual`, or `: +15.1 ms idle, +14.6 ms collectives`; nothing if usual steps
/// have as much of it, or if two parts do not explain most of it.
fn reason(steps: &[StepBar], step: &StepBar) -> String {
    let least = EXPLAINED * excess_ps(steps, step);
    let plus = |part: PartKind, more: f64| {
        let more = figures::duration_ps(more);
        format!("+{more} {}", part.in_sentence())
    };
    match *grown_parts(steps, step).as_slice() {
        [(part, more), ..] if more >= least => {
            let more = figures::duration_ps(more);
            format!(": {more} more {} than usual", part.in_sentence())
        }
        [(first, one), (second, other), ..] if one + other >= least => {
            format!(": {}, {}", plus(first, one), plus(second, other))
        }
        _ => String::new(),
    }
}

/// The mean step as a stacked bar with its legend. Parts that never occur are left out.
pub(crate) fn parts(
    report: &OverviewReport,
    width: usize,
    charset: Charset,
    is_colored: bool,
) -> Vec<String> {
    let parts: Vec<_> = report
        .step_parts
        .iter()
        .filter(|part| part.mean_ps > 0.0)
        .collect();
    if parts.is_empty() {
        return Vec::new();
    }
    let ratios: Vec<f64> = parts.iter().map(|part| part.ratio).collect();
    let columns = width.saturating_sub(2);
    let is_solid = is_colored && charset == Charset::Unicode;
    let look = |kind: PartKind, count: usize| {
        let (symbol, style) = look(kind);
        let symbol = if is_solid { "█" } else { symbol };
        format!("{style}{}{style:#}", symbol.repeat(count))
    };
    let bar: String = parts
        .iter()
        .zip(page::stacked(&ratios, columns))
        .map(|(part, count)| look(part.part, count))
        .collect();
    let mut lines = vec![
        page::heading("Where the mean step goes"),
        format!("  {bar}"),
    ];
    for part in parts {
        let duration = charset.text(&figures::duration_ps(part.mean_ps));
        let share = figures::percent(part.ratio);
        let (mark, title) = (look(part.part, 2), part.part.title());
        lines.push(format!("  {mark} {title:<17}{duration:>10}  {share:>7}"));
    }
    if report.device_busy_ratio.is_none() {
        lines.push(format!("  {FAINT}no device work was recorded{FAINT:#}"));
    }
    lines
}

/// The symbol of a part, and its color.
fn look(part: PartKind) -> (&'static str, anstyle::Style) {
    let found = LOOKS.iter().find(|look| look.part == part);
    found.map_or(("?", anstyle::Style::new()), |look| {
        let (red, green, blue) = look.rgb;
        (look.symbol, page::foreground(red, green, blue))
    })
}
