//! Shardings by axes of a mesh that have names, as newer compilers write them.

use prost::Message;

use crate::wire::text;
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

    /// Which part of the value each of `count` devices has, by any numbering of the parts.
    pub(super) fn parts_of_devices(&self, count: usize) -> Option<Vec<u64>> {
        let is_plain = self.manual.is_empty() && self.unreduced.is_empty();
        let mesh = self
            .mesh
            .as_ref()
            .filter(|_| is_plain && !self.is_maximal())?;
        let used = || self.dimensions.iter().flat_map(|of| &of.axes);
        if used().next().is_none() {
            return Some(vec![0; count]);
        }
        let sizes = mesh.axes.iter().map(|axis| u64::try_from(axis.size));
        let sizes: Vec<u64> = sizes.collect::<Result<_, _>>().ok()?;
        let all = sizes
            .iter()
            .try_fold(1u64, |all, &size| all.checked_mul(size))?;
        if all != count as u64 || all == 0 {
            return None;
        }
        let mut parts = vec![None; count];
        for position in 0..all {
            let mut part = 0u64;
            for axis in used() {
                let index = usize::try_from(axis.mesh_axis_index).ok()?;
                let size = *sizes.get(index)?;
                let stride: u64 = sizes[index + 1..].iter().product();
                let coordinate = position / stride % size;
                let own = self.axis_size(axis);
                let before = axis.part.as_ref().map_or(1, |part| part.before);
                let before = u64::try_from(before).ok()?.max(1);
                let after = size.checked_div(before.checked_mul(own)?)?.max(1);
                part = part
                    .checked_mul(own)?
                    .checked_add(coordinate / after % own)?;
            }
            let listed = mesh.device_ids.get(usize::try_from(position).ok()?);
            let device = listed.map_or(Ok(position), |&id| u64::try_from(id)).ok()?;
            *parts.get_mut(usize::try_from(device).ok()?)? = Some(part);
        }
        parts.into_iter().collect()
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

#[cfg(test)]
mod tests {
    use prost::Message;

    use super::super::{OpSharding, Sharding};

    /// A field of a message by its number on the wire.
    fn field(number: u8, content: &[u8]) -> Vec<u8> {
        let length = u8::try_from(content.len()).expect("a short message");
        [&[number << 3 | 2, length], content].concat()
    }

    fn number(number: u8, value: u8) -> Vec<u8> {
        vec![number << 3, value]
    }

    /// `('data'=4, 'model'=2)`
    fn mesh() -> Vec<u8> {
        let axis = |name: &str, size| {
            let content = [field(1, name.as_bytes()), number(2, size)].concat();
            field(1, &content)
        };
        field(2, &[axis("data", 4), axis("model", 2)].concat())
    }

    fn decoded(parts: &[Vec<u8>]) -> Sharding {
        let bytes = field(14, &parts.concat());
        Sharding::of(OpSharding::decode(bytes.as_slice()).expect("a sharding"))
    }

    /// The axis of this position in the mesh.
    fn axis(position: u8) -> Vec<u8> {
        number(1, position)
    }

    #[test]
    fn dimensions_are_cut_along_the_axes_they_name() {
        let both = [field(1, &axis(0)), field(1, &axis(1))].concat();
        let found = decoded(&[mesh(), field(3, &field(1, &axis(0))), field(3, &[])]);
        assert_eq!(
            found.to_string(),
            "{mesh['data'=4,'model'=2], [{'data'}, {}]}"
        );
        assert_eq!(found.part_count(), Some(4));
        let cuts = found.divisions().expect("cut by name");
        assert_eq!(
            (cuts[0].part_count, cuts[0].axes.as_slice()),
            (4, &["data".to_owned()][..])
        );
        assert_eq!((cuts[1].part_count, cuts[1].axes.len()), (1, 0));
        assert_eq!(decoded(&[mesh(), field(3, &both)]).part_count(), Some(8));
    }

    #[test]
    fn an_axis_may_be_used_in_part() {
        // The last two of the four along `data`.
        let part = [number(1, 2), number(2, 2)].concat();
        let half = [axis(0), field(2, &part)].concat();
        let found = decoded(&[mesh(), field(3, &field(1, &half)), field(4, &axis(1))]);
        let text = "{mesh['data'=4,'model'=2], [{'data:(2)2'}], replicated={'model'}}";
        assert_eq!(found.to_string(), text);
        assert_eq!(found.part_count(), Some(2));
    }

    #[test]
    fn whole_values_and_those_of_one_device_are_told_apart() {
        let whole = decoded(&[mesh(), field(3, &[]), field(3, &[])]);
        assert_eq!(whole.to_string(), "{replicated}");
        assert_eq!(
            (whole.part_count(), whole.is_on_one_device()),
            (Some(1), false)
        );
        let one = decoded(&[field(2, &field(2, &[3]))]);
        assert_eq!(one.to_string(), "{maximal device=3}");
        assert!(one.is_on_one_device());
    }

    #[test]
    fn what_the_program_divides_itself_is_not_counted() {
        let found = decoded(&[mesh(), field(3, &field(1, &axis(1))), field(7, &axis(0))]);
        assert_eq!(found.part_count(), None);
        let text = "{mesh['data'=4,'model'=2], [{'model'}], manual={'data'}}";
        assert_eq!(found.to_string(), text);
    }

    #[test]
    fn an_axis_that_the_mesh_lacks_cuts_nothing() {
        let found = decoded(&[mesh(), field(3, &field(1, &axis(9)))]);
        assert_eq!(found.part_count(), Some(1));
    }
}
