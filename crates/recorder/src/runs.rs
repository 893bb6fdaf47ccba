//! The runs in a log directory: `record/<run>/rank_<n>.ring` and `record/<run>/incidents/<id>/`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use stepscope_storage::{Reserved, open_regular, read_bytes, shown};

use crate::points::run_steps;
use crate::report::{Incident, IncidentsReport, RecordedRun, RunMetric};
use crate::ring::{self, RingHead, RingMetric, RingStep};
use crate::stopped::{OfThisSystem, Stopped, is_stopped};
use crate::{incident, metrics, stopped};

/// A ring of 65,536 steps has 8 MB.
const RING_BYTES_MAX: u64 = 256 << 20;
/// Bytes of all rings of a run that are read.
const RUN_BYTES_MAX: u64 = 1 << 30;
/// Of so many ranks the steps are read: a job of a thousand has 8 GB of rings.
const RANKS_READ_MAX: usize = 32;
/// Steps of half a second, the time between signs of life: 4,096 records.
const RECENT_BYTES: usize = 512 << 10;
/// Of so many ranks a count looks whether they stopped: a job that died whole is known by any.
const RANKS_COUNTED_MAX: usize = 4;

/// The number of incidents of all recorded runs of a log directory, without reading them; `None`
/// without a recorded run. Whether a job died whole is seen from its lowest ranks.
pub fn incident_count_at(path: &Path) -> Option<u32> {
    let runs = runs_at(path);
    if runs.is_empty() {
        return None;
    }
    let counts = runs.iter().map(|run| {
        let mut rings = rings(run);
        rings.sort();
        rings.truncate(RANKS_COUNTED_MAX);
        let stopped = stopped_in(&rings);
        let folders = told_in(run, |_| !stopped.is_empty());
        let lost = lost_ranks(&folders);
        let is_told = stopped.iter().all(|one| lost.contains(&one.rank));
        folders.len() + usize::from(!is_told)
    });
    Some(u32::try_from(counts.sum::<usize>()).unwrap_or(u32::MAX))
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
    let rings = rings(folder);
    let stopped = stopped_in(&rings);
    let folders = told_in(folder, |rank| stopped.iter().any(|one| one.rank == rank));
    let read = folders
        .iter()
        .filter_map(|one| Some((incident::read(&name, one)?, one)));
    let mut incidents: Vec<(Incident, &PathBuf)> = read.collect();
    let rank_count = u32::try_from(rings.len()).unwrap_or(u32::MAX);
    let noticed = incidents.iter().filter_map(|(one, _)| one.rank).collect();
    // The rank that noticed something about its metrics is the one whose metrics are shown.
    let mut noting = incidents.iter().filter(|(one, _)| one.kind == "metric");
    let noting = noting.find_map(|(one, _)| one.rank);
    let ranks = read_ranks(rings, &noticed);
    for (incident, place) in &mut incidents {
        let of_rank = ranks.iter().find(|one| Some(one.rank) == incident.rank);
        if let Some((step, rank)) = incident.step.zip(of_rank) {
            let names = incident::metrics_of(place);
            let about = rank.metrics.iter().filter(|one| names.contains(&one.name));
            incident.metrics = about.filter_map(|one| metrics::before(one, step)).collect();
        }
    }
    let lost = lost_ranks(&folders);
    let mut all: Vec<Incident> = incidents.into_iter().map(|(one, _)| one).collect();
    all.extend(stopped::incident(&name, shown(folder), &stopped, &lost));
    let lines = lines(&ranks, noting);
    let ranks: Vec<(u32, Vec<RingStep>)> =
        ranks.into_iter().map(|one| (one.rank, one.steps)).collect();
    let steps = run_steps(&ranks);
    let run = RecordedRun {
        name,
        rank_count,
        ranks_read: ranks.iter().map(|(rank, _)| *rank).collect(),
        step_count: steps.count,
        median_ps: steps.median_ps,
        points: steps.points,
        metrics: lines,
    };
    (run, all)
}

/// What the ring of a rank holds.
struct RankRead {
    rank: u32,
    steps: Vec<RingStep>,
    metrics: Vec<RingMetric>,
}

