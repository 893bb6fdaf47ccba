//! From a decoded memory profile to a snapshot: which values are bytes, which are allocations, and
//! the frames of its stacks.

use rustc_hash::FxHashMap;
use stepscope_pprof::{Profile, Sample, StringIndex};

use super::{Heap, HeapFrame, HeapSample, HeapSnapshot, StackId, Taken};
use crate::ids::StringId;
use crate::strings::Strings;

/// How many frames of a stack are kept, innermost first: Python stops at 1,000 by default.
const STACK_FRAMES_MAX: usize = 4096;

/// Maximum number of frames in all stacks of a heap: what a file claims is limited, however often
/// it repeats.
const HEAP_FRAMES_MAX: usize = 16 << 20;

/// Maximum number of frames read in one file, repeated stacks included: anything longer is not a
/// profile.
const WALKED_FRAMES_MAX: usize = 256 << 20;

/// What was left out of a snapshot, or guessed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Damage {
    /// Stacks cut at [`STACK_FRAMES_MAX`], or without space in the heap.
    pub(crate) cut_stacks: usize,
    /// Samples that name locations, functions or texts that the file does not have.
    pub(crate) nameless_samples: usize,
    /// The names of the sample types are missing; JAX's order was assumed.
    pub(crate) is_type_assumed: bool,
}

/// Whether a decompressed file that starts with these bytes is in pprof's format.
pub fn is_memory_profile(head: &[u8]) -> bool {
    Profile::is_begun_by(head)
}

/// Adds a profile's samples as a snapshot. The error says what the profile measures instead of
/// memory.
pub(crate) fn add_snapshot(
    heap: &mut Heap,
    name: &str,
    profile: &Profile<'_>,
    written_epoch_ns: Option<u64>,
) -> Result<Damage, String> {
    let values = Values::of(profile)?;
    let mut reading = Reading::new(heap, profile, values.is_assumed);
    let samples = profile
        .samples
        .iter()
        .map(|sample| reading.sample(sample, &values))
        .collect();
    let damage = reading.damage;
    let recorded = u64::try_from(profile.time_nanos).ok().filter(|&ns| ns > 0);
    let taken = recorded.map(Taken::Recorded);
    heap.snapshots.push(HeapSnapshot {
        name: name.to_owned(),
        taken: taken.or(written_epoch_ns.map(Taken::Written)),
        samples,
    });
    Ok(damage)
}

/// Which values of a sample are used.
struct Values {
    allocations: Option<usize>,
    bytes: usize,
    bytes_factor: i64,
    is_assumed: bool,
}

impl Values {
    /// JAX writes `allocations` in `count` and `space` in `bytes`; other programs, such as Go
    /// programs, write several of each; the ones for live memory are used.
    fn of(profile: &Profile<'_>) -> Result<Self, String> {
        let types: Vec<(String, String)> = profile
            .sample_types
            .iter()
            .map(|found| {
                let text = |index| profile.text(index).into_owned();
                (text(found.kind), text(found.unit))
            })
            .collect();
        let mut texts = profile.sample_types.iter().flat_map(|t| [t.kind, t.unit]);
        if types.len() == 2 && texts.any(|text| !profile.has_text(text)) {
            return Ok(Self {
                allocations: Some(0),
                bytes: 1,
                bytes_factor: 1,
                is_assumed: true,
            });
        }
        let first = |names: [&str; 2], has_unit: &dyn Fn(&str) -> bool| {
            let fitting = || {
                let types = types.iter().enumerate();
                types.filter(|(_, (_, unit))| has_unit(unit))
            };
            let named = names
                .iter()
                .find_map(|name| fitting().find(|(_, (kind, _))| kind == name));
            named.or_else(|| fitting().next()).map(|(index, _)| index)
        };
        let Some(bytes) = first(["space", "inuse_space"], &|unit| factor(unit).is_some()) else {
            let measured: Vec<String> = types
                .iter()
                .map(|(kind, unit)| format!("{kind} in {unit}"))
                .collect();
            return Err(match measured.as_slice() {
                [] => "it does not say what it measures".to_owned(),
                measured => format!("it measures {}, not memory", measured.join(" and ")),
            });
        };
        Ok(Self {
            allocations: first(["allocations", "inuse_objects"], &|unit| unit == "count"),
            bytes,
            bytes_factor: factor(&types[bytes].1).unwrap_or(1),
            is_assumed: false,
        })
    }
}

/// Bytes per unit.
fn factor(unit: &str) -> Option<i64> {
    match unit {
        "bytes" | "byte" | "B" => Some(1),
        "kilobytes" | "kilobyte" | "kb" | "KB" | "kib" | "KiB" => Some(1 << 10),
        "megabytes" | "megabyte" | "mb" | "MB" | "mib" | "MiB" => Some(1 << 20),
        "gigabytes" | "gigabyte" | "gb" | "GB" | "gib" | "GiB" => Some(1 << 30),
        _ => None,
    }
}

/// One profile being read into the heap. Texts, locations, and stacks are each resolved once,
/// however often the file refers to them.
struct Reading<'a, 'b> {
    heap: &'a mut Heap,
    profile: &'a Profile<'b>,
    texts: FxHashMap<StringIndex, StringId>,
    /// Frames by location, innermost first, and whether some of them have no name.
    locations: FxHashMap<u64, (Box<[u32]>, bool)>,
    stacks: FxHashMap<Box<[u32]>, StackId>,
    frames: FxHashMap<HeapFrame, u32>,
    kind_key: StringId,
    device_key: StringId,
    walked_frames: usize,
    damage: Damage,
}

