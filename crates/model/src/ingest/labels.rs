//! Labels and ops: the meaning of the small integers in a [`LabelKey`], resolved once per label.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use stepscope_hlo::{Cost, CostBasis, Needed, OpClass, Products, inferred_category, name_stack};
use stepscope_xplane::{EventMetadata, Plane, Space, lossy};

use super::decode::Decoded;
use super::keys::{LabelKey, TextKey, TextPlace};
use super::programs::{Programs, split_title};
use super::recorded_op::RecordedOp;
use super::seen::EventWork;
use crate::activity::Activity;
use crate::attribution::Attribution;
use crate::ids::{LabelId, LaunchId, OpId, ProgramId, StringId};
use crate::label::{Class, Direction, Label, SliceKind, Transfer};
use crate::memory_level::Traffic;
use crate::program::Program;
use crate::session::{CategorySource, CostSource, Op, OpCost};
use crate::strings::Strings;
use crate::track::TrackRole;
use crate::vendor::details::{parse_launch, parse_transfer};
use crate::vendor::events::{category_class, gpu_transfer, kernel_class, name_class};
use crate::vendor::framework_ops;
use crate::vendor::hosts::host_event;

/// The tables that labels point into, while they grow.
#[derive(Default)]
pub(super) struct Labels {
    pub(super) strings: Strings,
    pub(super) all: Vec<Label>,
    pub(super) ops: Vec<Op>,
    pub(super) launches: Vec<crate::label::Launch>,
    pub(super) programs: Programs,
    /// Labels whose event metadata is missing in the file.
    pub(super) nameless: usize,
    label_ids: FxHashMap<Label, LabelId>,
    op_ids: FxHashMap<(ProgramId, StringId), OpId>,
    launch_ids: FxHashMap<String, LaunchId>,
    /// Labels of keys that mean the same on every track of their file: threads of a pool run the
    /// same ops.
    known: FxHashMap<(LabelKey, TrackContext), LabelId>,
}

/// Memory space of the host in XLA's layouts.
const HOST_MEMORY_SPACE: i64 = 5;

/// What is known about the track when its labels are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct TrackContext {
    pub(super) role: TrackRole,
    pub(super) is_device: bool,
}

impl Labels {
    /// No labels yet.
    pub(super) fn new(programs: Programs) -> Self {
        Self {
            programs,
            ..Self::default()
        }
    }

    /// Forgets what keys mean: those of another file mean something else.
    pub(super) fn forget_keys(&mut self) {
        self.known.clear();
    }

    /// The labels as they were added, each with what became of it, in no order.
    pub(super) fn originals(&self) -> impl Iterator<Item = (&Label, &Label)> {
        let ids = self.label_ids.iter();
        ids.map(|(original, id)| (original, &self.all[id.index()]))
    }

    /// The label of a key of a track, which has a number there.
    pub(super) fn resolve(
        &mut self,
        space: &Space<'_>,
        decoded: &Decoded,
        (number, key): (u32, LabelKey),
        context: TrackContext,
    ) -> LabelId {
        let work = decoded.works.get(&number).copied().unwrap_or_default();
        if !key.is_of_file() {
            return self.decide(space, decoded, &key, work, context);
        }
        if let Some(&known) = self.known.get(&(key, context)) {
            return known;
        }
        let label = self.decide(space, decoded, &key, work, context);
        self.known.insert((key, context), label);
        label
    }

    fn decide(
        &mut self,
        space: &Space<'_>,
        decoded: &Decoded,
        key: &LabelKey,
        work: EventWork,
        context: TrackContext,
    ) -> LabelId {
        let plane = &space.planes[key.context.plane as usize];
        let metadata = plane.event_metadata.get(key.metadata);
        let texts = Texts { plane, decoded };
        let name = self.event_name(metadata, key.metadata);
        let mut label = Label {
            name: self.strings.intern(&name),
            kind: SliceKind::Host,
            class: Class::Host,
            activity: Activity::None,
            op: None,
            attribution: Attribution::None,
            program: None,
            launch: None,
            transfer: None,
            framework_op: None,
            framework_type: None,
        };
        match (context.role, context.is_device) {
            _ if key.context.is_cpu_op => {
                label.kind = SliceKind::Op;
                self.join_named_op(&mut label, &texts, key);
            }
            (TrackRole::Ops | TrackRole::AsyncOps, true) => {
                let recorded = metadata.map(|metadata| RecordedOp::read(plane, metadata));
                let recorded = recorded.unwrap_or_default().with_work(work);
                self.device_op(&mut label, &texts, key, &recorded, context.role);
            }
            (TrackRole::Stream, true) => self.gpu_slice(&mut label, &texts, key, &name),
            (TrackRole::Programs, true) => {
                let (module, id) = split_title(&name);
                label.kind = SliceKind::ProgramRun;
                label.class = Class::Program;
                label.program = Some(self.programs.find_or_add(id, module));
            }
            (TrackRole::Steps, true) => (label.kind, label.class) = (SliceKind::Step, Class::Step),
            (TrackRole::Derived, true) => {
                (label.kind, label.class) = (SliceKind::Derived, Class::Marker);
            }
            (_, true) => (label.kind, label.class) = (SliceKind::DeviceOther, host_event(&name).1),
            (_, false) => self.host_slice(&mut label, &texts, key, &name),
        }
        self.add(label)
    }