/// The ranks that are read, by rank.
fn read_ranks(mut rings: Vec<(u32, PathBuf)>, noticed: &BTreeSet<u32>) -> Vec<RankRead> {
    rings.sort_by_key(|(rank, _)| (!noticed.contains(rank), *rank));
    rings.truncate(RANKS_READ_MAX);
    rings.sort();
    let mut has_metrics = false;
    let (mut reserved, mut reserved_bytes) = (Reserved::default(), 0);
    let ranks = rings.into_iter().filter_map(|(rank, path)| {
        // What is made of a ring takes no more than the ring. One that does not fit is left out.
        let size_bytes = fs::metadata(&path).ok()?.len();
        let most = RING_BYTES_MAX.min(RUN_BYTES_MAX - reserved_bytes);
        let needed = reserved_bytes.saturating_add(size_bytes.saturating_mul(2));
        if size_bytes > most || reserved.grow_to(needed).is_err() {
            return None;
        }
        let bytes = read_bytes(&path, size_bytes).ok()?;
        reserved_bytes += size_bytes;
        // Metrics are mostly those of the whole job: one rank says what they were.
        let is_read = !has_metrics || noticed.contains(&rank);
        let metrics = is_read.then(|| ring::metrics(&bytes)).flatten();
        let metrics = metrics.unwrap_or_default();
        has_metrics |= !metrics.is_empty();
        Some(RankRead {
            rank,
            steps: ring::steps(&bytes)?,
            metrics,
        })
    });
    ranks.collect()
}

/// Each metric once, by name: of the rank that is wanted, if it has it, else of the lowest.
fn lines(ranks: &[RankRead], wanted: Option<u32>) -> Vec<RunMetric> {
    let mut by_name: BTreeMap<&str, (u32, &RingMetric)> = BTreeMap::new();
    for one in ranks {
        let metrics = one
            .metrics
            .iter()
            .filter(|metric| !metric.values.is_empty());
        for metric in metrics {
            let known = by_name.entry(&metric.name).or_insert((one.rank, metric));
            if Some(one.rank) == wanted {
                *known = (one.rank, metric);
            }
        }
    }
    let lines = by_name.into_values();
    lines
        .map(|(rank, metric)| metrics::line(rank, metric))
        .collect()
}

/// The processes of a run that stopped without ending.
fn stopped_in(rings: &[(u32, PathBuf)]) -> Vec<Stopped> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now_ns = now.map_or(0, |now| u64::try_from(now.as_nanos()).unwrap_or(u64::MAX));
    let found = rings.iter().filter_map(|(rank, path)| {
        let is_it = |head: &RingHead| is_stopped(head, now_ns, &OfThisSystem);
        head_of(path).filter(is_it)?;
        // It may have ended well since its ring was read.
        let head = head_of(path).filter(is_it)?;
        Some(Stopped {
            rank: *rank,
            host: head.about["host"].as_str().unwrap_or("unknown").to_owned(),
            pid: (head.about["pid"].as_u64())
                .and_then(|pid| u32::try_from(pid).ok())
                .unwrap_or_default(),
            step: last_step(path, &head),
            beat_ns: head.beat_ns,
        })
    });
    found.collect()
}

/// The last step of a ring: one of the records since the last sign of life, or the one before. The
/// ring of a large job is not read for it.
fn last_step(path: &Path, head: &RingHead) -> Option<i64> {
    let from = head.place_after(head.count.saturating_sub(1));
    let mut newest = bytes_at(path, from, RECENT_BYTES)?;
    let around = RECENT_BYTES - newest.len();
    newest.extend(bytes_at(path, head.place_after(0), around)?);
    ring::newest(&newest)
}

