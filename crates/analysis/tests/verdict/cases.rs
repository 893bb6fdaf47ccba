//! Drawings: a healthy capture, one for each finding, and ones that nearly have it.

/// A capture nothing is wrong with: six annotated steps of one GPU, HLO and versions recorded.
pub(crate) const HEALTHY: &str = "
    host vm
    plane /host:metadata [jax_version=\"0.10.2\" gpu_version=\"cuda 12090\"]
    device gpu:0 nvidia H100
    stream 7 Compute
    repeat 6 every 100us
      10..90us  gemm [hlo_op=dot.1 program_id=5 hlo_module=jit_step correlation_id=$i]
    end
    thread python
    repeat 6 every 100us
      0..95us train #step_num=$i,_r=1#
      2..8us  PjitFunction(step)
      5..7us  cuLaunchKernel [correlation_id=$i]
    end
    program 5 jit_step
      p.0 = f32[8,16] parameter(0)
      ROOT dot.1 = f32[8,8] dot(p.0, p.0) op_name=\"jit(step)/mul\" source=\"train.py:7\"
";

/// `ProfileOptions` with the levels host, device, python.
pub(crate) fn options(host: u8, device: u8, python: u8) -> String {
    format!("environment [profile_options=hex:080110{host:02x}18{device:02x}20{python:02x}]")
}

pub(crate) fn replaced(from: &str, to: &str) -> String {
    assert!(HEALTHY.contains(from), "{from}");
    HEALTHY.replace(from, to)
}

/// One drawing for each host.
pub(crate) type Case = (&'static str, Vec<String>, &'static str);

/// For each finding a drawing that has it, and what it says.
#[expect(clippy::too_many_lines, reason = "a table of drawings")]
pub(crate) fn positives() -> Vec<Case> {
    let gpu_without_work = |extra: &str| {
        format!(
            "host vm
            {extra}
            plane /host:metadata [gpu_version=\"cuda 12090\"]
            device gpu:0 nvidia H100
            thread python
            repeat 3 every 10us
              0..5us PjitFunction(step)
              1..4us PjitFunction(step)
            end"
        )
    };
    let cpu = |ordinal: u32, extra: &str| {
        format!(
            "host vm
            {extra}
            thread python
              0..100us train #step_num=0,_r=1#
              100..200us train #step_num=1,_r=1#
            thread tf_XLAEigen/42
            each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal={ordinal}]
              10..80us fusion.1
              110..180us fusion.1
            program 5 jit_step
              p.0 = f32[8,16] parameter(0)
              ROOT fusion.1 = f32[8,8] dot(p.0, p.0)"
        )
    };
    let host = |name: &str, start_ns: u64, stop_ns: u64, shift: &str| {
        format!(
            "host {name}
            environment [profile_start_time={start_ns} profile_stop_time={stop_ns}]
            thread python
            repeat 3 every 100us
              {shift}+90us train #step_num=$i,_r=1#
            end
            thread tf_XLAEigen/42
            each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
            repeat 3 every 100us
              {shift}+80us fusion.1
            end
            program 5 jit_step
              p.0 = f32[8,16] parameter(0)
              ROOT fusion.1 = f32[8,8] dot(p.0, p.0)"
        )
    };
    let without_work = |text: &str| {
        let kept = text.lines().filter(|line| !line.contains("fusion.1"));
        kept.collect::<Vec<_>>().join("\n")
    };
    let steps = |count: usize, kernel: &str| {
        replaced("repeat 6", &format!("repeat {count}")).replace("10..90us  gemm", kernel)
    };
    let epoch = 1_700_000_000_000_000_000u64;
    vec![
        (
            "no_events",
            vec![format!("host vm\n{}\nthread python", options(2, 1, 0))],
            "no events at all",
        ),
        (
            "host_tracing_off",
            vec![format!("host vm\n{}\nthread python", options(0, 1, 0))],
            "Host tracing was off (host_tracer_level=0).",
        ),
        (
            "device_tracing_off",
            vec![gpu_without_work(&options(2, 0, 0))],
            "device_tracer_level=0",
        ),
        (
            "cupti_rival",
            vec![gpu_without_work(
                "error CUPTI: CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED",
            )],
            "MULTIPLE_SUBSCRIBERS",
        ),
        (
            "cupti_permission",
            vec![gpu_without_work(
                "error EnableActivityTracing failed with error CUPTI_ERROR_INSUFFICIENT_PRIVILEGES",
            )],
            "INSUFFICIENT_PRIVILEGES",
        ),
        (
            "cupti_missing",
            vec![gpu_without_work("error libcupti.so.12 could not be loaded")],
            "libcupti",
        ),
        (
            "no_device_work",
            vec![gpu_without_work("")],
            "No device recorded work: the rows of 1 device are empty.",
        ),
        (
            "work_on_cpu",
            vec![cpu(0, "plane /host:metadata [gpu_version=\"cuda 12090\"]")],
            "Only XLA:CPU recorded work, although the process had a GPU.",
        ),
        (
            "events_dropped",
            vec![format!(
                "{HEALTHY}\nwarning 512 activity events were dropped: buffer limit"
            )],
            "512 activity events were dropped",
        ),
        (
            "recorder_reported",
            vec![format!("{HEALTHY}\nwarning the clock could not be read")],
            "the clock could not be read.",
        ),
        (
            "device_ends_early",
            vec![HEALTHY.replacen("repeat 6", "repeat 3", 1)],
            "GPU:0 recorded nothing in the last 3 steps of 6.",
        ),
        (
            "missing_hosts",
            vec![cpu(4096, "")],
            "1 host of a job with 3 processes is in the session",
        ),
        (
            "silent_hosts",
            vec![
                HEALTHY.to_owned(),
                "host other\nthread python".to_owned(),
            ],
            "1 of 2 hosts recorded no events: other.",
        ),
        (
            "hosts_apart",
            vec![
                host("a", epoch, epoch + 1_000_000, "0us"),
                host("b", epoch + 800_000, epoch + 1_800_000, "0us"),
            ],
            "The recordings of b and a overlap for only 20.0 % of the shorter one.",
        ),
        (
            "host_clocks",
            vec![
                together(&host("a", epoch, epoch + 1_000_000, "0us")),
                together(&host("b", epoch, epoch + 1_000_000, "150us")),
            ],
            "The clock of b is 150.0 µs ahead of that of a, more than a step (90.00 µs).",
        ),
        (
            "host_clocks",
            vec![
                without_work(&host("a", epoch, epoch + 1_000_000, "0us")),
                without_work(&host("b", epoch, epoch + 1_000_000, "150us")),
            ],
            "The same steps are 150.0 µs apart on a and b, more than a step (90.00 µs).",
        ),
        (
            "compilation",
            vec![replaced(
                "thread python",
                "thread compiler/9\n 100..150us backend_compile_and_load\n 102..148us GpuCompiler::RunBackend [name=jit_step]\nthread python",
            ).replace("10..90us  gemm", "50..90us  gemm")],
            "1 compilation took 50.00 µs during the capture: jit_step.",
        ),
        (
            "no_steps",
            vec!["
                host vm
                device gpu:0 nvidia H100
                stream 7 Compute
                  10..90us gemm [hlo_op=dot.1 program_id=5 hlo_module=jit_step]
            "
            .to_owned()],
            "No steps were recorded and none could be inferred.",
        ),
        (
            "steps_inferred",
            vec![HEALTHY
                .lines()
                .filter(|line| !line.contains("train #"))
                .collect::<Vec<_>>()
                .join("\n")],
            "inferred from runs of the main program (jit_step(5))",
        ),
        ("single_step", vec![steps(1, "10..90us  gemm")], "One step was captured."),
        (
            "cut_steps",
            vec![replaced("0..95us train", "200..295us train")
                .replace("repeat 6 every 100us\n      10..90us  gemm", "repeat 8 every 100us\n      10..90us  gemm [run_id=$i]")
                .replace("      2..8us  PjitFunction(step)\n      5..7us  cuLaunchKernel [correlation_id=$i]\n", "")],
            "jit_step ran twice before the first annotated step.",
        ),
        (
            "missing_hlo",
            vec![HEALTHY[..HEALTHY.find("program 5").expect("there")].to_owned()],
            "1 program of 1 ran without HLO in the profile: jit_step(5).",
        ),
        (
            "graph_kernels",
            vec![replaced("10..90us  gemm", "90..95us other_kernel [hlo_op=\"\" program_id=\"\" hlo_module=\"\"]\n      10..90us  gemm")
                .replace("90..95us other_kernel [hlo_op=\"\" program_id=\"\" hlo_module=\"\"]", "70..99us command_buffer_kernel")
                .replace("10..90us  gemm", "10..60us  gemm")],
            "36.7 % of kernel time has no HLO op.",
        ),
        (
            "kernel_regions",
            vec![tpu_kernel("", "")],
            "80.0 % of TPU work is in kernels whose inside was not recorded.",
        ),
        (
            "python_tracer",
            vec![replaced(
                "2..8us  PjitFunction(step)",
                "8..40us $a.py:1 a\n 9..30us $b.py:1 b\n 10..20us $c.py:1 c\n 11..15us $d.py:1 d\n      2..8us  PjitFunction(step)",
            )],
            "24 traced calls on one thread took at least about 1.6 %, and up to 8.1 % of its time.",
        ),
        ("many_steps", vec![steps(201, "10..90us  gemm")], "201 steps were captured."),
        (
            "recorded_as_sums",
            vec![format!("{HEALTHY}\ndevice gpu:0\nstream 7\n x5 30us memset")],
            "recorded as sums",
        ),
        (
            "idle_devices",
            vec![format!("{HEALTHY}\ndevice gpu:1 nvidia H100")],
            "1 of 2 devices recorded no work: GPU:1.",
        ),
    ]
}

/// A TPU v6e whose kernel, written by hand, takes 80 of 100 us; facts of its host, and more rows.
pub(crate) fn tpu_kernel(facts: &str, rows: &str) -> String {
    format!(
        "host vm
        plane /host:metadata [{facts}]
        device tpu:0 v6e
        line XLA Ops
          0..80us \"%kernel.1 = f32[8] custom-call(%p), custom_call_target=\\\"tpu_custom_call\\\"\" {{hlo_category=custom-call program_id=5}}
          80..100us dot.2 {{hlo_category=\"convolution fusion\" program_id=5}}
        {rows}"
    )
}

/// The work is an all-reduce over the two hosts.
fn together(text: &str) -> String {
    text.replace(
        "ROOT fusion.1 = f32[8,8] dot(p.0, p.0)",
        "ROOT fusion.1 = f32[8,16] all-reduce(p.0) replica_groups={{0,1}}",
    )
}

/// A step of 100 us on a device of XLA:CPU that works for 70 of them.
fn clean_cpu(ordinal: u32, host: &str, start: u32) -> String {
    let end = start + 70;
    format!(
        "host {host}
        thread python
          {start}us+100us train #step_num=0,_r=1#
        thread tf_XLAEigen/42
          {start}..{end}us fusion.1 [hlo_op=fusion.1 hlo_module=jit_step program_id=5 device_ordinal={ordinal}]
        program 5 jit_step
          p.0 = f32[8,16] parameter(0)
          ROOT fusion.1 = f32[8,8] dot(p.0, p.0)"
    )
}

/// The same, with when the profiler started and stopped.
fn recorded(text: &str, start: u64, stop: u64) -> String {
    format!("{text}\nenvironment [profile_start_time={start} profile_stop_time={stop}]")
}

/// Captures that nearly have a finding.
pub(crate) fn negatives() -> Vec<Case> {
    let epoch = 1_700_000_000_000_000_000u64;
    vec![
        (
            "device_tracing_off",
            vec![format!("{}\n{}", clean_cpu(0, "vm", 0), options(2, 0, 0))],
            "a CPU needs no device tracer",
        ),
        (
            "work_on_cpu",
            vec![clean_cpu(0, "vm", 0)],
            "there is no accelerator",
        ),
        (
            "device_ends_early",
            vec![HEALTHY.replacen("repeat 6", "repeat 5", 1)],
            "the last step may have been cut",
        ),
        (
            "missing_hosts",
            vec![clean_cpu(0, "a", 0), clean_cpu(2048, "b", 0)],
            "both processes are here",
        ),
        (
            "hosts_apart",
            vec![
                recorded(&clean_cpu(0, "a", 0), epoch, epoch + 1_000_000),
                recorded(&clean_cpu(2048, "b", 0), epoch + 400_000, epoch + 1_400_000),
            ],
            "60 % are common",
        ),
        (
            "host_clocks",
            vec![
                recorded(&clean_cpu(0, "a", 0), epoch, epoch + 1_000_000),
                recorded(&clean_cpu(2048, "b", 50), epoch, epoch + 1_000_000),
            ],
            "half a step apart",
        ),
        (
            "host_clocks",
            vec![
                recorded(&clean_cpu(0, "a", 0), epoch, epoch + 1_000_000),
                recorded(&clean_cpu(2048, "b", 250), epoch, epoch + 1_000_000),
            ],
            "jobs of their own: the same step numbers say nothing of clocks",
        ),
        (
            "cut_steps",
            vec![replaced(
                "    stream 7 Compute\n",
                "    stream 7 Compute\n      0..5us init [hlo_op=add.1 program_id=9 hlo_module=jit_init]\n",
            )],
            "another program ran before the steps",
        ),
        (
            "graph_kernels",
            vec![replaced(
                "10..90us  gemm",
                "92..96us foreign_kernel\n      10..90us  gemm",
            )],
            "5 % of the time carries no op",
        ),
        (
            "kernel_regions",
            vec![tpu_kernel("", "line LLO Ops\n      10..50us MXU")],
            "the inside of the kernel was recorded",
        ),
        (
            "kernel_regions",
            vec![tpu_kernel("", "").replace("tpu_custom_call", "AllocateBuffer")],
            "the call contains no kernel",
        ),
        (
            "python_tracer",
            vec![
                replaced(
                    "2..8us  PjitFunction(step)",
                    "2..8us  PjitFunction(step)\n      9..20us $train.py:10 loss",
                )
                .replace("us", "ms"),
            ],
            "six calls in 600 ms",
        ),
        (
            "many_steps",
            vec![replaced("repeat 6", "repeat 200")],
            "two hundred are not many",
        ),
        (
            "idle_devices",
            vec![format!("{HEALTHY}\nplane /device:CUSTOM:x")],
            "a plane of a plug-in is no idle device",
        ),
    ]
}
