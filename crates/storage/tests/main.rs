//! The tests of finding and opening files, in one program: as one per file, they took longer to link than to run.

mod common;

mod corpus;
mod held;
mod layouts;
mod manifests;
mod memory;
mod notes;
mod opening;
mod riegeli;
mod stand_in;
mod traces;
