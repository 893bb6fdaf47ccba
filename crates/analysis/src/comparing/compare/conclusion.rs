//! The conclusion in a sentence: slower, faster, no difference, or why that is unknown.

use super::cause::{is_most_of, more_or_less, signed};
use super::pair::Both;
use super::ranges::number;
use super::report::{Evidence, TimeDifference};
use super::side::Side;
use super::unit::OtherUnit;
use super::waterfall::in_words;
use crate::measuring::steps::PartKind;
use crate::measuring::steps::parts::PARTS;
use crate::telling::format;
use crate::telling::format::{duration_ps, percent};

/// An interval wider than this share of the baseline's step is inconclusive.
const MAX_WIDTH: f64 = 1.0;

/// Whether the other session is slower, in a sentence.
pub(super) fn conclusion(both: &Both<'_, '_>, step: Option<&TimeDifference>) -> String {
    let [baseline, other] = names(both.sides);
    let Some(step) = step else {
        return other_unit(both).unwrap_or_else(|| without_steps(both.sides));
    };
    let times = format!(
        "mean typical step {} instead of {}",
        duration_ps(step.mean_ps),
        duration_ps(step.baseline_ps)
    );
    match step.evidence {
        Evidence::BeyondNoise => format!(
            "{}: {times} ({}), more than noise.",
            how_much(&other, &baseline, step.ratio.unwrap_or(0.0)),
            interval(step)
        ),
        Evidence::WithinNoise => within_noise(both, step, &times),
        Evidence::TooFewSteps => format!(
            "Too few steps to tell whether {other} differs from {baseline}: {times} ({}){}.{}",
            signed(step.difference_ps),
            apart(both, step).map_or_else(String::new, |apart| format!("; {apart}")),
            counted(both)
        ),
    }
}

/// From twice the time on, or half of it, a factor is easier to understand than percent: steps of 8
/// instead of 1,000 ms are not only "99.2 % faster".
fn how_much(other: &str, baseline: &str, ratio: f64) -> String {
    let times = 1.0 + ratio;
    if times >= 2.0 {
        format!(
            "{other} takes {} times as long as {baseline}",
            number(times)
        )
    } else if times > 0.0 && times <= 0.5 {
        let factor = number(times.recip());
        format!("{other} is {factor} times as fast as {baseline}")
    } else {
        let word = if ratio > 0.0 { "slower" } else { "faster" };
        format!("{other} is {} {word} than {baseline}", percent(ratio.abs()))
    }
}

/// Why steps that do not do the same cannot be compared, if so.
pub(crate) fn other_unit(both: &Both<'_, '_>) -> Option<String> {
    let OtherUnit { ratio, stacked } = both.other_unit()?;
    let [baseline, other] = names(both.sides);
    if let Some(shapes) = stacked {
        let program = both.sides[1].step_programs.join(" and ");
        let [before, after] = shapes.each_ref().map(|shape| format::shortened(shape));
        let (times, word) = if ratio > 1.0 {
            (ratio, "more")
        } else {
            (ratio.recip(), "fewer")
        };
        return Some(format!(
            "{other} and {baseline} cannot be compared by step: nothing marks their steps, so a step of \
             each is a run of {program}, and {other} calls it with {after} instead of {before}: a run does \
             {} times {word} operations. Annotate the steps of both with StepTraceAnnotation.",
            number(times)
        ));
    }
    let [of_baseline, of_other] = both.sides.map(|side| side.step_programs.join(" and "));
    let (larger, smaller, times) = if ratio > 1.0 {
        (&of_other, &of_baseline, ratio)
    } else {
        (&of_baseline, &of_other, ratio.recip())
    };
    Some(format!(
        "{other} and {baseline} cannot be compared by step: nothing marks their steps, so a step of \
         {other} is a run of {of_other}, and one of {baseline} a run of {of_baseline}. A run of {larger} \
         does {} times the operations of a run of {smaller}. Annotate the steps of both with \
         StepTraceAnnotation.",
        number(times)
    ))
}

fn within_noise(both: &Both<'_, '_>, step: &TimeDifference, times: &str) -> String {
    let [baseline, other] = names(both.sides);
    let (change, interval, counted) = (
        format::signed(step.ratio.unwrap_or(0.0), percent),
        interval(step),
        counted(both),
    );
    if let Some(apart) = apart(both, step) {
        return format!(
            "{other} may be {} than {baseline}: {times} ({change}; {interval}), and {apart}. On a \
             busy machine, two runs of one program can differ this much.{counted} Compare another run of each.",
            if step.difference_ps > 0.0 {
                "slower"
            } else {
                "faster"
            },
        );
    }
    let is_wide = step.high_ps - step.low_ps > MAX_WIDTH * step.baseline_ps;
    if is_wide && let Some((part, difference_ps)) = shown_part(both, step) {
        return format!(
            "In {other}, {} takes {} {} per step than in {baseline}, more than noise; the step as a whole is too \
             noisy to tell: {times} ({change}; {interval}).{counted} Capture more steps, or compare another run \
             of each.",
            in_words(part),
            duration_ps(difference_ps.abs()),
            more_or_less(difference_ps)
        );
    }
    if is_wide {
        return format!(
            "Too noisy to tell whether {other} differs from {baseline}: {times} ({change}; \
             {interval}).{counted} Capture more steps, or compare another run of each."
        );
    }
    format!(
        "No difference beyond noise between {other} and {baseline}: {times} ({change}; \
         {interval}).{counted}"
    )
}

