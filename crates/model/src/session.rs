//! The session: one capture over all hosts, immutable once built.

use std::borrow::Cow;
use std::sync::Arc;

use stepscope_hlo::{self as hlo, Needed, Products};

use crate::flow::{Flow, Flows, HostFlows};
use crate::frame::Frame;
use crate::graphs::Graph;
use crate::heap::Heap;
use crate::ids::{DeviceId, HostId, LabelId, LaunchId, OpId, ProgramId, StringId, TrackId};
use crate::label::{Class, Label, Launch};
use crate::manifest::Manifest;
use crate::memo::Memo;
use crate::memory_level::{MemoryLevel, Traffic};
use crate::operand_type::OperandType;
pub use crate::profile_data::ProfileData;
use crate::program::Program;
use crate::recent::{Recent, RecentFlows};
use crate::step::{Step, StepOrigin};
use crate::strings::Strings;
use crate::track::{Lane, Track};
use crate::units::{Picos, Span};
use crate::warning::Warning;

/// One capture, all hosts. Built by [`ingest`](crate::ingest::ingest), immutable afterwards.
#[derive(Default)]
pub struct Session {
    /// Its name.
    pub name: String,
    /// Time 0 in nanoseconds since the Unix epoch; absent in old files.
    pub epoch_ns: Option<u64>,
    /// Hosts, in input order.
    pub hosts: Vec<Host>,
    /// Devices, by host and ordinal.
    pub devices: Vec<Device>,
    /// Tracks in display order: devices first, then host threads, host by host.
    pub tracks: Vec<Track>,
    /// What slices share.
    pub labels: Vec<Label>,
    /// Names and texts.
    pub strings: Strings,
    /// Compiled programs.
    pub programs: Vec<Program>,
    /// Executed ops.
    pub ops: Vec<Op>,
    /// Launch geometries.
    pub launches: Vec<Launch>,
    /// Runs of programs on devices, by start.
    pub program_runs: Vec<ProgramRun>,
    /// Steps, by first start.
    pub steps: Vec<Step>,
    /// How the steps were found; none if there are no steps.
    pub step_origin: Option<StepOrigin>,
    /// Arrows between slices: see [`Self::flows_of`].
    pub flows: Flows,
    /// Launched CUDA and HIP graphs; none in most sessions.
    pub graphs: Vec<Graph>,
    /// Events recorded as sums without times (aggregated XPlanes): they have no slices.
    pub aggregates: Vec<Aggregate>,
    /// Memory snapshots; none in most sessions.
    pub heap: Heap,
    /// What was wrong with the input and what was repaired.
    pub warnings: Vec<Warning>,
    /// Results computed from it.
    pub memo: Memo,
    /// Whether its hosts were decoded in rounds.
    pub has_rounds: bool,
    /// What is known of the whole session, if this is a range of its files.
    pub frame: Option<Frame>,
}

/// An aggregated event: occurrences and their total, without times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aggregate {
    /// Its label.
    pub label: LabelId,
    /// Device it was recorded for; none for host threads.
    pub device: Option<DeviceId>,
    /// Occurrences.
    pub occurrences: i64,
    /// Sum of durations.
    pub duration: Picos,
}

/// One host: one profile file.
pub struct Host {
    /// Host name.
    pub name: String,
    /// Its file, to read details of slices again.
    pub bytes: Arc<dyn ProfileData>,
    /// The host's time 0 in session time.
    pub offset: Picos,
    /// Profile start and stop, nanoseconds since the epoch, as recorded.
    pub profile_epoch_ns: Option<(u64, u64)>,
    /// Recorded facts: versions, tracer options, process IDs; name and value, sorted by name.
    pub facts: Vec<(String, String)>,
    /// What the capturing program wrote next to the file.
    pub manifest: Option<Manifest>,
    /// Number of events decoded from this file, of all kinds.
    pub event_count: u64,
}

