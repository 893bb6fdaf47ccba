//! Arbitrary text as an address: taken apart or refused, and its password is shown nowhere.

use std::path::Path;

use stepscope_capture::Address as Service;
use stepscope_remote::{Address, Scheme, hide_credentials, is_url, parse_size};
use stepscope_server::normal_prefix;
use stepscope_storage::shown;
use url::Url;

/// Parameters that grant access, as clouds and servers call them.
const PARAMETERS: [&str; 5] = [
    "sig",
    "token",
    "x-amz-signature",
    "x-goog-signature",
    "password",
];
/// Shorter secrets stand in other parts of a text by chance.
const LEAST_SECRET: usize = 4;

/// Panics if an address breaks a promise.
pub fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let texts = text.lines().take(8).chain([&*text]);
    for text in texts {
        check_hidden(text);
        check_address(text);
        check_service(text);
        check_prefix(text);
        parse_size(text);
    }
}

/// What is shown of a text has no secrets of the URL that it is, and stays as it is from then on.
fn check_hidden(text: &str) {
    let once = hide_credentials(text);
    assert_eq!(once, hide_credentials(&once), "hidden twice: {text:?}");
    assert_eq!(once, shown(Path::new(text)));
    if is_url(Path::new(text)) {
        assert_no_secrets(text, &once);
    }
}

fn check_address(text: &str) {
    match Address::parse(text) {
        Err(error) => {
            assert_no_secrets(text, &error.to_string());
            assert_no_secrets(text, &error.hint);
        }
        Ok(address) => {
            assert!(is_url(Path::new(text)));
            assert!(
                !address.place.starts_with('-'),
                "an option of ssh: {text:?}"
            );
            assert_no_secrets(text, &hide_credentials(&address.url));
            // In a bucket, what follows a question mark is a part of a name.
            if address.scheme == Scheme::Web {
                assert_no_secrets(text, &address.parts().join("/"));
                assert!(!address.place.contains('@'), "{}", address.place);
            }
            // What stands in a user's name for ssh is given to ssh as it is.
            if address.scheme != Scheme::Machine {
                assert_no_password(text, &address);
            }
        }
    }
}

/// The password is in no field that anybody may show.
fn assert_no_password(text: &str, address: &Address) {
    let fields = [&address.url, &address.place, &address.path];
    for part in password_parts(text) {
        let is_shown = fields.iter().any(|field| field.contains(part));
        assert!(!is_shown, "{text:?} is taken apart as {fields:?}");
    }
}

/// The parts of the password of a URL, as it stands in it, between spaces. Those that also stand
/// elsewhere do not count, and neither do short ones.
fn password_parts(text: &str) -> Vec<&str> {
    let has_password = Url::parse(text).is_ok_and(|url| url.password().is_some());
    let Some((scheme, after)) = text.split_once(':').filter(|_| has_password) else {
        return Vec::new();
    };
    let is_web = scheme
        .get(..4)
        .is_some_and(|name| name.eq_ignore_ascii_case("http"));
    // What follows another mark is a URL within the text, whose password ends at a space.
    if !after.starts_with(if is_web { "/" } else { "//" }) {
        return Vec::new();
    }
    let ends: &[char] = if is_web {
        &['/', '\\', '?', '#']
    } else {
        &['/', '?', '#']
    };
    // For web servers, any number of slashes counts as two.
    let after = if is_web {
        after.trim_start_matches(['/', '\\'])
    } else {
        &after[2..]
    };
    let authority = after.split(ends).next().unwrap_or_default();
    let user = authority.rsplit_once('@').map_or("", |(user, _)| user);
    let password = user.split_once(':').map_or("", |(_, password)| password);
    let parts = password.split(|c: char| c.is_whitespace() || c.is_control());
    parts.filter(|part| is_unmistakable(part, text)).collect()
}

/// Whether a secret is long enough and stands nowhere else in the text.
fn is_unmistakable(secret: &str, text: &str) -> bool {
    secret.len() >= LEAST_SECRET
        && text.matches(secret).count() == 1
        && !"(hidden)".contains(secret)
        && !secret.starts_with('…')
}

fn assert_no_secrets(text: &str, shown: &str) {
    for part in password_parts(text) {
        assert!(!shown.contains(part), "{text:?} is shown as {shown:?}");
    }
    let without_fragment = text.split('#').next().unwrap_or_default();
    let query = without_fragment
        .split_once('?')
        .map_or("", |(_, query)| query);
    for pair in query.split('&') {
        let Some((name, value)) = pair.split_once('=') else {
            continue;
        };
        // In a sentence, the URL ends at a space.
        let value = value.split(char::is_whitespace).next().unwrap_or_default();
        let is_secret = PARAMETERS.contains(&name.to_ascii_lowercase().as_str());
        if is_secret && is_unmistakable(value, text) {
            assert!(!shown.contains(value), "{text:?} is shown as {shown:?}");
        }
    }
}

/// An address of a profiler service is written as it is read.
fn check_service(text: &str) {
    if let Ok(address) = Service::parse(text) {
        let written = address.to_string();
        assert_eq!(Service::parse(&written).ok(), Some(address), "{text:?}");
    }
    let _ = Service::parse_all(&[text]);
}

/// A prefix is a path of this server, whatever was given, and has one form.
fn check_prefix(text: &str) {
    if let Some(prefix) = normal_prefix(text) {
        assert!(prefix.is_empty() || prefix.starts_with('/'), "{prefix}");
        assert!(
            !prefix.starts_with("//") && !prefix.ends_with('/'),
            "{prefix}"
        );
        assert_eq!(normal_prefix(&prefix).as_ref(), Some(&prefix));
    }
}
