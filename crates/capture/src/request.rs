//! What to capture, and where to put it.

use std::path::PathBuf;
use std::time::Duration;

use crate::address::Address;
use crate::failure::CaptureError;
use crate::memory::Memory;

/// The longest window: a profile past 2 GiB cannot be handed over, and jobs fill that sooner.
const LONGEST: Duration = Duration::from_hours(1);
/// Several hosts start this long after all of them were reached.
const COMMON_START: Duration = Duration::from_millis(500);

/// What to capture, and where to put it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The profiler services.
    pub addresses: Vec<Address>,
    /// The window that is recorded, 2 s unless set; milliseconds count.
    pub duration: Duration,
    /// The log directory; it is made where it is missing.
    pub logdir: PathBuf,
    /// A name that the session carries behind its time.
    pub name: Option<String>,
    /// How much is recorded.
    pub tracers: TracerLevels,
    /// Advanced options of the profiler, such as `tpu_trace_mode`, as they are sent.
    pub options: Vec<(String, OptionValue)>,
    /// How long after they were reached the hosts start; half a second for several hosts, so that
    /// they start together, and at once for one, unless set.
    pub start_delay: Option<Duration>,
    /// How long a busy host is asked again; 5 s unless set.
    pub busy_wait: Duration,
    /// How long a host is waited for until it takes a connection; 5 s unless set.
    pub connect_timeout: Duration,
    /// How long a host may take to hand the profile over once the window is past; 3 min unless set.
    pub reply_timeout: Duration,
    /// Where memory for what hosts hand over comes from.
    pub memory: Memory,
}

/// How much is recorded, as the profiler counts it: 0 is off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TracerLevels {
    /// Host activity: 1 annotations and what is critical, 2 also the runtime, 3 everything.
    pub host: u32,
    /// Device activity: 0 or 1.
    pub device: u32,
    /// Every Python call: 0 or 1. It is costly.
    pub python: u32,
}

impl Default for TracerLevels {
    /// Host 2, device 1, Python 0: what other on-demand clients send.
    fn default() -> Self {
        Self {
            host: 2,
            device: 1,
            python: 0,
        }
    }
}

/// The value of an advanced option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OptionValue {
    /// `true` or `false`.
    Truth(bool),
    /// A whole number.
    Number(i64),
    /// Any other text.
    Text(String),
}

impl OptionValue {
    /// The value that a text most likely means: a truth value, a number, or itself.
    pub fn guess(text: &str) -> Self {
        match text {
            "true" | "True" => Self::Truth(true),
            "false" | "False" => Self::Truth(false),
            text => text
                .parse()
                .map_or_else(|_| Self::Text(text.to_owned()), Self::Number),
        }
    }
}

impl Request {
    /// A capture of two seconds with the usual settings. Each text may hold several addresses,
    /// separated by commas.
    pub fn new(
        addresses: &[impl AsRef<str>],
        logdir: impl Into<PathBuf>,
    ) -> Result<Self, CaptureError> {
        Ok(Self {
            addresses: Address::parse_all(addresses)?,
            duration: Duration::from_secs(2),
            logdir: logdir.into(),
            name: None,
            tracers: TracerLevels::default(),
            options: Vec::new(),
            start_delay: None,
            busy_wait: Duration::from_secs(5),
            connect_timeout: Duration::from_secs(5),
            reply_timeout: Duration::from_mins(3),
            memory: Memory::default(),
        })
    }

    /// Adds an advanced option from `key=value`; `key:string=value`, `key:int=value` and
    /// `key:bool=value` say what the value is where a guess would be wrong.
    pub fn add_option(&mut self, text: &str) -> Result<(), CaptureError> {
        let wrong = |why: &str| CaptureError::Setting(format!("the option {text} {why}"));
        let (key, value) = text.split_once('=').ok_or_else(|| wrong("has no `=`"))?;
        let (key, kind) = key.split_once(':').unwrap_or((key, ""));
        if key.is_empty() {
            return Err(wrong("has no name"));
        }
        let guess = OptionValue::guess(value);
        let value = match (kind, guess) {
            ("", guess) => guess,
            ("string" | "str", _) => OptionValue::Text(value.to_owned()),
            ("int", guess @ OptionValue::Number(_)) | ("bool", guess @ OptionValue::Truth(_)) => {
                guess
            }
            ("int", _) => return Err(wrong("is not a 64-bit integer")),
            ("bool", _) => return Err(wrong("is neither true nor false")),
            _ => return Err(wrong("has an unknown kind; there are bool, int, string")),
        };
        self.options.push((key.to_owned(), value));
        Ok(())
    }

    /// Refuses what no profiler would record.
    pub fn check(&self) -> Result<(), CaptureError> {
        if self.addresses.is_empty() {
            return Err(CaptureError::NoAddress);
        }
        let duration = self.duration;
        if duration < Duration::from_millis(1) || duration > LONGEST {
            let text = format!("a capture lasts from 1 ms to 1 h, not {duration:?}");
            return Err(CaptureError::Setting(text));
        }
        let tracers = self.tracers;
        if tracers.host > 3 || tracers.device > 3 || tracers.python > 3 {
            return Err(CaptureError::Setting(
                "tracer levels go from 0 to 3".to_owned(),
            ));
        }
        if tracers
            == (TracerLevels {
                host: 0,
                device: 0,
                python: 0,
            })
        {
            let text = "with all tracers at 0 nothing is recorded";
            return Err(CaptureError::Setting(text.to_owned()));
        }
        Ok(())
    }

    /// How long after they were reached the hosts start.
    pub(crate) fn delay(&self) -> Duration {
        let usual = if self.addresses.len() > 1 {
            COMMON_START
        } else {
            Duration::ZERO
        };
        self.start_delay.unwrap_or(usual)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_have_the_kind_that_was_meant() {
        let mut request = Request::new(&["a:1"], "logs").expect("a request");
        for text in [
            "a=true",
            "b=-3",
            "c=TRACE_COMPUTE",
            "d=1.5",
            "e:string=7",
            "f:int=7",
            "g=",
        ] {
            request.add_option(text).expect(text);
        }
        let values: Vec<_> = request
            .options
            .into_iter()
            .map(|(_, value)| value)
            .collect();
        let text = |text: &str| OptionValue::Text(text.to_owned());
        let expected = [
            OptionValue::Truth(true),
            OptionValue::Number(-3),
            text("TRACE_COMPUTE"),
            text("1.5"),
            text("7"),
            OptionValue::Number(7),
            text(""),
        ];
        assert_eq!(values, expected);
        let mut request = Request::new(&["a:1"], "logs").expect("a request");
        for text in ["a", "=1", "a:int=x", "a:bool=1", "a:float=1"] {
            assert!(request.add_option(text).is_err(), "{text}");
        }
    }

    #[test]
    fn windows_that_record_nothing_are_refused() {
        let request = Request::new(&["a:1"], "logs").expect("a request");
        assert!(request.check().is_ok());
        let none = Request {
            duration: Duration::ZERO,
            ..request.clone()
        };
        let long = Request {
            duration: Duration::from_secs(4000),
            ..request.clone()
        };
        let off = TracerLevels {
            host: 0,
            device: 0,
            python: 0,
        };
        let blind = Request {
            tracers: off,
            ..request
        };
        for wrong in [none, long, blind] {
            assert!(wrong.check().is_err());
        }
    }
}