/// What JAX calls a device.
#[derive(Debug, Clone)]
pub struct Device {
    /// Host it belongs to.
    pub host: HostId,
    /// Number on the host: plane number, or `device_ordinal` for XLA:CPU.
    pub ordinal: i64,
    /// Such as `TPU:0`, `GPU:7`, `CPU:3`, `TPU:0 SparseCore 1`.
    pub name: String,
    /// Kind of device.
    pub kind: DeviceKind,
    /// Hardware model and peaks.
    pub chip: Chip,
}

/// Kind of device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeviceKind {
    /// A TPU TensorCore (or a chip whose cores act as one).
    Tpu,
    /// A TPU SparseCore.
    SparseCore,
    /// An NVIDIA GPU.
    NvidiaGpu,
    /// An AMD GPU.
    AmdGpu,
    /// A GPU of unknown vendor.
    OtherGpu,
    /// A virtual device of XLA:CPU.
    Cpu,
    /// A plane of a plugin or an unknown device.
    Custom,
}

impl DeviceKind {
    /// Whether it runs kernels on streams.
    pub const fn is_gpu(self) -> bool {
        matches!(self, Self::NvidiaGpu | Self::AmdGpu | Self::OtherGpu)
    }

    /// Whether it works for a device of another kind on its host and has no steps of its own: what it does
    /// is told, but not counted where devices are.
    pub const fn is_companion(self) -> bool {
        matches!(self, Self::SparseCore | Self::Custom)
    }

    /// The word in tables: `TPU`, `SparseCore`, `GPU`, `XLA:CPU`, `custom`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tpu => "TPU",
            Self::SparseCore => "SparseCore",
            Self::NvidiaGpu | Self::AmdGpu | Self::OtherGpu => "GPU",
            Self::Cpu => "XLA:CPU",
            Self::Custom => "custom",
        }
    }
}

/// A hardware model and its peaks, each with its source.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Chip {
    /// Model, such as `TPU v6 Lite`.
    pub name: String,
    /// Dense peak, operations per second: of 16-bit floats, of f32 on GPUs that are too old for
    /// them.
    pub peak_flops: Option<Peak>,
    /// Dense peaks of the types that the chip multiplies, in the order of [`OperandType::ALL`].
    pub operand_peaks: Vec<(OperandType, Peak)>,
    /// Device memory bandwidth, bytes per second.
    pub peak_bandwidth: Option<Peak>,
    /// Device memory, bytes.
    pub memory_bytes: Option<u64>,
    /// Peaks of the on-chip memories, if known, in the order of [`MemoryLevel::ALL`].
    pub on_chip: Vec<(MemoryLevel, Peak)>,
    /// Limits of one multiprocessor, if known; GPUs only.
    pub multiprocessor: Option<Multiprocessor>,
    /// Between host and device, one way, bytes per second.
    pub host_link: Option<Peak>,
    /// To other devices, one way, bytes per second over all links.
    pub peer_link: Option<Peak>,
    /// The cores' clock in Hz, if known.
    pub clock_hz: Option<Peak>,
}

impl Chip {
    /// The peak of a memory, if known.
    pub fn memory_peak(&self, level: MemoryLevel) -> Option<&Peak> {
        if level == MemoryLevel::Hbm {
            return self.peak_bandwidth.as_ref();
        }
        let found = self.on_chip.iter().find(|(known, _)| *known == level);
        found.map(|(_, peak)| peak)
    }
}

/// What one multiprocessor of a GPU can hold at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Multiprocessor {
    /// Threads.
    pub threads: i64,
    /// Blocks.
    pub blocks: i64,
    /// 32-bit registers.
    pub registers: i64,
    /// Shared memory, bytes.
    pub shared_bytes: i64,
    /// Shared memory that the system reserves for each block, bytes.
    pub reserved_shared_bytes: i64,
    /// Threads that run in lockstep.
    pub warp: i64,
}

/// A peak and where it came from.
#[derive(Debug, Clone, PartialEq)]
pub struct Peak {
    /// Per second.
    pub per_second: f64,
    /// In words: `recorded by the device`, `computed from 132 SMs × …`, `data sheet`.
    pub source: String,
}

