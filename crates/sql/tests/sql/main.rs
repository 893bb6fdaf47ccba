//! SQL over our own captures, by the library and by the program.

mod program;
mod same;
mod served;
mod support;
