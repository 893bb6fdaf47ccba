//! Cases of what the program is made of: attention, loops, tiles, padding, memory plans.

use super::cases::Case;
use super::drawings::{KERNELS, gpu};

/// Six steps of a millisecond on a TPU: its ops, and its program.
fn tpu(ops: &str, program: &str) -> String {
    format!(
        "host vm
        device tpu:0 v6e
        line XLA Modules
        repeat 6 every 1000us
          2..1000us jit_step(5) [program_id=5]
        end
        line XLA Ops
        each {{program_id=5}}
        repeat 6 every 1000us
          {ops}
        end
        thread python
        repeat 6 every 1000us
          0..999us train #step_num=$i,_r=1#
        end
        program 5 jit_step
          {program}"
    )
}

/// A GPU that runs these ops one after the other, of a program.
fn with_ops(names: &[&str], program: &str) -> String {
    let width = 998 / u32::try_from(names.len()).unwrap_or(1);
    let kernels: Vec<String> = (0u32..)
        .zip(names)
        .map(|(number, name)| {
            let start = 2 + number * width;
            format!("{start}..{}us {name}", start + width)
        })
        .collect();
    let text = gpu(&kernels.join("\n"), "", "bf16[64,64]");
    let begin = text.find("program 5").unwrap_or(text.len());
    format!("{}program 5 jit_step\n{program}", &text[..begin])
}

/// Scores between two products, with what is done to them in between: after the maximum of each row, or
/// without.
fn scores(between: &str, has_maximum: bool, name: &str) -> String {
    let shifted = if has_maximum {
        "a.2 = f32[8,256] reduce(a.0, a.1) to_apply=max"
    } else {
        "a.2 = f32[8,256] broadcast(a.1)"
    };
    let program = format!(
        "computation max
        m.0 = f32[] parameter(0)
        m.1 = f32[] parameter(1)
        ROOT m.2 = f32[] maximum(m.0, m.1)
        computation body
        a.0 = f32[8,256,256] parameter(0)
        a.1 = f32[] constant()
        {shifted}
        a.3 = f32[8,256,256] broadcast(a.2)
        a.4 = f32[8,256,256] subtract(a.0, a.3)
        ROOT a.5 = f32[8,256,256] {between}(a.4)
        entry main
        q.0 = bf16[8,256,64] parameter(0)
        k.0 = bf16[8,64,256] parameter(1)
        v.0 = bf16[8,256,64] parameter(2)
        dot.1 = f32[8,256,256] dot(q.0, k.0) lhs_contracting_dims={{2}} rhs_contracting_dims={{1}} lhs_batch_dims={{0}} rhs_batch_dims={{0}} op_name=\"jit(step)/jvp(Net)/dot_general\"
        fusion.1 = f32[8,256,256] fusion(dot.1) kind=kLoop calls=body
        ROOT dot.2 = f32[8,256,64] dot(fusion.1, v.0) lhs_contracting_dims={{2}} rhs_contracting_dims={{1}} lhs_batch_dims={{0}} rhs_batch_dims={{0}} op_name=\"jit(step)/{name}/dot_general\""
    );
    with_ops(&["dot.1", "fusion.1", "dot.2"], &program)
}

/// The gradient of the weights of eight experts, by this primitive.
fn experts(primitive: &str) -> String {
    let program = format!(
        "p.0 = bf16[8,512,64] parameter(0)
        p.1 = bf16[8,512,32] parameter(1)
        dot.1 = bf16[8,64,32] dot(p.0, p.1) lhs_contracting_dims={{1}} rhs_contracting_dims={{1}} lhs_batch_dims={{0}} rhs_batch_dims={{0}} op_name=\"jit(step)/{primitive}\""
    );
    with_ops(&["dot.1"], &program)
}

/// Eight experts of each row, of which a mask of this kind keeps one.
fn masked_experts(direction: &str) -> String {
    let program = format!(
        "computation fused_mask
        a.0 = s32[512] parameter(0)
        a.1 = s32[512,8] broadcast(a.0) dimensions={{0}}
        a.2 = s32[512,8] iota() dimensions={{1}}
        a.3 = pred[512,8] compare(a.1, a.2) direction={direction}
        a.4 = f32[512,8] convert(a.3)
        a.5 = f32[8,512] transpose(a.4) dimensions={{1,0}}
        ROOT a.6 = f32[8,512,32] broadcast(a.5) dimensions={{0,1}}
        computation fused_experts
        b.0 = f32[8,512,32] parameter(0)
        b.1 = f32[8,512,64] parameter(1)
        b.2 = f32[8,64,32] parameter(2)
        b.3 = f32[8,512,32] dot(b.1, b.2) lhs_contracting_dims={{2}} rhs_contracting_dims={{1}} lhs_batch_dims={{0}} rhs_batch_dims={{0}}
        ROOT b.4 = f32[8,512,32] multiply(b.3, b.0)
        entry main
        ids.0 = s32[512] parameter(0)
        x.0 = f32[512,64] parameter(1)
        w.0 = f32[8,64,64] parameter(2)
        w.1 = f32[8,64,32] parameter(3)
        fusion.1 = f32[8,512,32] fusion(ids.0) kind=kLoop calls=fused_mask
        dot.1 = f32[8,512,64] dot(w.0, x.0) lhs_contracting_dims={{1}} rhs_contracting_dims={{1}}
        ROOT fusion.2 = f32[8,512,32] fusion(fusion.1, dot.1, w.1) kind=kOutput calls=fused_experts"
    );
    with_ops(&["fusion.1", "dot.1", "fusion.2"], &program)
}

