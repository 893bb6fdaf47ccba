//! Tables of what a session consists of: devices, tracks, programs and their instructions, samples.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use arrow_schema::ArrowError;
use stepscope_analysis::measuring::environment::hardware;
use stepscope_analysis::{Cell, Column, Table, Unit};
use stepscope_export::arrow::{TextType, batch};
use stepscope_model::{Device, Lane, Program, Samples, Session, TrackId};

use super::sending::Sending;
use super::table::{Opened, Receive, Rows, SqlColumn, SqlTable};
use crate::asking::Ask;

/// A table of rows that are read one by one.
struct ModelRows {
    columns: &'static [Column],
    follows: Follows,
    read: fn(&Session, &Ask, &mut Give<'_>) -> Result<(), ArrowError>,
}

/// What rows follow from.
enum Follows {
    /// One host each: columns as in [`Rows::of_hosts`].
    Hosts(&'static [&'static str]),
    /// Programs, as in [`Rows::is_of_programs`].
    Programs,
    /// HLO, as in [`Rows::is_of_hlo`].
    Hlo,
}

/// Receives rows; false if nobody wants more.
type Give<'a> = dyn FnMut(Vec<Cell>) -> bool + 'a;

impl fmt::Debug for ModelRows {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys: Vec<&str> = self.columns.iter().map(|column| column.key).collect();
        write!(formatter, "{keys:?}")
    }
}

pub(super) fn tables() -> Vec<SqlTable> {
    let table = |name: &str, meaning: &str, rows: ModelRows| SqlTable {
        name: name.to_owned(),
        meaning: meaning.to_owned(),
        columns: rows.columns.iter().copied().map(SqlColumn::of).collect(),
        options: Vec::new(),
        text: TextType::Plain,
        rows: Arc::new(rows),
    };
    vec![
        table("devices", "Every device of the profile", DEVICE_ROWS),
        table("tracks", "Every track of the timeline", TRACK_ROWS),
        table(
            "programs",
            "Every compiled program that the profile names",
            PROGRAM_ROWS,
        ),
        table(
            "instructions",
            "Every HLO instruction of the programs whose HLO is in the profile",
            INSTRUCTION_ROWS,
        ),
        table(
            "counter_samples",
            "Every sample of every counter",
            SAMPLE_ROWS,
        ),
    ]
}

const DEVICE_ROWS: ModelRows = ModelRows {
    columns: &DEVICES,
    follows: Follows::Hosts(&[
        "session",
        "host",
        "device",
        "ordinal",
        "kind",
        "chip",
        "peak_flops_per_second",
        "peak_bandwidth",
        "memory_bytes",
        "peak_source",
        "track_count",
    ]),
    read: |session, _, give| {
        devices(session, give);
        Ok(())
    },
};

const TRACK_ROWS: ModelRows = ModelRows {
    columns: &TRACKS,
    follows: Follows::Hosts(&[
        "session",
        "host",
        "device",
        "track",
        "line_id",
        "role",
        "slice_count",
        "depth",
        "sample_count",
    ]),
    read: |session, _, give| {
        tracks(session, give);
        Ok(())
    },
};

const PROGRAM_ROWS: ModelRows = ModelRows {
    columns: &PROGRAMS,
    follows: Follows::Programs,
    read: |session, _, give| {
        programs(session, give);
        Ok(())
    },
};

const INSTRUCTION_ROWS: ModelRows = ModelRows {
    columns: &INSTRUCTIONS,
    follows: Follows::Hlo,
    read: |session, _, give| {
        instructions(session, give);
        Ok(())
    },
};

const SAMPLE_ROWS: ModelRows = ModelRows {
    columns: &SAMPLES,
    follows: Follows::Hosts(&["session", "host", "device", "name", "time_ps", "value"]),
    read: samples,
};

impl Rows for ModelRows {
    fn of_hosts(&self) -> &[&str] {
        match self.follows {
            Follows::Hosts(columns) => columns,
            Follows::Programs | Follows::Hlo => &[],
        }
    }

    fn is_of_programs(&self) -> bool {
        matches!(self.follows, Follows::Programs)
    }

    fn is_of_hlo(&self) -> bool {
        matches!(self.follows, Follows::Hlo)
    }

    fn read(
        &self,
        opened: &Opened<'_>,
        ask: &Ask,
        send: &mut Receive<'_>,
    ) -> Result<(), ArrowError> {
        let mut rows = Sending::new(ask, self.columns, send);
        let mut result = Ok(true);
        (self.read)(&opened.session, ask, &mut |row| {
            result = rows.add(row);
            matches!(result, Ok(true))
        })?;
        if result? { rows.end() } else { Ok(()) }
    }
}