    /// Adds a label, or finds the equal one.
    pub(super) fn add(&mut self, label: Label) -> LabelId {
        let next = LabelId::from_index(self.all.len());
        let labels = &mut self.all;
        *self.label_ids.entry(label).or_insert_with_key(|label| {
            labels.push(label.clone());
            next
        })
    }

    fn event_name(&mut self, metadata: Option<&EventMetadata<'_>>, id: i64) -> String {
        let name = metadata
            .map(|metadata| lossy(metadata.short_name()))
            .unwrap_or_default();
        if name.is_empty() {
            self.nameless += 1;
            return format!("event {id}");
        }
        // Without a display name, TPU ops are named by their whole HLO text.
        match name
            .strip_prefix('%')
            .and_then(|rest| rest.split_once(" = "))
        {
            Some((short, _)) => short.to_owned(),
            None => name.into_owned(),
        }
    }

    fn host_slice(&mut self, label: &mut Label, texts: &Texts<'_, '_>, key: &LabelKey, name: &str) {
        (label.kind, label.class, label.activity) = host_event(name);
        let module = texts.get(key.context.module).unwrap_or_default();
        if key.context.program.is_some() || !module.is_empty() {
            let id = key.context.program.map(i64::cast_unsigned);
            label.program = Some(self.programs.find_or_add(id, &module));
        } else if let Some((module, _)) = name.split_once(":XLA GPU module") {
            label.program = self.programs.find_by_name(module);
        }
    }

    /// A kernel, copy or memset of a GPU stream.
    fn gpu_slice(&mut self, label: &mut Label, texts: &Texts<'_, '_>, key: &LabelKey, name: &str) {
        let detail = texts.get(key.context.detail).unwrap_or_default();
        if let Some(direction) = gpu_transfer(name) {
            label.kind = SliceKind::Transfer;
            let transfer = parse_transfer(&detail, direction);
            label.class = transfer.class();
            label.transfer = Some(transfer);
        } else {
            (label.kind, label.class) = (SliceKind::Kernel, kernel_class(name));
            label.launch = (!detail.is_empty()).then(|| self.launch(&detail));
        }
        let (kind_class, is_named) = (label.class, key.op != TextKey::NONE);
        let path = op_path(texts, key);
        if is_named {
            self.join_named_op(label, texts, key);
            self.complete_scope(label.op, &path);
        }
        // The kernel's own name is better evidence than the op for copies and communication.
        let is_better_evidence = matches!(kind_class, Class::Copy | Class::Collective);
        if is_better_evidence || (is_named && label.class == Class::Compute) {
            label.class = kind_class;
        }
        if !is_named {
            self.name_framework_op(label, texts, key, &path);
        }
    }

    /// The name stack that the launch carried, if the HLO has none. If both have one, the HLO's is
    /// the op's own; that of a launch is only the common part of a fusion.
    fn complete_scope(&mut self, op: Option<OpId>, path: &str) {
        let Some(op) = op.map(|id| &mut self.ops[id.index()]) else {
            return;
        };
        if op.scope == Strings::EMPTY && !path.is_empty() {
            op.scope = self.strings.intern(path);
            op.is_rematerialized |= name_stack::pass(path) == name_stack::Pass::Rematerialized;
        }
    }

    /// The framework's name for a kernel that names no op.
    fn name_framework_op(
        &mut self,
        label: &mut Label,
        texts: &Texts<'_, '_>,
        key: &LabelKey,
        path: &str,
    ) {
        if !path.is_empty() {
            label.framework_op = Some(self.strings.intern(path));
            return;
        }
        let text = texts.get(key.context.framework_op).unwrap_or_default();
        let op = if key.context.is_annotated {
            framework_ops::of_annotations(&text)
        } else {
            framework_ops::of_stat(&text)
        };
        if let Some(op) = op {
            label.framework_op = Some(self.strings.intern(&op.path));
            label.framework_type = (!op.kind.is_empty()).then(|| self.strings.intern(op.kind));
        }
    }

