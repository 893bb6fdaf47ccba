//! Kernels, launches, streams and copies of GPUs.

use serde_json::{Value, json};

use super::{CPU, GPU, TPU, named, near, rows};
use crate::support::{ask, drawn};

#[test]
fn launches_of_a_gpu() {
    let report = ask(&drawn(&[GPU]), "kernels", &[]);
    let device = &rows(&report, "launches")[0];
    // 10, 18 and 21 µs; the second kernel of the graph waits for the first and has none.
    near(&device["latency_mean_ps"], 49e6 / 3.0);
    assert_eq!(device["latency_p50_ps"], json!(18_000_000));
    assert_eq!(device["latency_max_ps"], json!(21_000_000));
    // 1 for 2 µs, 2 for 2, 4 for 16, 3 for 10, 2 for 5, 1 for 10.
    near(&device["queue_mean"], 120.0 / 45.0);
    assert_eq!(
        (&device["queue_most"], &device["queue_most_at_ps"]),
        (&json!(4), &json!(4_000_000))
    );
    near(&device["launched_ratio"], 0.8);
    let step = &rows(&report, "steps")[0];
    assert_eq!((&step["step"], &step["calls"]), (&json!(7), &json!(3)));
    assert_eq!(step["launch_ps"], json!(5_000_000));
    near(&step["ratio"], 0.1);
}

#[test]
fn kernels_streams_and_copies_of_a_gpu() {
    let report = ask(&drawn(&[GPU]), "kernels", &[]);
    let gemm = named(&report, "rows", "ampere_bf16_s16816gemm_bf16_128x256_tn");
    assert_eq!(gemm["matrix_unit"], json!("yes"));
    near(&gemm["occupancy"], 0.25);
    assert_eq!(gemm["occupancy_source"], json!("derived"));
    assert_eq!(gemm["occupancy_limit"], json!("registers"));
    let plain = named(&report, "rows", "volta_sgemm_128x64_nn");
    assert_eq!(plain["matrix_unit"], json!("no"));
    near(&plain["occupancy"], 0.75);
    assert_eq!(plain["occupancy_source"], json!("recorded"));
    let op = &rows(&report, "matrix_ops")[0];
    assert_eq!(
        (&op["op"], &op["is_eligible"]),
        (&json!("dot.1"), &json!(true))
    );
    near(&op["matrix_ratio"], 0.5);
    near(&report["matrix_ratio"], 10.0 / 35.0);
    let stream = rows(&report, "streams")
        .iter()
        .find(|row| row["number"] == json!(8));
    let stream = stream.expect("stream 8");
    assert_eq!(
        (&stream["busy_ps"], &stream["gap_ps"]),
        (&json!(15_000_000), &json!(5_000_000))
    );
    assert_eq!(
        stream["overlap_ps"],
        json!(5_000_000),
        "25 to 30 beside stream 7"
    );
    assert_eq!(stream["largest_gap_start_ps"], json!(35_000_000));
    let copy = &rows(&report, "transfers")[0];
    assert_eq!(
        (&copy["direction"], &copy["memory"]),
        (&json!("host_to_device"), &json!("pinned"))
    );
    // 64 kB in 2 µs over 64 GB/s.
    near(&copy["bandwidth"], 32e9);
    near(&copy["bandwidth_ratio"], 0.5);
    let size = &rows(&report, "transfer_sizes")[0];
    assert_eq!(
        (&size["start_bytes"], &size["end_bytes"]),
        (&json!(4096), &json!(65_536))
    );
    // One of 5 µs in the bin from 5 µs, three of 10 µs in the next.
    let bins: Vec<(i64, i64)> = rows(&report, "durations")
        .iter()
        .filter(|bin| bin["occurrences"] != json!(0))
        .filter_map(|bin| Some((bin["start_ps"].as_i64()?, bin["occurrences"].as_i64()?)))
        .collect();
    assert_eq!(bins, [(5_000_000, 1), (10_000_000, 3)]);
    near(&report["tiny_ratio"], 1.0);
}

