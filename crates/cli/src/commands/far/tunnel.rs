//! `stepscope tunnel`: pages of a Cloud TPU VM, through `gcloud`.

use std::fmt::Write as _;
use std::process::Command as Program;

use clap::{Arg, ArgMatches, Command, value_parser};
use stepscope_remote::ssh::quoted;

use super::engine::{Engine, Wanted};
use super::keep;
use super::line::Line;
use super::place::Place;
use crate::args::remote_command;
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// The port of TensorBoard, XProf and Stepscope.
const USUAL_PORT: u16 = 6006;

/// The command line.
pub(crate) fn command() -> Command {
    let word = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name)
            .value_name(value)
            .required(true)
            .value_parser(parse_name)
            .help(help)
    };
    let port = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name)
            .value_name(value)
            .value_parser(value_parser!(u16).range(1..))
            .help(help)
    };
    Command::new("tunnel")
        .about("Show the pages of a Cloud TPU VM here, through gcloud")
        .after_help(
            "Examples:\n  # Start Stepscope on the VM, and show its pages here\n  \
             stepscope tunnel my-tpu us-central2-b my-project --logdir /tmp/logs\n  \
             # Only the tunnel, to a server already running there on port 6006\n  \
             stepscope tunnel my-tpu us-central2-b my-project\n  \
             # Other ports here and there; print the commands only\n  \
             stepscope tunnel my-tpu us-central2-b my-project 7007 6007 --dry-run\n\n\
             Machines reached by plain ssh need no gcloud: stepscope view ssh://HOST/PATH",
        )
        .arg(word(
            "name",
            "TPU_VM",
            "The TPU VM, as in `gcloud compute tpus tpu-vm list`",
        ))
        .arg(word("zone", "ZONE", "Its zone, such as us-central2-b"))
        .arg(word("project", "PROJECT", "Its project's id"))
        .arg(port(
            "local",
            "LOCAL_PORT",
            "Local port; if taken, the next free one [default: 6006]",
        ))
        .arg(port(
            "remote",
            "REMOTE_PORT",
            "Remote port [default: 6006; any with --logdir]",
        ))
        .arg(
            Arg::new("logdir")
                .long("logdir")
                .value_name("PATH")
                .help("Start `stepscope view PATH` there; it ends with the tunnel"),
        )
        .arg(
            Arg::new("worker")
                .long("worker")
                .value_name("NUMBER")
                .default_value("0")
                .value_parser(value_parser!(u32))
                .help("Worker to connect to, if the TPU slice has several machines"),
        )
        .arg(
            Arg::new("dry-run")
                .long("dry-run")
                .action(clap::ArgAction::SetTrue)
                .help("Print the commands without running them"),
        )
        .arg(remote_command())
}

/// Names of machines, zones, and projects consist of letters, digits, and dashes; those of
/// domain-scoped projects also have colons and dots. Anything else is a typo, or an option that
/// would reach `gcloud`.
fn parse_name(text: &str) -> Result<String, String> {
    let is_fine = text
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "-_.:@".contains(c));
    if !is_fine || text.starts_with('-') || text.is_empty() {
        return Err("only letters, digits, and dashes are allowed".to_owned());
    }
    Ok(text.to_owned())
}

/// What the arguments name.
#[derive(Clone)]
struct Machine {
    name: String,
    zone: String,
    project: String,
    worker: u32,
}

impl Machine {
    /// `gcloud … ssh`, including its own options.
    fn words(&self) -> Vec<String> {
        let words = [
            "gcloud",
            "compute",
            "tpus",
            "tpu-vm",
            "ssh",
            self.name.as_str(),
        ];
        let mut words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        words.push(format!("--zone={}", self.zone));
        words.push(format!("--project={}", self.project));
        words.push(format!("--worker={}", self.worker));
        words
    }

    /// The whole command: what runs on the VM, and the arguments for `ssh`.
    fn with(&self, command: &str, forward: &str) -> Vec<String> {
        let mut words = self.words();
        // Without prompts: its input is ours.
        words.push("--quiet".to_owned());
        words.push(format!("--command={command}"));
        let ssh = [
            "--",
            "-T",
            "-o",
            "ExitOnForwardFailure=yes",
            "-o",
            "ServerAliveInterval=15",
            "-L",
        ];
        words.extend(ssh.iter().map(|word| (*word).to_owned()));
        words.push(forward.to_owned());
        words
    }
}

