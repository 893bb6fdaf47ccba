//! Connections on real sockets.

use std::net::SocketAddr;

use axum::routing::{get, post};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::*;

const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
const GET_SLOWLY: &[u8] = b"GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// More than the buffers of two sockets.
const LARGE: usize = 64 << 20;

struct Server {
    address: SocketAddr,
    /// Lets the slow route answer.
    go: Arc<Notify>,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

async fn server(most: usize, head: Duration) -> Server {
    let limits = Limits {
        most,
        head,
        body: BODY,
        reader: READER,
    };
    server_within(limits).await
}

async fn server_within(limits: Limits) -> Server {
    let go = Arc::new(Notify::new());
    let slow = Arc::clone(&go);
    let router = Router::new().route("/", get(|| async { "fast" })).route(
        "/slow",
        get(|| async move {
            slow.notified().await;
            "slow"
        }),
    );
    let router = router.route("/body", post(|_: Bytes| async { "fast" }));
    let router = router.route("/large", get(|| async { vec![b'.'; LARGE] }));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("bound");
    let (stop, stopped) = oneshot::channel();
    let stopped = async { drop(stopped.await) };
    let task = tokio::spawn(serve(listener, router, limits, stopped));
    Server {
        address,
        go,
        stop,
        task,
    }
}

impl Server {
    async fn connect(&self, sent: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).await.expect("it listens");
        stream.write_all(sent).await.expect("sent");
        stream
    }
}

/// What arrives until the first answer is whole or the connection ends.
async fn read(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    let mut buffer = [0; 1024];
    let reading = async {
        while !text.ends_with(b"fast") && !text.ends_with(b"slow") {
            match stream.read(&mut buffer).await {
                Ok(0) | Err(_) => break,
                Ok(count) => text.extend_from_slice(&buffer[..count]),
            }
        }
    };
    let within = tokio::time::timeout(Duration::from_secs(20), reading).await;
    assert!(within.is_ok(), "neither an answer nor an end");
    String::from_utf8_lossy(&text).into_owned()
}

#[tokio::test]
async fn idle_connections_make_room_for_requests() {
    let server = server(8, HEAD).await;
    let mut idle = Vec::new();
    for _ in 0..8 {
        idle.push(server.connect(b"").await);
    }
    let mut used = server.connect(GET).await;
    assert!(read(&mut used).await.ends_with("fast"));
    // The oldest was ended, and no other.
    assert_eq!(read(&mut idle[0]).await, "");
    idle[7].write_all(GET).await.expect("sent");
    assert!(read(&mut idle[7]).await.ends_with("fast"));
}

#[tokio::test]
async fn a_flood_of_idle_connections_starves_nobody() {
    let server = server(8, HEAD).await;
    let mut flood = Vec::new();
    for _ in 0..200 {
        flood.push(server.connect(b"").await);
    }
    let mut used = server.connect(GET).await;
    let answer = read(&mut used).await;
    assert!(answer.ends_with("fast"), "{answer}");
}