#[test]
fn kernels_of_amd_and_none_elsewhere() {
    let amd = drawn(&["
        host vm
        device gpu:0 amd MI300X
        stream 16 Kernel
          0..10us Cijk_Ailk_Bljk_BBS_BH_MT256x224x64_MI16x16x16x1_SN.kd [kernel_details=\" grid:8,1,1 block:256,1,1 private_mem:0 group_mem:512 occ_pct:0\"]
          10..30us wrapped_broadcast.kd [kernel_details=\" grid:8,1,1 block:256,1,1 private_mem:0 group_mem:0 occ_pct:0\"]
    "]);
    let report = ask(&amd, "kernels", &[]);
    near(&report["matrix_ratio"], 1.0 / 3.0);
    assert_eq!(rows(&report, "rows")[0]["occupancy"], Value::Null);
    assert!(rows(&report, "launches").is_empty(), "no call was recorded");
    for text in [CPU, TPU] {
        let report = ask(&drawn(&[text]), "kernels", &[]);
        assert!(rows(&report, "rows").is_empty());
        assert_eq!(
            rows(&report, "notes")[0]["hint"],
            json!("`stepscope ops PATH` shows them")
        );
    }
}

/// A memset prepares memory for the op that launches it: it is no copy, and nothing that donation saves.
#[test]
fn memsets_are_work_of_the_device_and_no_copies() {
    let session = drawn(&["
        host vm
        device gpu:0 nvidia H100
        stream 7 Compute,Memset,MemcpyD2D
        repeat 4 every 100us
          0..40us gemm [correlation_id=$i hlo_op=dot.1 hlo_module=jit_step program_id=5]
          40..70us Memset [memset_details='kind:Device num_bytes:3000000 async:1']
          70..80us MemcpyD2D [memcpy_details='kind_src:device kind_dst:device size:64000 dest:0 async:1']
        end
        thread python
        repeat 4 every 100us
          0..100us train #step_num=$i,_r=1#
        end
    "]);
    let overview = ask(&session, "overview", &[]);
    let part = |name: &str| {
        let parts = rows(&overview, "step_parts").iter();
        let own = parts.filter(|row| row["part"] == name);
        own.filter_map(|row| row["mean_ps"].as_f64()).sum::<f64>()
    };
    near(&json!(part("device_compute")), 70e6);
    near(&json!(part("device_to_device")), 10e6);
    let ops = ask(&session, "ops", &[]);
    let memset = rows(&ops, "rows")
        .iter()
        .find(|row| row["name"] == "memset");
    assert_eq!(memset.map(|row| &row["class"]), Some(&json!("compute")));
    // It computes nothing, so its FLOPs are no riddle; those of the product are.
    near(&ops["flops_unknown_ratio"], 0.5);
    let kernels = ask(&session, "kernels", &[]);
    let transfers = rows(&kernels, "transfers").iter();
    let told: Vec<_> = transfers
        .map(|row| (&row["direction"], &row["total_ps"]))
        .collect();
    let copies = (&json!("device_to_device"), &json!(40_000_000));
    assert_eq!(told, [copies, (&json!("memset"), &json!(120_000_000))]);
}

#[test]
fn copies_of_unknown_direction_are_told() {
    let session = drawn(&["
        host vm
        device gpu:0 amd MI300X
        stream 16 Kernel
        repeat 4 every 100us
          0..40us gemm [correlation_id=$i hlo_op=dot.1 hlo_module=jit_step program_id=5]
          70..80us __amd_rocclr_copyBuffer.kd
        end
        thread python
        repeat 4 every 100us
          0..100us train #step_num=$i,_r=1#
        end
    "]);
    for analysis in ["steps", "overview"] {
        let report = ask(&session, analysis, &[]);
        let mut notes = rows(&report, "notes").iter();
        let note = notes.find(|note| note["id"] == "directions-unknown");
        let text = note
            .and_then(|note| note["text"].as_str())
            .unwrap_or_default();
        assert!(
            text.starts_with("4 copies (40.00 µs), whose direction"),
            "{analysis}: {report}"
        );
    }
    let kernels = ask(&session, "kernels", &[]);
    assert_eq!(
        rows(&kernels, "transfers")[0]["direction"],
        json!("unknown")
    );
}
