//! What the fuzz targets check, as functions of bytes. Also run by the tests of the model.

pub mod ingest;
pub mod riegeli;
pub mod xplane;
