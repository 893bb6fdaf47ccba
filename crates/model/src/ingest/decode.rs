//! Decoding one track: from the events of its lines to columns of slices.
//!
//! This is the hot loop of the product: every event of every file passes here once. Names are not
//! resolved; what distinguishes labels is collected in keys of small integers (`keys`), and stats
//! that repeat those of the previous event are not even decoded (`repeat`).

use std::sync::Arc;

use rustc_hash::FxHashMap;
use stepscope_xplane::{Event, Events, Head, Line, Tail};

use super::arrows::Arrows;
use super::async_ops::{Marked, OpenOp, Pairing, Unpaired};
use super::keys::{Context, LabelKeys, TextKey};
use super::nest::{Nester, Slice};
use super::repeat::Repeat;
use super::seen::{CounterValue, EventWork, GraphStats, InlineTexts, Seen};
use crate::flow::FlowKey;
use crate::track::LineOrigin;
use crate::units::{Picos, Span};
use crate::vendor::stats::StatRoles;

/// One line of a track, with what is needed to decode it.
pub(super) struct LineInput<'a> {
    pub(super) plane: u32,
    pub(super) line_position: u32,
    pub(super) line: &'a Line<'a>,
    pub(super) roles: &'a Arc<StatRoles>,
    /// By event metadata ID: events of which only the time matters (`end: op` markers).
    pub(super) muted: &'a Arc<[Option<Marked>]>,
    /// Host time of offset 0, picoseconds of session time.
    pub(super) base_ps: i64,
}

/// The device span used for arithmetic, see `xplane.md` on time: TPU events may carry the device's
/// own clock, which is the one that ops nest in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClockChoice {
    Host,
    DeviceWhereRecorded,
}

/// A `StepTraceAnnotation`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Annotation {
    pub(super) number: Option<i64>,
    pub(super) span: Span,
    /// Position in [`Decoded::keys`].
    pub(super) label: u32,
    /// It marks the block of a capture rather than a step.
    pub(super) is_block: bool,
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

/// An event that is part of a graph.
#[derive(Debug, Clone, Copy)]
pub(super) struct GraphEvent {
    /// Its place among the track's events.
    pub(super) event: u32,
    /// Id of the launch.
    pub(super) correlation: Option<u64>,
    pub(super) stats: GraphStats,
}

/// Everything one pass over a track's events yields.
#[derive(Default)]
pub(super) struct Decoded {
    /// `device_ordinal`s of the XLA:CPU devices the track ran ops for.
    pub(super) ordinals: Vec<i64>,
    pub(super) keys: LabelKeys,
    pub(super) inline_texts: Vec<Vec<u8>>,
    pub(super) annotations: Vec<Annotation>,
    pub(super) runs: FxHashMap<RunKey, Span>,
    /// Recorded program runs and host launches that carry a run id: `(event, run id, start)`.
    pub(super) run_ids: Vec<(u32, i64, i64)>,
    /// Events of a device that are part of a graph, in file order.
    pub(super) graph_events: Vec<GraphEvent>,
    /// Counter samples: metadata, time, value.
    pub(super) samples: Vec<(u32, i64, i64, CounterValue)>,
    pub(super) aggregates: Vec<AggregatePart>,
    /// Work recorded with device events, by the number of their label key.
    pub(super) works: FxHashMap<u32, EventWork>,
    pub(super) origins: Vec<LineOrigin>,
    /// Name to show, from after the events of the first line.
    pub(super) shown_name: Option<String>,
    /// Fields after the events of a line assign it to another track or time.
    pub(super) is_misplaced: bool,
    /// Undecodable places: plane, offset in the line, whether the input ended there, line position.
    pub(super) damage: Vec<(u32, u32, usize, bool)>,
    pub(super) event_count: u64,
    /// Events with a negative duration or a time that does not fit, set to the nearest that does.
    pub(super) repaired: u64,
    /// Largest difference between the host's and the device's time of an event.
    pub(super) clock_distance_ps: i64,
    /// Ops of XLA:CPU and end markers that did not meet; most of many tracks have none.
    pub(super) unpaired: Option<Box<Unpaired>>,
}

