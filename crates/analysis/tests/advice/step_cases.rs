//! Cases of what hosts do in a step: stops, programs, launches, compilations, requests.

use super::cases::Case;
use super::drawings::{BUSY, GAP, KERNELS, cpu, gpu, steady, with_memory};

/// Six steps in which the host waits for the device so many times, the device idle in between.
fn stops(times: u32) -> String {
    let every = 900 / times;
    let waits: Vec<String> = (0..times)
        .map(|stop| {
            let start = stop * every + 50;
            format!("{start}..{}us BlockHostUntilReady", start + every / 2)
        })
        .collect();
    cpu(GAP, &waits.join("\n"), "")
}

/// Six steps of so many programs each, 20 us apart.
pub(crate) fn programs(count: u32) -> String {
    let kernels: Vec<String> = (0..count)
        .map(|run| {
            let start = 2 + run * 40;
            format!(
                "{start}..{}us dot.1 [run_id={run} hlo_op=dot.1 hlo_module=jit_step program_id=5]",
                start + 20
            )
        })
        .collect();
    let modules: Vec<String> = (0..count)
        .map(|run| {
            let start = 2 + run * 40;
            format!(
                "{start}..{}us jit_step(5) [run_id={run} program_id=5]",
                start + 20
            )
        })
        .collect();
    annotated(
        &modules.join("\n"),
        &kernels.join("\n"),
        "program 5 jit_step
          p.0 = bf16[64,64] parameter(0)
          dot.1 = bf16[64,64] dot(p.0, p.0)",
    )
}

/// Six steps in which the host launches so many kernels of 110 us, each call of so many microseconds.
fn launches(call_us: u32) -> String {
    let launch = |number: u32| format!("$i{number}");
    let calls: Vec<String> = (0..4u32)
        .map(|number| {
            let start = number * 240 + 5;
            format!(
                "{start}..{}us cuLaunchKernel [correlation_id={}]",
                start + call_us,
                launch(number)
            )
        })
        .collect();
    let kernels: Vec<String> = (0..4u32)
        .map(|number| {
            let start = number * 240 + 5 + call_us;
            format!(
                "{start}..{}us dot.{} [correlation_id={}]",
                start + 110,
                number + 1,
                launch(number)
            )
        })
        .collect();
    format!(
        "host vm
        device gpu:0 nvidia H100
        stream 7 Compute
        each [hlo_op=$name hlo_module=jit_step program_id=5]
        repeat 6 every 1000us
          {}
        end
        thread python
        repeat 6 every 1000us
          0..999us train #step_num=$i,_r=1#
          {}
        end",
        kernels.join("\n"),
        calls.join("\n")
    )
}

/// Compilations of functions, one after the other.
pub(crate) fn compiled(functions: &[&str], length_us: u32) -> String {
    let calls: Vec<String> = (0u32..)
        .zip(functions)
        .map(|(number, function)| {
            let start = 7000 + number * (length_us + 100);
            let end = start + length_us;
            format!("{start}..{end}us PjitFunction({function})\n{start}..{end}us backend_compile")
        })
        .collect();
    let text = cpu(BUSY, "", "");
    let calls = format!("{}\nthread tf_XLAEigen", calls.join("\n"));
    text.replacen("thread tf_XLAEigen", &calls, 1)
}

/// Requests of 100 us that wait in the queue until their batch begins, with some padding.
fn served(begin_us: u32, padding: u32) -> String {
    let text = cpu(BUSY, "", "");
    let requests = format!(
        "thread serving
        repeat 6 every 1000us
          0..100us inference_request #request_id=$i#
        end
        thread batching
        repeat 6 every 1000us
          {begin_us}..95us process_batch #batch_id=$i,padding_amount={padding},batch_size_after_padding=8#
        end
        thread tf_XLAEigen"
    );
    text.replacen("thread tf_XLAEigen", &requests, 1)
}

/// Six annotated steps of 1,000 us on a TPU, with these runs and ops in each.
fn annotated(runs: &str, ops: &str, programs: &str) -> String {
    format!(
        "host vm
        device tpu:0 v6e
        line XLA Modules
        repeat 6 every 1000us
          {runs}
        end
        line XLA Ops
        repeat 6 every 1000us
          {ops}
        end
        thread python
        repeat 6 every 1000us
          0..999us train #step_num=$i,_r=1#
        end
        {programs}"
    )
}

/// A jitted step, then an optimizer that was not jitted: `count` sums and as many products per step.
fn eager(count: u32) -> String {
    let runs = |op: bool| -> String {
        let each = (0..2 * count).map(|run| {
            let (id, name) = if run % 2 == 0 {
                (6, "add")
            } else {
                (7, "multiply")
            };
            let start = 300 + run * 20;
            let end = start + 18;
            if op {
                format!("{start}..{end}us {name}.1 [hlo_op={name}.1 program_id={id}]\n")
            } else {
                format!("{start}..{end}us jit_{name}({id}) [program_id={id}]\n")
            }
        });
        each.collect()
    };
    let of = |id: u32, name: &str| {
        format!(
            "program {id} jit_{name}
              p.0 = f32[512,512] parameter(0)
              p.1 = f32[512,512] parameter(1)
              {name}.1 = f32[512,512] {name}(p.0, p.1)\n"
        )
    };
    let step = "program 5 jit_step
          p.0 = bf16[64,64] parameter(0)
          dot.1 = bf16[64,64] dot(p.0, p.0)
        ";
    annotated(
        &format!("0..250us jit_step(5) [program_id=5]\n{}", runs(false)),
        &format!("0..250us dot.1 [hlo_op=dot.1 program_id=5]\n{}", runs(true)),
        &format!("{step}{}{}", of(6, "add"), of(7, "multiply")),
    )
}

