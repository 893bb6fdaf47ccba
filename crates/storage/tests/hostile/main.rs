//! Attacks on storage: each test is one, named after what it does.

mod kinds;
mod many;
mod rewritten;
mod sizes;
#[path = "../common/mod.rs"]
mod tree;
