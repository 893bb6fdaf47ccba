//! `missing_hosts`, `silent_hosts`: files of a job's hosts that are missing or empty.

use stepscope_model::DeviceKind;

use super::Rule;
use crate::judging::verdict::evidence::{Evidence, listed};
use crate::judging::verdict::limits;
use crate::judging::verdict::report::{Finding, Severity};
use crate::telling::format;

pub(super) const RULE: Rule = Rule {
    ids: &["missing_hosts", "silent_hosts"],
    look,
};

fn look(evidence: &Evidence<'_>, _: &[Finding]) -> Vec<Finding> {
    missing(evidence)
        .into_iter()
        .chain(silent(evidence))
        .collect()
}

fn missing(evidence: &Evidence<'_>) -> Option<Finding> {
    let here = evidence.session.hosts.len();
    let (processes, source) = processes(evidence)?;
    if processes <= here {
        return None;
    }
    let what = format!(
        "{} of a job with {processes} processes {} in the session ({source}).",
        format::counted(here, "host"),
        if here == 1 { "is" } else { "are" },
    );
    Some(
        Finding::new("missing_hosts", Severity::Warning, what)
            .why(
                "A straggler among the missing hosts is invisible, and means cover only the hosts \
             in the session.",
            )
            .fix(
                "Copy the *.xplane.pb of every host into one run directory, or capture all hosts \
             together: `stepscope capture HOST:PORT,HOST:PORT --logdir DIR`.",
            ),
    )
}

/// Number of processes of the job, and where the number comes from.
fn processes(evidence: &Evidence<'_>) -> Option<(usize, &'static str)> {
    let manifests = evidence.session.hosts.iter();
    let manifests = manifests.filter_map(|host| host.manifest.as_ref());
    let recorded = manifests
        .filter_map(|manifest| manifest.process)
        .map(|process| process.1);
    let recorded = recorded.max().and_then(|count| usize::try_from(count).ok());
    if let Some(count) = recorded {
        return Some((count, "according to its manifest"));
    }
    let devices = evidence.session.devices.iter();
    let last = devices
        .filter(|device| device.kind == DeviceKind::Cpu)
        .map(|device| device.ordinal)
        .max()?;
    let count = usize::try_from(last / limits::CPU_ORDINALS_PER_PROCESS).ok()? + 1;
    Some((count, "according to its device numbers"))
}

fn silent(evidence: &Evidence<'_>) -> Option<Finding> {
    let hosts = &evidence.session.hosts;
    let silent: Vec<&str> = hosts
        .iter()
        .filter(|host| host.event_count == 0)
        .map(|host| host.name.as_str())
        .collect();
    if silent.is_empty() || silent.len() == hosts.len() {
        return None;
    }
    let what = format!(
        "{} of {} recorded no events: {}.",
        silent.len(),
        format::counted(hosts.len(), "host"),
        listed(&silent)
    );
    Some(
        Finding::new("silent_hosts", Severity::Warning, what)
            .why("They were idle during the capture, or their profiler ran at a different time.")
            .fix("Start the profiler on all hosts at the same step."),
    )
}
