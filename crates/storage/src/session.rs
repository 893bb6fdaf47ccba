//! The result of a search: sessions and the host files they consist of.

use std::cmp::Ordering;
use std::ops::Range;
use std::path::PathBuf;
use std::time::SystemTime;

use crate::host_file::HostFile;
use crate::kind::{FileKind, Role};
use crate::note::Note;
use crate::run_time::RunTime;

/// The result of [`crate::find`].
#[derive(Debug, Clone)]
pub struct Found {
    /// At least one, sorted by name and location: runs named by their capture time, as JAX and
    /// TensorBoard do, are sorted oldest first.
    pub sessions: Vec<SessionFiles>,
    /// What was ignored, unreadable, joined, or cut off, sorted by path.
    pub notes: Vec<Note>,
    /// The folder that locations are relative to: the given one, or the one that contains the given
    /// file.
    pub root: PathBuf,
}

impl Found {
    /// The session captured last: the first of [`Found::newest_first`].
    pub fn newest(&self) -> Option<&SessionFiles> {
        self.newest_first().first().copied()
    }

    /// The session `count` before the newest, as in `latest~1`, among those of its type: captures
    /// of time, memory profiles only, programs only.
    pub fn before_newest(&self, count: usize) -> Option<&SessionFiles> {
        let sessions = self.newest_first();
        let rank = sessions.first()?.rank();
        let before = sessions.get(count).copied();
        before.filter(|session| session.rank() == rank)
    }

    /// The order in which sessions are numbered everywhere: latest capture first, by the time in
    /// the run's name or, if it is not named by time, by the time its files were last written.
    /// Captures of time come before memory profiles only, and these before programs only. Of
    /// sessions with the same time, the name that sorts last comes first.
    pub fn newest_first(&self) -> Vec<&SessionFiles> {
        let mut sessions: Vec<&SessionFiles> = self.sessions.iter().rev().collect();
        sessions.sort_by_key(|session| std::cmp::Reverse((session.rank(), session.captured())));
        sessions
    }

    /// The session that a person means: `latest` or `latest~N`, or by name, location, number in
    /// [`Found::newest_first`], or a unique part of a name.
    pub fn pick(&self, wanted: &str) -> Option<&SessionFiles> {
        let relative = || match wanted.strip_prefix("latest")? {
            "" => self.before_newest(0),
            "~" => self.before_newest(1),
            rest => self.before_newest(rest.strip_prefix('~')?.parse().ok()?),
        };
        let number = || {
            let number = wanted.parse::<usize>().ok()?;
            self.newest_first().get(number).copied()
        };
        let part = || {
            let sessions = self.sessions.iter();
            let mut matching = sessions.filter(|session| session.name.contains(wanted));
            matching.next().filter(|_| matching.next().is_none())
        };
        let exact = self.session(wanted).or_else(relative);
        exact.or_else(number).or_else(part)
    }

    /// The path of a session: its run directory or its file.
    pub fn path_of(&self, session: &SessionFiles) -> PathBuf {
        match session.location.as_str() {
            "." => self.root.clone(),
            location => self.root.join(location),
        }
    }

    /// The session with this name or location.
    pub fn session(&self, name: &str) -> Option<&SessionFiles> {
        let by_name = self.sessions.iter().find(|session| session.name == name);
        by_name.or_else(|| {
            self.sessions
                .iter()
                .find(|session| session.location == name)
        })
    }
}

/// The files of one capture.
#[derive(Debug, Clone)]
pub struct SessionFiles {
    /// The run directory's name, or a bare file's stem, prefixed with as much of its path as needed
    /// to be unique among the sessions found with it.
    pub name: String,
    /// Path of the run directory or the file relative to [`Found::root`], with `/` as the separator
    /// and archives as folders; `.` for the root itself. For display.
    pub location: String,
    /// Sorted by host name. No two have the same name. Empty if there are only memory profiles.
    pub hosts: Vec<HostFile>,
    /// Memory profiles, sorted by name; [`HostFile::host`] is the snapshot's name.
    pub memory: Vec<HostFile>,
    /// Serialized programs, sorted by name; [`HostFile::host`] is the file name without suffix.
    /// Empty next to profiles, which contain their own.
    pub programs: Vec<HostFile>,
    /// What the capturing programs wrote about themselves, by host.
    pub manifests: Vec<HostFile>,
    /// When its newest file was last written.
    pub modified: Option<SystemTime>,
    /// Names of all run directories that were joined into this session; empty for a session in one
    /// directory.
    pub joined_from: Vec<String>,
    /// Sum of the sizes of its files.
    pub size_bytes: u64,
}

impl SessionFiles {
    /// Everything to be read except manifests: profiles, memory profiles, programs.
    pub fn files(&self) -> impl Iterator<Item = &HostFile> {
        self.files_by_role().map(|(_, file)| file)
    }

