//! What the stats of one event say.

use rustc_hash::FxHashMap;
use stepscope_xplane::{Stat, StatValue};

use super::arrows::Arrows;
use super::keys::{Context, TextKey};
use crate::vendor::stats::{StatRole, StatRoles};

/// What the stats of one event said, reset for each event.
#[derive(Default, Clone, Copy)]
pub(super) struct Seen {
    pub(super) context: Context,
    pub(super) op: TextKey,
    pub(super) ordinal: Option<i64>,
    pub(super) run_id: Option<i64>,
    pub(super) correlation: Option<u64>,
    pub(super) arrows: Arrows,
    pub(super) root_level: Option<i64>,
    pub(super) step: Option<i64>,
    pub(super) block: Option<i64>,
    /// It has stats that nothing is derived from, such as ids.
    pub(super) has_others: bool,
    pub(super) device_offset: Option<i64>,
    pub(super) device_duration: Option<i64>,
    pub(super) counter: Option<CounterValue>,
    pub(super) graph: Option<GraphStats>,
    pub(super) work: Option<EventWork>,
}

/// Work that is recorded with the events of an op instead of its name, like for kernels whose work
/// depends on their arguments. Sums, each over the events that have it.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(super) struct EventWork {
    pub(super) flops: Sum,
    pub(super) model_flops: Sum,
    pub(super) bytes: Sum,
}

/// Σ of a figure, and the number of events.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(super) struct Sum {
    sum: f64,
    count: f64,
}

impl Sum {
    fn of(value: StatValue<'_>) -> Self {
        value
            .as_double()
            .map_or_else(Self::default, |sum| Self { sum, count: 1.0 })
    }

    fn add(&mut self, other: Self) {
        self.sum += other.sum;
        self.count += other.count;
    }

    /// The mean per event.
    pub(super) fn mean(self) -> Option<f64> {
        (self.count > 0.0).then(|| self.sum / self.count)
    }
}

impl EventWork {
    pub(super) fn add(&mut self, other: Self) {
        self.flops.add(other.flops);
        self.model_flops.add(other.model_flops);
        self.bytes.add(other.bytes);
    }
}

/// What an event says about its graph.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct GraphStats {
    /// ID of the graph, or of what was instantiated from it; 0 if none is recorded.
    pub(super) graph: u64,
    /// Node of the graph.
    pub(super) node: Option<u64>,
    /// Whether the event represents the whole graph.
    pub(super) is_whole: bool,
}

/// A sample's value as written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum CounterValue {
    Double(f64),
    Whole(u64),
}

impl CounterValue {
    pub(super) fn of(value: StatValue<'_>) -> Option<Self> {
        match value {
            StatValue::Uint(value) => Some(Self::Whole(value)),
            StatValue::Int(value) if value >= 0 => Some(Self::Whole(value.cast_unsigned())),
            // Some recorders write numbers as text.
            StatValue::Text(text) => {
                let number: f64 = std::str::from_utf8(text).ok()?.trim().parse().ok()?;
                Some(Self::Double(number))
            }
            other => other.as_double().map(Self::Double),
        }
    }

    pub(super) fn as_f64(self) -> f64 {
        match self {
            Self::Double(value) => value,
            Self::Whole(value) => value as f64,
        }
    }

    pub(super) fn as_u64(self) -> Option<u64> {
        match self {
            Self::Double(_) => None,
            Self::Whole(value) => Some(value),
        }
    }
}

/// Texts that are in the events themselves instead of the stat metadata.
pub(super) struct InlineTexts {
    pub(super) numbers: FxHashMap<Vec<u8>, u64>,
    pub(super) texts: Vec<Vec<u8>>,
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
    pub(super) fn stat(&mut self, roles: &StatRoles, stat: Stat<'_>, texts: &mut InlineTexts) {
        let role = roles.get(stat.metadata_id);
        if role == StatRole::Ignored {
            self.has_others = true;
            return;
        }
        // XLA:CPU ops point only at their own end markers: their arrows are not followed.
        let is_arrow = matches!(role, StatRole::ProducerType | StatRole::ProducerId);
        if is_arrow && self.ordinal.is_some() && self.op != TextKey::NONE {
            return;
        }
        let value = stat.value();
        let int = || value.as_int();
        let id = || int().unwrap_or_default().cast_unsigned();
        match role {
            StatRole::Ignored => {}
            StatRole::HloOp => self.op = texts.key(value),
            StatRole::HloModule => self.context.module = texts.key(value),
            StatRole::ProgramId => self.context.program = int(),
            StatRole::RunId => self.run_id = int(),
            StatRole::DeviceOrdinal => self.ordinal = int(),
            StatRole::CorrelationId => self.correlation = int().map(i64::cast_unsigned),
            StatRole::ConsumerType => self.arrows.consumer.0 = int(),
            StatRole::ConsumerId => self.arrows.consumer.1 = int().map(i64::cast_unsigned),
            StatRole::ProducerType => self.arrows.producer.0 = int(),
            StatRole::ProducerId => self.arrows.producer.1 = int().map(i64::cast_unsigned),
            StatRole::RootLevel => self.root_level = int(),
            StatRole::StepNumber => self.step = int(),
            StatRole::Block => self.block = int(),
            StatRole::KernelDetails | StatRole::MemcpyDetails | StatRole::MemsetDetails => {
                self.context.detail = texts.key(value);
            }
            StatRole::FrameworkOp => {
                self.context.framework_op = texts.key(value);
                self.context.is_annotated = false;
            }
            StatRole::Annotations | StatRole::OutermostAnnotation => {
                self.annotation(role, texts.key(value));
            }
            StatRole::OpPath => self.context.op_path = texts.key(value),
            StatRole::OpPathPrefix => self.context.op_path_prefix = texts.key(value),
            StatRole::AsyncMark => self.context.is_async = int() == Some(1),
            StatRole::DeviceOffset => self.device_offset = int(),
            StatRole::DeviceDuration => self.device_duration = int(),
            StatRole::CounterValue => self.counter = CounterValue::of(value),
            StatRole::GraphId => self.graph().graph = id(),
            StatRole::GraphNodeId => self.graph().node = Some(id()),
            StatRole::GraphExecId => {
                (self.graph().graph, self.graph().is_whole) = (id(), true);
            }
            StatRole::Flops => self.work().flops = Sum::of(value),
            StatRole::ModelFlops => self.work().model_flops = Sum::of(value),
            StatRole::BytesAccessed => self.work().bytes = Sum::of(value),
        }
    }

    /// Annotations around a launch, unless the op is known. All of them say more than the outermost one.
    #[cold]
    fn annotation(&mut self, role: StatRole, key: TextKey) {
        let context = &mut self.context;
        let is_better = role == StatRole::Annotations && context.is_annotated;
        if is_better || context.framework_op == TextKey::NONE {
            (context.framework_op, context.is_annotated) = (key, true);
        }
    }

    #[cold]
    fn work(&mut self) -> &mut EventWork {
        self.work.get_or_insert_default()
    }

    #[cold]
    fn graph(&mut self) -> &mut GraphStats {
        self.graph.get_or_insert_default()
    }
}
