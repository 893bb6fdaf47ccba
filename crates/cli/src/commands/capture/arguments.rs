//! The arguments of `stepscope capture`, including those of `python -m jax.collect_profile`.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use stepscope_capture::{CaptureError, Request, TracerLevels};

use crate::exit::{Exit, Failure};

const EXAMPLES: &str = "\
Examples:
  # In the job: jax.profiler.start_server(9999). Then, from any machine that can reach it:
  stepscope capture localhost:9999
  # Five seconds of two hosts, started together, into one session
  stepscope capture trainer-0:9999,trainer-1:9999 --duration 5s --logdir ./logs
  # Two seconds every ten minutes, six times
  stepscope capture localhost:9999 --every 10m --repeat 6
  # Record continuously, and save what was recorded whenever Enter is pressed
  stepscope capture localhost:9999 --continuous
  # As with python -m jax.collect_profile
  stepscope capture 9999 2000 --log_dir ./logs

Ctrl-C ends a capture early and keeps what was recorded.
Exit codes: 0 every host sent a profile, 4 some are missing or recorded nothing, 1 none sent any,
2 usage";

/// The subcommand.
pub(crate) fn command() -> Command {
    Command::new("capture")
        .about("Record a running job that called jax.profiler.start_server")
        .after_help(EXAMPLES)
        .arg(
            Arg::new("addresses")
                .value_name("ADDRESS")
                .required(true)
                .num_args(1..)
                .value_parser(NonEmptyStringValueParser::new())
                .help(
                    "HOST:PORT of each process, or [ADDRESS]:PORT for IPv6; commas may separate \
                        them",
                ),
        )
        .args(what())
        .args(tracers())
        .args(patience())
        .args(series())
        .arg(
            switch("json", "Print the result as JSON, one line per capture").help_heading("Output"),
        )
        .arg(switch("no-verdict", "Don't open the capture to summarize it").help_heading("Output"))
        .args(of_collect_profile())
}

fn what() -> [Arg; 3] {
    [
        time("duration", "How long to record [default: 2s]"),
        Arg::new("logdir")
            .long("logdir")
            .alias("log_dir")
            .value_name("DIR")
            .env("PROFILE_DIR")
            .hide_env_values(true)
            .default_value("./profiles")
            .value_parser(value_parser!(PathBuf))
            .help("Log directory; the capture is written to DIR/plugins/profile/<time>"),
        text("name", "NAME", "A name to append to the session's time"),
    ]
}

fn tracers() -> [Arg; 4] {
    const HEADING: &str = "Tracers";
    let level = |name: &'static str,
                 alias: &'static str,
                 default: &'static str,
                 most: i64,
                 help: &'static str| {
        Arg::new(name)
            .long(name)
            .alias(alias)
            .value_name("LEVEL")
            .default_value(default)
            .value_parser(value_parser!(u32).range(0..=most))
            .help_heading(HEADING)
            .help(help)
    };
    [
        level(
            "host-tracer-level",
            "host_tracer_level",
            "2",
            3,
            "0 off, 1 annotations, 2 also the runtime, 3 everything",
        ),
        level(
            "device-tracer-level",
            "device_tracer_level",
            "1",
            1,
            "0 off, 1 on",
        ),
        level(
            "python-tracer-level",
            "python_tracer_level",
            "0",
            1,
            "1 records every Python call, which slows the job down",
        ),
        text(
            "option",
            "KEY=VALUE",
            "An advanced option such as tpu_trace_mode=TRACE_COMPUTE",
        )
        .action(ArgAction::Append)
        .help_heading(HEADING),
    ]
}

fn patience() -> [Arg; 4] {
    const HEADING: &str = "Patience";
    [
        time(
            "delay",
            "Start this long after all hosts were reached [default: 500ms for several hosts]",
        ),
        time(
            "connect-timeout",
            "How long to wait for a connection [default: 5s]",
        ),
        time(
            "busy-wait",
            "How long to retry while another capture is running [default: 5s]",
        ),
        time(
            "timeout",
            "How long a host may take to send its profile [default: 3m]",
        ),
    ]
    .map(|argument| argument.help_heading(HEADING))
}

