//! The type of a file according to its name.

use crate::manifest;

/// Types of files in log directories, in the order in which a summary lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FileKind {
    /// `<host>.xplane.pb` or `<host>.xplane.riegeli`, perhaps compressed.
    Profile,
    /// A supported zip or tar archive.
    Archive,
    /// For a trace viewer: `*.trace.json.gz`, `perfetto_trace.json.gz`, `*.pftrace`. From JAX it is
    /// a copy of a capture; from other profilers it is the capture itself.
    TraceExport,
    /// Any records: `*.riegeli` without a profile's name.
    Riegeli,
    /// A device memory profile in pprof's format: `memory.prof`, `*.memprof`.
    MemoryProfile,
    /// A name of pprof profiles, but also of other messages: `*.pb.gz`. Its content decides.
    PerhapsMemoryProfile,
    /// What the capturing program wrote about itself: `<host>.stepscope.json`.
    Manifest,
    /// The HLO of one program.
    Program,
    /// What XProf and TensorBoard write next to profiles to save time.
    ToolCache,
    /// TensorBoard's scalars and graphs.
    EventFile,
    /// A profile or archive in an unsupported compression.
    ForeignCompression,
    /// A Git LFS pointer to a large file; recognized by content.
    LfsPointer,
    /// Written by macOS or left by an unfinished copy: a dot, then a profile's name.
    HiddenProfile,
    /// Anything else.
    Other,
}

const COMPRESSED: [&str; 4] = [".gz", ".gzip", ".zst", ".zstd"];
const FOREIGN_COMPRESSED: [&str; 6] = [".xz", ".bz2", ".lz4", ".7z", ".br", ".lzma"];
const PROFILES: [&str; 2] = [".xplane.pb", ".xplane.riegeli"];
const RIEGELI: &str = ".riegeli";
const MEMORY_PROFILES: [&str; 4] = [".memprof", ".pprof", ".prof", ".pb"];
const ARCHIVES: [&str; 8] = [
    ".zip",
    ".tar",
    ".tar.gz",
    ".tgz",
    ".tar.gzip",
    ".tar.zst",
    ".tar.zstd",
    ".tzst",
];
const FOREIGN_ARCHIVES: [&str; 9] = [
    ".tar.xz",
    ".txz",
    ".tar.bz2",
    ".tbz2",
    ".tbz",
    ".tar.lz4",
    ".7z",
    ".rar",
    ".tar.lzma",
];
const TRACE_EXPORTS: [&str; 7] = [
    ".pt.trace.json",
    ".trace.json",
    "perfetto_trace.json",
    ".trace",
    ".pftrace",
    ".perfetto-trace",
    "trace.json",
];
const TOOL_CACHES: [&str; 18] = [
    ".op_stats.pb",
    ".op_stats_v2.pb",
    ".dcn_collective_stats.pb",
    ".smart_suggestion.pb",
    ".sstable",
    "cache_version.txt",
    ".cached_tools.json",
    "no_module.hlo_proto.pb",
    ".overview_page.pb",
    ".input_pipeline.pb",
    ".tensorflow_stats.pb",
    ".kernel_stats.pb",
    ".kernel_stats.db",
    ".memory_profile.json",
    ".pod_viewer.json",
    ".op_profile.json",
    ".roofline_model.pb",
    ".hlo_stats.pb",
];

impl FileKind {
    pub(crate) fn of(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        let plain = strip_any(&name, &COMPRESSED);
        if ends_with_any(plain, &PROFILES) {
            return if name.starts_with('.') {
                Self::HiddenProfile
            } else {
                Self::Profile
            };
        }
        if name.ends_with(manifest::SUFFIX) && !name.starts_with('.') {
            return Self::Manifest;
        }
        if ends_with_any(plain, &TOOL_CACHES) {
            return Self::ToolCache;
        }
        if name.starts_with('.') {
            return Self::Other;
        }
        if ends_with_any(&name, &ARCHIVES) {
            Self::Archive
        } else if ends_with_any(&name, &FOREIGN_ARCHIVES)
            || ends_with_any(strip_any(&name, &FOREIGN_COMPRESSED), &PROFILES)
        {
            Self::ForeignCompression
        } else if ends_with_any(plain, &TRACE_EXPORTS) {
            Self::TraceExport
        } else if plain.ends_with(RIEGELI) {
            Self::Riegeli
        } else if ends_with_any(plain, &MEMORY_PROFILES[..3]) {
            Self::MemoryProfile
        } else if ends_with_any(plain, &[".hlo_proto.pb", ".hlo.pb"]) {
            Self::Program
        } else if ends_with_any(plain, &[".pb"]) {
            Self::PerhapsMemoryProfile
        } else if name.contains(".tfevents.") {
            Self::EventFile
        } else {
            Self::Other
        }
    }