/// Opens the tunnel and runs until Ctrl-C, or prints the commands.
pub(crate) fn run(arguments: &ArgMatches, output: &Output) -> Result<Exit, Failure> {
    let word = |name: &str| {
        arguments
            .get_one::<String>(name)
            .cloned()
            .unwrap_or_default()
    };
    let machine = Machine {
        name: word("name"),
        zone: word("zone"),
        project: word("project"),
        worker: arguments.get_one::<u32>("worker").copied().unwrap_or(0),
    };
    check_zone(&machine.zone)?;
    let local = arguments.get_one::<u16>("local").copied();
    let remote = arguments.get_one::<u16>("remote").copied();
    let logdir = arguments.get_one::<String>("logdir");
    let own = arguments.get_one::<String>("remote-command").cloned();
    if arguments.get_flag("dry-run") {
        let lines = dry_run(
            &machine,
            local,
            remote,
            logdir.map(String::as_str),
            own.as_deref(),
        );
        output.data(&lines)?;
        return Ok(Exit::Fine);
    }
    for program in ["gcloud", "ssh"] {
        check_program(program)?;
    }
    let Some(logdir) = logdir else {
        return only_tunnel(&machine, local, remote.unwrap_or(USUAL_PORT), output);
    };
    let wanted = Wanted {
        path: logdir.clone(),
        session: None,
        command: own,
        local_port: local,
        remote_port: remote,
        token: None,
    };
    let place = place(&machine);
    let connect = move |forward: &str| program(&machine.with("sh", forward));
    match Engine::start(&place, &connect, &wanted)? {
        Engine::Running(running) => keep::alive(running, &place, &connect, &wanted, output),
        Engine::Missing(why) => Err(Failure::new(Exit::Failure, format!("{why}: {}", place.url))
            .hint("install it there (pip install stepscope), or name it with --remote-command")),
    }
}

fn place(machine: &Machine) -> Place {
    Place {
        url: format!(
            "{} in {} of {}",
            machine.name, machine.zone, machine.project
        ),
        host: machine.name.clone(),
        failure,
    }
}

fn program(words: &[String]) -> Program {
    let mut command = Program::new(&words[0]);
    command.args(&words[1..]);
    command
}

/// A tunnel to a server that is already running there.
fn only_tunnel(
    machine: &Machine,
    local: Option<u16>,
    remote: u16,
    output: &Output,
) -> Result<Exit, Failure> {
    let local = super::engine::free_port(Some(local.unwrap_or(USUAL_PORT)))?;
    let place = place(machine);
    // `cat` ends with its input, and then the connection ends.
    let words = machine.with(
        "echo stepscope-tunnel up; exec cat",
        &format!("{local}:localhost:{remote}"),
    );
    let mut line = Line::start(&mut program(&words))
        .map_err(|error| Failure::new(Exit::Failure, format!("cannot start gcloud ({error})")))?;
    while let Some(text) = line.next() {
        if text.starts_with("stepscope-tunnel") {
            output.address(&format!("http://127.0.0.1:{local}"));
            output.remark(&format!(
                "through a tunnel to port {remote} of {}: it shows what runs there (`stepscope \
                    view \
                 LOGDIR --port {remote}`, or start it from here with --logdir); add the /?token=… that it \
                 printed there; Ctrl-C ends the tunnel",
                machine.name
            ));
            return wait(line, &place, output);
        }
    }
    let status = line.end().and_then(|status| status.code());
    Err(failure(&place.url, &place.host, status, &line.said()))
}

fn wait(mut line: Line, place: &Place, output: &Output) -> Result<Exit, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let mut stop = Box::pin(stepscope_server::asked_to_stop());
        loop {
            tokio::select! {
                () = &mut stop => {
                    line.end();
                    output.remark("stopped");
                    return Ok(Exit::Fine);
                }
                () = tokio::time::sleep(std::time::Duration::from_millis(200)) => {
                    if let Some(status) = line.ended() {
                        return Err(failure(&place.url, &place.host, status.code(), &line.said()));
                    }
                }
            }
        }
    })
}

