//! An agent's end of the pipes of `stepscope mcp`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::support::stepscope;

/// Most bytes of an answer, as documented.
const MOST_BYTES: usize = 10_000;

/// An agent's end of the pipes.
pub(crate) struct Client {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    asked: u64,
    /// Added to every request: protocol 2026-07-28 has no session.
    pub(crate) meta: Option<Value>,
}

impl Client {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::of(stepscope().arg("mcp").args(arguments))
    }

    pub(crate) fn of(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("the binary runs");
        Self {
            to: child.stdin.take().expect("a pipe"),
            from: BufReader::new(child.stdout.take().expect("a pipe")),
            child,
            asked: 0,
            meta: None,
        }
    }

    /// A session of protocol 2025-11-25.
    pub(crate) fn begun(arguments: &[&str]) -> Self {
        let mut client = Self::start(arguments);
        client.begin();
        client
    }

    pub(crate) fn begin(&mut self) -> Value {
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        });
        let answer = self.ask("initialize", hello);
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        answer
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.to, "{message}").expect("it reads");
        self.to.flush().expect("it reads");
    }

    /// The whole answer to a request.
    pub(crate) fn answer(&mut self, method: &str, mut parameters: Value) -> Value {
        self.asked += 1;
        if let Some(meta) = &self.meta {
            parameters["_meta"] = meta.clone();
        }
        let id = self.asked;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters }));
        let mut line = String::new();
        self.from.read_line(&mut line).expect("it answers");
        let answer: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line:?}"));
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    pub(crate) fn ask(&mut self, method: &str, parameters: Value) -> Value {
        let mut answer = self.answer(method, parameters);
        assert!(answer["error"].is_null(), "{answer}");
        answer["result"].take()
    }

    /// Calls a tool: its structured answer. Both forms are short enough.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let result = self.ask(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        );
        let bytes = result.to_string().len();
        assert!(bytes <= MOST_BYTES, "{tool} {arguments}: {bytes} bytes");
        let text = result["content"][0]["text"].as_str().expect("a text");
        assert!(!text.is_empty());
        let page = result["structuredContent"].clone();
        let is_error = result["isError"].as_bool().expect("a flag");
        assert_eq!(is_error, !page["error"].is_null(), "{result}");
        if let Some(error) = page["error"].as_str() {
            assert!(text.contains(error), "{text}");
            assert!(
                !page["next"].as_array().expect("calls").is_empty(),
                "{page}"
            );
        }
        page
    }

    /// Calls a tool that has an answer.
    pub(crate) fn told(&mut self, tool: &str, arguments: &Value) -> Value {
        let page = self.call(tool, arguments);
        assert!(page["error"].is_null(), "{tool} {arguments}: {page}");
        page
    }

    /// Calls a tool that has none, and the call that its error names.
    pub(crate) fn refused(&mut self, tool: &str, arguments: &Value) -> String {
        let page = self.call(tool, arguments);
        let error = page["error"]
            .as_str()
            .unwrap_or_else(|| panic!("{page}"))
            .to_owned();
        self.next(&page);
        error
    }

    /// Every next call of an answer works.
    pub(crate) fn next(&mut self, page: &Value) {
        for next in page["next"].as_array().into_iter().flatten() {
            self.told(next["tool"].as_str().expect("a name"), &next["arguments"]);
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