    /// Only these of its hosts, by position, without what belongs to no host or to others.
    #[must_use]
    pub fn only(&self, hosts: Range<usize>) -> Self {
        self.with_hosts(self.hosts.get(hosts).unwrap_or_default().to_vec())
    }

    /// The same of its hosts with these names.
    #[must_use]
    pub fn only_named(&self, is_wanted: &dyn Fn(&str) -> bool) -> Self {
        let hosts = self.hosts.iter().filter(|file| is_wanted(&file.host));
        self.with_hosts(hosts.cloned().collect())
    }

    fn with_hosts(&self, hosts: Vec<HostFile>) -> Self {
        let is_own = |file: &&HostFile| hosts.iter().any(|host| host.host == file.host);
        Self {
            manifests: self.manifests.iter().filter(is_own).cloned().collect(),
            size_bytes: hosts.iter().map(|file| file.size_bytes).sum(),
            memory: Vec::new(),
            programs: Vec::new(),
            hosts,
            ..self.clone()
        }
    }

    /// Those files, each with its role.
    pub(crate) fn files_by_role(&self) -> impl Iterator<Item = (Role, &HostFile)> {
        let hosts = self.hosts.iter().map(|file| (Role::Host, file));
        let memory = self.memory.iter().map(|file| (Role::Memory, file));
        let programs = self.programs.iter().map(|file| (Role::Program, file));
        hosts.chain(memory).chain(programs)
    }

    /// Names of its hosts, in the order of [`hosts`](Self::hosts); `None` if a file may be of several
    /// hosts, as a viewer's trace is, so that only its content says which.
    pub fn host_names(&self) -> Option<Vec<&str>> {
        let is_profile = |file: &HostFile| FileKind::of(&file.file_name()) == FileKind::Profile;
        let are_known = self.hosts.iter().all(is_profile);
        are_known.then(|| self.hosts.iter().map(|file| file.host.as_str()).collect())
    }

    /// Whether all its files are on this machine: on disk or in the cache.
    pub fn is_here(&self) -> bool {
        let is_far = |file: &HostFile| file.remote.as_ref().is_some_and(|object| !object.is_here());
        !self.files().any(is_far)
    }

    /// Whether every file that is read for it, also where links lead, is below one of these folders,
    /// which are given without links. Remote files are where their URL says.
    pub fn is_below(&self, folders: &[PathBuf]) -> bool {
        let of = |file: &HostFile| {
            file.remote.is_some()
                || file
                    .path
                    .canonicalize()
                    .is_ok_and(|real| folders.iter().any(|folder| real.starts_with(folder)))
        };
        let mut files = self.files().chain(&self.manifests);
        files.all(|file| of(file) && file.stand_in.as_deref().is_none_or(of))
    }

    /// Captures of time before memory profiles only before programs only.
    fn rank(&self) -> u8 {
        match (self.hosts.is_empty(), self.memory.is_empty()) {
            (false, _) => 2,
            (true, false) => 1,
            (true, true) => 0,
        }
    }

    /// When its run began, if the name of its folder says so, as JAX names it.
    pub fn named_time(&self) -> Option<SystemTime> {
        let run = self.name.rsplit('/').next().and_then(RunTime::parse);
        run.and_then(RunTime::as_utc)
    }

    fn captured(&self) -> Option<SystemTime> {
        self.named_time().or(self.modified)
    }
}

/// The order people expect for numbered names: runs of digits compare as numbers.
pub(crate) fn natural_order(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    while let (Some(first), Some(second)) = (left.chars().next(), right.chars().next()) {
        let order = if first.is_ascii_digit() && second.is_ascii_digit() {
            let (left_number, left_rest) = split_digits(left);
            let (right_number, right_rest) = split_digits(right);
            (left, right) = (left_rest, right_rest);
            let shorter = left_number.len().cmp(&right_number.len());
            shorter.then_with(|| left_number.cmp(right_number))
        } else {
            (left, right) = (&left[first.len_utf8()..], &right[second.len_utf8()..]);
            first.cmp(&second)
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    // Names that differ only in leading zeros are compared as written.
    left.len().cmp(&right.len()).then_with(|| a.cmp(b))
}

/// The digits at the start of a text, without leading zeros, and the rest.
fn split_digits(text: &str) -> (&str, &str) {
    let end = text
        .find(|character: char| !character.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    (digits.trim_start_matches('0'), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_names_sort_as_people_expect() {
        let mut names = [
            "host-10", "host-2", "host-02", "host", "a", "host-2b", "run/9", "run/10",
        ];
        names.sort_by(|a, b| natural_order(a, b));
        let expected = [
            "a", "host", "host-02", "host-2", "host-2b", "host-10", "run/9", "run/10",
        ];
        assert_eq!(names, expected);
    }
}
