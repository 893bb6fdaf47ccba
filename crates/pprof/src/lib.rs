//! Typed views over the bytes of a pprof profile, the format of JAX's device memory profiles.
//!
//! ```text
//! bytes ── Profile::decode ──► sample types, samples ──► locations ──► lines ──► functions
//!                              │ values and labels        (leaf first)           names, files
//!                              └► problems, with their byte offsets
//! ```
//!
//! The decoder is ours and not generated, because a generated one gives nothing at all for a file
//! that ends early; this one gives what came before and says where it stopped. Tests compare it
//! with prost on whatever both can read.
//!
//! Constraints:
//! - The only code that knows pprof's field numbers. No I/O, and no gzip: the bytes come
//!   decompressed.
//! - Nothing is trusted. Lengths are checked against what is there, nothing is allocated from a
//!   length in the file, there is no recursion, and memory is a small multiple of the input.
//! - Field numbers come from the public `profile.proto` of github.com/google/pprof.
//!
//! ```
//! // One sample type: text 1, in the unit that is text 2.
//! let profile = stepscope_pprof::Profile::decode(
//!     b"\x0a\x04\x08\x01\x10\x02\x32\x00\x32\x05space\x32\x05bytes",
//! );
//! assert_eq!(profile.text(profile.sample_types[0].unit), "bytes");
//! assert!(profile.problems.is_empty());
//! ```

mod decode;
mod profile;

pub use profile::{
    Function, Label, Line, Location, Mapping, Problem, ProblemKind, Profile, Sample, StringIndex,
    ValueType,
};
