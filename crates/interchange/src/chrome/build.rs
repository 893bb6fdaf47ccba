//! From the events of a Chrome trace to drafts of profiles, one for each host.
//!
//! Processes become planes, threads become lines. What JAX exported names its planes itself; work of
//! GPUs in traces of PyTorch goes to planes of devices, one line for each stream.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash as _, Hasher as _};

use super::event::Raw;
use super::kineto::{self, Category};
use super::number::Micros;
use super::open::{AsyncKey, Open};
use super::stats::{add_arguments, add_category, integer, with_value};
use super::token::Token;
use crate::draft::{
    DERIVED, Draft, End, EndKind, LineIndex, PlaneIndex, Target, Value, is_plausible,
};

/// Times below this many microseconds count from the beginning of the trace or of the machine; later
/// ones from an epoch, and are kept relative to the first.
const EPOCH_MICROS: i64 = 1_000_000_000_000;
/// Times from here on count from 1970.
const UNIX_MICROS: i64 = 1_000_000_000_000_000;
/// Ids of processes and threads that are texts get numbers from here on.
const TEXT_IDS: i64 = 1 << 40;
/// Ops of PyTorch whose names are kept to tell what launched a kernel.
const MOST_OPS: usize = 1 << 22;

/// The plane of the host's threads, and how planes of XLA:CPU devices are called in our own traces.
pub(super) const CPU_PLANE: &str = "/host:CPU";
const CPU_DEVICE: &str = "/device:CPU:";

/// A process of the trace.
#[derive(Default)]
pub(super) struct Process {
    pub(super) name: String,
    pub(super) labels: String,
    pub(super) host: usize,
    pub(super) plane: Option<PlaneIndex>,
}

/// A thread of the trace.
#[derive(Default)]
pub(super) struct Thread {
    pub(super) name: String,
    /// The number of its line, where it is not the thread's own.
    pub(super) number: Option<i64>,
    pub(super) line: Option<LineIndex>,
    /// Events that have begun.
    pub(super) open: Vec<Open>,
}

/// Counts of what could not be shown as it stands.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) damaged: u64,
    pub(super) without_time: u64,
    pub(super) far_away: u64,
    pub(super) negative: u64,
    pub(super) unreadable_durations: u64,
    pub(super) unmatched_ends: u64,
    pub(super) unclosed: u64,
    pub(super) too_large: u64,
    pub(super) other_phases: BTreeMap<char, u64>,
}

/// A trace on its way to drafts.
pub(super) struct Builder {
    pub(super) hosts: Vec<(Option<String>, Draft)>,
    pub(super) processes: FxHashMap<i64, Process>,
    pub(super) threads: FxHashMap<(i64, i64), Thread>,
    text_ids: FxHashMap<Vec<u8>, i64>,
    texts: Vec<String>,
    /// Streams of devices: host, device, stream.
    streams: FxHashMap<(usize, i64, i64), LineIndex>,
    pub(super) device_planes: BTreeMap<(usize, i64), PlaneIndex>,
    /// Lines of counters by plane.
    counters: FxHashMap<(usize, PlaneIndex), LineIndex>,
    /// Lines of asynchronous events.
    pub(super) async_lines: FxHashMap<(i64, Vec<u8>), LineIndex>,
    pub(super) async_open: FxHashMap<AsyncKey, Vec<Open>>,
    /// Names of ops by the id that kernels refer to.
    ops: FxHashMap<i64, u32>,
    op_names: Vec<Vec<u8>>,
    op_ids: FxHashMap<Vec<u8>, u32>,
    last_thread: Option<((i64, i64), usize, LineIndex)>,
    base: Option<i64>,
    /// Nanoseconds since 1970 at the trace's time 0, where it tells.
    pub(super) base_ns: Option<i64>,
    pub(super) is_kineto: bool,
    pub(super) is_jax: bool,
    pub(super) events: u64,
    pub(super) tally: Tally,
}

