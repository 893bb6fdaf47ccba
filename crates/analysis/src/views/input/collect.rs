//! Waiting by step and cause, and its sums.

use rayon::prelude::*;
use stepscope_model::{
    Activity, DeviceId, DeviceKind, Direction, Framework, HostId, InputStage, Label, Picos,
    SaturatingSum as _, Session, Span,
};

use super::report::{Bound, InputCause, InputHost, InputRow};
use crate::measuring::activity::{COMPILATION, Loops, QueueEnd, QueueWaits, host_times};
use crate::measuring::callbacks::Callbacks;
use crate::measuring::communication::under_way;
use crate::measuring::host_copies::{Copier, copier};
use crate::measuring::interval::Intervals;
use crate::measuring::levels::{TO_DEVICE, device_levels};
use crate::measuring::pauses::Pauses;
use crate::measuring::selection::Selected;
use crate::measuring::steps::PartKind;
use crate::measuring::steps::{StepParts, divide_steps, median, part_position};
use crate::measuring::work::{AllWork, NO_LEVEL, positions_by, work_intervals};
use crate::telling::thresholds::{Thresholds, VerdictKind};
use crate::telling::{Word, Words};

/// Thresholds for the share of a step spent on input, as in XProf.
pub(super) const INPUT_LOW: f64 = 0.05;
pub(super) const INPUT_HIGH: f64 = 0.20;
pub(super) const OTHER_LOW: f64 = 0.03;
pub(super) const OTHER_HIGH: f64 = 0.15;

/// Why a device waits for input, in priority order, each with what to do about it.
pub(super) const KINDS: [(Word, &str); 7] = [
    (
        Word::new(
            "transfer",
            "Copy to device",
            "copied to the device while it waits",
        ),
        "Put the next batch on the device ahead of time.",
    ),
    (
        Word::new("read", "Reading", "read from files"),
        "Read with more threads (`num_parallel_reads`, `interleave`), from a closer disk, or from \
         larger files.",
    ),
    (
        Word::new("preprocess", "Preprocessing", "mapped, batched, shuffled"),
        "Run it in parallel (`num_parallel_calls=tf.data.AUTOTUNE`, grain's `worker_count`), or \
         ahead of training.",
    ),
    (
        Word::new("enqueue", "Infeed", "handed to the infeed"),
        "Send fewer bytes: smaller dtypes, work on the device instead of the host.",
    ),
    (
        Word::new("prefetch", "Prefetch", "prefetched, but not early enough"),
        "Prefetch more batches (`prefetch(tf.data.AUTOTUNE)`); the stages before it are too slow.",
    ),
    (
        Word::new(
            "wait",
            "Waiting for the iterator",
            "requested from the iterator and awaited",
        ),
        "What makes the elements is slower than the step: look at the stage that takes longest.",
    ),
    (
        Word::new("load", "Loading", "loaded by the program's own code"),
        "Load in the background: another thread or process, or grain's and tf.data's prefetching.",
    ),
];

/// Copies that the device makes while it does nothing else.
const COPIES: Word = Word::new(
    "copies",
    "Exposed copy",
    "copied by the device, which does nothing else meanwhile",
);

/// The words for why a device waits for input, copies last.
pub(crate) fn words() -> Words {
    let kinds = KINDS.iter().map(|(word, _)| word.clone());
    Words {
        name: "input_causes",
        words: kinds.chain([COPIES]).collect(),
    }
}

/// Levels of the sweep: compilation, two unused ones, and the kinds.
const FIRST_KIND: u8 = 3;
const LEVELS: usize = 3 + KINDS.len();
/// The kind of those who wait for the next element.
const WAIT_KIND: usize = 5;

fn level_of(activity: Activity) -> u8 {
    let kind = match activity {
        Activity::Compile(_) => return COMPILATION,
        Activity::Transfer(Direction::HostToDevice) => 0,
        Activity::Input(InputStage::Read) => 1,
        Activity::Input(InputStage::Preprocess) => 2,
        Activity::Input(InputStage::Enqueue) => 3,
        Activity::Input(InputStage::Prefetch) => 4,
        Activity::Input(InputStage::Wait) => 5,
        Activity::Input(InputStage::Load) => 6,
        _ => return NO_LEVEL,
    };
    FIRST_KIND + kind
}

