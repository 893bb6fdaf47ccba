//! A profile stuffed with identifiers, redacted: tables, Markdown and HTML have none of them, read
//! as decompressed text.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::Value;
use stepscope_export::html::{HtmlOptions, html};
use stepscope_export::markdown::markdown;
use stepscope_export::tables::FileWriter;
use stepscope_export::{About, Folder, Format, Redacted, write_tables};
use stepscope_model::Session;
use stepscope_model::ingest::{HostInput, ingest};
use stepscope_model::redact::{Key, redact};
use stepscope_testing::identifiers::{self, HOST, Identifier, RUN};

const PAGE: &str = "<title>Stepscope</title><script type=\"application/json\" \
                    id=\"stepscope-report\"></script>";

/// Files in memory.
#[derive(Default)]
struct Files(BTreeMap<String, Vec<u8>>);

impl Folder for Files {
    fn file(&mut self, name: &str, write: &mut FileWriter<'_>) -> io::Result<()> {
        let mut bytes: Vec<u8> = Vec::new();
        write(&mut bytes as &mut (dyn Write + Send))?;
        self.0.insert(name.to_owned(), bytes);
        Ok(())
    }
}

/// The stuffed session, and what its reports say: redacted or not.
fn session(all: &[Identifier], is_redacted: bool) -> (Session, About) {
    let input = HostInput {
        host: HOST.to_owned(),
        bytes: Arc::new(identifiers::stuffed_bytes(all)),
        problem: None,
    };
    let session = ingest(RUN, vec![input]).expect("a session");
    if !is_redacted {
        return (session, About::default());
    }
    let (session, redaction) = redact(&session, &Key::from_text("a key")).expect("redacted");
    let about = About {
        redacted: Some(Redacted {
            replaced: redaction.replaced,
            removed: redaction.removed,
            kept: redaction.kept,
        }),
        ..About::default()
    };
    (session, about)
}

/// Everything that a report says, decompressed.
fn told(session: &Session, about: &About) -> Vec<(String, Vec<u8>)> {
    let mut told = Vec::new();
    for format in [Format::Csv, Format::Parquet] {
        let mut files = Files::default();
        write_tables(session, about, &[], format, &mut files).expect("tables");
        for (name, bytes) in files.0 {
            let text = if name.ends_with(".parquet") {
                rows(bytes)
            } else {
                bytes
            };
            told.push((name, text));
        }
    }
    let page = markdown(session, about, &[]).expect("Markdown");
    // Without the signs that keep names from being markup.
    told.push(("markdown".to_owned(), page.replace('\\', "").into_bytes()));
    let with = HtmlOptions {
        page: PAGE,
        shell: &[],
        most_bytes: 50_000_000,
    };
    let page = html(session, about, &[], &with).expect("HTML");
    let report = page.text.split_once("stepscope-report\">").expect("it").1;
    let report = report.split_once("</script>").expect("its end").0;
    let mut text = Vec::new();
    unpack(&serde_json::from_str(report).expect("JSON"), &mut text);
    told.push(("html".to_owned(), text));
    told
}

/// The rows of a file as text.
fn rows(bytes: Vec<u8>) -> Vec<u8> {
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).expect("Parquet");
    let rows = reader.get_row_iter(None).expect("rows");
    let rows = rows.map(|row| row.expect("a row").to_string());
    rows.collect::<Vec<_>>().join("\n").into_bytes()
}

/// Every text, and what is packed in it.
fn unpack(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::String(text) => {
            out.extend_from_slice(text.as_bytes());
            out.push(b'\n');
            if let Ok(bytes) = STANDARD.decode(text) {
                let mut plain = Vec::new();
                if flate2::read::GzDecoder::new(&bytes[..])
                    .read_to_end(&mut plain)
                    .is_ok()
                {
                    out.extend(plain);
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| unpack(value, out)),
        Value::Object(values) => {
            for (key, value) in values {
                unpack(&Value::String(key.clone()), out);
                unpack(value, out);
            }
        }
        _ => {}
    }
}

#[test]
fn no_format_has_any_of_two_hundred_identifiers() {
    let all = identifiers::identifiers(11, 7);
    let (open, about) = session(&all, false);
    // Before, every format has some: the search can find them.
    let before = told(&open, &about);
    for kind in ["slices.csv", "slices.parquet", "markdown", "html"] {
        let text = &before
            .iter()
            .find(|(name, _)| name == kind)
            .expect("written")
            .1;
        assert!(!identifiers::found_in(&all, text).is_empty(), "{kind}");
    }
    let (redacted, about) = session(&all, true);
    for (name, text) in told(&redacted, &about) {
        assert_eq!(
            identifiers::found_in(&all, &text),
            Vec::<String>::new(),
            "{name}"
        );
    }
}

#[test]
fn reports_say_how_many_words_were_kept() {
    let (redacted, about) = session(&identifiers::identifiers(11, 1), true);
    let told = told(&redacted, &about);
    let count = about.redacted.as_ref().expect("redacted").kept_count();
    assert!(count > 3);
    let sentence = format!("Kept: {count} words");
    for kind in ["markdown", "html"] {
        let text = &told
            .iter()
            .find(|(name, _)| name == kind)
            .expect("written")
            .1;
        assert!(String::from_utf8_lossy(text).contains(&sentence), "{kind}");
    }
}
