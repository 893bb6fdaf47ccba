//! The tests of sessions, in one program: as one per file, they took longer to link than to run.

mod support;

mod captures;
mod completing;
mod cpu;
mod details;
mod first_runs;
mod functions;
mod gpu;
mod graphs;
mod graphs_real_program;
mod hosts;
mod kernels;
mod memory;
mod mutations;
mod processes;
mod redaction;
mod refusals;
mod rounds;
mod run_ahead;
mod steps;
mod tracks;
mod unnumbered;
mod within_calls;
