//! `stepscope-fleet`: what `stepscope fleet` and `stepscope sql --fleet` call.

use std::ffi::OsString;
use std::io::{self, IsTerminal as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::{Parser, Subcommand};
use mimalloc::MiMalloc;
use stepscope_fleet::{Address, ExecutorOptions, Fleet, SchedulerOptions, execute, schedule};
use stepscope_sql::{QueryError, Runner};
use tokio::runtime::Runtime;
use tracing_subscriber::EnvFilter;

/// As in `stepscope`: opening a profile allocates more than a hundred megabytes.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

const EXAMPLES: &str = "\
Examples:
  # One scheduler, and an executor on every machine
  stepscope fleet scheduler --listen 10.0.0.1:50050
  stepscope fleet executor --scheduler df://10.0.0.1:50050 --listen 10.0.0.2:50051 --allow gs://lab/runs
  # Queries run there
  stepscope sql --fleet df://10.0.0.1:50050 gs://lab/runs 'select session, step_ps from sessions'

Nothing is authenticated: whoever reaches these ports can query all sessions below the allowed paths.
Keep them on a private network.";

/// Runs queries on many machines
#[derive(Debug, Parser)]
#[command(name = "stepscope fleet", bin_name = "stepscope fleet", version, after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    role: Role,
    /// Log what happens; repeat for more
    #[arg(long, short, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
}

#[derive(Debug, Subcommand)]
enum Role {
    /// Divide queries into tasks, and give these to executors
    Scheduler {
        /// Where to listen
        #[arg(long, value_name = "IP:PORT", default_value = "127.0.0.1:50050")]
        listen: SocketAddr,
        /// Name under which others reach it; the default is the address of --listen
        #[arg(long, value_name = "HOST")]
        host: Option<String>,
        /// Seconds after which a silent executor counts as lost, and its tasks are repeated; busy ones
        /// report every 5 s
        #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(10..))]
        executor_timeout: u64,
    },
    /// Run tasks: open sessions and compute
    Executor {
        /// Scheduler that gives out tasks
        #[arg(long, value_name = "URL")]
        scheduler: Address,
        /// Folder or URL below which sessions may be opened; may be repeated
        #[arg(long, value_name = "PATH", required = true)]
        allow: Vec<PathBuf>,
        /// Tasks at a time; the default is the number of processors
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
        slots: Option<u16>,
        /// Where other executors and the scheduler fetch rows; the default is a free port of 127.0.0.1
        #[arg(long, value_name = "IP:PORT")]
        listen: Option<SocketAddr>,
        /// Name under which others reach it; the default is the address of --listen
        #[arg(long, value_name = "HOST")]
        host: Option<String>,
        /// Folder for rows between stages; the default is the system's for temporary files
        #[arg(long, value_name = "FOLDER")]
        work: Option<PathBuf>,
    },
}

fn main() {
    // Exits without freeing anything: the system reclaims all memory at once.
    std::process::exit(run(std::env::args_os().collect()));
}

fn run(mut line: Vec<OsString>) -> i32 {
    if line.get(1).is_some_and(|word| word == "sql") {
        line.remove(1);
        return stepscope_sql::run(line, &connect);
    }
    if line.get(1).is_some_and(|word| word == "index") {
        return stepscope_cli::run_index(line, &stepscope_fleet::index);
    }
    let arguments = match Arguments::try_parse_from(line) {
        Ok(arguments) => arguments,
        Err(error) => {
            let _ = error.print();
            return error.exit_code();
        }
    };
    log(arguments.verbose);
    match serve(arguments.role) {
        Ok(()) => 0,
        Err(error) => {
            anstream::eprintln!("error: {error:#}");
            1
        }
    }
}

fn connect(address: &str) -> Result<Arc<dyn Runner>, QueryError> {
    let address = address.parse::<Address>().map_err(|message| QueryError {
        message: format!("--fleet: {message}"),
        hint: String::new(),
    })?;
    Ok(Arc::new(Fleet::at(address)))
}

fn log(verbose: u8) {
    let levels = match verbose {
        0 => "warn,ballista_core=error",
        1 => "info",
        _ => "debug",
    };
    let log = tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(levels))
        .with_ansi(io::stderr().is_terminal())
        .with_writer(io::stderr);
    // Only one log per process; there is none yet.
    let _ = log.try_init();
}

fn serve(role: Role) -> Result<()> {
    let runtime = Runtime::new().context("cannot start threads")?;
    match role {
        Role::Scheduler {
            listen,
            host,
            executor_timeout,
        } => {
            let options = SchedulerOptions {
                listen,
                host,
                patience: Duration::from_secs(executor_timeout),
            };
            runtime.block_on(schedule(options, |address| {
                anstream::eprintln!("Scheduler: df://{address}");
            }))
        }
        Role::Executor {
            scheduler,
            allow,
            slots,
            listen,
            host,
            work,
        } => {
            let processors = std::thread::available_parallelism();
            let processors = processors.map_or(1, std::num::NonZero::get);
            let options = ExecutorOptions {
                scheduler,
                listen: listen.map_or_else(free_port, Ok)?,
                host,
                slots: slots.map_or(processors, usize::from),
                allowed: allow,
                work,
            };
            let ExecutorOptions {
                scheduler,
                listen,
                slots,
                ..
            } = &options;
            let tasks = if *slots == 1 { "task" } else { "tasks" };
            anstream::eprintln!("Executor: {slots} {tasks} at a time, {listen}, of {scheduler}");
            let ended = runtime.block_on(execute(options));
            // Tasks that wait for a scheduler that is gone wait without end.
            runtime.shutdown_background();
            ended
        }
    }
}

/// A port of this machine that nothing listens on, below those that systems take for connections to
/// others: one of these could take it before the executor does.
fn free_port() -> Result<SocketAddr> {
    let start = u16::try_from(std::process::id() % 12_000)?;
    let ports = (0..12_000_u16).map(|step| 20_000 + (start + step) % 12_000);
    let mut addresses = ports.map(|port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    let free = addresses.find(|address| TcpListener::bind(address).is_ok());
    free.context("no port is free")
}
