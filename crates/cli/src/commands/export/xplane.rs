//! `--xplane`.

use std::fs;
use std::path::Path;

use stepscope_interchange::write::{Wanted, Written, wanted_hosts, write_xplane};
use stepscope_model::{HostId, Session};

use super::report::Report;
use crate::exit::{Exit, Failure};
use crate::file;

/// Writes the profile; for several hosts, one profile each, into a folder.
pub(crate) fn write(session: &Session, wanted: &Wanted, path: &Path) -> Result<Report, Failure> {
    let hosts = wanted_hosts(session, wanted);
    if let [only] = hosts[..] {
        return write_host(session, only, wanted, path);
    }
    if hosts.is_empty() {
        let message = "the selection is empty, so there is no profile to write";
        return Err(Failure::new(Exit::Usage, message));
    }
    if path.as_os_str() == "-" {
        let count = hosts.len();
        let message = format!("the session has {count} hosts, and `-` takes the profile of one");
        return Err(Failure::new(Exit::Usage, message).hint("select one host with --host"));
    }
    fs::create_dir_all(path).map_err(|error| {
        let count = hosts.len();
        let message = format!(
            "the session has {count} hosts, and the folder for their profiles cannot be created \
                ({error}): {}",
            path.display()
        );
        Failure::new(Exit::Failure, message).hint(
            "give the name of a folder, or select one host \
            with --host",
        )
    })?;
    let mut all = Report {
        written: Written::default(),
        file_bytes: 0,
    };
    for host in hosts {
        let name = file_name(&session.host(host).name);
        let report = write_host(session, host, wanted, &path.join(name))?;
        all.file_bytes += report.file_bytes;
        let (sum, one) = (&mut all.written, report.written);
        sum.tracks += one.tracks;
        sum.slices += one.slices;
        sum.samples += one.samples;
        sum.bytes += one.bytes;
    }
    Ok(all)
}

fn write_host(
    session: &Session,
    host: HostId,
    wanted: &Wanted,
    path: &Path,
) -> Result<Report, Failure> {
    let (written, file_bytes) = file::write_of(session, path, |out| {
        write_xplane(session, host, wanted, out)
    })?;
    Ok(Report {
        written,
        file_bytes,
    })
}

/// Host names may contain characters that file names may not.
fn file_name(host: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
    let plain = host.chars().map(|c| if is_plain(c) { c } else { '_' });
    format!("{}.xplane.pb", plain.collect::<String>())
}
