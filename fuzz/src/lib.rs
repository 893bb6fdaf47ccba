//! What the fuzz targets check, as functions of bytes. The tests of the model run them too.

pub mod ingest;
pub mod riegeli;
pub mod xplane;
