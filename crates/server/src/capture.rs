//! Captures requested by the page: start, progress, end; their sessions join the library.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use stepscope_capture::{
    Address, Cancel, HostOutcome, HostProgress, Memory, Outcome, Phase, Progress, Request,
    Reservation, TracerLevels, capture_async,
};
use stepscope_storage::{Reserved, Short};

use crate::capture_reports::{
    CaptureHost, CapturePhase, CaptureReport, CaptureRequest, CaptureSettings, CaptureState,
};
use crate::error::ApiError;
use crate::library::Library;
use crate::reports::ErrorReport;

/// Maximum number of captures at the same time; each holds profiles, as far as the memory budget allows.
const MAX_RUNNING: usize = 4;
/// Maximum number of addresses of one capture. More would be a scan of a network; the command line
/// has no such limit.
const MAX_ADDRESSES: usize = 64;
/// How often to look whether a capture has ended.
const LOOK: Duration = Duration::from_millis(50);
/// How many captures are remembered.
const MAX_REMEMBERED: usize = 50;

/// The captures into the folder of a library.
pub struct Captures {
    library: Arc<Library>,
    jobs: Mutex<Vec<Arc<Job>>>,
    next_id: AtomicU32,
}

/// One capture.
pub(crate) struct Job {
    id: u32,
    request: Request,
    cancel: Cancel,
    state: Mutex<JobState>,
}

struct JobState {
    hosts: Vec<CaptureHost>,
    end: Option<End>,
}

/// What is known when a capture has ended.
struct End {
    status: &'static str,
    session_id: String,
    session: Option<String>,
    error: String,
    hint: String,
}

/// What a host hands over, from the budget of the process.
#[derive(Default)]
struct Reply(Reserved);

impl Reservation for Reply {
    fn grow_to(&mut self, bytes: u64) -> Result<(), String> {
        let left = |short: Short| format!("{} of {} bytes are left", short.free, short.total);
        self.0.grow_to(bytes).map_err(left)
    }
}

/// Why a server captures nothing, and how to start one that does.
struct Impossible {
    reason: &'static str,
    hint: &'static str,
}

