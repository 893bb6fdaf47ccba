//! The program to run: what would keep the hook from it, and its start.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command as Process, Stdio};

use crate::exit::{Exit, Failure};

/// Fails if the program is a Python that would not run the hook, or that lacks the package. Other
/// programs, such as launchers, are not checked: the hook itself says what is missing.
pub(super) fn check(program: &OsStr, rest: &[&OsString], path: &OsStr) -> Result<(), Failure> {
    if !is_python(program) {
        return Ok(());
    }
    if let Some(option) = isolating_option(rest) {
        let message = format!("{option} makes Python ignore PYTHONPATH, by which it is captured");
        return Err(Failure::new(Exit::Usage, message).hint("leave it out, or capture in the code"));
    }
    let probe = Process::new(program)
        .args(["-c", "import stepscope"])
        .env("PYTHONPATH", path)
        .stdin(Stdio::null())
        .output();
    match probe {
        Err(error) => Err(unstartable(program, &error)),
        Ok(answer) if answer.status.success() => Ok(()),
        Ok(_) => {
            let name = program.to_string_lossy();
            let message = format!("{name} has no stepscope package, so it cannot be captured");
            Err(Failure::new(Exit::Usage, message).hint(format!("{name} -m pip install stepscope")))
        }
    }
}

/// Whether the program is called `python`, `python3`, or `python3.12`.
fn is_python(program: &OsStr) -> bool {
    let name = Path::new(program).file_name().and_then(OsStr::to_str);
    let version = name.and_then(|name| name.strip_prefix("python"));
    version.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

/// The option of Python that turns the hook off: -I, -E or -S, alone or among others.
fn isolating_option<'a>(rest: &[&'a OsString]) -> Option<&'a str> {
    let mut words = rest.iter().map_while(|word| word.to_str());
    while let Some(word) = words.next() {
        let letters = word.strip_prefix('-').filter(|rest| !rest.is_empty())?;
        if letters.starts_with('-') {
            continue;
        }
        // What follows -c and -m is not for Python; what follows -W and -X is theirs.
        let end = letters.find(['c', 'm', 'W', 'X']).unwrap_or(letters.len());
        if letters[..end].contains(['I', 'E', 'S']) {
            return Some(word);
        }
        match letters[end..].chars().next() {
            Some('c' | 'm') => return None,
            Some(_) if letters.len() == end + 1 => _ = words.next(),
            _ => {}
        }
    }
    None
}

/// Starts the program in place of this one.
pub(super) fn replace(
    program: &OsStr,
    rest: &[&OsString],
    path: &OsStr,
    request: &str,
) -> Result<Exit, Failure> {
    let mut process = Process::new(program);
    process
        .args(rest)
        .env("PYTHONPATH", path)
        .env("STEPSCOPE_RUN", request);
    start(&mut process).map_err(|error| unstartable(program, &error))
}

fn unstartable(program: &OsStr, error: &std::io::Error) -> Failure {
    let message = format!("cannot run {} ({error})", program.to_string_lossy());
    Failure::new(Exit::Usage, message).hint("give a program on the PATH, or its path")
}

#[cfg(unix)]
fn start(process: &mut Process) -> std::io::Result<Exit> {
    use std::os::unix::process::CommandExt as _;
    Err(process.exec())
}

#[cfg(not(unix))]
fn start(process: &mut Process) -> std::io::Result<Exit> {
    let status = process.status()?;
    std::process::exit(status.code().unwrap_or(Exit::Failure as i32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pythons_are_known_by_their_names() {
        for name in ["python", "python3", "/usr/bin/python3.12"] {
            assert!(is_python(OsStr::new(name)), "{name}");
        }
        for name in ["torchrun", "python-config", "pythonw.sh", "train.py"] {
            assert!(!is_python(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn options_that_turn_the_hook_off_are_found() {
        let found = |words: &str| {
            let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
            let words: Vec<&OsString> = words.iter().collect();
            isolating_option(&words).map(str::to_owned)
        };
        assert_eq!(found("-I train.py").as_deref(), Some("-I"));
        assert_eq!(found("-u -X dev -BE train.py").as_deref(), Some("-BE"));
        for words in [
            "train.py -I",
            "-m train -S",
            "-u train.py",
            "-c 1 -E",
            "-XE t.py",
            "-",
        ] {
            assert_eq!(found(words), None, "{words}");
        }
    }
}
