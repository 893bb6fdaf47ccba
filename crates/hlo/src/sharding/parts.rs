//! Into how many parts a sharding cuts a value, and which devices lie along each cut.

use prost::Message;

use super::{MAXIMAL, OpSharding, Sharding, TILED, TUPLE};

/// More devices than this along one dimension are not listed.
const MAX_DEVICES: u64 = 1 << 16;

/// How one dimension of a value is cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Division {
    /// Parts, at least one.
    pub part_count: u64,
    /// Names of the mesh axes along which it is cut, where the program writes them.
    pub axes: Vec<String>,
    /// Device of each part, those of the other dimensions being the first; empty where axes are
    /// named, and where the sharding contradicts itself.
    pub devices: Vec<i64>,
}

impl Sharding {
    pub(super) fn of(proto: OpSharding) -> Self {
        Self(proto)
    }

    /// From a message of the wire; `None` if it is broken.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        OpSharding::decode(bytes).ok().map(Self)
    }

    /// The shardings of the leaves of a tuple; one that is no tuple holds for all leaves.
    pub(crate) fn leaf(&self, number: usize) -> Option<Self> {
        if self.0.named.is_some() || self.0.kind != TUPLE {
            return Some(self.clone());
        }
        let leaf = self.0.tuple.get(number).cloned();
        leaf.filter(|leaf| leaf.kind != TUPLE || leaf.named.is_some())
            .map(Self)
    }

    /// Whether one device alone has the value.
    pub fn is_on_one_device(&self) -> bool {
        match &self.0.named {
            Some(named) => named.is_maximal(),
            None => self.0.kind == MAXIMAL,
        }
    }

    /// Which part of the value each of `count` devices has, by any numbering of the parts; `None`
    /// where the program alone knows, or where the sharding is for other devices.
    pub(crate) fn parts_of_devices(&self, count: usize) -> Option<Vec<u64>> {
        if let Some(named) = &self.0.named {
            return named.parts_of_devices(count);
        }
        match self.0.kind {
            0 => Some(vec![0; count]),
            TILED => self.0.parts_of_devices(count),
            _ => None,
        }
    }

    /// Into how many different parts the value is cut; `None` where the program alone knows.
    pub fn part_count(&self) -> Option<u64> {
        let divisions = self.divisions()?;
        let counts = divisions.iter().map(|division| division.part_count);
        Some(counts.fold(1, u64::saturating_mul))
    }

    /// How each dimension of the value is cut; nothing for a whole value, and `None` where the
    /// program alone knows.
    pub fn divisions(&self) -> Option<Vec<Division>> {
        if let Some(named) = &self.0.named {
            if named.has_manual_axes() {
                return None;
            }
            let dimensions = named.dimensions().map(|(part_count, axes)| Division {
                part_count,
                axes,
                devices: Vec::new(),
            });
            return Some(dimensions.collect());
        }
        match self.0.kind {
            0 | MAXIMAL => Some(Vec::new()),
            TILED => self.0.tiles(),
            _ => None,
        }
    }
}

impl OpSharding {
    fn tiles(&self) -> Option<Vec<Division>> {
        let sizes = self.tile_dimensions.iter().map(|&size| u64::try_from(size));
        let sizes: Vec<u64> = sizes.collect::<Result<_, _>>().ok()?;
        if sizes.contains(&0) {
            return None;
        }
        // The last dimensions are none of the value: they say what copies of each part there are.
        let beyond = if self.last_tile_dimensions.is_empty() {
            usize::from(self.replicates_on_last_tile_dimension)
        } else {
            self.last_tile_dimensions.len()
        };
        // Parts that the program divides itself are no copies.
        if self.last_tile_dimensions.iter().any(|&kind| kind != 0) {
            return None;
        }
        let own_count = sizes.len().checked_sub(beyond)?;
        let division = |dimension: usize| {
            let part_count = sizes[dimension];
            let inner = sizes[dimension + 1..].iter();
            let stride = inner.fold(1u64, |product, &size| product.saturating_mul(size));
            let devices = (0..part_count.min(MAX_DEVICES + 1))
                .map(|part| self.device(part.checked_mul(stride)?))
                .collect::<Option<Vec<i64>>>();
            Division {
                part_count,
                axes: Vec::new(),
                devices: devices
                    .filter(|_| part_count <= MAX_DEVICES)
                    .unwrap_or_default(),
            }
        };
        Some((0..own_count).map(division).collect())
    }

