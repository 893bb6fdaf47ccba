//! `--html`, `--markdown`, `--csv` and `--parquet`: reports to share, and `--redact`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, value_parser};
use stepscope_analysis::AnalysisError;
use stepscope_analysis::telling::format as figures;
use stepscope_export::markdown::markdown;
use stepscope_export::tables::{FileWriter, MANIFEST};
use stepscope_export::{About, ExportError, Folder, Format, write_tables};
use stepscope_model::Session;
use stepscope_server::share::{self, RedactedSession};

use crate::args;
use crate::exit::{Exit, Failure};
use crate::file;
use crate::output::Output;

/// Options that name something to write.
pub(crate) const OPTIONS: [&str; 4] = ["html", "markdown", "csv", "parquet"];

const FORMATS: &str = "Formats";
const REPORTS: &str = "Reports";

/// The arguments that reports add to the command.
pub(crate) fn arguments() -> Vec<Arg> {
    let place = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name(value)
            .value_parser(value_parser!(PathBuf))
            .help_heading(FORMATS)
            .help(help)
    };
    vec![
        place(
            "html",
            "FILE",
            "The pages and their answers as one HTML file that needs no server or network",
        ),
        place(
            "markdown",
            "FILE",
            "A Markdown page for an issue or pull request; `-` prints it",
        ),
        place(
            "csv",
            "DIR",
            "Every table and slice as CSV, described in tables.json",
        ),
        place(
            "parquet",
            "DIR",
            "Every table and slice as Parquet, for DuckDB, pandas, and Polars",
        ),
        Arg::new("max-size")
            .long("max-size")
            .value_name("SIZE")
            .value_parser(args::parse_size)
            .help_heading(REPORTS)
            .help(
                "Maximum size of the HTML, such as 5M; the least needed parts are left out \
                [default: 15M]",
            ),
        Arg::new("redact")
            .long("redact")
            .action(ArgAction::SetTrue)
            .help_heading(REPORTS)
            .help("Redact names, paths, and sources, in every format"),
        Arg::new("redact-key")
            .long("redact-key")
            .value_name("TEXT")
            .requires("redact")
            .help_heading(REPORTS)
            .help(
                "Key for --redact: reports with the same key have the same names [default: \
                random]",
            ),
        Arg::new("redact-words")
            .long("redact-words")
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
            .requires("redact")
            .help_heading(REPORTS)
            .help("Write the words that --redact kept to a file instead of standard error"),
    ]
}

/// The redacted session and what was redacted, if requested.
pub(crate) fn redacted(
    session: &Session,
    arguments: &ArgMatches,
) -> Result<Option<RedactedSession>, Failure> {
    if !arguments.get_flag("redact") {
        return Ok(None);
    }
    let key = arguments.get_one::<String>("redact-key");
    redacted_with(session, key.map(String::as_str)).map(Some)
}

/// The redacted session, with this key or a random one.
pub(crate) fn redacted_with(
    session: &Session,
    key: Option<&str>,
) -> Result<RedactedSession, Failure> {
    let redacted = share::redacted(session, key);
    AnalysisError::if_changed(session)?;
    redacted.map_err(|error| Failure::new(Exit::Failure, format!("cannot redact names: {error}")))
}

/// Writes every requested report.
pub(crate) fn run(
    session: &Session,
    about: &About,
    options: &[(String, String)],
    arguments: &ArgMatches,
    output: &Output,
) -> Result<(), Failure> {
    if let Some(redacted) = &about.redacted {
        output.remark(&redacted.sentence());
    }
    let most_bytes = arguments.get_one::<u64>("max-size").copied();
    for option in OPTIONS {
        let Some(path) = arguments.get_one::<PathBuf>(option) else {
            continue;
        };
        if option == "markdown" && path.as_os_str() == "-" {
            output.data(&markdown(session, about, options)?)?;
            continue;
        }
        let said = write(option, session, about, options, path, most_bytes)?;
        output.remark(&format!("{}: {}", path.display(), said.sentence));
        for line in &said.left_out {
            output.note("left out", line);
        }
    }
    Ok(())
}

/// Lists the words that redaction kept, so that a person can read them before sending: on standard
/// error, or in the file that `--redact-words` names.
pub(crate) fn say_kept(
    about: &About,
    arguments: &ArgMatches,
    output: &Output,
) -> Result<(), Failure> {
    let Some(redacted) = &about.redacted else {
        return Ok(());
    };
    let lines = redacted.kept_lines();
    match arguments.get_one::<PathBuf>("redact-words") {
        Some(path) => {
            let text = lines.join("\n") + "\n";
            file::write(path, |out| out.write_all(text.as_bytes()))?;
            output.remark(&format!("{}: the words that were kept", path.display()));
        }
        None if !lines.is_empty() => {
            output.remark("Kept, to be read before sending:");
            for line in &lines {
                output.remark(&format!("  {line}"));
            }
        }
        None => {}
    }
    Ok(())
}

/// What to print about a report that was written.
pub(crate) struct Said {
    /// Size and content.
    pub(crate) sentence: String,
    /// What did not fit.
    pub(crate) left_out: Vec<String>,
    /// Bytes of all files.
    pub(crate) bytes: u64,
}

