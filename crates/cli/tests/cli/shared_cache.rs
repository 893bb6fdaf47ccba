//! Several processes that fetch the same file into one cache, and a process killed while it fetches.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::support::{profile_bytes, stepscope};

/// A web server of one file, in ranges, slowly.
struct Web {
    port: u16,
    sent_bytes: Arc<AtomicU64>,
}

impl Web {
    fn start(file: Vec<u8>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("bound").port();
        let sent_bytes = Arc::new(AtomicU64::new(0));
        let (file, sent) = (Arc::new(file), Arc::clone(&sent_bytes));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (file, sent) = (Arc::clone(&file), Arc::clone(&sent));
                std::thread::spawn(move || serve(&stream, &file, &sent));
            }
        });
        Self { port, sent_bytes }
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/vm.xplane.pb", self.port)
    }
}

fn serve(mut stream: &TcpStream, file: &[u8], sent: &AtomicU64) -> io::Result<()> {
    let (mut line, mut range, mut is_get) = (String::new(), None, false);
    let mut head = BufReader::new(stream);
    while head.read_line(&mut line)? > 2 {
        is_get |= line.starts_with("GET ");
        let lower = line.to_ascii_lowercase();
        if let Some(asked) = lower.trim().strip_prefix("range: bytes=") {
            let (from, to) = asked.split_once('-').unwrap_or_default();
            range = from
                .parse()
                .ok()
                .zip(Some(to.parse().unwrap_or(usize::MAX)));
        }
        line.clear();
    }
    let (from, to): (usize, usize) = range.unwrap_or((0, usize::MAX));
    let to = to.min(file.len() - 1);
    let part = &file[from.min(to)..=to];
    let mut answer = String::new();
    let status = if range.is_some() {
        "206 Partial Content"
    } else {
        "200 OK"
    };
    let length = part.len();
    _ = write!(
        answer,
        "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nAccept-Ranges: bytes\r\n\
         ETag: \"one\"\r\nContent-Range: bytes {from}-{to}/{}\r\nConnection: close\r\n\r\n",
        file.len()
    );
    stream.write_all(answer.as_bytes())?;
    for chunk in part.chunks(16 << 10).filter(|_| is_get) {
        stream.write_all(chunk)?;
        sent.fetch_add(chunk.len() as u64, Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

fn overview(url: &str, cache: &std::path::Path) -> Child {
    stepscope()
        .args(["overview", url])
        .env("STEPSCOPE_CACHE_DIR", cache)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs")
}

#[test]
fn processes_that_share_a_cache_and_one_that_is_killed_see_the_whole_file() {
    let web = Web::start(profile_bytes());
    let cache = tempfile::tempdir().expect("a folder");
    let mut killed = overview(&web.url(), cache.path());
    while web.sent_bytes.load(Ordering::Relaxed) < 32 << 10 {
        std::thread::sleep(Duration::from_millis(2));
        assert!(killed.try_wait().expect("a child").is_none(), "it ended");
    }
    killed.kill().expect("SIGKILL");
    killed.wait().expect("it ended");
    let together: Vec<Child> = (0..4).map(|_| overview(&web.url(), cache.path())).collect();
    let mut answers = Vec::new();
    for child in together {
        let output = child.wait_with_output().expect("it ended");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        answers.push(output.stdout);
    }
    answers.dedup();
    assert_eq!(answers.len(), 1, "they differ");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("vm.xplane.pb");
    std::fs::write(&file, profile_bytes()).expect("a file");
    let local = crate::support::run(&["overview", file.to_str().expect("text")]);
    let steps = |text: &str| {
        text.lines()
            .find(|line| line.contains("step"))
            .map(str::to_owned)
    };
    assert_eq!(
        steps(&String::from_utf8_lossy(&answers[0])),
        steps(&local.stdout)
    );
    // The file is in the cache now. What is sent is the beginning of an answer that says so.
    std::thread::sleep(Duration::from_millis(500));
    let before = web.sent_bytes.load(Ordering::Relaxed);
    let output = overview(&web.url(), cache.path()).wait_with_output();
    assert!(output.expect("it ended").status.success());
    let again = web.sent_bytes.load(Ordering::Relaxed) - before;
    assert!(again < profile_bytes().len() as u64 / 2, "{again} bytes");
}