/// At most so many bytes of a file from a place.
fn bytes_at(path: &Path, from: u64, most: usize) -> Option<Vec<u8>> {
    let mut file = open_regular(path).ok()?;
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut bytes = Vec::new();
    file.take(most as u64).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn head_of(path: &Path) -> Option<RingHead> {
    ring::head(&bytes_at(path, 0, ring::HEADER_BYTES)?)
}

/// The ranks that incidents of a run already say are lost.
fn lost_ranks(folders: &[PathBuf]) -> BTreeSet<u32> {
    let lost = folders.iter().filter_map(|one| incident::lost_rank(one));
    lost.collect()
}

/// The folders of the incidents of a run, without those of lost ranks that nobody lived to report: where the
/// rings of all who stopped are read (`has_stopped`), they say more.
fn told_in(run: &Path, has_stopped: impl Fn(u32) -> bool) -> Vec<PathBuf> {
    let mut folders = incidents_in(run);
    folders.retain(|one| {
        incident::is_reported(one) || !incident::lost_rank(one).is_some_and(&has_stopped)
    });
    folders
}

/// The folders of the incidents of a run.
fn incidents_in(run: &Path) -> Vec<PathBuf> {
    let folders = children(&run.join("incidents"));
    folders
        .into_iter()
        .filter(|one| incident::is_in(one))
        .collect()
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
    fn rings_of_any_size_and_pipes_are_left_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let ring = |rank: u32| (rank, folder.path().join(format!("rank_{rank}.ring")));
        for rank in [0, 1] {
            fs::write(ring(rank).1, ring::drawn(&[])).expect("written");
        }
        // A hole, so that the test writes nothing.
        let file = fs::OpenOptions::new().write(true).open(ring(1).1);
        file.expect("a file").set_len(300 << 20).expect("a size");
        let made = std::process::Command::new("mkfifo").arg(ring(2).1).status();
        assert!(made.expect("mkfifo").success());
        assert!(head_of(&ring(2).1).is_none(), "nobody writes to it");
        let read = read_ranks((0..3).map(ring).collect(), &BTreeSet::new());
        let ranks: Vec<u32> = read.iter().map(|one| one.rank).collect();
        assert_eq!(ranks, [0]);
    }

    #[test]
    fn ranks_that_noticed_something_are_read_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let rings = (0..40).map(|rank| {
            let path = folder.path().join(format!("rank_{rank}.ring"));
            fs::write(&path, ring::drawn(&[])).expect("written");
            (rank, path)
        });
        let read = read_ranks(rings.collect(), &BTreeSet::from([39]));
        let ranks: Vec<u32> = read.iter().map(|one| one.rank).collect();
        assert_eq!(ranks.len(), RANKS_READ_MAX);
        assert_eq!((ranks[0], ranks[RANKS_READ_MAX - 1]), (0, 39));
    }

    /// A run with a ring of these bytes for rank 0.
    fn run_of(folder: &Path, ring: &[u8]) -> PathBuf {
        let run = folder.join("record/2026");
        fs::create_dir_all(run.join("incidents")).expect("created");
        fs::write(run.join("rank_0.ring"), ring).expect("written");
        run
    }

    #[test]
    fn a_lone_process_that_died_is_an_incident_and_one_that_ended_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let about = serde_json::json!({ "host": "vm", "pid": 77, "unix_ns_at_zero": 0 });
        let ring_of = |is_ended| {
            let mut bytes = ring::drawn_head(&about, 3_000_000, is_ended);
            ring::push_drawn(&mut bytes, (1, 41, 10, 5), &[]);
            ring::push_drawn(&mut bytes, (2, 42, 20, 5), &[]);
            bytes
        };
        run_of(folder.path(), &ring_of(true));
        assert!(incidents_at(folder.path()).incidents.is_empty());
        assert_eq!(incident_count_at(folder.path()), Some(0));
        let run = run_of(folder.path(), &ring_of(false));
        let report = incidents_at(folder.path());
        let [died] = &report.incidents[..] else {
            panic!("{:?}", report.incidents);
        };
        assert_eq!(died.what, "rank 0 stopped without ending after step 42");
        assert!(died.is_derived && died.epoch_ms == 3 && died.rank == Some(0));
        assert_eq!((died.ranks[0].pid, died.ranks[0].step), (77, 42));
        assert_eq!(incident_count_at(folder.path()), Some(1));
        // Another rank said so.
        let place = run.join("incidents/lost");
        fs::create_dir_all(&place).expect("created");
        let request = r#"{"id": "lost", "kind": "lost", "lost_rank": 0}"#;
        fs::write(place.join("request.json"), request).expect("written");
        let only = || {
            assert_eq!(incident_count_at(folder.path()), Some(1));
            let [only] = &incidents_at(folder.path()).incidents[..] else {
                panic!("one incident");
            };
            only.is_derived
        };
        assert!(only(), "nobody lived to report it");
        fs::write(place.join("incident.json"), request).expect("written");
        assert!(!only(), "it was reported");
    }

    #[test]
    fn metrics_are_lines_and_an_incident_tells_the_last_values() {
        let folder = tempfile::tempdir().expect("a folder");
        let about = serde_json::json!({ "metrics": ["loss", "unused"], "unix_ns_at_zero": 0 });
        let mut bytes = ring::drawn_head(&about, 0, true);
        for (number, loss) in [(1, 2.5), (2, 2.25), (3, f64::NAN)] {
            let record = (number, i64::try_from(number).expect("small"), 10, 5);
            ring::push_drawn(&mut bytes, record, &[Some(loss), None]);
        }
        let run = run_of(folder.path(), &bytes);
        let place = run.join("incidents/nan");
        fs::create_dir_all(&place).expect("created");
        let request =
            r#"{"id": "nan", "kind": "metric", "rank": 0, "step": 3, "metrics": ["loss"]}"#;
        fs::write(place.join("request.json"), request).expect("written");
        let report = incidents_at(folder.path());
        let [loss] = &report.runs[0].metrics[..] else {
            panic!("{:?}", report.runs[0].metrics);
        };
        let told: Vec<_> = loss
            .points
            .iter()
            .map(|one| (one.step_last, one.last))
            .collect();
        assert_eq!(told, [(1, Some(2.5)), (2, Some(2.25)), (3, None)]);
        let nan = &loss.points[2];
        assert_eq!(
            (nan.not_finite_step, nan.not_finite.as_str()),
            (Some(3), "nan")
        );
        let metrics = &report.incidents[0].metrics;
        assert_eq!(metrics[0].values, ["2.5", "2.25", "nan"]);
    }
}
