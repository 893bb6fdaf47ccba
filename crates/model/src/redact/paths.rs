//! Paths and addresses of files within texts: folders are replaced as a whole, except those of
//! systems and libraries; the names of files are left to the rule for words, which keeps their
//! extension.

/// Folders that begin a path in any text.
const ROOTS: [&str; 34] = [
    "home",
    "Users",
    "root",
    "mnt",
    "data",
    "tmp",
    "var",
    "opt",
    "usr",
    "srv",
    "scratch",
    "workspace",
    "workdir",
    "work",
    "content",
    "nfs",
    "gpfs",
    "lustre",
    "private",
    "Volumes",
    "export",
    "proj",
    "projects",
    "app",
    "etc",
    "run",
    "dev",
    "proc",
    "lib",
    "media",
    "gcs",
    "fsx",
    "efs",
    "cns",
];

/// Folders that every system has.
const FOLDERS: [&str; 24] = [
    "home",
    "users",
    "usr",
    "lib",
    "lib64",
    "local",
    "bin",
    "sbin",
    "opt",
    "mnt",
    "tmp",
    "var",
    "etc",
    "dev",
    "proc",
    "site-packages",
    "dist-packages",
    "src",
    ".local",
    "include",
    "share",
    ".cache",
    "jax",
    "jaxlib",
];

/// Schemes of addresses.
const SCHEMES: [&str; 14] = [
    "gs", "s3", "az", "abfs", "abfss", "http", "https", "grpc", "ssh", "file", "hdfs", "tcp",
    "ftp", "dns",
];

/// One piece of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    /// As it is.
    Kept(&'t str),
    /// A folder, a bucket, a machine: replaced as a whole.
    Folder(&'t str),
    /// Left to the rule for words.
    Words(&'t str),
}

/// The pieces of the path at the start of a text. In a text that is a source, every path counts
/// that begins with a slash; elsewhere only one below a folder that systems have.
pub(super) fn path(text: &str, is_source: bool) -> Option<Vec<Piece<'_>>> {
    if let Some((scheme, rest)) = scheme(text) {
        let mut pieces = vec![Piece::Kept(&text[..scheme])];
        // With the port, and with a user and a password.
        let is_end = |letter: char| letter != ':' && is_end_of_part(letter);
        let authority = rest.find(is_end).unwrap_or(rest.len());
        let (authority, rest) = rest.split_at(authority);
        pieces.push(Piece::Folder(authority));
        folders(rest, '/', false, &mut pieces);
        return Some(pieces);
    }
    let (separator, begin) = root(text, is_source)?;
    let mut pieces = vec![Piece::Kept(&text[..begin])];
    folders(&text[begin..], separator, true, &mut pieces);
    Some(pieces)
}

/// The length of `gs://`, and what follows.
fn scheme(text: &str) -> Option<(usize, &str)> {
    let letters = text.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let rest = text[letters..].strip_prefix("://")?;
    let name = text[..letters].to_ascii_lowercase();
    SCHEMES
        .contains(&name.as_str())
        .then_some((letters + 3, rest))
}

/// The separator of the absolute path that starts here, and where its first folder begins.
fn root(text: &str, is_source: bool) -> Option<(char, usize)> {
    let bytes = text.as_bytes();
    match bytes {
        [b'/', ..] => {
            let first = text[1..].split(is_end_of_part).next().unwrap_or_default();
            let is_path = text[1 + first.len()..].starts_with('/') || is_source;
            let is_root = ROOTS.contains(&first) || is_source && !first.is_empty();
            (is_path && is_root).then_some(('/', 1))
        }
        [drive, b':', b'\\', ..] if drive.is_ascii_alphabetic() => Some(('\\', 3)),
        [b'\\', b'\\', next, ..] if next.is_ascii_alphanumeric() => Some(('\\', 2)),
        [b'\\', ..] => {
            let first = text[1..].split(is_end_of_part).next().unwrap_or_default();
            ROOTS.contains(&first).then_some(('\\', 1))
        }
        _ => None,
    }
}

const fn is_end_of_path(letter: char) -> bool {
    matches!(
        letter,
        ' ' | '"'
            | '\''
            | '`'
            | ','
            | ';'
            | ')'
            | '('
            | ']'
            | '['
            | '}'
            | '{'
            | '<'
            | '>'
            | ':'
            | '?'
            | '#'
            | '='
            | '&'
            | '|'
            | '\n'
            | '\t'
            | '\r'
            | '*'
            | '%'
            | '$'
    )
}

const fn is_end_of_part(letter: char) -> bool {
    matches!(letter, '/' | '\\') || is_end_of_path(letter)
}

fn folders<'t>(text: &'t str, separator: char, has_system: bool, pieces: &mut Vec<Piece<'t>>) {
    let end = text.find(is_end_of_path).unwrap_or(text.len());
    let mut rest = &text[..end];
    let mut is_library = false;
    while !rest.is_empty() {
        let length = rest.find(separator);
        let (part, behind) = rest.split_at(length.unwrap_or(rest.len()));
        let is_last = behind.len() <= 1;
        let is_system = has_system && is_system(part);
        pieces.push(if part.chars().all(|letter| letter == '.') || is_system {
            Piece::Kept(part)
        } else if is_library || is_last && is_file(part) {
            Piece::Words(part)
        } else {
            Piece::Folder(part)
        });
        is_library |= matches!(part, "site-packages" | "dist-packages") || is_python(part);
        let slash = behind.len().min(1);
        pieces.push(Piece::Kept(&behind[..slash]));
        rest = &behind[slash..];
    }
}

fn is_system(part: &str) -> bool {
    let is_listed = FOLDERS.contains(&part.to_ascii_lowercase().as_str());
    is_listed || is_python(part)
}

/// `python3`, `python3.12`, `cpython-312`.
fn is_python(part: &str) -> bool {
    let version = part
        .strip_prefix("python")
        .or_else(|| part.strip_prefix("cpython-"));
    version.is_some_and(|rest| {
        rest.len() <= 5
            && rest
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'.')
    })
}

/// Whether a name has an extension.
fn is_file(part: &str) -> bool {
    let extension = part.rsplit_once('.').map(|(_, extension)| extension);
    extension.is_some_and(|one| {
        (1..=5).contains(&one.len()) && one.bytes().all(|byte| byte.is_ascii_alphabetic())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(text: &str) -> Vec<&str> {
        let pieces = path(text, false).unwrap_or_default();
        let folders = pieces.into_iter().filter_map(|piece| match piece {
            Piece::Folder(folder) => Some(folder),
            _ => None,
        });
        folders.collect()
    }

    #[test]
    fn folders_are_private_except_those_of_systems_and_libraries() {
        assert_eq!(hidden("/home/max/data-7/run.py:41"), ["max", "data-7"]);
        assert_eq!(
            hidden("gs://my-bucket/run_1/x"),
            ["my-bucket", "run_1", "x"]
        );
        assert_eq!(hidden("C:\\Users\\max\\a.py"), ["max"]);
        assert_eq!(
            hidden("/usr/lib/python3.12/site-packages/jax/_src/pjit.py"),
            Vec::<&str>::new()
        );
        assert_eq!(path("/device:TPU:0", false), None);
        assert_eq!(
            hidden("grpc://max:secret@tpu-3:8470"),
            ["max:secret@tpu-3:8470"]
        );
    }
}
