//! The runs in a log directory: `record/<run>/rank_<n>.ring` and `record/<run>/incidents/<id>/`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use stepscope_storage::read_bytes;

use crate::incident;
use crate::points::run_steps;
use crate::report::{Incident, IncidentsReport, RecordedRun};
use crate::ring::{self, RingStep};

/// A ring of 65,536 steps has 8 MB.
const RING_BYTES_MAX: u64 = 256 << 20;
/// Of so many ranks the steps are read: a job of a thousand has 8 GB of rings.
const RANKS_READ_MAX: usize = 32;

/// The number of incidents of all recorded runs of a log directory, without reading them; `None`
/// without a recorded run.
pub fn incident_count_at(path: &Path) -> Option<u32> {
    let runs = runs_at(path);
    if runs.is_empty() {
        return None;
    }
    let folders = runs.iter().flat_map(|run| children(&run.join("incidents")));
    let count = folders.filter(|one| incident::is_in(one)).count();
    Some(u32::try_from(count).unwrap_or(u32::MAX))
}

/// The recorded runs and incidents of a log directory, or of the folder of one run. What cannot be
/// read is left out; without a recorded run the report is empty.
pub fn incidents_at(path: &Path) -> IncidentsReport {
    let mut report = IncidentsReport::default();
    for folder in runs_at(path) {
        let run = recorded(&folder);
        report.incidents.extend(run.1);
        report.runs.push(run.0);
    }
    report.incidents.sort_by(|left, right| {
        let by_time = left.epoch_ms.cmp(&right.epoch_ms);
        by_time.then_with(|| left.folder.cmp(&right.folder))
    });
    report
}

fn recorded(folder: &Path) -> (RecordedRun, Vec<Incident>) {
    let name = name_of(folder);
    let folders = children(&folder.join("incidents"));
    let read = folders.iter().filter_map(|one| incident::read(&name, one));
    let incidents: Vec<Incident> = read.collect();
    let rings = rings(folder);
    let rank_count = u32::try_from(rings.len()).unwrap_or(u32::MAX);
    let noticed = incidents.iter().filter_map(|one| one.rank).collect();
    let ranks = read_steps(rings, &noticed);
    let steps = run_steps(&ranks);
    let run = RecordedRun {
        name,
        rank_count,
        ranks_read: ranks.iter().map(|(rank, _)| *rank).collect(),
        step_count: steps.count,
        median_ps: steps.median_ps,
        points: steps.points,
    };
    (run, incidents)
}

/// The steps of the ranks that are read, by rank.
fn read_steps(
    mut rings: Vec<(u32, PathBuf)>,
    noticed: &BTreeSet<u32>,
) -> Vec<(u32, Vec<RingStep>)> {
    rings.sort_by_key(|(rank, _)| (!noticed.contains(rank), *rank));
    rings.truncate(RANKS_READ_MAX);
    rings.sort();
    let steps = rings.into_iter().filter_map(|(rank, path)| {
        let bytes = read_bytes(&path, RING_BYTES_MAX).ok()?;
        Some((rank, ring::steps(&bytes)?))
    });
    steps.collect()
}

/// The rings of a run, with their ranks.
fn rings(folder: &Path) -> Vec<(u32, PathBuf)> {
    let files = children(folder).into_iter().filter_map(|path| {
        let name = name_of(&path);
        let rank = name.strip_prefix("rank_")?.strip_suffix(".ring")?;
        Some((rank.parse().ok()?, path))
    });
    files.collect()
}

/// The folders of runs at a path: those in its `record`, or the path itself.
fn runs_at(path: &Path) -> Vec<PathBuf> {
    let is_run = |folder: &PathBuf| folder.join("incidents").is_dir();
    let own = path.to_owned();
    if is_run(&own) {
        return vec![own];
    }
    let folders = children(&path.join("record"));
    folders.into_iter().filter(is_run).collect()
}

/// What is in a folder, sorted by name; nothing if it cannot be read.
fn children(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    found.sort();
    found
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_directory_and_the_folder_of_a_run_say_the_same() {
        let folder = tempfile::tempdir().expect("a folder");
        let run = folder.path().join("record/2026");
        let place = run.join("incidents/slow");
        fs::create_dir_all(&place).expect("created");
        fs::create_dir_all(folder.path().join("record/empty")).expect("created");
        fs::write(run.join("incidents/rule_1"), "").expect("written");
        fs::write(
            place.join("request.json"),
            r#"{"id": "slow", "rank": 3, "step": 8, "cause": "not told yet", "unix_ns": 5000000}"#,
        )
        .expect("written");
        let records = [(1, 7, 10, 900), (2, 8, 20, 40), (3, 9, 30, 20)];
        fs::write(run.join("rank_3.ring"), ring::drawn(&records)).expect("written");
        fs::write(run.join("rank_0.ring"), "damaged").expect("written");
        let report = incidents_at(folder.path());
        assert_eq!(report, incidents_at(&run));
        assert_eq!(incident_count_at(folder.path()), Some(1));
        let [recorded] = &report.runs[..] else {
            panic!("{:?}", report.runs);
        };
        assert_eq!(
            (recorded.rank_count, &recorded.ranks_read[..]),
            (2, &[3][..])
        );
        assert_eq!((recorded.step_count, recorded.median_ps), (2, Some(20_000)));
        let [slow] = &report.incidents[..] else {
            panic!("{:?}", report.incidents);
        };
        assert_eq!(
            (slow.run.as_str(), slow.step, slow.epoch_ms),
            ("2026", Some(8), 5)
        );
        assert_eq!((slow.is_reported, slow.cause.as_deref()), (false, None));
    }

    #[test]
    fn without_a_record_there_is_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(incidents_at(folder.path()), IncidentsReport::default());
        assert_eq!(incident_count_at(folder.path()), None);
        assert_eq!(incident_count_at(&folder.path().join("absent")), None);
    }

    #[test]
    fn ranks_that_noticed_something_are_read_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let rings = (0..40).map(|rank| {
            let path = folder.path().join(format!("rank_{rank}.ring"));
            fs::write(&path, ring::drawn(&[])).expect("written");
            (rank, path)
        });
        let read = read_steps(rings.collect(), &BTreeSet::from([39]));
        let ranks: Vec<u32> = read.iter().map(|(rank, _)| *rank).collect();
        assert_eq!(ranks.len(), RANKS_READ_MAX);
        assert_eq!((ranks[0], ranks[RANKS_READ_MAX - 1]), (0, 39));
    }
}
