//! What a URL names: a place in a bucket, on a web server, or on a machine reached over ssh.

use std::path::Path;

use crate::error::{RemoteError, RemoteErrorKind};
use crate::percent::percent_decoded;

/// Schemes that are read, with the names that others give them.
const SCHEMES: [(&str, Scheme); 12] = [
    ("s3", Scheme::Amazon),
    ("s3a", Scheme::Amazon),
    ("gs", Scheme::Google),
    ("gcs", Scheme::Google),
    ("az", Scheme::Azure),
    ("azure", Scheme::Azure),
    ("abfs", Scheme::Azure),
    ("abfss", Scheme::Azure),
    ("http", Scheme::Web),
    ("https", Scheme::Web),
    ("ssh", Scheme::Machine),
    ("sftp", Scheme::Machine),
];

/// Who keeps the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// S3 and what speaks its protocol.
    Amazon,
    /// Google Cloud Storage.
    Google,
    /// Azure Blob Storage.
    Azure,
    /// Any web server.
    Web,
    /// A machine with an SSH server.
    Machine,
}

/// A URL taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Who keeps the files.
    pub scheme: Scheme,
    /// As given, without slashes at its end.
    pub url: String,
    /// The bucket or container; `scheme://host:port` of a web server; `user@host:port` of a machine.
    pub place: String,
    /// The account that a container belongs to, where the URL names it.
    pub account: Option<String>,
    /// What follows, without slashes at its ends; of a machine with the slash it begins with.
    pub path: String,
    /// User and password that stood in a web server's URL. They are in no other field.
    pub(crate) user: Option<(String, Option<String>)>,
}

/// Whether a path is a URL of a kind that is read, rather than a file here.
pub fn is_url(path: &Path) -> bool {
    path.to_str().is_some_and(|text| scheme_of(text).is_some())
}

fn scheme_of(text: &str) -> Option<(Scheme, &str)> {
    let (name, rest) = text.split_once("://")?;
    let known = SCHEMES
        .iter()
        .find(|(known, _)| name.eq_ignore_ascii_case(known))?;
    Some((known.1, rest))
}

impl Address {
    /// Takes a URL apart.
    ///
    /// # Errors
    ///
    /// [`RemoteErrorKind::Address`] for a scheme that is not read, or where bucket or host is missing.
    pub fn parse(url: &str) -> Result<Self, RemoteError> {
        let wrong = |message: &str| RemoteError::new(RemoteErrorKind::Address, url, message);
        let (scheme, rest) = scheme_of(url).ok_or_else(|| {
            wrong("this kind of URL is not supported").with_hint(
                "use gs://BUCKET/PATH, s3://BUCKET/PATH, az://CONTAINER/PATH, https://HOST/PATH or \
                 ssh://HOST/PATH",
            )
        })?;
        if scheme == Scheme::Web {
            return Self::web(url).ok_or_else(|| wrong("the URL has no host name"));
        }
        let (place, path) = rest.split_once('/').unwrap_or((rest, ""));
        if place.is_empty() {
            let what = if scheme == Scheme::Machine {
                "host"
            } else {
                "bucket"
            };
            return Err(wrong(&format!("the URL has no {what} name")));
        }
        let (place, account) = match (scheme, place.rsplit_once('@')) {
            (Scheme::Azure, Some((container, host))) => {
                let account = host.split('.').next().unwrap_or(host);
                (container, Some(account.to_owned()))
            }
            _ => (place, None),
        };
        // What begins with a dash would be an option of ssh.
        if place.starts_with('-') || place.contains(char::is_whitespace) {
            return Err(wrong("this is not a valid host name"));
        }
        // No bucket has such a name: somebody took it for the place of a password, which would then
        // be shown as the name.
        if scheme != Scheme::Machine && place.contains([':', '@']) {
            return Err(wrong("this is not a valid bucket name").with_hint(
                "credentials do not belong in such a URL; docs/guides/remote.md says where they are \
                 looked for",
            ));
        }
        let path = match scheme {
            Scheme::Machine => machine_path(path),
            _ => path.trim_matches('/').to_owned(),
        };
        Ok(Self {
            scheme,
            url: url.trim_end_matches('/').to_owned(),
            place: place.to_owned(),
            account,
            path,
            user: None,
        })
    }

    /// A web server's URL; one of the known services without a signature is read as its bucket.
    fn web(given: &str) -> Option<Self> {
        let mut parsed = url::Url::parse(given).ok()?;
        let user = (!parsed.username().is_empty()).then(|| {
            let password = parsed.password().map(percent_decoded);
            (percent_decoded(parsed.username()), password)
        });
        // Messages and the cache show URLs, and are to hold no passwords.
        parsed.set_password(None).ok()?;
        parsed.set_username("").ok()?;
        let host = parsed.host_str()?;
        let path = parsed.path().trim_matches('/');
        let url = parsed.as_str().trim_end_matches('/');
        let bucket = |scheme: Scheme, place: &str, path: &str, account: Option<&str>| Self {
            scheme,
            url: url.to_owned(),
            place: place.to_owned(),
            account: account.map(str::to_owned),
            path: percent_decoded(path),
            user: None,
        };
        let split = || path.split_once('/').unwrap_or((path, ""));
        if parsed.query().is_none() && !path.is_empty() {
            if let Some(account) = host.strip_suffix(".blob.core.windows.net") {
                let (container, path) = split();
                return Some(bucket(Scheme::Azure, container, path, Some(account)));
            }
            if matches!(host, "storage.googleapis.com" | "storage.cloud.google.com") {
                let (name, path) = split();
                return Some(bucket(Scheme::Google, name, path, None));
            }
            if let Some((name, rest)) = host.split_once(".s3")
                && rest.ends_with(".amazonaws.com")
            {
                return Some(bucket(Scheme::Amazon, name, path, None));
            }
            if host.starts_with("s3.") && host.ends_with(".amazonaws.com") {
                let (name, path) = split();
                return Some(bucket(Scheme::Amazon, name, path, None));
            }
        }
        Some(Self {
            scheme: Scheme::Web,
            url: url.to_owned(),
            place: parsed[..url::Position::BeforePath].to_owned(),
            account: None,
            path: parsed.path().to_owned(),
            user,
        })
    }