/// What a host did for its input.
pub(super) struct HostInput {
    /// By kind: disjoint, excluding compilation.
    pub(super) kinds: Vec<Intervals>,
    /// All input, including compilation, without waits in queues.
    loading: Intervals,
}

/// Each selected step on each device.
pub(super) fn rows(session: &Session, selected: &Selected<'_>) -> Vec<InputRow> {
    let divided = divide_steps(session, selected);
    let divided = &divided.rows;
    let Some(within) = divided.iter().map(|row| row.span).reduce(Span::hull) else {
        return Vec::new();
    };
    let mut hosts: Vec<HostId> = divided.iter().map(|row| row.host).collect();
    hosts.sort_unstable();
    hosts.dedup();
    let inputs = host_inputs(session, (&hosts, selected.loops()), within);
    let mut devices: Vec<DeviceId> = divided.iter().filter_map(|row| row.device).collect();
    devices.sort_unstable();
    devices.dedup();
    let work = AllWork::of(session);
    let feeds = feeds(session, &devices, within);
    // With many hosts, the work of a device is decoded once for all of its steps.
    let of_devices = positions_by(divided, |row| row.device);
    let of_device = |(device, positions): (Option<DeviceId>, Vec<usize>)| {
        let busy = device.map(|device| {
            let own = work.of_device(session, device);
            own.union(&own_idle_of(session, device, within))
        });
        let busy = busy.unwrap_or_default();
        let at = device.and_then(|device| devices.binary_search(&device).ok());
        let feeds = at.and_then(|at| feeds[at].as_ref());
        let row_of = |position: usize| {
            let parts = &divided[position];
            let input = hosts.binary_search(&parts.host).map(|at| &inputs[at]);
            let row = row(session, parts, &busy.clip(parts.span), feeds, input.ok());
            (position, row)
        };
        positions.into_par_iter().map(row_of).collect::<Vec<_>>()
    };
    let rows = of_devices.into_par_iter().flat_map_iter(of_device);
    let mut rows: Vec<(usize, InputRow)> = rows.collect();
    rows.sort_by_key(|(position, _)| *position);
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Share of the time of the selected steps in which devices are idle without a reason: their host does
/// nothing that was recorded, and they do not pause by themselves.
pub(super) fn quiet_ratio(session: &Session, selected: &Selected<'_>) -> f64 {
    let divided = divide_steps(session, selected);
    let rows = || divided.rows.iter();
    let quiet = rows().map(|row| row.lengths.quiet_ps()).saturating_sum();
    let all = rows()
        .map(|row| row.span.duration().0)
        .saturating_sum()
        .max(1);
    quiet as f64 / all as f64
}

/// When a device does no work, but not for its host: all that precedes input in the parts of a step,
/// except work and compilation.
fn own_idle_of(session: &Session, device: DeviceId, within: Span) -> Intervals {
    let windows = [within];
    let callbacks = Callbacks::of(session).within(session, device, &windows);
    let pauses = Pauses::of(session);
    let pauses = pauses.of_device(session, device).clip(within);
    let own = callbacks.union(&pauses);
    own.union(&under_way(session, device, &windows))
}

/// What a device exchanges with its host as input and output of the program.
struct Feeds {
    infeed: Intervals,
    outfeed: Intervals,
}

/// For devices whose programs copy to and from host memory themselves: TPUs, and GPUs whose programs
/// keep arrays in host memory.
fn feeds(session: &Session, devices: &[DeviceId], within: Span) -> Vec<Option<Feeds>> {
    let are = |feed: &str| -> Vec<bool> {
        let labels = session.labels.iter();
        labels
            .map(|label| {
                let category = label.op.map(|op| session.text(session.op(op).category));
                label.kind.is_work() && category.is_some_and(|name| name.contains(feed))
            })
            .collect()
    };
    let (infeeds, outfeeds) = (are("infeed"), are("outfeed"));
    let copiers: Vec<Option<Copier>> = session
        .labels
        .iter()
        .map(|label| copier(session, label))
        .collect();
    let is_own = |copier: &Option<Copier>| copier.is_some_and(|one| one != Copier::Host);
    let has_own = copiers.iter().any(is_own);
    // Of GPUs, what no program copies.
    let given = |direction: Direction| -> Vec<bool> {
        let is_given = |(label, copier): (&Label, &Option<Copier>)| {
            let transfer = label.transfer.filter(|_| *copier == Some(Copier::Host));
            transfer.is_some_and(|transfer| transfer.direction == direction)
        };
        session.labels.iter().zip(&copiers).map(is_given).collect()
    };
    let (to_device, to_host) = (
        given(Direction::HostToDevice),
        given(Direction::DeviceToHost),
    );
    let levels = device_levels(session);
    let above_copies: Vec<bool> = levels.iter().map(|&level| level < TO_DEVICE).collect();
    let all_to_device: Vec<bool> = levels.iter().map(|&level| level == TO_DEVICE).collect();
    let of_device = |&device: &DeviceId| {
        let kind = session.device(device).kind;
        let times = |labels: &[bool]| work_intervals(session, device, &[within], labels);
        if kind.is_gpu() && has_own {
            // Only what the device does nothing else beside is in the parts of steps.
            let above = under_way(session, device, &[within]).union(&times(&above_copies));
            let infeed = times(&to_device).subtract(&above);
            let above = above.union(&times(&all_to_device));
            let outfeed = times(&to_host).subtract(&above);
            return Some(Feeds { infeed, outfeed });
        }
        matches!(kind, DeviceKind::Tpu | DeviceKind::SparseCore).then(|| Feeds {
            infeed: times(&infeeds),
            outfeed: times(&outfeeds),
        })
    };
    devices.iter().map(of_device).collect()
}

fn row(
    session: &Session,
    parts: &StepParts,
    busy: &Intervals,
    feeds: Option<&Feeds>,
    input: Option<&HostInput>,
) -> InputRow {
    let idle = Intervals::union_of(vec![parts.span]).subtract(busy);
    let waits = |times: &Intervals| times.clip(parts.span).intersect(&idle).duration().0;
    let part = |kind: PartKind| parts.lengths.parts_ps[part_position(kind)];
    let waiting_ps = part(PartKind::InputWait);
    // Copies to and from host memory that a program makes itself, except for feeds.
    let beyond = |part_ps: i64, feed: Option<&Intervals>| {
        feed.map_or(0, |feed| {
            (part_ps - feed.duration_within(parts.span).0).max(0)
        })
    };
    let (to_device_ps, to_host_ps) = (part(PartKind::HostToDevice), part(PartKind::DeviceToHost));
    let fetched_ps = beyond(to_device_ps, feeds.map(|feeds| &feeds.infeed));
    let stored_ps = beyond(to_host_ps, feeds.map(|feeds| &feeds.outfeed));
    let copies_ps = to_device_ps - fetched_ps;
    let host_parts = [
        PartKind::PythonCallbacks,
        PartKind::Compilation,
        PartKind::HostOverhead,
    ];
    let host_ps: i64 = host_parts.into_iter().map(part).saturating_sum();
    let loading = input.map_or(0, |input| input.loading.duration_within(parts.span).0);
    InputRow {
        step: session.steps[parts.step].number,
        host: session.host(parts.host).name.clone(),
        device: parts
            .device
            .map(|id| session.device(id).name.clone())
            .unwrap_or_default(),
        start_ps: parts.span.start.0,
        duration_ps: parts.span.duration().0,
        input_ps: waiting_ps + copies_ps,
        input_ratio: {
            let duration = parts.span.duration().0;
            (duration > 0).then(|| (waiting_ps + copies_ps) as f64 / duration as f64)
        },
        waiting_ps,
        copies_ps,
        loading_ps: loading,
        causes_ps: input.map_or_else(
            || vec![0; KINDS.len()],
            |input| input.kinds.iter().map(waits).collect(),
        ),
        compute_ps: part(PartKind::DeviceCompute),
        collectives_ps: part(PartKind::Collectives),
        output_ps: to_host_ps - stored_ps,
        offload_ps: fetched_ps + stored_ps,
        host_ps,
        idle_ps: part(PartKind::Idle),
    }
}

/// The input of hosts: the same times as in the parts of steps, by kind.
pub(super) fn host_inputs(
    session: &Session,
    hosts: (&[HostId], Loops),
    within: Span,
) -> Vec<HostInput> {
    let times = host_times(session, hosts, &[within], level_of, LEVELS);
    let loops = hosts.1;
    times
        .into_par_iter()
        .map(|(host, levels)| {
            let mut levels = levels.into_iter();
            let compilation = levels.next().unwrap_or_default();
            let kinds: Vec<Intervals> = levels.skip(2).collect();
            // Who waits in a queue does not load: another thread does.
            let queued = QueueWaits::within(session, (host, loops), QueueEnd::Get, &[within]).times;
            let loading = kinds.iter().enumerate();
            let loading = loading.fold(Intervals::default(), |all, (kind, times)| match kind {
                WAIT_KIND => all.union(&times.subtract(&queued)),
                _ => all.union(times),
            });
            let mut taken = compilation;
            let kinds = kinds.into_iter().map(|kind| {
                let own = kind.subtract(&taken);
                taken = taken.union(&own);
                own
            });
            HostInput {
                kinds: kinds.collect(),
                loading,
            }
        })
        .collect()
}

/// Sums over rows.
#[derive(Debug, Default)]
pub(super) struct Totals {
    duration_ps: i64,
    pub(super) input_ps: i64,
    pub(super) waiting_ps: i64,
    copies_ps: i64,
    pub(super) loading_ps: i64,
    causes_ps: Vec<i64>,
    collectives_ps: i64,
    output_ps: i64,
    offload_ps: i64,
    host_ps: i64,
    pub(super) idle_ps: i64,
    rows: usize,
}

impl Totals {
    /// Share of the time of all steps.
    pub(super) fn ratio(&self, part_ps: i64) -> Option<f64> {
        (self.duration_ps > 0).then(|| part_ps as f64 / self.duration_ps as f64)
    }
}

pub(super) fn totals(rows: &[InputRow]) -> Totals {
    let sum = |figure: fn(&InputRow) -> i64| rows.iter().map(figure).saturating_sum();
    let of_kind = |kind: usize| rows.iter().map(|row| row.causes_ps[kind]).saturating_sum();
    Totals {
        duration_ps: sum(|row| row.duration_ps),
        input_ps: sum(|row| row.input_ps),
        waiting_ps: sum(|row| row.waiting_ps),
        copies_ps: sum(|row| row.copies_ps),
        loading_ps: sum(|row| row.loading_ps),
        causes_ps: (0..KINDS.len()).map(of_kind).collect(),
        collectives_ps: sum(|row| row.collectives_ps),
        output_ps: sum(|row| row.output_ps),
        offload_ps: sum(|row| row.offload_ps),
        host_ps: sum(|row| row.host_ps),
        idle_ps: sum(|row| row.idle_ps),
        rows: rows.len(),
    }
}

/// The verdict on a share of a step.
pub(super) fn judged(ratio: Option<f64>, low: f64, high: f64) -> VerdictKind {
    match ratio {
        None => VerdictKind::Unknown,
        Some(ratio) if ratio < low => VerdictKind::Good,
        Some(ratio) if ratio < high => VerdictKind::Warning,
        Some(_) => VerdictKind::Bad,
    }
}

/// What bounds the step, input first.
pub(super) fn bounds(totals: &Totals) -> Vec<Bound> {
    let bound = |key: &str, title: &str, part_ps: i64, low: f64, high: f64| {
        let ratio = totals.ratio(part_ps);
        Bound {
            key: key.to_owned(),
            title: title.to_owned(),
            mean_ps: part_ps as f64 / totals.rows.max(1) as f64,
            ratio,
            low_ratio: low,
            high_ratio: high,
            verdict: judged(ratio, low, high),
        }
    };
    // One figure, one pair of limits: the overview judges these, too.
    let limits = Thresholds::default();
    let judged_by = |key: &str| {
        let known = limits.get(key);
        known.map_or((OTHER_LOW, OTHER_HIGH), |known| (known.good, known.bad))
    };
    let (low, high) = judged_by("communication_ratio");
    let host = judged_by("host_overhead_ratio");
    vec![
        bound("input", "Input", totals.input_ps, INPUT_LOW, INPUT_HIGH),
        bound("output", "Output", totals.output_ps, INPUT_LOW, INPUT_HIGH),
        bound(
            "collectives",
            "Collectives",
            totals.collectives_ps,
            low,
            high,
        ),
        bound(
            "offload",
            "Host offloading",
            totals.offload_ps,
            OTHER_LOW,
            OTHER_HIGH,
        ),
        bound("host", "Other host work", totals.host_ps, host.0, host.1),
        bound(
            "idle",
            "Idle without host work",
            totals.idle_ps,
            OTHER_LOW,
            OTHER_HIGH,
        ),
    ]
}

/// The remedy for copies that a device waits for, in terms of the framework.
fn ahead_of_time(session: &Session) -> &'static str {
    match session.framework() {
        Framework::Jax => {
            "Put the next batch on the device ahead of time: `jax.device_put` before the step that \
             needs it, or `flax.jax_utils.prefetch_to_device`."
        }
        Framework::TensorFlow => {
            "Put the next batch on the device ahead of time: \
             `tf.data.experimental.prefetch_to_device` as the last stage."
        }
        Framework::PyTorch => {
            "Put the next batch on the device ahead of time: `pin_memory=True` of the loader and \
             `to(device, non_blocking=True)`."
        }
        Framework::Other => "Put the next batch on the device ahead of time.",
    }
}