/// One HLO instruction that was executed.
#[derive(Debug, Clone)]
pub struct Op {
    /// Program it belongs to.
    pub program: ProgramId,
    /// Instruction name.
    pub name: StringId,
    /// HLO category; empty when unknown.
    pub category: StringId,
    /// Where the category comes from.
    pub category_source: CategorySource,
    /// JAX name stack (`metadata.op_name`, `tf_op`); empty if unknown.
    pub scope: StringId,
    /// `file:line`; empty when unknown.
    pub source: StringId,
    /// Work of one execution.
    pub cost: Option<OpCost>,
    /// Whether it recomputes something (rematerialization).
    pub is_rematerialized: bool,
    /// An op whose time is spent in other ops that run nested or elsewhere (while, call,
    /// conditional).
    pub is_control: bool,
    /// Long text as recorded (TPU names ops by their HLO text); empty if only the HLO has it.
    pub expression: StringId,
}

/// Where an op's category came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CategorySource {
    /// From the profile.
    Recorded,
    /// From the instruction in the program's HLO.
    Hlo,
    /// From the op's name, by XLA's conventions: `loop_add_fusion.3` is a loop fusion.
    Inferred,
    /// No category.
    #[default]
    Unknown,
}

impl CategorySource {
    /// The word in tables; empty when unknown.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Recorded => "recorded",
            Self::Hlo => "hlo",
            Self::Inferred => "inferred",
            Self::Unknown => "",
        }
    }
}

/// Work of one execution of an op.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OpCost {
    /// Operations, whatever their type; none if an opaque call executes them.
    pub flops: Option<f64>,
    /// The part of `flops` that products do, by type.
    pub products: Products,
    /// Which of the operations of products the model needs.
    pub needed: Needed,
    /// Bytes read and written.
    pub bytes: f64,
    /// Those bytes by memory; all through device memory if nothing else is known.
    pub traffic: Traffic,
    /// Where it came from.
    pub source: CostSource,
}

/// Where an op's cost came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CostSource {
    /// From the profile.
    Recorded,
    /// Computed from the HLO.
    Hlo,
    /// Computed from the shapes of a library call or kernel that is known by its name.
    Shapes,
    /// Written into the call by the kernel's author.
    Estimate,
}

impl CostSource {
    /// The word in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Recorded => "recorded",
            Self::Hlo => "hlo",
            Self::Shapes => "shapes",
            Self::Estimate => "estimate",
        }
    }
}

/// One run of a program on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramRun {
    /// The program.
    pub program: ProgramId,
    /// The device.
    pub device: DeviceId,
    /// Execution id as recorded.
    pub run_id: Option<i64>,
    /// From its first to its last op, or as recorded.
    pub span: Span,
    /// When the host started to launch it, if known.
    pub launched: Option<Picos>,
    /// The host thread of the launch, if `launched` is known.
    pub launched_on: Option<TrackId>,
    /// Whether the launch was found by order: the call of its function has the same position among
    /// calls as the run has among runs. Nothing recorded joins the two.
    pub is_by_order: bool,
}

/// No more hosts are decoded together, and of more than these, what is large is not kept: threads
/// that questions decode, and times that they add up.
pub(crate) const HOSTS_KEPT: usize = 32;

impl Session {
    /// Tags from the manifests of all hosts, each once, in the order of their first appearance.
    pub fn tags(&self) -> Vec<String> {
        let manifests = self.hosts.iter().filter_map(|host| host.manifest.as_ref());
        let mut tags: Vec<String> = Vec::new();
        for tag in manifests.flat_map(|manifest| &manifest.tags) {
            if !tags.contains(tag) {
                tags.push(tag.clone());
            }
        }
        tags
    }

    /// First start and last end over all tracks.
    pub fn extent(&self) -> Option<Span> {
        self.tracks
            .iter()
            .filter_map(Track::extent)
            .reduce(Span::hull)
    }

    /// Whether it has only memory snapshots: no host was profiled, and it has no time axis.
    pub fn is_memory_only(&self) -> bool {
        self.hosts.is_empty() && !self.heap.snapshots.is_empty()
    }

