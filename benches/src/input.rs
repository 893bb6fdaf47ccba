//! Inputs: profiles generated here, so that the benches run anywhere, and the file named by
//! `STEPSCOPE_BIG`, if set.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use stepscope_model::Session;
use stepscope_model::ingest::{HostInput, ingest};
use stepscope_storage::{NoProgress, find, open};
use stepscope_testing::corpus;
use stepscope_testing::drawing::draw;
use stepscope_testing::space::{EventData, StatValue, XEvent, XLine, XPlane, XSpace};

/// The variable with the path of a big capture.
pub const BIG: &str = "STEPSCOPE_BIG";

/// Bytes of a profile, however they are held.
pub type Bytes = Arc<dyn stepscope_model::ProfileData>;

/// How often the fixture is repeated: 0.8 million slices in 37 MB.
const TURNS: i64 = 32;

/// Synthetic GPU steps of 50 kernels on each of two devices.
const GPU_STEPS: usize = 1500;

/// Stats whose values are IDs; a repeated event gets new ones.
const NUMBERED: [&str; 4] = ["run_id", "_c", "_p", "correlation_id"];

/// Distance between the IDs of one repetition and the next, beyond any recorded ID.
const NUMBERS_PER_TURN: i64 = 1 << 44;

/// One profile of one host.
pub struct Input {
    /// Name used for the benches.
    pub name: &'static str,
    /// The file, decompressed.
    pub bytes: Bytes,
}

impl Input {
    /// The file.
    pub fn bytes(&self) -> &[u8] {
        (*self.bytes).as_ref()
    }

    /// The file as an input of ingest.
    pub fn hosts(&self) -> Vec<HostInput> {
        vec![HostInput {
            host: self.name.to_owned(),
            bytes: Arc::clone(&self.bytes),
            problem: None,
        }]
    }

    /// The decoded session.
    pub fn session(&self) -> Result<Session> {
        Ok(ingest(self.name, self.hosts())?)
    }
}

/// The session of one profile.
///
/// # Errors
///
/// It cannot be read.
pub fn session_of(bytes: Vec<u8>) -> Result<Session> {
    let input = HostInput {
        host: "vm".to_owned(),
        bytes: Arc::new(bytes),
        problem: None,
    };
    Ok(ingest("generated", vec![input])?)
}

/// All inputs; prints what they are.
#[expect(clippy::print_stdout, reason = "the figures need their subject")]
pub fn inputs() -> Result<Vec<Input>> {
    let mut inputs = vec![cpu()?, gpu()?];
    match std::env::var_os(BIG) {
        Some(path) => inputs.push(big(Path::new(&path))?),
        None => println!("{BIG} names no capture: generated profiles only"),
    }
    for input in &inputs {
        let slices = input.session()?.slice_count();
        let megabytes = input.bytes().len() as f64 / 1e6;
        println!("input {}: {slices} slices in {megabytes:.1} MB", input.name);
    }
    println!();
    Ok(inputs)
}

/// The demo fixture, repeated: host threads with Python frames, and four virtual devices.
fn cpu() -> Result<Input> {
    let fixture = corpus::fixture("demo-gpt-cpu").context("fixtures/demo-gpt-cpu is absent")?;
    let space = corpus::read_space(fixture.hosts.first().context("it has no host")?)?;
    let bytes = repeated(space, TURNS).to_bytes();
    Ok(Input {
        name: "cpu",
        bytes: Arc::new(bytes),
    })
}

/// Two GPUs with kernels on one stream and copies on another.
fn gpu() -> Result<Input> {
    let mut text = String::from("host vm\nthread python\n");
    writeln!(
        text,
        "repeat {GPU_STEPS} every 1ms\n  0..990us train #step_num=$i,_r=1#\nend"
    )?;
    for device in 0..2 {
        writeln!(text, "device gpu:{device} nvidia H200\nstream 7 Compute")?;
        text.push_str(
            "each [hlo_op=$name hlo_module=jit_step program_id=5 \
                       kernel_details='regs:64 grid:132,1,1 block:256,1,1 occ_pct:50']\n",
        );
        writeln!(text, "repeat {GPU_STEPS} every 1ms")?;
        for kernel in 0..50 {
            writeln!(
                text,
                "  {}us+{}us fusion.{kernel}",
                10 + 18 * kernel,
                5 + kernel % 12
            )?;
        }
        writeln!(
            text,
            "end\nstream 14 MemcpyH2D\nrepeat {GPU_STEPS} every 1ms"
        )?;
        text.push_str(
            "  1..9us MemcpyH2D [memcpy_details='kind_src:pageable kind_dst:device \
                       size:65536 dest:0 async:1']\nend\n",
        );
    }
    Ok(Input {
        name: "gpu",
        bytes: Arc::new(draw(&text)?.to_bytes()),
    })
}

