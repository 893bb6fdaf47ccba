//! What a file is by its name, as far as profiles are concerned.

use crate::manifest;

/// Kinds of files that lie about in log directories, in the order a summary names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FileKind {
    /// `<host>.xplane.pb` or `<host>.xplane.riegeli`, perhaps compressed.
    Profile,
    /// A zip or tar archive that is read.
    Archive,
    /// For a trace viewer: `*.trace.json.gz`, `perfetto_trace.json.gz`, `*.pftrace`. Of JAX it is a
    /// copy of a capture; of other profilers the capture itself.
    TraceExport,
    /// Records of whatever: `*.riegeli` with another name than profiles have.
    Riegeli,
    /// A device memory profile in pprof's format: `memory.prof`, `*.memprof`.
    MemoryProfile,
    /// A name that pprof profiles have and other messages too: `*.pb.gz`. Its content decides.
    PerhapsMemoryProfile,
    /// What the program that captured wrote about itself: `<host>.stepscope.json`.
    Manifest,
    /// The HLO of one program.
    Program,
    /// What XProf and TensorBoard write beside profiles to save time.
    ToolCache,
    /// TensorBoard's scalars and graphs.
    EventFile,
    /// A profile or archive compressed in a way that is not read.
    ForeignCompression,
    /// A stand-in for a large file, left by Git LFS; told by content.
    LfsPointer,
    /// Written by macOS or an unfinished copy: a dot, then a profile's name.
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

    /// What becomes of a file of this kind, if its content is what its name says.
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

    /// How a summary calls `count` of them.
    pub(crate) fn label(self, count: usize) -> &'static str {
        match (self, count) {
            (Self::Profile, _) => "*.xplane.pb",
            (Self::Archive, 1) => "archive",
            (Self::Archive, _) => "archives",
            (Self::TraceExport, 1) => "trace of a viewer",
            (Self::TraceExport, _) => "traces of viewers",
            (Self::Riegeli, _) => "*.riegeli",
            (Self::MemoryProfile, _) => "*.prof",
            (Self::PerhapsMemoryProfile, _) => "*.pb(.gz)",
            (Self::Manifest, 1) => "manifest of a capture",
            (Self::Manifest, _) => "manifests of captures",
            (Self::Program, _) => "*.hlo_proto.pb",
            (Self::ToolCache, 1) => "cache of another tool",
            (Self::ToolCache, _) => "caches of other tools",
            (Self::EventFile, 1) => "TensorBoard event file",
            (Self::EventFile, _) => "TensorBoard event files",
            (Self::ForeignCompression, 1) => "file compressed in a way that is not read",
            (Self::ForeignCompression, _) => "files compressed in a way that is not read",
            (Self::LfsPointer, 1) => "Git LFS pointer",
            (Self::LfsPointer, _) => "Git LFS pointers",
            (Self::HiddenProfile, 1) => "hidden *.xplane.pb",
            (Self::HiddenProfile, _) => "hidden *.xplane.pb files",
            (Self::Other, 1) => "other file",
            (Self::Other, _) => "other files",
        }
    }

    /// Why a file of this kind is not read where it lies. None for what is read, and for files
    /// that nobody would take for a profile.
    pub(crate) fn reason_ignored(self, place: Place) -> Option<&'static str> {
        match (self, place) {
            (Self::TraceExport, Place::BesideProfiles) => {
                Some("a trace viewer's copy of a capture; the *.xplane.pb beside it holds more")
            }
            (Self::TraceExport, Place::Elsewhere) => Some(
                "named like a trace, but neither Chrome's JSON nor Perfetto's protobuf by its content",
            ),
            (Self::Riegeli, _) => Some(
                "records named as no profile is; give its own path, or name it *.xplane.riegeli",
            ),
            (Self::Program, Place::BesideProfiles) => {
                Some("the HLO of one program; a capture brings its own")
            }
            (Self::ToolCache, _) => Some("a cache of another tool"),
            (Self::ForeignCompression, _) => {
                Some("compressed in a way that is not read; decompress it, or use gzip or zstd")
            }
            (Self::HiddenProfile, _) => Some("a hidden file: macOS metadata or an unfinished copy"),
            (Self::EventFile, Place::BesideProfiles) => Some("a TensorBoard event file"),
            (Self::Other | Self::PerhapsMemoryProfile, Place::BesideProfiles) => {
                Some("not a profile by its name")
            }
            _ => None,
        }
    }
}

/// What a file is to a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The profile of a host.
    Host,
    /// A trace for viewers, which may stand for a host.
    Trace,
    /// A memory profile.
    Memory,
    /// A program.
    Program,
    /// What the program that captured wrote about itself.
    Manifest,
    /// A folder of others.
    Archive,
}

impl Role {
    /// What a file of this name is called: its host, its snapshot, its program.
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

    /// What a single file is that is no archive, by its name and its content.
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

    /// The kind that a summary counts it as.
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

/// Whether a file lies in a run directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    BesideProfiles,
    Elsewhere,
}

/// A host's name: the file's name without the suffix of profiles and the suffix of its compression; for a
/// file named otherwise, without its last suffix.
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

/// The name of the host that a trace is about: the file's name without the suffixes of traces, of
/// compression, and of the moment that PyTorch's profiler puts between.
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

/// A trace named as PyTorch's profiler names those of several workers.
pub(crate) fn is_of_pytorch(file_name: &str) -> bool {
    let name = file_name.to_ascii_lowercase();
    strip_any(&name, &COMPRESSED).ends_with(".pt.trace.json")
}

/// The copy that JAX writes for Perfetto beside the one for TensorBoard.
pub(crate) fn is_second_export(file_name: &str) -> bool {
    file_name
        .to_ascii_lowercase()
        .starts_with("perfetto_trace.json")
}

/// A snapshot's name: the file's name without the suffixes of memory profiles and compression.
pub(crate) fn snapshot_name(file_name: &str) -> String {
    let plain = strip_suffixes(file_name, &COMPRESSED);
    let stem = strip_suffixes(plain, &MEMORY_PROFILES);
    if stem.is_empty() {
        file_name.to_owned()
    } else {
        stem.to_owned()
    }
}

/// A program's name: the file's name without the suffixes of programs and compression.
pub(crate) fn program_name(file_name: &str) -> String {
    let plain = strip_suffixes(file_name, &COMPRESSED);
    let stem = strip_suffixes(plain, &[".hlo_proto.pb", ".hlo.pb", ".pb"]);
    if stem.is_empty() {
        file_name.to_owned()
    } else {
        stem.to_owned()
    }
}

/// Whether a file is named as one of Riegeli records.
pub(crate) fn is_riegeli(file_name: &str) -> bool {
    strip_suffixes(file_name, &COMPRESSED)
        .to_ascii_lowercase()
        .ends_with(RIEGELI)
}

/// The host that a manifest is about.
fn manifest_host(file_name: &str) -> String {
    strip_suffixes(file_name, &[manifest::SUFFIX]).to_owned()
}

/// An archive's name without its suffixes, which stands for the folder it was made of.
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
