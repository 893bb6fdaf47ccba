//! What nobody but the owner may see of a URL: passwords and signatures. Whoever reads one of these
//! in a message, a log or a list can use it.

use std::borrow::Cow;

use crate::percent::percent_decoded;

/// What stands in the place of what is hidden.
const HIDDEN: &str = "(hidden)";

/// Names of parameters that grant access, whole.
const NAMES: [&str; 8] = [
    "sig",
    "key",
    "auth",
    "authorization",
    "pwd",
    "googleaccessid",
    "awsaccesskeyid",
    "jwt",
];

/// Parts of such names.
const PARTS: [&str; 8] = [
    "signature",
    "token",
    "secret",
    "passw",
    "credential",
    "apikey",
    "api_key",
    "api-key",
];

/// A text without the passwords and signatures of the URLs in it: `user:password@` before a host,
/// and parameters such as `X-Amz-Signature=…`, `sig=…` and `token=…`. Every text about a place
/// passes this before people or programs see it.
pub fn hide_credentials(text: &str) -> Cow<'_, str> {
    if !text.contains(":/") && !text.contains("//") && !text.contains(['?', '&']) {
        return Cow::Borrowed(text);
    }
    let hidden = without_parameters(&without_users(text));
    if hidden == text {
        return Cow::Borrowed(text);
    }
    Cow::Owned(hidden)
}

fn without_users(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    // Paths lose one of the two slashes in some places, and what was mistyped is shown in errors:
    // `https:=//me:password@host`.
    let start = |rest: &str| [":/", "//"].iter().filter_map(|mark| rest.find(mark)).min();
    while let Some(at) = start(rest) {
        let (scheme, after) = rest.split_at(at);
        let behind = after.trim_start_matches(':').trim_start_matches('/');
        let (colon, after) = after.split_at(after.len() - behind.len());
        // A text that begins with a URL is taken for one: its password may have spaces.
        let is_alone = shown.is_empty() && is_scheme(scheme);
        let ends = |c: char| "/?#".contains(c) || (!is_alone && c.is_whitespace());
        let end = after.find(ends).unwrap_or(after.len());
        // The colon at its end may be that of another URL.
        let is_followed = after[..end].ends_with(':') && after[end..].starts_with('/');
        let (authority, behind) = after.split_at(end - usize::from(is_followed));
        shown.push_str(scheme);
        let before = shown.len();
        shown.push_str(colon);
        match authority.rsplit_once('@') {
            Some((user, host)) if is_secret(&shown[..before], user) => {
                shown.extend([HIDDEN, "@", host]);
            }
            _ => shown.push_str(authority),
        }
        rest = behind;
    }
    shown.push_str(rest);
    shown
}

/// Whether a text is the scheme of a URL as those who read URLs see it: control characters and spaces
/// before it do not count, and neither do tabs and line breaks within it.
fn is_scheme(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| c <= ' ');
    let is_part = |c: char| c.is_ascii_alphanumeric() || "+-.\t\r\n".contains(c);
    text.chars().all(is_part)
}

/// Whether what stands before a host opens it. A user of ssh and a container of Azure do not; a
/// user alone may be a token for web servers.
fn is_secret(before: &str, user: &str) -> bool {
    user.contains(':')
        || ["http", "https"]
            .iter()
            .any(|scheme| before.ends_with(scheme))
}

