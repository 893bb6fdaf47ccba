//! SQL over our own captures, by the library and by the program.

mod bucket;
mod divided;
mod elsewhere;
mod indexed;
#[path = "../../../catalog/tests/memory/mod.rs"]
mod memory;
mod program;
mod pushed;
mod same;
mod served;
mod support;
