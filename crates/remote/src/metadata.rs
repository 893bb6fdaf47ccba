//! Whether this machine is one of a cloud, which then knows who it is.

use std::net::{SocketAddr, TcpStream};
use std::sync::OnceLock;
use std::time::Duration;

use object_store::{BackoffConfig, RetryConfig};

/// Where machines of all clouds are told about themselves.
const METADATA: ([u8; 4], u16) = ([169, 254, 169, 254], 80);
/// On such a machine it answers within a millisecond.
const PATIENCE: Duration = Duration::from_millis(500);

/// Whether anything answers where metadata are served. Asked once, because elsewhere the question
/// takes as long as the patience.
pub(crate) fn answers() -> bool {
    static ANSWERS: OnceLock<bool> = OnceLock::new();
    *ANSWERS.get_or_init(|| {
        let address = SocketAddr::from(METADATA);
        TcpStream::connect_timeout(&address, PATIENCE).is_ok()
    })
}

/// A person waits: a few attempts, seconds apart.
pub(crate) fn retries() -> RetryConfig {
    RetryConfig {
        backoff: BackoffConfig {
            init_backoff: Duration::from_millis(200),
            max_backoff: Duration::from_secs(3),
            base: 2.0,
        },
        max_retries: 3,
        retry_timeout: Duration::from_mins(1),
    }
}
