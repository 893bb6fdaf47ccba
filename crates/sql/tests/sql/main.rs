//! SQL over our own captures, by the library and by the program.

mod indexed;
mod program;
mod same;
mod served;
mod support;
