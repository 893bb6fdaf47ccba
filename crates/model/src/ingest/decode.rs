//! Decoding one track: from the events of its lines to columns of slices.
//!
//! This is the hot loop of the product: every event of every file passes here once. Names are not
//! resolved; what distinguishes labels is collected in a [`LabelKey`] of small integers and looked
//! up with one comparison in the common case, where an event repeats the last key of its metadata.

use rustc_hash::FxHashMap;
use stepscope_xplane::{Event, Line, Stat, StatValue};

use crate::flow::FlowKey;
use crate::track::LineOrigin;
use crate::units::{Picos, Span};
use crate::vendor::stats::{StatRole, StatRoles};

/// A text stat, not yet resolved: equal keys of one plane are equal texts. One number, so that keys
/// are compared quickly: 0 is none, else an id times two, odd for texts in the event itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub(super) struct TextKey(u64);

/// What a [`TextKey`] refers to.
pub(super) enum TextPlace {
    None,
    /// Name of this stat metadata.
    StatMetadata(i64),
    /// Position in [`Decoded::inline_texts`].
    Inline(usize),
}

impl TextKey {
    pub(super) const NONE: Self = Self(0);

    #[inline]
    const fn reference(id: u64) -> Self {
        Self(id.wrapping_add(1) << 1)
    }

    const fn inline(position: u64) -> Self {
        Self((position << 1) | 1)
    }

    pub(super) fn place(self) -> TextPlace {
        match self.0 {
            0 => TextPlace::None,
            odd if odd & 1 == 1 => {
                TextPlace::Inline(usize::try_from(odd >> 1).unwrap_or(usize::MAX))
            }
            even => TextPlace::StatMetadata((even >> 1).wrapping_sub(1).cast_signed()),
        }
    }
}

/// What distinguishes the labels of a track's slices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct LabelKey {
    pub(super) plane: u32,
    pub(super) metadata: i64,
    pub(super) program: Option<i64>,
    pub(super) op: TextKey,
    pub(super) module: TextKey,
    pub(super) detail: TextKey,
    pub(super) framework_op: TextKey,
    pub(super) is_async: bool,
    /// An op of XLA:CPU, which belongs to its device's tracks rather than the thread's.
    pub(super) is_cpu_op: bool,
}

/// One line of a track, with what is needed to decode it.
pub(super) struct LineInput<'a> {
    pub(super) plane: u32,
    pub(super) line_position: u32,
    pub(super) line: &'a Line<'a>,
    pub(super) roles: &'a StatRoles,
    /// By event metadata id: of these events nothing but the time matters (`end: op` markers).
    pub(super) muted: &'a [bool],
    /// Host time of offset 0, picoseconds of session time.
    pub(super) base_ps: i64,
}

/// Which device span arithmetic uses, see `xplane.md` on time: TPU events may carry the device's own
/// clock, which is the one that ops nest in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClockChoice {
    Host,
    DeviceWhereRecorded,
}

/// Slices of one track before nesting, columns of equal length.
#[derive(Default)]
pub(super) struct Columns {
    pub(super) starts: Vec<i64>,
    pub(super) durations: Vec<i64>,
    /// Positions in [`Decoded::keys`].
    pub(super) labels: Vec<u32>,
    pub(super) events: Vec<u32>,
    /// 0 for the track's own slices, else one more than the position in [`Decoded::ordinals`].
    pub(super) groups: Vec<u16>,
}

impl Columns {
    /// Empties the columns and makes room, keeping the memory.
    pub(super) fn reset(&mut self, expected: usize) {
        self.starts.clear();
        self.durations.clear();
        self.labels.clear();
        self.events.clear();
        self.groups.clear();
        self.starts.reserve(expected);
        self.durations.reserve(expected);
        self.labels.reserve(expected);
        self.events.reserve(expected);
        self.groups.reserve(expected);
    }
}

/// One end of an arrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Endpoint {
    /// Position of its slice in [`Columns`].
    pub(super) slice: u32,
    pub(super) key: FlowKey,
}