/// Writes one report, by the name of its option.
pub(crate) fn write(
    option: &str,
    session: &Session,
    about: &About,
    options: &[(String, String)],
    path: &Path,
    most_bytes: Option<u64>,
) -> Result<Said, Failure> {
    match option {
        "html" => write_html(session, about, options, path, most_bytes),
        "markdown" => {
            let page = markdown(session, about, options)?;
            let ((), bytes) = file::write(path, |out| out.write_all(page.as_bytes()))?;
            Ok(Said {
                sentence: figures::bytes(bytes as f64),
                left_out: Vec::new(),
                bytes,
            })
        }
        "csv" => write_folder(session, about, options, path, Format::Csv),
        "parquet" => write_folder(session, about, options, path, Format::Parquet),
        _ => Err(Failure::new(
            Exit::Usage,
            format!("unknown format {option:?}"),
        )),
    }
}

fn write_html(
    session: &Session,
    about: &About,
    options: &[(String, String)],
    path: &Path,
    most_bytes: Option<u64>,
) -> Result<Said, Failure> {
    let report = share::html(session, about, options, most_bytes)?;
    let ((), bytes) = file::write(path, |out| out.write_all(report.text.as_bytes()))?;
    Ok(Said {
        sentence: figures::bytes(bytes as f64),
        left_out: report.left_out,
        bytes,
    })
}

fn write_folder(
    session: &Session,
    about: &About,
    options: &[(String, String)],
    path: &Path,
    format: Format,
) -> Result<Said, Failure> {
    let mut folder = OwnFolder::at(path)?;
    let manifest = write_tables(session, about, options, format, &mut folder);
    let manifest = manifest.map_err(|error| match folder.failure.take() {
        Some(failure) => failure,
        None => error.into(),
    })?;
    let slices = manifest.tables.iter().find(|table| table.name == "slices");
    let mut sentence = format!(
        "{}, {}",
        figures::bytes(folder.bytes as f64),
        figures::counted(manifest.tables.len(), "table")
    );
    if let Some(slices) = slices {
        let count = figures::counted(slices.rows, "slice");
        sentence = format!("{sentence}, {count}");
    }
    let empty = manifest.left_out.len();
    if empty > 0 {
        let count = figures::counted(empty, "table");
        sentence = format!("{sentence}; {count} without rows, see {MANIFEST}");
    }
    Ok(Said {
        sentence,
        left_out: Vec::new(),
        bytes: folder.bytes,
    })
}

/// A folder of ours: new, empty, or from an earlier export, whose tables are removed.
struct OwnFolder<'a> {
    path: &'a Path,
    bytes: u64,
    /// Why a file was not written.
    failure: Option<Failure>,
}

impl<'a> OwnFolder<'a> {
    fn at(path: &'a Path) -> Result<Self, Failure> {
        let failed = |error: &io::Error| {
            let message = format!("cannot write ({error}): {}", path.display());
            Failure::new(Exit::Failure, message)
        };
        fs::create_dir_all(path).map_err(|error| failed(&error))?;
        remove_earlier(path).map_err(|error| failed(&error))?;
        let mut rest = fs::read_dir(path).map_err(|error| failed(&error))?;
        if rest.next().is_some() {
            let message = format!("{} holds other files", path.display());
            return Err(Failure::new(Exit::Failure, message)
                .hint("give a new folder, or one written by an earlier export"));
        }
        Ok(Self {
            path,
            bytes: 0,
            failure: None,
        })
    }
}

impl Folder for OwnFolder<'_> {
    fn file(&mut self, name: &str, write: &mut FileWriter<'_>) -> io::Result<()> {
        let written = file::write(&self.path.join(name), write);
        match written {
            Ok(((), bytes)) => {
                self.bytes += bytes;
                Ok(())
            }
            Err(failure) => {
                let error = io::Error::other(failure.to_string());
                self.failure = Some(failure);
                Err(error)
            }
        }
    }
}

/// No manifest of an export is larger.
const MAX_MANIFEST_BYTES: u64 = 64 << 20;

/// Removes the files that the manifest of an earlier export names, and the manifest.
fn remove_earlier(folder: &Path) -> io::Result<()> {
    let manifest = folder.join(MANIFEST);
    let Ok(text) = stepscope_storage::read_bytes(&manifest, MAX_MANIFEST_BYTES) else {
        return Ok(());
    };
    let earlier: serde_json::Value = serde_json::from_slice(&text).unwrap_or_default();
    let tables = earlier["tables"].as_array().into_iter().flatten();
    for name in tables.filter_map(|table| table["file"].as_str()) {
        // Plain names only: nothing outside this folder is ours.
        let is_plain = Path::new(name).file_name().is_some_and(|last| last == name);
        let is_table = Path::new(name)
            .extension()
            .is_some_and(|end| end == "csv" || end == "parquet");
        if is_plain && is_table {
            match fs::remove_file(folder.join(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
    }
    fs::remove_file(manifest)
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Analysis(error) => error.into(),
            ExportError::Io(error) => error.into(),
            ExportError::NoPage => Self::new(Exit::Failure, error.to_string())
                .hint("build without STEPSCOPE_NO_UI=1, with Node.js 20.19 or newer"),
            ExportError::TooSmall { .. } => Self::new(Exit::Failure, error.to_string())
                .hint("increase --max-size, or select less with --steps or --device"),
            error => Self::new(Exit::Failure, error.to_string()),
        }
    }
}
