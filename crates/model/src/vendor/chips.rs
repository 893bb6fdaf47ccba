//! Chips and their peaks: what the device recorded, else computed from what it recorded, else data
//! sheets. Every row names its source.

use super::capabilities::Capabilities;
use super::gpu_limits::{links, multiprocessor, shared_peak};
use super::operand_peaks::operand_peaks;
use crate::memory_level::MemoryLevel;
use crate::session::{Chip, DeviceKind, Peak};

/// The memory whose peak a plane stat records, in gigabytes per second.
pub(crate) fn on_chip_level(stat: &str) -> Option<MemoryLevel> {
    match stat {
        "peak_cmem_rd_bw_gigabytes_per_second" => Some(MemoryLevel::CmemRead),
        "peak_cmem_wr_bw_gigabytes_per_second" => Some(MemoryLevel::CmemWrite),
        "peak_vmem_rd_bw_gigabytes_per_second" => Some(MemoryLevel::VmemRead),
        "peak_vmem_wr_bw_gigabytes_per_second" => Some(MemoryLevel::VmemWrite),
        _ => None,
    }
}

/// Data-sheet figures of one part: dense 16-bit peak in TFLOP/s, memory bandwidth in GB/s.
struct DataSheet {
    /// Lower-case words that all occur in the model's name.
    words: &'static [&'static str],
    teraflops: f64,
    gigabytes_per_second: f64,
    /// The relation of a device to the part in the data sheet, if it is not all of it.
    share: &'static str,
}

const fn sheet(words: &'static [&'static str], teraflops: f64, bandwidth: f64) -> DataSheet {
    DataSheet {
        words,
        teraflops,
        gigabytes_per_second: bandwidth,
        share: "",
    }
}

/// The part has two devices, each with half of the data sheet's figures: these are the figures of
/// one.
const fn half(words: &'static [&'static str], teraflops: f64, bandwidth: f64) -> DataSheet {
    DataSheet {
        share: ", half of it: the part has two devices",
        ..sheet(words, teraflops, bandwidth)
    }
}

impl DataSheet {
    fn flops(&self, name: &str) -> Peak {
        self.peak(self.teraflops * 1e12, name, "dense 16-bit")
    }

    fn bandwidth(&self, name: &str) -> Peak {
        self.peak(self.gigabytes_per_second * 1e9, name, "memory bandwidth")
    }

    fn peak(&self, per_second: f64, name: &str, what: &str) -> Peak {
        let share = self.share;
        Peak {
            per_second,
            source: format!("public data sheet of {name}, {what}{share}"),
        }
    }
}

/// Public data sheets of the vendors, dense (no sparsity) 16-bit figures. More specific rows first.
const DATA_SHEETS: &[DataSheet] = &[
    sheet(&["b200"], 2250.0, 8000.0),
    sheet(&["h200"], 989.0, 4800.0),
    sheet(&["h100", "pcie"], 756.0, 2000.0),
    sheet(&["h100", "nvl"], 835.0, 3938.0),
    sheet(&["h100"], 989.0, 3350.0),
    sheet(&["a100", "80gb", "pcie"], 312.0, 1935.0),
    sheet(&["a100", "80gb"], 312.0, 2039.0),
    sheet(&["a100"], 312.0, 1555.0),
    sheet(&["l40s"], 362.0, 864.0),
    sheet(&["l4"], 121.0, 300.0),
    sheet(&["v100", "pcie"], 112.0, 900.0),
    sheet(&["v100"], 125.0, 900.0),
    sheet(&["t4"], 65.0, 320.0),
    sheet(&["mi355x"], 2517.0, 8000.0),
    sheet(&["mi350x"], 2307.0, 8000.0),
    sheet(&["mi325x"], 1307.0, 6000.0),
    sheet(&["mi300x"], 1307.0, 5300.0),
    // A device is one of the two dies, which share 383 TFLOP/s and 3277 GB/s.
    half(&["mi250x"], 191.5, 1638.4),
    half(&["mi250"], 181.05, 1638.4),
    sheet(&["mi210"], 181.0, 1638.4),
    // A device is one of the two chiplets, which share 2307 TFLOP/s and 7380 GB/s.
    half(&["tpu", "v7x"], 1153.5, 3690.0),
    sheet(&["tpu", "v6"], 918.0, 1640.0),
    sheet(&["tpu", "v5", "lite"], 197.0, 820.0),
    sheet(&["tpu", "v5"], 459.0, 2765.0),
    sheet(&["tpu", "v4", "lite"], 137.0, 614.0),
    sheet(&["tpu", "v4"], 275.0, 1230.0),
    // A device is one of the two cores. Google's own pages differ for v3: 123 and 140 for the chip.
    half(&["tpu", "v3"], 70.0, 450.0),
    half(&["tpu", "v2"], 23.0, 358.0),
];

