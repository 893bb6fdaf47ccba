//! The name of a host, a snapshot, a program, or an archive, from the name of its file.

use crate::kind::{COMPRESSED, FileKind, Role};

/// How names of PyTorch's traces end.
const OF_PYTORCH: &str = ".pt.trace.json";

impl Role {
    /// The name derived from a file name: of the host, the snapshot, the program, or the folder
    /// that an archive was made from. It is the file name without the endings of files with this
    /// role and of compression; a name without such an ending loses its last suffix, except that of
    /// a snapshot.
    pub(crate) fn title(self, file_name: &str) -> String {
        // What an archive is compressed with is part of its ending.
        let plain = match self {
            Self::Archive => file_name,
            _ => strip_longest(file_name, COMPRESSED),
        };
        // An ending without a dot in front is a whole name.
        let endings = self.rows().flat_map(|facts| facts.endings).copied();
        let stem = strip_longest(plain, endings.filter(|ending| ending.starts_with('.')));
        let stem = match self {
            _ if stem.len() < plain.len() => stem,
            Self::Memory => plain,
            _ => strip_last_suffix(plain),
        };
        let worker = (self == Self::Trace)
            .then(|| worker_of(stem, file_name))
            .flatten();
        match worker.unwrap_or(stem) {
            "" => file_name.to_owned(),
            name => name.to_owned(),
        }
    }
}

/// PyTorch's profiler puts a timestamp between the worker and its suffix.
fn worker_of<'a>(stem: &'a str, file_name: &str) -> Option<&'a str> {
    let (worker, moment) = stem.rsplit_once('.')?;
    let is_moment = moment.bytes().all(|byte| byte.is_ascii_digit());
    (is_of_pytorch(file_name) && !worker.is_empty() && is_moment).then_some(worker)
}

/// A trace named like those of PyTorch's profiler for several workers.
pub(crate) fn is_of_pytorch(file_name: &str) -> bool {
    is_named(file_name, OF_PYTORCH)
}

/// The copy that JAX writes for Perfetto next to the one for TensorBoard.
pub(crate) fn is_second_export(file_name: &str) -> bool {
    file_name
        .to_ascii_lowercase()
        .starts_with("perfetto_trace.json")
}

/// Whether a file is named like a file of Riegeli records.
pub(crate) fn is_riegeli(file_name: &str) -> bool {
    let endings = FileKind::Riegeli.facts().endings;
    endings.iter().any(|ending| is_named(file_name, ending))
}

/// Whether a name, without the suffix of a compression, ends like this.
fn is_named(file_name: &str, ending: &str) -> bool {
    let plain = strip_longest(file_name, COMPRESSED);
    plain.to_ascii_lowercase().ends_with(ending)
}

fn strip_last_suffix(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

/// `name` without the longest of the suffixes it ends with, whatever their case.
fn strip_longest(name: &str, suffixes: impl IntoIterator<Item = &'static str>) -> &str {
    let lower = name.to_ascii_lowercase();
    let found = suffixes
        .into_iter()
        .filter(|suffix| lower.ends_with(suffix));
    let length = found.map(str::len).max().unwrap_or(0);
    &name[..name.len() - length]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_archives_lose_their_suffixes() {
        assert_eq!(Role::Host.title("host-0.xplane.pb"), "host-0");
        assert_eq!(
            Role::Host.title("t1v-n-0.local.xplane.pb.gz"),
            "t1v-n-0.local"
        );
        assert_eq!(Role::Host.title("host-0.xplane.riegeli"), "host-0");
        assert_eq!(Role::Host.title("capture.bin"), "capture");
        assert_eq!(Role::Host.title("capture.pb.zst"), "capture");
        assert_eq!(Role::Host.title(".xplane.pb"), ".xplane.pb");
        assert_eq!(Role::Trace.title("host-0.trace.json.gz"), "host-0");
        assert_eq!(
            Role::Trace.title("node_77.1695835823163.pt.trace.json"),
            "node_77"
        );
        assert_eq!(
            Role::Trace.title("perfetto_trace.json.gz"),
            "perfetto_trace"
        );
        assert_eq!(Role::Trace.title("run.1.pftrace"), "run.1");
        assert_eq!(Role::Trace.title("kineto.json"), "kineto");
        assert_eq!(Role::Memory.title("memory.prof"), "memory");
        assert_eq!(
            Role::Memory.title("memory_000100.memprof.gz"),
            "memory_000100"
        );
        assert_eq!(Role::Memory.title("heap.pb.gz"), "heap");
        assert_eq!(Role::Memory.title("download"), "download");
        assert_eq!(Role::Archive.title("run.1.tar.gz"), "run.1");
        assert_eq!(Role::Archive.title("run.ZIP"), "run");
        assert_eq!(Role::Archive.title("download"), "download");
    }
}
