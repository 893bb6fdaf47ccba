//! The only file that prints. Data goes to standard output, everything else to standard error. (What
//! `--output -` and exports to `-` write is a file, and goes through `file.rs`.)

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use clap::ArgMatches;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use stepscope_storage::hide_credentials;

use crate::exit::{Exit, Failure};
use crate::file;
use crate::format::{self, Charset};
use crate::pasted::Pasted;

const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();
const HINT: Style = AnsiColor::Cyan.on_default().bold();
const FAINT: Style = Style::new().dimmed();

/// Columns if the width is unknown.
const DEFAULT_WIDTH: usize = 120;
/// Files smaller than this open faster than a bar can be read.
const WORTH_A_BAR_BYTES: u64 = 32 << 20;

/// How much is printed besides the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Loudness {
    /// Warnings and errors.
    Quiet,
    /// Remarks and progress too.
    Normal,
    /// Details too.
    Verbose,
}

/// Where and how a command answers.
#[derive(Debug, Clone)]
pub(crate) struct Output {
    /// Columns of the terminal, `COLUMNS` first.
    pub(crate) width: usize,
    /// Characters for our own words.
    pub(crate) charset: Charset,
    /// Whether standard output keeps colors.
    pub(crate) is_colored: bool,
    /// What commands in our sentences have in place of PATH.
    pub(crate) pasted: Pasted,
    is_terminal: bool,
    loudness: Loudness,
    file: Option<PathBuf>,
}

impl Output {
    /// From the common arguments. Does not query the terminal if there is none.
    pub(crate) fn new(arguments: &ArgMatches) -> Self {
        let choice = match arguments.get_one::<String>("color").map(String::as_str) {
            Some("always") => ColorChoice::Always,
            Some("never") => ColorChoice::Never,
            _ => ColorChoice::Auto,
        };
        choice.write_global();
        let file = arguments
            .try_get_one::<PathBuf>("output")
            .ok()
            .flatten()
            .cloned();
        let is_terminal = file.is_none() && io::stdout().is_terminal();
        let is_forced = choice == ColorChoice::Always && file.is_none();
        let is_unicode = (is_terminal || is_forced) && locale_is_utf8();
        Self {
            width: width(is_terminal),
            charset: if is_unicode {
                Charset::Unicode
            } else {
                Charset::Ascii
            },
            is_colored: file.is_none() && AutoStream::choice(&io::stdout()) != ColorChoice::Never,
            pasted: Pasted::of(arguments),
            is_terminal,
            loudness: match arguments.get_count("verbose") {
                _ if arguments.get_flag("quiet") => Loudness::Quiet,
                0 => Loudness::Normal,
                _ => Loudness::Verbose,
            },
            file,
        }
    }

    /// Prints text for people; colors are removed if they are not wanted.
    pub(crate) fn text(&self, text: &str) -> Result<(), Failure> {
        if let Some(path) = &self.file {
            let plain = anstream::adapter::strip_str(text).to_string();
            return write_file(path, plain.as_bytes());
        }
        let mut stream = anstream::stdout().lock();
        stream.write_all(text.as_bytes())?;
        Ok(stream.flush()?)
    }

    /// Prints data for programs unchanged, with a final line break.
    pub(crate) fn data(&self, data: &str) -> Result<(), Failure> {
        let end = if data.ends_with('\n') { "" } else { "\n" };
        if let Some(path) = &self.file {
            return write_file(path, format!("{data}{end}").as_bytes());
        }
        let mut stream = BufWriter::with_capacity(1 << 20, io::stdout().lock());
        stream.write_all(data.as_bytes())?;
        stream.write_all(end.as_bytes())?;
        Ok(stream.flush()?)
    }

    /// Prints JSON: on one line for programs, indented for people.
    pub(crate) fn json(&self, json: &str) -> Result<(), Failure> {
        if self.is_terminal {
            self.data(&indented(json))
        } else {
            self.data(json)
        }
    }

    /// Prints a remark besides the answer, unless `--quiet` is given.
    pub(crate) fn remark(&self, text: &str) {
        if self.loudness > Loudness::Quiet {
            anstream::eprintln!("{FAINT}{}{FAINT:#}", self.safe(text));
        }
    }

    /// Prints the address of the pages, even if quiet: without it the command is useless.
    pub(crate) fn address(&self, url: &str) {
        let url = self.clean(url);
        anstream::eprintln!("Stepscope at {HINT}{url}{HINT:#} (Ctrl-C to stop)");
    }

    /// Prints an address to open, even if quiet.
    pub(crate) fn link(&self, what: &str, url: &str) {
        anstream::eprintln!("{what}: {HINT}{}{HINT:#}", self.clean(url));
    }

    /// Prints a warning with a hint, even if quiet.
    pub(crate) fn warn(&self, text: &str, hint: &str) {
        anstream::eprintln!("{WARNING}warning:{WARNING:#} {}", self.safe(text));
        self.hint(hint);
    }

    /// Prints a detail, only with `-v`.
    pub(crate) fn detail(&self, text: &str, hint: &str) {
        if self.loudness == Loudness::Verbose {
            self.note("note", text);
            self.hint(hint);
        }
    }

    /// A remark that starts with a word for its type, such as `joined`.
    pub(crate) fn note(&self, word: &str, text: &str) {
        if self.loudness > Loudness::Quiet {
            anstream::eprintln!("{HINT}{word}:{HINT:#} {}", self.safe(text));
        }
    }

    fn hint(&self, hint: &str) {
        if !hint.is_empty() {
            // Lines of Python, on one line.
            let hint = format::bare(hint).replace('\n', "; ");
            anstream::eprintln!("{HINT}hint:{HINT:#} {}", self.safe(&hint));
        }
    }