/// Dense operations per multiprocessor and clock, with their number of bits, by NVIDIA compute
/// capability; a fused multiply-add counts as two. 16-bit ones if they are faster than 32-bit ones.
/// Source: CUDA programming guide and white papers.
const NVIDIA_FLOPS_PER_CLOCK: &[((i64, i64), f64, u32)] = &[
    ((10, 0), 8192.0, 16),
    ((9, 0), 4096.0, 16),
    ((8, 9), 1024.0, 16),
    ((8, 6), 1024.0, 16),
    ((8, 0), 2048.0, 16),
    ((7, 5), 1024.0, 16),
    ((7, 0), 1024.0, 16),
    ((6, 1), 256.0, 32),
    ((6, 0), 256.0, 16),
    ((5, 0), 256.0, 32),
    ((3, 0), 384.0, 32),
];

/// The same for AMD: matrix operations per compute unit and clock.
const AMD_FLOPS_PER_CLOCK: &[((i64, i64), f64, u32)] =
    &[((9, 5), 4096.0, 16), ((9, 4), 2048.0, 16)];

/// Kind of a GPU from its recorded vendor; without one, as in old files, compute capabilities 1 to
/// 8 and 9.0 and up are NVIDIA's.
pub(crate) fn gpu_kind(capabilities: &Capabilities) -> DeviceKind {
    match capabilities.vendor.as_deref() {
        Some(vendor) if vendor.eq_ignore_ascii_case("nvidia") => DeviceKind::NvidiaGpu,
        Some(vendor) if vendor.eq_ignore_ascii_case("amd") => DeviceKind::AmdGpu,
        Some(_) => DeviceKind::OtherGpu,
        None => match capabilities.capability {
            Some((9, 4 | 5)) | None => DeviceKind::OtherGpu,
            Some(_) => DeviceKind::NvidiaGpu,
        },
    }
}

/// The chip of a device.
pub(crate) fn chip(kind: DeviceKind, capabilities: &Capabilities) -> Chip {
    let name = chip_name(kind, capabilities);
    let from_sheet = || data_sheet(&name).map(|sheet| sheet.flops(&name));
    let recorded_flops = recorded_flops(capabilities);
    let is_from_sheet = recorded_flops.is_none() && from_sheet().is_some();
    let peak_flops = recorded_flops
        .or_else(from_sheet)
        .or_else(|| computed_flops(kind, capabilities));
    let words = words_of(&name);
    let operand_peaks = peak_flops.as_ref().map(|stated| {
        let is_from_sheet = is_from_sheet || !kind.is_gpu();
        operand_peaks(kind, &words, capabilities, stated, is_from_sheet)
    });
    let peak_bandwidth = bandwidth(kind, capabilities)
        .or_else(|| data_sheet(&name).map(|sheet| sheet.bandwidth(&name)));
    let (host_link, peer_link) = links(&words);
    Chip {
        peak_flops,
        operand_peaks: operand_peaks.unwrap_or_default(),
        peak_bandwidth,
        memory_bytes: capabilities.memory_bytes,
        on_chip: on_chip(kind, capabilities),
        multiprocessor: multiprocessor(kind, capabilities.capability),
        host_link,
        peer_link,
        clock_hz: clock(&name, capabilities),
        name,
    }
}

/// Recorded peaks of on-chip memories; computed for the shared memory of GPUs.
fn on_chip(kind: DeviceKind, capabilities: &Capabilities) -> Vec<(MemoryLevel, Peak)> {
    let mut peaks: Vec<(MemoryLevel, Peak)> = capabilities
        .on_chip
        .iter()
        .map(|&(level, gigabytes)| (level, recorded(gigabytes * 1e9)))
        .collect();
    peaks.extend(shared_peak(kind, capabilities).map(|peak| (MemoryLevel::Shared, peak)));
    peaks.sort_by_key(|(level, _)| *level);
    peaks.dedup_by_key(|(level, _)| *level);
    peaks
}

/// The recorded clock of a GPU; for a TPU the clock of its TensorCore, which no profile records.
fn clock(name: &str, capabilities: &Capabilities) -> Option<Peak> {
    if let Some(khz) = capabilities.clock_khz.filter(|&khz| khz > 0.0) {
        return Some(recorded(khz * 1e3));
    }
    let lower = name.to_ascii_lowercase();
    let per_second = match () {
        () if lower.contains("tpu v6") => 1.75e9,
        () if lower.contains("tpu v7x") => 1.9e9,
        () => return None,
    };
    let source = format!("public figure of the TensorCore clock of {name}");
    Some(Peak { per_second, source })
}

