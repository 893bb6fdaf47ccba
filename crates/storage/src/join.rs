//! Run directories that are one capture: JAX names a run by the second at which each host began,
//! so hosts that begin a second apart land in different directories.

use std::collections::{BTreeMap, BTreeSet};

use crate::folder::Folder;
use crate::note::{Note, NoteKind};
use crate::run_time::RunTime;

/// Hosts of one capture begin within this many seconds of the first.
const JOIN_WINDOW_SECONDS: i64 = 3;

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
