//! The manifest beside each file: what the profile itself does not say.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};

use crate::folder::{Folder, write_whole};
use crate::outcome::{HostOutcome, Outcome};
use crate::request::{OptionValue, Request};

/// Writes `<host>.stepscope.json` beside the file of every host that gave one. A manifest that
/// cannot be written takes nothing away from the capture.
pub(crate) fn write(
    request: &Request,
    outcome: &Outcome,
    folder: &Folder,
    started: SystemTime,
    trigger: &str,
) {
    let missing: Vec<String> = outcome
        .failed()
        .map(|host| host.address.to_string())
        .collect();
    for host in &outcome.hosts {
        let Some(file) = host.file() else { continue };
        let content = json!({
            "stepscope_manifest": 1,
            "session_id": outcome.session_id,
            "name": request.name,
            "host": host.address.file_stem(),
            "started_unix_ns": unix_ns(started),
            "stopped_unix_ns": unix_ns(SystemTime::now()),
            "success": true,
            "error": null,
            "is_empty": file.is_empty,
            "trigger": trigger,
            "versions": { "stepscope": env!("CARGO_PKG_VERSION") },
            "options": options(request, host),
            "missing_hosts": missing,
        });
        let path = folder
            .path
            .join(format!("{}.stepscope.json", host.address.file_stem()));
        if let Err(error) = write_text(&path, &content) {
            tracing::warn!(%error, path = %path.display(), "the manifest cannot be written");
        }
    }
}

fn write_text(path: &Path, content: &Value) -> std::io::Result<()> {
    let text = serde_json::to_string_pretty(content)?;
    write_whole(path, format!("{text}\n").as_bytes())
}

fn options(request: &Request, host: &HostOutcome) -> Value {
    let advanced: Map<String, Value> = request
        .options
        .iter()
        .map(|(key, value)| {
            let value = match value {
                OptionValue::Truth(value) => Value::from(*value),
                OptionValue::Number(value) => Value::from(*value),
                OptionValue::Text(value) => Value::from(value.as_str()),
            };
            (key.clone(), value)
        })
        .collect();
    json!({
        "address": host.address.to_string(),
        "duration_seconds": request.duration.as_secs_f64(),
        "host_tracer_level": request.tracers.host,
        "device_tracer_level": request.tracers.device,
        "python_tracer_level": request.tracers.python,
        "advanced_configuration": advanced,
    })
}

/// Nanoseconds since the Unix epoch.
pub(crate) fn unix_ns(time: SystemTime) -> u64 {
    let since_epoch = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since_epoch.as_nanos()).unwrap_or(u64::MAX)
}
