//! The one row per session that lists show.

use serde::{Deserialize, Serialize};
use stepscope_analysis::Analysis as _;
use stepscope_analysis::measuring::environment::hardware;
use stepscope_analysis::measuring::selection::counted_steps;
use stepscope_analysis::measuring::workload::main_program;
use stepscope_analysis::telling::thresholds::VerdictKind;
use stepscope_analysis::views::overview::{Overview, OverviewOptions, OverviewReport, Verdict};
use stepscope_model::{Session, alike};

/// Points of a sparkline, at most.
const SPARKLINE_POINTS: usize = 48;

/// What a list says about a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// What is known once it is open.
    pub facts: Facts,
    /// What the overview says.
    pub figures: Figures,
}

/// What is known of a session once it is open.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// `trace`, `memory`, `programs`, or `trace and memory`.
    pub kind: String,
    /// Start of the capture, in nanoseconds since the Unix epoch.
    pub captured_epoch_ns: Option<u64>,
    /// Hosts that could be read.
    pub host_count: usize,
    /// Devices in the profile.
    pub device_count: usize,
    /// Such as `8 × XLA:CPU`.
    pub devices: String,
    /// Chip of the first device; empty without devices.
    pub chip: String,
    /// Program whose work takes the most time on devices; empty if unknown.
    pub program: String,
    /// Tags of the capture.
    pub tags: Vec<String>,
    /// Commit of the program, if recorded.
    pub git_commit: Option<String>,
    /// From the first to the last slice.
    pub extent_ps: Option<i64>,
    /// Steps that statistics count, as in `steps`: without those that are cut off, and of one series.
    pub step_count: usize,
    /// Slices in the profile.
    pub slice_count: usize,
    /// Warnings about its files; the same one of many hosts counts once.
    pub warning_count: usize,
}

/// Key figures, as in the overview. All are missing if a session has no events.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// From the first to the last slice.
    pub duration_ps: Option<i64>,
    /// Mean step time.
    pub step_time_ps: Option<f64>,
    /// Longest step.
    pub step_max_ps: Option<i64>,
    /// Share of the window in which devices worked.
    pub device_busy_ratio: Option<f64>,
    /// Model FLOPs utilization.
    pub mfu_ratio: Option<f64>,
    /// Hardware FLOPs utilization.
    pub hfu_ratio: Option<f64>,
    /// First sentence of the overview; empty if no device worked.
    pub headline: String,
    /// The worst verdict of the overview: `bad`, `warning` or `good`; empty if nothing was judged.
    pub verdict: String,
    /// Key figures with that verdict, as titles; empty if it is `good`.
    pub verdict_reason: String,
    /// Steps in order, each as a share of the longest, rounded to hundredths. Longer sessions give
    /// the longest of each of 48 groups of steps.
    pub sparkline_ratio: Vec<f32>,
}

impl Summary {
    /// Everything about a session.
    pub fn of(session: &Session) -> Self {
        Self {
            facts: Facts::of(session),
            figures: Figures::of(session),
        }
    }
}

impl Facts {
    /// What is known without asking an analysis.
    pub fn of(session: &Session) -> Self {
        let manifests = session.hosts.iter();
        let mut manifests = manifests.filter_map(|host| host.manifest.as_ref());
        Self {
            kind: kind(session).to_owned(),
            captured_epoch_ns: session.epoch_ns,
            host_count: session.hosts.len(),
            device_count: session.devices.len(),
            devices: devices(session),
            chip: session
                .devices
                .first()
                .map_or_else(String::new, |device| device.chip.name.clone()),
            program: main_program(session),
            tags: session.tags(),
            git_commit: manifests.find_map(|manifest| manifest.git_commit.clone()),
            extent_ps: session.captured().map(|span| span.duration().0),
            step_count: counted_steps(session).len(),
            slice_count: session.slice_count(),
            warning_count: alike(&session.warnings).len(),
        }
    }
}

impl Figures {
    /// The key figures of a session.
    pub fn of(session: &Session) -> Self {
        if session.is_memory_only() || session.is_program_only() {
            return Self::default();
        }
        let report = Overview::run(session, &OverviewOptions::default());
        report.map_or_else(|_| Self::default(), |report| Self::from(&report))
    }
}