fn series() -> [Arg; 4] {
    const HEADING: &str = "Series";
    [
        time(
            "every",
            "Capture repeatedly; time from one start to the next",
        )
        .help_heading(HEADING),
        Arg::new("repeat")
            .long("repeat")
            .value_name("COUNT")
            .requires("every")
            .value_parser(value_parser!(u32).range(1..))
            .help_heading(HEADING)
            .help("Number of captures [default: until Ctrl-C]"),
        switch(
            "continuous",
            "Record continuously; save a capture at each Enter, or at --every interval",
        )
        .conflicts_with("duration")
        .help_heading(HEADING),
        switch(
            "stop",
            "Stop a --continuous recording that was left running, and save what it recorded",
        )
        .conflicts_with_all(["duration", "continuous", "every"])
        .help_heading(HEADING),
    ]
}

/// Arguments that users of `python -m jax.collect_profile` type.
fn of_collect_profile() -> [Arg; 3] {
    [
        Arg::new("host")
            .long("host")
            .value_name("HOST")
            .default_value("127.0.0.1")
            .hide(true)
            .help("The host, if ADDRESS is only a port"),
        Arg::new("duration_in_ms")
            .long("duration_in_ms")
            .value_name("COUNT")
            .value_parser(value_parser!(u64).range(1..))
            .conflicts_with("duration")
            .hide(true)
            .help("Same as --duration, in milliseconds"),
        switch("no_perfetto_link", "No effect: a link is never opened").hide(true),
    ]
}

fn switch(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::SetTrue)
        .help(help)
}

fn text(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).help(help)
}

fn time(name: &'static str, help: &'static str) -> Arg {
    text(name, "TIME", help).value_parser(parse_time)
}

