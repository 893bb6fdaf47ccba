//! Events that are written as a beginning and an end: of threads, and asynchronous ones.

use super::build::Builder;
use super::event::Raw;
use super::open::{AsyncKey, Open};
use super::stats::{add_arguments, add_category, with_value};
use crate::draft::{LineIndex, Value, written_stats};

/// More events open at once on one thread are noise.
const MOST_OPEN: usize = 1 << 20;

impl Builder {
    pub(super) fn begin(&mut self, bytes: &[u8], raw: &Raw) {
        let Some(start) = self.time(bytes, raw) else {
            return;
        };
        let (host, line) = self.thread_line(bytes, raw);
        let open = self.opened(bytes, raw, (host, line), start);
        let place = self.place(bytes, raw);
        let thread = self.threads.entry(place).or_default();
        if thread.open.len() < MOST_OPEN {
            thread.open.push(open);
        } else {
            self.tally.unclosed += 1;
        }
    }

    fn opened(&mut self, bytes: &[u8], raw: &Raw, line: (usize, LineIndex), start: i64) -> Open {
        let (_, tables) = self.hosts[line.0].1.line_and_tables(line.1);
        let metadata = tables.event(&raw.name.text(bytes));
        let stats = written_stats(tables, |stats| {
            add_arguments(stats, bytes, raw, |_| false);
            add_category(stats, bytes, raw);
        });
        Open {
            metadata,
            start,
            stats,
            line: Some(line),
        }
    }

    pub(super) fn end(&mut self, bytes: &[u8], raw: &Raw) {
        let Some(end) = self.time(bytes, raw) else {
            return;
        };
        let place = self.place(bytes, raw);
        let open = self
            .threads
            .get_mut(&place)
            .and_then(|thread| thread.open.pop());
        match open {
            Some(open) => self.close(&open, end, Some((bytes, raw))),
            None => self.tally.unmatched_ends += 1,
        }
    }

    /// Adds an event whose end is known.
    fn close(&mut self, open: &Open, end: i64, ending: Option<(&[u8], &Raw)>) {
        let Some((host, line)) = open.line else {
            return;
        };
        self.events += 1;
        let duration = end.saturating_sub(open.start);
        self.tally.negative += u64::from(duration < 0);
        let (line, tables) = self.hosts[host].1.line_and_tables(line);
        line.event(
            tables,
            open.metadata,
            open.start,
            duration.max(0),
            |stats| {
                stats.add_written(&open.stats);
                if let Some((bytes, raw)) = ending {
                    add_arguments(stats, bytes, raw, |_| false);
                }
            },
        );
    }

    /// Events that belong to no thread: they stand on a line for their category.
    pub(super) fn asynchronous(&mut self, bytes: &[u8], raw: &Raw) {
        let Some(time) = self.time(bytes, raw) else {
            return;
        };
        let process = self.id(bytes, raw.process);
        let category = raw.category.text(bytes).into_owned();
        match raw.phase {
            b'b' | b'S' => {
                let line = self.async_line(process, &category);
                let open = self.opened(bytes, raw, line, time);
                let key = async_key(process, category, bytes, raw);
                let open_now = self.async_open.entry(key).or_default();
                if open_now.len() < MOST_OPEN {
                    open_now.push(open);
                }
            }
            b'e' | b'F' => {
                let key = async_key(process, category, bytes, raw);
                match self.async_open.get_mut(&key).and_then(Vec::pop) {
                    Some(open) => self.close(&open, time, Some((bytes, raw))),
                    None => self.tally.unmatched_ends += 1,
                }
                if self.async_open.get(&key).is_some_and(Vec::is_empty) {
                    self.async_open.remove(&key);
                }
            }
            _ => {
                let line = self.async_line(process, &category);
                let open = self.opened(bytes, raw, line, time);
                self.close(&open, time, None);
            }
        }
    }

    fn async_line(&mut self, process: i64, category: &[u8]) -> (usize, LineIndex) {
        let (host, plane) = self.plane_of(process);
        let key = (process, category.to_vec());
        if let Some(&line) = self.async_lines.get(&key) {
            return (host, line);
        }
        let shown = String::from_utf8_lossy(category);
        let name = if shown.is_empty() {
            "async".to_owned()
        } else {
            format!("async {shown}")
        };
        // Lines without a number are told apart by their names.
        let line = self.hosts[host].1.add_line(plane, 0, &name);
        self.async_lines.insert(key, line);
        (host, line)
    }

    /// Ends what the trace never ended at its last instant.
    pub(super) fn close_all(&mut self) {
        let last = self
            .hosts
            .iter()
            .map(|(_, draft)| draft.last_end())
            .max()
            .unwrap_or(0);
        let mut left: Vec<Open> = Vec::new();
        let mut threads: Vec<_> = self.threads.iter_mut().collect();
        threads.sort_unstable_by_key(|(place, _)| **place);
        for (_, thread) in threads {
            left.append(&mut thread.open);
        }
        let mut waiting: Vec<_> = self.async_open.drain().collect();
        waiting.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        left.extend(waiting.into_iter().flat_map(|(_, open)| open));
        for open in left {
            self.tally.unclosed += 1;
            let end = last.max(open.start);
            self.close(&open, end, None);
        }
    }
}

fn async_key(process: i64, category: Vec<u8>, bytes: &[u8], raw: &Raw) -> AsyncKey {
    let id = raw.id.map(|id| {
        with_value(bytes, id, |value| match value {
            Value::Text(text) => text.to_vec(),
            Value::Int(number) => number.to_string().into_bytes(),
            Value::Uint(number) => number.to_string().into_bytes(),
            Value::Double(number) => number.to_string().into_bytes(),
        })
    });
    let scoped = raw.scoped_id.map(|part| part.of(bytes).to_vec());
    let is_local = scoped
        .as_deref()
        .is_some_and(|id| id.windows(5).any(|part| part == b"local"));
    let process = is_local.then_some(process);
    (process, category, id.or(scoped).unwrap_or_default())
}
