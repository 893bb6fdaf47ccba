//! What the fuzz targets check, as functions of bytes. Tests with the stable compiler run them too.

pub mod addresses;
pub mod archives;
pub mod hlo;
pub mod ingest;
pub mod kernels;
pub mod manifest;
pub mod pprof;
pub mod redaction;
pub mod requests;
pub mod riegeli;
pub mod settings;
pub mod traces;
pub mod xplane;