impl Builder {
    pub(super) fn new() -> Self {
        Self {
            hosts: vec![(None, Draft::default())],
            processes: FxHashMap::default(),
            threads: FxHashMap::default(),
            text_ids: FxHashMap::default(),
            texts: Vec::new(),
            streams: FxHashMap::default(),
            device_planes: BTreeMap::new(),
            counters: FxHashMap::default(),
            async_lines: FxHashMap::default(),
            async_open: FxHashMap::default(),
            ops: FxHashMap::default(),
            op_names: Vec::new(),
            op_ids: FxHashMap::default(),
            last_thread: None,
            base: None,
            base_ns: None,
            is_kineto: false,
            is_jax: false,
            events: 0,
            tally: Tally::default(),
        }
    }

    /// Takes one event.
    #[inline]
    pub(super) fn take(&mut self, bytes: &[u8], raw: &Raw) {
        match raw.phase {
            b'X' => self.complete(bytes, raw),
            b'M' => self.metadata(bytes, raw),
            b'B' => self.begin(bytes, raw),
            b'E' => self.end(bytes, raw),
            b'i' | b'I' | b'R' => self.instant(bytes, raw),
            b'C' => self.counter(bytes, raw),
            b's' | b't' | b'f' => self.arrow(bytes, raw),
            b'b' | b'e' | b'n' | b'S' | b'F' | b'T' | b'p' => self.asynchronous(bytes, raw),
            0 if raw.is_empty => {}
            0 => self.tally.damaged += 1,
            other => {
                *self
                    .tally
                    .other_phases
                    .entry(char::from(other))
                    .or_default() += 1;
            }
        }
    }

    /// The time of an event in its draft.
    #[inline]
    pub(super) fn time(&mut self, bytes: &[u8], raw: &Raw) -> Option<i64> {
        let Some(time) = Micros::parse(raw.time.of(bytes)) else {
            self.tally.without_time += 1;
            return None;
        };
        let base = *self.base.get_or_insert(if time.whole.abs() < EPOCH_MICROS {
            0
        } else {
            time.whole
        });
        let since = time.since(base).filter(|&since| is_plausible(since));
        self.tally.far_away += u64::from(since.is_none());
        since
    }

    /// Nanoseconds since 1970 at the draft's time 0.
    pub(super) fn epoch_ns(&self) -> Option<i64> {
        let base = self.base.unwrap_or(0).checked_mul(1000)?;
        match self.base_ns {
            Some(base_ns) => base_ns.checked_add(base),
            None => (base / 1000 >= UNIX_MICROS).then_some(base),
        }
    }

    #[inline]
    fn duration(&mut self, bytes: &[u8], raw: &Raw) -> i64 {
        if raw.duration.is_empty() {
            return 0;
        }
        let duration = Micros::parse(raw.duration.of(bytes)).and_then(|found| found.since(0));
        match duration {
            Some(duration @ 0..) => return duration,
            Some(_) => self.tally.negative += 1,
            None => self.tally.unreadable_durations += 1,
        }
        0
    }

    #[inline]
    fn complete(&mut self, bytes: &[u8], raw: &Raw) {
        let Some(start) = self.time(bytes, raw) else {
            return;
        };
        let duration = self.duration(bytes, raw);
        self.slice(bytes, raw, start, duration);
    }

    fn instant(&mut self, bytes: &[u8], raw: &Raw) {
        if let Some(start) = self.time(bytes, raw) {
            self.slice(bytes, raw, start, 0);
        }
    }

