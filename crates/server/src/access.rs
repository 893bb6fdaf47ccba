//! Access control: requests with the token or, where there is none, to loopback names of this
//! machine.

use std::net::IpAddr;

use std::borrow::Cow;

use axum::http::{HeaderMap, HeaderValue, header};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode, percent_encode};
use sha2::{Digest, Sha256};

use crate::error::ServerError;

/// Who may send requests.
#[derive(Debug, Clone, Default)]
pub struct Access {
    /// The token that every request must carry.
    token: Option<String>,
    /// Port, which distinguishes the cookies of several servers on one host.
    port: u16,
    /// Host names other than loopback, where there is no token.
    hosts: Vec<String>,
    /// What pages under these names carry, where there is no token: it says that a request is
    /// theirs. `None` where there is no randomness for it; such requests are then refused.
    page_secret: Option<String>,
}

/// How a permitted request carries the token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pass {
    /// No token is required.
    Free,
    /// In a cookie or a header.
    Carried,
    /// In the URL; it should be moved to a cookie.
    InUrl,
}

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The Host header names another machine: the request may come from a foreign page.
    ForeignHost,
    /// No token, or a wrong one.
    NoToken,
}

impl Access {
    /// Without a token: only for a server bound to loopback. Requests must name a loopback host or
    /// one of `hosts`, so that no page of another site can reach the server under its own name (DNS
    /// rebinding).
    pub fn loopback(hosts: Vec<String>) -> Self {
        let page_secret = if hosts.is_empty() {
            None
        } else {
            new_token().ok()
        };
        Self {
            token: None,
            port: 0,
            hosts,
            page_secret,
        }
    }

    /// With a token. The host does not matter: browsers send the cookie to no other name.
    pub fn with_token(token: String, port: u16) -> Self {
        Self {
            token: Some(token),
            port,
            hosts: Vec::new(),
            page_secret: None,
        }
    }

    /// The token.
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    pub(crate) fn check(&self, headers: &HeaderMap, query: Option<&str>) -> Result<Pass, Refusal> {
        let Some(token) = &self.token else {
            let host = headers
                .get(header::HOST)
                .and_then(|host| host.to_str().ok());
            let is_known = host.is_some_and(|host| self.knows_host(host));
            return if is_known {
                Ok(Pass::Free)
            } else {
                Err(Refusal::ForeignHost)
            };
        };
        let bearer = headers.get(header::AUTHORIZATION).and_then(bearer);
        let is_bearer = bearer.is_some_and(|given| same_secret(given, token));
        let is_encoded = |given: &str| same_secret(&decoded(given), token);
        if is_bearer || self.cookies(headers).any(is_encoded) {
            return Ok(Pass::Carried);
        }
        let in_url = query.and_then(token_of_query);
        if in_url.is_some_and(is_encoded) {
            return Ok(Pass::InUrl);
        }
        Err(Refusal::NoToken)
    }

    /// Whether a request without a token is from our own page, as far as that can be told.
    ///
    /// Browsers say which site a request comes from only over HTTPS and to this machine itself
    /// (`Sec-Fetch-Site`, which is checked for every request). Under another name, over plain HTTP,
    /// a GET of any page looks like one of ours: it must carry what only ours have. Pages of other
    /// sites can neither send the cookie nor name a header of their own.
    pub(crate) fn is_of_our_page(&self, headers: &HeaderMap) -> bool {
        let host = headers.get(header::HOST);
        let host = host.and_then(|host| host.to_str().ok()).unwrap_or_default();
        if self.token.is_some() || is_loopback_name(&normal(host)) {
            return true;
        }
        let says_so = ["sec-fetch-site", "x-requested-with"];
        if says_so.iter().any(|name| headers.contains_key(*name)) {
            return true;
        }
        let Some(secret) = &self.page_secret else {
            return false;
        };
        self.cookies(headers)
            .any(|given| same_secret(given.as_bytes(), secret))
    }

