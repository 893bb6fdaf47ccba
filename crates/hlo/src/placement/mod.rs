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
mod operand;
mod placed;
mod products;
mod reshape;
mod rules;
#[cfg(test)]
mod tests;

pub use placed::PlacedDimension;
pub(crate) use placed::Placements;

use crate::cost::copies::Copies;
use crate::flow::follow;
use crate::program::{Instruction, Program};
use crate::shape::Shape;
use rules::Rules;

impl Program {
    /// Whether the values of its instructions can be followed: it runs on several devices, and says on
    /// which. The first call follows them.
    pub fn has_placements(&self) -> bool {
        self.placements().is_some()
    }

    /// The arrays of an instruction's value with how each dimension is divided over the devices; none
    /// if nothing is known of the program or the instruction.
    pub fn placed<'a>(
        &self,
        instruction: &'a Instruction,
    ) -> Vec<(&'a Shape, Vec<PlacedDimension>)> {
        let placements = self.placements();
        let found = placements.map(|all| all.of(instruction.index.index(), &instruction.shape));
        found.unwrap_or_default()
    }

    fn placements(&self) -> Option<&Placements> {
        let compute = || {
            let copies = Copies::new(self)?;
            let mut rules = Rules::new(self, copies);
            let flow = follow(self, &mut rules)?;
            let (start, places) = flow.into_parts(self);
            rules.places.finish(start, places)
        };
        self.placements.get_or_init(compute).as_ref()
    }
}
