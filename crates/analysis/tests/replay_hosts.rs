//! Replays of what hosts do before they launch work: workers that a call hands something over to, and
//! calls that compile. Gains are those of arithmetic by hand.

use serde_json::Value;
use stepscope_model::Session;

use crate::replay::what_if;
use crate::support::{ask, drawn};

const US: f64 = 1e6;

/// Five steps, 1000 µs apart. Python calls a program at 10 µs. A worker prepares its argument from 32
/// to 332 µs and copies it to the device by 400; then the program's only kernel runs until 700. Python
/// reads the result: a worker, which has waited since 360, begins at 730 to copy it.
const WORKER: &str = "
    host vm
    device gpu:0 nvidia H100
    stream 7 Compute
    each [program_id=5 hlo_module=jit_step]
    repeat 5 every 1ms
      410..700us gemm [hlo_op=dot.1 correlation_id=1$i]
    end
    stream 8 Compute
    each [program_id=6 hlo_module=jit_first]
    repeat 5 every 1ms
      30..32us   small [hlo_op=add.1 correlation_id=4$i]
    end
    stream 20 MemcpyH2D
    each [memcpy_details='kind_src:pinned kind_dst:device size:4194304 dest:0 async:1']
    repeat 5 every 1ms
      340..400us MemcpyH2D [correlation_id=2$i]
    end
    stream 21 MemcpyD2H
    each [memcpy_details='kind_src:device kind_dst:pinned size:4 dest:0 async:1']
    repeat 5 every 1ms
      760..770us MemcpyD2H [correlation_id=3$i]
    end
    thread python
    repeat 5 every 1ms
      0..900us   train #step_num=$i,_r=1#
      5..355us   PjitFunction(step)
      10..14us   cuLaunchKernelEx [correlation_id=4$i]
      15..349us  [0] PjRtStreamExecutorRawLoadedExecutable::Execute
      350..354us cuLaunchKernelEx [correlation_id=1$i]
      360..800us np.asarray(jax.Array)
    end
    thread pjrt_async_work_runner/7
    repeat 5 every 1ms
      32..332us  H2D Dispatch
      332..336us cuMemcpyHtoDAsync [correlation_id=2$i]
      730..755us D2H Dispatch
      750..754us cuMemcpyDtoHAsync [correlation_id=3$i]
    end
";

/// Steps of which every one compiles before it runs: no call launches without.
const COMPILES: &str = "
    host vm
    thread python
    repeat 4 every 1000us
      0..900us   train #step_num=$i,_r=1#
      10..515us  PjitFunction(step)
      20..500us  CpuCompiler::CompileCpuExecutable
      520..890us np.asarray(jax.Array)
    end
    thread tf_XLAEigen/42
    each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
    repeat 4 every 1000us
      520..720us dot.1
      720..820us dot.2
    end
";

/// A thread trains and waits, of which nothing is recorded; another one evaluates meanwhile, and reads
/// its own result until 965 µs.
const TWO_LOOPS: &str = "
    host vm
    thread python/1
    repeat 6 every 1000us
      5..15us    PjitFunction(step)
      7..14us    CommonPjRtLoadedExecutable::ExecuteHelperOnSingleDevice #run_id=1$i#
    end
    thread python/2
    repeat 6 every 1000us
      100..110us PjitFunction(eval)
      102..109us CommonPjRtLoadedExecutable::ExecuteHelperOnSingleDevice #run_id=2$i#
      112..965us np.asarray(jax.Array)
    end
    thread tf_XLAEigen/42
    each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
    repeat 6 every 1000us
      20..820us  dot.1 [run_id=1$i]
    end
    each [hlo_op=$name hlo_module=jit_eval program_id=6 device_ordinal=0]
    repeat 6 every 1000us
      825..960us dot.2 [run_id=2$i]
    end
";

/// What a change gains per step, in µs.
fn gain(session: &Session, change: &str) -> f64 {
    let [_, _, before, after, ..] = what_if(session, change);
    before - after
}

fn step_of_path(session: &Session) -> Value {
    let report = ask(session, "critical_path", &[]);
    report["steps"][1].clone()
}

fn us(step: &Value, key: &str) -> f64 {
    step[key].as_f64().expect("a figure") / US
}

/// The copy of the argument is gone from 32 to 332 µs, on the worker and on the thread that waits.
#[test]
fn what_a_worker_does_for_a_call_has_causes() {
    assert_eq!(gain(&drawn(&[WORKER]), "no-input-wait"), 300.0);
}

/// The worker that copies the result waited for the kernel, not for the thread that reads.
#[test]
fn a_worker_waits_for_the_device() {
    let session = drawn(&[WORKER]);
    let step = step_of_path(&session);
    assert_eq!(us(&step, "compute_ps"), 290.0, "{step}");
    assert_eq!(us(&step, "copy_ps"), 70.0, "{step}");
    // A kernel of no time ends 290 µs earlier, and so does all that follows.
    assert_eq!(gain(&session, r"remove:^gemm$"), 290.0);
}

/// The least latency of a launch has no compilation in it, though each call compiles.
#[test]
fn compiling_is_no_part_of_a_launch() {
    let session = drawn(&[COMPILES]);
    // With what the call did before: tracing, of which nothing was recorded.
    assert_eq!(gain(&session, "no-host:compilation"), 490.0);
    let step = step_of_path(&session);
    assert!(us(&step, "host_ps") >= 480.0, "{step}");
}

/// The thread that trains waits for its own work, not for what another one reads.
#[test]
fn a_thread_waits_for_what_it_launched() {
    let session = drawn(&[TWO_LOOPS]);
    let step = step_of_path(&session);
    assert_eq!(us(&step, "compute_ps"), 800.0, "{step}");
    assert_eq!(us(&step, "host_ps"), 0.0, "{step}");
    assert_eq!(us(&step, "idle_ps"), 185.0, "{step}");
    // Then the other thread is the slower one, with 275 µs from result to result and its launch.
    let gain_us = gain(&session, r"remove:^dot\.1$");
    assert!((700.0..725.0).contains(&gain_us), "{gain_us}");
    assert_eq!(gain(&session, r"remove:^dot\.2$"), 0.0);
}