    #[inline]
    fn slice(&mut self, bytes: &[u8], raw: &Raw, start: i64, duration: i64) {
        if raw.category.of(bytes) == DERIVED {
            return;
        }
        self.events += 1;
        let category = Self::category(bytes, raw);
        if category.is_device() && self.device_slice(bytes, raw, category, start, duration) {
            return;
        }
        if category == Category::Op {
            self.remember_op(bytes, raw);
        }
        self.is_kineto |= !matches!(category, Category::Other | Category::Span);
        let (host, line) = self.thread_line(bytes, raw);
        let is_jax_device = self.is_jax && self.is_tpu(host, line);
        let (line, tables) = self.hosts[host].1.line_and_tables(line);
        let name = raw.name.text(bytes);
        if is_jax_device {
            super::jax::device_slice(line, tables, bytes, raw, start, duration);
            return;
        }
        let is_step =
            raw.argument(bytes, b"step_num").is_some() && raw.argument(bytes, b"_r").is_none();
        let step = match category {
            Category::Annotation => kineto::step_number(&name),
            _ => None,
        };
        let metadata = match category {
            Category::Python => tables.event(&kineto::frame_name(&name)),
            _ => tables.event(&name),
        };
        line.event(tables, metadata, start, duration, |stats| {
            add_arguments(stats, bytes, raw, |_| false);
            if category == Category::Runtime
                && let Some(correlation) = integer(bytes, raw.argument(bytes, b"correlation"))
            {
                stats.add(b"correlation_id", Value::Int(correlation));
            }
            if let Some(step) = step {
                stats.add(b"step_num", Value::Int(step));
            }
            if is_step || step.is_some() {
                stats.add(b"_r", Value::Int(1));
            }
            add_category(stats, bytes, raw);
        });
    }

    /// What an event is. The oldest versions of PyTorch's profiler have steps among ops and kernels.
    #[inline]
    fn category(bytes: &[u8], raw: &Raw) -> Category {
        let category = Category::of(raw.category.of(bytes));
        let is_old = matches!(category, Category::Op | Category::Kernel);
        if !is_old || kineto::step_number(&raw.name.text(bytes)).is_none() {
            return category;
        }
        match raw.argument(bytes, b"device") {
            Some(_) if category == Category::Kernel => Category::DeviceAnnotation,
            _ => Category::Annotation,
        }
    }

    /// Work of a GPU. False where it does not say of which.
    fn device_slice(
        &mut self,
        bytes: &[u8],
        raw: &Raw,
        category: Category,
        start: i64,
        duration: i64,
    ) -> bool {
        let stream = raw.argument(bytes, b"stream").or(raw.thread);
        let device = raw.argument(bytes, b"device").or(raw.process);
        let (Some(device), Some(stream)) = (integer(bytes, device), integer(bytes, stream)) else {
            return false;
        };
        self.is_kineto = true;
        let host = self.process_host(bytes, raw);
        let is_annotation = category == Category::DeviceAnnotation;
        let line = self.stream_line(host, device, stream, is_annotation);
        let op = integer(bytes, raw.argument(bytes, b"External id"))
            .and_then(|id| self.ops.get(&id))
            .map(|&name| self.op_names[name as usize].as_slice());
        let (line, tables) = self.hosts[host].1.line_and_tables(line);
        let metadata = tables.event(&raw.name.text(bytes));
        line.event(tables, metadata, start, duration, |stats| {
            if !is_annotation {
                let (name, details) = kineto::details(category, bytes, raw);
                if !details.is_empty() {
                    stats.add(name, Value::Text(&details));
                }
                if let Some(correlation) = integer(bytes, raw.argument(bytes, b"correlation")) {
                    stats.add(b"correlation_id", Value::Int(correlation));
                }
                if let Some(op) = op {
                    stats.add(b"tf_op", Value::Text(op));
                }
            }
            let is_folded =
                |name: &[u8]| !is_annotation && (kineto::is_detail(name) || name == b"correlation");
            add_arguments(stats, bytes, raw, is_folded);
        });
        true
    }

    /// Keeps the name of an op for the kernels that it launches.
    fn remember_op(&mut self, bytes: &[u8], raw: &Raw) {
        let Some(id) = integer(bytes, raw.argument(bytes, b"External id")) else {
            return;
        };
        if self.ops.len() >= MOST_OPS {
            return;
        }
        // The model expects the op's type behind the last colon; there is none.
        let mut name = raw.name.text(bytes).into_owned();
        name.push(b':');
        let names = &mut self.op_names;
        let name = *self.op_ids.entry(name).or_insert_with_key(|name| {
            names.push(name.clone());
            u32::try_from(names.len() - 1).unwrap_or(u32::MAX)
        });
        self.ops.insert(id, name);
    }

