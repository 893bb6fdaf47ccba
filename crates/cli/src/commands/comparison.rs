//! Questions about several sessions: which ones the arguments name, and the answer, as for
//! analyses.
//!
//! ```text
//! stepscope compare LOGS                     latest~1, latest
//! stepscope compare LOGS LOGS@latest~3       latest, latest~3
//! stepscope compare LOGS latest~3 latest     sessions of the first path, as Git names commits
//! stepscope compare OLD NEW NEWER            the newest session of each
//! stepscope compare LOGS --scope a,b         two parts of the newest session
//! stepscope scaling LOGS results_1gpu.json   every session of LOGS, and a benchmark file
//! ```

use std::path::{Path, PathBuf};

use clap::ArgMatches;
use stepscope_analysis::asking::{Asks, NamedText};
use stepscope_analysis::{Compared, ComparisonEntry};
use stepscope_model::{Reads, Session};
use stepscope_remote::is_url;
use stepscope_storage::{Found, SessionFiles, TextBeside, benchmarks_at, shown};

use super::analysis;
use super::one_by_one::OneByOne;
use crate::exit::{Exit, Failure};
use crate::open;
use crate::output::Output;

/// A session that the arguments name.
pub(super) struct Chosen {
    pub(super) files: SessionFiles,
    pub(super) location: String,
}

/// Runs the comparison and prints its report.
pub(crate) fn run(
    entry: &ComparisonEntry,
    arguments: &ArgMatches,
    output: &Output,
) -> Result<Exit, Failure> {
    let (chosen, files) = match entry.asks {
        Asks::NewestSession => (choose(entry, arguments, output)?, Vec::new()),
        Asks::EverySession => all(entry, arguments, output)?,
    };
    let places = chosen.iter();
    let names = entry.names(places.map(|one| (one.files.name.as_str(), one.location.as_str())));
    if entry.asks_each() {
        let mut asked = OneByOne {
            sessions: names
                .iter()
                .map(String::as_str)
                .zip(chosen.iter().map(|one| &one.files))
                .collect(),
            output,
        };
        let answer = entry.run_matches_each(&mut asked, files, arguments)?;
        return analysis::print_answer(entry.name, &answer, &[], arguments, output);
    }
    let sessions = opened(&chosen, output)?;
    let compared: Vec<Compared<'_>> = names
        .iter()
        .zip(&sessions)
        .map(|(name, session)| Compared { name, session })
        .collect();
    let answer = entry.run_with_files(&compared, files, arguments)?;
    analysis::print_answer(entry.name, &answer, &sessions, arguments, output)
}

impl Chosen {
    pub(super) fn is(&self, other: &Self) -> bool {
        self.files.files().eq(other.files.files())
    }
}

/// Opens each session once.
pub(super) fn opened(chosen: &[Chosen], output: &Output) -> Result<Vec<&'static Session>, Failure> {
    let mut sessions: Vec<&'static Session> = Vec::with_capacity(chosen.len());
    for (position, one) in chosen.iter().enumerate() {
        let earlier = chosen[..position].iter().position(|known| known.is(one));
        sessions.push(match earlier {
            Some(earlier) => sessions[earlier],
            None => open::open(&one.files, Reads::Everything, output)?,
        });
    }
    Ok(sessions)
}

/// Every session of the paths, each once, and files that are not sessions.
fn all(
    entry: &ComparisonEntry,
    arguments: &ArgMatches,
    output: &Output,
) -> Result<(Vec<Chosen>, Vec<NamedText>), Failure> {
    let given = |name: &str| arguments.get_many::<String>(name).into_iter().flatten();
    let (mut chosen, mut files): (Vec<Chosen>, Vec<NamedText>) = Default::default();
    for word in given("path") {
        let (path, wanted) = path_of(word);
        let beside = if entry.takes_files {
            texts_at(&path)
        } else {
            Vec::new()
        };
        if path.is_file() && !beside.is_empty() {
            files.extend(beside);
            continue;
        }
        let found = match open::find(&path, output) {
            Ok(found) => found,
            Err(_) if !beside.is_empty() => {
                files.extend(beside);
                continue;
            }
            Err(failure) => return Err(failure),
        };
        let named: Vec<String> = wanted
            .into_iter()
            .chain(given("session").cloned())
            .collect();
        let of_path = if named.is_empty() {
            found
                .sessions
                .iter()
                .map(|files| of(&found, files))
                .collect()
        } else {
            let picked = named.iter().map(|name| pick(&found, name));
            picked.collect::<Result<Vec<Chosen>, _>>()?
        };
        for one in of_path {
            if !chosen.iter().any(|known| known.is(&one)) {
                chosen.push(one);
            }
        }
        if !beside.is_empty() {
            let listed: Vec<&str> = beside.iter().map(|file| file.name.as_str()).collect();
            output.remark(&format!(
                "benchmarks next to the sessions: {}",
                listed.join(", ")
            ));
            files.extend(beside);
        }
    }
    Ok((chosen, files))
}

/// The benchmarks at a path, or the history if the path is one.
fn texts_at(path: &Path) -> Vec<NamedText> {
    let texts = benchmarks_at(path).into_iter();
    let named = texts.map(|TextBeside { name, text }| NamedText { name, text });
    named.collect()
}