/// A step that updates its weights, and a program that returns what `result` says.
pub(crate) fn measured(result: &str) -> String {
    annotated(
        "0..500us jit_step(5) [program_id=5]
          510..900us jit_loss(6) [program_id=6]",
        "0..500us add.1 [hlo_op=add.1 program_id=5]
          510..880us dot.1 [hlo_op=dot.1 program_id=6]
          880..900us reduce.2 [hlo_op=reduce.2 program_id=6]",
        &format!(
            "program 5 jit_step
          p.0 = f32[64,64] parameter(0)
          q.0 = f32[64,64] negate(p.0)
          add.1 = f32[64,64] add(p.0, q.0)
        program 6 jit_loss
          p.0 = f32[64,64] parameter(0)
          dot.1 = f32[64,64] dot(p.0, p.0), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
          {result}"
        ),
    )
}

/// The same where the step updates a bias, too.
fn two_arrays(text: &str) -> String {
    text.replacen(
        "add.1 = f32[64,64] add(p.0, q.0)",
        "add.1 = f32[64,64] add(p.0, q.0)
          b.0 = f32[64] parameter(1)
          add.2 = f32[64] add(b.0, b.0)
          ROOT both.1 = (f32[64,64], f32[64]) tuple(add.1, add.2)",
        1,
    )
}

pub(crate) fn cases() -> Vec<Case> {
    let one = |id, yes: String, no: String| (id, vec![yes], vec![no]);
    // Six hundred small arrays in each step, freed at its end.
    let many: Vec<_> = (0..3600u32)
        .flat_map(|number| {
            let start = f64::from(number / 600) * 1000.0 + f64::from(number % 600);
            let address = u64::from(number);
            [
                (start + 10.1, true, 1064, 64, address),
                (start + 10.6, false, 1000, 64, address),
            ]
        })
        .collect();
    vec![
        one("host_syncs", stops(12), stops(1)),
        one("program_runs", programs(20), programs(2)),
        one(
            "metric_programs",
            measured("reduce.2 = f32[] reduce(dot.1)"),
            measured("reduce.2 = f32[64] reduce(dot.1)"),
        ),
        // Of data, and of the weights that the step updates.
        one(
            "beside_training",
            two_arrays(&measured("reduce.2 = f32[32] reduce(dot.1)").replace(
                "p.0 = f32[64,64] parameter(0)
          dot.1 = f32[64,64]",
                "p.0 = f32[32,64] parameter(0)
          dot.1 = f32[32,32]",
            )),
            two_arrays(&measured("reduce.2 = f32[64] reduce(dot.1)")),
        ),
        // An evaluation of several batches after some of the steps.
        one(
            "metric_programs",
            measured("reduce.2 = f32[] reduce(dot.1)"),
            measured("reduce.2 = f32[] reduce(dot.1)").replacen(
                "510..900us jit_loss(6) [program_id=6]
        end",
                "end
        repeat 3 every 2000us
          510..700us jit_loss(6) [program_id=6]
          710..900us jit_loss(6) [program_id=6]
        end",
                1,
            ),
        ),
        one("eager_ops", eager(12), eager(3)),
        // What JAX calls where jax_debug_nans is on, and another function of the same file.
        one(
            "debug_switches",
            cpu(
                GAP,
                "701..998us PjitFunction(f)\n702..997us $api.py:116 _nan_check_posthook",
                "",
            ),
            cpu(
                GAP,
                "701..998us PjitFunction(f)\n702..997us $api.py:300 helper",
                "",
            ),
        ),
        one("launch_overhead", launches(120), launches(2)),
        one(
            "recompilation",
            compiled(&["step", "step", "step"], 50),
            compiled(&["step", "loss", "eval"], 50),
        ),
        one(
            "compilation_time",
            compiled(&["step"], 2_500_000),
            compiled(&["step"], 1_500_000),
        ),
        one("request_queue", served(70, 0), served(2, 0)),
        one("request_padding", served(2, 5), served(2, 0)),
        one(
            "small_allocations",
            with_memory(&many, 0.0, 1.0),
            with_memory(&steady(2000), 0.0, 1.0),
        ),
        one(
            "matrix_units",
            gpu(
                &KERNELS.replace("dot.1", "sgemm_128x64"),
                "",
                "bf16[4096,4096]",
            )
            .replace("hlo_op=$name", "hlo_op=dot.1"),
            gpu(
                &KERNELS.replace("dot.1", "sm90_xmma_gemm_bf16bf16_wgmma"),
                "",
                "bf16[4096,4096]",
            )
            .replace("hlo_op=$name", "hlo_op=dot.1"),
        ),
    ]
}