    /// The role of a file of this kind, if its content matches its name.
    pub(crate) const fn role(self) -> Option<Role> {
        match self {
            Self::Profile => Some(Role::Host),
            Self::TraceExport => Some(Role::Trace),
            Self::MemoryProfile | Self::PerhapsMemoryProfile => Some(Role::Memory),
            Self::Program => Some(Role::Program),
            Self::Manifest => Some(Role::Manifest),
            Self::Archive => Some(Role::Archive),
            Self::Riegeli
            | Self::ToolCache
            | Self::EventFile
            | Self::ForeignCompression
            | Self::LfsPointer
            | Self::HiddenProfile
            | Self::Other => None,
        }
    }

    /// The label for `count` of them in a summary.
    pub(crate) fn label(self, count: usize) -> &'static str {
        match (self, count) {
            (Self::Profile, _) => "*.xplane.pb",
            (Self::Archive, 1) => "archive",
            (Self::Archive, _) => "archives",
            (Self::TraceExport, 1) => "viewer trace",
            (Self::TraceExport, _) => "viewer traces",
            (Self::Riegeli, _) => "*.riegeli",
            (Self::MemoryProfile, _) => "*.prof",
            (Self::PerhapsMemoryProfile, _) => "*.pb(.gz)",
            (Self::Manifest, 1) => "capture manifest",
            (Self::Manifest, _) => "capture manifests",
            (Self::Program, _) => "*.hlo_proto.pb",
            (Self::ToolCache, 1) => "cache of another tool",
            (Self::ToolCache, _) => "caches of other tools",
            (Self::EventFile, 1) => "TensorBoard event file",
            (Self::EventFile, _) => "TensorBoard event files",
            (Self::ForeignCompression, 1) => "file in an unsupported compression",
            (Self::ForeignCompression, _) => "files in an unsupported compression",
            (Self::LfsPointer, 1) => "Git LFS pointer",
            (Self::LfsPointer, _) => "Git LFS pointers",
            (Self::HiddenProfile, 1) => "hidden *.xplane.pb",
            (Self::HiddenProfile, _) => "hidden *.xplane.pb files",
            (Self::Other, 1) => "other file",
            (Self::Other, _) => "other files",
        }
    }

    /// Why a file of this kind is not read at this place. `None` for files that are read, and for
    /// files that nobody would mistake for a profile.
    pub(crate) fn reason_ignored(self, place: Place) -> Option<&'static str> {
        match (self, place) {
            (Self::TraceExport, Place::BesideProfiles) => {
                Some("a trace viewer's copy of a capture; the *.xplane.pb next to it has more")
            }
            (Self::TraceExport, Place::Elsewhere) => Some(
                "named like a trace, but its content is neither Chrome's JSON nor Perfetto's \
                    protobuf",
            ),
            (Self::Riegeli, _) => Some(
                "records without a profile's name; give its own path, or rename it to \
                    *.xplane.riegeli",
            ),
            (Self::Program, Place::BesideProfiles) => {
                Some("the HLO of one program; a capture has its own")
            }
            (Self::ToolCache, _) => Some("a cache of another tool"),
            (Self::ForeignCompression, _) => {
                Some("unsupported compression; decompress it, or use gzip or zstd")
            }
            (Self::HiddenProfile, _) => Some("a hidden file: macOS metadata or an unfinished copy"),
            (Self::EventFile, Place::BesideProfiles) => Some("a TensorBoard event file"),
            (Self::Other | Self::PerhapsMemoryProfile, Place::BesideProfiles) => {
                Some("not named like a profile")
            }
            _ => None,
        }
    }
}

/// The role of a file in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The profile of a host.
    Host,
    /// A trace for viewers, which may replace a host's profile.
    Trace,
    /// A memory profile.
    Memory,
    /// A program.
    Program,
    /// What the capturing program wrote about itself.
    Manifest,
    /// A container of other files.
    Archive,
}

impl Role {
    /// The name derived from a file name: of the host, the snapshot, or the program.
    pub(crate) fn title(self, file_name: &str) -> String {
        match self {
            Self::Host => host_name(file_name),
            Self::Trace => trace_name(file_name),
            Self::Memory => snapshot_name(file_name),
            Self::Program => program_name(file_name),
            Self::Manifest => manifest_host(file_name),
            Self::Archive => archive_stem(file_name),
        }
    }

