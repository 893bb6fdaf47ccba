//! A text, read from left to right: known names, paths, identifiers, and then its tokens one by
//! one. What is recognized as vocabulary is kept; everything else gets a new name.

use super::identifiers::{Found, identifier, underscored_address};
use super::known::{Known, first_token, is_of_token};
use super::names::{Kind, Names};
use super::paths::{Piece, path};
use super::vocabulary::{is_digits, is_public, is_public_token, mark, parts, runs};

/// Keys whose values are private, whatever they look like.
const SECRET_KEYS: [&str; 24] = [
    "token",
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "secret",
    "apikey",
    "auth",
    "authorization",
    "bearer",
    "credential",
    "credentials",
    "cookie",
    "session",
    "sessionid",
    "user",
    "username",
    "login",
    "owner",
    "email",
    "hostname",
    "account",
    "employee",
    "customer",
];
/// Whose ids are private. Those of ops, programs, devices and the like are figures.
const ID_OWNERS: [&str; 21] = [
    "account",
    "client",
    "conversation",
    "customer",
    "employee",
    "invoice",
    "job",
    "member",
    "order",
    "owner",
    "patient",
    "payment",
    "person",
    "profile",
    "request",
    "session",
    "student",
    "subscriber",
    "tenant",
    "transaction",
    "user",
];
/// Keys whose values are numbers, however long.
const NUMBER_KEYS: [&str; 14] = [
    "size", "bytes", "n", "offset", "flops", "elements", "count", "dest", "src", "capacity",
    "address", "shm", "shared", "mem",
];
/// Digits from which a number that nothing explains identifies something.
const LONG_DIGITS: usize = 7;
/// Digits from which a number in brackets at the end is a program's fingerprint.
const FINGERPRINT_DIGITS: usize = 12;
/// Digits of the number behind a private word that are kept: of layers and of blocks.
const NUMBER_DIGITS: usize = 3;

impl Names {
    /// The text, rewritten.
    pub(super) fn scan(&mut self, kind: Kind, text: &str) -> String {
        let is_source = kind == Kind::Source || kind == Kind::Value && text.contains(".py");
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        while let Some(first) = text[at..].chars().next() {
            let (head, rest) = text.split_at(at);
            let before = head.chars().next_back();
            if may_begin_path(first, before)
                && let Some(pieces) = path(rest, is_source)
            {
                at += pieces
                    .iter()
                    .map(|piece| self.push_piece(&mut out, kind, *piece))
                    .sum::<usize>();
                continue;
            }
            if !is_of_token(first) {
                out.push(first);
                at += first.len_utf8();
                continue;
            }
            at += self.push_next(&mut out, kind, head, rest);
        }
        out
    }

    fn push_piece(&mut self, out: &mut String, kind: Kind, piece: Piece<'_>) -> usize {
        match piece {
            Piece::Kept(text) => {
                self.keep(kind, text);
                out.push_str(text);
                text.len()
            }
            Piece::Folder(text) => {
                if !text.is_empty() {
                    self.push_new(out, text);
                }
                text.len()
            }
            Piece::Words(text) => {
                let scanned = self.scan(kind, text);
                out.push_str(&scanned);
                text.len()
            }
        }
    }

    /// Writes what begins with a token; returns its length in the text.
    fn push_next(&mut self, out: &mut String, kind: Kind, head: &str, rest: &str) -> usize {
        let token = first_token(rest);
        let before = head.chars().next_back();
        if let Some((name, known)) = self.known.find(rest, token) {
            let (name, length) = (name.to_owned(), name.len());
            match known {
                Known::Host => out.push_str(&self.host_name(&name)),
                Known::Other => self.push_new(out, &name),
            }
            return length;
        }
        let address = || underscored_address(head, rest).map(|length| (length, Found::Other));
        if let Some((length, found)) = identifier(rest, before).or_else(address) {
            match found {
                Found::Host => out.push_str(&self.host_name(&rest[..length])),
                Found::Other => self.push_new(out, &rest[..length]),
            }
            return length;
        }
        if let Some((separator, value)) = secret_value(head, token, &rest[token.len()..]) {
            self.push_token(out, kind, head, token, "");
            out.push_str(separator);
            self.push_new(out, value);
            return token.len() + separator.len() + value.len();
        }
        self.push_token(out, kind, head, token, &rest[token.len()..]);
        token.len()
    }

