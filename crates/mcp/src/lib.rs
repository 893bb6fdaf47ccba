//! Sessions for agents, over the Model Context Protocol.
//!
//! [`Agent`] answers calls of tools; [`serve_stdio`] lets a program call them over pipes, and
//! [`http_route`] beside the pages. A tool asks what the other surfaces ask (the analyses, comparisons
//! and queries, with the same options), and shortens the answer to one page: JSON and text of at most
//! 10 kB together, with a cursor to the next page and the calls that are useful next.
//!
//! ```no_run
//! # async fn example() {
//! let agent = stepscope_mcp::Agent::new(&["./logs".into()], None);
//! let answer = agent.call("report", serde_json::Map::new()).await;
//! println!("{}", answer.text);
//! # }
//! ```
//!
//! Constraints: it writes nothing but captures, where they are allowed; it computes no figure itself.
//! It reads only sessions below the given paths, and leaves out those with a link that leads out of
//! them; beside the pages it reads what they read.

mod agent;
mod asked;
mod browser;
mod link;
mod page;
mod protocol;
mod roots;
pub mod skill;
mod tables;
mod tools;

pub use agent::{Agent, INSTRUCTIONS, ToolEntry, answer_schema, tools};
pub use page::{MOST_BYTES, Next, Page, Shown, TablePart};
pub use protocol::{McpError, http_route, serve_stdio};
