//! Log directories of generated captures: of many hosts, of many runs, and of one with many slices.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use stepscope_testing::corpus;
use stepscope_testing::drawing::draw;

use crate::input::repeated;

/// Steps of a host, and ops in each: together they make a file of 1 MB.
const STEPS: usize = 100;
const OPS: usize = 560;

/// One capture of so many hosts with a TPU each, 1 MB per host. Every host arrives at the collective of a
/// step a little later than the one before it. Returns the size of all files.
///
/// # Errors
///
/// The files cannot be written.
pub fn hosts(folder: &Path, count: usize) -> Result<u64> {
    let run = folder.join("plugins/profile/run");
    fs::create_dir_all(&run)?;
    let replicas: Vec<String> = (0..count).map(|number| number.to_string()).collect();
    let replicas = replicas.join(",");
    let mut size_bytes = 0;
    for number in 0..count {
        let bytes = draw(&of_host(number, &replicas, STEPS, OPS)?)?.to_bytes();
        size_bytes += bytes.len() as u64;
        fs::write(run.join(format!("host-{number:04}.xplane.pb")), bytes)?;
    }
    Ok(size_bytes)
}

/// So many captures of one small run each, all of them different. Returns the size of all files.
///
/// # Errors
///
/// The files cannot be written.
pub fn runs(folder: &Path, count: usize) -> Result<u64> {
    let mut size_bytes = 0;
    for number in 0..count {
        let run = folder.join(format!("plugins/profile/run-{number:05}"));
        fs::create_dir_all(&run)?;
        let bytes = draw(&of_host(number, "0", 8, 24)?)?.to_bytes();
        size_bytes += bytes.len() as u64;
        fs::write(run.join("vm.xplane.pb"), bytes)?;
    }
    Ok(size_bytes)
}

/// The demo fixture so many times in a row: 25,000 slices in 1.2 MB each time. Returns its size.
///
/// # Errors
///
/// The fixture cannot be read, or the file cannot be written.
pub fn long(folder: &Path, turns: i64) -> Result<u64> {
    let fixture = corpus::fixture("demo-gpt-cpu").context("fixtures/demo-gpt-cpu is absent")?;
    let space = corpus::read_space(fixture.hosts.first().context("it has no host")?)?;
    let bytes = repeated(space, turns).to_bytes();
    let run = folder.join("plugins/profile/run");
    fs::create_dir_all(&run)?;
    fs::write(run.join("vm.xplane.pb"), &bytes)?;
    Ok(bytes.len() as u64)
}

/// Steps of 10 ms: ops one after another, then a collective of all hosts.
fn of_host(number: usize, replicas: &str, steps: usize, ops: usize) -> Result<String> {
    let every = 9000 / ops;
    // No two of ten thousand are the same.
    let late_ns = 10 * number;
    let start = 9_200_000 + late_ns;
    let mut text = format!(
        "host h{number}
         environment [profile_start_time=1700000000000000000 profile_stop_time=1700000002000000000]
         thread python
         repeat {steps} every 10ms
           0..9900us train #step_num=$i,_r=1#
           20us..80us PjitFunction(step)
         end
         device tpu:0 v6e
         line Steps
         repeat {steps} every 10ms
           100us..9900us $i
         end
         line XLA Modules
         repeat {steps} every 10ms
           100us..9900us jit_step(5) [run_id=$i]
         end
         line XLA Ops
         repeat {steps} every 10ms
         "
    );
    for op in 0..ops {
        let at = 100 + op * every;
        let known = format!("{{program_id=5 symbol_id={op} hlo_category=\"loop fusion\"}}");
        writeln!(text, "{at}us+{}ns fusion.{op} {known}", every * 900)?;
    }
    writeln!(
        text,
        "{start}ns..9900us all-reduce.1 {{program_id=5 symbol_id={ops} hlo_category=all-reduce}}
         end
         program 5 jit_step
           p.0 = f32[1000000] parameter(0)
           ROOT all-reduce.1 = f32[1000000] all-reduce(p.0) replica_groups={{{{{replicas}}}}}"
    )?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepscope_model::Reads;
    use stepscope_storage::{NoProgress, find, open_session};

    #[test]
    fn hosts_and_runs_are_what_they_say() {
        let folder = tempfile::tempdir().expect("a folder");
        let size_bytes = hosts(folder.path(), 2).expect("written");
        assert!(
            (1_800_000..2_400_000).contains(&size_bytes),
            "{size_bytes} bytes"
        );
        let found = find(folder.path()).expect("a session");
        let opened = open_session(&found.sessions[0], Reads::Everything, |_| NoProgress);
        let session = opened.expect("readable").session;
        assert_eq!((session.hosts.len(), session.devices.len()), (2, 2));
        assert_eq!(session.steps.len(), STEPS);
        assert!(session.slice_count() > 2 * STEPS * OPS);

        let folder = tempfile::tempdir().expect("a folder");
        runs(folder.path(), 3).expect("written");
        let found = find(folder.path()).expect("sessions").sessions;
        let bytes = |at: usize| fs::read(&found[at].hosts[0].path).expect("a file");
        assert_eq!(found.len(), 3);
        assert!(bytes(0) != bytes(1) && bytes(1) != bytes(2));
    }
}