    fn launch(&mut self, detail: &str) -> LaunchId {
        if let Some(&id) = self.launch_ids.get(detail) {
            return id;
        }
        let id = LaunchId::from_index(self.launches.len());
        self.launches.push(parse_launch(detail));
        self.launch_ids.insert(detail.to_owned(), id);
        id
    }

    /// Joins a slice that carries `hlo_op` with its program's instruction.
    fn join_named_op(&mut self, label: &mut Label, texts: &Texts<'_, '_>, key: &LabelKey) {
        let module = texts.get(key.context.module).unwrap_or_default();
        let program = self
            .programs
            .find_or_add(key.context.program.map(i64::cast_unsigned), &module);
        label.program = Some(program);
        let Some(path) = texts.get(key.op) else {
            return;
        };
        let name = path.rsplit("::").next().unwrap_or(&path);
        let id = self.op(program, name, |labels, program, name| {
            labels.op_from_hlo(program, name)
        });
        (label.op, label.attribution) = (Some(id), Attribution::Recorded);
        label.class = self.op_class(id);
    }

    /// An op of a TPU: nearly everything is in the event's metadata.
    fn device_op(
        &mut self,
        label: &mut Label,
        texts: &Texts<'_, '_>,
        key: &LabelKey,
        recorded: &RecordedOp,
        role: TrackRole,
    ) {
        let is_async = role == TrackRole::AsyncOps || key.context.is_async;
        label.kind = if is_async {
            SliceKind::AsyncOp
        } else {
            SliceKind::Op
        };
        let program = recorded
            .program_id
            .or(key.context.program.map(i64::cast_unsigned));
        let is_named = key.op != TextKey::NONE || key.context.module != TextKey::NONE;
        if program.is_none() && !is_named && recorded.is_bare() {
            label.class = category_class(&recorded.category);
            return;
        }
        let program = self
            .programs
            .find_or_add(program, &texts.get(key.context.module).unwrap_or_default());
        label.program = Some(program);
        // The async line names its events after the pair; the instruction is in the HLO text.
        let instruction = recorded.instruction.clone();
        let name = instruction.unwrap_or_else(|| self.strings.get(label.name).to_owned());
        let id = self.op(program, &name, |labels, program, name| {
            let op = labels.op_from_hlo(program, name);
            recorded.complete(&mut labels.strings, op)
        });
        (label.op, label.attribution) = (Some(id), Attribution::Recorded);
        label.transfer = self.host_copy(id);
        let from_hlo = self.op_class(id);
        let from_category = category_class(&recorded.category);
        label.class = if from_hlo == Class::Compute {
            from_category
        } else {
            from_hlo
        };
    }

    fn op(
        &mut self,
        program: ProgramId,
        name: &str,
        make: impl FnOnce(&mut Self, ProgramId, &str) -> Op,
    ) -> OpId {
        let name_id = self.strings.intern(name);
        if let Some(&id) = self.op_ids.get(&(program, name_id)) {
            return id;
        }
        let op = make(self, program, name);
        let id = OpId::from_index(self.ops.len());
        self.ops.push(op);
        self.op_ids.insert((program, name_id), id);
        id
    }

    fn op_from_hlo(&mut self, program: ProgramId, name: &str) -> Op {
        op_from_hlo(&self.programs.all, &mut self.strings, program, name)
    }

    /// A copy of a TPU between its memory and the host's, recognized by the memory spaces of its
    /// shapes.
    fn host_copy(&self, id: OpId) -> Option<Transfer> {
        let op = &self.ops[id.index()];
        let hlo = self.programs.all[op.program.index()].hlo.as_ref()?;
        let mut start = hlo.instruction(self.strings.get(op.name))?;
        if start.opcode == "copy-done" {
            start = hlo.operand(start, 0)?;
        }
        if !matches!(start.opcode.as_str(), "copy-start" | "copy") {
            return None;
        }
        let to = start.shape.first_leaf();
        let is_to_host = to.memory_space() == HOST_MEMORY_SPACE;
        let from = hlo.operand(start, 0)?.shape.first_leaf();
        let direction = match (from.memory_space() == HOST_MEMORY_SPACE, is_to_host) {
            (false, true) => Direction::DeviceToHost,
            (true, false) => Direction::HostToDevice,
            _ => return None,
        };
        Some(Transfer {
            direction,
            bytes: Some(to.byte_size()),
            host_memory: None,
        })
    }