impl<'a, 'b> Reading<'a, 'b> {
    fn new(heap: &'a mut Heap, profile: &'a Profile<'b>, is_type_assumed: bool) -> Self {
        Self {
            texts: FxHashMap::default(),
            locations: FxHashMap::default(),
            stacks: stacks_by_frames(heap),
            frames: heap.frames.iter().copied().zip(0..).collect(),
            kind_key: heap.strings.intern("kind"),
            device_key: heap.strings.intern("device"),
            heap,
            profile,
            walked_frames: 0,
            damage: Damage {
                is_type_assumed,
                ..Damage::default()
            },
        }
    }

    fn sample(&mut self, sample: &Sample, values: &Values) -> HeapSample {
        let profile = self.profile;
        let value = |index: usize| profile.values(sample).get(index).copied().unwrap_or(0);
        let allocations = values.allocations.map_or(0, value);
        let bytes = value(values.bytes).saturating_mul(values.bytes_factor);
        let (stack, mut is_nameless) = self.stack(sample);
        let (mut kind, mut device) = (Strings::EMPTY, Strings::EMPTY);
        for label in profile.labels(sample) {
            is_nameless |= !profile.has_text(label.key) || !profile.has_text(label.text);
            let (key, text) = (self.text(label.key), self.text(label.text));
            if key == self.kind_key {
                kind = text;
            } else if key == self.device_key {
                device = text;
            }
        }
        self.damage.nameless_samples += usize::from(is_nameless);
        HeapSample {
            stack,
            kind,
            device,
            allocations,
            bytes,
        }
    }

    fn text(&mut self, index: StringIndex) -> StringId {
        let (heap, profile) = (&mut *self.heap, self.profile);
        let texts = self.texts.entry(index);
        *texts.or_insert_with(|| heap.strings.intern(&profile.text(index)))
    }

    /// A sample's stack, outermost frame first, and whether part of it is missing.
    fn stack(&mut self, sample: &Sample) -> (StackId, bool) {
        let profile = self.profile;
        let (mut frames, mut is_nameless, mut is_cut) = (Vec::new(), false, false);
        for &id in profile.location_ids(sample) {
            if frames.len() >= STACK_FRAMES_MAX || self.walked_frames >= WALKED_FRAMES_MAX {
                is_cut = true;
                break;
            }
            if !self.locations.contains_key(&id) {
                let read = self.location(id);
                self.locations.insert(id, read);
            }
            if let Some((found, is_location_nameless)) = self.locations.get(&id) {
                frames.extend_from_slice(found);
                self.walked_frames += found.len();
                is_nameless |= is_location_nameless;
            }
        }
        is_cut |= frames.len() > STACK_FRAMES_MAX;
        frames.truncate(STACK_FRAMES_MAX);
        if self.heap.stack_frames.len() + frames.len() > HEAP_FRAMES_MAX {
            is_cut = true;
            frames.clear();
        }
        self.damage.cut_stacks += usize::from(is_cut);
        frames.reverse();
        (self.intern_stack(frames), is_nameless)
    }

    /// The frames of a location, innermost first, and whether something is missing.
    fn location(&mut self, id: u64) -> (Box<[u32]>, bool) {
        let profile = self.profile;
        let location = profile.location(id).cloned().unwrap_or_default();
        let lines = profile.lines(&location);
        if lines.is_empty() {
            let mapping = profile.mapping(location.mapping_id).copied();
            let function = match location.address {
                0 => Strings::EMPTY,
                address => self.heap.strings.intern(&format!("{address:#x}")),
            };
            let frame = HeapFrame {
                function,
                file: self.text(mapping.unwrap_or_default().file),
                line: 0,
            };
            return ([self.frame(frame)].into(), function == Strings::EMPTY);
        }
        let mut is_nameless = false;
        let mut frames = Vec::new();
        for line in lines.iter().take(STACK_FRAMES_MAX + 1) {
            let function = profile.function(line.function_id).copied();
            let function = function.unwrap_or_default();
            let frame = HeapFrame {
                function: self.text(function.name),
                file: self.text(function.file),
                line: line.line,
            };
            is_nameless |= frame.function == Strings::EMPTY;
            frames.push(self.frame(frame));
        }
        (frames.into(), is_nameless)
    }

    fn frame(&mut self, frame: HeapFrame) -> u32 {
        let frames = &mut self.heap.frames;
        *self.frames.entry(frame).or_insert_with(|| {
            frames.push(frame);
            // Each costs more than a byte of the file, which has fewer than 2^32.
            u32::try_from(frames.len() - 1).unwrap_or(u32::MAX)
        })
    }

    fn intern_stack(&mut self, frames: Vec<u32>) -> StackId {
        if let Some(&known) = self.stacks.get(frames.as_slice()) {
            return known;
        }
        let heap = &mut *self.heap;
        let id = StackId(u32::try_from(heap.stack_ends.len()).unwrap_or(u32::MAX));
        heap.stack_frames.extend_from_slice(&frames);
        let end = u32::try_from(heap.stack_frames.len()).unwrap_or(u32::MAX);
        heap.stack_ends.push(end);
        self.stacks.insert(frames.into_boxed_slice(), id);
        id
    }
}

fn stacks_by_frames(heap: &Heap) -> FxHashMap<Box<[u32]>, StackId> {
    let ids = (0..heap.stack_count()).filter_map(|index| u32::try_from(index).ok());
    ids.map(|index| (heap.stack(StackId(index)).into(), StackId(index)))
        .collect()
}
