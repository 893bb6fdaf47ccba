//! Addresses of profiler services, as people type them.

use std::fmt;

use crate::failure::CaptureError;

/// Where a profiler service listens: `host:port`, `[IPv6]:port`, with or without `grpc://`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address {
    host: String,
    port: u16,
}

impl Address {
    /// Reads one address.
    pub fn parse(text: &str) -> Result<Self, CaptureError> {
        let wrong = |why: &str| CaptureError::Address {
            text: text.to_owned(),
            why: why.to_owned(),
        };
        let bare = text.trim();
        if bare.starts_with("https://") || bare.starts_with("grpcs://") {
            return Err(wrong("the profiler of JAX speaks without encryption"));
        }
        let schemes = ["grpc://", "http://"];
        let bare = schemes
            .iter()
            .find_map(|scheme| bare.strip_prefix(scheme))
            .unwrap_or(bare)
            .trim_end_matches('/');
        let (host, port) = match bare.strip_prefix('[') {
            Some(rest) => rest
                .split_once("]:")
                .ok_or_else(|| wrong("an IPv6 address is written [ADDRESS]:PORT"))?,
            None => bare
                .rsplit_once(':')
                .ok_or_else(|| wrong("the port is missing"))?,
        };
        let is_literal = bare.starts_with('[');
        if !is_literal && host.contains(':') {
            return Err(wrong("an IPv6 address is written [ADDRESS]:PORT"));
        }
        if is_literal && host.parse::<std::net::Ipv6Addr>().is_err() {
            return Err(wrong("what stands in brackets is no IPv6 address"));
        }
        let is_name =
            |character: char| character.is_ascii_alphanumeric() || "-._".contains(character);
        if host.is_empty() || (!is_literal && !host.chars().all(is_name)) {
            return Err(wrong("the host is missing or no host name"));
        }
        let port = port.parse().ok().filter(|&port| port != 0);
        Ok(Self {
            host: host.to_owned(),
            port: port.ok_or_else(|| wrong("the port is not a number from 1 to 65535"))?,
        })
    }

    /// Reads addresses of which each text may hold several, separated by commas; none twice.
    pub fn parse_all(texts: &[impl AsRef<str>]) -> Result<Vec<Self>, CaptureError> {
        let mut addresses: Vec<Self> = Vec::new();
        let parts = texts.iter().flat_map(|text| text.as_ref().split(','));
        for part in parts.filter(|part| !part.trim().is_empty()) {
            let address = Self::parse(part)?;
            if addresses.contains(&address) {
                return Err(CaptureError::Address {
                    text: part.trim().to_owned(),
                    why: "it is given twice".to_owned(),
                });
            }
            addresses.push(address);
        }
        if addresses.is_empty() {
            return Err(CaptureError::NoAddress);
        }
        Ok(addresses)
    }

    /// Name or IP address, without brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Port.
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// How its file begins, as other tools name it: `host_port`, without colons.
    pub fn file_stem(&self) -> String {
        format!("{}_{}", self.host.replace(':', "_"), self.port)
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{self}")
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(formatter, "[{}]:{}", self.host, self.port)
        } else {
            write!(formatter, "{}:{}", self.host, self.port)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_people_type_them() {
        let cases = [
            ("localhost:9999", "localhost:9999", "localhost_9999"),
            ("grpc://10.0.0.7:8466", "10.0.0.7:8466", "10.0.0.7_8466"),
            (
                " trainer-0.jobs.svc:9012/ ",
                "trainer-0.jobs.svc:9012",
                "trainer-0.jobs.svc_9012",
            ),
            ("[::1]:9999", "[::1]:9999", "__1_9999"),
            ("[2001:db8::7]:1", "[2001:db8::7]:1", "2001_db8__7_1"),
        ];
        for (text, shown, stem) in cases {
            let address = Address::parse(text).expect(text);
            assert_eq!(address.to_string(), shown);
            assert_eq!(address.file_stem(), stem);
        }
    }

    #[test]
    fn wrong_addresses_say_what_is_wrong() {
        let cases = [
            ("localhost", "port is missing"),
            ("::1:9999", "[ADDRESS]:PORT"),
            ("[::1]", "[ADDRESS]:PORT"),
            ("[::g]:9", "no IPv6"),
            (":9999", "host is missing"),
            ("a b:9", "no host name"),
            ("host:0", "1 to 65535"),
            ("host:70000", "1 to 65535"),
            ("https://host:443", "without encryption"),
        ];
        for (text, why) in cases {
            let error = Address::parse(text).expect_err(text).to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn lists_are_split_at_commas_and_hold_nothing_twice() {
        let addresses = Address::parse_all(&["a:1,b:2", "c:3,"]).expect("three addresses");
        assert_eq!(addresses.len(), 3);
        assert!(Address::parse_all(&["a:1,grpc://a:1"]).is_err());
        assert!(matches!(
            Address::parse_all(&[" , "]),
            Err(CaptureError::NoAddress)
        ));
    }
}
