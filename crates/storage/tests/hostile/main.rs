//! Attacks on storage: each test is one, named after what it does.

mod kinds;
mod many;
mod rewritten;
mod sizes;
mod tars;
mod traces;
#[expect(dead_code, reason = "a part of these helpers is used")]
#[path = "../common/mod.rs"]
mod tree;