    /// The role of a single file that is not an archive, by its name and content.
    pub(crate) fn of_one(kind: FileKind, is_trace: bool, begins_as_memory: bool) -> Self {
        let may_be_trace = matches!(kind, FileKind::TraceExport | FileKind::Other);
        match kind {
            _ if is_trace && may_be_trace => Self::Trace,
            FileKind::MemoryProfile => Self::Memory,
            FileKind::Profile => Self::Host,
            _ if begins_as_memory => Self::Memory,
            FileKind::Program => Self::Program,
            _ => Self::Host,
        }
    }

    /// The type under which a summary counts it.
    pub(crate) const fn kind(self) -> FileKind {
        match self {
            Self::Host => FileKind::Profile,
            Self::Trace => FileKind::TraceExport,
            Self::Memory => FileKind::MemoryProfile,
            Self::Program => FileKind::Program,
            Self::Manifest => FileKind::Manifest,
            Self::Archive => FileKind::Archive,
        }
    }
}

/// Whether a file is in a run directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    BesideProfiles,
    Elsewhere,
}

/// A host's name: the file name without the suffixes of profiles and compression; for other file
/// names, without the last suffix.
pub(crate) fn host_name(file_name: &str) -> String {
    let plain = strip_suffixes(file_name, &COMPRESSED);
    let stem = strip_suffixes(plain, &PROFILES);
    let stem = if stem.len() < plain.len() {
        stem
    } else {
        strip_last_suffix(plain)
    };
    if stem.is_empty() {
        file_name.to_owned()
    } else {
        stem.to_owned()
    }
}

/// The host name of a trace: the file name without the suffixes of traces, compression, and the
/// timestamp that PyTorch's profiler adds.
pub(crate) fn trace_name(file_name: &str) -> String {
    let plain = strip_suffixes(file_name, &COMPRESSED);
    let suffixes = [
        ".pt.trace.json",
        ".trace.json",
        ".trace",
        ".pftrace",
        ".perfetto-trace",
    ];
    let stem = strip_suffixes(plain, &suffixes);
    let stem = if stem.len() < plain.len() {
        stem
    } else {
        strip_last_suffix(plain)
    };
    let worker = stem.rsplit_once('.').filter(|(worker, moment)| {
        is_of_pytorch(file_name) && !worker.is_empty() && moment.bytes().all(|b| b.is_ascii_digit())
    });
    match worker.map_or(stem, |(worker, _)| worker) {
        "" => file_name.to_owned(),
        name => name.to_owned(),
    }
}

/// A trace named like those of PyTorch's profiler for several workers.
pub(crate) fn is_of_pytorch(file_name: &str) -> bool {
    let name = file_name.to_ascii_lowercase();
    strip_any(&name, &COMPRESSED).ends_with(".pt.trace.json")
}

/// The copy that JAX writes for Perfetto next to the one for TensorBoard.
pub(crate) fn is_second_export(file_name: &str) -> bool {
    file_name
        .to_ascii_lowercase()
        .starts_with("perfetto_trace.json")
}

/// A snapshot's name: the file name without the suffixes of memory profiles and compression.
pub(crate) fn snapshot_name(file_name: &str) -> String {
    let plain = strip_suffixes(file_name, &COMPRESSED);
    let stem = strip_suffixes(plain, &MEMORY_PROFILES);
    if stem.is_empty() {
        file_name.to_owned()
    } else {
        stem.to_owned()
    }
}

/// A program's name: the file name without the suffixes of programs and compression.
pub(crate) fn program_name(file_name: &str) -> String {
    let plain = strip_suffixes(file_name, &COMPRESSED);
    let stem = strip_suffixes(plain, &[".hlo_proto.pb", ".hlo.pb", ".pb"]);
    if stem.is_empty() {
        file_name.to_owned()
    } else {
        stem.to_owned()
    }
}

/// Whether a file is named like a file of Riegeli records.
pub(crate) fn is_riegeli(file_name: &str) -> bool {
    strip_suffixes(file_name, &COMPRESSED)
        .to_ascii_lowercase()
        .ends_with(RIEGELI)
}

/// The host that a manifest is about.
fn manifest_host(file_name: &str) -> String {
    strip_suffixes(file_name, &[manifest::SUFFIX]).to_owned()
}

/// An archive's name without its suffixes, used as the name of the folder it was made from.
pub(crate) fn archive_stem(file_name: &str) -> String {
    let mut suffixes = ARCHIVES;
    suffixes.sort_by_key(|suffix| std::cmp::Reverse(suffix.len()));
    let stem = strip_suffixes(file_name, &suffixes);
    let stem = if stem.len() < file_name.len() {
        stem
    } else {
        strip_last_suffix(file_name)
    };
    if stem.is_empty() {
        file_name.to_owned()
    } else {
        stem.to_owned()
    }
}

