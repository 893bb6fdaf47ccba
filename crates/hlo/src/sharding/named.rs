//! Shardings by axes of a mesh that have names, as newer compilers write them.

use prost::Message;

use crate::decode::text;
use crate::wire::{AxisRef, Mesh};

/// Each dimension of the value along some axes of a mesh.
#[derive(Clone, PartialEq, Message)]
pub(super) struct NamedSharding {
    #[prost(message, optional, tag = "2")]
    mesh: Option<Mesh>,
    #[prost(message, repeated, tag = "3")]
    dimensions: Vec<Axes>,
    #[prost(message, repeated, tag = "4")]
    replicated: Vec<AxisRef>,
    #[prost(message, repeated, tag = "5")]
    unreduced: Vec<AxisRef>,
    #[prost(message, repeated, tag = "7")]
    manual: Vec<AxisRef>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Axes {
    #[prost(message, repeated, tag = "1")]
    axes: Vec<AxisRef>,
}

impl NamedSharding {
    /// `{mesh['data'=4,'model'=2], [{'data'}, {}]}`
    pub(super) fn text(&self) -> String {
        if self.is_maximal() {
            let device = self.mesh.as_ref().and_then(|mesh| mesh.device_ids.first());
            return format!("{{maximal device={}}}", device.copied().unwrap_or(0));
        }
        let others = [&self.replicated, &self.unreduced, &self.manual];
        let is_cut = self.dimensions.iter().any(|axes| !axes.axes.is_empty());
        if !is_cut && others.iter().all(|axes| axes.is_empty()) {
            return "{replicated}".to_owned();
        }
        let axes = |axes: &[AxisRef]| {
            let names = axes
                .iter()
                .map(|axis| format!("'{}'", self.axis_name(axis)));
            format!("{{{}}}", names.collect::<Vec<_>>().join(", "))
        };
        let dimensions = self.dimensions.iter().map(|of| axes(&of.axes));
        let dimensions = dimensions.collect::<Vec<_>>().join(", ");
        let names = ["replicated", "unreduced", "manual"]
            .into_iter()
            .zip(others);
        let rest = names
            .filter(|(_, own)| !own.is_empty())
            .map(|(name, own)| format!(", {name}={}", axes(own)));
        let rest: String = rest.collect();
        format!("{{{}, [{dimensions}]{rest}}}", self.mesh_text())
    }

    /// One device has the whole value: a mesh without axes that names a device.
    pub(super) fn is_maximal(&self) -> bool {
        let mesh = self.mesh.as_ref();
        mesh.is_some_and(|mesh| mesh.axes.is_empty() && mesh.device_ids.len() == 1)
    }

    /// Parts along each dimension of the value, and the axes that cut it.
    pub(super) fn dimensions(&self) -> impl Iterator<Item = (u64, Vec<String>)> {
        self.dimensions.iter().map(|of| {
            let sizes = of.axes.iter().map(|axis| self.axis_size(axis));
            let names = of.axes.iter().map(|axis| self.axis_name(axis));
            (sizes.fold(1, u64::saturating_mul), names.collect())
        })
    }

    /// Whether some axes are the program's own business, so that no copies can be counted.
    pub(super) fn has_manual_axes(&self) -> bool {
        !self.manual.is_empty()
    }

    fn axis_size(&self, axis: &AxisRef) -> u64 {
        let size = axis.part.as_ref().map_or_else(
            || self.axis(axis).map_or(1, |found| found.size),
            |part| part.size,
        );
        u64::try_from(size).unwrap_or(1).max(1)
    }

    /// The name of an axis; of a part of one with what lies before it and its size.
    fn axis_name(&self, axis: &AxisRef) -> String {
        let name = self
            .axis(axis)
            .map(|found| text(found.name.clone()))
            .unwrap_or_default();
        match &axis.part {
            Some(part) => format!("{name}:({}){}", part.before, part.size),
            None => name,
        }
    }

    fn axis(&self, axis: &AxisRef) -> Option<&crate::wire::MeshAxis> {
        let index = usize::try_from(axis.mesh_axis_index).ok()?;
        self.mesh.as_ref()?.axes.get(index)
    }

    fn mesh_text(&self) -> String {
        let axes = self.mesh.iter().flat_map(|mesh| &mesh.axes);
        let axes = axes.map(|axis| format!("'{}'={}", text(axis.name.clone()), axis.size));
        format!("mesh[{}]", axes.collect::<Vec<_>>().join(","))
    }
}
