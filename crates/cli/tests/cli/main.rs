//! End to end over the real binary: answers, failures, serving.

mod answers;
mod docs;
mod failures;
mod serving;
mod support;
