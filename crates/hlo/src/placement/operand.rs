//! What goes into an instruction.

use super::cut::Cut;
use crate::shape::Shape;

/// An array that goes into an instruction.
pub(super) struct Operand<'a> {
    pub(super) shape: &'a Shape,
    pub(super) cuts: Vec<Cut>,
}
