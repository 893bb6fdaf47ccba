//! Every export of a session that came from a damaged file: written or refused, never a panic, and
//! what is written can be read again.

use std::io::{self, Write};
use std::time::Instant;

use serde_json::Value;
use stepscope_analysis::asking::selection::Selection;
use stepscope_export::html::{DEFAULT_MOST_BYTES, HtmlOptions, html};
use stepscope_export::markdown::markdown;
use stepscope_export::tables::FileWriter;
use stepscope_export::{About, Folder, Format, write_tables};
use stepscope_interchange::write::{
    Wanted, wanted_hosts, write_chrome, write_collapsed, write_perfetto, write_speedscope,
    write_xplane,
};
use stepscope_model::Session;
use stepscope_model::redact::{Key, redact};

use crate::questions::Slowest;

const PAGE: &str = "<title>Stepscope</title><script type=\"application/json\" \
                    id=\"stepscope-report\"></script>";

/// Files of tables, counted and forgotten.
#[derive(Default)]
struct Counted(usize);

impl Folder for Counted {
    fn file(&mut self, _name: &str, write: &mut FileWriter<'_>) -> io::Result<()> {
        self.0 += 1;
        write(&mut io::sink() as &mut (dyn Write + Send))
    }
}

/// Writes a session in every format.
pub(crate) fn export(about: &str, session: &Session, slowest: &mut Slowest) {
    reports(about, session, slowest);
    if !session.tracks.is_empty() {
        traces(about, session, slowest);
    }
    let start = Instant::now();
    if let Ok((redacted, _)) = redact(session, &Key::from_text("a key")) {
        _ = html(&redacted, &About::default(), &[], &page());
    }
    slowest.add(start.elapsed(), || format!("{about}: redacted"));
}

fn page() -> HtmlOptions<'static> {
    HtmlOptions {
        page: PAGE,
        shell: &[],
        most_bytes: DEFAULT_MOST_BYTES,
    }
}

fn reports(about: &str, session: &Session, slowest: &mut Slowest) {
    let start = Instant::now();
    if let Ok(page) = html(session, &About::default(), &[], &page()) {
        assert!(page.text.len() as u64 <= DEFAULT_MOST_BYTES, "{about}");
    }
    slowest.add(start.elapsed(), || format!("{about}: HTML"));
    let start = Instant::now();
    _ = markdown(session, &About::default(), &[]);
    slowest.add(start.elapsed(), || format!("{about}: Markdown"));
    for format in [Format::Csv, Format::Parquet] {
        let start = Instant::now();
        let mut files = Counted::default();
        let written = write_tables(session, &About::default(), &[], format, &mut files);
        assert!(written.is_err() || files.0 > 0, "{about}");
        slowest.add(start.elapsed(), || format!("{about}: tables"));
    }
}

fn traces(about: &str, session: &Session, slowest: &mut Slowest) {
    let wanted = everything(session);
    let start = Instant::now();
    let mut chrome = Vec::new();
    if write_chrome(session, &wanted, &mut chrome).is_ok() {
        let read: Result<Value, _> = serde_json::from_slice(&chrome);
        assert!(read.is_ok(), "{about}: the Chrome trace is no JSON");
    }
    slowest.add(start.elapsed(), || format!("{about}: Chrome"));
    let start = Instant::now();
    _ = write_perfetto(session, &wanted, &mut io::sink());
    _ = write_collapsed(session, &wanted, &mut io::sink());
    let mut speedscope = Vec::new();
    if write_speedscope(session, &wanted, &mut speedscope).is_ok() {
        let read: Result<Value, _> = serde_json::from_slice(&speedscope);
        assert!(read.is_ok(), "{about}: the speedscope file is no JSON");
    }
    slowest.add(start.elapsed(), || format!("{about}: flame graphs"));
    let start = Instant::now();
    for host in wanted_hosts(session, &wanted) {
        let mut bytes = Vec::new();
        if write_xplane(session, host, &wanted, &mut bytes).is_ok() {
            let again = crate::questions::session("vm.xplane.pb", bytes);
            assert!(again.is_some(), "{about}: our own profile is refused");
        }
    }
    slowest.add(start.elapsed(), || format!("{about}: XSpace"));
}

/// The whole session.
fn everything(session: &Session) -> Wanted {
    let parts = Selection::default().parts(session).expect("all of it");
    Wanted {
        devices: parts.devices,
        hosts: parts.hosts,
        labels: parts.labels,
        steps: parts.steps,
    }
}