    /// The same without credentials of URLs, for everything but addresses to open.
    fn safe(&self, text: &str) -> String {
        self.clean(&hide_credentials(&self.pasted.sentence(text)))
    }

    fn clean(&self, text: &str) -> String {
        self.charset.text(&format::one_line(text))
    }

    /// A bar for `total` bytes on standard error; hidden if that is not a terminal or the work is
    /// soon done.
    pub(crate) fn progress(&self, total: u64, what: &str) -> ProgressBar {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        if self.loudness == Loudness::Quiet
            || total < WORTH_A_BAR_BYTES
            || !io::stderr().is_terminal()
        {
            return bar;
        }
        let template = "{msg} [{bar:30}] {binary_bytes}/{binary_total_bytes} {elapsed}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message(self.clean(what));
        bar.set_draw_target(ProgressDrawTarget::stderr());
        bar
    }
}

impl Output {
    /// The container for several bars at the same time; none if standard error is not a terminal.
    pub(crate) fn bars(&self) -> Option<MultiProgress> {
        let is_watched = self.loudness > Loudness::Quiet && io::stderr().is_terminal();
        is_watched.then(MultiProgress::new)
    }

    /// One of several bars, of a thousand steps, with its text after it.
    pub(crate) fn bar(&self, group: &MultiProgress, name: &str) -> ProgressBar {
        let bar = group.add(ProgressBar::new(1000));
        if let Ok(style) = ProgressStyle::with_template("{prefix} [{bar:24}] {msg}") {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_prefix(self.clean(name));
        bar
    }
}

/// Prints why a command failed, and returns the exit code.
pub(crate) fn failure(output: &Output, failure: &Failure) -> Exit {
    match failure {
        Failure::BrokenPipe => Exit::Fine,
        Failure::Told {
            exit,
            message,
            hint,
        } => {
            anstream::eprintln!(
                "{ERROR}error:{ERROR:#} {}",
                output.charset.text(&hide_credentials(message))
            );
            output.hint(hint);
            *exit
        }
    }
}

/// Prints clap's help, version, or error.
pub(crate) fn usage(error: &clap::Error) -> Exit {
    let exit = if error.use_stderr() {
        Exit::Usage
    } else {
        Exit::Fine
    };
    // A reader that closed the pipe has seen enough of the help.
    let _ = error.print();
    exit
}

/// Sends tracing output to standard error, in color where our own text there has some; `level` is the number
/// of `-v`. Follows [`Output::new`], which chooses whether there are colors.
pub(crate) fn start_tracing(level: u8) {
    use tracing_subscriber::filter::LevelFilter;
    let level = match level {
        0 => return,
        1 => LevelFilter::INFO,
        2 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    // Fails if the process already has a subscriber, like a second run in one Python process.
    let _ = tracing_subscriber::fmt()
        .with_writer(io::stderr)
        .with_ansi(AutoStream::choice(&io::stderr()) != ColorChoice::Never)
        .with_max_level(level)
        .try_init();
}

/// Writes the answer to a file, whole or not at all.
fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    file::write(path, |out| out.write_all(bytes))?;
    Ok(())
}

fn width(is_terminal: bool) -> usize {
    let given = std::env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.trim().parse().ok());
    let asked = || {
        let size = if is_terminal {
            terminal_size::terminal_size()
        } else {
            None
        };
        size.map(|(columns, _)| usize::from(columns.0))
    };
    given
        .or_else(asked)
        .filter(|&columns| columns > 0)
        .unwrap_or(DEFAULT_WIDTH)
}

/// Whether the locale's character set is UTF-8, from the variables in the order of precedence that
/// POSIX defines.
fn locale_is_utf8() -> bool {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"];
    let locale = names
        .iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|v| !v.is_empty());
    match locale {
        Some(locale) => locale
            .to_ascii_lowercase()
            .replace('-', "")
            .contains("utf8"),
        None => !cfg!(target_os = "linux"),
    }
}

/// JSON text with line breaks and indentation; the order of keys stays the same.
fn indented(json: &str) -> String {
    let mut text = String::with_capacity(json.len() * 2);
    let mut depth = 0usize;
    let mut is_string = false;
    let mut is_escaped = false;
    let mut rest = json.chars().peekable();
    while let Some(character) = rest.next() {
        if is_string {
            text.push(character);
            is_string = is_escaped || character != '"';
            is_escaped = character == '\\' && !is_escaped;
            continue;
        }
        let is_empty = matches!(
            (character, rest.peek()),
            ('[', Some(']')) | ('{', Some('}'))
        );
        match character {
            '[' | '{' if is_empty => {
                text.push(character);
                text.extend(rest.next());
            }
            '[' | '{' => {
                depth += 1;
                text.push(character);
                new_line(&mut text, depth);
            }
            ']' | '}' => {
                depth = depth.saturating_sub(1);
                new_line(&mut text, depth);
                text.push(character);
            }
            ',' => {
                text.push(',');
                new_line(&mut text, depth);
            }
            ':' => text.push_str(": "),
            _ => {
                is_string = character == '"';
                text.push(character);
            }
        }
    }
    text
}

fn new_line(text: &mut String, depth: usize) {
    text.push('\n');
    text.extend(std::iter::repeat_n("  ", depth));
}

#[cfg(test)]
mod tests {
    use super::indented;

    #[test]
    fn json_is_indented_and_its_strings_are_left_alone() {
        let json = r#"{"b":[1,2],"a":{},"s":"x:[\"{,\\"}"#;
        let expected =
            "{\n  \"b\": [\n    1,\n    2\n  ],\n  \"a\": {},\n  \"s\": \"x:[\\\"{,\\\\\"\n}";
        assert_eq!(indented(json), expected);
    }
}