fn recorded(per_second: f64) -> Peak {
    Peak {
        per_second,
        source: "recorded by the device".to_owned(),
    }
}

fn chip_name(kind: DeviceKind, capabilities: &Capabilities) -> String {
    if let Some(model) = capabilities
        .model
        .clone()
        .filter(|model| !model.starts_with("gfx"))
    {
        return model;
    }
    match (kind, capabilities.capability) {
        (DeviceKind::Cpu, _) => "XLA:CPU".to_owned(),
        (DeviceKind::NvidiaGpu, Some(capability)) => {
            let cores = capabilities.core_count.unwrap_or(0.0);
            nvidia_name(capability, cores)
        }
        (DeviceKind::AmdGpu, Some(capability)) => amd_name(capability, capabilities),
        _ => kind.name().to_owned(),
    }
}

fn nvidia_name((major, minor): (i64, i64), cores: f64) -> String {
    let family = match (major, minor) {
        (7, 0) if (cores - 80.0).abs() < 0.5 => return "NVIDIA V100".to_owned(),
        (3, _) => "Kepler",
        (5, _) => "Maxwell",
        (6, _) => "Pascal",
        (7, 0..=4) => "Volta",
        (7, _) => "Turing",
        (8, 9) => "Ada",
        (8, _) => "Ampere",
        (9, _) => "Hopper",
        (10.., _) => "Blackwell",
        _ => "GPU",
    };
    format!("NVIDIA {family} (compute capability {major}.{minor})")
}

/// Clock in kHz above which a gfx950 is the liquid-cooled part: 2.4 GHz rather than 2.2.
const MI355X_KHZ: f64 = 2.3e6;

fn amd_name((major, minor): (i64, i64), capabilities: &Capabilities) -> String {
    let cores = capabilities.core_count.unwrap_or(0.0);
    match (major, minor) {
        (9, 4) if (cores - 304.0).abs() < 0.5 => "AMD MI300X".to_owned(),
        (9, 4) => "AMD CDNA 3 (gfx942)".to_owned(),
        (9, 5) if (cores - 256.0).abs() < 0.5 => {
            let is_faster = capabilities
                .clock_khz
                .is_some_and(|clock| clock > MI355X_KHZ);
            let model = if is_faster { "MI355X" } else { "MI350X" };
            format!("AMD {model}")
        }
        (9, 5) => "AMD CDNA 4 (gfx950)".to_owned(),
        _ => format!("AMD GPU (gfx{major}{minor})"),
    }
}

fn data_sheet(name: &str) -> Option<&'static DataSheet> {
    let words = words_of(name);
    DATA_SHEETS.iter().find(|sheet| {
        let mut known = sheet.words.iter();
        known.all(|known| words.iter().any(|word| word == known))
    })
}

