//! A running program with which lines are exchanged, and which ends when its input does.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a program may take to end once its input has ended.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long to wait for the rest of standard error once the program has ended: what it started may
/// hold it open.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// How many bytes of standard error are kept for messages.
const MAX_SAID: usize = 64 << 10;

/// The program.
pub(crate) struct Line {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    said: Arc<Mutex<String>>,
    /// Closed once all of standard error is read; none when it was waited for.
    all_said: Option<Receiver<()>>,
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
        let (saying, all_said) = channel();
        if let Some(mut stderr) = child.stderr.take() {
            let said = Arc::clone(&said);
            std::thread::spawn(move || {
                let _saying: Sender<()> = saying;
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
            all_said: Some(all_said),
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

    /// Its exit status, if it has ended; then [`Self::said`] is complete.
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        let status = self.child.try_wait().ok().flatten()?;
        if let Some(all_said) = self.all_said.take() {
            let _ = all_said.recv_timeout(LAST_WORDS);
        }
        Some(status)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_words_of_a_program_are_heard() {
        for _ in 0..50 {
            let script = "echo no such project >&2; exit 3";
            let mut line = Line::start(Command::new("sh").args(["-c", script])).expect("sh");
            assert_eq!(line.next(), None);
            let status = line.end().and_then(|status| status.code());
            assert_eq!(
                (status, line.said().as_str()),
                (Some(3), "no such project\n")
            );
        }
    }
}
