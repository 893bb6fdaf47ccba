//! Selections: which part of the session an analysis covers. All analyses share the same options.

use regex::Regex;
use rustc_hash::FxHashSet;
use stepscope_model::{
    DeviceId, HostId, LabelId, Lane, OpId, ProgramId, Session, Span, Step, StringId,
};
pub use words::SelectionError;
use words::{any_part, contains, join, nonempty};

use crate::measuring::activity::Loops;
use crate::measuring::interval::Intervals;
use crate::measuring::warm_up::WarmUpStep;
use crate::measuring::work::has_worked;

mod parts;
mod series;
mod time;
mod words;

pub use parts::{Parts, wanted_times};
pub use series::counted_steps;
use series::select_series;
pub(crate) use series::{
    all_series, following, main_series, other_steps, steps_of_series, warm_up,
};
pub(crate) use time::{parse_length, parse_moment};

/// A selection resolved against a session.
pub struct Selected<'a> {
    session: &'a Session,
    /// Selected devices, ascending.
    pub devices: Vec<DeviceId>,
    /// Those that means over devices cover, ascending: that worked, without companions such as
    /// SparseCores of others that did. All if none worked.
    pub main_devices: Vec<DeviceId>,
    /// Selected hosts, ascending.
    pub hosts: Vec<HostId>,
    /// Selected steps, as positions in `Session::steps`; none if the selection has no steps.
    pub steps: Option<Vec<usize>>,
    /// Selected times; none if the selection has no times.
    pub time: Option<Intervals>,
    programs: Option<Vec<bool>>,
    pattern: Option<Regex>,
}

/// The text of a selection, as given by options or a query. Absent values select everything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wanted<'a> {
    /// Numbers of steps: `5`, `3..8`, or a list of these.
    pub steps: Option<&'a str>,
    /// A series of steps.
    pub series: Option<&'a str>,
    /// Times since the session started.
    pub time: Option<&'a str>,
    /// Devices by index or part of the name.
    pub device: Option<&'a str>,
    /// Hosts by part of the name.
    pub host: Option<&'a str>,
    /// Programs by part of the name or by id.
    pub program: Option<&'a str>,
    /// Regular expression for names.
    pub pattern: Option<&'a str>,
}

impl Wanted<'_> {
    /// Resolves the selection.
    ///
    /// # Errors
    ///
    /// A part is invalid or matches nothing.
    pub fn resolve<'a>(&self, session: &'a Session) -> Result<Selected<'a>, SelectionError> {
        let hosts = select_hosts(session, self.host)?;
        let devices = select_devices(session, self.device, &hosts)?;
        Ok(Selected {
            session,
            main_devices: main_devices(session, &devices),
            devices,
            hosts,
            steps: select_steps(session, self.steps, self.series)?,
            time: time::select_time(session, self.time)?,
            programs: select_programs(session, self.program)?,
            pattern: self.pattern.map(compile_pattern).transpose()?,
        })
    }
}

/// Compiles a pattern. It ignores case unless it contains an uppercase letter.
pub fn compile_pattern(pattern: &str) -> Result<Regex, SelectionError> {
    regex::RegexBuilder::new(pattern)
        .case_insensitive(!pattern.chars().any(char::is_uppercase))
        .build()
        .map_err(|error| {
            let reason = reason(&error);
            SelectionError::Invalid(format!("invalid regular expression ({reason}): {pattern}"))
        })
}

/// What is wrong with a pattern, in one line. The parser's own text has several: it repeats the
/// pattern and marks the place.
fn reason(error: &regex::Error) -> String {
    match error {
        regex::Error::Syntax(text) => {
            let mut lines = text.lines().rev();
            let last = lines.find_map(|line| line.strip_prefix("error: "));
            last.unwrap_or("it cannot be parsed").to_owned()
        }
        regex::Error::CompiledTooBig(_) => "it is too large".to_owned(),
        other => other.to_string(),
    }
}

