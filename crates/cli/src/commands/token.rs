//! The token of a server, from the arguments and the environment.
//!
//! It is never an argument itself: all users of a machine can read the command lines of its
//! processes.

use std::ffi::OsString;
use std::path::Path;

use clap::ArgMatches;
use stepscope_server::Token;

use crate::exit::{Exit, Failure};

/// The variable that holds a token.
pub(crate) const VARIABLE: &str = "STEPSCOPE_TOKEN";

/// The longest token read from a file, in bytes: anything longer is another file.
const MOST_BYTES: u64 = 4096;

/// The token that the arguments and the environment ask for.
pub(crate) fn chosen(arguments: &ArgMatches) -> Result<Token, Failure> {
    if arguments.contains_id("token") {
        let message = "--token is not accepted: other users can read command lines";
        return Err(Failure::new(Exit::Usage, message).hint(format!(
            "set {VARIABLE} in the environment, or name a file that holds the token with --token-file"
        )));
    }
    if arguments.get_flag("no-token") {
        return Ok(Token::Off);
    }
    if let Some(path) = arguments.get_one::<std::path::PathBuf>("token-file") {
        return of_file(path).map(Token::Given);
    }
    of_variable(std::env::var_os(VARIABLE))
}

fn of_variable(value: Option<OsString>) -> Result<Token, Failure> {
    match value.map(OsString::into_string) {
        None => Ok(Token::Random),
        Some(Ok(token)) if token.is_empty() => Ok(Token::Random),
        Some(Ok(token)) => checked(token, VARIABLE).map(Token::Given),
        Some(Err(_)) => Err(unusable(VARIABLE, "is not UTF-8")),
    }
}

fn of_file(path: &Path) -> Result<String, Failure> {
    let place = format!("the token file {}", path.display());
    let bytes = std::fs::metadata(path).and_then(|about| {
        if about.len() > MOST_BYTES {
            return Err(std::io::Error::other("it is too long for a token"));
        }
        std::fs::read(path)
    });
    let bytes = bytes.map_err(|error| {
        Failure::new(Exit::Usage, format!("cannot read {place}: {error}"))
            .hint("write the token into it, readable only for you (chmod 600)")
    })?;
    let text = String::from_utf8(bytes).map_err(|_| unusable(&place, "is not UTF-8"))?;
    checked(text.trim_end_matches(['\r', '\n']).to_owned(), &place)
}

fn checked(token: String, place: &str) -> Result<String, Failure> {
    match token {
        token if token.is_empty() => Err(unusable(place, "is empty")),
        token if token.contains(char::is_control) => Err(unusable(place, "has control characters")),
        token => Ok(token),
    }
}

fn unusable(place: &str, why: &str) -> Failure {
    Failure::new(Exit::Usage, format!("the token in {place} {why}"))
        .hint("use letters and digits, for example those of `openssl rand -hex 16`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_variables_are_checked() {
        let of = |text: &str| of_variable(Some(text.into())).ok();
        assert_eq!(of_variable(None).ok(), Some(Token::Random));
        assert_eq!(of(""), Some(Token::Random));
        assert_eq!(of("a b"), Some(Token::Given("a b".to_owned())));
        assert_eq!(of("a\nb"), None);
    }

    #[test]
    fn tokens_of_files_end_with_their_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("token");
        let read = |text: &str| {
            std::fs::write(&path, text).expect("written");
            of_file(&path).ok()
        };
        assert_eq!(read("5ecre7\r\n").as_deref(), Some("5ecre7"));
        assert_eq!(read("\n"), None);
        assert_eq!(read("a\nb"), None);
        assert_eq!(read(&"x".repeat(5000)), None);
        assert!(of_file(&folder.path().join("nothing")).is_err());
    }
}
