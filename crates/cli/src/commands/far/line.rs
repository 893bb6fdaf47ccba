//! A running program with which lines are exchanged, and which ends when its input does.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a program may take to end once its input has ended.
const PATIENCE: Duration = Duration::from_secs(3);
/// How many bytes of standard error are kept for messages.
const MAX_SAID: usize = 64 << 10;

/// The program.
pub(crate) struct Line {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    said: Arc<Mutex<String>>,
}

impl Line {
    pub(crate) fn start(command: &mut Command) -> std::io::Result<Self> {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let input = child.stdin.take();
        let (sender, lines) = channel();
        if let Some(stdout) = child.stdout.take() {
            // Ends with the program, or when nobody reads lines anymore.
            std::thread::spawn(move || {
                for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                    if sender.send(line).is_err() {
                        return;
                    }
                }
            });
        }
        let said = Arc::new(Mutex::new(String::new()));
        if let Some(mut stderr) = child.stderr.take() {
            let said = Arc::clone(&said);
            std::thread::spawn(move || {
                let mut buffer = [0; 4096];
                while let Ok(count @ 1..) = stderr.read(&mut buffer) {
                    let text = String::from_utf8_lossy(&buffer[..count]);
                    tracing::info!(said = text.trim_end());
                    let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
                    if said.len() < MAX_SAID {
                        said.push_str(&text);
                    }
                }
            });
        }
        Ok(Self {
            child,
            input,
            lines,
            said,
        })
    }

    /// Sends a line. If the program has ended, [`Self::next`] says so.
    pub(crate) fn send(&mut self, text: &str) {
        if let Some(input) = &mut self.input {
            let _ = input
                .write_all(text.as_bytes())
                .and_then(|()| input.flush());
        }
    }

    /// The next line; `None` at the end.
    pub(crate) fn next(&self) -> Option<String> {
        self.lines.recv().ok()
    }

    /// What was printed on standard error so far.
    pub(crate) fn said(&self) -> String {
        self.said
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Its exit status, if it has ended.
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Ends it: closes its input first, which ends what it runs elsewhere.
    pub(crate) fn end(&mut self) -> Option<ExitStatus> {
        drop(self.input.take());
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            if let Some(status) = self.ended() {
                return Some(status);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        self.child.wait().ok()
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if self.ended().is_none() {
            self.end();
        }
    }
}
