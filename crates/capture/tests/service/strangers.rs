//! Addresses at which something else listens.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use stepscope_capture::HostFailure;

use crate::support::{failure, logdir, request, run};

/// Answers every connection with the same bytes, and lets go.
fn stranger(answer: impl Fn(&[u8]) -> Vec<u8> + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            serve(&mut stream, &answer);
        }
    });
    address
}

fn serve(stream: &mut TcpStream, answer: impl Fn(&[u8]) -> Vec<u8>) {
    let mut asked = [0; 256];
    let _ = stream.set_read_timeout(Some(Duration::from_secs(2)));
    let count = stream.read(&mut asked).unwrap_or(0);
    let _ = stream.write_all(&answer(&asked[..count]));
}

fn failure_at(address: &str) -> HostFailure {
    let logdir = logdir();
    let (outcome, _) = run(&request(&[address], logdir.path()));
    failure(&outcome, 0).clone()
}

#[test]
fn a_web_server_is_recognized() {
    let page = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
    let failure = failure_at(&stranger(|_| page.to_vec()));
    assert_eq!(failure, HostFailure::WebServer);
    assert!(failure.hint().contains("TensorBoard"));
}

#[test]
fn a_server_that_wants_encryption_is_recognized() {
    // An alert to whatever is not a hello, and a hello to a hello.
    let tls = |asked: &[u8]| match asked.first() {
        Some(0x16) => vec![0x16, 3, 3, 0, 1, 2],
        _ => vec![0x15, 3, 3, 0, 2, 2, 80],
    };
    assert_eq!(failure_at(&stranger(tls)), HostFailure::Tls);
    // What servers of encrypted pages say instead.
    let page = b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";
    assert_eq!(failure_at(&stranger(|_| page.to_vec())), HostFailure::Tls);
}

#[test]
fn what_speaks_neither_is_said_so() {
    let ssh = |_: &[u8]| b"SSH-2.0-OpenSSH_9.2\r\n".to_vec();
    assert_eq!(failure_at(&stranger(ssh)), HostFailure::NotGrpc);
}

/// Bytes of HTTP/2: settings and their confirmation, the head of a gRPC reply, and the beginning of
/// a message that claims to be 4 GiB long.
fn huge_reply() -> Vec<u8> {
    let mut bytes = vec![0, 0, 0, 4, 0, 0, 0, 0, 0];
    bytes.extend([0, 0, 0, 4, 1, 0, 0, 0, 0]);
    let kind = b"application/grpc";
    // `:status: 200` from the table, then `content-type` by its name in the table.
    let head = [&[0x88, 0x0f, 0x10, 16][..], kind].concat();
    bytes.extend([0, 0, 20, 1, 4, 0, 0, 0, 1]);
    bytes.extend(head);
    bytes.extend([0, 0, 5, 0, 0, 0, 0, 0, 1]);
    bytes.extend([0, 0xff, 0xff, 0xff, 0xff]);
    bytes
}

#[test]
fn a_reply_that_claims_four_gibibytes_is_not_waited_for() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || answer_hugely(stream));
        }
    });
    let failure = failure_at(&address);
    assert!(matches!(failure, HostFailure::TooLarge(_)), "{failure}");
}

/// Answers the first call of a connection, and listens until it ends.
fn answer_hugely(mut stream: TcpStream) {
    let mut asked = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = stream.read(&mut buffer) {
        let before = asked.len();
        asked.extend_from_slice(&buffer[..count]);
        // The call is sent once the path is there; it is compressed, so its length shows it.
        if before < 200 && asked.len() >= 200 {
            let _ = stream.write_all(&huge_reply());
        }
    }
}

#[test]
fn a_name_that_does_not_exist_is_told() {
    let failure = failure_at("no-such-host.invalid:9999");
    assert!(
        matches!(
            failure,
            HostFailure::UnknownHost(_) | HostFailure::Unreachable(_)
        ),
        "{failure}"
    );
}

#[test]
fn a_grpc_server_without_a_profiler_is_recognized() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let listener = runtime
        .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
        .unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let incoming = tonic::transport::server::TcpIncoming::from(listener);
    let routes = tonic::service::Routes::default();
    let server = tonic::transport::Server::builder().add_routes(routes);
    runtime.spawn(server.serve_with_incoming(incoming));
    assert_eq!(failure_at(&address), HostFailure::NoProfiler);
}