/// The first host of the newest session at the path, mapped as in the product.
fn big(path: &Path) -> Result<Input> {
    let found = find(path)?;
    let session = found.newest().context("no session there")?;
    let host = session.hosts.first().context("the session has no host")?;
    Ok(Input {
        name: "big",
        bytes: Arc::new(open(host, &NoProgress)?),
    })
}

/// The same session `count` times, one after the other, with continuous step numbers.
pub fn repeated(mut space: XSpace, turns: i64) -> XSpace {
    let lines = || space.planes.iter().flat_map(|plane| &plane.lines);
    let start = lines().filter_map(line_start).min().unwrap_or(0);
    let end = lines().filter_map(line_end).max().unwrap_or(0);
    let period_ps = end - start + 1_000_000_000;
    let steps = step_count(&space);
    for plane in &mut space.planes {
        let numbered = ids_of(plane, &NUMBERED);
        let step_numbers = ids_of(plane, &["step_num"]);
        for line in &mut plane.lines {
            let once = line.events.clone();
            for turn in 1..turns {
                line.events.extend(once.iter().map(|event| {
                    let mut event = event.clone();
                    shift_time(&mut event, turn * period_ps);
                    shift_stats(&mut event, &numbered, turn * NUMBERS_PER_TURN);
                    shift_stats(&mut event, &step_numbers, turn * steps);
                    event
                }));
            }
        }
    }
    space
}

fn ids_of(plane: &XPlane, names: &[&str]) -> Vec<i64> {
    let stats = plane.stat_metadata.iter();
    stats
        .filter(|(_, stat)| names.contains(&stat.name.as_str()))
        .map(|(&id, _)| id)
        .collect()
}

fn offset_ps(event: &XEvent) -> Option<i64> {
    match event.data {
        Some(EventData::NumOccurrences(_)) => None,
        Some(EventData::OffsetPs(offset_ps)) => Some(offset_ps),
        None => Some(0),
    }
}

fn line_start(line: &XLine) -> Option<i64> {
    let start = line.events.iter().filter_map(offset_ps).min()?;
    Some(line.timestamp_ns * 1000 + start)
}

fn line_end(line: &XLine) -> Option<i64> {
    let ends = line.events.iter();
    let end = ends
        .filter_map(|event| Some(offset_ps(event)? + event.duration_ps))
        .max()?;
    Some(line.timestamp_ns * 1000 + end)
}

/// One more than the highest step number; 0 if none is recorded.
fn step_count(space: &XSpace) -> i64 {
    let of_plane = |plane: &XPlane| {
        let ids = ids_of(plane, &["step_num"]);
        let events = plane.lines.iter().flat_map(|line| &line.events);
        let stats = events.flat_map(|event| &event.stats);
        let values = stats
            .filter(|stat| ids.contains(&stat.metadata_id))
            .map(|stat| &stat.value);
        values
            .filter_map(|value| match value {
                Some(StatValue::Int64(number)) => Some(number + 1),
                Some(StatValue::Uint64(number)) => i64::try_from(*number).ok().map(|n| n + 1),
                _ => None,
            })
            .max()
    };
    space.planes.iter().filter_map(of_plane).max().unwrap_or(0)
}

fn shift_time(event: &mut XEvent, by_ps: i64) {
    if let Some(offset_ps) = offset_ps(event) {
        event.data = Some(EventData::OffsetPs(offset_ps + by_ps));
    }
}

fn shift_stats(event: &mut XEvent, ids: &[i64], by: i64) {
    for stat in event
        .stats
        .iter_mut()
        .filter(|stat| ids.contains(&stat.metadata_id))
    {
        match &mut stat.value {
            Some(StatValue::Int64(number)) => *number = number.wrapping_add(by),
            Some(StatValue::Uint64(number)) => *number = number.wrapping_add_signed(by),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_session_is_as_many_times_as_long() {
        let drawn = draw(
            "host vm
             thread python
             0..90us train #step_num=0,_r=1#
             100..190us train #step_num=1,_r=1#
             thread tf_XLAEigen/42
             each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
             10..40us fusion.1
             110..140us fusion.1",
        );
        let bytes = repeated(drawn.expect("a drawing"), 3).to_bytes();
        let input = Input {
            name: "repeated",
            bytes: Arc::new(bytes),
        };
        let session = input.session().expect("a session");
        let numbers: Vec<_> = session.steps.iter().map(|step| step.number).collect();
        assert_eq!(numbers, [0, 1, 2, 3, 4, 5]);
        assert_eq!(session.slice_count(), 12);
    }

    #[test]
    fn the_drawn_gpus_have_kernels_and_steps() {
        let session = gpu().expect("a drawing").session().expect("a session");
        assert_eq!(session.devices.len(), 2);
        assert_eq!(session.steps.len(), GPU_STEPS);
        let report = stepscope_analysis::find("kernels").expect("it is listed");
        let report = report.run_pairs(&session, []).expect("a report");
        assert_eq!(report.tables()[0].rows.len(), 50);
    }
}