/// The words of a model's name, lower case.
fn words_of(name: &str) -> Vec<String> {
    name.to_ascii_lowercase()
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

fn recorded_flops(capabilities: &Capabilities) -> Option<Peak> {
    let teraflops = capabilities.peak_teraflops.filter(|&peak| peak > 0.0)?;
    Some(recorded(teraflops * 1e12))
}

fn computed_flops(kind: DeviceKind, capabilities: &Capabilities) -> Option<Peak> {
    let cores = capabilities.core_count.filter(|&cores| cores > 0.0)?;
    let clock = capabilities.clock_khz.filter(|&clock| clock > 0.0)? * 1e3;
    let capability = capabilities.capability?;
    let (table, unit) = match kind {
        DeviceKind::NvidiaGpu => (NVIDIA_FLOPS_PER_CLOCK, "SMs"),
        DeviceKind::AmdGpu => (AMD_FLOPS_PER_CLOCK, "CUs"),
        _ => return None,
    };
    let (_, per_clock, bits) = table.iter().find(|(known, ..)| *known <= capability)?;
    let source = format!(
        "computed: {cores:.0} {unit} × {per_clock:.0} dense {bits}-bit operations per clock × \
         {:.2} GHz recorded clock",
        clock / 1e9
    );
    Some(Peak {
        per_second: cores * per_clock * clock,
        source,
    })
}

fn bandwidth(kind: DeviceKind, capabilities: &Capabilities) -> Option<Peak> {
    if let Some(gigabytes) = capabilities
        .hbm_gigabytes_per_second
        .filter(|&peak| peak > 0.0)
    {
        return Some(recorded(gigabytes * 1e9));
    }
    let per_second = capabilities.memory_bandwidth.filter(|&peak| peak > 0.0)?;
    let name = chip_name(kind, capabilities);
    // AMD's runtime reports half the transfers per clock of HBM3 (2.66 TB/s for a 5.3 TB/s part).
    if kind == DeviceKind::AmdGpu
        && let Some(sheet) = data_sheet(&name)
        && per_second < 0.6 * sheet.gigabytes_per_second * 1e9
    {
        let mut peak = sheet.bandwidth(&name);
        let recorded = per_second / 1e9;
        peak.source = format!(
            "{}; the device recorded {recorded:.0} GB/s, half of it",
            peak.source
        );
        return Some(peak);
    }
    Some(recorded(per_second))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gpu(vendor: Option<&str>, capability: (i64, i64), cores: f64, khz: f64) -> Capabilities {
        Capabilities {
            vendor: vendor.map(str::to_owned),
            capability: Some(capability),
            core_count: Some(cores),
            clock_khz: Some(khz),
            ..Capabilities::default()
        }
    }

    #[test]
    fn mi300x_is_known_by_its_compute_units() {
        let capabilities = Capabilities {
            memory_bandwidth: Some(2.6624e12),
            ..gpu(Some("AMD"), (9, 4), 304.0, 2.1e6)
        };
        let chip = chip(gpu_kind(&capabilities), &capabilities);
        assert_eq!(chip.name, "AMD MI300X");
        assert!((chip.peak_flops.unwrap().per_second - 1307e12).abs() < 1e12);
        assert!((chip.peak_bandwidth.unwrap().per_second - 5.3e12).abs() < 1e9);
    }

    #[test]
    fn gfx950_has_the_bandwidth_of_its_data_sheet() {
        for (khz, name) in [(2.4e6, "AMD MI355X"), (2.2e6, "AMD MI350X")] {
            let capabilities = Capabilities {
                memory_bandwidth: Some(4.0e12),
                ..gpu(Some("AMD"), (9, 5), 256.0, khz)
            };
            let chip = chip(gpu_kind(&capabilities), &capabilities);
            assert_eq!(chip.name, name);
            let peak = chip.peak_bandwidth.unwrap();
            assert!((peak.per_second - 8e12).abs() < 1e9, "{peak:?}");
            assert!(peak.source.contains("recorded 4000 GB/s, half of it"));
        }
    }

    #[test]
    fn a_gpu_without_vendor_is_told_by_its_capability() {
        let capabilities = gpu(None, (7, 0), 80.0, 1.53e6);
        assert_eq!(gpu_kind(&capabilities), DeviceKind::NvidiaGpu);
        let chip = chip(DeviceKind::NvidiaGpu, &capabilities);
        assert_eq!(chip.name, "NVIDIA V100");
        assert!(chip.peak_flops.unwrap().source.contains("data sheet"));
    }

    #[test]
    fn an_unknown_part_is_computed_from_its_clock() {
        let capabilities = gpu(Some("Nvidia"), (6, 1), 28.0, 1.582e6);
        let chip = chip(DeviceKind::NvidiaGpu, &capabilities);
        let peak = chip.peak_flops.unwrap();
        assert!((peak.per_second - 28.0 * 256.0 * 1.582e9).abs() < 1e6);
        assert!(peak.source.starts_with("computed"));
    }

    #[test]
    fn every_peak_names_its_own_source() {
        for sheet in DATA_SHEETS {
            let flops = sheet.flops("X").source;
            let bandwidth = sheet.bandwidth("X").source;
            assert!(
                flops.ends_with("dense 16-bit") || !sheet.share.is_empty(),
                "{flops}"
            );
            assert!(bandwidth.contains("memory bandwidth"), "{bandwidth}");
            assert!(!bandwidth.contains("16-bit"), "{bandwidth}");
        }
        let half = data_sheet("AMD MI250X").unwrap().bandwidth("AMD MI250X");
        assert_eq!(
            half.source,
            "public data sheet of AMD MI250X, memory bandwidth, half of it: the part has two devices"
        );
        let old = computed_flops(
            DeviceKind::NvidiaGpu,
            &gpu(Some("Nvidia"), (6, 1), 28.0, 1.582e6),
        );
        assert!(old.unwrap().source.contains("dense 32-bit operations"));
        let new = computed_flops(
            DeviceKind::NvidiaGpu,
            &gpu(Some("Nvidia"), (8, 6), 82.0, 1.7e6),
        );
        assert!(new.unwrap().source.contains("dense 16-bit operations"));
    }

    #[test]
    fn words_are_matched_whole() {
        assert!(data_sheet("NVIDIA L40").is_none());
        assert!(data_sheet("NVIDIA H100 80GB HBM3").is_some());
        assert_eq!(data_sheet("TPU v5 lite").unwrap().teraflops, 197.0);
        assert_eq!(data_sheet("TPU v6 Lite").unwrap().teraflops, 918.0);
    }
}