    /// The number that stands for an id, which may be a text.
    #[inline]
    pub(super) fn id(&mut self, bytes: &[u8], id: Option<Token>) -> i64 {
        match (id, integer(bytes, id)) {
            (None, _) => 0,
            (_, Some(number)) => number,
            (Some(id), None) => with_value(bytes, id, |value| match value {
                Value::Text(text) => self.text_id(text),
                #[expect(clippy::cast_possible_truncation, reason = "any number will do")]
                Value::Double(value) => value as i64,
                Value::Int(_) | Value::Uint(_) => 0,
            }),
        }
    }

    fn text_id(&mut self, text: &[u8]) -> i64 {
        if let Some(&id) = self.text_ids.get(text) {
            return id;
        }
        let id = TEXT_IDS + i64::try_from(self.texts.len()).unwrap_or(0);
        self.texts.push(String::from_utf8_lossy(text).into_owned());
        self.text_ids.insert(text.to_vec(), id);
        id
    }

    /// How an id is written in names.
    pub(super) fn id_text(&self, id: i64) -> String {
        let text = id
            .checked_sub(TEXT_IDS)
            .and_then(|at| usize::try_from(at).ok());
        let text = text.and_then(|position| self.texts.get(position));
        text.map_or_else(|| id.to_string(), Clone::clone)
    }

    /// The process and thread of an event.
    #[inline]
    pub(super) fn place(&mut self, bytes: &[u8], raw: &Raw) -> (i64, i64) {
        (self.id(bytes, raw.process), self.id(bytes, raw.thread))
    }

    fn process_host(&mut self, bytes: &[u8], raw: &Raw) -> usize {
        let process = self.id(bytes, raw.process);
        self.processes.get(&process).map_or(0, |found| found.host)
    }

    /// The line of the thread that an event happened on, with its host.
    #[inline]
    pub(super) fn thread_line(&mut self, bytes: &[u8], raw: &Raw) -> (usize, LineIndex) {
        let place = self.place(bytes, raw);
        match self.last_thread {
            Some((last, host, line)) if last == place => (host, line),
            _ => {
                let (host, line) = self.line_of(place);
                self.last_thread = Some((place, host, line));
                (host, line)
            }
        }
    }

    pub(super) fn line_of(&mut self, at: (i64, i64)) -> (usize, LineIndex) {
        let (host, plane) = self.plane_of(at.0);
        let draft = &mut self.hosts[host].1;
        let thread = self.threads.entry(at).or_default();
        let line = *thread
            .line
            .get_or_insert_with(|| draft.add_line(plane, at.1, ""));
        (host, line)
    }

    /// The plane of a process, with its host.
    pub(super) fn plane_of(&mut self, process: i64) -> (usize, PlaneIndex) {
        let process = self.processes.entry(process).or_default();
        let draft = &mut self.hosts[process.host].1;
        let plane = *process.plane.get_or_insert_with(|| {
            // Ops of XLA:CPU stand on the lines of the threads that ran them.
            if process.name.starts_with(CPU_DEVICE) {
                CPU_PLANE.clone_into(&mut process.name);
            }
            let known = draft
                .planes
                .iter()
                .position(|plane| plane.name == process.name);
            match known.filter(|_| process.name == CPU_PLANE) {
                Some(known) => PlaneIndex(known),
                None => draft.add_plane(process.name.clone()),
            }
        });
        (process.host, plane)
    }

    fn is_tpu(&self, host: usize, line: LineIndex) -> bool {
        let draft = &self.hosts[host].1;
        let plane = draft.lines[line.0 as usize].plane;
        draft.planes[plane.0].name.starts_with("/device:TPU")
    }

