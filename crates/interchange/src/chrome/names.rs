//! Names of processes, threads and devices, which a trace may give anywhere.

use std::collections::BTreeMap;

use super::build::{Builder, CPU_PLANE, Process, Thread};
use super::event::Raw;
use super::kineto;
use super::stats::{integer, with_value};
use crate::draft::{Draft, Owned, Value};

impl Builder {
    /// Names of processes and threads.
    pub(super) fn metadata(&mut self, bytes: &[u8], raw: &Raw) {
        let text = |name: &[u8]| {
            raw.argument(bytes, name).map(|value| {
                with_value(bytes, value, |value| match value {
                    Value::Text(text) => String::from_utf8_lossy(text).into_owned(),
                    Value::Int(number) => number.to_string(),
                    Value::Uint(number) => number.to_string(),
                    Value::Double(number) => number.to_string(),
                })
            })
        };
        let (process, thread) = self.place(bytes, raw);
        match raw.name.of(bytes) {
            b"process_name" => {
                let name = text(b"name").unwrap_or_default();
                self.is_jax |= is_plane_name(&name);
                let host = text(b"host").map_or(0, |host| self.host(&host));
                let found = self.processes.entry(process).or_default();
                if found.plane.is_none() {
                    found.host = host;
                }
                if let Some(plane) = found.plane {
                    self.hosts[found.host].1.plane(plane).name.clone_from(&name);
                }
                found.name = name;
            }
            b"process_labels" => {
                let found = self.processes.entry(process).or_default();
                found.labels = text(b"labels").unwrap_or_default();
            }
            b"thread_name" => {
                let found = self.threads.entry((process, thread)).or_default();
                found.name = text(b"name").unwrap_or_default();
                found.number = integer(bytes, raw.argument(bytes, b"line"));
            }
            _ => {}
        }
    }

    /// The draft of a host by its name; the first name is that of the first draft.
    fn host(&mut self, name: &str) -> usize {
        let found = self
            .hosts
            .iter()
            .position(|(known, _)| known.as_deref() == Some(name));
        found.unwrap_or_else(|| {
            if self.hosts.len() == 1 && self.hosts[0].0.is_none() {
                self.hosts[0].0 = Some(name.to_owned());
                return 0;
            }
            self.hosts.push((Some(name.to_owned()), Draft::default()));
            self.hosts.len() - 1
        })
    }

    /// Gives planes and lines their names, now that all are known.
    pub(super) fn name_all(&mut self) {
        let mut taken: BTreeMap<(usize, String), i64> = BTreeMap::new();
        let mut processes: Vec<(i64, &Process)> = self
            .processes
            .iter()
            .map(|(&id, process)| (id, process))
            .collect();
        processes.sort_unstable_by_key(|(id, _)| *id);
        let shown = processes
            .iter()
            .filter(|(_, process)| process.plane.is_some())
            .count();
        let mut names: BTreeMap<i64, String> = BTreeMap::new();
        for (id, process) in &processes {
            let Some(plane) = process.plane else { continue };
            let name = if is_plane_name(&process.name) {
                process.name.clone()
            } else {
                let own = [&process.name, &process.labels];
                let own: Vec<&str> = own
                    .into_iter()
                    .map(String::as_str)
                    .filter(|s| !s.is_empty())
                    .collect();
                match own.join(" ") {
                    name if name.is_empty() => format!("/host:process {}", self.id_text(*id)),
                    name => format!("/host:{name}"),
                }
            };
            let count = taken.entry((process.host, name.clone())).or_default();
            *count += 1;
            let name = if *count > 1 && name != CPU_PLANE {
                format!("{name} [{}]", self.id_text(*id))
            } else {
                name
            };
            self.hosts[process.host]
                .1
                .plane(plane)
                .name
                .clone_from(&name);
            names.insert(*id, name);
        }
        let mut threads: Vec<(&(i64, i64), &Thread)> = self.threads.iter().collect();
        threads.sort_unstable_by_key(|(place, _)| **place);
        for (&(process, thread), found) in threads {
            let Some(line) = found.line else { continue };
            let own = if found.name.is_empty() {
                format!("thread {}", self.id_text(thread))
            } else {
                found.name.clone()
            };
            // Of several processes each thread says whose it is, unless its plane is one of JAX.
            let plane = names.get(&process).map_or("", String::as_str);
            let name = match plane.strip_prefix("/host:") {
                Some(process) if shown > 1 && !self.is_jax => format!("{own} · {process}"),
                _ => own,
            };
            let host = self.processes.get(&process).map_or(0, |found| found.host);
            let line = self.hosts[host].1.line(line);
            line.name = name;
            line.id = found.number.unwrap_or(line.id);
        }
    }

    /// Facts about devices for their planes.
    pub(super) fn describe_devices(&mut self, list: &[u8]) {
        for (device, stats) in kineto::devices(list) {
            if let Some(&plane) = self.device_planes.get(&(0, device)) {
                self.hosts[0].1.plane(plane).stats = stats;
            }
        }
    }

    /// Facts about the environment.
    pub(super) fn add_fact(&mut self, name: &str, value: String) {
        let facts = &mut self.hosts[0].1.facts;
        if facts.len() < 256 {
            facts.insert(name.to_owned(), Owned::Text(value));
        }
    }
}

/// The name of a plane as profilers of JAX write it.
fn is_plane_name(name: &str) -> bool {
    ["/host:", "/device:", "/virtualdevice:", "#Chip"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}