/// The commands as a person would type them.
fn dry_run(
    machine: &Machine,
    local: Option<u16>,
    remote: Option<u16>,
    logdir: Option<&str>,
    own: Option<&str>,
) -> String {
    let (local, remote) = (local.unwrap_or(USUAL_PORT), remote.unwrap_or(USUAL_PORT));
    let typed = |words: &[String]| -> String {
        let words = words.iter().map(|word| {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=.:/@%+,".contains(c);
            if word.chars().all(is_plain) {
                word.clone()
            } else {
                quoted(word)
            }
        });
        words.collect::<Vec<String>>().join(" ")
    };
    let mut lines = String::new();
    if let Some(logdir) = logdir {
        let there = format!(
            "{} view {} --port {remote}",
            own.unwrap_or("stepscope"),
            stepscope_remote::ssh::quoted_path(logdir)
        );
        let mut words = machine.words();
        words.push(format!("--command={there}"));
        // Writing to a string cannot fail.
        let _ = writeln!(
            lines,
            "# on {}: the engine\n{}",
            machine.name,
            typed(&words)
        );
    }
    let mut words = machine.words();
    let ssh = ["--", "-N", "-L"];
    words.extend(ssh.iter().map(|word| (*word).to_owned()));
    words.push(format!("{local}:localhost:{remote}"));
    let typed = typed(&words);
    let _ = writeln!(
        lines,
        "# here: the tunnel, then http://127.0.0.1:{local}/?token=…, as printed there\n{typed}"
    );
    lines
}

/// A zone ends with a letter; people often pass the region, or swap the arguments.
fn check_zone(zone: &str) -> Result<(), Failure> {
    let letter = zone.rsplit('-').next().unwrap_or_default();
    let is_zone = zone.matches('-').count() >= 2
        && letter.len() == 1
        && letter.starts_with(|c: char| c.is_ascii_lowercase());
    if is_zone {
        return Ok(());
    }
    Err(
        Failure::new(Exit::Usage, format!("invalid zone: {zone}")).hint(
            "a zone is a region and a letter, such as us-central2-b; the arguments are TPU_VM \
            ZONE PROJECT",
        ),
    )
}

fn check_program(name: &str) -> Result<(), Failure> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let names = [
        name.to_owned(),
        format!("{name}.exe"),
        format!("{name}.cmd"),
    ];
    let is_there = std::env::split_paths(&folders)
        .any(|folder| names.iter().any(|name| folder.join(name).is_file()));
    if is_there {
        return Ok(());
    }
    let hint = match name {
        "gcloud" => {
            "install the Google Cloud CLI (https://cloud.google.com/sdk/docs/install), or use \
             `stepscope view ssh://USER@ADDRESS/PATH` with the machine's external address"
        }
        _ => "install the OpenSSH client, which gcloud uses",
    };
    Err(Failure::new(Exit::Failure, format!("{name} is not on the PATH")).hint(hint))
}

