//! The types of files in log directories: one table with all that is known about each, and the type
//! of a file according to its name.
//!
//! Support for another format begins with a row here.

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

/// The end of a manifest's name, after the host.
pub(crate) const MANIFEST_SUFFIX: &str = ".stepscope.json";

/// The ends of compressed files' names.
pub(crate) const COMPRESSED: [&str; 4] = [".gz", ".gzip", ".zst", ".zstd"];
const FOREIGN_COMPRESSED: [&str; 6] = [".xz", ".bz2", ".lz4", ".7z", ".br", ".lzma"];

/// All that is known about one type of file.
pub(crate) struct Facts {
    pub(crate) kind: FileKind,
    /// How lowercase names of such files end. If a name has endings of several types, the longest
    /// decides.
    pub(crate) endings: &'static [&'static str],
    /// Whether a suffix of [`COMPRESSED`] may follow.
    may_be_compressed: bool,
    /// The type of such a file if its name starts with a dot.
    hidden: FileKind,
    /// Its role in a session, if its content matches its name.
    role: Option<Role>,
    /// Whether other messages have such names too, so that the first bytes decide.
    is_told_by_content: bool,
    /// Whether its content is searched for a trace if it is given by its own path.
    may_be_trace: bool,
    /// The labels for one and for several of them in a summary.
    labels: [&'static str; 2],
    /// Why it is not read next to profiles, and elsewhere. `None` for files that are read, and for
    /// files that nobody would mistake for a profile.
    ignored: [Option<&'static str>; 2],
    /// What to do if a folder contains these and no profile.
    pub(crate) advice: Option<&'static str>,
    /// Of types that are no profile even if given by their own path: what it is, what to do.
    pub(crate) alone: Option<[&'static str; 2]>,
}

/// What holds of a type unless its row says otherwise.
const USUAL: Facts = Facts {
    kind: FileKind::Other,
    endings: &[],
    may_be_compressed: true,
    hidden: FileKind::Other,
    role: None,
    is_told_by_content: false,
    may_be_trace: false,
    labels: ["", ""],
    ignored: [None, None],
    advice: None,
    alone: None,
};

const NO_TRACE: &str = "its content is neither Chrome's JSON nor Perfetto's protobuf; a capture \
                        also wrote a *.xplane.pb, in the same directory: give that";
const MADE_FROM: &str = "give the *.xplane.pb it was made from";

const NO_CAPTURE: &str = "TensorBoard events contain scalars, not a profile; record a capture with \
                          `with jax.profiler.trace(\"/tmp/log\"): ...` around a few steps, then \
                          open /tmp/log";

/// One row for each type. If a folder without profiles has files of several types, the advice of
/// the first one here is given.
pub(crate) static KINDS: [Facts; 14] = [
    Facts {
        kind: FileKind::Profile,
        endings: &[".xplane.pb", ".xplane.riegeli"],
        hidden: FileKind::HiddenProfile,
        role: Some(Role::Host),
        labels: ["*.xplane.pb"; 2],
        ..USUAL
    },
    Facts {
        kind: FileKind::Archive,
        endings: &[
            ".zip",
            ".tar",
            ".tar.gz",
            ".tgz",
            ".tar.gzip",
            ".tar.zst",
            ".tar.zstd",
            ".tzst",
        ],
        may_be_compressed: false,
        role: Some(Role::Archive),
        labels: ["archive", "archives"],
        ..USUAL
    },
    Facts {
        kind: FileKind::ForeignCompression,
        endings: &[
            ".tar.xz",
            ".txz",
            ".tar.bz2",
            ".tbz2",
            ".tbz",
            ".tar.lz4",
            ".7z",
            ".rar",
            ".tar.lzma",
        ],
        may_be_compressed: false,
        labels: [
            "file in an unsupported compression",
            "files in an unsupported compression",
        ],
        ignored: [Some("unsupported compression; decompress it, or use gzip or zstd"); 2],
        advice: Some("decompress it first, or compress it with gzip or zstd instead"),
        ..USUAL
    },
    Facts {
        kind: FileKind::LfsPointer,
        labels: ["Git LFS pointer", "Git LFS pointers"],
        ..USUAL
    },
    Facts {
        kind: FileKind::Riegeli,
        endings: &[".riegeli"],
        labels: ["*.riegeli"; 2],
        ignored: [Some(
            "records without a profile's name; give its own path, or rename it to \
             *.xplane.riegeli",
        ); 2],
        advice: Some(
            "profiles in Riegeli files are named *.xplane.riegeli; give the path of one that is \
             named otherwise",
        ),
        ..USUAL
    },
    Facts {
        kind: FileKind::TraceExport,
        endings: &[
            ".pt.trace.json",
            ".trace.json",
            "perfetto_trace.json",
            ".trace",
            ".pftrace",
            ".perfetto-trace",
            "trace.json",
        ],
        role: Some(Role::Trace),
        may_be_trace: true,
        labels: ["viewer trace", "viewer traces"],
        ignored: [
            Some("a trace viewer's copy of a capture; the *.xplane.pb next to it has more"),
            Some(
                "named like a trace, but its content is neither Chrome's JSON nor Perfetto's \
                 protobuf",
            ),
        ],
        advice: Some(NO_TRACE),
        alone: Some(["a file named like a trace, but not a trace", NO_TRACE]),
        ..USUAL
    },
    Facts {
        kind: FileKind::MemoryProfile,
        endings: &[".memprof", ".pprof", ".prof"],
        role: Some(Role::Memory),
        labels: ["*.prof"; 2],
        advice: Some(
            "save one with jax.profiler.save_device_memory_profile(\"memory.prof\"); a *.prof of \
             Python's cProfile measures the host and is not read",
        ),
        ..USUAL
    },
    Facts {
        kind: FileKind::PerhapsMemoryProfile,
        endings: &[".pb"],
        role: Some(Role::Memory),
        is_told_by_content: true,
        labels: ["*.pb(.gz)"; 2],
        ignored: [Some("not named like a profile"), None],
        ..USUAL
    },
    Facts {
        kind: FileKind::EventFile,
        labels: ["TensorBoard event file", "TensorBoard event files"],
        ignored: [Some("a TensorBoard event file"), None],
        advice: Some(NO_CAPTURE),
        alone: Some(["a TensorBoard event file", MADE_FROM]),
        ..USUAL
    },
    Facts {
        kind: FileKind::ToolCache,
        endings: &[
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
        ],
        hidden: FileKind::ToolCache,
        labels: ["cache of another tool", "caches of other tools"],
        ignored: [Some("a cache of another tool"); 2],
        advice: Some(
            "only caches of other tools are left; the *.xplane.pb they came from was moved or \
             removed: give the place where it is now",
        ),
        alone: Some(["a cache of another tool", MADE_FROM]),
        ..USUAL
    },
    Facts {
        kind: FileKind::Program,
        endings: &[".hlo_proto.pb", ".hlo.pb"],
        role: Some(Role::Program),
        labels: ["*.hlo_proto.pb"; 2],
        ignored: [Some("the HLO of one program; a capture has its own"), None],
        ..USUAL
    },
    Facts {
        kind: FileKind::Manifest,
        endings: &[MANIFEST_SUFFIX],
        may_be_compressed: false,
        role: Some(Role::Manifest),
        labels: ["capture manifest", "capture manifests"],
        ..USUAL
    },
    Facts {
        kind: FileKind::HiddenProfile,
        labels: ["hidden *.xplane.pb", "hidden *.xplane.pb files"],
        ignored: [Some("a hidden file: macOS metadata or an unfinished copy"); 2],
        ..USUAL
    },
    Facts {
        kind: FileKind::Other,
        may_be_trace: true,
        labels: ["other file", "other files"],
        ignored: [Some("not named like a profile"), None],
        ..USUAL
    },
];

impl FileKind {
    /// The type of a file with this name.
    pub(crate) fn of(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        let kind = Self::by_ending(&name);
        if name.starts_with('.') {
            kind.facts().hidden
        } else {
            kind
        }
    }

    fn by_ending(name: &str) -> Self {
        let plain = strip_any(name, &COMPRESSED);
        let endings = KINDS.iter().flat_map(|facts| {
            let name = if facts.may_be_compressed { plain } else { name };
            let own = facts.endings.iter();
            own.filter(move |ending| name.ends_with(**ending))
                .map(|ending| (ending.len(), facts.kind))
        });
        if let Some((_, kind)) = endings.max_by_key(|(length, _)| *length) {
            return kind;
        }
        let unpacked = strip_any(name, &FOREIGN_COMPRESSED);
        let profile = Self::Profile.facts();
        if profile
            .endings
            .iter()
            .any(|ending| unpacked.ends_with(ending))
        {
            Self::ForeignCompression
        } else if name.contains(".tfevents.") {
            Self::EventFile
        } else {
            Self::Other
        }
    }

    /// Its row in the table.
    pub(crate) fn facts(self) -> &'static Facts {
        let row = KINDS.iter().find(|facts| facts.kind == self);
        row.unwrap_or(&USUAL)
    }

    /// The role of a file of this kind, if its content matches its name.
    pub(crate) fn role(self) -> Option<Role> {
        self.facts().role
    }

    /// Whether the name alone does not say if such a file is read.
    pub(crate) fn is_told_by_content(self) -> bool {
        self.facts().is_told_by_content
    }

    /// Whether a file of this kind that is given by its own path may be a trace.
    pub(crate) fn may_be_trace(self) -> bool {
        self.facts().may_be_trace
    }

    /// The label for `count` of them in a summary.
    pub(crate) fn label(self, count: usize) -> &'static str {
        self.facts().labels[usize::from(count != 1)]
    }

    /// Why a file of this kind is not read at this place.
    pub(crate) fn reason_ignored(self, place: Place) -> Option<&'static str> {
        self.facts().ignored[place as usize]
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
    /// The role of a single file that is not an archive, by its name and content.
    pub(crate) fn of_one(kind: FileKind, is_trace: bool, begins_as_memory: bool) -> Self {
        match kind {
            _ if is_trace && kind.may_be_trace() => Self::Trace,
            FileKind::MemoryProfile => Self::Memory,
            FileKind::Profile => Self::Host,
            _ if begins_as_memory => Self::Memory,
            FileKind::Program => Self::Program,
            _ => Self::Host,
        }
    }

    /// The rows of files with this role.
    pub(crate) fn rows(self) -> impl Iterator<Item = &'static Facts> {
        KINDS.iter().filter(move |facts| facts.role == Some(self))
    }

    /// The type under which a summary counts it.
    pub(crate) fn kind(self) -> FileKind {
        self.rows()
            .next()
            .map_or(FileKind::Other, |facts| facts.kind)
    }
}

/// Whether a file is in a run directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    BesideProfiles,
    Elsewhere,
}

fn strip_any<'a>(name: &'a str, suffixes: &[&str]) -> &'a str {
    suffixes
        .iter()
        .find_map(|suffix| name.strip_suffix(suffix))
        .unwrap_or(name)
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
    fn every_kind_has_one_row() {
        let all = (FileKind::Profile as usize..=FileKind::Other as usize).count();
        let rows: std::collections::BTreeSet<FileKind> =
            KINDS.iter().map(|facts| facts.kind).collect();
        assert_eq!((rows.len(), KINDS.len()), (all, all));
    }
}