/// The remedy for a cause in terms of the framework; none where one fits all.
fn remedy_of(session: &Session, cause: &str) -> Option<&'static str> {
    Some(match (session.framework(), cause) {
        (_, "transfer") => ahead_of_time(session),
        (Framework::PyTorch, "read") => {
            "Read with more processes (`num_workers` of the `DataLoader`), from a closer disk, or from \
             larger files."
        }
        (Framework::PyTorch, "preprocess") => {
            "Run it in more processes (`num_workers` of the `DataLoader`), or ahead of training."
        }
        (Framework::PyTorch, "prefetch") => {
            "Prefetch more batches (`prefetch_factor` of the `DataLoader`); what makes them is too slow."
        }
        (Framework::PyTorch, "load") => {
            "Load in other processes: `DataLoader(dataset, num_workers=8, pin_memory=True)`."
        }
        (Framework::TensorFlow, "load") => {
            "Load in the background: another thread or process, or tf.data's prefetching."
        }
        (Framework::Other, "load") => "Load in the background: another thread or process.",
        _ => return None,
    })
}

/// Waiting by cause, largest first, including copies to the device. Causes that never occur are left
/// out.
pub(super) fn causes(session: &Session, totals: &Totals) -> Vec<InputCause> {
    let row = |word: &Word, remedy: &str, total_ps: i64| InputCause {
        cause: word.key.to_owned(),
        meaning: word.meaning.to_owned(),
        total_ps,
        mean_ps: total_ps as f64 / totals.rows.max(1) as f64,
        step_ratio: totals.ratio(total_ps),
        remedy: remedy.to_owned(),
    };
    let mut rows: Vec<InputCause> = KINDS
        .iter()
        .zip(&totals.causes_ps)
        .map(|((word, remedy), &total)| {
            row(word, remedy_of(session, word.key).unwrap_or(remedy), total)
        })
        .collect();
    rows.push(row(&COPIES, ahead_of_time(session), totals.copies_ps));
    rows.retain(|row| row.total_ps > 0);
    rows.sort_by_key(|row| std::cmp::Reverse(row.total_ps));
    rows
}