const DEVICES: [Column; 10] = [
    Column::new("host", "Host", Unit::Text).means("Host of the device."),
    Column::new("device", "Device", Unit::Text).means("The device as all answers name it."),
    Column::new("ordinal", "Ordinal", Unit::Count).means("Its number on the host."),
    Column::new("kind", "Kind", Unit::Text).means("What it is, such as Tpu or NvidiaGpu."),
    Column::new("chip", "Chip", Unit::Text).means("Name of the chip, or of the kind of device."),
    Column::new("peak_flops_per_second", "Peak", Unit::FlopRate)
        .means("FLOP/s that the roofline uses."),
    Column::new("peak_bandwidth", "Bandwidth", Unit::ByteRate)
        .means("Bytes per second of its memory."),
    Column::new("memory_bytes", "Memory", Unit::Bytes).means("Size of its memory."),
    Column::new("peak_source", "Source of the peak", Unit::Text)
        .means("Where the peak comes from."),
    Column::new("track_count", "Tracks", Unit::Count).means("Its tracks in the timeline."),
];

fn devices(session: &Session, give: &mut Give<'_>) {
    for id in session.device_ids() {
        let device: &Device = session.device(id);
        let chip = &device.chip;
        let row = vec![
            session.host(device.host).name.as_str().into(),
            session.device_title(id).into(),
            device.ordinal.into(),
            format!("{:?}", device.kind).into(),
            hardware(device).into(),
            chip.peak_flops.as_ref().map(|peak| peak.per_second).into(),
            chip.peak_bandwidth
                .as_ref()
                .map(|peak| peak.per_second)
                .into(),
            chip.memory_bytes
                .and_then(|bytes| i64::try_from(bytes).ok())
                .into(),
            chip.peak_flops
                .as_ref()
                .map(|peak| peak.source.clone())
                .into(),
            session.device_tracks(id).count().into(),
        ];
        if !give(row) {
            return;
        }
    }
}

const TRACKS: [Column; 9] = [
    Column::new("host", "Host", Unit::Text).means("Host of the track."),
    Column::new("device", "Device", Unit::Text).means("Its device; null for host threads."),
    Column::new("track_index", "Number", Unit::Count).means("As in `slices`."),
    Column::new("track", "Track", Unit::Text).means("Its name."),
    Column::new("line_id", "Thread or stream", Unit::Count)
        .means("Number of the thread or stream."),
    Column::new("role", "Role", Unit::Text).means("What it is, such as ops or stream."),
    Column::new("slice_count", "Slices", Unit::Count).means("Its slices at all depths."),
    Column::new("depth", "Depth", Unit::Count).means("The deepest nesting of its slices."),
    Column::new("sample_count", "Samples", Unit::Count).means("Samples, if it is a counter."),
];

fn tracks(session: &Session, give: &mut Give<'_>) {
    for id in session.track_ids() {
        let track = session.track(id);
        let depth = track.nests.iter().map(ExactSizeIterator::len).max();
        let row = vec![
            session.host(track.host).name.as_str().into(),
            device_of(session, id),
            session.track_number(id).into(),
            session.text(track.name).into(),
            track.line_id.into(),
            track.role.name().into(),
            track.lanes.iter().map(Lane::len).sum::<usize>().into(),
            depth.unwrap_or(0).into(),
            track
                .samples
                .as_ref()
                .map_or(0, |samples| samples.times.len())
                .into(),
        ];
        if !give(row) {
            return;
        }
    }
}

fn device_of(session: &Session, track: TrackId) -> Cell {
    let device = session.track(track).device;
    device.map(|id| session.device_title(id)).into()
}

const PROGRAMS: [Column; 5] = [
    Column::new("program_id", "Program id", Unit::Text).means("Its fingerprint, as in `slices`."),
    Column::new("program", "Program", Unit::Text).means("As answers name it."),
    Column::new("name", "Name", Unit::Text).means("Name of the module."),
    Column::new("has_hlo", "HLO", Unit::Flag).means("Whether its HLO is in the profile."),
    Column::new("instruction_count", "Instructions", Unit::Count)
        .means("Instructions in its HLO, those in fusions included."),
];

fn programs(session: &Session, give: &mut Give<'_>) {
    // Of a range of hosts, those that no range before it has.
    let frame = session.frame.as_ref();
    let had = frame.iter().flat_map(|frame| &frame.had_programs);
    let had: BTreeSet<(u64, &str)> = had.map(|(id, name)| (*id, name.as_str())).collect();
    let is_new = |program: &&Program| !had.contains(&(program.id, program.name.as_str()));
    for program in session.programs.iter().filter(is_new) {
        let count = program.hlo.as_ref().map(|hlo| hlo.instructions().len());
        let row = vec![
            program.id.to_string().into(),
            program.title().into(),
            program.name.as_str().into(),
            program.hlo.is_some().into(),
            count.into(),
        ];
        if !give(row) {
            return;
        }
    }
}

