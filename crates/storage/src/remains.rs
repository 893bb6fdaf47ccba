//! Profiles that are empty or truncated, next to a trace of the same host: the one that contains
//! more is shown.

use stepscope_model::remains::{Remains, WHY_EMPTY, is_whole, remains};

use crate::error::StorageError;
use crate::host_file::HostFile;
use crate::open::{Opened, open_all};
use crate::progress::Progress;

/// What a trace for viewers lacks compared with a capture.
const MISSING: &str = "such a copy has no HLO programs, and lacks planes and stats that its viewer \
                       does not show";

/// The hosts of a file, or those of the trace next to it if that contains more.
pub(crate) fn opened_or_stand_in(
    file: &HostFile,
    opened: Result<Vec<Opened>, StorageError>,
    progress: &dyn Progress,
) -> Result<Vec<Opened>, StorageError> {
    let Some(trace) = &file.stand_in else {
        return opened;
    };
    let (of_profile, is_empty) = match &opened {
        Ok(hosts) => match hosts.as_slice() {
            [only] if !is_cut(only) => return opened,
            [only] => {
                let bytes = only.bytes.as_ref();
                (remains(bytes), bytes.is_empty())
            }
            _ => return opened,
        },
        Err(StorageError::Corrupt { .. }) => (Remains::default(), false),
        // The file exists, and hiding why it cannot be read would be wrong.
        Err(_) => return opened,
    };
    let Ok(mut hosts) = open_all(trace, progress) else {
        return opened;
    };
    let of_trace = hosts
        .iter()
        .map(|host| remains(host.bytes.as_ref()).events)
        .sum();
    if of_trace > of_profile.events {
        let reason = replaced(file, trace, &of_profile, of_trace, is_empty);
        for host in &mut hosts {
            host.bytes.add_problem(&reason);
        }
        if let [only] = hosts.as_mut_slice() {
            only.name = None;
        }
        return Ok(hosts);
    }
    opened.map(|mut hosts| {
        for host in &mut hosts {
            host.bytes
                .add_problem(&kept(file, trace, &of_profile, of_trace));
        }
        hosts
    })
}

fn is_cut(opened: &Opened) -> bool {
    opened.bytes.truncated().is_some() || !is_whole(opened.bytes.as_ref())
}

fn replaced(
    file: &HostFile,
    trace: &HostFile,
    of_profile: &Remains,
    of_trace: u64,
    is_empty: bool,
) -> String {
    let (profile, trace) = (file.file_name(), trace.file_name());
    let (state, cause) = match (is_empty, of_profile.events) {
        (true, _) => ("is empty (0 bytes)".to_owned(), format!("; {WHY_EMPTY}")),
        (false, 0) => ("has nothing that can be decoded".to_owned(), String::new()),
        (false, events) => (
            format!("is truncated after {events} of its events"),
            String::new(),
        ),
    };
    format!(
        "{profile} {state}, so {trace} next to it is shown, with {of_trace} events: \
            {MISSING}{cause}"
    )
}

fn kept(file: &HostFile, trace: &HostFile, of_profile: &Remains, of_trace: u64) -> String {
    format!(
        "{} is truncated after {} of its events, but shown: {} next to it has {of_trace}",
        file.file_name(),
        of_profile.events,
        trace.file_name(),
    )
}
