//! Run directories that are one capture: JAX names a run by the second at which each host began,
//! so hosts that begin a second apart land in different directories.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime};

use crate::note::{Note, NoteKind};
use crate::scan::Folder;

/// Hosts of one capture begin within this many seconds of the first.
const JOIN_WINDOW_SECONDS: i64 = 3;

/// The time in a run's name, in seconds since 1970 on the clock that named it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RunTime(i64);

impl RunTime {
    /// Reads `YYYY_MM_DD_HH_MM_SS`.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let widths = [4, 2, 2, 2, 2, 2];
        let mut numbers = [0_i64; 6];
        let mut parts = name.split('_');
        for (number, width) in numbers.iter_mut().zip(widths) {
            let part = parts.next()?;
            if part.len() != width || !part.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            *number = part.parse().ok()?;
        }
        let [year, month, day, hour, minute, second] = numbers;
        let at_end = parts.next().is_none();
        if at_end {
            Self::of_civil([year, month, day], [hour, minute, second])
        } else {
            None
        }
    }

    /// From `[year, month, day]` and `[hour, minute, second]`. None where they name no time.
    pub(crate) fn of_civil(date: [i64; 3], time: [i64; 3]) -> Option<Self> {
        let [year, month, day] = date;
        let [hour, minute, second] = time;
        let is_date = (1..=12).contains(&month) && (1..=31).contains(&day);
        let is_time =
            (0..24).contains(&hour) && (0..60).contains(&minute) && (0..=60).contains(&second);
        (is_date && is_time).then(|| {
            Self(days_since_1970(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second)
        })
    }

    /// As a system time, taking the clock that named it for UTC.
    pub(crate) fn as_utc(self) -> Option<SystemTime> {
        let seconds = u64::try_from(self.0).ok()?;
        SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
    }
}

/// Days from 1970-01-01 in the Gregorian calendar, by counting years from March so that the leap
/// day comes last (H. Hinnant, "chrono-compatible low-level date algorithms", days_from_civil).
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
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
                    if time.0 - began.0 <= JOIN_WINDOW_SECONDS && known.is_disjoint(&hosts) =>
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
        let time = |name| RunTime::parse(name).map(|time| time.0);
        assert_eq!(time("1970_01_01_00_00_00"), Some(0));
        assert_eq!(time("2000_03_01_00_00_00"), Some(951_868_800));
        assert_eq!(time("2026_11_21_08_46_58"), Some(1_795_250_818));
        assert_eq!(time("2024_02_29_23_59_59"), Some(1_709_251_199));
        assert_eq!(time("2024_03_01_00_00_00"), Some(1_709_251_200));
        for name in [
            "run",
            "2026_11_21",
            "2026_13_21_08_46_58",
            "2026_11_21_08_46_58_1",
            "+026_11_21_08_46_58",
        ] {
            assert_eq!(time(name), None, "{name}");
        }
    }
}