/// A `StepTraceAnnotation`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Annotation {
    pub(super) number: i64,
    pub(super) span: Span,
    /// Position in [`Decoded::keys`].
    pub(super) label: u32,
}

/// Part of a program run, from the ops of one track.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct RunKey {
    pub(super) ordinal: i64,
    pub(super) program: Option<i64>,
    pub(super) plane: u32,
    pub(super) module: TextKey,
    pub(super) run_id: i64,
}

/// An event recorded as a sum.
#[derive(Debug, Clone, Copy)]
pub(super) struct AggregatePart {
    pub(super) label: u32,
    pub(super) occurrences: i64,
    pub(super) duration_ps: i64,
}

/// Everything one pass over a track's events yields.
#[derive(Default)]
pub(super) struct Decoded {
    /// `device_ordinal`s of the XLA:CPU devices the track ran ops for.
    pub(super) ordinals: Vec<i64>,
    pub(super) keys: Vec<LabelKey>,
    pub(super) inline_texts: Vec<Vec<u8>>,
    pub(super) endpoints: Vec<Endpoint>,
    pub(super) annotations: Vec<Annotation>,
    pub(super) runs: FxHashMap<RunKey, Span>,
    /// Recorded program runs and host launches that carry a run id: `(event, run id, start)`.
    pub(super) run_ids: Vec<(u32, i64, i64)>,
    /// Counter samples: metadata, time, value.
    pub(super) samples: Vec<(u32, i64, i64, f64)>,
    pub(super) aggregates: Vec<AggregatePart>,
    pub(super) origins: Vec<LineOrigin>,
    /// Undecodable places: plane, offset in the line, the input ended there, line position.
    pub(super) damage: Vec<(u32, u32, usize, bool)>,
    pub(super) event_count: u64,
    /// Events with a negative duration or a time that does not fit, set to the nearest that does.
    pub(super) repaired: u64,
    /// Largest distance between the host's and the device's time of an event.
    pub(super) clock_distance_ps: i64,
}

/// What the stats of one event said, reset for each event.
#[derive(Default, Clone, Copy)]
struct Seen {
    key: LabelKey,
    ordinal: Option<i64>,
    run_id: Option<i64>,
    correlation: Option<u64>,
    consumer: (Option<i64>, Option<u64>),
    producer: (Option<i64>, Option<u64>),
    root_level: Option<i64>,
    step: Option<i64>,
    device_offset: Option<i64>,
    device_duration: Option<i64>,
    counter: Option<f64>,
}

/// State of one pass.
struct Pass<'a> {
    out: Decoded,
    columns: &'a mut Columns,
    key_numbers: FxHashMap<LabelKey, u32>,
    /// Key numbers by [`cache_slot`]; a slot is checked against the key it names.
    cache: Vec<u32>,
    inline_numbers: FxHashMap<Vec<u8>, u64>,
    last_run: Option<(RunKey, Span)>,
    /// Groups by ordinal.
    groups: FxHashMap<i64, u16>,
    /// Last ordinal and its group.
    last_group: (i64, u16),
    kind: TrackKind,
}

/// What decides how a track's events are read.
#[derive(Debug, Clone, Copy)]
pub(super) struct TrackKind {
    pub(super) clock: ClockChoice,
    /// A thread of a host.
    pub(super) is_host: bool,
    /// The host's file has devices with events.
    pub(super) has_accelerator: bool,
}

/// The cache of key numbers has 2^13 slots: 32 KiB, the size of a first-level cache.
const CACHE_BITS: u32 = 13;