    /// The URL of what lies below it.
    pub(crate) fn child(&self, name: &str) -> String {
        if name.is_empty() {
            return self.url.clone();
        }
        format!("{}/{name}", self.url)
    }

    /// What tells connections apart.
    pub(crate) fn key(&self) -> String {
        let account = self.account.as_deref().unwrap_or_default();
        format!("{:?}/{account}/{}", self.scheme, self.place)
    }

    /// The parts of a path for names of sessions: the place, then the folders.
    pub fn parts(&self) -> Vec<String> {
        let path = match self.scheme {
            Scheme::Web => percent_decoded(&self.path),
            _ => self.path.clone(),
        };
        let folders = path
            .split('/')
            .filter(|part| !part.is_empty() && *part != "~");
        let place = self.place.rsplit(['/', '@']).next().unwrap_or(&self.place);
        std::iter::once(place.to_owned())
            .chain(folders.map(str::to_owned))
            .collect()
    }
}

/// `/~/logs` is below the home directory, as for Git; anything else is absolute.
fn machine_path(path: &str) -> String {
    let path = path.trim_end_matches('/');
    match path.strip_prefix('~') {
        Some("") => "~".to_owned(),
        Some(rest) if rest.starts_with('/') => format!("~{rest}"),
        _ => format!("/{path}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(url: &str) -> (Scheme, String, String) {
        let address = Address::parse(url).expect(url);
        (address.scheme, address.place, address.path)
    }

    #[test]
    fn urls_are_taken_apart() {
        let cases = [
            ("gs://lab/runs/a/", (Scheme::Google, "lab", "runs/a")),
            ("S3://lab", (Scheme::Amazon, "lab", "")),
            ("s3a://lab/x", (Scheme::Amazon, "lab", "x")),
            ("az://box/logs", (Scheme::Azure, "box", "logs")),
            (
                "abfss://box@acc.dfs.core.windows.net/a/b",
                (Scheme::Azure, "box", "a/b"),
            ),
            (
                "https://acc.blob.core.windows.net/box/a%20b",
                (Scheme::Azure, "box", "a b"),
            ),
            (
                "https://lab.s3.eu-west-1.amazonaws.com/k/v",
                (Scheme::Amazon, "lab", "k/v"),
            ),
            (
                "https://storage.googleapis.com/lab/k",
                (Scheme::Google, "lab", "k"),
            ),
            (
                "http://10.0.0.1:8000/logs/",
                (Scheme::Web, "http://10.0.0.1:8000", "/logs/"),
            ),
            (
                "ssh://me@vm:2222/data/logs/",
                (Scheme::Machine, "me@vm:2222", "/data/logs"),
            ),
            ("ssh://vm/~/logs", (Scheme::Machine, "vm", "~/logs")),
        ];
        for (url, (scheme, place, path)) in cases {
            assert_eq!(
                taken(url),
                (scheme, place.to_owned(), path.to_owned()),
                "{url}"
            );
        }
        let secret = Address::parse("https://me:p%40ss@lab.example/x").expect("a URL");
        assert_eq!(secret.url, "https://lab.example/x");
        assert_eq!(
            secret.user,
            Some(("me".to_owned(), Some("p@ss".to_owned())))
        );
        for url in [
            "https://me:p%40ss@acc.blob.core.windows.net/box/x",
            "https://me:p%40ss@storage.googleapis.com/lab/x",
            "https://me:p%40ss@lab.s3.amazonaws.com/x",
        ] {
            let bucket = Address::parse(url).expect("a URL");
            assert!(!format!("{bucket:?}").contains("p%40ss"), "{bucket:?}");
        }
        let signed = "https://lab.s3.amazonaws.com/k?X-Amz-Signature=1";
        assert_eq!(
            taken(signed).0,
            Scheme::Web,
            "a signed link is a file of a web server"
        );
    }

    #[test]
    fn what_names_no_place_is_refused() {
        for url in [
            "gs://",
            "ssh:///x",
            "ftp://host/x",
            "logs",
            "http://",
            "ssh://-oProxyCommand=x/y",
            "s3://me:pa55@lab/x",
            "az://me:pa55@acc.blob.core.windows.net/x",
            "abfss://box@me:pa55@acc.dfs.core.windows.net/x",
        ] {
            let error = Address::parse(url).expect_err(url);
            assert_eq!(error.kind, RemoteErrorKind::Address);
            assert!(!error.to_string().contains("pa55"), "{error}");
        }
        assert!(!is_url(Path::new("./s3/x")) && !is_url(Path::new("C:\\logs")));
        assert!(is_url(Path::new("ssh://vm/x")));
    }

    #[test]
    fn percent_signs_are_read() {
        assert_eq!(percent_decoded("a%2Fb%20c%"), "a/b c%");
        assert_eq!(percent_decoded("h%C3%A4ns%2f1+2"), "häns/1+2");
        assert_eq!(percent_decoded("%ff"), "%ff");
    }
}
