//! Traces for viewers: telling them by content, and whose they are where no profile lies beside them.

use std::collections::BTreeSet;
use std::io::Read;

use stepscope_interchange::{Format, sniff};

use crate::compression::{Meter, decoder};
use crate::kind::{FileKind, is_of_pytorch, is_second_export, trace_name};
use crate::limits::Limits;
use crate::note::{Note, NoteKind};
use crate::scan::Folder;
use crate::session::HostFile;
use crate::sniff::{Encoding, read_head};

/// The format of a trace by what the stream unfolds to.
pub(crate) fn format_of(encoding: Encoding, reader: impl Read) -> Option<Format> {
    let (meter, limits) = (Meter::default(), Limits::default());
    let head = decoder(encoding, reader, &meter, &limits).and_then(read_head);
    head.ok().and_then(|head| sniff(&head))
}

/// What a folder with traces is: beside profiles they are copies of what these hold; of a run they
/// are its hosts; and elsewhere each is a session of its own.
pub(crate) fn divide(mut folder: Folder, notes: &mut Vec<Note>) -> Vec<Folder> {
    let mut traces = std::mem::take(&mut folder.traces);
    if !folder.hosts.is_empty() {
        let names = traces.iter().map(file_name);
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
        let mut own = folder.child(&file_name(&trace));
        own.naming.pop();
        own.naming.push(trace_name(&file_name(&trace)));
        own.hosts.push(trace);
        own
    });
    let mut folders: Vec<Folder> = own.collect();
    folders.push(folder);
    folders
}

/// JAX writes the same capture for two viewers.
fn drop_copies(traces: &mut Vec<HostFile>, notes: &mut Vec<Note>) {
    let is_copy = |trace: &HostFile| is_second_export(&file_name(trace));
    let Some(first) = traces.iter().find(|trace| !is_copy(trace)).map(file_name) else {
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
    workers.len() == traces.len() && traces.iter().all(|trace| is_of_pytorch(&file_name(trace)))
}

fn file_name(file: &HostFile) -> String {
    let path = file.display_path();
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}
