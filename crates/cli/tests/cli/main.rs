//! End to end over the real binary: answers, failures, serving.

mod answers;
mod capture;
mod docs;
mod doctor;
mod failures;
mod heap;
mod manifest;
mod serving;
mod support;
