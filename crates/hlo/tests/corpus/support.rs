//! Programs and recorded op metadata out of the corpus of real captures.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use prost::Message;

/// The corpus folder, or `None` (said aloud) where it is absent.
pub(crate) fn corpus() -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let folder = std::env::var_os("STEPSCOPE_CORPUS").map_or(default, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    say_skipped(&format!("no corpus of captures at {}", folder.display()));
    None
}

/// As `stepscope_testing::corpus::say_skipped`, on which this crate does not depend.
fn say_skipped(reason: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    let line = format!("skipped hlo::{test}: {reason}\n");
    // Nobody reads the output: then there is nobody to tell.
    let _ = io::stdout().lock().write_all(line.as_bytes());
}

/// All files below a folder whose name ends so, sorted.
pub(crate) fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Every serialized program of the corpus: files of their own and those inside captures.
pub(crate) fn programs(corpus: &Path) -> Vec<(String, Vec<u8>)> {
    let own = files(corpus, ".hlo_proto.pb").into_iter().map(|path| {
        let bytes = std::fs::read(&path).expect("a readable program");
        (path.display().to_string(), bytes)
    });
    let inside = files(corpus, ".xplane.pb").into_iter().flat_map(|path| {
        let planes = planes(&path);
        programs_of(&planes)
            .into_iter()
            .map(move |(name, bytes)| (format!("{}: {name}", path.display()), bytes))
    });
    own.chain(inside).collect()
}

#[derive(Clone, PartialEq, Message)]
struct Space {
    #[prost(message, repeated, tag = "1")]
    planes: Vec<Plane>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Plane {
    #[prost(string, tag = "2")]
    pub(crate) name: String,
    #[prost(map = "int64, message", tag = "4")]
    pub(crate) event_metadata: std::collections::HashMap<i64, EventMetadata>,
    #[prost(map = "int64, message", tag = "5")]
    pub(crate) stat_metadata: std::collections::HashMap<i64, StatMetadata>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct EventMetadata {
    #[prost(string, tag = "2")]
    pub(crate) name: String,
    #[prost(message, repeated, tag = "5")]
    pub(crate) stats: Vec<Stat>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct StatMetadata {
    #[prost(string, tag = "2")]
    pub(crate) name: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Stat {
    #[prost(int64, tag = "1")]
    pub(crate) metadata_id: i64,
    #[prost(uint64, optional, tag = "3")]
    pub(crate) unsigned: Option<u64>,
    #[prost(int64, optional, tag = "4")]
    pub(crate) signed: Option<i64>,
    #[prost(bytes = "vec", optional, tag = "6")]
    pub(crate) bytes: Option<Vec<u8>>,
}

/// Planes of one capture, cut down to the metadata of events.
pub(crate) fn planes(path: &Path) -> Vec<Plane> {
    let bytes = std::fs::read(path).expect("a readable capture");
    Space::decode(bytes.as_slice()).expect("a capture").planes
}

/// Programs in the metadata plane: `jit_f(17)` and the serialized HloProto, sorted by name.
pub(crate) fn programs_of(planes: &[Plane]) -> Vec<(String, Vec<u8>)> {
    let mut programs: Vec<(String, Vec<u8>)> = planes
        .iter()
        .filter(|plane| plane.name == "/host:metadata")
        .flat_map(|plane| {
            let events = plane.event_metadata.values();
            events.filter_map(|event| {
                let stat = plane.stat(event, |name| name.eq_ignore_ascii_case("hlo proto"))?;
                Some((event.name.clone(), stat.bytes.clone()?))
            })
        })
        .collect();
    programs.sort();
    programs
}

impl Plane {
    /// The first stat of an event whose name passes.
    pub(crate) fn stat<'a>(
        &self,
        event: &'a EventMetadata,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Option<&'a Stat> {
        event.stats.iter().find(|stat| {
            let metadata = self.stat_metadata.get(&stat.metadata_id);
            metadata.is_some_and(|metadata| is_wanted(&metadata.name))
        })
    }

    /// A whole number recorded for an event.
    pub(crate) fn number(&self, event: &EventMetadata, name: &str) -> Option<u64> {
        let stat = self.stat(event, |candidate| candidate == name)?;
        stat.unsigned
            .or_else(|| stat.signed.and_then(|number| u64::try_from(number).ok()))
    }
}