const INSTRUCTIONS: [Column; 13] = [
    Column::new("program_id", "Program id", Unit::Text).means("Its program, as in `programs`."),
    Column::new("program", "Program", Unit::Text).means("As answers name it."),
    Column::new("name", "Name", Unit::Text).means("Name in the program, as `op` in `slices`."),
    Column::new("opcode", "Opcode", Unit::Text).means("Such as dot or all-reduce-start."),
    Column::new("shape", "Shape", Unit::Text).means("Shape of its value on one device."),
    Column::new("scope", "Scope", Unit::Text).means("Name stack of the framework."),
    Column::new("source", "Source", Unit::Text).means("File and line of the user's program."),
    Column::new("computation", "Computation", Unit::Text).means("Computation that it is in."),
    Column::new("is_rematerialized", "Rematerialized", Unit::Flag)
        .means("Whether it repeats work to save memory."),
    Column::new("flops", "FLOPs", Unit::Flops)
        .fractional()
        .means("FLOPs of one execution."),
    Column::new("bytes", "Bytes", Unit::Bytes)
        .fractional()
        .means("Bytes that one execution accesses."),
    Column::new("operand_count", "Operands", Unit::Count).means("Number of its operands."),
    Column::new("target", "Target", Unit::Text).means("Target of a custom call."),
];

fn instructions(session: &Session, give: &mut Give<'_>) {
    for program in &session.programs {
        if !instructions_of(program, give) {
            return;
        }
    }
}

fn instructions_of(program: &Program, give: &mut Give<'_>) -> bool {
    let Some(hlo) = &program.hlo else {
        return true;
    };
    let (id, title) = (program.id.to_string(), program.title());
    let known = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    for computation in hlo.computations() {
        for own in hlo.instructions_of(computation) {
            let cost = hlo.cost(own);
            let source = own
                .source
                .as_ref()
                .map(|source| format!("{}:{}", source.file, source.line));
            let row = vec![
                id.as_str().into(),
                title.as_str().into(),
                own.name.as_str().into(),
                own.opcode.as_str().into(),
                own.shape.to_string().into(),
                known(&own.op_name).into(),
                source.into(),
                computation.name.as_str().into(),
                own.is_rematerialized.into(),
                cost.flops.into(),
                cost.bytes_accessed.into(),
                own.operand_ids.len().into(),
                known(&own.custom_call_target).into(),
            ];
            if !give(row) {
                return false;
            }
        }
    }
    true
}

/// Columns that all samples of a counter share: the first ones.
const OF_COUNTERS: [&str; 4] = ["host", "device", "track_index", "name"];

const SAMPLES: [Column; 6] = [
    Column::new("host", "Host", Unit::Text).means("Host of the counter."),
    Column::new("device", "Device", Unit::Text).means("Its device; null for counters of hosts."),
    Column::new("track_index", "Track", Unit::Count).means("As in `tracks`."),
    Column::new("name", "Counter", Unit::Text).means("Name of the counter."),
    Column::new("time_ps", "Time", Unit::Picos).means("When, since the start of the session."),
    Column::new("value", "Value", Unit::Count)
        .fractional()
        .means("The value, in its own unit."),
];

/// Filters on columns of tracks, and a range of times, are applied before samples are looked at.
fn samples(session: &Session, ask: &Ask, give: &mut Give<'_>) -> Result<(), ArrowError> {
    let counters: Vec<(TrackId, &Samples)> = session
        .track_ids()
        .filter_map(|id| Some((id, session.track(id).samples.as_ref()?)))
        .collect();
    let of_track = |id: TrackId| -> [Cell; OF_COUNTERS.len()] {
        let track = session.track(id);
        [
            session.host(track.host).name.as_str().into(),
            device_of(session, id),
            session.track_number(id).into(),
            session.text(track.name).into(),
        ]
    };
    let kept = ask.kept(&OF_COUNTERS, |_| {
        let rows = counters.iter().map(|&(id, _)| of_track(id).to_vec());
        let rows: Vec<Vec<Cell>> = rows.collect();
        batch(&Table::new(
            "counters",
            "",
            &SAMPLES[..OF_COUNTERS.len()],
            rows,
        ))
    })?;
    let (from, to) = ask.range("time_ps").unwrap_or((i64::MIN, i64::MAX));
    for (position, (id, samples)) in counters.into_iter().enumerate() {
        if kept.as_ref().is_some_and(|kept| !kept[position]) {
            continue;
        }
        let shared = of_track(id);
        let first = samples.times.partition_point(|&time| time < from);
        let times = samples.times.iter().zip(&samples.values).skip(first);
        for (&time, &value) in times.take_while(|(time, _)| **time <= to) {
            let own = [time.into(), value.into()];
            if !give(shared.iter().cloned().chain(own).collect()) {
                return Ok(());
            }
        }
    }
    Ok(())
}
