//! How schedulers are reached: addresses, `df://HOST:PORT`, and the size of messages.

use std::fmt;
use std::str::FromStr;

/// Largest message of the protocol: plans name every session, and rows come in batches.
pub(crate) const MOST_MESSAGE_BYTES: u32 = 256 << 20;

/// Where a scheduler listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Name or IP address.
    pub host: String,
    /// TCP port.
    pub port: u16,
}

impl Address {
    /// The URL that the protocol uses.
    pub(crate) fn url(&self) -> String {
        format!("http://{}:{}", self.host, self.port)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "df://{}:{}", self.host, self.port)
    }
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected =
            || "expected the address of a scheduler, such as df://scheduler:50050".to_owned();
        let rest = text.strip_prefix("df://").ok_or_else(expected)?;
        let (host, port) = rest
            .trim_end_matches('/')
            .rsplit_once(':')
            .ok_or_else(expected)?;
        let is_host = !host.is_empty() && !host.contains(['/', '@', '?', '#', ' ']);
        match port.parse() {
            Ok(port) if is_host => Ok(Self {
                host: host.to_owned(),
                port,
            }),
            _ => Err(expected()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_a_host_and_a_port() {
        for text in ["df://scheduler:50050", "df://[::1]:1"] {
            let address: Address = text.parse().expect(text);
            assert_eq!(address.to_string(), text);
        }
        for wrong in [
            "",
            "scheduler:50050",
            "df://scheduler",
            "df://:1",
            "df://a:b",
            "df://a@b:1",
        ] {
            assert!(wrong.parse::<Address>().is_err(), "{wrong}");
        }
    }
}
