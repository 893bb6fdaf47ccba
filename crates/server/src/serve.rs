//! Binding, serving, stopping.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;

use crate::access::{Access, new_token, token_query};
use crate::agents::AgentRoute;
use crate::connections::{self, Limits};
use crate::error::ServerError;
use crate::library::Library;
use crate::router::router_below;

/// How many ports to try after the requested one.
const MORE_PORTS: u16 = 50;

/// How long running requests may take after the server was asked to stop.
const PATIENCE: Duration = Duration::from_secs(2);

/// The token that every request must carry.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Token {
    /// A new random one.
    #[default]
    Random,
    /// This one; it may have any characters but control characters.
    Given(String),
    /// None: every user and every program of this machine may read all sessions. Only on loopback.
    Off,
}

/// How to serve.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// Address to listen on.
    pub address: IpAddr,
    /// Port; if taken, the next free one is used. 0 for any.
    pub port: u16,
    /// Token that every request must carry.
    pub token: Token,
    /// Without a token: host names other than loopback that may be asked for, such as the name of a
    /// proxy in front of it.
    pub allowed_hosts: Vec<String>,
    /// Hosts that may be captured, each as `HOST` or `HOST:PORT`. If empty: any on loopback, and
    /// none at other addresses.
    pub capture_hosts: Vec<String>,
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
            token: Token::Random,
            allowed_hosts: Vec::new(),
            capture_hosts: Vec::new(),
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
/// with the URL once the port is bound; `agents` answers agents, if any.
pub async fn serve(
    library: Arc<Library>,
    options: ServerOptions,
    agents: Option<AgentRoute>,
    when_ready: impl FnOnce(&Ready),
) -> Result<(), ServerError> {
    if let Some(newest) = library.newest() {
        library.begin_opening_if_here(&newest);
    }
    let listener = bind(options.address, options.port).await?;
    let address = listener.local_addr()?;
    let access = access(&options, address)?;
    if !address.ip().is_loopback() || !options.capture_hosts.is_empty() {
        library.restrict_captures(options.capture_hosts.clone());
    }
    let ready = Ready {
        url: url(address, &options.path_prefix, access.token()),
        address,
        token: access.token().map(str::to_owned),
    };
    let router = router_below(&options.path_prefix, library, access, agents);
    let (stop, stopping) = tokio::sync::oneshot::channel();
    let asked = asked_to_stop();
    let stop = async move {
        tokio::select! {
            () = asked => {}
            () = input_ends(options.ends_with_input) => {}
        }
        let _ = stop.send(());
    };
    let server = connections::serve(listener, router, Limits::of_process(), stop);
    when_ready(&ready);
    let late = async move {
        let _ = stopping.await;
        tokio::time::sleep(PATIENCE).await;
    };
    tokio::select! {
        () = server => {}
        () = late => {}
    }
    Ok(())
}

/// Serves the library to a program that this process starts: on loopback, with a token of its own,
/// until the runtime ends.
///
/// # Errors
///
/// There is no port, or no randomness.
pub async fn serve_on_loopback(library: Arc<Library>) -> Result<Ready, ServerError> {
    let options = ServerOptions {
        port: 0,
        ..ServerOptions::default()
    };
    let listener = bind(options.address, options.port).await?;
    let address = listener.local_addr()?;
    let access = access(&options, address)?;
    let ready = Ready {
        url: url(address, "", access.token()),
        address,
        token: access.token().map(str::to_owned),
    };
    let router = router_below("", library, access, None);
    let never = std::future::pending();
    tokio::spawn(connections::serve(
        listener,
        router,
        Limits::of_process(),
        never,
    ));
    Ok(ready)
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
    let token = match &options.token {
        Token::Random => new_token()?,
        Token::Given(token) if token.is_empty() || token.contains(char::is_control) => {
            return Err(ServerError::BadToken);
        }
        Token::Given(token) => token.clone(),
        Token::Off if address.ip().is_loopback() => {
            return Ok(Access::loopback(options.allowed_hosts.clone()));
        }
        Token::Off => return Err(ServerError::OpenToOthers(address.ip())),
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
        (Some(token), prefix) => format!("{base}{prefix}/?{}", token_query(token)),
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

/// Ends with Ctrl-C or SIGTERM. The signals are caught from this call on, not from the first poll:
/// whoever reads that the server is ready may end it at once.
///
/// # Panics
///
/// Outside a runtime.
pub fn asked_to_stop() -> impl Future<Output = ()> + Send {
    #[cfg(unix)]
    let (mut interrupt, mut terminate) = {
        use tokio::signal::unix::{SignalKind, signal};
        (
            signal(SignalKind::interrupt()),
            signal(SignalKind::terminate()),
        )
    };
    #[cfg(not(unix))]
    let mut interrupt = tokio::signal::windows::ctrl_c();
    async move {
        // A signal that cannot be caught ends the process as usual.
        let interrupted = async {
            match &mut interrupt {
                Ok(signal) => drop(signal.recv().await),
                Err(_) => std::future::pending().await,
            }
        };
        #[cfg(unix)]
        let terminated = async {
            match &mut terminate {
                Ok(signal) => drop(signal.recv().await),
                Err(_) => std::future::pending().await,
            }
        };
        #[cfg(not(unix))]
        let terminated = std::future::pending::<()>();
        tokio::select! {
            () = interrupted => {}
            () = terminated => {}
        }
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
    fn every_address_has_a_token_unless_loopback_goes_without() {
        let loopback = SocketAddr::from(([127, 0, 0, 1], 6006));
        let open = SocketAddr::from(([0, 0, 0, 0], 6006));
        let with = |token: Token, address| {
            let options = ServerOptions {
                token,
                ..ServerOptions::default()
            };
            access(&options, address).map(|access| access.token().map(str::to_owned))
        };
        for address in [loopback, open] {
            let random = with(Token::Random, address).expect("a token is made");
            assert_eq!(random.map(|token| token.len()), Some(32));
            let given = with(Token::Given("mine".to_owned()), address);
            assert_eq!(given.expect("a token is given").as_deref(), Some("mine"));
            for wrong in ["", "a\r\nb"] {
                assert!(
                    with(Token::Given(wrong.to_owned()), address).is_err(),
                    "{wrong:?}"
                );
            }
        }
        assert_eq!(with(Token::Off, loopback).expect("it may"), None);
        let error = with(Token::Off, open).expect_err("others could read everything");
        assert!(error.to_string().contains("0.0.0.0"), "{error}");
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
        assert_eq!(
            url(loopback, "", Some("a b;c&d#e\"f")),
            "http://127.0.0.1:6006/?token=a%20b%3Bc%26d%23e%22f"
        );
        assert!(!url(SocketAddr::from(([0, 0, 0, 0], 1)), "", None).contains("0.0.0.0"));
    }
}