/// Decodes the lines of one track, in order, into `columns`.
pub(super) fn decode_track(
    lines: &[LineInput<'_>],
    kind: TrackKind,
    columns: &mut Columns,
) -> Decoded {
    let expected: usize = lines.iter().map(|input| input.line.event_count).sum();
    columns.reset(expected);
    // A short track needs no large cache: there may be a million of them.
    let cache_bits = (expected.max(1).ilog2() + 2).min(CACHE_BITS);
    let mut pass = Pass {
        out: Decoded::default(),
        columns,
        key_numbers: FxHashMap::default(),
        cache: vec![u32::MAX; 1 << cache_bits],
        inline_numbers: FxHashMap::default(),
        last_run: None,
        groups: FxHashMap::default(),
        last_group: (0, 0),
        kind,
    };
    let mut ordinal = 0;
    for input in lines {
        pass.out.origins.push(LineOrigin {
            plane: input.plane,
            line: input.line_position,
            first_event: ordinal,
        });
        ordinal = pass.line(input, ordinal);
    }
    pass.flush_run();
    pass.out
}

impl Pass<'_> {
    /// An event of a host thread that names its op and program. Where the file has accelerators,
    /// host threads name the ops they launch too, so only a device ordinal convinces.
    #[inline]
    fn is_cpu_op(&self, seen: &Seen) -> bool {
        self.kind.is_host
            && seen.key.op != TextKey::NONE
            && (seen.key.program.is_some() || seen.key.module != TextKey::NONE)
            && (seen.ordinal.is_some() || !self.kind.has_accelerator)
            && seen.correlation.is_none()
    }

    /// The group of an op's device.
    #[inline]
    fn group(&mut self, seen: &Seen) -> u16 {
        if !seen.key.is_cpu_op {
            return 0;
        }
        let ordinal = seen.ordinal.unwrap_or(0);
        if self.last_group.1 == 0 || self.last_group.0 != ordinal {
            self.last_group = (ordinal, self.find_or_add_group(ordinal));
        }
        self.last_group.1
    }

    #[cold]
    fn find_or_add_group(&mut self, ordinal: i64) -> u16 {
        let ordinals = &mut self.out.ordinals;
        *self.groups.entry(ordinal).or_insert_with(|| {
            // More than 65,535 devices on one thread would be noise: they share the last group.
            if ordinals.len() < usize::from(u16::MAX) {
                ordinals.push(ordinal);
            }
            u16::try_from(ordinals.len()).unwrap_or(u16::MAX)
        })
    }

    fn line(&mut self, input: &LineInput<'_>, first_ordinal: u32) -> u32 {
        let mut ordinal = first_ordinal;
        let mut events = input.line.events();
        let mut texts = InlineTexts {
            numbers: std::mem::take(&mut self.inline_numbers),
            texts: std::mem::take(&mut self.out.inline_texts),
        };
        loop {
            let mut seen = Seen::default();
            seen.key.plane = input.plane;
            let mut visit = |stat: Stat<'_>| seen.stat(input.roles, stat, &mut texts);
            let wants_stats = |metadata| !is_muted(input, metadata);
            let Some(event) = events.next_wanted(wants_stats, &mut visit) else {
                break;
            };
            self.event(input, &event, &mut seen, ordinal);
            ordinal = ordinal.saturating_add(1);
        }
        self.inline_numbers = texts.numbers;
        self.out.inline_texts = texts.texts;
        if let Some((offset, is_truncated)) = events.damage() {
            self.out
                .damage
                .push((input.plane, input.line_position, offset, is_truncated));
        }
        ordinal
    }

    #[inline]
    fn event(&mut self, input: &LineInput<'_>, event: &Event<'_>, seen: &mut Seen, ordinal: u32) {
        self.out.event_count += 1;
        seen.key.metadata = event.metadata_id;
        seen.key.is_cpu_op = self.is_cpu_op(seen);
        let label = self.key_number(seen.key);
        if let Some(occurrences) = event.occurrences {
            let duration_ps = event.duration_ps;
            self.out.aggregates.push(AggregatePart {
                label,
                occurrences,
                duration_ps,
            });
            return;
        }
        let (start, duration) = self.time(input, event, seen);
        if let Some(value) = seen.counter {
            self.out
                .samples
                .push((input.plane, event.metadata_id, start, value));
            return;
        }
        self.columns.starts.push(start);
        self.columns.durations.push(duration);
        self.columns.labels.push(label);
        self.columns.events.push(ordinal);
        let group = self.group(seen);
        self.columns.groups.push(group);
        self.side_outputs(seen, start, duration, ordinal);
    }

    /// Start and duration in session time.
    #[inline]
    fn time(&mut self, input: &LineInput<'_>, event: &Event<'_>, seen: &Seen) -> (i64, i64) {
        let (mut offset, mut duration) = (event.offset_ps, event.duration_ps);
        if self.kind.clock == ClockChoice::DeviceWhereRecorded
            && let (Some(device_offset), Some(device_duration)) =
                (seen.device_offset, seen.device_duration)
        {
            let distance = device_offset.saturating_sub(offset).saturating_abs();
            self.out.clock_distance_ps = self.out.clock_distance_ps.max(distance);
            (offset, duration) = (device_offset, device_duration);
        }
        let start = input.base_ps.checked_add(offset);
        if duration < 0 || start.is_none_or(|start| start.checked_add(duration).is_none()) {
            self.out.repaired += 1;
            let start = input.base_ps.saturating_add(offset);
            return (start, duration.clamp(0, i64::MAX - start.max(0)));
        }
        (start.unwrap_or_default(), duration)
    }

    /// Steps, runs and arrow ends. Ops of XLA:CPU produce arrows to their own end markers only,
    /// which say nothing, so arrow ends of ops with an ordinal are left out.
    #[inline]
    fn side_outputs(&mut self, seen: &Seen, start: i64, duration: i64, ordinal: u32) {
        let is_op = seen.key.op != TextKey::NONE;
        if let Some(run_id) = seen.run_id {
            if seen.key.is_cpu_op {
                self.run_part(
                    seen,
                    run_id,
                    Span::new(Picos(start), Picos(start + duration)),
                );
            } else if !is_op {
                self.out.run_ids.push((ordinal, run_id, start));
            }
        }
        let slice = u32::try_from(self.columns.starts.len() - 1).unwrap_or(u32::MAX);
        if let Some(correlation) = seen.correlation {
            let key = FlowKey::Correlation(correlation);
            self.out.endpoints.push(Endpoint { slice, key });
        }
        let has_arrow = seen.producer.1.is_some() || seen.consumer.1.is_some();
        if has_arrow && !seen.key.is_cpu_op {
            if let (Some(kind), Some(id)) = seen.producer {
                let key = FlowKey::Producer(kind, id);
                self.out.endpoints.push(Endpoint { slice, key });
            }
            if let (Some(kind), Some(id)) = seen.consumer {
                let key = FlowKey::Consumer(kind, id);
                self.out.endpoints.push(Endpoint { slice, key });
            }
        }
        if let (Some(1), Some(number)) = (seen.root_level, seen.step) {
            let span = Span::new(Picos(start), Picos(start + duration));
            let label = self.columns.labels.last().copied().unwrap_or_default();
            self.out.annotations.push(Annotation {
                number,
                span,
                label,
            });
        }
    }

    #[inline]
    fn run_part(&mut self, seen: &Seen, run_id: i64, span: Span) {
        let key = RunKey {
            ordinal: seen.ordinal.unwrap_or(0),
            program: seen.key.program,
            plane: seen.key.plane,
            module: seen.key.module,
            run_id,
        };
        match &mut self.last_run {
            Some((last, hull)) if *last == key => *hull = hull.hull(span),
            _ => {
                self.flush_run();
                self.last_run = Some((key, span));
            }
        }
    }

    fn flush_run(&mut self) {
        if let Some((key, span)) = self.last_run.take() {
            let hull = self.out.runs.entry(key).or_insert(span);
            *hull = hull.hull(span);
        }
    }

    /// The number of a key. A direct-mapped cache answers nearly always: events repeat few keys.
    #[inline]
    fn key_number(&mut self, key: LabelKey) -> u32 {
        // The upper bits are the mixed ones, so a smaller cache takes fewer of them.
        let slot = cache_slot(&key) >> (CACHE_BITS - self.cache.len().ilog2());
        let number = self.cache[slot];
        if self.out.keys.get(number as usize) == Some(&key) {
            return number;
        }
        let number = self.find_or_add_key(key);
        self.cache[slot] = number;
        number
    }

    #[cold]
    fn find_or_add_key(&mut self, key: LabelKey) -> u32 {
        let keys = &mut self.out.keys;
        *self.key_numbers.entry(key).or_insert_with(|| {
            keys.push(key);
            u32::try_from(keys.len() - 1).unwrap_or(u32::MAX)
        })
    }
}

