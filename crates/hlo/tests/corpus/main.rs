//! Tests on programs of real captures, which live outside the repository: see `support::corpus`.

mod figures;
mod hostile;
mod needed;
mod placements;
mod support;
