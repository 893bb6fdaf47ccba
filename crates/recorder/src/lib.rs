//! What the flight recorder left in a log directory: the steps of its runs, and their incidents.
//!
//! The Python package writes the files (`python/stepscope/ring.py` and `incidents.py`); this crate
//! only reads them, while they are written too. Whatever is damaged is left out.
//!
//! ```no_run
//! let log_directory = std::path::Path::new("./profiles");
//! for incident in stepscope_recorder::incidents_at(log_directory).incidents {
//!     println!("{}: {}", incident.run, incident.what);
//! }
//! ```

mod incident;
mod metrics;
mod points;
mod report;
mod ring;
mod runs;
mod stopped;

pub use report::{
    Incident, IncidentCapture, IncidentMetric, IncidentRank, IncidentsReport, MetricPoint,
    RecordedRun, RunMetric, RunPoint,
};
pub use runs::{incident_count_at, incidents_at};