/// Turns the output of `gcloud` or `ssh` into a failure with a hint.
fn failure(url: &str, _host: &str, status: Option<i32>, said: &str) -> Failure {
    let has = |words: &str| said.contains(words);
    let (message, hint) = if has("You do not currently have an active account")
        || has("Reauthentication")
        || has("invalid_grant")
        || has("gcloud auth login")
    {
        ("not logged in to gcloud", "run `gcloud auth login`")
    } else if has("SERVICE_DISABLED") || has("API has not been used in project") {
        (
            "the Cloud TPU API is not enabled for the project",
            "check PROJECT: it must be the project's ID, not its name or number; or run `gcloud \
                services \
             enable tpu.googleapis.com`",
        )
    } else if has("on 'locations/")
        || has("is not a valid zone")
        || has("Unknown zone")
        || has("Location ") && has("is not found")
    {
        (
            "this project has no such zone",
            "check ZONE: `gcloud compute tpus locations list --project=PROJECT` lists the zones",
        )
    } else if has("/nodes/") && has("was not found") || has("NOT_FOUND") && has("nodes") {
        (
            "no TPU VM with this name in this zone and project",
            "check TPU_VM: `gcloud compute tpus tpu-vm list --zone=ZONE --project=PROJECT` lists \
                them",
        )
    } else if has("Read access to project")
        || has("Project '")
        || has("CONSUMER_INVALID")
        || has("PERMISSION_DENIED")
        || has("Permission 'tpu.")
    {
        (
            "the project does not exist, or you have no access to it",
            "check PROJECT (`gcloud projects list`) and your account (`gcloud auth list`), which \
             needs the role TPU Viewer",
        )
    } else if has("is not in state") || has("not in the READY state") || has("STOPPED") {
        (
            "the TPU VM is not running",
            "start it: `gcloud compute tpus tpu-vm start TPU_VM --zone=ZONE`",
        )
    } else if has("Permission denied (publickey") {
        (
            "the machine refused the ssh key",
            "check whether the project uses OS Login, and see `gcloud compute os-login`",
        )
    } else if has("timed out") || has("Connection refused") || has("No route to host") {
        (
            "the machine does not answer on port 22",
            "check the firewall; without an external address you need `gcloud alpha … \
             --tunnel-through-iap`",
        )
    } else if has("cannot listen to port") || has("Address already in use") {
        ("the local port is taken", "choose another LOCAL port")
    } else {
        (
            "gcloud exited",
            "run the command that --dry-run prints to see its full output",
        )
    };
    let error = said.lines().find(|line| line.contains("ERROR:"));
    let last = error.or_else(|| said.lines().rev().find(|line| !line.trim().is_empty()));
    let detail = match (last, status) {
        (Some(line), _) => format!(" ({})", line.trim()),
        (None, Some(status)) => format!(" (exit code {status})"),
        (None, None) => String::new(),
    };
    Failure::new(Exit::Failure, format!("{message}{detail}: {url}")).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine() -> Machine {
        Machine {
            name: "my-tpu".to_owned(),
            zone: "us-central2-b".to_owned(),
            project: "lab".to_owned(),
            worker: 0,
        }
    }

    #[test]
    fn a_dry_run_shows_what_a_person_would_type() {
        let lines = dry_run(&machine(), Some(7007), None, Some("~/my logs"), None);
        let expected = "\
# on my-tpu: the engine
gcloud compute tpus tpu-vm ssh my-tpu --zone=us-central2-b --project=lab --worker=0 \
'--command=stepscope view \"$HOME\"'\\''/my logs'\\'' --port 6006'
# here: the tunnel, then http://127.0.0.1:7007/?token=…, as printed there
gcloud compute tpus tpu-vm ssh my-tpu --zone=us-central2-b --project=lab --worker=0 -- -N -L \
7007:localhost:6006
";
        assert_eq!(lines, expected);
    }

    #[test]
    fn zones_are_told_from_regions() {
        for zone in ["us-central2-b", "europe-west4-a", "asia-northeast1-c"] {
            assert!(check_zone(zone).is_ok(), "{zone}");
        }
        for wrong in ["us-central2", "my-project", "b", ""] {
            assert!(check_zone(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_gcloud_says_becomes_a_hint() {
        let prefix = "ERROR: (gcloud.compute.tpus.tpu-vm.ssh) ";
        let cases = [
            (
                "You do not currently have an active account selected.",
                "gcloud auth login",
            ),
            (
                "NOT_FOUND: Resource 'projects/lab/locations/us-central2-b/nodes/my-tpu' was not found.",
                "check TPU_VM",
            ),
            (
                "PERMISSION_DENIED: Permission denied on 'locations/us-central9-b' (or it may not exist).",
                "check ZONE",
            ),
            (
                "PERMISSION_DENIED: Permission 'tpu.nodes.get' denied on 'projects/lax/locations/x'.",
                "check PROJECT",
            ),
            (
                "PERMISSION_DENIED: Read access to project 'lax' was denied",
                "check PROJECT",
            ),
            (
                "PERMISSION_DENIED: Cloud TPU API has not been used in project 1 before or it is disabled.",
                "services enable",
            ),
        ];
        for (said, expected) in cases {
            let told = failure(
                "my-tpu",
                "my-tpu",
                Some(1),
                &format!("{prefix}{said}\nmore\n"),
            );
            let Failure::Told { message, hint, .. } = told else {
                panic!("expected a failure with a message")
            };
            assert!(hint.contains(expected), "{said}: {hint}");
            assert!(message.contains(said), "{message}");
        }
    }

    #[test]
    fn options_are_no_names() {
        assert!(parse_name("--zone=x").is_err());
        assert!(parse_name("a;b").is_err());
        assert!(parse_name("example.com:lab").is_ok());
    }
}
