//! Binding, serving, stopping.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

use axum::serve::ListenerExt;
use tokio::net::TcpListener;

use crate::access::{Access, new_token};
use crate::error::ServerError;
use crate::library::Library;
use crate::router::router_below;

/// How many ports to try after the requested one.
const MORE_PORTS: u16 = 50;

/// How long running requests may take after the server was asked to stop.
const PATIENCE: Duration = Duration::from_secs(2);

/// How to serve.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// Address to listen on. Any address other than loopback requires a token for every request.
    pub address: IpAddr,
    /// Port; if taken, the next free one is used. 0 for any.
    pub port: u16,
    /// Token that every request must carry. Generated if one is required and none is given.
    pub token: Option<String>,
    /// Host names other than loopback that need no token, such as the name of a proxy in front of
    /// it.
    pub allowed_hosts: Vec<String>,
    /// Path under which a proxy shows the server, in the form of
    /// [`normal_prefix`](crate::normal_prefix).
    pub path_prefix: String,
    /// Also stop when standard input ends: then the parent process is gone.
    pub ends_with_input: bool,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            address: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 6006,
            token: None,
            allowed_hosts: Vec::new(),
            path_prefix: String::new(),
            ends_with_input: false,
        }
    }
}

/// Where the server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ready {
    /// The URL to open, with the token if there is one.
    pub url: String,
    /// The address bound.
    pub address: SocketAddr,
    /// The token that requests must carry, if one is required.
    pub token: Option<String>,
}

/// Serves the library until Ctrl-C (or SIGTERM). Starts to open the newest session immediately,
/// unless it would have to be fetched: the page says which planes it needs. `when_ready` is called
/// with the URL once the port is bound.
pub async fn serve(
    library: Arc<Library>,
    options: ServerOptions,
    when_ready: impl FnOnce(&Ready),
) -> Result<(), ServerError> {
    if let Some(newest) = library.newest() {
        library.begin_opening_if_here(&newest);
    }
    let listener = bind(options.address, options.port).await?;
    let address = listener.local_addr()?;
    let access = access(&options, address)?;
    let ready = Ready {
        url: url(address, &options.path_prefix, access.token()),
        address,
        token: access.token().map(str::to_owned),
    };
    let router = router_below(&options.path_prefix, library, access);
    let (stop, mut stopping) = tokio::sync::watch::channel(());
    let listener = listener.tap_io(|connection| {
        // Small answers should not wait for more data.
        if let Err(error) = connection.set_nodelay(true) {
            tracing::debug!(%error, "no TCP_NODELAY");
        }
    });
    let server = axum::serve(listener, router).with_graceful_shutdown(async move {
        tokio::select! {
            () = asked_to_stop() => {}
            () = input_ends(options.ends_with_input) => {}
        }
        drop(stop);
    });
    when_ready(&ready);
    let late = async move {
        // The sender is only ever dropped: that is the signal.
        while stopping.changed().await.is_ok() {}
        tokio::time::sleep(PATIENCE).await;
    };
    tokio::select! {
        result = server => result.map_err(ServerError::Stopped),
        () = late => Ok(()),
    }
}

/// Binds the requested port or the next free one.
async fn bind(address: IpAddr, port: u16) -> Result<TcpListener, ServerError> {
    let last = if port == 0 {
        0
    } else {
        port.saturating_add(MORE_PORTS)
    };
    for port in port..=last {
        match TcpListener::bind((address, port)).await {
            Ok(listener) => return Ok(listener),
            Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => {}
            Err(source) => {
                let address = SocketAddr::new(address, port);
                return Err(ServerError::Bind { address, source });
            }
        }
    }
    Err(ServerError::NoFreePort { first: port, last })
}

fn access(options: &ServerOptions, address: SocketAddr) -> Result<Access, ServerError> {
    let given = options.token.clone().filter(|token| !token.is_empty());
    let token = match given {
        Some(token) => token,
        None if address.ip().is_loopback() => {
            return Ok(Access::loopback(options.allowed_hosts.clone()));
        }
        None => new_token()?,
    };
    Ok(Access::with_token(token, address.port()))
}

/// Waits for the end of standard input, or forever if that is not requested.
async fn input_ends(is_asked_for: bool) {
    if !is_asked_for {
        return std::future::pending().await;
    }
    let (ended, end) = tokio::sync::oneshot::channel();
    // A separate thread: a read of standard input cannot be canceled.
    let reader = std::thread::Builder::new()
        .name("stdin".to_owned())
        .spawn(move || {
            let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
            let _ = ended.send(());
        });
    if reader.is_err() || end.await.is_err() {
        std::future::pending::<()>().await;
    }
}

fn url(address: SocketAddr, prefix: &str, token: Option<&str>) -> String {
    let ip = match address.ip() {
        ip if ip.is_unspecified() => outward_address().unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST)),
        ip => ip,
    };
    let base = format!("http://{}", SocketAddr::new(ip, address.port()));
    match (token, prefix) {
        (Some(token), prefix) => format!("{base}{prefix}/?token={token}"),
        (None, "") => base,
        (None, prefix) => format!("{base}{prefix}/"),
    }
}

/// The address of this machine as seen by others. Connecting a datagram socket sends nothing; the
/// address is one of those reserved for documentation.
fn outward_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    socket.local_addr().ok().map(|address| address.ip())
}

/// Waits for Ctrl-C or SIGTERM.
pub async fn asked_to_stop() {
    let interrupt = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminate = async {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending::<()>().await,
        }
    };
    #[cfg(not(unix))]
    let terminate = std::future::pending::<()>();
    tokio::select! {
        () = interrupt => {}
        () = terminate => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_taken_port_gives_the_next() {
        let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let first = bind(address, 0).await.expect("any port");
        let taken = first.local_addr().expect("it is bound").port();
        let second = bind(address, taken).await.expect("the next port");
        assert_ne!(second.local_addr().expect("it is bound").port(), taken);
    }

    #[test]
    fn only_loopback_goes_without_a_token() {
        let options = ServerOptions::default();
        let loopback = SocketAddr::from(([127, 0, 0, 1], 6006));
        let open = SocketAddr::from(([0, 0, 0, 0], 6006));
        let free = access(&options, loopback).expect("no token is needed");
        assert_eq!(free.token(), None);
        let guarded = access(&options, open).expect("a token is made");
        assert_eq!(guarded.token().map(str::len), Some(32));
        let named = ServerOptions {
            token: Some("mine".to_owned()),
            ..options
        };
        let named = access(&named, loopback).expect("the token is given");
        assert_eq!(named.token(), Some("mine"));
    }

    #[test]
    fn the_url_can_be_opened() {
        let loopback = SocketAddr::from(([127, 0, 0, 1], 6006));
        assert_eq!(url(loopback, "", None), "http://127.0.0.1:6006");
        assert_eq!(url(loopback, "/lab", None), "http://127.0.0.1:6006/lab/");
        assert_eq!(
            url(loopback, "", Some("x")),
            "http://127.0.0.1:6006/?token=x"
        );
        assert!(!url(SocketAddr::from(([0, 0, 0, 0], 1)), "", None).contains("0.0.0.0"));
    }
}