    /// The cookie that carries the token from now on or, without one, says that requests are from
    /// our page. It has no path: browsers then use the folder of the page, so the server works under
    /// any prefix.
    pub(crate) fn cookie(&self) -> Option<HeaderValue> {
        let token = encoded(self.token.as_deref().or(self.page_secret.as_deref())?);
        let cookie = format!("{}={token}; HttpOnly; SameSite=Strict", self.cookie_name());
        HeaderValue::from_str(&cookie).ok()
    }

    fn cookie_name(&self) -> String {
        format!("stepscope_{}", self.port)
    }

    fn cookies<'a>(&self, headers: &'a HeaderMap) -> impl Iterator<Item = &'a str> {
        let name = self.cookie_name();
        let lines = headers.get_all(header::COOKIE).into_iter();
        let cookies = lines
            .filter_map(|line| line.to_str().ok())
            .flat_map(|line| line.split(';'));
        cookies.filter_map(move |cookie| {
            let (key, value) = cookie.trim().split_once('=')?;
            (key == name).then_some(value)
        })
    }

    fn knows_host(&self, authority: &str) -> bool {
        let host = normal(authority);
        is_loopback_name(&host)
            || self
                .hosts
                .iter()
                .any(|known| known.eq_ignore_ascii_case(&host))
    }
}

/// The host of an authority, in lower case.
fn normal(authority: &str) -> String {
    let host = host_of(authority).to_ascii_lowercase();
    host.trim_end_matches('.').to_owned()
}

/// A new token: 128 random bits in hexadecimal digits.
pub fn new_token() -> Result<String, ServerError> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| ServerError::NoRandomness(error.to_string()))?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}

/// `token` of `a=b&token=…`.
pub(crate) fn token_of_query(query: &str) -> Option<&str> {
    query
        .split('&')
        .find_map(|pair| pair.strip_prefix("token="))
}

/// `token=…`, as a part of a URL.
pub fn token_query(token: &str) -> String {
    format!("token={}", encoded(token))
}

/// A token in a URL and in a cookie, where some characters end the value.
fn encoded(token: &str) -> String {
    const NOT_PLAIN: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'.')
        .remove(b'_')
        .remove(b'~');
    percent_encode(token.as_bytes(), NOT_PLAIN).to_string()
}

fn decoded(given: &str) -> Cow<'_, [u8]> {
    percent_decode(given.as_bytes()).into()
}

fn bearer(value: &HeaderValue) -> Option<&[u8]> {
    value.as_bytes().strip_prefix(b"Bearer ")
}

/// Compares digests, so that timing reveals nothing about the token.
fn same_secret(given: &[u8], token: &str) -> bool {
    Sha256::digest(given) == Sha256::digest(token.as_bytes())
}

/// The host of `host:port` or `[address]:port`.
fn host_of(authority: &str) -> &str {
    if let Some(rest) = authority.strip_prefix('[') {
        return rest
            .split_once(']')
            .map_or(authority, |(address, _)| address);
    }
    authority
        .rsplit_once(':')
        .map_or(authority, |(host, _)| host)
}

