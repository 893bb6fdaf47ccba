//! Programs with one planted cause each (`fixtures/capture_causes.py`), and what they measured.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use stepscope_model::Session;
use stepscope_testing::corpus::{self, Capture};

use super::open;

/// A capture and what its program measured.
pub(crate) struct Planted {
    pub(crate) case: String,
    pub(crate) name: String,
    pub(crate) is_annotated: bool,
    pub(crate) has_python: bool,
    /// Mean over its steps, seconds; none where it did not wait for any.
    pub(crate) step_s: Option<f64>,
    /// What the cause took in a step, seconds.
    pub(crate) cause_s: f64,
    pub(crate) session: Session,
}

/// The captures of a folder of fixtures.
pub(crate) fn read_all(family: &str) -> Vec<Planted> {
    let folder = corpus::repository_root().join("fixtures").join(family);
    let mut folders: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("the planted captures are there")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders.iter().map(|path| read(path)).collect()
}

fn read(folder: &Path) -> Planted {
    let text = fs::read_to_string(folder.join("truth.json")).expect("each has its truth");
    let truth: Value = serde_json::from_str(&text).expect("the truth is JSON");
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let steps = truth["steps"].as_f64().unwrap_or(0.0).max(1.0);
    Planted {
        case: truth["case"].as_str().unwrap_or_default().to_owned(),
        is_annotated: truth["annotated"] == true,
        has_python: truth["python_tracer"] == true,
        step_s: truth["step_s"].as_f64(),
        cause_s: truth["cause_s"].as_f64().unwrap_or(0.0) / steps,
        session: open(&Capture {
            name: name.to_string(),
            folder: folder.to_path_buf(),
            hosts: vec![folder.join("vm.xplane.pb.gz")],
            own: true,
        }),
        name: name.into_owned(),
    }
}

impl Planted {
    /// Nobody can tell a step of many programs from what ran.
    pub(crate) fn has_steps(&self) -> bool {
        self.step_s.is_some() && (self.is_annotated || self.case != "eager-ops")
    }
}
