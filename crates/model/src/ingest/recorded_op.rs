//! What a profile records about a TPU op, which takes precedence over the HLO.

use stepscope_hlo::{Needed, ProductType, Products, name_stack};
use stepscope_xplane::{EventMetadata, Plane, StatValue, lossy};

use super::seen::EventWork;
use crate::label::Class;
use crate::memory_level::Traffic;
use crate::session::{CategorySource, CostSource, Op, OpCost};
use crate::strings::Strings;
use crate::vendor::details::parse_traffic;
use crate::vendor::events::category_class;

/// What an event's metadata says, or its events if they say more.
#[derive(Default)]
pub(super) struct RecordedOp {
    pub(super) program_id: Option<u64>,
    /// Instruction name from the HLO text.
    pub(super) instruction: Option<String>,
    expression: String,
    pub(super) category: String,
    framework_op: String,
    source: String,
    flops: Option<f64>,
    model_flops: Option<f64>,
    bytes: Option<f64>,
    traffic: Option<Traffic>,
}

impl RecordedOp {
    pub(super) fn read(plane: &Plane<'_>, metadata: &EventMetadata<'_>) -> Self {
        let expression = lossy(metadata.name);
        let instruction = expression
            .strip_prefix('%')
            .and_then(|rest| rest.split_once(" = "));
        let instruction = instruction.map(|(name, _)| name.to_owned());
        let expression = if instruction.is_some() {
            expression.into_owned()
        } else {
            String::new()
        };
        let mut found = Self {
            instruction,
            expression,
            ..Self::default()
        };
        for stat in metadata.stats() {
            let value = stat.value();
            let text = || {
                plane
                    .stat_text(value)
                    .map(|t| lossy(t).into_owned())
                    .unwrap_or_default()
            };
            match plane.stat_name(&stat).as_ref() {
                "program_id" => found.program_id = value.as_int().map(i64::cast_unsigned),
                "hlo_category" => found.category = text(),
                "tf_op" => found.framework_op = text(),
                "source" => found.source = text(),
                "flops" => found.flops = value.as_double(),
                "model_flops" => found.model_flops = value.as_double(),
                "bytes_accessed" => found.bytes = value.as_double(),
                "memory_access_breakdown" => {
                    if let StatValue::Bytes(breakdown) = value {
                        found.traffic = parse_traffic(breakdown);
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// Whether only a name is recorded.
    pub(super) const fn is_bare(&self) -> bool {
        self.category.is_empty() && self.expression.is_empty()
    }

    /// Recorded values take precedence over the HLO.
    pub(super) fn complete(&self, strings: &mut Strings, mut op: Op) -> Op {
        // The HLO knows whether there was a first computation.
        let has_hlo = op.category_source == CategorySource::Hlo;
        op.expression = strings.intern(&self.expression);
        if !self.category.is_empty() {
            op.category = strings.intern(&self.category);
            op.category_source = CategorySource::Recorded;
        }
        if !self.framework_op.is_empty() {
            op.scope = strings.intern(name_stack::without_type(&self.framework_op));
            let pass = name_stack::pass(&self.framework_op);
            op.is_rematerialized |= !has_hlo && pass == name_stack::Pass::Rematerialized;
        }
        if !self.source.is_empty() {
            op.source = strings.intern(&self.source);
        }
        op.is_control |= matches!(self.category.as_str(), "while" | "conditional" | "call");
        op.cost = if op.is_control {
            None
        } else {
            self.cost(op.cost.as_ref(), op.is_rematerialized)
        };
        op
    }

    /// Work recorded with the events, if the name has none.
    pub(super) fn with_work(mut self, work: EventWork) -> Self {
        self.flops = work.flops.mean().or(self.flops);
        self.model_flops = work.model_flops.mean().or(self.model_flops);
        self.bytes = work.bytes.mean().or(self.bytes);
        self
    }

    /// The recorded work, or that of the HLO.
    fn cost(&self, from_hlo: Option<&OpCost>, is_repeated: bool) -> Option<OpCost> {
        let flops = self.operations();
        let (products, needed) = self.products(flops, from_hlo, is_repeated);
        let recorded = self.bytes.map(|bytes| OpCost {
            flops,
            products,
            needed,
            bytes,
            traffic: self.traffic.unwrap_or_else(|| Traffic::hbm(bytes)),
            source: CostSource::Recorded,
        });
        if self.is_uncounted(from_hlo) {
            let known = from_hlo.copied().filter(|cost| cost.flops.is_some());
            let without_flops = recorded.map(|cost| OpCost {
                flops: None,
                ..cost
            });
            return known.or(without_flops).or(from_hlo.copied());
        }
        recorded
            .filter(|cost| cost.flops.is_some())
            .or(from_hlo.copied())
    }

    /// The operations. `flops` counts those of narrow types as parts of the 16-bit ones that take as
    /// long, if `model_flops` does not say how many there are.
    fn operations(&self) -> Option<f64> {
        let model = self.model_flops.filter(|&flops| flops > 0.0);
        model.or(self.flops).or(self.model_flops)
    }

    /// The types of the recorded operations: those of the products in the HLO. Where that counts more
    /// than was recorded, the parts shrink alike. Without the HLO, the type is unknown, and the
    /// operations count as recorded, with the stated peak; the model needs them if the category is one
    /// of products, or unknown.
    fn products(
        &self,
        flops: Option<f64>,
        from_hlo: Option<&OpCost>,
        is_repeated: bool,
    ) -> (Products, Needed) {
        let Some(hlo) = from_hlo.filter(|cost| cost.flops.is_some()) else {
            let products = Products::of(ProductType::Unknown, flops.unwrap_or(0.0));
            let is_product = matches!(self.category.as_str(), "" | "custom-call")
                || category_class(&self.category) == Class::Matmul;
            let needed = match (is_product, is_repeated) {
                (true, false) => Needed::all(products),
                (true, true) => Needed::all(products).as_repeated(),
                (false, _) => Needed::default(),
            };
            return (products, needed);
        };
        let counted = match self.model_flops {
            Some(_) => Some(hlo.products.total()),
            None => hlo.flops,
        };
        let factor = match (flops, counted) {
            (Some(recorded), Some(counted)) if recorded < counted => recorded / counted,
            _ => 1.0,
        };
        (hlo.products.scaled(factor), hlo.needed.scaled(factor))
    }

    /// A custom call without operations is one whose operations nobody counted, unless it is known
    /// to have none.
    fn is_uncounted(&self, from_hlo: Option<&OpCost>) -> bool {
        let is_positive = |flops: Option<f64>| flops.is_some_and(|flops| flops > 0.0);
        if is_positive(self.flops) || is_positive(self.model_flops) {
            return false;
        }
        if let Some(cost) = from_hlo {
            let is_better = matches!(cost.source, CostSource::Shapes | CostSource::Estimate);
            return cost.flops.is_none() || is_better;
        }
        let target = self.expression.split_once("custom_call_target=\"");
        let target = target.and_then(|(_, rest)| rest.split('"').next());
        let is_bookkeeping = target.is_some_and(stepscope_hlo::Program::is_bookkeeping_call);
        self.category == "custom-call" && !is_bookkeeping
    }
}