/// `2s`, `500ms`, `1m30s`, `10m`, `2h`; a bare number is seconds.
pub(crate) fn parse_time(text: &str) -> Result<Duration, String> {
    let wrong = || "expected a time such as 2s, 500ms, 10m, or 1m30s".to_owned();
    let seconds_of = |number: &str, unit: f64| {
        let number: f64 = number.parse().map_err(|_| wrong())?;
        Duration::try_from_secs_f64(number * unit).map_err(|_| wrong())
    };
    let mut rest = text.trim();
    if !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit() || c == '.') {
        return seconds_of(rest, 1.0);
    }
    let mut total = Duration::ZERO;
    if rest.is_empty() {
        return Err(wrong());
    }
    while !rest.is_empty() {
        let end = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .ok_or_else(wrong)?;
        let (number, after) = rest.split_at(end);
        let units = [("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
        let (left, unit) = units
            .iter()
            .find_map(|(name, unit)| Some((after.strip_prefix(name)?, *unit)))
            .ok_or_else(wrong)?;
        total = total
            .checked_add(seconds_of(number, unit)?)
            .ok_or_else(wrong)?;
        rest = left;
    }
    Ok(total)
}

/// The value of a time argument.
pub(super) fn given(arguments: &ArgMatches, name: &str) -> Option<Duration> {
    arguments.get_one::<Duration>(name).copied()
}

/// What to capture, from the arguments.
pub(super) fn request(arguments: &ArgMatches) -> Result<Request, Failure> {
    let (addresses, duration_ms) = addresses(arguments);
    let logdir = arguments
        .get_one::<PathBuf>("logdir")
        .cloned()
        .unwrap_or_default();
    let mut request = Request::new(&addresses, logdir).map_err(|error| usage(&error))?;
    let duration_ms = arguments
        .get_one::<u64>("duration_in_ms")
        .copied()
        .or(duration_ms);
    let duration = given(arguments, "duration").or(duration_ms.map(Duration::from_millis));
    request.duration = duration.unwrap_or(request.duration);
    request.name = arguments.get_one::<String>("name").cloned();
    let level = |name: &str| arguments.get_one::<u32>(name).copied().unwrap_or_default();
    request.tracers = TracerLevels {
        host: level("host-tracer-level"),
        device: level("device-tracer-level"),
        python: level("python-tracer-level"),
    };
    for option in arguments.get_many::<String>("option").unwrap_or_default() {
        request.add_option(option).map_err(|error| usage(&error))?;
    }
    request.start_delay = given(arguments, "delay");
    request.busy_wait = given(arguments, "busy-wait").unwrap_or(request.busy_wait);
    request.connect_timeout =
        given(arguments, "connect-timeout").unwrap_or(request.connect_timeout);
    request.reply_timeout = given(arguments, "timeout").unwrap_or(request.reply_timeout);
    Ok(request)
}

/// The addresses, and the milliseconds that users of `jax.collect_profile` give after a port.
fn addresses(arguments: &ArgMatches) -> (Vec<String>, Option<u64>) {
    let given: Vec<&String> = arguments
        .get_many("addresses")
        .unwrap_or_default()
        .collect();
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let host = arguments
        .get_one::<String>("host")
        .map_or("127.0.0.1", String::as_str);
    let host = if host.contains(':') && !host.starts_with('[') {
        format!("[{host}]")
    } else {
        host.to_owned()
    };
    match given.as_slice() {
        [port, milliseconds] if is_number(port) && is_number(milliseconds) => {
            (vec![format!("{host}:{port}")], milliseconds.parse().ok())
        }
        given => {
            let parts = given.iter().flat_map(|text| text.split(','));
            let whole = parts.map(|part| match part.trim() {
                port if is_number(port) => format!("{host}:{port}"),
                address => address.to_owned(),
            });
            (whole.collect(), None)
        }
    }
}

/// A request that cannot be made, or a capture that cannot start.
pub(super) fn usage(error: &CaptureError) -> Failure {
    let exit = match error {
        CaptureError::NoAddress | CaptureError::Address { .. } | CaptureError::Setting(_) => {
            Exit::Usage
        }
        _ => Exit::Failure,
    };
    Failure::new(exit, error.to_string()).hint(error.hint())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Request {
        let words = std::iter::once("capture").chain(words.iter().copied());
        let matches = command()
            .try_get_matches_from(words)
            .expect("it is understood");
        request(&matches).unwrap_or_else(|failure| panic!("{failure}"))
    }

    #[test]
    fn times_are_read_as_people_write_them() {
        let cases = [
            ("2s", 2000),
            ("500ms", 500),
            ("1m30s", 90_000),
            ("10m", 600_000),
            ("0.25s", 250),
            ("3", 3000),
            ("1h", 3_600_000),
        ];
        for (text, milliseconds) in cases {
            assert_eq!(
                parse_time(text),
                Ok(Duration::from_millis(milliseconds)),
                "{text}"
            );
        }
        for text in ["", "s", "2x", "-1s", "1m30", "1..2s", "1e400s"] {
            assert!(parse_time(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_words_of_collect_profile_are_understood() {
        let request = read(&["9999", "1500", "--log_dir", "here", "--no_perfetto_link"]);
        assert_eq!(request.addresses[0].to_string(), "127.0.0.1:9999");
        assert_eq!(request.duration, Duration::from_millis(1500));
        assert_eq!(request.logdir, PathBuf::from("here"));
        let request = read(&[
            "9999",
            "--duration_in_ms",
            "70",
            "--host",
            "::1",
            "--python_tracer_level",
            "1",
        ]);
        assert_eq!(request.addresses[0].to_string(), "[::1]:9999");
        assert_eq!(
            (request.duration.as_millis(), request.tracers.python),
            (70, 1)
        );
    }

    #[test]
    fn several_addresses_come_in_any_form() {
        let request = read(&[
            "a:1,b:2",
            "[::1]:3",
            "4",
            "--option",
            "tpu_trace_mode=TRACE_COMPUTE",
        ]);
        let shown: Vec<String> = request.addresses.iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["a:1", "b:2", "[::1]:3", "127.0.0.1:4"]);
        assert_eq!(request.options.len(), 1);
    }
}