/// Nothing but the time of these events is of interest.
#[inline]
fn is_muted(input: &LineInput<'_>, metadata: i64) -> bool {
    let slot = usize::try_from(metadata).ok();
    slot.and_then(|slot| input.muted.get(slot))
        .copied()
        .unwrap_or(false)
}

/// Mixes what varies most.
#[inline]
fn cache_slot(key: &LabelKey) -> usize {
    const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
    let texts = key.detail.0.wrapping_add(key.op.0 << 7);
    let mixed = (key.metadata.cast_unsigned() ^ texts << 32).wrapping_mul(MULTIPLIER);
    usize::try_from(mixed >> (64 - CACHE_BITS)).unwrap_or(0)
}

/// Texts that stand in the events themselves rather than in the stat metadata.
struct InlineTexts {
    numbers: FxHashMap<Vec<u8>, u64>,
    texts: Vec<Vec<u8>>,
}

impl InlineTexts {
    fn key(&mut self, value: StatValue<'_>) -> TextKey {
        match value {
            StatValue::Ref(id) => TextKey::reference(id),
            StatValue::Text(text) | StatValue::Bytes(text) => {
                if let Some(&number) = self.numbers.get(text) {
                    return TextKey::inline(number);
                }
                let number = self.texts.len() as u64;
                self.texts.push(text.to_vec());
                self.numbers.insert(text.to_vec(), number);
                TextKey::inline(number)
            }
            _ => TextKey::NONE,
        }
    }
}