    fn push_token(&mut self, out: &mut String, kind: Kind, head: &str, token: &str, tail: &str) {
        let has_digits = token.bytes().any(|byte| byte.is_ascii_digit());
        if is_digits(token) {
            let is_figure = token.len() < LONG_DIGITS || is_explained(kind, head, token, tail);
            if is_figure && !is_value_of_identity(head) {
                out.push_str(token);
            } else {
                self.push_new(out, token);
            }
        } else if !has_digits {
            self.push_word(out, kind, token);
        } else if is_public_token(token) {
            self.keep(kind, token);
            out.push_str(token);
        } else {
            self.push_mixed(out, kind, token);
        }
    }

    /// A private token of letters and digits: what a mark says is kept, and the number at the end
    /// of a word.
    fn push_mixed(&mut self, out: &mut String, kind: Kind, token: &str) {
        if let [word, number] = runs(token)[..] {
            let is_hex = word.bytes().all(|byte| byte.is_ascii_hexdigit());
            let is_numbered = word.len() > 2 && !is_digits(word) && number.len() <= NUMBER_DIGITS;
            if is_numbered && !is_hex {
                self.push_word(out, kind, word);
                return out.push_str(number);
            }
        }
        self.push_private(out, token);
    }

    /// A run of letters: as a whole, or by its parts if capitals divide it.
    fn push_word(&mut self, out: &mut String, kind: Kind, word: &str) {
        let parts = parts(word);
        if is_public(word) || parts.iter().all(|part| is_public(part)) || self.is_new_name(word) {
            self.keep(kind, word);
            return out.push_str(word);
        }
        // What a mark decides, it decides for the whole word.
        if parts.len() == 1 || mark(word).is_some() {
            return self.push_private(out, word);
        }
        for part in parts {
            if is_public(part) {
                self.keep(kind, part);
                out.push_str(part);
            } else {
                self.push_private(out, part);
            }
        }
    }

    fn push_private(&mut self, out: &mut String, word: &str) {
        let name = self.name_of(word);
        match mark(word) {
            Some((0, mark)) => {
                out.push_str(mark);
                out.push_str(&name);
            }
            Some((_, mark)) => {
                out.push_str(&name);
                out.push_str(mark);
            }
            None => out.push_str(&name),
        }
    }

    fn push_new(&mut self, out: &mut String, text: &str) {
        if self.is_new_name(text) {
            return out.push_str(text);
        }
        let name = self.name_of(text);
        out.push_str(&name);
    }
}

/// A path begins a word; what follows a name or a folder is in the middle of one.
const fn may_begin_path(first: char, before: Option<char>) -> bool {
    let is_free = match before {
        None => true,
        Some(before) => {
            !is_of_token(before)
                && !matches!(before, '/' | '\\' | '.' | '-' | ')' | ']' | '}' | '*')
        }
    };
    is_free && (matches!(first, '/' | '\\') || first.is_ascii_alphanumeric())
}

/// What separates a key that is private from its value, and the value.
fn secret_value<'t>(head: &str, token: &str, behind: &'t str) -> Option<(&'t str, &'t str)> {
    let lower = token.to_ascii_lowercase();
    let is_key_of = ["api_", "access_", "secret_", "private_", "api-"]
        .iter()
        .any(|before| head.to_ascii_lowercase().ends_with(before));
    let is_secret = SECRET_KEYS.contains(&lower.as_str())
        || (lower == "key" && is_key_of)
        || is_id_of_somebody(head, &lower);
    if !is_secret {
        return None;
    }
    let begin = behind.trim_start_matches(['"', '\'']);
    let sign = begin.strip_prefix(['=', ':']);
    let sign = match sign {
        Some(value) => value.trim_start_matches([' ', '"', '\'']),
        None if lower == "bearer" => begin.strip_prefix(' ')?,
        None => return None,
    };
    let is_member = |letter: char| {
        is_of_token(letter) || matches!(letter, '_' | '-' | '.' | '/' | '+' | '~' | '@' | '%')
    };
    let end = sign.find(|letter| !is_member(letter)).unwrap_or(sign.len());
    let value = &sign[..end];
    // A short number of tokens is a figure.
    let is_figure = lower == "token" && is_digits(value) && value.len() < LONG_DIGITS;
    let separator = &behind[..behind.len() - sign.len()];
    (!value.is_empty() && !is_figure).then_some((separator, value))
}