    /// The line of a device's stream; annotations stand on one of their own.
    fn stream_line(
        &mut self,
        host: usize,
        device: i64,
        stream: i64,
        is_annotation: bool,
    ) -> LineIndex {
        let stream_key = if is_annotation { i64::MIN } else { stream };
        if let Some(&line) = self.streams.get(&(host, device, stream_key)) {
            return line;
        }
        let plane = self.device_plane(host, device);
        let draft = &mut self.hosts[host].1;
        let line = if is_annotation {
            draft.add_line(plane, 1 << 30, "Annotations")
        } else {
            draft.add_line(plane, stream, &format!("Stream #{stream}"))
        };
        self.streams.insert((host, device, stream_key), line);
        line
    }

    pub(super) fn device_plane(&mut self, host: usize, device: i64) -> PlaneIndex {
        let draft = &mut self.hosts[host].1;
        *self
            .device_planes
            .entry((host, device))
            .or_insert_with(|| draft.add_plane(format!("/device:GPU:{device}")))
    }

    /// Samples: every argument that is a number is a series.
    fn counter(&mut self, bytes: &[u8], raw: &Raw) {
        let Some(time) = self.time(bytes, raw) else {
            return;
        };
        let process = self.id(bytes, raw.process);
        let (host, plane) = self.plane_of(process);
        let name = raw.name.text(bytes).into_owned();
        let id = raw.id.map(|id| with_value(bytes, id, id_suffix));
        let series = raw.arguments.len();
        for &(key, value) in &raw.arguments {
            let key = key.text(bytes);
            let mut full = name.clone();
            full.extend_from_slice(id.as_deref().unwrap_or_default());
            if series > 1 || !matches!(&*key, b"value" | b"") && *key != *name {
                full.push(b' ');
                full.extend_from_slice(&key);
            }
            with_value(bytes, value, |value| match value {
                Value::Text(_) => {}
                number => self.sample(host, plane, &full, time, number),
            });
        }
    }

    pub(super) fn sample(
        &mut self,
        host: usize,
        plane: PlaneIndex,
        name: &[u8],
        time: i64,
        value: Value<'_>,
    ) {
        self.events += 1;
        let draft = &mut self.hosts[host].1;
        let line = *self
            .counters
            .entry((host, plane))
            .or_insert_with(|| draft.add_line(plane, 0, "_counters_"));
        let (line, tables) = draft.line_and_tables(line);
        let metadata = tables.event(name);
        line.event(tables, metadata, time, 0, |stats| {
            stats.add(b"counter_value", value);
        });
    }

    /// An end of an arrow. Those from launches to kernels are left out: correlation ids say the same.
    fn arrow(&mut self, bytes: &[u8], raw: &Raw) {
        if matches!(raw.category.of(bytes), b"ac2g" | b"async_gpu") {
            return;
        }
        let Some(time) = self.time(bytes, raw) else {
            return;
        };
        let (host, line) = self.thread_line(bytes, raw);
        // Arguments of our own traces say what arrows join, as they do in the capture.
        if self.hosts[host].0.is_some() {
            return;
        }
        let mut hasher = FxHasher::default();
        raw.category.of(bytes).hash(&mut hasher);
        let id = raw.id.map(|id| with_value(bytes, id, id_suffix));
        (id, raw.scoped_id.map(|part| part.of(bytes))).hash(&mut hasher);
        let kind = match raw.phase {
            b's' => EndKind::Start,
            b't' => EndKind::Step,
            _ => EndKind::Finish,
        };
        self.hosts[host].1.arrows.add(End {
            line,
            time,
            key: hasher.finish(),
            kind,
            target: if kind == EndKind::Finish && !raw.binds_around {
                Target::Next
            } else {
                Target::Around
            },
        });
    }
}

/// What tells counters and arrows of one name apart.
fn id_suffix(value: Value<'_>) -> Vec<u8> {
    match value {
        Value::Text(text) => [b" ", text].concat(),
        Value::Int(number) => format!(" {number}").into_bytes(),
        Value::Uint(number) => format!(" {number}").into_bytes(),
        Value::Double(number) => format!(" {number}").into_bytes(),
    }
}