#[tokio::test]
async fn where_all_are_busy_more_are_refused() {
    let server = server(8, HEAD).await;
    let mut busy = Vec::new();
    for _ in 0..8 {
        busy.push(server.connect(GET_SLOWLY).await);
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    let mut more = server.connect(b"").await;
    let refused = read(&mut more).await;
    assert!(refused.starts_with("HTTP/1.1 503"), "{refused}");
    let (head, body) = refused.split_once("\r\n\r\n").expect("a head");
    assert!(
        head.contains(&format!("Content-Length: {}\r\n", body.len())),
        "{refused}"
    );
    server.go.notify_waiters();
    for mut stream in busy {
        assert!(read(&mut stream).await.ends_with("slow"));
    }
}

#[tokio::test]
async fn a_head_that_does_not_come_ends_the_connection() {
    let server = server(8, Duration::from_millis(200)).await;
    for begun in [&b""[..], b"GET / HTTP/1.1\r\nHost: loc"] {
        let mut stream = server.connect(begun).await;
        assert!(!read(&mut stream).await.contains("200 OK"));
    }
    // The time between requests counts as well.
    let mut kept = server.connect(GET).await;
    assert!(read(&mut kept).await.ends_with("fast"));
    assert_eq!(read(&mut kept).await, "");
}

#[tokio::test]
async fn a_body_that_does_not_come_ends_the_connection() {
    let limits = Limits {
        most: 2,
        head: HEAD,
        body: Duration::from_millis(300),
        reader: READER,
    };
    let server = server_within(limits).await;
    let head = b"POST /body HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n";
    let mut stuck = server.connect(head).await;
    // A byte now and then is no body, either.
    let mut slow = server.connect(head).await;
    let (mut read_half, mut write_half) = slow.split();
    let begin = Instant::now();
    let dripping = async {
        while write_half.write_all(b" ").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let ended = async {
        let mut text = Vec::new();
        // The connection may be reset while we still write.
        let _ = read_half.read_to_end(&mut text).await;
        String::from_utf8_lossy(&text).into_owned()
    };
    let slow_answer = tokio::select! {
        answer = ended => answer,
        () = dripping => String::new(),
    };
    assert!(!slow_answer.contains("200 OK"), "{slow_answer}");
    assert!(!read(&mut stuck).await.contains("200 OK"));
    assert!(begin.elapsed() < HEAD, "{:?}", begin.elapsed());
    // One that comes is taken.
    let whole = b"POST /body HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}";
    let mut asked = server.connect(whole).await;
    assert!(read(&mut asked).await.ends_with("fast"));
}

#[tokio::test]
async fn a_head_that_is_too_long_is_refused() {
    let server = server(8, HEAD).await;
    let mut stream = server
        .connect(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ")
        .await;
    // It may be refused before its end.
    let _ = stream.write_all(&vec![b'x'; 3 * BUFFER_BYTES]).await;
    let _ = stream.write_all(b"\r\n\r\n").await;
    assert!(!read(&mut stream).await.contains("200 OK"));
    let mut fits = server
        .connect(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ")
        .await;
    fits.write_all(&vec![b'x'; BUFFER_BYTES / 2])
        .await
        .expect("sent");
    fits.write_all(b"\r\n\r\n").await.expect("sent");
    assert!(read(&mut fits).await.ends_with("fast"));
}

#[tokio::test]
async fn http_2_is_not_spoken() {
    let server = server(8, HEAD).await;
    let mut stream = server
        .connect(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0")
        .await;
    let answer = read(&mut stream).await;
    assert!(
        answer.is_empty() || answer.starts_with("HTTP/1.1 400"),
        "{answer:?}"
    );
}

#[tokio::test]
async fn what_was_asked_is_answered_before_the_end() {
    let server = server(8, HEAD).await;
    let mut asked = server.connect(GET_SLOWLY).await;
    let _idle = server.connect(b"").await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    server.stop.send(()).expect("it runs");
    tokio::time::sleep(Duration::from_millis(100)).await;
    server.go.notify_waiters();
    assert!(read(&mut asked).await.ends_with("slow"));
    let ended = tokio::time::timeout(Duration::from_secs(10), server.task).await;
    ended.expect("in time").expect("no panic");
}

#[test]
fn the_limit_of_descriptors_is_read() {
    let text = "Limit  Soft Limit  Hard Limit  Units\nMax open files            256        4096     files\n";
    assert_eq!(descriptors(text), Some(256));
    assert_eq!(
        descriptors("Max open files  unlimited  unlimited  files"),
        Some(usize::MAX)
    );
    assert_eq!(descriptors(""), None);
    assert!(Limits::of_process().most >= 8);
}

#[tokio::test]
async fn an_answer_that_nobody_takes_ends_its_connection() {
    let limits = Limits {
        most: 1,
        head: HEAD,
        body: BODY,
        reader: Duration::from_millis(300),
    };
    let server = server_within(limits).await;
    let ask = b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let mut stuck = server.connect(ask).await;
    let mut first = [0; 1];
    stuck.read_exact(&mut first).await.expect("it begins");
    // There is room again once the answer is given up.
    let answered = async {
        loop {
            let mut other = server.connect(GET).await;
            if read(&mut other).await.ends_with("fast") {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let within = tokio::time::timeout(Duration::from_secs(20), answered).await;
    assert!(within.is_ok(), "the connection is held");
    let mut rest = Vec::new();
    let end = stuck.read_to_end(&mut rest).await;
    assert!(end.is_err() || rest.len() < LARGE, "{} bytes", rest.len());
}
