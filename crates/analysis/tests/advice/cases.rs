//! A drawing that has what a rule looks for, and one that nearly has it.

use super::drawings::{BUSY, GAP, KERNELS, busy, cpu, gpu, on_cpu, steady, waited, with_memory};

/// Rule, hosts that have it, hosts that do not.
pub(crate) type Case = (&'static str, Vec<String>, Vec<String>);

#[expect(clippy::too_many_lines, reason = "a table of drawings")]
pub(crate) fn cases() -> Vec<Case> {
    let one = |id, yes: String, no: String| (id, vec![yes], vec![no]);
    let all_reduce = "all-reduce.1 = f32[64,64] all-reduce(p.0)";
    let met = |host: &str, own: u32| {
        let ops = format!("1..{own}us dot.1\n{own}..1000us all-reduce.1");
        on_cpu(host, &ops, "", all_reduce)
    };
    // One of three hosts that reduce together.
    let of_three = |host: &str, ordinal: u32, own: u32| {
        let ordinal = format!("device_ordinal={ordinal}");
        let text = met(host, own).replace("device_ordinal=0", &ordinal);
        text.replace(
            all_reduce,
            &format!("{all_reduce} replica_groups={{{{0,1,2}}}}"),
        )
    };
    // Two cores that reduce together, the second of which computes until `end`.
    let two_cores = |end: u32| {
        let core = |ordinal: u32, end: u32| {
            format!(
                "device tpu:{ordinal} v6e
                line Steps
                repeat 6 every 1000us
                  0..1000us $i
                end
                line XLA Ops
                repeat 6 every 1000us
                  1..{end}us %dot.1 = f32[8] dot(p.0)
                  {end}..1000us %all-reduce.1 = f32[8] all-reduce(p.0)
                end\n"
            )
        };
        format!("host vm\n{}{}", core(0, 300), core(1, end))
    };
    let copied = |name: &str, compute: &str| {
        let copies = format!(
            "stream 8 Memcpy\nrepeat 6 every 1000us\n 500..1000us {name} [memcpy_details=\"size:1000 dest:0 async:1\"]\nend"
        );
        gpu(compute, &copies, "bf16[4217,4217]")
    };
    let half = "2..250us dot.1\n250..500us dot.2";
    let kernels = |details: &str| {
        let with = |line: &str| format!("{line} [kernel_details=\"{details}\"]");
        let lines: Vec<String> = KERNELS.lines().map(with).collect();
        gpu(&lines.join("\n"), "", "bf16[3001,3001]")
    };
    let scoped = |name: &str, scope: &str| {
        let ops = format!("1..300us dot.1\n300..600us dot.2\n600..800us add.1\n800..1000us {name}");
        cpu(
            &ops,
            "",
            &format!("{name} = f32[64,64] multiply(p.0, p.0) op_name=\"{scope}\""),
        )
    };
    let sparse = |end: u32| {
        format!(
            "host vm
            device tpu:0 v6e
            line XLA Ops
            repeat 6 every 1000us
              0..500us %a.1 = f32[8] add(b, c)
              500..1000us %a.2 = f32[8] add(b, c)
            end
            device tpu:0 sparsecore:1 v6e
            line Sparse Core Ops
            repeat 6 every 1000us
              0..{end}us gather.1
            end"
        )
    };
    // A Pallas kernel whose pipeline waits until `wait`, with samples of a counter beside it.
    let pipelined = |wait: u32, spills: u32| {
        format!(
            "host vm
            device tpu:0 v6e
            line XLA Ops
            repeat 6 every 1000us
              0..900us kernel.1 {{hlo_category=custom-call program_id=5}}
              900..1000us dot.1 {{hlo_category=fusion program_id=5}}
            end
            line XLA TraceMe
            repeat 6 every 1000us
              0..{wait}us ep_wait_in
            end
            line _counters_
            repeat 6 every 1000us
              0..100us \"Vector spills\" [value={spills}]
            end"
        )
    };
    // Six steps of a hundred and twenty turns.
    let looping = |scope: &str| {
        format!(
            "host vm
            thread python
            repeat 6 every 1200us
              0..1199us train #step_num=$i,_r=1#
            end
            thread tf_XLAEigen/42
            each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
            repeat 720 every 10us
              1..9us mul.1
            end
            program 5 jit_step
              p.0 = f32[64,64] parameter(0)
              mul.1 = f32[64,64] multiply(p.0, p.0) op_name=\"{scope}\""
        )
    };
    let long_step = busy()
        .replacen(
            "thread tf_XLAEigen",
            "6000..9000us train #step_num=6,_r=1#\nthread tf_XLAEigen",
            1,
        )
        .replacen(
            "program 5 jit_step",
            "6001..9000us dot.1\nprogram 5 jit_step",
            1,
        );
    let growing: Vec<_> = (0..6u32)
        .map(|step| {
            let kept = i64::from(step + 1) * 500;
            (
                f64::from(step) * 1000.0 + 10.5,
                true,
                1000 + kept,
                500,
                u64::from(step),
            )
        })
        .collect();
    let mut spike = steady(2000);
    spike.insert(6, (3100.5, true, 30_000, 29_000, 9));
    spike.insert(7, (3200.5, false, 1000, 29_000, 9));
    let mut small_spike = steady(2000);
    small_spike.insert(6, (3100.5, true, 3600, 2600, 9));
    small_spike.insert(7, (3200.5, false, 1000, 2600, 9));
    vec![
        one(
            "input_wait",
            cpu(GAP, "701..998us data_loading", ""),
            cpu(BUSY, "701..998us data_loading", ""),
        ),
        one(
            "host_bound",
            cpu(GAP, "701..998us PjitFunction(f)", ""),
            cpu(BUSY, "701..998us PjitFunction(f)", ""),
        ),
        one("idle", cpu(GAP, "", ""), busy()),
        one(
            "step_waits",
            waited("100..450", "450..800", 805),
            waited("20..500", "500..998", 998),
        ),
        one(
            "between_steps",
            cpu(GAP, "", "").replace("0..999us train", "0..705us train"),
            busy(),
        ),
        // An evaluation whose first call compiles it.
        one(
            "between_steps",
            cpu(GAP, "", "").replace("0..999us train", "0..705us train"),
            cpu(GAP, "706..998us backend_compile", "").replace("0..999us train", "0..705us train"),
        ),
        one("step_outliers", long_step, busy()),
        one(
            "compilation",
            cpu(GAP, "701..998us backend_compile", ""),
            cpu(BUSY, "701..998us backend_compile", ""),
        ),
        one("exposed_communication", met("vm", 500), met("vm", 950)),
        (
            "straggler",
            vec![
                of_three("a", 0, 300),
                of_three("b", 1, 310),
                of_three("c", 2, 800),
            ],
            vec![
                of_three("a", 0, 300),
                of_three("b", 1, 310),
                of_three("c", 2, 320),
            ],
        ),
        one("load_imbalance", two_cores(900), two_cores(320)),
        one(
            "host_transfers",
            copied("MemcpyH2D", half),
            copied("MemcpyH2D", KERNELS),
        ),
        // A library walks through a list of its own.
        one(
            "input_wait",
            cpu(
                GAP,
                "701..998us $train.py:8 main\n702..998us $builtins next",
                "",
            ),
            cpu(
                GAP,
                "701..998us $functools.py:976 wrapper\n702..998us $builtins next",
                "",
            ),
        ),
        // What the program copies itself is no input.
        one(
            "input_wait",
            copied("MemcpyH2D", half),
            copied("MemcpyH2D", half).replace(
                "async:1\"]",
                "async:1\" hlo_op=copy-start.1 hlo_module=jit_step program_id=5]",
            ),
        ),
        one(
            "device_copies",
            copied("MemcpyD2D", half),
            copied("MemcpyD2D", KERNELS),
        ),
        one(
            "data_shuffle",
            cpu(
                "1..500us transpose.1\n500..800us dot.1\n800..1000us dot.2",
                "",
                "transpose.1 = f32[64,64] transpose(p.0) op_name=\"jit(step)/transpose\"",
            ),
            cpu(
                "1..50us transpose.1\n50..800us dot.1\n800..1000us dot.2",
                "",
                "transpose.1 = f32[64,64] transpose(p.0) op_name=\"jit(step)/transpose\"",
            ),
        ),
        one(
            "dominating_op",
            cpu(
                "1..30us dot.1\n30..40us dot.2\n40..60us add.1\n60..1000us dot.3",
                "",
                "",
            ),
            busy(),
        ),
        // Nearly all of the work, and little of the step.
        one(
            "dominating_op",
            cpu("1..30us dot.1\n30..40us dot.2\n40..1000us dot.3", "", ""),
            cpu("1..3us dot.1\n3..4us dot.2\n4..90us dot.3", "", ""),
        ),
        one(
            "long_ops",
            gpu(KERNELS, "", "bf16[4217,4217]")
                .replace("us ", "ms ")
                .replace("us\n", "ms\n"),
            gpu(KERNELS, "", "bf16[4217,4217]"),
        ),
        one(
            "bound_by",
            gpu(KERNELS, "", "bf16[64,64]"),
            gpu(KERNELS, "", "bf16[4217,4217]"),
        ),
        one(
            "tiny_kernels",
            gpu(
                "repeat 20 every 50us\n 1..6us dot.1\nend",
                "",
                "bf16[64,64]",
            ),
            gpu(KERNELS, "", "bf16[64,64]"),
        ),
        one(
            "low_occupancy",
            kernels("regs:200 grid:1,1,1 block:64,1,1 occ_pct:12"),
            kernels("regs:32 grid:1,1,1 block:64,1,1 occ_pct:75"),
        ),
        one(
            "float32_matmul",
            gpu(KERNELS, "", "f32[4217,4217]"),
            gpu(KERNELS, "", "bf16[4217,4217]"),
        ),
        one(
            "float64_work",
            busy().replace("f32[64,64]", "f64[64,64]"),
            busy(),
        ),
        one(
            "float64_work",
            gpu(KERNELS, "", "f64[4217,4217]"),
            gpu(KERNELS, "", "f32[4217,4217]"),
        ),
        one(
            "rematerialization",
            scoped("mul.1", "jit(step)/rematted_computation/mul")
                + "\nmul.0 = f32[64,64] multiply(p.0, p.0) op_name=\"jit(step)/mul\"",
            // Without a first computation, none repeats it.
            scoped("mul.1", "jit(step)/rematted_computation/mul"),
        ),
        one(
            "debug_print",
            scoped("cc.1", "jit(step)/debug_callback"),
            scoped("cc.1", "jit(step)/mul"),
        ),
        one(
            "idle_recording",
            "host vm
            thread tf_XLAEigen/42
            each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0 run_id=1]
            repeat 12 every 10us
              0..8us dot.1
              9000..9008us dot.2
            end"
            .to_owned(),
            busy(),
        ),
        one(
            "small_loop",
            looping("jit(step)/while/body/mul"),
            looping("jit(step)/mul"),
        ),
        one(
            "batched_loop",
            scoped("mul.1", "jit(step)/vmap()/while/body_pred/lt"),
            scoped("mul.1", "jit(step)/vmap()/while/body/lt"),
        ),
        one(
            "python_callback",
            scoped("cc.1", "jit(step)/pure_callback"),
            scoped("cc.1", "jit(step)/mul"),
        ),
        one(
            "interpreted_kernels",
            scoped("mul.1", "jit(step)/pallas_call/while/body/mul"),
            scoped("mul.1", "jit(step)/while/body/mul"),
        ),
        one(
            "barrier_cores",
            scoped("barrier-cores.1", "x"),
            scoped("barrier.1", "x"),
        ),
        one(
            "async_done",
            cpu(
                "1..500us dot.1\n500..800us async-done.1\n800..1000us dot.2",
                "",
                "async-done.1 = f32[64,64] async-done(p.0)",
            ),
            cpu(
                "1..500us dot.1\n500..510us async-done.1\n510..1000us dot.2",
                "",
                "async-done.1 = f32[64,64] async-done(p.0)",
            ),
        ),
        one("kernel_input_wait", pipelined(600, 0), pipelined(50, 0)),
        one("register_spills", pipelined(50, 8), pipelined(50, 0)),
        one("sparse_core", sparse(600), sparse(50)),
        one(
            "cpu_fallback",
            gpu(
                KERNELS,
                "thread tf_XLAEigen/9\n100..200us add.9 [hlo_op=add.9 hlo_module=jit_g program_id=6 device_ordinal=0]",
                "bf16[4217,4217]",
            ),
            gpu(KERNELS, "", "bf16[4217,4217]"),
        ),
        one(
            "memory_headroom",
            with_memory(&steady(97_500), 0.0, 1.0),
            with_memory(&steady(50_000), 0.0, 1.0),
        ),
        one(
            "memory_growth",
            with_memory(&growing, 0.0, 1.0),
            with_memory(&steady(2000), 0.0, 1.0),
        ),
        one(
            "memory_spikes",
            with_memory(&spike, 0.0, 1.0),
            with_memory(&steady(2000), 0.0, 1.0),
        ),
        // A fifth more than usual, of a memory that is nearly empty.
        one(
            "memory_spikes",
            with_memory(&spike, 0.0, 1.0),
            with_memory(&small_spike, 0.0, 1.0),
        ),
        one(
            "fragmentation",
            with_memory(&steady(85_000), 0.8, 1.0),
            with_memory(&steady(20_000), 0.8, 1.0),
        ),
        one(
            "memory_rounding",
            with_memory(&steady(50_000), 0.0, 0.5),
            with_memory(&steady(50_000), 0.0, 0.95),
        ),
        one(
            "capture_quality",
            format!(
                "{}\nwarning 500 events were dropped",
                gpu(KERNELS, "", "bf16[4217,4217]")
            ),
            gpu(KERNELS, "", "bf16[4217,4217]"),
        ),
    ]
}
