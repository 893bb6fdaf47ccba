//! End to end, with the real binary: answers, failures, serving.

mod answers;
mod capture;
mod check;
mod compare;
mod credentials;
mod docs;
mod doctor;
mod drawn;
mod failures;
mod files;
mod heap;
mod manifest;
mod scaling;
mod serving;
mod share;
mod support;
mod traces;
mod writing;
mod xplane;