    /// Whether it has only compiled programs: nothing was executed, and it has no time axis.
    pub fn is_program_only(&self) -> bool {
        self.hosts.is_empty() && self.heap.snapshots.is_empty() && !self.programs.is_empty()
    }

    /// Why what it says can no longer be believed, if so: one of its files was written after it was
    /// opened. A sentence that ends with the path.
    pub fn changed(&self) -> Option<String> {
        let of_hosts = self.hosts.iter().find_map(|host| host.bytes.changed());
        let mut last: Option<&Arc<dyn ProfileData>> = None;
        of_hosts.or_else(|| {
            self.programs.iter().find_map(|program| {
                let file = &program.bytes.as_ref()?.file;
                // Programs of one file stand together, and of a host's file were asked already.
                let is_known = |known: &Arc<dyn ProfileData>| Arc::ptr_eq(known, file);
                if last.replace(file).is_some_and(is_known)
                    || self.hosts.iter().any(|host| is_known(&host.bytes))
                {
                    return None;
                }
                file.changed()
            })
        })
    }

    /// Slices over all tracks.
    pub fn slice_count(&self) -> usize {
        self.tracks.iter().map(Track::slice_count).sum()
    }

    /// A host.
    pub fn host(&self, id: HostId) -> &Host {
        &self.hosts[id.index()]
    }

    /// A device.
    pub fn device(&self, id: DeviceId) -> &Device {
        &self.devices[id.index()]
    }

    /// A track.
    pub fn track(&self, id: TrackId) -> &Track {
        &self.tracks[id.index()]
    }