/// Rows of a table, looked up by a product with a matrix of so many columns, made by a comparison.
fn looked_up(columns: u32, direction: &str) -> String {
    let program = format!(
        "computation fused_one_hot
        a.0 = s32[512] parameter(0)
        a.1 = s32[512,{columns}] broadcast(a.0) dimensions={{0}}
        a.2 = s32[512,{columns}] iota() dimensions={{1}}
        a.3 = pred[512,{columns}] compare(a.1, a.2) direction={direction}
        ROOT a.4 = f32[512,{columns}] convert(a.3)
        computation fused_product
        b.0 = f32[512,{columns}] parameter(0)
        b.1 = f32[{columns},64] parameter(1)
        ROOT b.2 = f32[512,64] dot(b.0, b.1) lhs_contracting_dims={{1}} rhs_contracting_dims={{0}}
        entry main
        ids.0 = s32[512] parameter(0)
        table.0 = f32[{columns},64] parameter(1)
        fusion.1 = f32[512,{columns}] fusion(ids.0) kind=kLoop calls=fused_one_hot
        fusion.2 = f32[512,64] fusion(fusion.1, table.0) kind=kCustom calls=fused_product
        ROOT dot.3 = f32[{columns},64] dot(fusion.1, fusion.2) lhs_contracting_dims={{0}} rhs_contracting_dims={{0}}"
    );
    with_ops(&["fusion.1", "fusion.2", "dot.3"], &program)
}

/// So many layers of one product each.
fn layers(count: u32) -> String {
    let names: Vec<String> = (0..count).map(|number| format!("dot.{number}")).collect();
    let lines: Vec<String> = (0..count)
        .map(|number| {
            format!("dot.{number} = bf16[64,64] dot(p.0, p.0) op_name=\"jit(step)/layer_{number}/dot\" source=\"model.py:7\"")
        })
        .collect();
    let program = format!("p.0 = bf16[64,64] parameter(0)\n{}", lines.join("\n"));
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    with_ops(&names, &program)
}

/// A product of n × n elements on a TPU, bound by nothing that is known.
fn product(side: u32) -> String {
    let program = format!(
        "p.0 = bf16[{side},{side}] parameter(0)
        dot.1 = bf16[{side},{side}] dot(p.0, p.0) lhs_contracting_dims={{1}} rhs_contracting_dims={{0}}"
    );
    tpu(
        "2..1000us %dot.1 = bf16[8] dot(p.0) {flops=1000000000 bytes_accessed=10 hlo_category=convolution}",
        &program,
    )
}

/// A TPU with an array of so many columns in its memory plan.
fn padded(bytes: u32) -> String {
    tpu(
        "2..1000us %add.1 = f32[8] add(p.0)",
        &format!(
            "p.0 = f32[1048576,8] parameter(0)
            ROOT add.1 = f32[1048576,8] add(p.0, p.0)
            allocation 0 size={bytes} parameter=0
            buffer 1 p.0 size={bytes}
            allocation 1 size={bytes} live_out
            buffer 2 add.1 size={bytes}"
        ),
    )
}

/// A step whose state is handed over, or not.
fn state(donated: &str) -> String {
    let result = if donated.is_empty() {
        "allocation 1 size=4294967296 live_out\nbuffer 2 add.1 size=4294967296"
    } else {
        "buffer 2 add.1 size=4294967296"
    };
    tpu(
        "2..1000us %add.1 = f32[8] add(p.0)",
        &format!(
            "p.0 = f32[32768,32768] parameter(0) op_name=\"state\"
            ROOT add.1 = f32[32768,32768] add(p.0, p.0)
            allocation 0 size=4294967296 parameter=0 {donated}
            buffer 1 p.0 size=4294967296
            {result}"
        ),
    )
}

