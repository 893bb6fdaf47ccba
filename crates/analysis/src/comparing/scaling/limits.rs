//! What limits the next doubling.
//!
//! ```text
//! Amdahl    step(n) = step(base) × (s + (1 − s) × base ÷ n)        s by least squares over all counts
//! a part    p = ln(part(n) ÷ part(m)) ÷ ln(n ÷ m)                   from the previous count m to n
//!           part(2n) = part(n) × 2^p                               p within −1 and 1.5
//! cost      part(2n) − part(n) ÷ 2                                 weak scaling: − part(n)
//! ```
//!
//! The law fits any two counts, and a part is extrapolated from two counts; the conclusions say how many
//! counts there were.

use super::report::{ScalingKind, ScalingLimit, ScalingMethod};
use super::rows::{Group, Point};
use crate::measuring::steps::PartKind;
use crate::measuring::steps::parts::PARTS;
use crate::telling::format::{self, capitalized};

/// Upper limit of the exponent with which a part grows; extrapolating more is meaningless.
const MOST_GROWTH: f64 = 1.5;
/// Costs below this share of the step are not reported.
const LEAST_COST: f64 = 0.005;

/// With a larger error, the law does not apply.
const MOST_ERROR: f64 = 0.2;
/// Efficiency up to this is noise, not superlinear scaling.
const SUPERLINEAR: f64 = 1.02;

/// Amdahl's law, fitted to the device counts of a method.
struct Law {
    serial_ratio: f64,
    error_ratio: Option<f64>,
}

/// Result of fitting the law.
enum Fit {
    Law(Law),
    /// More devices make a step slower.
    Slower,
    /// The best fit is off by this share.
    Off(f64),
    /// One count, or weak scaling.
    None,
}

impl Law {
    fn of(group: &Group<'_>) -> Fit {
        let base = group.base();
        let points = group.counts.iter().skip(1).map(|count| {
            let share = base.device_count as f64 / count.device_count as f64;
            (share, count.step_ps / base.step_ps)
        });
        let points: Vec<(f64, f64)> = points.collect();
        let squares: f64 = points.iter().map(|(x, _)| (1.0 - x).powi(2)).sum();
        if squares <= 0.0 {
            return Fit::None;
        }
        let product: f64 = points.iter().map(|(x, y)| (y - x) * (1.0 - x)).sum();
        let serial = product / squares;
        if serial > 1.0 {
            return Fit::Slower;
        }
        let serial_ratio = serial.max(0.0);
        let distance =
            |&(x, y): &(f64, f64)| ((serial_ratio + (1.0 - serial_ratio) * x) - y).abs() / y;
        let error = points.iter().map(distance).fold(0.0, f64::max);
        let is_tested = points.len() > 1;
        let law = Self {
            serial_ratio,
            error_ratio: is_tested.then_some(error),
        };
        if is_tested && (error > MOST_ERROR || law.contradicts(group)) {
            return Fit::Off(error);
        }
        Fit::Law(law)
    }

    /// For twice the devices it predicts a step no faster than the one that was measured: the fit is
    /// off by more than what is left to gain.
    fn contradicts(&self, group: &Group<'_>) -> bool {
        let largest = group.largest();
        self.step_ps(group, largest.device_count * 2) >= largest.step_ps
    }

    fn step_ps(&self, group: &Group<'_>, device_count: usize) -> f64 {
        let share = 1.0 / group.ideal(device_count);
        group.base().step_ps * (self.serial_ratio + (1.0 - self.serial_ratio) * share)
    }
}

/// What limits a method.
pub(super) fn method(group: &Group<'_>, kind: ScalingKind) -> ScalingMethod {
    let largest = group.largest();
    let next = largest.device_count * 2;
    let fit = match kind {
        ScalingKind::Strong => Law::of(group),
        ScalingKind::Weak => Fit::None,
    };
    let law = match &fit {
        Fit::Law(law) => Some(law),
        _ => None,
    };
    let next_step_ps = match kind {
        ScalingKind::Strong => law.map(|law| law.step_ps(group, next)),
        ScalingKind::Weak => before(group).map(|before| {
            let growth = growth(before.step_ps, largest.step_ps, before, largest);
            largest.step_ps * 2f64.powf(growth)
        }),
    };
    let serial_ratio = law.map(|law| law.serial_ratio);
    let mut method = ScalingMethod {
        method: group.method.to_owned(),
        program: group.program.to_owned(),
        chips: group.chips.to_owned(),
        name: group.name(),
        apart_because: group.apart_because(),
        source: group.source.to_owned(),
        device_counts: group
            .counts
            .iter()
            .map(|count| count.device_count)
            .collect(),
        base_device_count: group.base().device_count,
        next_device_count: next,
        serial_ratio,
        fit_error_ratio: law.and_then(|law| law.error_ratio),
        next_step_ps,
        next_speedup_ratio: next_step_ps.map(|step_ps| group.speedup(kind, next, step_ps)),
        largest_speedup_ratio: serial_ratio
            .filter(|&serial| serial > 0.0)
            .map(|serial| 1.0 / serial),
        limits: limits(group, kind),
        conclusion: String::new(),
    };
    method.conclusion = conclusion(group, &fit, kind, &method);
    method
}