/// The sessions in the order in which they were named.
fn choose(
    entry: &ComparisonEntry,
    arguments: &ArgMatches,
    output: &Output,
) -> Result<Vec<Chosen>, Failure> {
    let given = |name: &str| arguments.get_many::<String>(name).into_iter().flatten();
    let words: Vec<&str> = given("path").map(String::as_str).collect();
    let wanted: Vec<&str> = given("session").map(String::as_str).collect();
    let Some((first, others)) = words.split_first() else {
        return Err(Failure::new(Exit::Usage, "PATH is missing"));
    };
    if !wanted.is_empty() {
        let found = open::find(Path::new(first), output)?;
        let picked = wanted.iter().map(|name| pick(&found, name));
        let mut chosen: Vec<Chosen> = picked.collect::<Result<_, _>>()?;
        for word in others {
            chosen.push(named(word, Some(&found), output)?);
        }
        return Ok(chosen);
    }
    let least = entry.least_sessions(arguments)?;
    if others.is_empty() && least > 1 && !has_suffix(first) {
        return last_of(first, least, output);
    }
    // `LOGS latest~1 latest` names sessions of LOGS; LOGS itself is not one of them.
    let root = open::find(&path_of(first).0, output)?;
    let is_root_alone = !has_suffix(first)
        && !others.is_empty()
        && others
            .iter()
            .all(|word| !is_place(&path_of(word).0) && root.pick(word).is_some());
    let words = if is_root_alone && others.len() >= least {
        others
    } else {
        &words[..]
    };
    words
        .iter()
        .map(|word| named(word, Some(&root), output))
        .collect()
}

/// The last sessions of one path, oldest first.
fn last_of(word: &str, count: usize, output: &Output) -> Result<Vec<Chosen>, Failure> {
    let found = open::find(Path::new(word), output)?;
    let chosen: Option<Vec<&SessionFiles>> = (0..count)
        .rev()
        .map(|before| found.before_newest(before))
        .collect();
    let chosen = chosen.ok_or_else(|| {
        let have = stepscope_analysis::telling::format::counted(found.sessions.len(), "session");
        Failure::new(
            Exit::Usage,
            format!("{have} at {word}, but a comparison needs {count}"),
        )
        .hint("name the others: stepscope compare BASELINE OTHER")
    })?;
    let names: Vec<String> = (0..count)
        .rev()
        .zip(&chosen)
        .map(|(before, files)| match before {
            0 => format!("{} (latest)", files.name),
            _ => format!("{} (latest~{before})", files.name),
        })
        .collect();
    output.remark(&format!("comparing {}", names.join(" with ")));
    let chosen = chosen.into_iter().map(|files| of(&found, files));
    Ok(chosen.collect())
}

/// The session that a word names: a path, `PATH@NAME`, or a session of the first path.
pub(super) fn named(word: &str, root: Option<&Found>, output: &Output) -> Result<Chosen, Failure> {
    let (path, wanted) = path_of(word);
    if !is_place(&path)
        && let Some(root) = root
    {
        if let Some(files) = root.pick(word) {
            return Ok(of(root, files));
        }
        // No path looks like this: what is missing is an older session, not a file.
        if word.starts_with("latest") {
            return Err(open::not_there(root, word));
        }
    }
    let found = open::find(&path, output)?;
    match wanted {
        Some(wanted) => pick(&found, &wanted),
        None => Ok(of(&found, open::choose(&found, None, output)?)),
    }
}

pub(super) fn pick(found: &Found, wanted: &str) -> Result<Chosen, Failure> {
    let picked = found.pick(wanted).map(|files| of(found, files));
    picked.ok_or_else(|| open::not_there(found, wanted))
}

pub(super) fn of(found: &Found, files: &SessionFiles) -> Chosen {
    Chosen {
        files: files.clone(),
        location: shown(&found.path_of(files)),
    }
}

fn has_suffix(word: &str) -> bool {
    path_of(word).1.is_some()
}

/// Splits `PATH@NAME`; a path that exists as typed keeps its `@`.
pub(super) fn path_of(word: &str) -> (PathBuf, Option<String>) {
    let whole = PathBuf::from(word);
    if whole.exists() {
        return (whole, None);
    }
    match word.rsplit_once('@') {
        Some((path, wanted)) if holds_sessions(path) && !wanted.is_empty() => {
            (PathBuf::from(path), Some(wanted.to_owned()))
        }
        _ => (whole, None),
    }
}

/// Whether the text before an `@` may contain sessions. In a URL, the first `@` may precede a host.
fn holds_sessions(path: &str) -> bool {
    match path.split_once("://") {
        Some((_, rest)) => is_url(Path::new(path)) && rest.contains('/'),
        None => Path::new(path).exists(),
    }
}

/// Whether this is a local or remote path, rather than the name of a session.
fn is_place(path: &Path) -> bool {
    is_url(path) || path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_follows_the_last_at_sign_of_a_url() {
        let split = |word: &str| {
            let (path, wanted) = path_of(word);
            (path.display().to_string(), wanted)
        };
        let with = |path: &str, name: &str| (path.to_owned(), Some(name.to_owned()));
        let whole = |path: &str| (path.to_owned(), None);
        assert_eq!(
            split("gs://lab/logs@latest~1"),
            with("gs://lab/logs", "latest~1")
        );
        assert_eq!(
            split("ssh://me@vm/logs@first"),
            with("ssh://me@vm/logs", "first")
        );
        assert_eq!(split("ssh://me@vm/logs"), whole("ssh://me@vm/logs"));
        assert_eq!(split("no/such/path@x"), whole("no/such/path@x"));
    }
}
