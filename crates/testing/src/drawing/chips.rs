//! Plane stats of well-known chips, as their runtimes write them.
//!
//! GTX 1080 Ti, V100, MI300X and v6e are copied from recorded files; the others follow the
//! same form with the vendors' data-sheet figures.

use super::problem::Checked;
use super::text::{Group, Value};

/// Clock in kHz, multiprocessors, bytes per second, bytes, compute capability.
type Gpu = (&'static str, &'static str, &'static str, [i64; 6]);

const GPUS: [Gpu; 7] = [
    (
        "nvidia GTX1080Ti",
        "Nvidia",
        "NVIDIA GeForce GTX 1080 Ti",
        [1_582_000, 28, 484_440_000_000, 11_707_547_648, 6, 1],
    ),
    // TensorFlow of its time wrote neither vendor nor model.
    (
        "nvidia V100",
        "",
        "",
        [1_530_000, 80, 898_048_000_000, 16_945_512_448, 7, 0],
    ),
    (
        "nvidia A100",
        "Nvidia",
        "NVIDIA A100-SXM4-80GB",
        [1_410_000, 108, 2_039_000_000_000, 85_899_345_920, 8, 0],
    ),
    (
        "nvidia H100",
        "Nvidia",
        "NVIDIA H100 80GB HBM3",
        [1_980_000, 132, 3_352_320_000_000, 85_899_345_920, 9, 0],
    ),
    (
        "nvidia H200",
        "Nvidia",
        "NVIDIA H200",
        [1_980_000, 132, 4_800_000_000_000, 151_397_597_184, 9, 0],
    ),
    (
        "amd MI300X",
        "AMD",
        "",
        [2_100_000, 304, 2_662_400_000_000, 206_141_652_992, 9, 4],
    ),
    (
        "amd MI355X",
        "AMD",
        "",
        [2_400_000, 256, 8_000_000_000_000, 309_237_645_312, 9, 5],
    ),
];

/// Type text, TFLOP/s in bf16 and GB/s of HBM per plane, whether one plane is a megacore.
type Tpu = (&'static str, &'static str, f64, f64, i64);

const TPUS: [Tpu; 7] = [
    ("v2", "TPU v2", 23.0, 358.0, 0),
    ("v3", "TPU v3", 61.5, 450.0, 0),
    ("v4", "TPU v4", 275.0, 1228.0, 1),
    ("v5e", "TPU v5 lite", 197.0, 819.0, 0),
    ("v5p", "TPU v5", 459.0, 2765.0, 1),
    ("v6e", "TPU v6 Lite", 918.0, 1_637.993_152_512, 0),
    ("v7x", "TPU v7x", 1153.5, 3690.0, 0),
];

/// The stats of `v6e`, `nvidia H100`, `amd MI300X`, …
pub(super) fn plane_stats(kind: &str, chip: &str) -> Checked<Group> {
    let stats = match kind {
        "tpu" => TPUS.iter().find(|(name, ..)| *name == chip).map(tpu_stats),
        _ => GPUS.iter().find(|(name, ..)| *name == chip).map(gpu_stats),
    };
    let stats = stats.ok_or_else(|| {
        let tpus = TPUS.map(|(name, ..)| name);
        let gpus = GPUS.map(|(name, ..)| name);
        let known = if kind == "tpu" {
            tpus.join(", ")
        } else {
            gpus.join(", ")
        };
        format!("no chip `{chip}`; there are {known}")
    })?;
    let stats = stats
        .into_iter()
        .map(|(name, value)| (name.into(), value))
        .collect();
    Ok(Group {
        of_metadata: true,
        stats,
    })
}

fn gpu_stats(&(_, vendor, model, numbers): &Gpu) -> Vec<(&'static str, Value)> {
    let text = |name, text: &str| (!text.is_empty()).then(|| (name, Value::Text(text.into())));
    let names = [
        "clock_rate",
        "core_count",
        "memory_bandwidth",
        "memory_size",
        "compute_cap_major",
        "compute_cap_minor",
    ];
    let texts = [
        text("device_vendor", vendor),
        text("gpu_device_name", model),
    ];
    let numbers = names.into_iter().zip(numbers.map(Value::Signed));
    texts.into_iter().flatten().chain(numbers).collect()
}

fn tpu_stats((_, device_type, teraflops, gigabytes, megacore): &Tpu) -> Vec<(&'static str, Value)> {
    vec![
        ("device_type_string", Value::Text((*device_type).into())),
        ("peak_teraflops_per_second", Value::Double(*teraflops)),
        (
            "peak_hbm_bw_gigabytes_per_second",
            Value::Double(*gigabytes),
        ),
        ("has_megacore", Value::Signed(*megacore)),
        ("has_merged_vmem", Value::Signed(1)),
    ]
}
