//! Test support for every crate of the workspace; dev only.
//!
//! - [`space`]: the wire format by `prost` derive, decode and encode
//! - [`drawing`]: synthetic profiles from a few lines of text
//! - [`oracle`]: brute-force figures from raw events, to check the engine against
//! - [`pprof`]: memory profiles by `prost` derive
//! - [`corpus`]: the real captures and the recorded answers
//! - [`identifiers`]: texts that redaction must replace, in every place of a profile
//! - [`corrupt`]: damaged bytes for decoders
//! - [`seeds`]: what the fuzz targets start from
//!
//! It shares no code with the engine and never depends on its crates: if the two agree, two
//! independent derivations agree.
//!
//! ```
//! use stepscope_testing::{drawing, oracle};
//!
//! let space = drawing::draw("
//!     device gpu:0 nvidia H100
//!     stream 7 Compute
//!       0..10us   gemm [hlo_op=dot.1 program_id=5]
//!       12..20us  add  [hlo_op=add.2 program_id=5]
//! ").expect("the drawing is well formed");
//! let gpu = oracle::Device::Gpu(0);
//! assert_eq!(oracle::busy_ps(&space, gpu), 18_000_000);
//! ```

pub mod corpus;
pub mod corrupt;
pub mod drawing;
pub mod growth;
pub mod identifiers;
pub mod mutate;
pub mod oracle;
pub mod pprof;
#[cfg(feature = "profiler-server")]
pub mod profiler_server;
pub mod riegeli;
pub mod seeds;
pub mod space;