/// The device count before the largest.
fn before<'g, 'a>(group: &'g Group<'a>) -> Option<&'g Point<'a>> {
    let index = group.counts.len().checked_sub(2)?;
    group.counts.get(index)
}

/// The exponent with which a time grows with the device count.
fn growth(before_ps: f64, now_ps: f64, before: &Point<'_>, now: &Point<'_>) -> f64 {
    if before_ps <= 0.0 || now_ps <= 0.0 {
        return 0.0;
    }
    let counts = now.device_count as f64 / before.device_count as f64;
    ((now_ps / before_ps).ln() / counts.ln()).clamp(-1.0, MOST_GROWTH)
}

fn limits(group: &Group<'_>, kind: ScalingKind) -> Vec<ScalingLimit> {
    let (largest, before) = (group.largest(), before(group));
    let Some(parts_ps) = largest.parts_ps else {
        return Vec::new();
    };
    let before = before.filter(|before| before.parts_ps.is_some());
    let before_parts_ps = before.and_then(|before| before.parts_ps);
    let mut found: Vec<ScalingLimit> = Vec::new();
    for (index, part) in PARTS.into_iter().enumerate() {
        let before_ps = before_parts_ps.map(|parts| parts[index]);
        let (kind_of, title) = (key(part), in_words(part));
        found.push(limit(
            group,
            kind,
            (kind_of, title),
            parts_ps[index],
            before_ps,
        ));
    }
    if let Some(imbalance_ps) = largest.imbalance_ps {
        let before_ps = before.and_then(|before| before.imbalance_ps);
        let words = (
            "imbalance",
            "uneven load (device with the most work − mean)",
        );
        found.push(limit(group, kind, words, imbalance_ps, before_ps));
    }
    found.retain(|limit| limit.cost_ratio >= LEAST_COST);
    found.sort_by(|a, b| {
        b.cost_ps
            .total_cmp(&a.cost_ps)
            .then_with(|| a.kind.cmp(&b.kind))
    });
    found
}

fn limit(
    group: &Group<'_>,
    scaling: ScalingKind,
    (kind, title): (&str, &str),
    step_ps: f64,
    before_ps: Option<f64>,
) -> ScalingLimit {
    let largest = group.largest();
    let growth = before(group)
        .zip(before_ps)
        .map_or(0.0, |(before, time)| growth(time, step_ps, before, largest));
    let next_ps = step_ps * 2f64.powf(growth);
    let perfect_ps = match scaling {
        ScalingKind::Strong => step_ps / 2.0,
        ScalingKind::Weak => step_ps,
    };
    let time = format::duration_ps;
    let from = match (before_ps, before(group)) {
        (Some(before_ps), Some(before)) => format!(
            ", {} on {}; at this rate {} on {}",
            time(before_ps),
            before.device_count,
            time(next_ps),
            largest.device_count * 2
        ),
        _ => format!("; if unchanged, the same on {}", largest.device_count * 2),
    };
    ScalingLimit {
        kind: kind.to_owned(),
        title: capitalized(title),
        text: format!(
            "{}: {} of the step on {} ({}){from}; with perfect scaling {}",
            capitalized(title),
            time(step_ps),
            format::counted(largest.device_count as u64, "device"),
            format::percent(step_ps / largest.step_ps),
            time(perfect_ps),
        ),
        step_ps,
        before_ps,
        next_ps,
        cost_ps: next_ps - perfect_ps,
        cost_ratio: (next_ps - perfect_ps) / largest.step_ps,
    }
}

