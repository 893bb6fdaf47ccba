//! Small jobs that the cases are made of.

/// Six steps of a millisecond on one virtual device: what it runs, what Python does, its program.
pub(crate) fn cpu(ops: &str, python: &str, program: &str) -> String {
    on_cpu("vm", ops, python, program)
}

pub(crate) fn on_cpu(host: &str, ops: &str, python: &str, program: &str) -> String {
    format!(
        "host {host}
        environment [profile_start_time=1700000000000000000]
        thread python
        repeat 6 every 1000us
          0..999us train #step_num=$i,_r=1#
          {python}
        end
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        repeat 6 every 1000us
          {ops}
        end
        program 5 jit_step
          p.0 = f32[64,64] parameter(0)
          dot.1 = f32[64,64] dot(p.0, p.0)
          dot.2 = f32[64,64] dot(p.0, p.0)
          dot.3 = f32[64,64] dot(p.0, p.0)
          add.1 = f32[64,64] add(p.0, p.0)
          {program}"
    )
}

/// A device that is busy throughout.
pub(crate) const BUSY: &str =
    "1..300us dot.1\n300..600us dot.2\n600..800us add.1\n800..1000us dot.3";
/// One that is idle for the last part of each step.
pub(crate) const GAP: &str = "1..300us dot.1\n300..500us dot.2\n500..600us add.1\n600..700us dot.3";

pub(crate) fn busy() -> String {
    cpu(BUSY, "", "")
}

/// Six steps of a millisecond on an H100: kernels, other lines, the type and size of its products.
pub(crate) fn gpu(kernels: &str, more: &str, array: &str) -> String {
    format!(
        "host vm
        plane /host:metadata [jax_version=\"0.10.2\" gpu_version=\"cuda 12090\"]
        device gpu:0 nvidia H100
        stream 7 Compute
        each [hlo_op=$name hlo_module=jit_step program_id=5 correlation_id=$i]
        repeat 6 every 1000us
          {kernels}
        end
        {more}
        thread python
        repeat 6 every 1000us
          0..999us train #step_num=$i,_r=1#
          0..1us cuLaunchKernel [correlation_id=$i]
        end
        program 5 jit_step
          p.0 = {array} parameter(0)
          dot.1 = {array} dot(p.0, p.0)
          dot.2 = {array} dot(p.0, p.0)
          dot.3 = {array} dot(p.0, p.0)
          dot.4 = {array} dot(p.0, p.0)"
    )
}

pub(crate) const KERNELS: &str =
    "2..250us dot.1\n250..500us dot.2\n500..750us dot.3\n750..1000us dot.4";

/// Six steps of a millisecond on an H100: two kernels one after the other, which the host launches
/// and waits for.
pub(crate) fn waited(first: &str, second: &str, until: u32) -> String {
    format!(
        "host vm
        plane /host:metadata [jax_version=\"0.10.2\" gpu_version=\"cuda 12090\"]
        device gpu:0 nvidia H100
        stream 7 Compute
        repeat 6 every 1000us
          {first}us dot.1 [hlo_op=dot.1 hlo_module=jit_step program_id=5 correlation_id=1$i]
          {second}us dot.2 [hlo_op=dot.2 hlo_module=jit_step program_id=5 correlation_id=2$i]
        end
        thread python
        repeat 6 every 1000us
          0..999us train #step_num=$i,_r=1#
          10..14us cuLaunchKernel [correlation_id=1$i]
          15..18us cuLaunchKernel [correlation_id=2$i]
          20..{until}us block_until_ready
        end
        program 5 jit_step
          p.0 = bf16[64,64] parameter(0)
          dot.1 = bf16[64,64] dot(p.0, p.0)
          dot.2 = bf16[64,64] dot(p.0, p.0)"
    )
}

pub(crate) fn allocator(
    events: &[(f64, bool, i64, i64, u64)],
    fragmentation: f64,
    requested: f64,
) -> String {
    let mut text = String::from("thread python\n");
    for &(time, is_allocation, in_use, bytes, address) in events {
        let name = if is_allocation {
            "MemoryAllocation"
        } else {
            "MemoryDeallocation"
        };
        let asked = bytes as f64 * requested;
        let line = format!(
            "{time}us {name} [allocator_name=GPU_0_bfc bytes_allocated={in_use} bytes_available={} \
             fragmentation={fragmentation} peak_bytes_in_use={in_use} requested_bytes={asked:.0} \
             allocation_bytes={bytes} addr={address}]\n",
            100_000 - in_use
        );
        text.push_str(&line);
    }
    text
}

pub(crate) fn with_memory(
    events: &[(f64, bool, i64, i64, u64)],
    fragmentation: f64,
    requested: f64,
) -> String {
    gpu(
        KERNELS,
        &allocator(events, fragmentation, requested),
        "bf16[4217,4217]",
    )
}

/// One allocation that is freed in each of the six steps; it is `bytes` large.
pub(crate) fn steady(bytes: i64) -> Vec<(f64, bool, i64, i64, u64)> {
    (0..6u32)
        .flat_map(|step| {
            let start = f64::from(step) * 1000.0;
            [
                (start + 10.5, true, 1000 + bytes, bytes, 1),
                (start + 900.5, false, 1000, bytes, 1),
            ]
        })
        .collect()
}