fn is_loopback_name(host: &str) -> bool {
    let is_address = host
        .parse()
        .is_ok_and(|address: IpAddr| address.is_loopback());
    is_address || host == "localhost" || host.ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(header::HeaderName, &str)]) -> HeaderMap {
        let pairs = pairs.iter();
        pairs
            .map(|(name, value)| (name.clone(), HeaderValue::from_str(value).expect("a value")))
            .collect()
    }

    #[test]
    fn loopback_is_asked_by_its_own_names_only() {
        let access = Access::loopback(vec!["Lab.example".to_owned()]);
        let check = |host: &str| access.check(&headers(&[(header::HOST, host)]), None);
        let good = [
            "localhost:6006",
            "127.0.0.1",
            "127.0.0.9:1",
            "[::1]:6006",
            "LOCALHOST.",
            "stepscope.localhost:6006",
            "lab.example:443",
        ];
        for host in good {
            assert_eq!(check(host), Ok(Pass::Free), "{host}");
        }
        let bad = [
            "evil.example",
            "127.0.0.1.evil.example:6006",
            "localhost.evil.example",
            "evillocalhost",
            "10.0.0.1:6006",
            "[::2]",
            "",
        ];
        for host in bad {
            assert_eq!(check(host), Err(Refusal::ForeignHost), "{host}");
        }
        assert_eq!(
            access.check(&HeaderMap::new(), None),
            Err(Refusal::ForeignHost)
        );
    }

    #[test]
    fn under_the_name_of_a_proxy_a_page_has_to_show_that_it_is_ours() {
        let access = Access::loopback(vec!["lab.example".to_owned()]);
        let is_ours = |pairs: &[(header::HeaderName, &str)]| access.is_of_our_page(&headers(pairs));
        let proxied = || (header::HOST, "lab.example:8000");
        assert!(is_ours(&[(header::HOST, "localhost:6006")]));
        assert!(!is_ours(&[proxied()]));
        assert!(!is_ours(&[proxied(), (header::COOKIE, "stepscope_0=")]));
        let cookie = access.cookie().expect("random");
        let cookie = cookie.to_str().expect("text");
        assert!(cookie.contains("HttpOnly; SameSite=Strict"), "{cookie}");
        let pair = cookie.split(';').next().expect("a pair");
        assert!(is_ours(&[proxied(), (header::COOKIE, pair)]));
        for name in ["sec-fetch-site", "x-requested-with"] {
            let name = header::HeaderName::from_static(name);
            assert!(is_ours(&[proxied(), (name, "same-origin")]));
        }
        // Another server's cookie is not this one's.
        let other = Access::loopback(vec!["lab.example".to_owned()]);
        assert!(!other.is_of_our_page(&headers(&[proxied(), (header::COOKIE, pair)])));
    }

    #[test]
    fn the_token_comes_by_url_cookie_or_header() {
        let access = Access::with_token("5ecre7".to_owned(), 6006);
        let none = HeaderMap::new();
        assert_eq!(access.check(&none, None), Err(Refusal::NoToken));
        assert_eq!(
            access.check(&none, Some("a=b&token=5ecre7")),
            Ok(Pass::InUrl)
        );
        assert_eq!(
            access.check(&none, Some("token=5ecre")),
            Err(Refusal::NoToken)
        );
        assert_eq!(
            access.check(&none, Some("xtoken=5ecre7")),
            Err(Refusal::NoToken)
        );
        let cookie = |text: &str| access.check(&headers(&[(header::COOKIE, text)]), None);
        assert_eq!(cookie("a=b; stepscope_6006=5ecre7"), Ok(Pass::Carried));
        assert_eq!(cookie("stepscope_6007=5ecre7"), Err(Refusal::NoToken));
        assert_eq!(cookie("stepscope_6006=wrong"), Err(Refusal::NoToken));
        let bearer = headers(&[(header::AUTHORIZATION, "Bearer 5ecre7")]);
        assert_eq!(access.check(&bearer, None), Ok(Pass::Carried));
    }

    #[test]
    fn a_token_may_have_any_characters() {
        for token in [
            "a b", "a;b", "a&b", "a#b", "a\"b", "a%20b", "a+b", "a=b", "größe",
        ] {
            let access = Access::with_token(token.to_owned(), 6006);
            let query = format!("x=1&{}", token_query(token));
            let by_url = access.check(&HeaderMap::new(), Some(&query));
            assert_eq!(by_url, Ok(Pass::InUrl), "{token}");
            let cookie = access.cookie().expect("a value");
            let cookie = cookie.to_str().expect("text").split(';').next();
            let sent = headers(&[(header::COOKIE, cookie.expect("a pair"))]);
            assert_eq!(access.check(&sent, None), Ok(Pass::Carried), "{token}");
            let bearer = headers(&[(header::AUTHORIZATION, &format!("Bearer {token}"))]);
            assert_eq!(access.check(&bearer, None), Ok(Pass::Carried), "{token}");
        }
    }

    #[test]
    fn tokens_are_long_and_differ() {
        let (one, two) = (new_token().expect("random"), new_token().expect("random"));
        assert_eq!(one.len(), 32);
        assert_ne!(one, two);
    }
}
