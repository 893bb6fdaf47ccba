//! `hosts_apart`, `host_clocks`: hosts that recorded at different times, or whose clocks differ.
//!
//! Hosts that take part in the same collectives leave them together, so the ends of collectives
//! measure their clock offsets, which `hosts` also shows. If devices worked but share no collectives,
//! the hosts may run separate jobs, whose step numbers say nothing about clocks. If no device work was
//! recorded, the starts of equal steps are compared instead: in a job that communicates, they are much
//! less than a step apart.

use stepscope_model::{HostId, Session};

use super::{Rule, has};
use crate::asking::selection::Selection;
use crate::judging::verdict::evidence::Evidence;
use crate::judging::verdict::limits;
use crate::judging::verdict::report::{Finding, Severity};
use crate::measuring::steps::median;
use crate::telling::format;
use crate::views::collectives;

pub(super) const RULE: Rule = Rule {
    ids: &["hosts_apart", "host_clocks"],
    look,
};

fn look(evidence: &Evidence<'_>, _: &[Finding]) -> Vec<Finding> {
    let mut found: Vec<Finding> = apart(evidence).into_iter().collect();
    if !has(&found, &["hosts_apart"]) {
        found.extend(clocks(evidence));
    }
    found
}

/// Compares the host that started last with the one that stopped first: they overlap the least.
fn apart(evidence: &Evidence<'_>) -> Option<Finding> {
    let hosts = &evidence.session.hosts;
    let recorded: Vec<(&str, u64, u64)> = hosts
        .iter()
        .filter_map(|host| {
            let (start, stop) = host.profile_epoch_ns.filter(|(start, stop)| stop > start)?;
            Some((host.name.as_str(), start, stop))
        })
        .collect();
    let late = recorded.iter().max_by_key(|host| host.1)?;
    let early = recorded.iter().min_by_key(|host| host.2)?;
    let common = late.2.min(early.2).saturating_sub(late.1.max(early.1));
    let shorter = (late.2 - late.1).min(early.2 - early.1);
    let ratio = common as f64 / shorter as f64;
    if late.0 == early.0 || ratio >= limits::COMMON_RECORDING_RATIO {
        return None;
    }
    let (late, early) = (late.0, early.0);
    let what = format!(
        "The recordings of {late} and {early} overlap for only {} of the shorter one.",
        format::percent(ratio)
    );
    Some(
        Finding::new("hosts_apart", Severity::Warning, what)
            .why(
                "They were started at different times, or their clocks differ. Times without overlap \
             cannot be compared.",
            )
            .fix(
                "Start the profiler on all hosts at the same step number, and synchronize their \
             clocks with NTP.",
            ),
    )
}

fn clocks(evidence: &Evidence<'_>) -> Option<Finding> {
    if evidence.session.hosts.len() < 2 {
        return None;
    }
    if evidence.has_work() {
        measured(evidence)
    } else {
        by_steps(evidence)
    }
}

/// Compares clocks by the ends of common collectives.
fn measured(evidence: &Evidence<'_>) -> Option<Finding> {
    let session = evidence.session;
    let selected = Selection::default().resolve(session).ok()?;
    let exchanges = collectives::Evidence::of(session, &selected);
    let clocks = &exchanges.clocks;
    let step_ps = evidence.overview.step_time.as_ref()?.median;
    let compared = clocks.hosts.iter().enumerate();
    let compared = compared.filter_map(|(host, clock)| Some((host, clock.reference?, clock)));
    let (host, reference, clock) =
        compared.max_by(|a, b| a.2.offset_ps.abs().total_cmp(&b.2.offset_ps.abs()))?;
    let offset_ps = clock.offset_ps.abs();
    if step_ps <= 0.0 || offset_ps <= limits::CLOCK_DISTANCE_RATIO * step_ps {
        return None;
    }
    let what = format!(
        "The clock of {} is {} {} that of {}, more than a step ({}).",
        session.hosts[host].name,
        format::duration_ps(offset_ps),
        if clock.offset_ps > 0.0 {
            "ahead of"
        } else {
            "behind"
        },
        session.host(reference).name,
        format::duration_ps(step_ps),
    );
    Some(
        Finding::new("host_clocks", Severity::Warning, what)
            .why(format!(
                "Measured from the ends of {}, which all participants leave together. Recorded times \
                 cannot be compared across these hosts.",
                format::counted(clock.matched_count, "common collective")
            ))
            .fix(
                "Synchronize the clocks of the hosts with NTP or PTP. `stepscope hosts` aligns the \
                 clocks before it compares hosts.",
            ),
    )
}

/// Compares clocks by the starts of equal steps.
fn by_steps(evidence: &Evidence<'_>) -> Option<Finding> {
    let session = evidence.session;
    let step_ps = evidence.overview.step_time.as_ref()?.median;
    let (host, distance_ps) = (1..session.hosts.len())
        .filter_map(|host| Some((host, distance_ps(session, HostId::from_index(host))?)))
        .max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))?;
    if step_ps <= 0.0 || distance_ps.abs() <= limits::CLOCK_DISTANCE_RATIO * step_ps {
        return None;
    }
    let what = format!(
        "The same steps are {} apart on {} and {}, more than a step ({}).",
        format::duration_ps(distance_ps.abs()),
        session.hosts[0].name,
        session.hosts[host].name,
        format::duration_ps(step_ps),
    );
    Some(
        Finding::new("host_clocks", Severity::Warning, what)
            .why(
                "Their clocks or their step numbers differ. Times cannot be compared across these \
             hosts.",
            )
            .fix(
                "Synchronize the clocks of the hosts with NTP or PTP, and use the same step numbers \
             on all hosts.",
            ),
    )
}

/// Median over common steps of the step's start on this host − its start on the first host.
fn distance_ps(session: &Session, host: HostId) -> Option<f64> {
    let start = |step: &stepscope_model::Step, host: HostId| {
        let own = step.on_host(host).iter();
        own.map(|span| span.span.start.0).min()
    };
    let first = HostId::from_index(0);
    let distances: Vec<f64> = session
        .steps
        .iter()
        .filter_map(|step| Some((start(step, host)? - start(step, first)?) as f64))
        .collect();
    (!distances.is_empty()).then(|| median(&distances))
}