impl Selected<'_> {
    /// The selected times on a device, sorted: the spans of the selected steps there, clipped to the
    /// selected times. Everything if neither steps nor times are selected.
    pub fn windows(&self, device: DeviceId) -> Vec<Span> {
        let windows = self.step_windows(device);
        let Some(time) = &self.time else {
            return windows;
        };
        let within = windows
            .into_iter()
            .flat_map(|window| time.clip(window).into_spans());
        let mut within: Vec<Span> = within.collect();
        within.sort_unstable();
        within
    }

    fn step_windows(&self, device: DeviceId) -> Vec<Span> {
        let everything = Span {
            start: stepscope_model::Picos(i64::MIN),
            end: stepscope_model::Picos::MAX,
        };
        let Some(steps) = &self.steps else {
            return vec![everything];
        };
        let mut spans: Vec<Span> = steps
            .iter()
            .filter_map(|&index| device_span(&self.session.steps[index], self.session, device))
            .collect();
        spans.sort_unstable();
        spans
    }

    /// Whether a device is selected.
    pub fn has_device(&self, device: DeviceId) -> bool {
        self.devices.binary_search(&device).is_ok()
    }

    /// Whether means over devices cover it.
    pub(crate) fn is_main(&self, device: DeviceId) -> bool {
        self.main_devices.binary_search(&device).is_ok()
    }

    /// The selected times on the threads of a host: the host's own spans of the selected steps, or else
    /// those of its devices, clipped to the selected times. Everything if neither steps nor times are
    /// selected.
    pub fn host_windows(&self, host: HostId) -> Intervals {
        let everything = || {
            Intervals::union_of(vec![Span {
                start: stepscope_model::Picos(i64::MIN),
                end: stepscope_model::Picos::MAX,
            }])
        };
        let steps = self.steps.as_ref().map(|steps| {
            let spans = steps.iter();
            let spans = spans.flat_map(|&index| self.session.steps[index].times_on(host));
            Intervals::union_of(spans.map(|on| on.span).collect())
        });
        match (steps, &self.time) {
            (None, None) => everything(),
            (Some(steps), None) => steps,
            (None, Some(time)) => time.clone(),
            (Some(steps), Some(time)) => steps.intersect(time),
        }
    }

    /// Positions of the slices of a lane that start within the windows.
    pub fn slices(&self, lane: &Lane, windows: &[Span]) -> Vec<std::ops::Range<usize>> {
        windows
            .iter()
            .map(|&window| lane.starting_in(window))
            .filter(|range| !range.is_empty())
            .collect()
    }

    /// Whether neither steps nor times are selected.
    pub fn is_all_time(&self) -> bool {
        self.steps.is_none() && self.time.is_none()
    }

    /// Positions of the selected steps in `Session::steps`; with selected times, only of steps that
    /// begin within them. If no steps are selected, the steps that statistics include: those of the
    /// main series that are not cut.
    pub fn step_positions(&self) -> Vec<usize> {
        let counted = || counted_steps(self.session);
        let mut positions: Vec<usize> = self.steps.clone().unwrap_or_else(counted);
        if let Some(time) = &self.time {
            positions.retain(|&position| {
                let spans = self.session.steps[position].spans.iter();
                let begin = spans.map(|on| on.span.start).min();
                begin.is_some_and(|begin| time.contains_instant(begin))
            });
        }
        positions
    }

    /// The steps that are left out of [`Self::step_positions`] because they warm up: none if steps are
    /// selected.
    pub(crate) fn warm_up(&self) -> Vec<WarmUpStep> {
        match self.steps {
            Some(_) => Vec::new(),
            None => warm_up(self.session),
        }
    }

    /// Number of steps that the selected work belongs to. Without a selection this includes cut steps
    /// of which work was recorded, because that work is included too.
    pub fn worked_steps(&self) -> usize {
        if self.steps.is_some() || self.time.is_some() {
            return self.step_positions().len();
        }
        let main = main_series(self.session);
        let steps = self.session.steps.iter();
        let own = steps.filter(|step| step.series == main);
        let has_worked =
            |step: &&Step| !step.is_cut || step.spans.iter().any(|on| on.work.is_some());
        own.filter(has_worked).count()
    }

    /// The loop whose steps are selected.
    pub(crate) fn loops(&self) -> Loops {
        let first = self.step_positions().into_iter().next();
        Loops::Of(first.and_then(|step| self.session.steps[step].series))
    }

    /// Whether everything is selected, so that the result can be computed once and shared.
    pub fn is_everything(&self) -> bool {
        self.is_all_time()
            && self.programs.is_none()
            && self.pattern.is_none()
            && self.devices.len() == self.session.devices.len()
            && self.hosts.len() == self.session.hosts.len()
    }

    /// Whether the program is selected.
    pub fn has_program(&self, program: Option<ProgramId>) -> bool {
        match (&self.programs, program) {
            (None, _) => true,
            (Some(selected), Some(program)) => selected[program.index()],
            (Some(_), None) => false,
        }
    }

    /// The pattern of `--match`.
    pub(crate) fn pattern(&self) -> Option<&str> {
        self.pattern.as_ref().map(Regex::as_str)
    }

    /// Whether one of the texts matches `--match`; always true without a pattern.
    pub fn matches(&self, texts: &[&str]) -> bool {
        self.pattern
            .as_ref()
            .is_none_or(|pattern| texts.iter().any(|text| pattern.is_match(text)))
    }

    /// For each label, whether its program is selected and its name, category, scope or source matches.
    pub fn labels(&self) -> Vec<bool> {
        (0..self.session.labels.len())
            .map(|index| self.has_label(LabelId::from_index(index)))
            .collect()
    }

    fn has_label(&self, label: LabelId) -> bool {
        let session = self.session;
        let label = session.label(label);
        let op = label.op.map(|id: OpId| session.op(id));
        let text = |id: StringId| session.text(id);
        if !self.has_program(label.program) {
            return false;
        }
        if let Some(op) = op {
            return self.matches(&[
                text(label.name),
                text(op.name),
                text(op.category),
                text(op.scope),
                text(op.source),
            ]);
        }
        let transfer = label.transfer;
        let transfer = transfer.map_or("", |transfer| transfer.direction.name());
        let [own, kind] = [label.framework_op, label.framework_type];
        let [own, kind] = [own, kind].map(|id| id.map_or("", text));
        self.matches(&[text(label.name), own, kind, transfer])
    }
}