    fn op_class(&self, id: OpId) -> Class {
        let op = &self.ops[id.index()];
        let name = self.strings.get(op.name);
        let hlo = self.programs.all[op.program.index()].hlo.as_ref();
        let class = hlo.and_then(|hlo| Some(hlo.class(hlo.instruction(name)?)));
        match class {
            Some(OpClass::Matmul) => Class::Matmul,
            Some(OpClass::Attention) => Class::Attention,
            Some(OpClass::Collective) => Class::Collective,
            Some(OpClass::Copy | OpClass::HostTransfer) => Class::Copy,
            Some(OpClass::HostCallback) => Class::Python,
            Some(OpClass::DataFormatting | OpClass::Control | OpClass::Other) => Class::Compute,
            None if op.category_source == CategorySource::Recorded => {
                category_class(self.strings.get(op.category))
            }
            None => name_class(name),
        }
    }
}

/// An op as described by the program's HLO; only its name if there is no HLO or no such
/// instruction.
pub(super) fn op_from_hlo(
    programs: &[Program],
    strings: &mut Strings,
    program: ProgramId,
    name: &str,
) -> Op {
    let inferred = inferred_category(name);
    let mut op = Op {
        program,
        name: strings.intern(name),
        category: strings.intern(inferred),
        category_source: match inferred {
            "" => CategorySource::Unknown,
            _ => CategorySource::Inferred,
        },
        scope: Strings::EMPTY,
        source: Strings::EMPTY,
        cost: None,
        is_rematerialized: name.contains(".remat"),
        is_control: false,
        expression: Strings::EMPTY,
    };
    let Some(hlo) = programs[program.index()].hlo.as_ref() else {
        return op;
    };
    let Some(instruction) = hlo.instruction(name) else {
        return op;
    };
    op.category = strings.intern(instruction.category());
    op.category_source = CategorySource::Hlo;
    op.scope = strings.intern(&instruction.op_name);
    if let Some(source) = &instruction.source {
        op.source = strings.intern(&source.label());
    }
    op.is_control = hlo.class(instruction) == OpClass::Control;
    op.is_rematerialized |= instruction.is_rematerialized;
    if !op.is_control {
        op.cost = Some(cost_from_hlo(
            &hlo.cost(instruction),
            hlo.products(instruction),
            hlo.needed(instruction),
        ));
    }
    op
}

fn cost_from_hlo(cost: &Cost, products: Products, needed: Needed) -> OpCost {
    let is_known = cost.basis != CostBasis::Unknown;
    let (products, needed) = if is_known {
        (products, needed)
    } else {
        Default::default()
    };
    OpCost {
        flops: is_known.then_some(cost.flops),
        products,
        needed,
        bytes: cost.bytes_accessed,
        traffic: Traffic::hbm(cost.bytes_accessed),
        source: match cost.basis {
            CostBasis::Rules | CostBasis::Unknown => CostSource::Hlo,
            CostBasis::Shapes => CostSource::Shapes,
            CostBasis::Estimate => CostSource::Estimate,
        },
    }
}

/// Resolves text keys of one plane.
struct Texts<'a, 'b> {
    plane: &'b Plane<'a>,
    decoded: &'b Decoded,
}

impl Texts<'_, '_> {
    fn get(&self, key: TextKey) -> Option<Cow<'_, str>> {
        text(self.plane, self.decoded, key)
    }
}

/// The text of a key.
pub(super) fn text<'a>(
    plane: &'a Plane<'_>,
    decoded: &'a Decoded,
    key: TextKey,
) -> Option<Cow<'a, str>> {
    match key.place() {
        TextPlace::None => None,
        TextPlace::StatMetadata(id) => plane.stat_metadata.get(id).map(|found| lossy(found.name)),
        TextPlace::Inline(position) => decoded.inline_texts.get(position).map(|text| lossy(text)),
    }
}

/// The name stack that the launch of a kernel carried. The part common to all ops of a program is
/// written once, with the program; a launch whose name does not start with it carries all of it.
fn op_path(texts: &Texts<'_, '_>, key: &LabelKey) -> String {
    let name = texts.get(key.context.op_path).unwrap_or_default();
    let prefix = texts.get(key.context.op_path_prefix).unwrap_or_default();
    let (name, prefix) = (name.trim_matches('/'), prefix.trim_end_matches('/'));
    // Without a name, it is unknown whether the op is below the prefix.
    if name.is_empty() || prefix.is_empty() || name == prefix {
        return name.to_owned();
    }
    let is_whole = name
        .strip_prefix(prefix)
        .is_some_and(|rest| rest.starts_with('/'));
    if is_whole || name.starts_with("jit(") {
        name.to_owned()
    } else {
        format!("{prefix}/{name}")
    }
}
