//! Run directories that are one capture: JAX names a run by the second at which each host began,
//! so hosts that begin a second apart land in different directories.

use std::collections::{BTreeMap, BTreeSet};
use std::time::SystemTime;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use crate::note::{Note, NoteKind};
use crate::scan::Folder;

/// Hosts of one capture begin within this many seconds of the first.
const JOIN_WINDOW_SECONDS: i64 = 3;
/// How JAX names runs, and how long such names are.
const NAME_FORMAT: &str = "%Y_%m_%d_%H_%M_%S";
const NAME_FORMAT_BYTES: usize = 19;

/// The time in a run's name, on the clock that named it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RunTime(DateTime);

impl RunTime {
    /// Reads `YYYY_MM_DD_HH_MM_SS`.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        // Alone, the format would also take signs and numbers with fewer digits.
        let is_plain = |byte: u8| byte.is_ascii_digit() || byte == b'_';
        if name.len() != NAME_FORMAT_BYTES || !name.bytes().all(is_plain) {
            return None;
        }
        DateTime::strptime(NAME_FORMAT, name).ok().map(Self)
    }

    /// As a system time, taking the clock that named it for UTC.
    pub(crate) fn as_utc(self) -> Option<SystemTime> {
        let time = self.0.to_zoned(TimeZone::UTC).ok()?;
        Some(time.timestamp().into())
    }

    fn seconds_since(self, earlier: Self) -> i64 {
        self.0.duration_since(earlier.0).as_secs()
    }
}

/// Joins the folders that are parts of one capture: side by side, named within
/// [`JOIN_WINDOW_SECONDS`] of the first, with no host in common. Returns them in the order of
/// their locations, with a note for each joined one.
pub(crate) fn join(folders: Vec<Folder>) -> (Vec<Folder>, Vec<Note>) {
    let mut slots: Vec<Option<Folder>> = folders.into_iter().map(Some).collect();
    let mut notes = Vec::new();
    for members in groups(&slots) {
        let mut parts = members
            .into_iter()
            .filter_map(|index| slots[index].take().zip(Some(index)));
        let Some((mut first, slot)) = parts.next() else {
            continue;
        };
        first.joined_from.push(first.run_name());
        for (part, _) in parts {
            first.joined_from.push(part.run_name());
            first.hosts.extend(part.hosts);
            first.memory.extend(part.memory);
            first.programs.extend(part.programs);
            first.manifests.extend(part.manifests);
        }
        let message = format!(
            "{} hold different hosts, began within {JOIN_WINDOW_SECONDS} seconds, \
             and are shown as one session",
            first.joined_from.join(" and ")
        );
        notes.push(Note::new(NoteKind::Joined, &first.path, message));
        slots[slot] = Some(first);
    }
    (slots.into_iter().flatten().collect(), notes)
}

/// Indices of the folders that belong together, two or more in each group, earliest first.
fn groups(folders: &[Option<Folder>]) -> Vec<Vec<usize>> {
    let mut siblings: BTreeMap<&[String], Vec<(RunTime, usize)>> = BTreeMap::new();
    for (index, folder) in folders.iter().enumerate() {
        let Some(folder) = folder else { continue };
        let Some((name, parent)) = folder.location.split_last() else {
            continue;
        };
        if let Some(time) = RunTime::parse(name) {
            siblings.entry(parent).or_default().push((time, index));
        }
    }
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for mut runs in siblings.into_values() {
        runs.sort_unstable();
        let mut current: Option<(RunTime, BTreeSet<&str>, Vec<usize>)> = None;
        for (time, index) in runs {
            let hosts = folders[index].iter().flat_map(|folder| &folder.hosts);
            let hosts: BTreeSet<&str> = hosts.map(|host| host.host.as_str()).collect();
            match &mut current {
                Some((began, known, members))
                    if time.seconds_since(*began) <= JOIN_WINDOW_SECONDS
                        && known.is_disjoint(&hosts) =>
                {
                    known.extend(hosts);
                    members.push(index);
                }
                _ => {
                    groups.extend(current.take().map(|(_, _, members)| members));
                    current = Some((time, hosts, vec![index]));
                }
            }
        }
        groups.extend(current.map(|(_, _, members)| members));
    }
    groups.retain(|members| members.len() > 1);
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_names_are_times() {
        let time = |name| RunTime::parse(name).map(|time| time.0.to_string());
        assert_eq!(
            time("2026_11_21_08_46_58").as_deref(),
            Some("2026-11-21T08:46:58")
        );
        assert_eq!(
            time("2024_02_29_23_59_59").as_deref(),
            Some("2024-02-29T23:59:59")
        );
        for name in [
            "run",
            "2026_11_21",
            "2026_13_21_08_46_58",
            "2026_02_29_08_46_58",
            "2026_11_21_08_46_58_1",
            "2026_11_211_8_46_58",
            "+026_11_21_08_46_58",
        ] {
            assert_eq!(time(name), None, "{name}");
        }
    }

    #[test]
    fn seconds_run_on_past_midnight_and_leap_days() {
        let parse = |name| RunTime::parse(name).expect("a time");
        let (before, after) = (parse("2024_02_29_23_59_59"), parse("2024_03_01_00_00_01"));
        assert_eq!(after.seconds_since(before), 2);
    }
}
