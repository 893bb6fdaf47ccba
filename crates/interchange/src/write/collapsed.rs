//! Collapsed stacks, as Brendan Gregg's flame graphs read them: a line per stack, with its self time.
//!
//! ```text
//! python;main;train_step;PjitFunction(step) 4711      nanoseconds, rounded down
//! ```
//!
//! The outermost frame is the thread. Stacks are summed before they are written, so that memory
//! follows the number of different stacks.

use std::io::{self, Write};

use rustc_hash::FxHashMap;
use stepscope_model::Session;

use super::stacks::{Event, Frame, Frames, events, threads};
use super::{BLOCK, Wanted, Written};

/// Writes the wanted slices of host threads. Nothing of `out` is read or flushed.
///
/// # Errors
///
/// Those of `out`.
pub fn write_collapsed(
    session: &Session,
    wanted: &Wanted,
    out: &mut dyn Write,
) -> io::Result<Written> {
    let frames = Frames::of(session);
    let names: Vec<String> = frames.all.iter().map(shown).collect();
    let mut written = Written::default();
    let mut buffer = Vec::with_capacity(BLOCK);
    for (id, title) in threads(session, wanted) {
        let mut stacks = Stacks::default();
        for nest in &session.track(id).nests {
            events(wanted, &frames, session.track(id), nest, |event| {
                stacks.add(&event);
                Ok(())
            })?;
        }
        if stacks.nodes.is_empty() {
            continue;
        }
        written.tracks += 1;
        written.slices += stacks.slices;
        for line in stacks.lines(&clean(&title), &names) {
            buffer.extend_from_slice(line.as_bytes());
            buffer.push(b'\n');
            if buffer.len() >= BLOCK {
                written.bytes += buffer.len() as u64;
                out.write_all(&buffer)?;
                buffer.clear();
            }
        }
    }
    written.bytes += buffer.len() as u64;
    out.write_all(&buffer)?;
    Ok(written)
}

/// One frame below one stack.
struct Node {
    parent: Option<u32>,
    frame: u32,
    self_ps: i64,
}

/// The stacks of a thread.
#[derive(Default)]
struct Stacks {
    nodes: Vec<Node>,
    known: FxHashMap<(Option<u32>, u32), u32>,
    /// Nodes that are open, with their begin.
    open: Vec<(u32, i64)>,
    slices: u64,
}

impl Stacks {
    fn add(&mut self, event: &Event) {
        match *event {
            Event::Open(frame, start) => {
                self.slices += 1;
                let parent = self.open.last().map(|&(node, _)| node);
                let next = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
                let node = *self.known.entry((parent, frame)).or_insert(next);
                if node == next {
                    self.nodes.push(Node {
                        parent,
                        frame,
                        self_ps: 0,
                    });
                }
                self.open.push((node, start));
            }
            Event::Close(_, end) => {
                let Some((node, start)) = self.open.pop() else {
                    return;
                };
                let duration = end.saturating_sub(start);
                self.add_time(node, duration);
                if let Some(&(parent, _)) = self.open.last() {
                    self.add_time(parent, duration.saturating_neg());
                }
            }
        }
    }

    fn add_time(&mut self, node: u32, picos: i64) {
        let node = &mut self.nodes[node as usize];
        node.self_ps = node.self_ps.saturating_add(picos);
    }

    /// The lines, sorted. Stacks without a nanosecond of their own are left out, as the format has
    /// it.
    fn lines(&self, thread: &str, names: &[String]) -> Vec<String> {
        let mut lines: Vec<String> = self
            .nodes
            .iter()
            .filter(|node| node.self_ps >= 1000)
            .map(|node| {
                let mut path = vec![names[node.frame as usize].as_str()];
                let mut at = node.parent;
                while let Some(parent) = at {
                    let parent = &self.nodes[parent as usize];
                    path.push(&names[parent.frame as usize]);
                    at = parent.parent;
                }
                path.push(thread);
                path.reverse();
                format!("{} {}", path.join(";"), node.self_ps / 1000)
            })
            .collect();
        lines.sort_unstable();
        lines
    }
}

/// `main (train.py:31)`.
fn shown(frame: &Frame) -> String {
    let name = clean(&frame.name);
    match (frame.file.as_str(), frame.line) {
        ("", _) => name,
        (file, None) => format!("{name} ({})", clean(file)),
        (file, Some(line)) => format!("{name} ({}:{line})", clean(file)),
    }
}

/// Without what separates frames and lines.
fn clean(name: &str) -> String {
    match name {
        "" => "(no name)".to_owned(),
        name => name.replace(';', ",").replace(['\n', '\r'], " "),
    }
}
