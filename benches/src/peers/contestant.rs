//! The contestants, and how each is run.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use stepscope_analysis::views::timeline::encode::decode;
use stepscope_analysis::views::timeline::tile::TrackContent;
use stepscope_benches::child::{self, Cost};
use stepscope_benches::http;

/// Name of the run directory.
const RUN: &str = "capture";

/// Name of the host.
const HOST: &str = "host";

/// Width of the requested timeline.
const WIDTH_PX: u32 = 1600;

/// Anything smaller cannot be a valid answer.
const LEAST_BYTES: usize = 1000;

/// The task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Question {
    /// The overview as JSON on standard output.
    Overview,
    /// The timeline of the whole session at [`WIDTH_PX`], over HTTP from a server that was just
    /// started.
    FirstTile,
}

impl Question {
    pub(crate) const ALL: [Self; 2] = [Self::Overview, Self::FirstTile];
}

impl fmt::Display for Question {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Overview => "overview, end to end",
            Self::FirstTile => "process start to first full-width timeline",
        })
    }
}

/// A profiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Program {
    Stepscope,
    XprofRs,
    Xprof,
}

impl fmt::Display for Program {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Stepscope => "Stepscope",
            Self::XprofRs => "xprof-rs",
            Self::Xprof => "XProf",
        })
    }
}

/// A profiler and where it is installed.
#[derive(Debug)]
pub(crate) struct Contestant {
    pub(crate) program: Program,
    pub(crate) path: PathBuf,
}

impl Contestant {
    pub(crate) const fn new(program: Program, path: PathBuf) -> Self {
        Self { program, path }
    }

    /// Starts a process, sends the request, and returns what the answer cost.
    pub(crate) fn answer(&self, question: Question, logdir: &Path) -> Result<Cost> {
        let run = logdir.join("plugins/profile").join(RUN);
        let mut command = Command::new(&self.path);
        match (self.program, question) {
            (Program::Stepscope, Question::Overview) => {
                child::run(command.arg("overview").arg(logdir).arg("--json"))
            }
            (Program::Stepscope, Question::FirstTile) => {
                let port = child::free_port()?;
                command
                    .arg("view")
                    .arg(logdir)
                    .args(["--no-report", "--no-token", "--port"]);
                child::serve(
                    command.arg(port.to_string()),
                    port,
                    stepscope_tile,
                    is_complete,
                )
            }
            (Program::XprofRs, Question::Overview) => {
                child::run(command.arg("get_overview").arg(run))
            }
            (Program::XprofRs, Question::FirstTile) => {
                let port = child::free_port()?;
                command
                    .arg("--logdir")
                    .arg(logdir)
                    .args(["--host", "127.0.0.1", "--port"]);
                child::serve(command.arg(port.to_string()), port, xprof_trace, |body| {
                    is_trace(&body)
                })
            }
            (Program::Xprof, question) => {
                let options = format!("'trace_viewer_options': {{'resolution': '{WIDTH_PX}'}}");
                let (tool, options) = match question {
                    Question::Overview => ("overview_page", ""),
                    Question::FirstTile => ("trace_viewer@", options.as_str()),
                };
                run_xprof(&self.path, tool, options, logdir)
            }
        }
    }
}

/// The requests of the page: sessions, tracks, and then the tile.
fn stepscope_tile(port: u16) -> Result<(Value, Vec<u8>)> {
    let sessions: Value = serde_json::from_slice(&http::get(port, "/api/sessions")?)?;
    let session = sessions["sessions"][0]["id"]
        .as_u64()
        .context("there is no session")?;
    let timeline = format!("/api/sessions/{session}/analyses/timeline");
    let report: Value = serde_json::from_slice(&http::get(port, &timeline)?)?;
    let (start, end) = (&report["start_ps"], &report["end_ps"]);
    let tile = format!(
        "/api/sessions/{session}/timeline/tile?start_ps={start}&end_ps={end}&width_px={WIDTH_PX}"
    );
    let tile = http::get(port, &tile)?;
    Ok((report, tile))
}

/// A tile is complete: its counts add up to the slices of the session.
fn is_complete((report, tile): (Value, Vec<u8>)) -> Result<()> {
    let tile = decode(&tile)?;
    let lanes = tile.tracks.iter().filter_map(|track| match &track.content {
        TrackContent::Lanes(lanes) => Some(lanes),
        TrackContent::Counter(_) => None,
    });
    let counts = lanes.flatten().flat_map(|lane| &lane.counts);
    let drawn: u64 = counts.map(|&count| u64::from(count)).sum();
    let wanted = report["slice_count"].as_u64();
    ensure!(
        wanted == Some(drawn),
        "the tile holds {drawn} slices of {wanted:?}"
    );
    Ok(())
}

/// The single request for the trace of the whole session.
fn xprof_trace(port: u16) -> Result<Vec<u8>> {
    let path = format!(
        "/data/plugin/profile/data?run={RUN}&tag=trace_viewer@&host={HOST}&resolution={WIDTH_PX}"
    );
    http::get(port, &path)
}

fn is_trace(body: &[u8]) -> Result<()> {
    let has_events = body.windows(11).any(|bytes| bytes == b"traceEvents");
    ensure!(
        body.len() > LEAST_BYTES && has_events,
        "{} bytes are no trace",
        body.len()
    );
    Ok(())
}

/// The path of the profile in a log directory.
pub(crate) fn profile_in(logdir: &Path) -> PathBuf {
    let run = logdir.join("plugins/profile").join(RUN);
    run.join(HOST).with_extension("xplane.pb")
}

/// XProf's own conversion, called without its server: its minimum time. An empty answer is an
/// error.
pub(crate) fn run_xprof(python: &Path, tool: &str, options: &str, logdir: &Path) -> Result<Cost> {
    let script = format!(
        "import sys\n\
         from xprof.convert import raw_to_tool_data\n\
         answer, _ = raw_to_tool_data.xspace_to_tool_data([sys.argv[1]], '{tool}', {{{options}}})\n\
         sys.exit(0 if answer and len(answer) > {LEAST_BYTES} else 1)\n"
    );
    let mut command = Command::new(python);
    child::run(command.arg("-c").arg(script).arg(profile_in(logdir)))
}