/// Whether a key in lowercase, with what stands before it, is the id of a person or of their things:
/// `user_id`, `userid`.
fn is_id_of_somebody(head: &str, key: &str) -> bool {
    let Some(owner) = key.strip_suffix("id") else {
        return false;
    };
    if !owner.is_empty() {
        return ID_OWNERS.contains(&owner);
    }
    let Some(head) = head.strip_suffix(['_', '-']) else {
        return false;
    };
    let owner = head
        .rsplit(|letter: char| !letter.is_ascii_alphanumeric())
        .next();
    owner.is_some_and(|owner| ID_OWNERS.contains(&owner.to_ascii_lowercase().as_str()))
}

/// Whether what follows is the value of such a key, which may have ended a path.
fn is_value_of_identity(head: &str) -> bool {
    let quotes = ['"', '\''];
    let before = head.trim_end_matches(quotes).trim_end_matches(' ');
    let Some(key) = before.strip_suffix(['=', ':']) else {
        return false;
    };
    let is_of_key = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    let key = key
        .trim_end_matches(quotes)
        .rsplit(|letter| !is_of_key(letter))
        .next();
    key.is_some_and(|key| is_identity(key.as_bytes()))
}

/// Whether the numbers of a stat are ids of persons or of their things, however short.
pub(super) fn is_identity(stat: &[u8]) -> bool {
    let name = String::from_utf8_lossy(stat);
    let (head, key) = name.split_at(name.rfind(['_', '-']).map_or(0, |at| at + 1));
    is_id_of_somebody(head, &key.to_ascii_lowercase())
}

/// Whether the text around a long number says that it is a size, an extent of a shape, a fraction
/// or the fingerprint of a program.
fn is_explained(kind: Kind, head: &str, digits: &str, tail: &str) -> bool {
    let is_fraction = head
        .strip_suffix('.')
        .is_some_and(|whole| whole.ends_with(|letter: char| letter.is_ascii_digit()));
    let is_program = matches!(kind, Kind::Event | Kind::Program | Kind::Value)
        && head.ends_with('(')
        && !head.contains(char::is_whitespace);
    let is_fingerprint = is_program && tail == ")" && digits.len() >= FINGERPRINT_DIGITS;
    let units = [" bytes", " B", " flops", " elements"];
    let is_amount = units.iter().any(|unit| tail.starts_with(unit));
    let key = head.trim_end_matches([' ', '"', '\'']);
    let key = key.strip_suffix([':', '=']).unwrap_or_default();
    let key = key.trim_end_matches(['"', '\'']);
    let key = key
        .rsplit(|letter: char| !letter.is_ascii_alphabetic())
        .next();
    let is_value = key.is_some_and(|key| NUMBER_KEYS.contains(&key.to_ascii_lowercase().as_str()));
    // `tf_XLAEigen/-4744940095304596195`: threads are numbered, and sorted by that.
    let is_thread = kind == Kind::Track
        && tail.is_empty()
        && head.trim_end_matches('-').ends_with('/')
        && !head.contains(char::is_whitespace);
    is_thread || is_fraction || is_fingerprint || is_amount || is_value || is_in_shape(head)
}

/// Whether a text ends within the brackets of a shape: `f32[8,`.
fn is_in_shape(head: &str) -> bool {
    let is_inner = |letter: char| letter.is_ascii_digit() || matches!(letter, ',' | '<' | '=');
    let outer = head.trim_end_matches(is_inner);
    outer.strip_suffix('[').is_some_and(|before| {
        let token = before
            .rsplit(|letter: char| !letter.is_ascii_alphanumeric())
            .next()
            .unwrap_or_default();
        token == "pred" || token.bytes().any(|byte| byte.is_ascii_digit()) && is_public_token(token)
    })
}