/// State of one pass.
struct Pass<'a, 't, 'e> {
    out: Decoded,
    nester: &'a mut Nester<'t>,
    inline_numbers: FxHashMap<Vec<u8>, u64>,
    last_run: Option<(RunKey, Span)>,
    /// Groups by ordinal.
    groups: FxHashMap<i64, u16>,
    /// Last ordinal and its group.
    last_group: (i64, u16),
    pairing: Pairing<'e>,
    kind: TrackKind,
}

/// What determines how a track's events are read.
#[derive(Debug, Clone, Copy)]
pub(super) struct TrackKind {
    pub(super) clock: ClockChoice,
    /// A thread of the profiled process, whose XLA:CPU ops belong to a device. Those of a helper
    /// process, such as a data loader, are host work.
    pub(super) is_host: bool,
    /// The host's file has devices with events.
    pub(super) has_accelerator: bool,
    /// Events are samples of counters.
    pub(super) is_counter: bool,
}

/// Decodes the lines of one track, in order, into `nester`. The group of a slice is 0 for the
/// track's own, else the position in [`Decoded::ordinals`] plus one.
pub(super) fn decode_track(
    lines: &[LineInput<'_>],
    kind: TrackKind,
    nester: &mut Nester<'_>,
) -> Decoded {
    let mut pass = Pass {
        out: Decoded::default(),
        nester,
        inline_numbers: FxHashMap::default(),
        last_run: None,
        groups: FxHashMap::default(),
        last_group: (0, 0),
        pairing: Pairing::default(),
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
    pass.out.keys.finish();
    pass.out.unpaired = pass.pairing.into_unpaired();
    pass.out
}

impl<'e> Pass<'_, '_, 'e> {
    /// An event of a host thread that names its op and program. If the file has accelerators, host
    /// threads also name the ops they launch, so only a device ordinal proves execution.
    #[inline]
    fn is_cpu_op(&self, seen: &Seen) -> bool {
        self.kind.is_host
            && seen.op != TextKey::NONE
            && (seen.context.program.is_some() || seen.context.module != TextKey::NONE)
            && (seen.ordinal.is_some() || !self.kind.has_accelerator)
            && seen.correlation.is_none()
    }

    /// The group of an op's device.
    #[inline]
    fn group(&mut self, seen: &Seen) -> u16 {
        if !seen.context.is_cpu_op {
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

    fn line(&mut self, input: &LineInput<'e>, first_ordinal: u32) -> u32 {
        let mut ordinal = first_ordinal;
        let mut events = input.line.events();
        let mut texts = InlineTexts {
            numbers: std::mem::take(&mut self.inline_numbers),
            texts: std::mem::take(&mut self.out.inline_texts),
        };
        let bare = Context {
            plane: input.plane,
            ..Context::default()
        };
        let bare_number = self.out.keys.context(bare);
        let mut repeat = None;
        while let Some(head) = events.next_head() {
            if let Some(event) = head.timed()
                && !self.kind.is_counter
                && let Some(known) = known(input, &head, bare_number, repeat.as_ref())
            {
                self.known_event(input, (&event, head.tail()), &known, ordinal);
            } else {
                let mut seen = Seen {
                    context: bare,
                    ..Seen::default()
                };
                let tail = head.tail();
                let event = head.finish(&mut |stat| seen.stat(input.roles, stat, &mut texts));
                if let Some((context, group)) =
                    self.event(input, (&event, tail.clone()), &mut seen, ordinal)
                {
                    repeat = Repeat::of(input.roles, tail, &seen, context, group);
                }
            }
            ordinal = ordinal.saturating_add(1);
        }
        self.pairing.end_line(input.roles);
        self.out.event_count += u64::from(ordinal - first_ordinal);
        self.header_behind(input.line, &events);
        self.inline_numbers = texts.numbers;
        self.out.inline_texts = texts.texts;
        if let Some((offset, is_truncated)) = events.damage() {
            self.out
                .damage
                .push((input.plane, input.line_position, offset, is_truncated));
        }
        ordinal
    }

    /// Header fields after the events.
    fn header_behind(&mut self, line: &Line<'_>, events: &Events<'_>) {
        let mut whole = line.clone();
        whole.complete_behind(events);
        let place = |line: &Line<'_>| (line.id, line.display_id, line.timestamp_ns);
        self.out.is_misplaced |= place(&whole) != place(line) || whole.name != line.name;
        if self.out.origins.len() == 1 {
            self.out.shown_name = Some(whole.shown_name().to_owned());
        }
    }

    /// An event with nothing new except its name and time.
    #[inline]
    fn known_event(
        &mut self,
        input: &LineInput<'_>,
        (event, stats): (&Event<'_>, Tail<'e>),
        known: &Known,
        ordinal: u32,
    ) {
        let keys = &mut self.out.keys;
        let label = keys.number(known.context, event.metadata_id, known.op);
        let (start, duration) = self.host_time(input, event.offset_ps, event.duration_ps);
        self.push(start, duration, label, ordinal, known.group);
        let named = (event.metadata_id, stats);
        self.pair(input, named, (start, duration), ordinal, known.group);
        for key in known.arrows.keys() {
            self.nester.end_of_last(key, ordinal);
        }
        if known.has_run
            && let Some((_, hull)) = &mut self.last_run
        {
            *hull = hull.hull(Span::new(Picos(start), Picos(start + duration)));
        }
    }

    /// An event with stats. Of an op of XLA:CPU the context and the group are returned.
    fn event(
        &mut self,
        input: &LineInput<'_>,
        (event, stats): (&Event<'_>, Tail<'e>),
        seen: &mut Seen,
        ordinal: u32,
    ) -> Option<(u32, u16)> {
        seen.context.is_cpu_op = self.is_cpu_op(seen);
        let keys = &mut self.out.keys;
        let context = keys.context(seen.context);
        let label = keys.number(context, event.metadata_id, seen.op);
        if let Some(occurrences) = event.occurrences {
            let duration_ps = event.duration_ps.clamp(0, Picos::FARTHEST.0);
            self.out.repaired += u64::from(duration_ps != event.duration_ps || occurrences < 0);
            self.out.aggregates.push(AggregatePart {
                label,
                occurrences,
                duration_ps,
            });
            return None;
        }
        let (start, duration) = self.time(input, event, seen);
        if self.kind.is_counter && seen.counter.is_none() {
            seen.counter = only_number(input, event);
        }
        if let Some(value) = seen.counter {
            self.out
                .samples
                .push((input.plane, event.metadata_id, start, value));
            return None;
        }
        if let Some(work) = seen.work.filter(|_| !self.kind.is_host) {
            self.out.works.entry(label).or_default().add(work);
        }
        let group = self.group(seen);
        self.push(start, duration, label, ordinal, group);
        let named = (event.metadata_id, stats);
        self.pair(input, named, (start, duration), ordinal, group);
        self.side_outputs(seen, label, start, duration, ordinal);
        seen.context.is_cpu_op.then_some((context, group))
    }

    #[inline]
    fn push(&mut self, start: i64, duration: i64, label: u32, ordinal: u32, group: u16) {
        let slice = Slice {
            start,
            duration,
            label,
            event: ordinal,
        };
        self.nester.push(group, slice);
    }

    /// Pairs ops of XLA:CPU with their end markers, where there are any.
    #[inline]
    fn pair(
        &mut self,
        input: &LineInput<'_>,
        (metadata, stats): (i64, Tail<'e>),
        (start, duration): (i64, i64),
        event: u32,
        group: u16,
    ) {
        if input.muted.is_empty() {
            return;
        }
        if group > 0 {
            let op = OpenOp {
                name: (input.plane, metadata),
                group,
                end: start + duration,
                event,
            };
            self.pairing.op(op, start, stats);
        } else if let Some(marked) = marked(input, metadata) {
            let place = (&**input.roles, input.plane);
            self.pairing.marker(place, marked, start, stats);
        }
    }

    /// Start and duration in session time.
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
        self.host_time(input, offset, duration)
    }

    /// A time relative to the line as session time.
    #[inline]
    fn host_time(&mut self, input: &LineInput<'_>, offset: i64, duration: i64) -> (i64, i64) {
        let start = input.base_ps.saturating_add(offset);
        let end = start.saturating_add(duration);
        if duration < 0 || start < -Picos::FARTHEST.0 || end > Picos::FARTHEST.0 {
            return self.repaired(start, end);
        }
        (start, duration)
    }

    /// The nearest start and duration that are possible.
    #[cold]
    fn repaired(&mut self, start: i64, end: i64) -> (i64, i64) {
        self.out.repaired += 1;
        let start = Picos(start).within_reach();
        let end = Picos(end).within_reach().max(start);
        (start.0, (end - start).0)
    }

    /// Steps, runs, and arrow ends. XLA:CPU ops produce arrows only to their own end markers, which
    /// are useless, so arrow ends of ops with an ordinal are left out.
    #[inline]
    fn side_outputs(&mut self, seen: &Seen, label: u32, start: i64, duration: i64, ordinal: u32) {
        let is_op = seen.op != TextKey::NONE;
        if let Some(run_id) = seen.run_id {
            if seen.context.is_cpu_op {
                self.run_part(
                    seen,
                    run_id,
                    Span::new(Picos(start), Picos(start + duration)),
                );
            } else if !is_op {
                self.out.run_ids.push((ordinal, run_id, start));
            }
        }
        if let Some(correlation) = seen.correlation {
            self.nester
                .end_of_last(FlowKey::Correlation(correlation), ordinal);
        }
        if let Some(stats) = seen.graph.filter(|_| !self.kind.is_host) {
            self.out.graph_events.push(GraphEvent {
                event: ordinal,
                correlation: seen.correlation,
                stats,
            });
        }
        if !seen.context.is_cpu_op {
            for key in seen.arrows.keys() {
                self.nester.end_of_last(key, ordinal);
            }
        }
        let mark = match (seen.root_level, seen.step) {
            (Some(1), Some(number)) => Some((Some(number), false)),
            // `StepTraceAnnotation("train")`. Roots of TensorFlow's runtime have ids.
            (Some(1), None) if !seen.has_others && seen.block.is_none() => Some((None, false)),
            _ => seen.block.map(|number| (Some(number), true)),
        };
        if let Some((number, is_block)) = mark {
            let span = Span::new(Picos(start), Picos(start + duration));
            self.out.annotations.push(Annotation {
                number,
                span,
                label,
                is_block,
            });
        }
    }

    #[inline]
    fn run_part(&mut self, seen: &Seen, run_id: i64, span: Span) {
        let key = RunKey {
            ordinal: seen.ordinal.unwrap_or(0),
            program: seen.context.program,
            plane: seen.context.plane,
            module: seen.context.module,
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
}

/// The value of a sample whose stat has a specific name: the only number among the stats that has
/// no other meaning.
fn only_number(input: &LineInput<'_>, event: &Event<'_>) -> Option<CounterValue> {
    let own = event.stats();
    let own = own.filter(|stat| input.roles.may_be_value(stat.metadata_id));
    let mut numbers = own.filter_map(|stat| CounterValue::of(stat.value()));
    numbers.next().filter(|_| numbers.next().is_none())
}

/// An event whose stats say nothing, where arrows lead, or the same as those of the previous op.
struct Known {
    context: u32,
    op: TextKey,
    group: u16,
    has_run: bool,
    arrows: Arrows,
}

#[inline]
fn known<'a>(
    input: &LineInput<'_>,
    head: &Head<'a>,
    bare: u32,
    repeat: Option<&Repeat<'a>>,
) -> Option<Known> {
    let tail = head.tail();
    let is_bare = tail.rest().is_empty() || marked(input, head.metadata_id()).is_some();
    if !is_bare
        && let Some(repeat) = repeat
        && let Some(op) = repeat.op(input.roles, head.tail())
    {
        return Some(Known {
            context: repeat.context,
            op,
            group: repeat.group,
            has_run: repeat.has_run,
            arrows: Arrows::default(),
        });
    }
    let arrows = if is_bare {
        Arrows::default()
    } else {
        Arrows::of(input.roles, tail)?
    };
    Some(Known {
        context: bare,
        op: TextKey::NONE,
        group: 0,
        has_run: false,
        arrows,
    })
}

/// Only the time of these events matters.
#[inline]
fn marked(input: &LineInput<'_>, metadata: i64) -> Option<Marked> {
    let slot = usize::try_from(metadata).ok()?;
    *input.muted.get(slot)?
}
