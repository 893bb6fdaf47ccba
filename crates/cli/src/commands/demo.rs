//! `stepscope demo`: like `view`, for a small real capture that is part of the binary.

use std::io::Read;
use std::sync::Arc;

use clap::ArgMatches;
use flate2::read::GzDecoder;
use stepscope_model::Session;
use stepscope_model::ingest::{HostInput, MemoryInput, ingest_with_memory};
use stepscope_server::Library;

use super::{report, view};
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Our own capture; its birth certificate is in `fixtures/README.md`.
const CAPTURE: &[u8] =
    include_bytes!("../../../../fixtures/demo-gpt-cpu/plugins/profile/demo/vm.xplane.pb.gz");

/// The memory snapshot saved by the same run.
const SNAPSHOT: &[u8] = include_bytes!("../../../../fixtures/demo-gpt-cpu/memory.prof");

/// Prints the report and serves the session.
pub(crate) fn run(arguments: &ArgMatches, output: &Output) -> Result<Exit, Failure> {
    let session = open()?;
    if !arguments.get_flag("no-report") {
        report::print(&session, &report::Options::default(), output)?;
    }
    if arguments.get_flag("no-serve") {
        return Ok(Exit::Fine);
    }
    let library = Library::empty();
    library.add_open(session);
    view::start(library, None, arguments, output)
}

fn open() -> Result<Session, Failure> {
    let host = HostInput {
        host: "vm".to_owned(),
        bytes: Arc::new(unfolded(CAPTURE)?),
        problem: None,
    };
    let snapshot = MemoryInput {
        name: "memory".to_owned(),
        bytes: Arc::new(unfolded(SNAPSHOT)?),
        written_epoch_ns: None,
        problem: None,
    };
    ingest_with_memory("demo", vec![host], vec![snapshot])
        .map_err(|error| Failure::new(Exit::Failure, error.to_string()))
}

fn unfolded(gzip: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    GzDecoder::new(gzip).read_to_end(&mut bytes)?;
    Ok(bytes)
}