/// Two programs that compute a gradient, with these names, one twice as long.
fn gradients(first: &str, second: &str) -> String {
    format!(
        "host vm
        device tpu:0 v6e
        line XLA Modules
        repeat 6 every 1000us
          0..200us {first}(5) [program_id=5]
          300..700us {second}(6) [program_id=6]
        end
        line XLA Ops
        repeat 6 every 1000us
          0..200us %a.1 = f32[8] add(b, c) {{program_id=5}}
          300..700us %a.2 = f32[8] add(b, c) {{program_id=6}}
        end
        program 5 {first}
          a.1 = f32[8] parameter(0)
        program 6 {second}
          a.2 = f32[8] parameter(0)"
    )
}

/// Two devices that run one program; its batch has this sharding.
fn batch_of_two(sharding: &str) -> String {
    let device = |id: u32| {
        format!(
            "device tpu:{id} v6e
            line XLA Modules
            repeat 6 every 1000us
              0..900us jit_step(5) [program_id=5]
            end
            line XLA Ops
            repeat 6 every 1000us
              0..800us dot.1 [hlo_op=dot.1 program_id=5]
              800..900us all-reduce.2 [hlo_op=all-reduce.2 program_id=5]
            end\n"
        )
    };
    format!(
        "host vm
        {}{}
        program 5 jit_step
          x.0 = f32[512,256] parameter(0) sharding={sharding}
          w.0 = f32[256,256] parameter(1) sharding={{replicated}}
          dot.1 = f32[512,256] dot(x.0, w.0), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
          all-reduce.2 = f32[512,256] all-reduce(dot.1) replica_groups={{{{0,1}}}}",
        device(0),
        device(1),
    )
}

pub(crate) fn cases() -> Vec<Case> {
    let one = |id, yes: String, no: String| (id, vec![yes], vec![no]);
    let with_pad = |end: u32| {
        tpu(
            &format!("2..{end}us %pad.1 = f32[8] pad(p.0)\n{end}..1000us %dot.1 = f32[8] dot(p.0)"),
            "p.0 = f32[8,8] parameter(0)
            pad.1 = f32[8,8] pad(p.0)
            dot.1 = f32[8,8] dot(p.0, p.0)",
        )
    };
    let with_add = |name: &str| {
        with_ops(
            &[name, "dot.1", "dot.2", "dot.1"],
            "computation body
            a.0 = bf16[64,64] parameter(0)
            ROOT a.1 = bf16[64,64] add(a.0, a.0)
            entry main
            p.0 = bf16[64,64] parameter(0)
            add.1 = bf16[64,64] add(p.0, p.0)
            fusion.1 = bf16[64,64] fusion(p.0) kind=kLoop calls=body
            dot.1 = bf16[64,64] dot(p.0, p.0)
            dot.2 = bf16[64,64] dot(p.0, p.0)",
        )
    };
    vec![
        one(
            "unfused_attention",
            scores("exponential", true, "jvp(Net)"),
            scores("negate", true, "jvp(Net)"),
        ),
        // `silu` between the products of an MLP, which takes no maximum.
        one(
            "unfused_attention",
            scores("exponential", true, "jvp(Net)"),
            scores("exponential", false, "jvp(Net)"),
        ),
        // The gradient of the logits.
        one(
            "unfused_attention",
            scores("exponential", true, "jvp(Net)"),
            scores("exponential", true, "transpose(jvp(Net))"),
        ),
        one("unrolled_loop", layers(12), layers(4)),
        one(
            "dense_groups",
            experts("ragged_dot_general"),
            experts("dot_general"),
        ),
        one("dense_groups", masked_experts("EQ"), masked_experts("GE")),
        one(
            "one_hot_products",
            looked_up(12_000, "EQ"),
            looked_up(12_000, "GE"),
        ),
        one(
            "one_hot_products",
            looked_up(12_000, "EQ"),
            looked_up(16, "EQ"),
        ),
        one(
            "replicated_work",
            batch_of_two("{replicated}"),
            batch_of_two("{devices=[2,1]<=[2]}"),
        ),
        one("tile_padding", product(40), product(256)),
        one("pad_ops", with_pad(400), with_pad(20)),
        one("unfused_ops", with_add("add.1"), with_add("fusion.1")),
        one(
            "over_peak",
            gpu(KERNELS, "", "bf16[16384,16384]"),
            gpu(KERNELS, "", "bf16[4217,4217]"),
        ),
        one("buffer_padding", padded(536_870_912), padded(33_554_432)),
        one("donation", state(""), state("live_out")),
        one(
            "variants",
            gradients("jit_grad_lcam", "jit_grad_tad"),
            gradients("jit_grad_lcam", "jit_loss_tad"),
        ),
    ]
}