    /// [`Self::track_in_passing`], if the track may have a label that passes; others are not read.
    pub fn track_having(
        &self,
        id: TrackId,
        passes: impl FnMut(LabelId) -> bool,
    ) -> Option<Cow<'_, Track>> {
        let is_read = self.track(id).may_have(passes);
        is_read.then(|| self.track_in_passing(id))
    }

    /// Whether what is large per host is computed again for whoever needs it instead of kept, so
    /// that memory does not grow with what is in it.
    pub fn has_many_hosts(&self) -> bool {
        self.has_rounds
    }

    /// A track for whoever reads it once and may read those of all hosts: with many hosts, slices
    /// that are still in the file are decoded for the reader alone ([`Track::in_passing`]), and kept
    /// only for those who read the track right after.
    pub fn track_in_passing(&self, id: TrackId) -> Cow<'_, Track> {
        let track = self.track(id);
        if !self.has_many_hosts() {
            return Cow::Borrowed(track);
        }
        match track.in_passing() {
            Cow::Owned(fresh) => {
                let recent = self.memo.get_or_compute(Recent::default);
                Cow::Owned(recent.get_or_keep(id, || fresh))
            }
            Cow::Borrowed(stored) => Cow::Borrowed(stored),
        }
    }

    /// The arrows of a host, joined on first use. With many hosts they are kept only for those who
    /// read the same host right after.
    pub fn flows_of(&self, host: HostId) -> Arc<HostFlows> {
        if !self.has_many_hosts() {
            return self.flows.kept_of(host);
        }
        let recent = self.memo.get_or_compute(RecentFlows::default);
        recent.get_or_keep(host, || self.flows.read_of(host))
    }

    /// The arrows of a host, in no order, for whoever reads them once.
    pub fn unsorted_flows_of(&self, host: HostId) -> Vec<Flow> {
        self.flows.unsorted_of(host)
    }

    /// The number of a track in the whole session.
    pub fn track_number(&self, id: TrackId) -> i64 {
        let before = self.frame.as_ref().map_or(0, |frame| frame.first_track);
        i64::from(id.0) + i64::try_from(before).unwrap_or(i64::MAX / 2)
    }

    /// A label.
    pub fn label(&self, id: LabelId) -> &Label {
        &self.labels[id.index()]
    }

    /// An op.
    pub fn op(&self, id: OpId) -> &Op {
        &self.ops[id.index()]
    }

    /// What an op does, from its HLO; plain computation if there is none.
    pub fn op_class(&self, id: OpId) -> Class {
        let op = self.op(id);
        let hlo = self.program(op.program).hlo.as_ref();
        let class = hlo.and_then(|hlo| Some(hlo.class(hlo.instruction(self.text(op.name))?)));
        match class {
            Some(hlo::OpClass::Matmul) => Class::Matmul,
            Some(hlo::OpClass::Attention) => Class::Attention,
            Some(hlo::OpClass::Collective) => Class::Collective,
            Some(hlo::OpClass::Copy | hlo::OpClass::HostTransfer) => Class::Copy,
            Some(hlo::OpClass::HostCallback) => Class::Python,
            _ => Class::Compute,
        }
    }

    /// A program.
    pub fn program(&self, id: ProgramId) -> &Program {
        &self.programs[id.index()]
    }

    /// A launch geometry.
    pub fn launch(&self, id: LaunchId) -> &Launch {
        &self.launches[id.index()]
    }

    /// A string.
    pub fn text(&self, id: StringId) -> &str {
        self.strings.get(id)
    }

    /// The name of a label.
    pub fn label_name(&self, id: LabelId) -> &str {
        self.text(self.label(id).name)
    }

    /// `host/GPU:0` with several hosts, `GPU:0` with one.
    pub fn device_title(&self, id: DeviceId) -> String {
        let device = self.device(id);
        self.title_on(device.host, &device.name)
    }

    /// The name of something on a host, after the host's where there are several.
    pub fn title_on(&self, host: HostId, name: &str) -> String {
        let hosts = self.frame.as_ref().map(|frame| frame.host_count);
        if hosts.unwrap_or(self.hosts.len()) == 1 {
            name.to_owned()
        } else {
            format!("{}/{name}", self.host(host).name)
        }
    }

    /// Tracks whose slices are the device's work: `Ops` and `Stream` rows.
    pub fn work_tracks(&self, device: DeviceId) -> impl Iterator<Item = (TrackId, Cow<'_, Track>)> {
        use crate::track::TrackRole::{Ops, Stream};
        self.device_tracks(device)
            .filter(|(_, track)| matches!(track.role, Ops | Stream))
    }

    /// All tracks of a device, in display order, for whoever reads them once
    /// ([`Self::track_in_passing`]). Looked up: a session has thousands of devices at times, and most
    /// analyses ask for the tracks of each.
    pub fn device_tracks(
        &self,
        device: DeviceId,
    ) -> impl Iterator<Item = (TrackId, Cow<'_, Track>)> {
        let by_device = self.memo.get_or_compute(|| DeviceTracks::of(self));
        let count = by_device.0.get(device.index()).map_or(0, Vec::len);
        (0..count).map(move |position| {
            let id = by_device.0[device.index()][position];
            (id, self.track_in_passing(id))
        })
    }

    /// All track ids, in display order.
    pub fn track_ids(&self) -> impl Iterator<Item = TrackId> + use<> {
        (0..self.tracks.len()).map(TrackId::from_index)
    }

    /// All hosts.
    pub fn host_ids(&self) -> impl Iterator<Item = HostId> + use<> {
        (0..self.hosts.len()).map(HostId::from_index)
    }

    /// All device ids.
    pub fn device_ids(&self) -> impl Iterator<Item = DeviceId> + use<> {
        (0..self.devices.len()).map(DeviceId::from_index)
    }

    /// A lane by its flat number.
    pub fn lane(&self, track: TrackId, lane: u32) -> Option<&Lane> {
        self.tracks.get(track.index())?.lanes.get(lane as usize)
    }
}

/// The tracks of each device.
struct DeviceTracks(Vec<Vec<TrackId>>);

impl DeviceTracks {
    fn of(session: &Session) -> Self {
        let mut tracks = vec![Vec::new(); session.devices.len()];
        for id in session.track_ids() {
            let device = session.track(id).device;
            if let Some(own) = device.and_then(|device| tracks.get_mut(device.index())) {
                own.push(id);
            }
        }
        Self(tracks)
    }
}