impl Impossible {
    /// It has no log directory to write to.
    const fn no_logdir(reason: &'static str) -> Self {
        let hint = "Start the server with a log directory: `stepscope view LOGDIR`";
        Self { reason, hint }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Captures {
    /// Without any capture yet.
    pub fn new(library: Arc<Library>) -> Self {
        Self {
            library,
            jobs: Mutex::default(),
            next_id: AtomicU32::new(1),
        }
    }

    /// Whether captures are possible, and where they are written.
    pub(crate) fn settings(&self) -> CaptureSettings {
        let (logdir, reason) = match self.logdir() {
            Ok(logdir) => (logdir.display().to_string(), String::new()),
            Err(impossible) => (String::new(), impossible.reason.to_owned()),
        };
        let jobs = locked(&self.jobs);
        let running = jobs.iter().filter(|job| job.is_running());
        CaptureSettings {
            logdir,
            reason,
            running: running.map(|job| job.id).collect(),
        }
    }

    /// The log directory that the server was started with. Nothing is written anywhere else: a
    /// session elsewhere would not be in the list, and a client must not be able to write wherever
    /// the server can.
    fn logdir(&self) -> Result<PathBuf, Impossible> {
        if self.library.refuses_captures() {
            return Err(Impossible::no_logdir(
                "captures are disabled on this server, for example because it shows several log \
                 directories or belongs to TensorBoard",
            ));
        }
        if self
            .library
            .capture_hosts()
            .is_some_and(<[String]>::is_empty)
        {
            return Err(Impossible {
                reason: "other machines can reach this server, and it was started without \
                         --allow-capture HOST",
                hint: "Start the server with the hosts to capture: \
                       `stepscope view LOGDIR --allow-capture HOST`",
            });
        }
        let root = self.library.root_path().ok_or(Impossible::no_logdir(
            "this server shows a capture that is not in a folder",
        ))?;
        if !root.is_dir() {
            return Err(Impossible::no_logdir("this server shows a single file"));
        }
        log_directory_of(root).ok_or(Impossible::no_logdir(
            "this server shows a single run, not a log directory",
        ))
    }

    /// Captures, and waits for the end.
    ///
    /// # Errors
    ///
    /// The library has no folder for captures, or the request is refused.
    pub async fn capture(
        self: &Arc<Self>,
        asked: &CaptureRequest,
    ) -> Result<CaptureReport, ErrorReport> {
        let job = self.start(asked).map_err(|error| error.report)?;
        while job.is_running() {
            tokio::time::sleep(LOOK).await;
        }
        Ok(job.report())
    }

    /// Starts a capture.
    pub(crate) fn start(self: &Arc<Self>, asked: &CaptureRequest) -> Result<Arc<Job>, ApiError> {
        let logdir = self.logdir().map_err(|Impossible { reason, hint }| {
            ApiError::bad_request(format!("Captures are not possible: {reason}.")).with_hint(hint)
        })?;
        let request = request(asked, logdir)?;
        if let Some(allowed) = self.library.capture_hosts() {
            check_hosts(&request.addresses, allowed)?;
        }
        let mut jobs = locked(&self.jobs);
        if jobs.iter().filter(|job| job.is_running()).count() >= MAX_RUNNING {
            return Err(ApiError::bad_request("Too many captures are running.")
                .with_hint("Wait for one of them, or cancel it."));
        }
        let hosts = request
            .addresses
            .iter()
            .map(|address| CaptureHost::new(&address.to_string()));
        let job = Arc::new(Job {
            id: self.next_id.fetch_add(1, Ordering::Relaxed),
            state: Mutex::new(JobState {
                hosts: hosts.collect(),
                end: None,
            }),
            request,
            cancel: Cancel::new(),
        });
        jobs.push(Arc::clone(&job));
        if jobs.len() > MAX_REMEMBERED
            && let Some(oldest) = jobs.iter().position(|job| !job.is_running())
        {
            jobs.remove(oldest);
        }
        let (captures, started) = (Arc::clone(self), Arc::clone(&job));
        tokio::spawn(async move { captures.run(&started).await });
        Ok(job)
    }

    async fn run(&self, job: &Arc<Job>) {
        let captured = capture_async(&job.request, job.as_ref(), &job.cancel).await;
        let end = match captured {
            Ok(outcome) => {
                job.settle(&outcome.hosts);
                self.end(&outcome).await
            }
            Err(error) => End {
                status: "nothing",
                session_id: String::new(),
                session: None,
                hint: error.hint().to_owned(),
                error: error.to_string(),
            },
        };
        locked(&job.state).end = Some(end);
    }

    /// The result of a capture, with its session in the library.
    async fn end(&self, outcome: &Outcome) -> End {
        let mut end = End {
            status: outcome.status().name(),
            session_id: outcome.session_id.clone(),
            session: None,
            error: String::new(),
            hint: String::new(),
        };
        if outcome.files().next().is_none() {
            "No host sent a profile.".clone_into(&mut end.error);
            return end;
        }
        let (library, folder) = (Arc::clone(&self.library), outcome.folder.clone());
        let found = tokio::task::spawn_blocking(move || {
            library.look_again();
            library.key_in(&folder)
        });
        end.session = found.await.ok().flatten();
        if end.session.is_none() {
            "The capture was written, but is not in the list of sessions."
                .clone_into(&mut end.error);
            end.hint = format!("It is in {}", outcome.folder.display());
        }
        end
    }

    /// The capture with this number.
    pub(crate) fn job(&self, id: &str) -> Result<Arc<Job>, ApiError> {
        let number = id.parse().ok();
        let jobs = locked(&self.jobs);
        let found = jobs.iter().find(|job| Some(job.id) == number).cloned();
        found.ok_or_else(|| ApiError::not_found(format!("Unknown capture {id:?}.")))
    }
}

impl Job {
    fn is_running(&self) -> bool {
        locked(&self.state).end.is_none()
    }

    /// Ends it early and keeps what arrived; the second call aborts.
    pub(crate) fn end(&self) {
        if self.cancel.is_finishing() {
            self.cancel.abort();
        } else {
            self.cancel.finish();
        }
    }

    /// Its progress.
    pub(crate) fn report(&self) -> CaptureReport {
        let state = locked(&self.state);
        let end = state.end.as_ref();
        let text = |of: fn(&End) -> &String| end.map(of).cloned().unwrap_or_default();
        CaptureReport {
            id: self.id,
            state: match end {
                None if self.cancel.is_finishing() => CaptureState::Ending,
                None => CaptureState::Running,
                Some(_) => CaptureState::Done,
            },
            status: end.map_or("", |end| end.status).to_owned(),
            duration_seconds: self.request.duration.as_secs_f64(),
            hosts: state.hosts.clone(),
            session_id: text(|end| &end.session_id),
            session: end.and_then(|end| end.session.clone()),
            error: text(|end| &end.error),
            hint: text(|end| &end.hint),
        }
    }

    /// Adds to the hosts what is only known at the end.
    fn settle(&self, outcomes: &[HostOutcome]) {
        let mut state = locked(&self.state);
        for (host, outcome) in state.hosts.iter_mut().zip(outcomes) {
            match &outcome.result {
                Ok(file) if file.is_empty => {
                    "It recorded no events.".clone_into(&mut host.message);
                    "Was the job working? Try a longer capture.".clone_into(&mut host.hint);
                }
                Ok(_) => {}
                Err(failure) => {
                    host.phase = CapturePhase::Failed;
                    host.message = failure.to_string();
                    failure.hint().clone_into(&mut host.hint);
                }
            }
        }
    }
}

impl Progress for Job {
    fn host(&self, index: usize, progress: &HostProgress) {
        let mut state = locked(&self.state);
        if let Some(host) = state.hosts.get_mut(index) {
            host.phase = phase(&progress.phase);
            host.elapsed_seconds = progress.elapsed.as_secs_f64();
            host.received_bytes = progress.received_bytes;
            if let Phase::Failed(reason) = &progress.phase {
                host.message.clone_from(reason);
            }
        }
    }
}

const fn phase(phase: &Phase) -> CapturePhase {
    match phase {
        Phase::Connecting => CapturePhase::Connecting,
        Phase::Busy => CapturePhase::Busy,
        Phase::Waiting => CapturePhase::Waiting,
        Phase::Recording => CapturePhase::Recording,
        Phase::Gathering => CapturePhase::Gathering,
        Phase::Receiving => CapturePhase::Receiving,
        Phase::Done => CapturePhase::Done,
        Phase::Failed(_) => CapturePhase::Failed,
    }
}

/// The request to make, from the one the page sends.
fn request(asked: &CaptureRequest, logdir: PathBuf) -> Result<Request, ApiError> {
    let refused = |error: &stepscope_capture::CaptureError| {
        ApiError::bad_request(error.to_string()).with_hint(error.hint())
    };
    let given = asked.addresses.split(',').count();
    if given > MAX_ADDRESSES {
        let error = format!("{given} addresses are too many; the limit is {MAX_ADDRESSES}.");
        let hint = "Use `stepscope capture` for more, or capture some of the processes.";
        return Err(ApiError::bad_request(error).with_hint(hint));
    }
    let mut request = Request::new(&[&asked.addresses], logdir).map_err(|error| refused(&error))?;
    request.duration = Duration::try_from_secs_f64(asked.duration_seconds)
        .map_err(|_| ApiError::bad_request("The duration must be a number of seconds."))?;
    request.memory = Memory::of(|| Box::new(Reply::default()));
    request.name = Some(asked.name.clone()).filter(|name| !name.is_empty());
    request.tracers = TracerLevels {
        host: asked.host_tracer_level,
        device: asked.device_tracer_level,
        python: asked.python_tracer_level,
    };
    for option in asked
        .options
        .iter()
        .filter(|option| !option.trim().is_empty())
    {
        request
            .add_option(option.trim())
            .map_err(|error| refused(&error))?;
    }
    request.check().map_err(|error| refused(&error))?;
    Ok(request)
}

/// Rejects addresses that are not on the list: `HOST` allows every port of it, `HOST:PORT` one.
fn check_hosts(addresses: &[Address], allowed: &[String]) -> Result<(), ApiError> {
    let is_allowed = |address: &Address| {
        let is_it = |known: &String| {
            let bare = known
                .strip_prefix('[')
                .and_then(|rest| rest.strip_suffix(']'));
            bare.unwrap_or(known).eq_ignore_ascii_case(address.host())
                || Address::parse(known).is_ok_and(|known| {
                    known.host().eq_ignore_ascii_case(address.host())
                        && known.port() == address.port()
                })
        };
        allowed.iter().any(is_it)
    };
    let Some(refused) = addresses.iter().find(|address| !is_allowed(address)) else {
        return Ok(());
    };
    let error = format!("This server does not capture {refused}.");
    let hint = format!(
        "It captures {}; start it with --allow-capture HOST to add a host.",
        allowed.join(", ")
    );
    Err(ApiError::new(StatusCode::FORBIDDEN, error).with_hint(hint))
}

/// The log directory of a folder: itself, or the parent of `plugins/profile`. `None` for a run
/// directory, because a new session would not be found next to it.
fn log_directory_of(root: &Path) -> Option<PathBuf> {
    let absolute = std::path::absolute(root).ok()?;
    let parts: Vec<_> = absolute
        .components()
        .map(std::path::Component::as_os_str)
        .collect();
    let above = |levels: usize| absolute.ancestors().nth(levels).map(Path::to_path_buf);
    match parts.as_slice() {
        [.., plugins, profile] if *plugins == "plugins" && *profile == "profile" => above(2),
        [.., plugins] if *plugins == "plugins" => above(1),
        [.., plugins, profile, _run] if *plugins == "plugins" && *profile == "profile" => None,
        _ if has_profile(&absolute) => None,
        _ => Some(root.to_path_buf()),
    }
}

/// Whether the folder directly contains profiles, which makes it a run directory.
fn has_profile(folder: &Path) -> bool {
    let Ok(mut entries) = folder.read_dir() else {
        return false;
    };
    entries.any(|entry| {
        let name = entry.map(|entry| entry.file_name()).unwrap_or_default();
        let name = name.to_string_lossy();
        name.contains(".xplane.pb") || name.contains(".xplane.riegeli")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hosts_of_the_list_are_captured() {
        let allowed = ["Trainer", "other:9999", "::1", "[::2]:7"].map(str::to_owned);
        let check = |text: &str| {
            let addresses = Address::parse_all(&[text]).expect("addresses");
            check_hosts(&addresses, &allowed).is_ok()
        };
        for fine in ["trainer:1", "TRAINER:2,other:9999", "[::1]:3", "[::2]:7"] {
            assert!(check(fine), "{fine}");
        }
        for wrong in [
            "trainer.evil.example:1",
            "other:22",
            "trainer:1,10.0.0.1:22",
            "[::2]:8",
        ] {
            assert!(!check(wrong), "{wrong}");
        }
    }

    #[test]
    fn captures_go_where_the_list_finds_them() {
        let root = tempfile::tempdir().expect("a folder");
        let profiles = root.path().join("plugins/profile");
        std::fs::create_dir_all(profiles.join("run")).expect("folders");
        let of = |path: &Path| log_directory_of(path);
        assert_eq!(of(root.path()).as_deref(), Some(root.path()));
        assert_eq!(of(&profiles).as_deref(), Some(root.path()));
        assert_eq!(
            of(&root.path().join("plugins")).as_deref(),
            Some(root.path())
        );
        assert_eq!(of(&profiles.join("run")), None);
        std::fs::write(root.path().join("vm.xplane.pb.gz"), "x").expect("a file");
        assert_eq!(of(root.path()), None);
    }
}
