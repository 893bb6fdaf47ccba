//! How the value of any instruction is divided over the devices, and how large it is as a whole.
//!
//! A partitioned program speaks of one device: `f32[128,512]` may be a part of `f32[512,1024]`. Its
//! inputs say how they are divided; from there every dimension is followed through the program:
//!
//! ```text
//! x f32[128,512]   P(data, None)            dot     f32[128,256]   P(data, model)
//! w f32[512,256]   P(None, model)           whole   f32[512,512]   on data 4 × model 2
//! ```
//!
//! | Instruction | Dimensions of its value |
//! |---|---|
//! | elementwise, copy, all-reduce, permute | those of its operands |
//! | dot, convolution | batch and free dimensions of the operands |
//! | transpose, broadcast, reduce, gather | by their dimension numbers |
//! | reshape, bitcast | groups of dimensions with equal products; the most major one keeps its parts |
//! | all-gather, reduce-scatter | fewer and more parts, by the groups |
//! | dynamic-slice | cut where the place depends on the device |
//! | constant, iota, random numbers | whatever they meet |
//!
//! Everything else is unknown, and stays so until a value meets one that is known.

mod cut;
mod exchange;
mod products;
mod reshape;
mod rules;

use std::fmt;

use cut::{Cut, PlaceId, Places};

use crate::cost::copies::Copies;
use crate::flow::{Flow, arrays, follow};
use crate::program::{Instruction, Program};
use crate::shape::Shape;
use rules::Rules;

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
pub struct Placements {
    flow: Flow<PlaceId>,
    places: Places,
}

impl fmt::Debug for Placements {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Placements").finish_non_exhaustive()
    }
}

impl Program {
    /// How the values of its instructions are divided over devices; `None` where it runs on one device,
    /// or does not say on which. The first call follows them through the program.
    pub fn placements(&self) -> Option<&Placements> {
        let compute = || {
            let copies = Copies::new(self)?;
            let mut rules = Rules::new(self, copies);
            let flow = follow(self, &mut rules)?;
            let places = rules.places;
            (!places.divisions.is_full).then_some(Placements { flow, places })
        };
        self.placements.get_or_init(compute).as_ref()
    }
}

impl Placements {
    /// The arrays of an instruction's value with their dimensions; none if it never runs, or if
    /// nothing is known of it.
    pub fn of<'a>(&self, instruction: &'a Instruction) -> Vec<(&'a Shape, Vec<PlacedDimension>)> {
        let facts = self.flow.of(instruction);
        let shapes = arrays(&instruction.shape);
        if facts.len() != shapes.len() {
            return Vec::new();
        }
        let placed = shapes.into_iter().zip(facts).map(|(shape, &fact)| {
            let cuts = self.places.cuts(fact, shape.dimensions.len());
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

#[cfg(test)]
mod tests;