fn main_devices(session: &Session, devices: &[DeviceId]) -> Vec<DeviceId> {
    let is_companion = |device: DeviceId| session.device(device).kind.is_companion();
    let worked = devices
        .iter()
        .filter(|&&device| has_worked(session, device));
    let mut main: Vec<DeviceId> = worked.copied().collect();
    let led: FxHashSet<HostId> = (main.iter())
        .filter(|&&device| !is_companion(device))
        .map(|&device| session.device(device).host)
        .collect();
    main.retain(|&device| !is_companion(device) || !led.contains(&session.device(device).host));
    if main.is_empty() {
        devices.to_vec()
    } else {
        main
    }
}

/// The step's span on a device; if it has none there, its span on the device's host.
pub fn device_span(step: &Step, session: &Session, device: DeviceId) -> Option<Span> {
    let host = session.device(device).host;
    step.seen_from(host, Some(device)).map(|on| on.span)
}

fn select_hosts(session: &Session, wanted: Option<&str>) -> Result<Vec<HostId>, SelectionError> {
    let all = (0..session.hosts.len()).map(HostId::from_index);
    let Some(wanted) = wanted else {
        return Ok(all.collect());
    };
    let is_named =
        |part: &str| (session.hosts.iter()).any(|host| host.name.eq_ignore_ascii_case(part));
    let hosts: Vec<_> = all
        .filter(|&id| {
            let name = &session.host(id).name;
            any_part(wanted, |part| match part {
                HOST_PLANE => true,
                // `host-1` is not `host-10` too.
                whole if is_named(whole) => name.eq_ignore_ascii_case(whole),
                part => contains(name, part),
            })
        })
        .collect();
    let names = || session.hosts.iter().map(|host| host.name.clone());
    nonempty(hosts, || format!("--host {wanted}"), || join(names()))
}

fn select_devices(
    session: &Session,
    wanted: Option<&str>,
    hosts: &[HostId],
) -> Result<Vec<DeviceId>, SelectionError> {
    let all = session
        .device_ids()
        .filter(|&id| hosts.contains(&session.device(id).host));
    let Some(wanted) = wanted else {
        return Ok(all.collect());
    };
    let titles: Vec<String> = session
        .device_ids()
        .map(|id| session.device_title(id))
        .collect();
    let is_named = |part: &str| titles.iter().any(|title| is_whole(title, part));
    let devices: Vec<_> = all
        .filter(|&id| {
            let title = &titles[id.index()];
            any_part(wanted, |part| match part.parse::<u32>() {
                Ok(number) => number == id.0,
                // `GPU:1` is not `GPU:10` too.
                Err(_) if is_named(part) => is_whole(title, part),
                Err(_) => is_called(title, part),
            })
        })
        .collect();
    let names = || {
        session
            .device_ids()
            .map(|id| format!("{} {}", id.0, session.device_title(id)))
    };
    nonempty(devices, || format!("--device {wanted}"), || join(names()))
}