/// Each host, over its rows, the one that waits longest first.
pub(super) fn hosts(rows: &[InputRow]) -> Vec<InputHost> {
    let mut names: Vec<&str> = rows.iter().map(|row| row.host.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let mut hosts: Vec<InputHost> = names
        .into_iter()
        .map(|name| {
            let own: Vec<&InputRow> = rows.iter().filter(|row| row.host == name).collect();
            let count = own.len().max(1) as f64;
            let sum = |figure: fn(&InputRow) -> i64| {
                own.iter().map(|row| figure(row)).saturating_sum() as f64
            };
            let duration = sum(|row| row.duration_ps);
            let input = sum(|row| row.input_ps);
            let worst = own.iter().max_by_key(|row| row.input_ps);
            InputHost {
                host: name.to_owned(),
                row_count: own.len(),
                duration_mean_ps: duration / count,
                input_median_ps: {
                    let all: Vec<f64> = own.iter().map(|row| row.input_ps as f64).collect();
                    median(&all)
                },
                input_mean_ps: input / count,
                input_ratio: (duration > 0.0).then(|| input / duration),
                loading_mean_ps: sum(|row| row.loading_ps) / count,
                longest_ps: worst.map_or(0, |row| row.input_ps),
                longest_step: worst.filter(|row| row.input_ps > 0).map(|row| row.step),
                longest_start_ps: worst.map_or(Picos::ZERO.0, |row| row.start_ps),
            }
        })
        .collect();
    hosts.sort_by(|a, b| {
        (b.input_median_ps.total_cmp(&a.input_median_ps))
            .then_with(|| b.input_mean_ps.total_cmp(&a.input_mean_ps))
    });
    hosts
}