fn strip_last_suffix(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

/// `name` without the first of the suffixes it ends with, whatever their case.
fn strip_suffixes<'a>(name: &'a str, suffixes: &[&str]) -> &'a str {
    let lower = name.to_ascii_lowercase();
    let found = suffixes.iter().find(|suffix| lower.ends_with(**suffix));
    found.map_or(name, |suffix| &name[..name.len() - suffix.len()])
}

fn strip_any<'a>(name: &'a str, suffixes: &[&str]) -> &'a str {
    suffixes
        .iter()
        .find_map(|suffix| name.strip_suffix(suffix))
        .unwrap_or(name)
}

fn ends_with_any(name: &str, suffixes: &[&str]) -> bool {
    suffixes.iter().any(|suffix| name.ends_with(suffix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_kinds() {
        let cases = [
            ("host-0.xplane.pb", FileKind::Profile),
            ("host-0.XPLANE.PB.GZ", FileKind::Profile),
            ("host-0.xplane.pb.zst", FileKind::Profile),
            ("host-0.xplane.pb.xz", FileKind::ForeignCompression),
            ("._host-0.xplane.pb", FileKind::HiddenProfile),
            ("run.tar.zst", FileKind::Archive),
            ("run.tar.bz2", FileKind::ForeignCompression),
            ("host-0.trace.json.gz", FileKind::TraceExport),
            ("perfetto_trace.json.gz", FileKind::TraceExport),
            ("rank0.1700.pt.trace.json.gz", FileKind::TraceExport),
            ("run.pftrace", FileKind::TraceExport),
            ("run.perfetto-trace.gz", FileKind::TraceExport),
            ("memory.prof", FileKind::MemoryProfile),
            ("step_100.memprof.gz", FileKind::MemoryProfile),
            ("heap.pb.gz", FileKind::PerhapsMemoryProfile),
            ("jit_f(3).hlo_proto.pb", FileKind::Program),
            ("host-0.stepscope.json", FileKind::Manifest),
            (".host-0.stepscope.json", FileKind::Other),
            ("NO_MODULE.hlo_proto.pb", FileKind::ToolCache),
            ("host-0.op_stats_v2.pb", FileKind::ToolCache),
            (".metadata.SSTABLE", FileKind::ToolCache),
            (".cached_tools.json", FileKind::ToolCache),
            ("host-0.xplane.riegeli", FileKind::Profile),
            ("host-0.xplane.riegeli.gz", FileKind::Profile),
            ("host-0.xplane.riegeli.xz", FileKind::ForeignCompression),
            ("examples.riegeli", FileKind::Riegeli),
            ("events.out.tfevents.1.host", FileKind::EventFile),
            ("train.py", FileKind::Other),
        ];
        for (name, kind) in cases {
            assert_eq!(FileKind::of(name), kind, "{name}");
        }
    }

    #[test]
    fn hosts_and_archives_lose_their_suffixes() {
        assert_eq!(host_name("host-0.xplane.pb"), "host-0");
        assert_eq!(host_name("t1v-n-0.local.xplane.pb.gz"), "t1v-n-0.local");
        assert_eq!(host_name("host-0.xplane.riegeli"), "host-0");
        assert_eq!(host_name("capture.bin"), "capture");
        assert_eq!(host_name("capture.pb.zst"), "capture");
        assert_eq!(host_name(".xplane.pb"), ".xplane.pb");
        assert_eq!(trace_name("host-0.trace.json.gz"), "host-0");
        assert_eq!(trace_name("node_77.1695835823163.pt.trace.json"), "node_77");
        assert_eq!(trace_name("perfetto_trace.json.gz"), "perfetto_trace");
        assert_eq!(trace_name("run.1.pftrace"), "run.1");
        assert_eq!(trace_name("kineto.json"), "kineto");
        assert_eq!(snapshot_name("memory.prof"), "memory");
        assert_eq!(snapshot_name("memory_000100.memprof.gz"), "memory_000100");
        assert_eq!(snapshot_name("heap.pb.gz"), "heap");
        assert_eq!(snapshot_name("download"), "download");
        assert_eq!(archive_stem("run.1.tar.gz"), "run.1");
        assert_eq!(archive_stem("run.ZIP"), "run");
        assert_eq!(archive_stem("download"), "download");
    }
}