impl Seen {
    #[inline]
    fn stat(&mut self, roles: &StatRoles, stat: Stat<'_>, texts: &mut InlineTexts) {
        let role = roles.get(stat.metadata_id);
        if role == StatRole::Ignored {
            return;
        }
        // Ops of XLA:CPU point at their own end markers only: their arrows are not followed.
        let is_arrow = matches!(role, StatRole::ProducerType | StatRole::ProducerId);
        if is_arrow && self.ordinal.is_some() && self.key.op != TextKey::NONE {
            return;
        }
        let value = stat.value();
        let int = || value.as_int();
        match role {
            StatRole::Ignored => {}
            StatRole::HloOp => self.key.op = texts.key(value),
            StatRole::HloModule => self.key.module = texts.key(value),
            StatRole::ProgramId => self.key.program = int(),
            StatRole::RunId => self.run_id = int(),
            StatRole::DeviceOrdinal => self.ordinal = int(),
            StatRole::CorrelationId => self.correlation = int().map(i64::cast_unsigned),
            StatRole::ConsumerType => self.consumer.0 = int(),
            StatRole::ConsumerId => self.consumer.1 = int().map(i64::cast_unsigned),
            StatRole::ProducerType => self.producer.0 = int(),
            StatRole::ProducerId => self.producer.1 = int().map(i64::cast_unsigned),
            StatRole::RootLevel => self.root_level = int(),
            StatRole::StepNumber => self.step = int(),
            StatRole::KernelDetails | StatRole::MemcpyDetails | StatRole::MemsetDetails => {
                self.key.detail = texts.key(value);
            }
            StatRole::FrameworkOp => self.key.framework_op = texts.key(value),
            StatRole::AsyncMark => self.key.is_async = int() == Some(1),
            StatRole::DeviceOffset => self.device_offset = int(),
            StatRole::DeviceDuration => self.device_duration = int(),
            StatRole::CounterValue => self.counter = value.as_double(),
        }
    }
}
