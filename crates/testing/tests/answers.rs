//! Compares the oracle with XProf's results for the same captures: two independent derivations,
//! which must find the same names and occurrences, and the same times within 0.1 %.
//!
//! One difference is known and explained: XProf measures TPU ops on the device's clock, so the
//! comparison uses that one. On the host-aligned spans, `copy-done.2` of the v6e capture would be
//! 13 % longer and `copy-done.4` 9 % shorter, because the alignment moved ends between them.

#![expect(clippy::unwrap_used, reason = "a helper of tests may panic")]
#![expect(
    clippy::print_stdout,
    reason = "the table is for whoever runs the test"
)]

use std::collections::BTreeMap;

use serde_json::Value;
use stepscope_testing::corpus;
use stepscope_testing::oracle::{self, Device};
use stepscope_testing::space::XSpace;

const TOLERANCE: f64 = 0.001;

/// Occurrences, total, then self time for ops; shortest and longest for kernels. In us.
type Figures = Vec<f64>;
type Table = BTreeMap<String, Figures>;
/// The cells of one row of XProf's table by column id.
type Row = BTreeMap<String, Value>;

#[test]
fn kernels_agree_with_kernel_stats() {
    let kernel_counts = [
        ("mi300x-jax-conv", 5),
        ("mi300x-jax-elementwise", 5),
        ("mi300x-jax-gemm", 8),
        ("v100-tensorflow", 11),
        ("gtx1080ti-julia", 1),
    ];
    for (capture, names) in kernel_counts {
        let Some((spaces, rows)) = capture_and_answer(capture, "kernel_stats") else {
            return;
        };
        // XProf has one row per launch shape and op; ours is by kernel name.
        let mut theirs = Table::new();
        for row in rows {
            let name = row["kernel_name"].as_str().unwrap().to_owned();
            let [count, total] = ["occurrences", "total_duration_us"].map(|id| number(&row, id));
            let [least, most] = ["min_duration_us", "max_duration_us"].map(|id| number(&row, id));
            merge_kernel(&mut theirs, name, [count, total, least, most]);
        }
        let mut ours = Table::new();
        for (name, kernel) in over_devices(&spaces, oracle::kernels) {
            let [total, least, most] =
                [kernel.total_ps, kernel.min_ps, kernel.max_ps].map(|ps| ps as f64 / 1e6);
            merge_kernel(
                &mut ours,
                name,
                [kernel.occurrences as f64, total, least, most],
            );
        }
        assert_agree(capture, names, &ours, &theirs);
    }
}

#[test]
fn ops_agree_with_hlo_stats() {
    let op_counts = [
        ("mi300x-jax-conv", 4),
        ("mi300x-jax-elementwise", 13),
        ("mi300x-jax-gemm", 16),
        ("gtx1080ti-julia", 1),
        // TensorFlow without XLA: kernels, but no HLO ops. Both sides must find none.
        ("v100-tensorflow", 0),
        ("tpu-v6e-4chip-jax", 17),
    ];
    for (capture, names) in op_counts {
        let Some((spaces, rows)) = capture_and_answer(capture, "hlo_stats") else {
            return;
        };
        let mut theirs = Table::new();
        for row in rows {
            let [program, name] = ["program_id", "hlo_op_name"].map(|id| row[id].as_str().unwrap());
            let figures = ["occurrences", "total_time", "total_self_time"];
            add(
                &mut theirs,
                format!("{program} {name}"),
                figures.map(|id| number(&row, id)),
            );
        }
        let mut ours = Table::new();
        for (key, op) in over_devices(&spaces, oracle::ops_on_device_clock) {
            let program = key.program_id.map(|id| id.to_string()).unwrap_or_default();
            let [total, own] = [op.total_ps, op.self_ps].map(|ps| ps as f64 / 1e6);
            let name = format!("{program} {}", key.name);
            add(&mut ours, name, [op.occurrences as f64, total, own]);
        }
        assert_agree(capture, names, &ours, &theirs);
    }
}

/// The results of a query on every device of every host, one after the other.
fn over_devices<K, V>(
    spaces: &[XSpace],
    query: impl Fn(&XSpace, Device) -> BTreeMap<K, V>,
) -> Vec<(K, V)> {
    let mut found = Vec::new();
    for space in spaces {
        for device in oracle::device_slices(space).into_keys() {
            found.extend(query(space, device));
        }
    }
    found
}

/// The decoded hosts of a capture and the rows of XProf's table.
fn capture_and_answer(capture: &str, tool: &str) -> Option<(Vec<XSpace>, Vec<Row>)> {
    let hosts = corpus::capture(capture)?.hosts;
    let answer = corpus::oracle_json(capture, tool)?;
    let spaces = hosts
        .iter()
        .map(|host| corpus::read_space(host).unwrap())
        .collect();
    let columns = answer["cols"].as_array().unwrap();
    let row = |row: &Value| {
        let cells = row["c"]
            .as_array()
            .unwrap()
            .iter()
            .map(|cell| cell["v"].clone());
        columns
            .iter()
            .map(|column| column["id"].as_str().unwrap().to_owned())
            .zip(cells)
            .collect()
    };
    Some((
        spaces,
        answer["rows"].as_array().unwrap().iter().map(row).collect(),
    ))
}

fn number(row: &Row, id: &str) -> f64 {
    row[id].as_f64().unwrap()
}

fn add(table: &mut Table, name: String, figures: [f64; 3]) {
    let sums = table.entry(name).or_insert_with(|| vec![0.0; 3]);
    sums.iter_mut()
        .zip(figures)
        .for_each(|(sum, figure)| *sum += figure);
}

fn merge_kernel(table: &mut Table, name: String, [count, total, least, most]: [f64; 4]) {
    let kernel = table
        .entry(name)
        .or_insert_with(|| vec![0.0, 0.0, f64::MAX, 0.0]);
    *kernel = vec![
        kernel[0] + count,
        kernel[1] + total,
        kernel[2].min(least),
        kernel[3].max(most),
    ];
}

fn assert_agree(capture: &str, names: usize, ours: &Table, theirs: &Table) {
    println!("\n{capture}: figures here | there (occurrences, then us)");
    for (name, figures) in ours {
        let short: String = name.chars().take(50).collect();
        println!("  {short:50} {figures:.3?} | {:.3?}", theirs.get(name));
    }
    assert_eq!(ours.len(), names, "{capture}");
    assert!(
        ours.keys().eq(theirs.keys()),
        "{capture} has other names than XProf's table"
    );
    for (name, figures) in ours {
        for (&ours, &theirs) in figures.iter().zip(&theirs[name]) {
            let difference = (ours - theirs).abs();
            // XProf rounds to nanoseconds, so tiny ops may be off by one of them.
            let allowed = (theirs.abs() * TOLERANCE).max(0.001);
            assert!(
                difference <= allowed,
                "{capture}, {name}: {ours} here, {theirs} there"
            );
        }
    }
}