impl From<&OverviewReport> for Figures {
    fn from(report: &OverviewReport) -> Self {
        let steps = report.step_time_ps.as_ref();
        let (verdict, verdict_reason) = worst(&report.verdicts);
        let durations = report.step_series.iter().map(|step| step.duration_ps);
        Self {
            duration_ps: Some(report.duration_ps),
            step_time_ps: steps.map(|steps| steps.mean),
            step_max_ps: steps.map(|steps| steps.max),
            device_busy_ratio: report.device_busy_ratio,
            mfu_ratio: report.mfu_ratio,
            hfu_ratio: report.hfu_ratio,
            headline: report.headline.clone(),
            verdict,
            verdict_reason,
            sparkline_ratio: sparkline(&durations.collect::<Vec<_>>()),
        }
    }
}

/// The worst verdict with the figures that have it.
fn worst(verdicts: &[Verdict]) -> (String, String) {
    let titles = |kind: VerdictKind| {
        let found = verdicts.iter().filter(|verdict| verdict.verdict == kind);
        let titles: Vec<&str> = found.map(|verdict| verdict.title.as_str()).collect();
        titles.join(", ")
    };
    for kind in [VerdictKind::Bad, VerdictKind::Warning] {
        let titles = titles(kind);
        if !titles.is_empty() {
            return (kind.name().to_owned(), titles);
        }
    }
    let is_good = !titles(VerdictKind::Good).is_empty();
    let name = if is_good {
        VerdictKind::Good.name()
    } else {
        ""
    };
    (name.to_owned(), String::new())
}

/// Steps as shares of the longest one; of many, the longest of each group.
fn sparkline(durations_ps: &[f64]) -> Vec<f32> {
    let longest = durations_ps.iter().copied().fold(0.0, f64::max);
    if longest <= 0.0 {
        return Vec::new();
    }
    let points = durations_ps.len().min(SPARKLINE_POINTS);
    let point = |index: usize| {
        let group = index * durations_ps.len() / points..(index + 1) * durations_ps.len() / points;
        let tallest = durations_ps[group].iter().copied().fold(0.0, f64::max);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "hundredths between 0 and 1"
        )]
        let share = (tallest / longest * 100.0).round() as f32 / 100.0;
        share
    };
    (0..points).map(point).collect()
}

/// The type of a session.
fn kind(session: &Session) -> &'static str {
    let has_memory = !session.heap.snapshots.is_empty();
    kind_of(
        !session.hosts.is_empty(),
        has_memory,
        session.is_program_only(),
    )
}

/// The type of a session, by what it has.
pub const fn kind_of(has_hosts: bool, has_memory: bool, is_programs: bool) -> &'static str {
    match (has_hosts, has_memory) {
        (false, false) if is_programs => "programs",
        (false, true) => "memory",
        (true, true) => "trace and memory",
        (_, false) => "trace",
    }
}

/// `8 × XLA:CPU`, by chip name, in the order of devices.
fn devices(session: &Session) -> String {
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for device in &session.devices {
        let name = hardware(device);
        match kinds.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => kinds.push((name, 1)),
        }
    }
    let kinds: Vec<String> = kinds
        .into_iter()
        .map(|(name, count)| format!("{count} × {name}"))
        .collect();
    kinds.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sparkline_keeps_the_tallest_step_of_each_group() {
        assert_eq!(sparkline(&[]), Vec::<f32>::new());
        assert_eq!(sparkline(&[0.0, 0.0]), Vec::<f32>::new());
        assert_eq!(sparkline(&[50.0, 100.0, 33.3]), vec![0.5, 1.0, 0.33]);
        // 100 steps in 48 groups: one slow step, wherever it is, is the only point at 1.
        for slow in 0..100 {
            let mut steps = vec![10.0; 100];
            steps[slow] = 1000.0;
            let points = sparkline(&steps);
            assert_eq!(points.len(), SPARKLINE_POINTS);
            let tall = points.iter().filter(|&&point| point == 1.0).count();
            let low = points.iter().filter(|&&point| point == 0.01).count();
            assert_eq!((tall, low), (1, SPARKLINE_POINTS - 1), "step {slow}");
        }
    }
}
