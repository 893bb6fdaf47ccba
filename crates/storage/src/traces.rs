//! Traces for viewers: recognizing them by content, and their role if there is no profile next to
//! them.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;

use stepscope_interchange::{Format, sniff};

use crate::compression::{Meter, decoder};
use crate::encoding::Encoding;
use crate::folder::Folder;
use crate::host_file::HostFile;
use crate::kind::{FileKind, Role};
use crate::limits::Limits;
use crate::note::{Note, NoteKind};
use crate::regular::open_sized;
use crate::sniff::read_head;
use crate::title::{is_of_pytorch, is_second_export};

/// The format of a trace by its decompressed content. `size_bytes` is what the whole file has.
pub(crate) fn format_of(encoding: Encoding, reader: impl Read, size_bytes: u64) -> Option<Format> {
    let (meter, limits) = (Meter::of(size_bytes), Limits::default());
    let head = decoder(encoding, reader, &meter, &limits).and_then(read_head);
    head.ok().and_then(|head| sniff(&head))
}

/// The role of the traces in a folder: next to profiles they are copies of those; in a run
/// directory they are its hosts; elsewhere each is a separate session.
pub(crate) fn divide(mut folder: Folder, notes: &mut Vec<Note>) -> Vec<Folder> {
    let mut traces = std::mem::take(&mut folder.traces);
    if !folder.hosts.is_empty() {
        let traces = stand_in(&mut folder.hosts, traces);
        let names = traces.iter().map(HostFile::file_name);
        folder
            .others
            .extend(names.map(|name| (FileKind::TraceExport, name)));
        return vec![folder];
    }
    drop_copies(&mut traces, notes);
    if traces.len() < 2 || is_run(&folder) || are_workers(&traces) {
        folder.hosts = traces;
        return vec![folder];
    }
    let own = traces.into_iter().map(|trace| {
        let mut own = folder.child(&trace.file_name());
        own.naming.pop();
        own.naming.push(Role::Trace.title(&trace.file_name()));
        own.hosts.push(trace);
        own
    });
    let mut folders: Vec<Folder> = own.collect();
    folders.push(folder);
    folders
}

/// Assigns to each host the trace that JAX wrote of it, to be shown if the profile is incomplete.
/// Returns the remaining traces: copies of what the profiles contain.
fn stand_in(hosts: &mut [HostFile], traces: Vec<HostFile>) -> Vec<HostFile> {
    let only_host = hosts.len() == 1;
    let mut copies = Vec::new();
    for trace in traces {
        let of_host = |host: &&mut HostFile| {
            host.host == trace.host || only_host && is_second_export(&trace.file_name())
        };
        let Some(host) = hosts.iter_mut().find(of_host) else {
            copies.push(trace);
            continue;
        };
        // The copy for TensorBoard is preferred to the one for Perfetto.
        let is_better = |known: &HostFile| is_second_export(&known.file_name());
        if host.stand_in.as_deref().is_none_or(is_better) {
            host.stand_in = Some(Box::new(trace.clone()));
        }
        if host.size_bytes > 0 {
            copies.push(trace);
        }
    }
    copies
}

/// The trace that JAX writes next to a profile.
pub(crate) fn stand_in_beside(profile: &Path, host: &str) -> Option<HostFile> {
    let suffixes = [".trace.json.gz", ".trace.json"];
    suffixes.iter().find_map(|suffix| {
        let name = format!("{host}{suffix}");
        let path = profile.with_file_name(&name);
        let encoding = Encoding::of_name(&name);
        let (trace, size_bytes) = open_sized(&path).ok()?;
        let is_trace = format_of(encoding, trace, size_bytes).is_some();
        let file = HostFile::on_disk(&path, Role::Trace, &name, encoding).ok();
        file.filter(|_| is_trace)
    })
}

/// JAX writes the same capture for two viewers.
fn drop_copies(traces: &mut Vec<HostFile>, notes: &mut Vec<Note>) {
    let is_copy = |trace: &HostFile| is_second_export(&trace.file_name());
    let Some(first) = traces
        .iter()
        .find(|trace| !is_copy(trace))
        .map(HostFile::file_name)
    else {
        return;
    };
    for copy in traces.iter().filter(|trace| is_copy(trace)) {
        let reason = format!("the same capture as {first}, which is used");
        notes.push(Note::new(NoteKind::Ignored, copy.display_path(), reason));
    }
    traces.retain(|trace| !is_copy(trace));
}

fn is_run(folder: &Folder) -> bool {
    let naming = &folder.naming;
    naming.windows(2).any(|pair| pair == ["plugins", "profile"])
}

/// Traces that PyTorch's profiler wrote of several workers at once.
fn are_workers(traces: &[HostFile]) -> bool {
    let workers: BTreeSet<&str> = traces.iter().map(|trace| trace.host.as_str()).collect();
    workers.len() == traces.len() && traces.iter().all(|trace| is_of_pytorch(&trace.file_name()))
}
