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
mod faults;
mod files;
mod heap;
mod hostile;
mod index;
mod manifest;
mod queries;
mod scaling;
mod server;
mod serving;
mod share;
mod shared_cache;
mod soak;
mod support;
mod traces;
mod writing;
mod xplane;
