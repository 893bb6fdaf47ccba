//! What the fuzz targets check, as functions of bytes. The tests of the model run them too.

pub mod hlo;
pub mod ingest;
pub mod pprof;
pub mod redaction;
pub mod riegeli;
pub mod traces;
pub mod xplane;
