//! The `stepscope` command.
fn main() {}
