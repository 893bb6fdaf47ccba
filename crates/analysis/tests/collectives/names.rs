//! What names and shardings say: algorithm, protocol, axes; and what is missing.

use serde_json::{Value, json};
use stepscope_testing::corpus;

use super::rows;
use crate::support::{ask, drawn, open};

#[test]
fn names_of_kernels_say_algorithm_and_protocol() {
    let session = drawn(&["
        host vm
        device gpu:0 nvidia H100
        stream 20 Compute
          0..10us  ncclDevKernel_AllReduce_Sum_bf16_TREE_LL128(ncclDevKernelArgsStorage<4096ul>)
          20..30us ncclDevKernel_ReduceScatter_Sum_f32_RING_SIMPLE
          40..50us ncclDevKernel_AllGather_NVLS
          60..70us ncclDevKernel_SendRecv
          80..90us ncclKernel_AllReduce_COLLNET_DIRECT_SIMPLE_Sum_float
        device gpu:1 amd MI300X
        stream 3 Compute
          0..10us  ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>).kd
          20..30us ncclDevKernel_AllReduce_RING_LL_Sum_f16.kd
          40..50us ncclDevKernel_AllGather_PAT_SIMPLE_Sum_i8
    "]);
    let all = rows(&ask(&session, "collectives", &[]), "rows");
    let mut said: Vec<String> = all
        .iter()
        .map(|row| format!("{} {}", row["kind"], row["algorithm"]).replace('"', ""))
        .collect();
    said.sort();
    assert_eq!(
        said,
        [
            " ",
            "all-gather NVLS",
            "all-gather PAT simple",
            "all-reduce collnet simple",
            "all-reduce ring LL",
            "all-reduce tree LL128",
            "permute ",
            "reduce-scatter ring simple",
        ]
    );
}

#[test]
fn shardings_name_the_axes_that_cut_each_dimension() {
    // A mesh of 4 × 2: groups of stride 1 run along its second axis.
    let session = drawn(&["
        host vm
        device tpu:0 v6e
        line XLA Modules
          0..50us  jit_step(5) [run_id=1]
        line XLA Ops
          0..10us  all-reduce.1 {program_id=5 symbol_id=1 hlo_category=all-reduce}
          10..20us all-gather.2 {program_id=5 symbol_id=2 hlo_category=all-gather}
        program 5 jit_step
          weights = f32[128,64] parameter(0) sharding={devices=[1,2,4]<=[4,2]T(1,0) last_tile_dim_replicate} op_name=\"params['w']\"
          batch = f32[8,128] parameter(1) sharding={devices=[4,1,2]<=[8] last_tile_dim_replicate}
          scale = f32[] parameter(2) sharding={replicated}
          rows = f32[16] parameter(3) sharding={devices=[8]<=[8]}
          cols = f32[16] parameter(4) sharding={devices=[8]<=[4,2]T(1,0)}
          seed = u32[2] parameter(5)
          all-reduce.1 = f32[8,128] all-reduce(batch) replica_groups={{0,1},{2,3},{4,5},{6,7}}
          all-gather.2 = f32[8,128] all-gather(batch) replica_groups={{0,2,4,6},{1,3,5,7}}
          ROOT result = (f32[8,128], f32[8,128]) tuple(all-reduce.1, all-gather.2) sharding={{devices=[4,1,2]<=[8] last_tile_dim_replicate}, {maximal}}
    "]);
    let report = ask(&session, "collectives", &[]);
    assert_eq!(report["sharding_count"], json!(8));
    let all = rows(&report, "shardings");
    let found = |name: &str, is_input: bool| {
        let row = all
            .iter()
            .find(|row| row["name"] == json!(name) && row["is_input"] == json!(is_input));
        row.cloned()
            .unwrap_or_else(|| panic!("no {name} in {all:?}"))
    };
    let weights = found("params['w']", true);
    assert_eq!(weights["partition"], json!("P(None, axis 1)"));
    assert_eq!(
        (&weights["part_count"], &weights["device_count"]),
        (&json!(2), &json!(8))
    );
    assert_eq!(weights["device_bytes"], json!(128 * 64 * 4));
    assert_eq!(weights["total_bytes"], json!(8 * 128 * 64 * 4));
    assert_eq!(weights["replicated_bytes"], json!(6 * 128 * 64 * 4));
    assert_eq!(weights["is_mesh_guessed"], json!(true));
    let batch = found("batch", true);
    assert_eq!(batch["partition"], json!("P(axis 0, None)"));
    assert_eq!(
        batch["sharding"],
        json!("{devices=[4,1,2]<=[8] last_tile_dim_replicate}")
    );
    let scale = found("scale", true);
    assert_eq!(
        (&scale["partition"], &scale["replicated_bytes"]),
        (&json!("P()"), &json!(28))
    );
    assert_eq!(
        found("rows", true)["partition"],
        json!("P((axis 0, axis 1))")
    );
    assert_eq!(
        found("cols", true)["partition"],
        json!("P((axis 1, axis 0))")
    );
    let seed = found("seed", true);
    assert_eq!(
        (&seed["partition"], &seed["replicated_bytes"]),
        (&json!(""), &Value::Null)
    );
    assert_eq!(
        found("all-reduce.1", false)["partition"],
        json!("P(axis 0, None)")
    );
    let one = found("all-gather.2", false);
    assert_eq!(
        (&one["partition"], &one["total_bytes"], &one["number"]),
        (&json!("one device"), &json!(8 * 128 * 4), &json!(1))
    );
    let cut = ask(&session, "collectives", &[("shardings", "2")]);
    assert_eq!(
        (rows(&cut, "shardings").len(), &cut["sharding_count"]),
        (2, &json!(8))
    );
}

#[test]
fn captures_say_how_their_values_are_divided() {
    let Some(capture) = corpus::captures()
        .into_iter()
        .find(|capture| capture.name == "cpu-jax-gpt8")
    else {
        println!("no corpus, nothing compared");
        return;
    };
    let session = open(&capture);
    let report = ask(
        &session,
        "collectives",
        &[("shardings", "0"), ("program", "jit_step")],
    );
    let all = rows(&report, "shardings");
    // 4 data × 2 model: every cut of the step is along one of the two.
    let mut partitions: Vec<String> = all
        .iter()
        .map(|row| row["partition"].as_str().expect("text").to_owned())
        .collect();
    partitions.sort();
    partitions.dedup();
    println!("{partitions:?}");
    assert!(
        partitions.iter().all(|text| text.starts_with("P(")),
        "{partitions:?}"
    );
    for row in &all {
        let number = |key: &str| row[key].as_i64().expect("a number");
        let copies = number("device_count") / number("part_count");
        assert_eq!(
            number("replicated_bytes"),
            number("total_bytes") / number("device_count") * number("part_count") * (copies - 1),
            "{row}"
        );
    }
}

#[test]
fn what_has_nothing_to_say_says_why() {
    let session = drawn(&["
        host vm
        device gpu:0 nvidia H100
        stream 7 Compute
          0..10us gemm
    "]);
    let report = ask(&session, "collectives", &[]);
    let notes = rows(&report, "notes");
    assert!(
        notes[0]["text"]
            .as_str()
            .is_some_and(|text| text.contains("one device"))
    );
}
