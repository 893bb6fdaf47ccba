//! The decoder against prost, on real profiles and on whatever proptest builds, and on damage.

mod agreement;
mod damage;
mod support;
