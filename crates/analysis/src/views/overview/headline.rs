//! Where the time goes, in one sentence: the largest shares of what devices do.

use crate::measuring::occupation::Occupation;
use crate::measuring::steps::{PartKind, StepPart, StepTime};
use crate::telling::format::{duration_ps, percent};
use crate::telling::steps::{share_between, share_of_others};

/// Smaller shares are not named.
const LEAST_RATIO: f64 = 0.05;
/// The same of a third share: three make a long sentence.
const LEAST_THIRD: f64 = 0.15;

const COMPUTING: &str = "computing";
const COPYING: &str = "copying";
const COMMUNICATING: &str = "communicating";

/// What devices do in a part, after "Devices spend 40 % of a step …".
const fn doing(part: PartKind) -> &'static str {
    match part {
        PartKind::DeviceCompute => COMPUTING,
        PartKind::Collectives => COMMUNICATING,
        PartKind::HostToDevice | PartKind::DeviceToHost | PartKind::DeviceToDevice => COPYING,
        PartKind::PythonCallbacks => "in Python callbacks",
        PartKind::InputWait => "waiting for input",
        PartKind::Compilation => "waiting for compilation",
        PartKind::HostOverhead => "in host overhead",
        PartKind::Idle => "idle",
    }
}

/// A share of the time, and what devices do in it.
type Share = (&'static str, f64);

/// The sentence: of the mean step, or without steps of the observed time. Empty without either.
pub(super) fn headline(
    parts: &[StepPart],
    occupation: Option<Occupation>,
    has_work: bool,
) -> String {
    if !parts.is_empty() && !has_work {
        return of_hosts(parts);
    }
    if !parts.is_empty() {
        return sentence(of_parts(parts), "a step");
    }
    occupation.map_or_else(String::new, |occupation| {
        let Occupation {
            compute,
            communication,
            copies,
            ..
        } = occupation;
        let idle = (1.0 - compute - communication - copies).max(0.0);
        let shares = vec![
            (COMPUTING, compute),
            (COMMUNICATING, communication),
            (COPYING, copies),
            ("idle", idle),
        ];
        sentence(shares, "the observed time")
    })
}

/// ` 26.92 ms pass between steps (80.9 % of the time from step to step).`, and what passes in steps of
/// other series; nothing if little time does.
pub(super) fn between(time: Option<&StepTime>) -> String {
    let Some(time) = time else {
        return String::new();
    };
    let told = |share: Option<f64>, passed_ps: f64, place: &str| {
        let (passed, share) = (duration_ps(passed_ps), percent(share?));
        Some(format!(
            " {passed} pass {place} ({share} of the time from step to step)."
        ))
    };
    let between = told(share_between(time), time.between, "between steps");
    let others = told(
        share_of_others(time),
        time.other_steps,
        "in steps of other series",
    );
    between.into_iter().chain(others).collect()
}

/// What is known of steps in which no device recorded work.
fn of_hosts(parts: &[StepPart]) -> String {
    let unknown = "What devices do in a step is unknown: none recorded work";
    let known = parts.iter().filter(|part| part.part != PartKind::Idle);
    let known: f64 = known.map(|part| part.ratio).sum();
    if known < LEAST_RATIO {
        return format!("{unknown}.");
    }
    format!(
        "{unknown}. For {} of it, hosts did something.",
        percent(known)
    )
}

/// Shares by what devices do; the three kinds of copies are one.
fn of_parts(parts: &[StepPart]) -> Vec<Share> {
    let mut shares: Vec<Share> = Vec::new();
    for part in parts {
        let doing = doing(part.part);
        match shares.iter_mut().find(|(known, _)| *known == doing) {
            Some((_, ratio)) => *ratio += part.ratio,
            None => shares.push((doing, part.ratio)),
        }
    }
    shares
}

/// `Devices spend 73.9 % of a step communicating and 20.2 % waiting for input; they compute for 2.3 %.`
fn sentence(mut shares: Vec<Share>, whole: &str) -> String {
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    let named = shares.iter().filter(|(_, ratio)| *ratio >= LEAST_RATIO);
    let named: Vec<&Share> = named.collect();
    let Some((first, rest)) = named.split_first() else {
        return String::new();
    };
    let others = rest.iter().filter(|(doing, _)| *doing != COMPUTING);
    let others: Vec<String> = others
        .take(2)
        .enumerate()
        .filter(|(at, share)| *at == 0 || share.1 >= LEAST_THIRD)
        .map(|(_, (doing, ratio))| format!("{} {doing}", percent(*ratio)))
        .collect();
    let others = match others.as_slice() {
        [] => String::new(),
        [one] => format!(" and {one}"),
        [one, two, ..] => format!(", {one} and {two}"),
    };
    let computing = shares.iter().find(|(doing, _)| *doing == COMPUTING);
    let computing = match computing {
        Some((_, ratio)) if first.0 != COMPUTING => {
            format!("; they compute for {}", percent(*ratio))
        }
        _ => String::new(),
    };
    format!(
        "Devices spend {} of {whole} {}{others}{computing}.",
        percent(first.1),
        first.0
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(parts: &[(PartKind, f64)]) -> String {
        let parts = parts.iter().map(|&(part, ratio)| StepPart {
            part,
            mean_ps: ratio * 1e9,
            ratio,
        });
        headline(&parts.collect::<Vec<_>>(), None, true)
    }

    #[test]
    fn the_largest_shares_are_named_and_computing_always() {
        use PartKind::{Collectives, DeviceCompute, HostOverhead, Idle, InputWait};
        assert_eq!(
            of(&[
                (DeviceCompute, 0.023),
                (Collectives, 0.739),
                (InputWait, 0.202)
            ]),
            "Devices spend 73.9 % of a step communicating and 20.2 % waiting for input; they compute \
             for 2.3 %."
        );
        assert_eq!(
            of(&[(DeviceCompute, 0.778), (HostOverhead, 0.025), (Idle, 0.197)]),
            "Devices spend 77.8 % of a step computing and 19.7 % idle."
        );
        assert_eq!(
            of(&[
                (DeviceCompute, 0.36),
                (InputWait, 0.309),
                (Collectives, 0.305),
                (Idle, 0.026)
            ]),
            "Devices spend 36.0 % of a step computing, 30.9 % waiting for input and 30.5 % \
             communicating."
        );
        assert_eq!(
            of(&[(DeviceCompute, 1.0)]),
            "Devices spend 100.0 % of a step computing."
        );
        assert_eq!(of(&[]), "");
    }

    #[test]
    fn copies_in_all_directions_are_one() {
        use PartKind::{DeviceCompute, DeviceToHost, HostToDevice};
        assert_eq!(
            of(&[
                (DeviceCompute, 0.031),
                (HostToDevice, 0.737),
                (DeviceToHost, 0.232)
            ]),
            "Devices spend 96.9 % of a step copying; they compute for 3.1 %."
        );
    }

    #[test]
    fn without_steps_the_observed_time_is_divided() {
        let occupation = Occupation {
            compute: 0.792,
            communication: 0.0,
            copies: 0.0,
            is_of_steps: false,
        };
        assert_eq!(
            headline(&[], Some(occupation), true),
            "Devices spend 79.2 % of the observed time computing and 20.8 % idle."
        );
        assert_eq!(headline(&[], None, true), "");
    }
}
