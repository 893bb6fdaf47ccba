//! How the UI's files are encoded on the wire, and which encodings a client accepts (RFC 9110,
//! section 12.5.3).

use axum::http::{HeaderMap, header};

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Brotli,
    Gzip,
}

impl Encoding {
    /// All of them, best first. The build compresses files with each.
    pub(crate) const ALL: [Self; 2] = [Self::Brotli, Self::Gzip];

    /// The name in `Content-Encoding`.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }

    /// What the build appends to the name of a file that it compressed.
    pub(crate) const fn extension(self) -> &'static str {
        match self {
            Self::Brotli => ".br",
            Self::Gzip => ".gz",
        }
    }

    /// Whether the client's `Accept-Encoding` lists it, with a weight other than 0.
    pub(crate) fn is_accepted(self, sent: &HeaderMap) -> bool {
        sent.get_all(header::ACCEPT_ENCODING)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .any(|entry| {
                let (name, parameters) = entry.split_once(';').unwrap_or((entry, ""));
                name.trim().eq_ignore_ascii_case(self.name()) && !is_weightless(parameters)
            })
    }
}

/// Whether the parameters of an entry, such as `q=0.000`, rule it out.
fn is_weightless(parameters: &str) -> bool {
    parameters.split(';').any(|parameter| {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        name.trim().eq_ignore_ascii_case("q") && value.trim().parse() == Ok(0.0_f32)
    })
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[track_caller]
    fn check(accepted: &'static str, brotli: bool, gzip: bool) {
        let mut sent = HeaderMap::new();
        sent.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(accepted));
        let found = Encoding::ALL.map(|encoding| encoding.is_accepted(&sent));
        assert_eq!(found, [brotli, gzip], "{accepted}");
    }

    #[test]
    fn encodings_that_a_client_lists_are_accepted() {
        check("gzip, deflate, br, zstd", true, true);
        check("GZIP;q=0.5", false, true);
        check("br;q=0, gzip;q=0.001", false, true);
        check("br; q=0.0,gzip ; Q=0", false, false);
    }

    #[test]
    fn nothing_else_is() {
        check("", false, false);
        check("identity, *;q=0", false, false);
        check("x-gzip, brotli", false, false);
        check("br;q=, gzip;q=zero", true, true);
        assert!(!Encoding::Brotli.is_accepted(&HeaderMap::new()));
    }
}