    fn parts_of_devices(&self, count: usize) -> Option<Vec<u64>> {
        let sizes = self.tile_dimensions.iter().map(|&size| u64::try_from(size));
        let sizes: Vec<u64> = sizes.collect::<Result<_, _>>().ok()?;
        let tiles = sizes
            .iter()
            .try_fold(1u64, |all, &size| all.checked_mul(size))?;
        if tiles != count as u64 || self.last_tile_dimensions.iter().any(|&kind| kind != 0) {
            return None;
        }
        let beyond = if self.last_tile_dimensions.is_empty() {
            usize::from(self.replicates_on_last_tile_dimension)
        } else {
            self.last_tile_dimensions.len()
        };
        // Tiles that differ in the last dimensions only are copies of one part.
        let copies: u64 = sizes.iter().rev().take(beyond).product();
        let mut parts = vec![None; count];
        for position in 0..tiles {
            let device = usize::try_from(self.device(position)?).ok()?;
            *parts.get_mut(device)? = Some(position / copies.max(1));
        }
        parts.into_iter().collect()
    }

    /// The device at a position of the tiles, in row-major order.
    fn device(&self, position: u64) -> Option<i64> {
        if self.iota_reshape_dimensions.is_empty() {
            let position = usize::try_from(position).ok()?;
            return self.tile_devices.get(position).copied();
        }
        let sizes = self.iota_reshape_dimensions.iter();
        let sizes = sizes.map(|&size| u64::try_from(size).ok().filter(|&size| size > 0));
        let sizes: Vec<u64> = sizes.collect::<Option<_>>()?;
        let order = self.iota_transpose.iter().map(|&d| usize::try_from(d));
        let mut order: Vec<usize> = order.collect::<Result<_, _>>().ok()?;
        if order.is_empty() {
            order = (0..sizes.len()).collect();
        }
        // Position in the transposed array, from its most minor dimension on.
        let mut coordinates = vec![0; sizes.len()];
        let mut rest = position;
        for &dimension in order.iter().rev() {
            let size = *sizes.get(dimension)?;
            coordinates[dimension] = rest % size;
            rest /= size;
        }
        if rest > 0 || order.len() != sizes.len() {
            return None;
        }
        let mut device = 0u64;
        for (coordinate, size) in coordinates.into_iter().zip(sizes) {
            device = device.checked_mul(size)?.checked_add(coordinate)?;
        }
        i64::try_from(device).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tiled(tiles: &[i64], reshape: &[i64], transpose: &[i32], copies: bool) -> Sharding {
        Sharding(OpSharding {
            kind: TILED,
            tile_dimensions: tiles.to_vec(),
            iota_reshape_dimensions: reshape.to_vec(),
            iota_transpose: transpose.to_vec(),
            replicates_on_last_tile_dimension: copies,
            ..OpSharding::default()
        })
    }

    #[test]
    fn tiles_say_how_many_parts_there_are_and_where() {
        let data = tiled(&[4, 1, 2], &[8], &[], true);
        assert_eq!(data.part_count(), Some(4));
        let cuts = data.divisions().expect("tiled");
        assert_eq!(cuts.len(), 2, "the copies are no dimension");
        assert_eq!(cuts[0].devices, [0, 2, 4, 6]);
        assert_eq!(cuts[1].devices, [0]);
        // 4 × 2 devices, transposed: parts along the second axis come first.
        let model = tiled(&[1, 2, 4], &[4, 2], &[1, 0], true);
        assert_eq!(model.part_count(), Some(2));
        let cuts = model.divisions().expect("tiled");
        assert_eq!(cuts[1].devices, [0, 1]);
        // 4 × 2 devices transposed are 0 2 4 6 1 3 5 7.
        let both = tiled(&[8], &[4, 2], &[1, 0], false);
        let cuts = both.divisions().expect("tiled");
        assert_eq!(cuts[0].devices, [0, 2, 4, 6, 1, 3, 5, 7]);
    }

    #[test]
    fn what_contradicts_itself_has_no_devices() {
        let cuts = tiled(&[4], &[2], &[], false).divisions().expect("tiled");
        assert_eq!((cuts[0].part_count, cuts[0].devices.len()), (4, 0));
        let cuts = tiled(&[4], &[4], &[7], false).divisions().expect("tiled");
        assert!(cuts[0].devices.is_empty());
        let huge = tiled(&[i64::MAX, i64::MAX], &[i64::MAX], &[], false);
        assert_eq!(huge.part_count(), Some(u64::MAX));
        assert_eq!(tiled(&[0], &[1], &[], false).part_count(), None);
        assert_eq!(tiled(&[], &[1], &[], true).part_count(), None);
    }

    #[test]
    fn whole_values_are_one_part() {
        let whole = Sharding(OpSharding::default());
        assert_eq!(
            (whole.part_count(), whole.is_on_one_device()),
            (Some(1), false)
        );
        let one = Sharding(OpSharding {
            kind: MAXIMAL,
            ..OpSharding::default()
        });
        assert_eq!((one.part_count(), one.is_on_one_device()), (Some(1), true));
        let manual = Sharding(OpSharding {
            kind: super::super::MANUAL,
            ..OpSharding::default()
        });
        assert_eq!(manual.part_count(), None);
    }
}
