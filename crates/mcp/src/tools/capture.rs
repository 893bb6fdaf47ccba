//! `capture`: a new session of running programs, only if the person who started this allows it.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use stepscope_server::{CapturePhase, CaptureReport, CaptureRequest, Captures};

use super::Within;
use crate::link;
use crate::page::{Next, Whole};
use crate::roots::{Chosen, Refusal};

/// Longest recording. Agents wait for the answer, and a longer one is rarely worth its size.
const MOST_SECONDS: f64 = 60.0;

/// Arguments of `capture`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    /// `HOST:PORT` of each process, separated by commas: where it called
    /// `jax.profiler.start_server(PORT)`.
    addresses: String,
    /// How long to record, at most 60 seconds. A few steps are enough.
    #[serde(default = "usual_seconds")]
    seconds: f64,
    /// What was changed, in one word; it becomes part of the session's name.
    #[serde(default)]
    name: String,
    /// Also record every call of Python; the program runs slower.
    #[serde(default)]
    python: bool,
}

const fn usual_seconds() -> f64 {
    2.0
}

/// Captures, and says what became of it.
pub(crate) async fn run(within: &Within<'_>, asked: &Arguments) -> Result<Whole, Refusal> {
    let Some(captures) = within.captures else {
        return Err(not_allowed());
    };
    if !(asked.seconds > 0.0 && asked.seconds <= MOST_SECONDS) {
        let error = format!("{} seconds cannot be recorded.", asked.seconds);
        return Err(Refusal::new(error).hint(format!("Up to {MOST_SECONDS} seconds.")));
    }
    let report = captured(captures, asked).await?;
    let Some(key) = &report.session else {
        let mut refusal = Refusal::new(report.error.clone()).hint(report.hint.clone());
        for line in told(&report) {
            refusal.error = format!("{} {line}", refusal.error);
        }
        return Err(refusal);
    };
    let root = &within.roots.0[0];
    let handle = within.roots.handle(root, key);
    let mut whole = Whole::new(format!("capture {}", report.session_id), &handle);
    whole.told("status", &report.status);
    for line in told(&report) {
        whole.line(&line);
    }
    whole.next.push(Next::new(
        "report",
        &[("session", &handle)],
        "what the capture says",
    ));
    let before = within.roots.list().into_iter();
    let before = before.map(|one| one.handle).find(|other| *other != handle);
    if let Some(before) = before {
        let next = Next::new("compare", &[], "whether it is faster than the one before");
        whole
            .next
            .push(next.with("sessions", vec![before, handle.clone()]));
    }
    let chosen: Option<Chosen<'_>> = within.roots.choose(Some(&handle)).ok();
    if let Some(chosen) = chosen {
        whole.open = link::open(within.page, &chosen, "overview", &[]);
    }
    Ok(whole)
}

/// What agents hear where captures are not allowed.
pub(crate) fn not_allowed() -> Refusal {
    Refusal::new("Captures are not allowed here.")
        .hint(
            "The person who starts Stepscope allows them: `--allow-capture HOST`. Or they run \
             `stepscope capture HOST:PORT --logdir ROOT`.",
        )
        .next(Next::new("sessions", &[], "the sessions that are there"))
}

async fn captured(captures: &Arc<Captures>, asked: &Arguments) -> Result<CaptureReport, Refusal> {
    let request = CaptureRequest {
        addresses: asked.addresses.clone(),
        duration_seconds: asked.seconds,
        name: asked.name.clone(),
        python_tracer_level: u32::from(asked.python),
        ..CaptureRequest::default()
    };
    captures.capture(&request).await.map_err(|error| {
        Refusal::from(error).next(Next::new("sessions", &[], "the sessions that are there"))
    })
}

/// What is to be said about each process.
fn told(report: &CaptureReport) -> Vec<String> {
    let hosts = report.hosts.iter();
    let told = hosts.filter_map(|host| {
        let is_failed = host.phase == CapturePhase::Failed;
        let what = match &*host.message {
            "" if is_failed => "it sent no profile",
            "" => return None,
            message => message,
        };
        Some(
            format!("{}: {what} {}", host.address, host.hint)
                .trim_end()
                .to_owned(),
        )
    });
    told.collect()
}