/// The answer in a few sentences.
fn conclusion(group: &Group<'_>, fit: &Fit, kind: ScalingKind, method: &ScalingMethod) -> String {
    let (base, largest) = (group.base(), group.largest());
    let count = |count: usize| format::counted(count as u64, "device");
    if group.counts.len() == 1 {
        return format!(
            "Measured on {} only; also measure it on {} to see how it scales.",
            count(base.device_count),
            count(method.next_device_count)
        );
    }
    let speedup = group.speedup(kind, largest.device_count, largest.step_ps);
    let ideal = group.ideal(largest.device_count);
    let mut sentences = vec![format!(
        "{} give a speedup of {} (perfect scaling: {}) over {}: efficiency {}.",
        count(largest.device_count),
        times(speedup),
        times(ideal),
        count(base.device_count),
        format::percent(speedup / ideal),
    )];
    let best = group
        .counts
        .iter()
        .map(|one| {
            group.speedup(kind, one.device_count, one.step_ps) / group.ideal(one.device_count)
        })
        .fold(0.0, f64::max);
    if best > SUPERLINEAR {
        sentences.push(format!(
            "At least one device count scales better than perfectly (efficiency {}): the step on {} may be \
             slow for another reason, such as caches, or times are noisy.",
            format::percent(best),
            count(base.device_count),
        ));
    }
    match fit {
        Fit::Slower => sentences.push(format!(
            "More devices make a step slower: {} on {}, {} on {}.",
            format::duration_ps(base.step_ps),
            base.device_count,
            format::duration_ps(largest.step_ps),
            largest.device_count,
        )),
        Fit::Off(error) => sentences.push(format!(
            "Amdahl's law does not fit (best fit is {} off), so there is no prediction for more devices.",
            format::percent(*error),
        )),
        Fit::Law(law) => sentences.push(law_in_words(group, method, law.serial_ratio)),
        Fit::None => {
            if let Some(next) = method.next_speedup_ratio {
                sentences.push(format!(
                    "If the step grows as it did from {} to {}, {} give a speedup of {}.",
                    before(group).map_or(0, |before| before.device_count),
                    count(largest.device_count),
                    count(method.next_device_count),
                    times(next),
                ));
            }
        }
    }
    match method.limits.first() {
        Some(first) => sentences.push(format!(
            "Main limit of the next doubling: {}.",
            uncapitalised(&first.title)
        )),
        None if group.source == "benchmark" => sentences
            .push("A benchmark only has times; captures show what a step waits for.".to_owned()),
        None => {}
    }
    sentences.join(" ")
}

fn law_in_words(group: &Group<'_>, method: &ScalingMethod, serial: f64) -> String {
    let fit = match method.fit_error_ratio {
        Some(error) => format!(
            "fitted to {} counts, at most {} off",
            group.counts.len(),
            format::percent(error)
        ),
        None => "two counts always fit; measure a third to test it".to_owned(),
    };
    let next = method.next_speedup_ratio.map_or_else(String::new, times);
    let most = match method.largest_speedup_ratio {
        Some(most) => format!("; the limit for any number is {}", times(most)),
        None => String::new(),
    };
    format!(
        "By Amdahl's law, {} of the step on {} does not get faster with more devices ({fit}): {} \
         would give a speedup of {next}{most}.",
        format::percent(serial),
        format::counted(group.base().device_count as u64, "device"),
        format::counted(method.next_device_count as u64, "device"),
    )
}

/// `1.31×`
pub(super) fn times(ratio: f64) -> String {
    format!("{ratio:.2}×")
}

fn uncapitalised(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters
        .next()
        .map(|first| first.to_lowercase().to_string());
    format!("{}{}", first.unwrap_or_default(), characters.as_str())
}

/// The part's key in JSON.
const fn key(part: PartKind) -> &'static str {
    match part {
        PartKind::DeviceCompute => "device_compute",
        PartKind::Collectives => "collectives",
        PartKind::HostToDevice => "host_to_device",
        PartKind::DeviceToHost => "device_to_host",
        PartKind::DeviceToDevice => "device_to_device",
        PartKind::PythonCallbacks => "python_callbacks",
        PartKind::InputWait => "input_wait",
        PartKind::Compilation => "compilation",
        PartKind::HostOverhead => "host_overhead",
        PartKind::Idle => "idle",
    }
}

const fn in_words(part: PartKind) -> &'static str {
    match part {
        PartKind::DeviceCompute => "computation that does not shrink",
        PartKind::Collectives => "exposed communication",
        PartKind::HostToDevice => "exposed copies to the devices",
        PartKind::DeviceToHost => "exposed copies from the devices",
        PartKind::DeviceToDevice => "exposed copies within or between devices",
        PartKind::PythonCallbacks => "Python callbacks",
        PartKind::InputWait => "waiting for input",
        PartKind::Compilation => "compilation",
        PartKind::HostOverhead => "host overhead",
        PartKind::Idle => "devices that are idle without host work",
    }
}
