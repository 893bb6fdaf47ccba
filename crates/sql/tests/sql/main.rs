//! SQL over our own captures, by the library and by the program.

mod elsewhere;
mod indexed;
mod program;
mod same;
mod served;
mod support;