/// The part of the step that differs beyond noise and makes most of the difference. One of the parts is
/// beyond noise by chance more often than a step is.
fn shown_part(both: &Both<'_, '_>, step: &TimeDifference) -> Option<(PartKind, f64)> {
    let parts = PARTS.into_iter().map(|part| (part, both.part(part)));
    let shown = parts.filter(|(_, found)| {
        found.evidence == Evidence::BeyondNoise
            && found
                .p_value
                .is_some_and(|p| both.is_rare_among(p, PARTS.len()))
            && is_most_of(found.difference_ps, step.difference_ps)
    });
    let largest = shown.max_by(|a, b| a.1.difference_ps.abs().total_cmp(&b.1.difference_ps.abs()));
    largest.map(|(part, found)| (part, found.difference_ps))
}

/// What counts show where step times are inconclusive; empty if they show nothing.
fn counted(both: &Both<'_, '_>) -> String {
    let work = both.other_work.as_ref();
    work.map_or_else(String::new, |work| format!(" {}", work.in_words()))
}

/// That steps do not overlap, or hardly do.
fn apart(both: &Both<'_, '_>, step: &TimeDifference) -> Option<String> {
    let every = if both.are_apart() {
        "every"
    } else if both.are_mostly_apart() {
        "nearly every"
    } else {
        return None;
    };
    let [baseline, other] = names(both.sides);
    let than = if step.difference_ps > 0.0 {
        "longer"
    } else {
        "shorter"
    };
    // Outliers may overlap.
    let typical = if both.sides.iter().any(|side| side.outliers() > 0) {
        "typical "
    } else {
        ""
    };
    Some(format!(
        "{every} {typical}step of {other} is {than} than {every} {typical}step of {baseline}"
    ))
}

/// `+12.3 %`
fn change(step: &TimeDifference, ps: f64) -> String {
    let ratio = ps / step.baseline_ps.max(1.0);
    let sign = if ratio < 0.0 { "−" } else { "+" };
    format!("{sign}{}", percent(ratio.abs()))
}

fn interval(step: &TimeDifference) -> String {
    format!(
        "{} to {}",
        change(step, step.low_ps),
        change(step, step.high_ps)
    )
}

fn without_steps(sides: [&Side<'_>; 2]) -> String {
    let [baseline, other] = names(sides);
    let untimed = sides
        .into_iter()
        .find(|side| !side.steps.is_empty() && !side.is_timed);
    match untimed {
        Some(side) => format!(
            "{other} and {baseline} cannot be compared by step: the step times of {} were not recorded.",
            format::shortened(side.name)
        ),
        None => format!("{other} and {baseline} cannot be compared by step: one has no steps."),
    }
}

/// Names for a sentence; long names are shortened to what differs: `…14_43_185…`.
fn names(sides: [&Side<'_>; 2]) -> [String; 2] {
    shortened(sides.map(|side| side.name))
}

fn shortened(names: [&str; 2]) -> [String; 2] {
    const LONG: usize = 24;
    let [a, b] = names;
    if a == b || a.chars().count().max(b.chars().count()) <= LONG {
        return names.map(str::to_owned);
    }
    let is_break = |letter: char| "/_-. ".contains(letter);
    let alike = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    let front = a.as_bytes()[..alike]
        .iter()
        .rposition(|&byte| is_break(char::from(byte)))
        .map_or(0, |at| at + 1);
    let (a, b) = (&a[front..], &b[front..]);
    let ends = a.bytes().rev().zip(b.bytes().rev());
    let alike = ends.take_while(|(x, y)| x == y).count();
    let back = a.as_bytes()[a.len() - alike..]
        .iter()
        .position(|&byte| is_break(char::from(byte)))
        .map_or(0, |at| alike - at);
    let (before, after) = (
        if front > 0 { "…" } else { "" },
        if back > 0 { "…" } else { "" },
    );
    if a.len() == back || b.len() == back {
        return names.map(str::to_owned);
    }
    [a, b].map(|name| format!("{before}{}{after}", &name[..name.len() - back]))
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn long_names_keep_what_tells_them_apart() {
        let short = shortened(["before", "after"]);
        assert_eq!(short, ["before", "after"]);
        let runs = shortened([
            "2026_11_21_22_14_43_185_unitary_grad_tad",
            "2026_11_21_22_16_03_916_unitary_grad_tad",
        ]);
        assert_eq!(runs, ["…14_43_185…", "…16_03_916…"]);
        let folders = shortened([
            "mlp-cpu/2026_11_21_08_46_58",
            "cpu-jax-mlp/2026_11_21_08_46_58",
        ]);
        assert_eq!(folders, ["mlp-cpu…", "cpu-jax-mlp…"]);
        let one_longer = shortened(["a_very_long_name_of_a_run", "a_very_long_name_of_a_run_2"]);
        assert_eq!(one_longer, ["…run", "…run_2"]);
        let whole = shortened([
            "läufe/erster_langer_versuch",
            "läufe/zweiter_langer_versuch",
        ]);
        assert_eq!(whole, ["…erster…", "…zweiter…"]);
    }
}