fn without_parameters(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['?', '&', ';']) {
        let (before, after) = rest.split_at(at + 1);
        shown.push_str(before);
        rest = after;
        let ends = |c: char| "=?&;#'\"<>".contains(c) || c.is_whitespace();
        let name = &after[..after.find(ends).unwrap_or(after.len())];
        let Some(value) = after[name.len()..].strip_prefix('=') else {
            continue;
        };
        let ends = |c: char| "&;#'\"<>".contains(c) || c.is_whitespace();
        // Quotes may stand around it, or be its beginning.
        let bare = value.trim_start_matches(['\'', '"', '<', '>']);
        let quotes = &value[..value.len() - bare.len()];
        let value = &bare[..bare.find(ends).unwrap_or(bare.len())];
        // The URL may stand in parentheses.
        let value = value.trim_end_matches(')');
        let is_hidden = value == HIDDEN.trim_end_matches(')');
        // Messages that explain a parameter write it with dots.
        let is_value = !value.is_empty() && !value.starts_with('…') && !is_hidden;
        if is_value && grants_access(name) {
            shown.extend([name, "=", quotes, HIDDEN]);
            rest = &after[name.len() + 1 + quotes.len() + value.len()..];
        }
    }
    shown.push_str(rest);
    shown
}

fn grants_access(name: &str) -> bool {
    let name = percent_decoded(name).to_ascii_lowercase();
    NAMES.contains(&name.as_str()) || PARTS.iter().any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_and_signatures_are_hidden() {
        for (text, shown) in [
            ("https://me:pa55@host/x", "https://(hidden)@host/x"),
            ("https://ghp_pa55@host/x", "https://(hidden)@host/x"),
            ("https://me:pa@55@host:8000", "https://(hidden)@host:8000"),
            ("https:/me:pa55@host/x", "https:/(hidden)@host/x"),
            ("https://me:pa 55@host/x", "https://(hidden)@host/x"),
            ("\0 abfss+x.y://me:pa 55@h", "\0 abfss+x.y://(hidden)@h"),
            ("ht\ntps://me:pa 55@h", "ht\ntps://(hidden)@h"),
            (
                "https://a:https://me:pa55@h/x",
                "https://a:https://(hidden)@h/x",
            ),
            ("ssh://me:pa55@vm/logs", "ssh://(hidden)@vm/logs"),
            (
                "not found: https://h/k?X-Amz-Date=1&X-Amz-Signature=5ecre7&x=2",
                "not found: https://h/k?X-Amz-Date=1&X-Amz-Signature=(hidden)&x=2",
            ),
            (
                "https://h/k?sv=2&sig=5e%2Fcre7%3D#top",
                "https://h/k?sv=2&sig=(hidden)#top",
            ),
            ("(https://h/?token=5ecre7)", "(https://h/?token=(hidden))"),
            (
                "https://h/?token=5)cre7&a=b",
                "https://h/?token=(hidden)&a=b",
            ),
            (
                "https://h/?ToKeN=5ecre7 next",
                "https://h/?ToKeN=(hidden) next",
            ),
            ("https://h/?%74oken=5ecre7", "https://h/?%74oken=(hidden)"),
            (
                "https://h/?a=1;password=5ecre7",
                "https://h/?a=1;password=(hidden)",
            ),
            (
                "https://h/?token=\"5ecre7\" next",
                "https://h/?token=\"(hidden)\" next",
            ),
            ("https://h/?sig=<5ecre7", "https://h/?sig=<(hidden)"),
            ("https:=//me:pa55@host/x", "https:=//(hidden)@host/x"),
            (
                "http://u:p@a/ and http://v:q@b/?key=z",
                "http://(hidden)@a/ and http://(hidden)@b/?key=(hidden)",
            ),
        ] {
            assert_eq!(hide_credentials(text), shown);
            assert_eq!(hide_credentials(shown), shown, "hidden once");
        }
    }

    #[test]
    fn everything_else_stays() {
        for text in [
            "",
            "/data/logs/run?1",
            "ssh://me@vm/logs",
            "abfss://box@acc.dfs.core.windows.net/a",
            "gs://lab/runs/today",
            "https://host/a@b/c?design=1&monkey=2",
            "the full URL, with ?token=…, that the server printed",
            "me@host: what? & why; a=b",
            "größe://ä?ö=ü&sig=",
        ] {
            assert!(matches!(hide_credentials(text), Cow::Borrowed(_)), "{text}");
        }
    }
}
