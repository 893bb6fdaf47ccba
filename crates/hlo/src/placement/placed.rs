//! The result: dimensions with their sizes on one device and over all.

use super::cut::{Cut, PlaceId, Places};
use crate::shape::Shape;

/// One dimension of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedDimension {
    /// Elements on one device.
    pub size: i64,
    /// Parts into which the devices divide it: 1 where each has all of it. None if unknown.
    pub part_count: Option<u64>,
    /// The first device of each part; empty where it is not cut, and where the devices are unknown.
    pub devices: Vec<i64>,
}

impl PlacedDimension {
    /// Elements over all devices. Where they do not divide it evenly, the last part is padded, so it
    /// is a little more than in the source.
    pub fn whole_size(&self) -> Option<u64> {
        let size = u64::try_from(self.size).ok()?;
        self.part_count.map(|parts| size.saturating_mul(parts))
    }
}

/// How the values of a program are divided.
#[derive(Debug)]
pub(crate) struct Placements {
    /// `arrays[start[i]..start[i + 1]]` are those of instruction `i`.
    start: Vec<usize>,
    arrays: Vec<PlaceId>,
    places: Places,
}

impl Places {
    /// `None` where there were more ways to divide devices than are kept apart.
    pub(super) fn finish(self, start: Vec<usize>, arrays: Vec<PlaceId>) -> Option<Placements> {
        (!self.divisions.is_full).then_some(Placements {
            start,
            arrays,
            places: self,
        })
    }
}

impl Placements {
    /// The arrays of the value of an instruction, which has this shape.
    pub(super) fn of<'a>(
        &self,
        instruction: usize,
        shape: &'a Shape,
    ) -> Vec<(&'a Shape, Vec<PlacedDimension>)> {
        let shapes = shape.arrays();
        let range = self
            .start
            .get(instruction)
            .zip(self.start.get(instruction + 1));
        let own = range.and_then(|(&start, &end)| self.arrays.get(start..end));
        let Some(own) = own.filter(|own| own.len() == shapes.len()) else {
            return Vec::new();
        };
        let placed = shapes.into_iter().zip(own).map(|(shape, &place)| {
            let cuts = self.places.cuts(place, shape.dimensions.len());
            let dimensions = shape.dimensions.iter().zip(cuts);
            let dimensions = dimensions.map(|(&size, cut)| self.dimension(size, cut));
            (shape, dimensions.collect())
        });
        placed.collect()
    }

    fn dimension(&self, size: i64, cut: Cut) -> PlacedDimension {
        let (part_count, devices) = match cut {
            Cut::Any | Cut::Unknown => (None, Vec::new()),
            Cut::WHOLE => (Some(1), Vec::new()),
            Cut::Parts(count, along) => {
                let devices = along.map_or_else(Vec::new, |along| self.places.first_devices(along));
                (Some(u64::from(count)), devices)
            }
        };
        PlacedDimension {
            size,
            part_count,
            devices,
        }
    }
}
