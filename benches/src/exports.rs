//! Every way to write a session to a file, into nothing.

use std::io;

use stepscope_export::tables::FileWriter;
use stepscope_export::{About, Folder, Format, markdown, write_tables};
use stepscope_interchange::write::{
    Wanted, write_chrome, write_collapsed, write_perfetto, write_speedscope,
};
use stepscope_model::Session;
use stepscope_model::redact::{Key, redact};

/// A way to write: its name, and whether it wrote.
pub type Export = (&'static str, fn(&Session) -> bool);

/// All of them but the single-file report, whose size has a limit.
pub const EXPORTS: [Export; 8] = [
    ("CSV", |session| tables(session, Format::Csv)),
    ("Parquet", |session| tables(session, Format::Parquet)),
    ("Markdown", |session| {
        markdown::markdown(session, &About::default(), &[]).is_ok()
    }),
    ("Chrome", |session| {
        write_chrome(session, &Wanted::everything(session), &mut io::sink()).is_ok()
    }),
    ("Perfetto", |session| {
        write_perfetto(session, &Wanted::everything(session), &mut io::sink()).is_ok()
    }),
    ("collapsed", |session| {
        write_collapsed(session, &Wanted::everything(session), &mut io::sink()).is_ok()
    }),
    ("speedscope", |session| {
        write_speedscope(session, &Wanted::everything(session), &mut io::sink()).is_ok()
    }),
    ("redaction", |session| {
        redact(session, &Key::from_text("a key")).is_ok()
    }),
];

/// Files of tables that go nowhere.
struct Nowhere;

impl Folder for Nowhere {
    fn file(&mut self, _name: &str, write: &mut FileWriter<'_>) -> io::Result<()> {
        write(&mut io::sink())
    }
}

fn tables(session: &Session, format: Format) -> bool {
    write_tables(session, &About::default(), &[], format, &mut Nowhere).is_ok()
}

#[cfg(test)]
mod tests {
    use stepscope_testing::growth::SHAPES;

    use super::*;

    #[test]
    fn every_export_writes_a_session() {
        let (_, shape) = SHAPES[0];
        let session = crate::input::session_of(shape(200).to_bytes()).expect("a session");
        for (name, export) in EXPORTS {
            assert!(export(&session), "{name}");
        }
    }
}
