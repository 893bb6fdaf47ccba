//! XLA programs: instructions, shapes, categories and cost, decoded from HloProto.
