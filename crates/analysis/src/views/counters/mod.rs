//! `counters`: everything that was sampled over time, and utilization from hardware registers.
//!
//! | Figure | Definition |
//! |---|---|
//! | counter | one name on one device (or host); the samples of all its lines, sorted by time |
//! | min, mean, max, last | over the samples in the selection; the mean is over samples, not over time |
//! | sample | an event with a value; on a counter track, a slice is a sample at its start if it has exactly one number, with any name |
//! | exact | the exact value as text, if the recorder wrote integers |
//! | unit | from the counter's name or description; empty if these do not contain one |
//! | points | values over time: the mean, minimum and maximum of each time interval, see [`course`] |
//! | ratio | utilization in one sample of registers: count ÷ limit, with the source of the limit |
//!
//! Registers have the names in the profile; a register without a name is called `counter` and its
//! number. Utilization is known for registers of TPU v6e and v7x with recorded names.

mod collect;
mod columns;
mod course;
mod notes;
mod ratios;
mod report;
mod tables;

use clap::Args;
use collect::{Family, Sample, groups, samples};
pub use report::{CounterPoint, CounterRow, CountersReport, UtilizationRow};
use stepscope_model::{Picos, Session, Span, counter_unit};

use crate::asking::group::Group;
use crate::asking::order;
use crate::asking::selection::Selection;
use crate::asking::{Analysis, AnalysisError};
use crate::measuring::selection::Selected;

/// The `counters` analysis.
pub struct Counters;

/// Options of [`Counters`].
#[derive(Debug, Clone, Default, Args)]
pub struct CountersOptions {
    /// Which part of the session.
    #[command(flatten)]
    pub selection: Selection,
    /// Maximum number of points per counter over time; 0 omits them
    #[arg(long, value_name = "N", default_value_t = 240)]
    pub points: usize,
}

impl Analysis for Counters {
    const NAME: &'static str = "counters";
    const ALIASES: &'static [&'static str] = &["perf_counters", "utilization_viewer"];
    const SUMMARY: &'static str =
        "Hardware counters, power and clocks over time, and utilization of a chip's units";
    const GROUP: Group = Group::Compute;
    const EXAMPLES: &'static str = "\
# Every counter with its minimum, mean and maximum
stepscope counters ./logs
# Counters of one device with power or clock in their names
stepscope counters ./logs --match 'power|clock' --device GPU:0
# Exact values as JSON, without values over time
stepscope counters ./logs --points 0 --json";
    type Options = CountersOptions;
    type Report = CountersReport;

    fn run(session: &Session, options: &CountersOptions) -> Result<CountersReport, AnalysisError> {
        let selected = options.selection.resolve(session)?;
        let groups = groups(session, &selected);
        let points = options.points.min(course::MOST_POINTS);
        let mut rows: Vec<CounterRow> = groups
            .iter()
            .filter_map(|group| row(session, &selected, group, points))
            .collect();
        let utilization = ratios::utilization(session, &groups);
        let notes = notes::notes(session, &rows, &utilization);
        let row_count = order::arrange(&mut rows, &options.selection, columns::ROWS)?;
        let span = rows.iter().filter(|row| row.sample_count > 0);
        let span = span
            .map(|row| Span::new(Picos(row.start_ps), Picos(row.end_ps)))
            .reduce(Span::hull);
        Ok(CountersReport {
            rows,
            row_count,
            start_ps: span.map_or(0, |span| span.start.0),
            end_ps: span.map_or(0, |span| span.end.0),
            utilization,
            notes,
        })
    }
}

/// Whether the samples of one counter show any activity.
pub(crate) struct Sampled {
    pub(crate) name: String,
    pub(crate) device: String,
    pub(crate) count: usize,
    pub(crate) above_zero: usize,
    pub(crate) max: f64,
}

impl Sampled {
    /// Share of samples above zero.
    pub(crate) fn ratio(&self) -> f64 {
        self.above_zero as f64 / self.count.max(1) as f64
    }
}

/// Counters whose name contains one of these words.
pub(crate) fn sampled(session: &Session, selected: &Selected<'_>, words: &[&str]) -> Vec<Sampled> {
    let has_word = |name: &str| {
        let name = name.to_ascii_lowercase();
        let mut own = name.split(|c: char| !c.is_ascii_alphanumeric());
        own.any(|own| words.contains(&own))
    };
    let groups = groups(session, selected).into_iter();
    let wanted = groups.filter(|group| has_word(group.name));
    let sampled = wanted.map(|group| {
        let samples = samples(selected, &group);
        let values = || samples.iter().map(|sample| sample.value);
        Sampled {
            name: group.name.to_owned(),
            device: group
                .device
                .map(|device| session.device_title(device))
                .unwrap_or_default(),
            count: samples.len(),
            above_zero: values().filter(|&value| value > 0.0).count(),
            max: values().fold(0.0, f64::max),
        }
    });
    sampled.filter(|counter| counter.count > 0).collect()
}

fn row(
    session: &Session,
    selected: &Selected<'_>,
    group: &Family<'_>,
    points: usize,
) -> Option<CounterRow> {
    let samples = samples(selected, group);
    let (first, last) = (samples.first()?, samples.last()?);
    let (track, of_first) = group.tracks.first()?;
    let facts = of_first.samples.as_ref().map(|samples| &samples.facts);
    let smallest = samples.iter().min_by(|a, b| a.value.total_cmp(&b.value))?;
    let largest = samples.iter().max_by(|a, b| a.value.total_cmp(&b.value))?;
    let sum: f64 = samples
        .iter()
        .map(|sample| sample.value / samples.len() as f64)
        .sum();
    let exact = |sample: &Sample| {
        sample
            .exact
            .map_or_else(|| sample.value.to_string(), |exact| exact.to_string())
    };
    let description = facts.map_or("", |facts| facts.description.as_str());
    Some(CounterRow {
        name: group.name.to_owned(),
        device: group
            .device
            .map(|device| session.device_title(device))
            .unwrap_or_default(),
        host: session.host(group.host).name.clone(),
        line: facts.map(|facts| facts.line.clone()).unwrap_or_default(),
        track: track.0,
        register: facts
            .and_then(|facts| facts.register)
            .map(|register| register.to_string())
            .unwrap_or_default(),
        description: description.to_owned(),
        sets: facts.map(|facts| facts.sets.clone()).unwrap_or_default(),
        unit: counter_unit(group.name, description)
            .unwrap_or_default()
            .to_owned(),
        sample_count: i64::try_from(samples.len()).unwrap_or(i64::MAX),
        min: smallest.value,
        mean: sum,
        max: largest.value,
        last: last.value,
        min_exact: exact(smallest),
        max_exact: exact(largest),
        last_exact: exact(last),
        start_ps: first.time,
        end_ps: last.time,
        max_at_ps: largest.time,
        points: course::course(&samples, points),
    })
}
