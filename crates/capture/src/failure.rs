//! Why a capture did not begin, and why a host gave nothing, each with what to do about it.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Why a capture did not begin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// No address was given.
    #[error("no address of a profiler was given")]
    NoAddress,
    /// An address cannot be understood.
    #[error("{why}: {text}")]
    Address {
        /// The address as given.
        text: String,
        /// What is wrong.
        why: String,
    },
    /// A setting has no meaning.
    #[error("{0}")]
    Setting(String),
    /// The session's folder cannot be made.
    #[error("the folder for the capture cannot be made ({source}): {}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The system gives no runtime for the connections.
    #[error("the system gives no threads or sockets for the capture: {0}")]
    Runtime(#[source] io::Error),
    /// This build has no client of the profiler service.
    #[error("this build of Stepscope does not capture running jobs")]
    LeftOut,
}

impl CaptureError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoAddress | Self::Address { .. } => {
                "an address is HOST:PORT, with the port that the job gave to \
                 jax.profiler.start_server(PORT)"
            }
            Self::Folder { .. } => "choose a folder that you may write to with --logdir",
            Self::LeftOut => "build it with `--features capture`, or capture in the job itself",
            Self::Setting(_) | Self::Runtime(_) => "",
        }
    }
}

/// Why a host gave nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HostFailure {
    /// The name is not known.
    #[error("unknown host ({0})")]
    UnknownHost(String),
    /// Nothing listens there.
    #[error("connection refused: no server on that port")]
    Refused,
    /// No answer to a connection.
    #[error("no connection within {}", seconds(*.0))]
    Unreachable(Duration),
    /// The network refuses.
    #[error("the connection failed: {0}")]
    Connection(String),
    /// A web server answers.
    #[error("this is a web server, not a profiler")]
    WebServer,
    /// A server that wants TLS answers.
    #[error("this server requires TLS; it is not a profiler")]
    Tls,
    /// Something that does not speak HTTP/2.
    #[error("not a gRPC server")]
    NotGrpc,
    /// A gRPC server without a profiler.
    #[error("this gRPC server has no profiler service")]
    NoProfiler,
    /// The server has the profiler but not this call.
    #[error("this profiler has no continuous profiling")]
    NoContinuous,
    /// Continuous profiling was started by somebody else.
    #[error("continuous profiling is running already")]
    AlreadyContinuous,
    /// Continuous profiling is not running.
    #[error("continuous profiling is no longer running")]
    NotContinuous,
    /// Somebody else is recording.
    #[error("another profiling session is active; gave up after {attempts} attempts in {}", seconds(*.waited))]
    Busy {
        /// How long it was asked.
        waited: Duration,
        /// How often.
        attempts: u32,
    },
    /// The connection broke while it recorded.
    #[error("the connection was lost during the capture")]
    Lost,
    /// The process is gone.
    #[error("the job ended during the capture")]
    Ended,
    /// No answer in time.
    #[error("no reply {} after the capture ended", seconds(*.0))]
    NoAnswer(Duration),
    /// It recorded nothing at all.
    #[error("the host recorded nothing")]
    Nothing,
    /// An old profiler wrote to its own disk.
    #[error(
        "this profiler cannot return profiles; it wrote to its own disk, below {}",
        .0.display()
    )]
    KeptByHost(PathBuf),
    /// The profiler said something else.
    #[error("the profiler refused: {0}")]
    Refusal(String),
    /// It was too much for a message.
    #[error("the profile is too large to send ({0})")]
    TooLarge(String),
    /// The file cannot be written here.
    #[error("its profile came but cannot be written: {0}")]
    NotWritten(String),
    /// The user gave up before it answered.
    #[error("canceled before it replied")]
    GivenUp,
}

impl HostFailure {
    /// What to do about it; may be empty.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::UnknownHost(_) => {
                "check the name; on a cluster use the name that this machine knows"
            }
            Self::Refused => {
                "is the job running, and does it call jax.profiler.start_server(PORT) with this \
                 port? If the port was taken, jax only logs `Unable to bind`"
            }
            Self::Unreachable(_) => {
                "a firewall may be in between: try `ssh -L PORT:localhost:PORT HOST` (or `kubectl \
                 port-forward POD PORT`) and capture localhost:PORT"
            }
            Self::WebServer => {
                "this may be the port of TensorBoard, Jupyter or Stepscope; the right one is that \
                 of jax.profiler.start_server(PORT)"
            }
            Self::Tls => {
                "the profiler of JAX speaks without encryption; use its own port, not that of a \
                 proxy"
            }
            Self::NotGrpc | Self::NoProfiler => {
                "the right port is that of jax.profiler.start_server(PORT) in the job; the port of \
                 jax.distributed's coordinator is another"
            }
            Self::NoContinuous => {
                "capture windows instead: --every 10m --repeat 6; continuous profiling came to \
                 jaxlib in 2025"
            }
            Self::AlreadyContinuous => {
                "another `stepscope capture --continuous` runs, or one was killed: `stepscope capture \
                 ADDRESS --stop` takes what was recorded and ends it"
            }
            Self::Busy { .. } => {
                "the job or another tool is capturing; wait for it, raise --busy-wait, or stop the \
                 other (jax.profiler.stop_trace, or the other `stepscope capture`)"
            }
            Self::NotContinuous => {
                "there is nothing to take or to stop; the job may have been restarted; start again"
            }
            Self::Lost | Self::Ended => {
                "look at the job's own log; a shorter --duration takes less memory in the job"
            }
            Self::NoAnswer(_) => {
                "the job may hang, or has much to gather (GPUs at scale take minutes): raise \
                 --timeout, or shorten --duration"
            }
            Self::Nothing => {
                "the job did nothing while it was recorded, or all tracers were off; try a longer \
                 --duration"
            }
            Self::KeptByHost(_) => {
                "copy that folder here, give a --logdir that both machines share, or update \
                 jaxlib in the job"
            }
            Self::TooLarge(_) => "shorten --duration or lower the tracer levels",
            Self::NotWritten(_) => "free some space or choose another --logdir",
            Self::Connection(_) | Self::Refusal(_) | Self::GivenUp => "",
        }
    }
}

fn seconds(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds < 10.0 {
        format!("{seconds:.1} s")
    } else {
        format!("{seconds:.0} s")
    }
}