/// The profiler's name for the threads of a host, the same on every host.
const HOST_PLANE: &str = "/host:CPU";
/// The profiler's prefix of device names.
const DEVICE_PLANE: &str = "/device:";

/// Whether this is the whole name of a device, with or without that of its host.
fn is_whole(title: &str, wanted: &str) -> bool {
    let name = title.rsplit('/').next().unwrap_or(title);
    [title, name]
        .iter()
        .any(|whole| whole.eq_ignore_ascii_case(wanted))
}

/// Whether `wanted` matches a device: as a part of its title, or as the profiler's full name,
/// `/device:GPU:0`.
fn is_called(title: &str, wanted: &str) -> bool {
    match wanted.strip_prefix(DEVICE_PLANE) {
        Some(plane) => title.rsplit('/').next() == Some(plane),
        None => contains(title, wanted),
    }
}

fn select_programs(
    session: &Session,
    wanted: Option<&str>,
) -> Result<Option<Vec<bool>>, SelectionError> {
    let Some(wanted) = wanted else {
        return Ok(None);
    };
    let selected: Vec<bool> = session
        .programs
        .iter()
        .map(|program| {
            any_part(wanted, |part| match part.parse::<u64>() {
                Ok(id) => id == program.id || program.other_ids.contains(&id),
                Err(_) => contains(&program.title(), part),
            })
        })
        .collect();
    let found = selected
        .iter()
        .filter(|&&is_selected| is_selected)
        .map(|_| ())
        .collect();
    let names = || session.programs.iter().map(stepscope_model::Program::title);
    nonempty::<()>(found, || format!("--program {wanted}"), || join(names()))?;
    Ok(Some(selected))
}

fn select_steps(
    session: &Session,
    wanted: Option<&str>,
    series: Option<&str>,
) -> Result<Option<Vec<usize>>, SelectionError> {
    let series = select_series(session, series)?;
    let Some(wanted) = wanted else {
        return Ok(series.map(|series| steps_of_series(session, Some(series))));
    };
    let series = series.or_else(|| main_series(session));
    let ranges: Vec<_> = wanted
        .split(',')
        .map(parse_steps)
        .collect::<Result<_, _>>()?;
    let steps: Vec<usize> = (0..session.steps.len())
        .filter(|&index| {
            let step = &session.steps[index];
            let is_in_range = ranges.iter().any(|range| range.contains(&step.number));
            step.series == series && is_in_range
        })
        .collect();
    let numbers = || session.steps.iter().map(|step| step.number.to_string());
    nonempty(steps, || format!("--steps {wanted}"), || join(numbers())).map(Some)
}

/// Parses `5`, `3..8`, `3..=8`, `3..`, `..8` into an inclusive range.
fn parse_steps(text: &str) -> Result<std::ops::RangeInclusive<i64>, SelectionError> {
    let wrong = || {
        SelectionError::Invalid(format!(
            "--steps takes 5, 3..8, 3..=8, 3.., ..8 or a list of these, not {text:?}"
        ))
    };
    let number = |text: &str, missing: i64| match text.trim() {
        "" => Ok(missing),
        digits => digits.parse::<i64>().map_err(|_| wrong()),
    };
    let text = text.trim();
    if let Some((first, last)) = text.split_once("..=") {
        return Ok(number(first, i64::MIN)?..=number(last, i64::MAX)?);
    }
    if let Some((first, end)) = text.split_once("..") {
        let last = number(end, i64::MAX)?;
        let last = if end.trim().is_empty() {
            last
        } else {
            last.saturating_sub(1)
        };
        return Ok(number(first, i64::MIN)?..=last);
    }
    let single = text.parse::<i64>().map_err(|_| wrong())?;
    Ok(single..=single)
}

#[cfg(test)]
mod tests {
    use super::parse_steps;

    #[test]
    fn step_ranges_are_half_open_like_rust() {
        assert_eq!(parse_steps("5").ok(), Some(5..=5));
        assert_eq!(parse_steps("3..8").ok(), Some(3..=7));
        assert_eq!(parse_steps("3..=8").ok(), Some(3..=8));
        assert_eq!(parse_steps("3..").ok(), Some(3..=i64::MAX));
        assert_eq!(parse_steps("..8").ok(), Some(i64::MIN..=7));
        assert!(parse_steps("a..b").is_err());
    }
}
