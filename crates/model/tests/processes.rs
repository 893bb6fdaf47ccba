//! Processes that were recorded with the profiled one: what they do is work of the host.

use crate::support::session;

/// A loader that prepares batches with JAX on the CPU, beside a training on the CPU. Both number
/// programs, devices and runs from the same values on.
#[test]
fn ops_of_a_loader_are_no_work_of_the_devices() {
    let text = "
        host vm
        thread python
        repeat 3 every 100us
          0..90us train #step_num=$i,_r=1#
          1..85us PjitFunction(step)
        end
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=4 device_ordinal=0]
          10..80us   fusion.1 [run_id=7]
          110..180us fusion.1 [run_id=8]
          210..280us fusion.1 [run_id=9]
        plane /host:CPU [77]
        line python
        repeat 9 every 30us
          0..30us train #step_num=$i,_r=1#
          1..25us PjitFunction(step)
        end
        line tf_XLAEigen/43
        each [hlo_op=$name hlo_module=jit_step program_id=4 device_ordinal=0]
        repeat 9 every 30us
          2..20us fusion.2 [run_id=7]
        end";
    let session = session(text);
    let devices: Vec<&str> = session
        .devices
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    assert_eq!(devices, ["CPU:0"]);
    assert_eq!(session.program_runs.len(), 3);
    assert_eq!(session.steps.len(), 3);
    let of_loader: Vec<&str> = session
        .tracks
        .iter()
        .filter(|track| track.process == Some(77))
        .map(|track| session.strings.get(track.name))
        .collect();
    assert_eq!(
        of_loader,
        ["python (process 77)", "tf_XLAEigen/43 (process 77)"]
    );
}
