//! Registers of TPU performance counters (v6e, v7x): the meaning of their names, and the ratios in
//! one sample of them.
//!
//! A recorded name is the register's path, such as
//! `VF_CHIP_DIE0_TC_…_UNPRIVILEGED_COUNT_MXU_BUSY_1`: die, unit, then the count. Only the path is
//! read here, so a chip of the same family with other register numbers works too; counters recorded
//! without a name stay numbers.
//!
//! Formulas follow XProf's utilization viewer, except: HBM is compared with the peak that the
//! device records; the link's time is that of the core's clock instead of 1 GHz, and all dies
//! count.

use std::cell::Cell;
use std::collections::BTreeMap;

use crate::session::Chip;

/// A ratio from a sample of registers.
#[derive(Debug, Clone, PartialEq)]
pub struct Utilization {
    /// The unit: `TensorCore 0`, `SparseCore 3`, `HBM`, `interconnect`.
    pub unit: String,
    /// What is counted.
    pub name: String,
    /// The count, in `measure`.
    pub achieved: f64,
    /// Its upper limit in the time of the sample.
    pub peak: f64,
    /// What both are counted in: `cycles`, `instructions`, `bytes`.
    pub measure: &'static str,
    /// Where the limit comes from.
    pub peak_source: String,
}

const TENSOR: &str = "tc_tcs_tc_misc_tcs_stats_tcs_stats_counters_unprivileged_count_";
const POWER: &str = "pwrmgr_pwrmgr_tc_throttle_core_debug_stats_unprivileged_";
const SPARSE: &str = "_sc_stats_counters_unprivileged_count_";
const HBM: &str = "_cmn_hi_freq_stats_counters_unprivileged_";
const LINK: &str = "perf_counters_fifo_stats_counters_unprivileged_bn_";
/// Bytes of one transfer of the memory's bus, and of one packet of the chip's interconnect.
const BYTES_PER_BEAT: f64 = 32.0;
const BYTES_PER_FLIT: f64 = 128.0;
/// Both directions of all links of a chip, bytes per second; XProf's constant.
const LINK_PEAK: f64 = 294_947_368_421.0;

/// The location of a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Tensor,
    Power,
    Sequencer(u32),
    Tiles(u32),
    Hbm,
    Link,
}

/// Counts by die and location, summed over tiles and channels.
type Counts = BTreeMap<(u32, Place), BTreeMap<String, f64>>;

/// Parses a register's name; `None` for other names.
fn parse(name: &str) -> Option<(u32, Place, String)> {
    let lower = name.to_ascii_lowercase();
    let rest = lower.strip_prefix("vf_chip_")?;
    let (die, rest) = match rest.strip_prefix("die") {
        Some(numbered) => split_number(numbered)?,
        None => (0, rest),
    };
    if let Some(count) = rest.strip_prefix(TENSOR) {
        return Some((die, Place::Tensor, count.to_owned()));
    }
    if let Some(count) = rest.strip_prefix(POWER) {
        return Some((die, Place::Power, count.to_owned()));
    }
    if let Some((_, count)) = rest.strip_prefix("hbm_").and_then(|r| r.split_once(HBM)) {
        let kind = count.rsplit_once("_ps").map_or(count, |(kind, _)| kind);
        return Some((die, Place::Hbm, kind.to_owned()));
    }
    if let Some((_, count)) = rest
        .strip_prefix("oci_icr_")
        .and_then(|r| r.split_once(LINK))
    {
        return Some((die, Place::Link, count.get(..2)?.to_owned()));
    }
    let (core, rest) = split_number(rest.strip_prefix("sc_")?)?;
    let (unit, count) = rest.split_once(SPARSE)?;
    let place = if unit == "scs" {
        Place::Sequencer(core)
    } else {
        Place::Tiles(core)
    };
    Some((die, place, count.to_owned()))
}

/// `0_rest`
fn split_number(text: &str) -> Option<(u32, &str)> {
    let (digits, rest) = text.split_once('_')?;
    Some((digits.parse().ok()?, rest))
}

/// The ratios of one sample of a TPU's registers, from names and values; empty if the names are not
/// those of known registers. Units whose cycles were not counted have none.
pub fn register_utilization<'a>(
    chip: &Chip,
    registers: impl Iterator<Item = (&'a str, f64)>,
) -> Vec<Utilization> {
    let mut counts = Counts::new();
    for (name, value) in registers {
        let Some((die, place, count)) = parse(name) else {
            continue;
        };
        *counts
            .entry((die, place))
            .or_default()
            .entry(count)
            .or_default() += value;
    }
    let mut found = Vec::new();
    for (&(die, place), unit) in &counts {
        match place {
            Place::Tensor => tensor_core(chip, die, unit, &counts, &mut found),
            Place::Tiles(core) => sparse_core(die, core, unit, false, &mut found),
            Place::Sequencer(core) => sparse_core(die, core, unit, true, &mut found),
            Place::Hbm => memory(chip, die, unit, &counts, &mut found),
            Place::Link | Place::Power => {}
        }
    }
    links(chip, &counts, &mut found);
    found
}

fn get(unit: &BTreeMap<String, f64>, name: &str) -> f64 {
    unit.get(name).copied().unwrap_or(0.0)
}

/// Cycles of a die's TensorCore: those of the power manager if it counts, since it continues while
/// clocks are skipped; otherwise the core's own.
fn cycles(counts: &Counts, die: u32) -> f64 {
    let of = |place, name| {
        counts
            .get(&(die, place))
            .map_or(0.0, |unit| get(unit, name))
    };
    match of(Place::Power, "cycle_count") {
        0.0 => of(Place::Tensor, "cycles"),
        counted => counted,
    }
}

/// Cycles that matrix products of these kinds take on one unit: cycles per instruction and kind.
const V6_PRECISIONS: &[(&str, &[(f64, &str)])] = &[
    (
        "MXU bf16",
        &[
            (4.0, "lmr_bf16"),
            (8.0, "vreg_f8"),
            (8.0, "vreg_bf16"),
            (4.0, "vreg_f32"),
        ],
    ),
    ("MXU int8", &[(2.0, "lmr_i8"), (8.0, "vreg_i8")]),
    ("MXU int4", &[(2.0, "lmr_i4"), (8.0, "vreg_i4")]),
];
const V7_PRECISIONS: &[(&str, &[(f64, &str)])] = &[
    (
        "MXU bf16",
        &[(4.0, "lmr_bf16"), (8.0, "vreg_bf16"), (4.0, "vreg_f32")],
    ),
    ("MXU fp8", &[(8.0, "vreg_f8")]),
];

/// What ratios of one TensorCore are added to.
struct Core<'a> {
    die: u32,
    cycles: f64,
    counts: &'a BTreeMap<String, f64>,
    found: &'a mut Vec<Utilization>,
    /// One of the registers read since the last ratio is in the sample.
    is_counted: Cell<bool>,
}

impl Core<'_> {
    /// A count with a limit of this many per cycle; nothing if none of its registers was recorded.
    fn add(&mut self, name: &str, achieved: f64, per_cycle: f64, measure: &'static str) {
        if !self.is_counted.replace(false) {
            return;
        }
        self.found.push(Utilization {
            unit: format!("TensorCore {}", self.die),
            name: name.to_owned(),
            achieved,
            peak: self.cycles * per_cycle,
            measure,
            peak_source: if (per_cycle - 1.0).abs() < f64::EPSILON {
                "counted cycles of the core".to_owned()
            } else {
                format!("counted cycles of the core × {per_cycle}")
            },
        });
    }

    fn get(&self, name: &str) -> f64 {
        let count = self.counts.get(name).copied();
        if count.is_some() {
            self.is_counted.set(true);
        }
        count.unwrap_or(0.0)
    }

    /// Σ over `name_0`, `name_1`, …
    fn indexed(&self, name: &str, count: usize) -> f64 {
        let counts = (0..count).map(|index| self.get(&format!("{name}_{index}")));
        counts.sum()
    }

    /// Issue slots of the scalar and vector units, loads and stores.
    fn issue(&mut self) {
        let measure = "instructions";
        let scalar = self.indexed("scalar_alu_instruction", 2);
        self.add("scalar unit", scalar, 2.0, measure);
        let vector = self.indexed("vector_alu_instruction", 4);
        self.add("vector ALUs", vector, 4.0, measure);
        let operations = ["fadd", "fmul", "misc", "int", "fmac"];
        let operations = operations.map(|op| self.indexed(&format!("vpu_valu_{op}_ops"), 4));
        self.add(
            "vector unit operations",
            operations.iter().sum(),
            4.0,
            measure,
        );
        self.add("VMEM stores", self.get("vst_instruction"), 1.0, measure);
        let loads = self.indexed("vld_instruction", 2);
        self.add("VMEM loads", loads, 2.0, measure);
    }

    /// How many of the two units of a kind were busy.
    fn busy(&mut self, name: &str, label: &str) {
        let [none, one, both] = [0, 1, 2].map(|count| self.get(&format!("{name}_busy_{count}")));
        let is_counted = self.is_counted.get();
        for (name, cycles) in [
            (format!("no {label} busy"), none),
            (format!("one {label} busy"), one),
            (format!("both {label}s busy"), both),
            (format!("{label} busy, mean"), one * 0.5 + both),
        ] {
            self.is_counted.set(is_counted);
            self.add(&name, cycles, 1.0, "cycles");
        }
    }

    /// Cycles that a matrix unit spends on products of some kinds.
    fn products(&self, unit: usize, kinds: &[(f64, &str)]) -> f64 {
        let cycles = kinds.iter().map(|&(cycles, kind)| {
            let count = self.get(&format!("matmul_{kind}_mxu_{unit}"));
            cycles * count
        });
        cycles.sum()
    }

    fn matrix_units(&mut self, is_v7: bool) {
        let precisions = if is_v7 { V7_PRECISIONS } else { V6_PRECISIONS };
        for unit in 0..2 {
            let all = precisions
                .iter()
                .map(|(_, kinds)| self.products(unit, kinds));
            let all = all.sum();
            self.add(&format!("MXU {unit}"), all, 1.0, "cycles");
        }
        for (name, kinds) in precisions {
            let both = self.products(0, kinds) + self.products(1, kinds);
            self.add(name, both, 2.0, "cycles");
        }
        let loads = self.indexed("matpush_cycles_mxu", 2);
        self.add("MXU weight loads", loads, 2.0, "cycles");
    }

    /// The cross-lane units take four cycles for an instruction on v6e, one on v7x.
    fn cross_lane_units(&mut self, is_v7: bool) {
        for unit in 0..2 {
            let kinds = [
                "packed_xlu",
                "rotate_permute_instruction_xlu",
                "rotate_permute_set_instruction_xlu",
                "transpose_xlu",
            ];
            let issued = kinds.map(|kind| self.get(&format!("{kind}_{unit}")));
            let per_cycle = if is_v7 { 1.0 } else { 0.25 };
            let issued = issued.iter().sum();
            self.add(&format!("XLU {unit}"), issued, per_cycle, "instructions");
        }
    }
}

fn tensor_core(
    chip: &Chip,
    die: u32,
    unit: &BTreeMap<String, f64>,
    counts: &Counts,
    found: &mut Vec<Utilization>,
) {
    let cycles = cycles(counts, die);
    if cycles <= 0.0 {
        return;
    }
    let is_v7 = chip.name.contains("v7");
    let mut core = Core {
        die,
        cycles,
        counts: unit,
        found,
        is_counted: Cell::new(false),
    };
    if let Some(power) = counts.get(&(die, Place::Power)) {
        for (name, count) in [
            ("clocks skipped", "clocks_skipped"),
            (
                "clocks skipped, external throttle",
                "ext_throttle_clocks_skipped",
            ),
            (
                "clocks skipped, voltage droop",
                "ldidt_droop_clocks_skipped",
            ),
        ] {
            core.is_counted.set(power.contains_key(count));
            core.add(name, get(power, count), 1.0, "cycles");
        }
    }
    core.issue();
    core.busy("mxu", "MXU");
    core.matrix_units(is_v7);
    core.busy("xlu", "XLU");
    core.cross_lane_units(is_v7);
}

fn sparse_core(
    die: u32,
    core: u32,
    unit: &BTreeMap<String, f64>,
    is_sequencer: bool,
    found: &mut Vec<Utilization>,
) {
    // Cycles of all tiles together: each of them may issue one instruction of a slot per cycle.
    let cycles = get(unit, "cycles");
    if cycles <= 0.0 {
        return;
    }
    let slots = unit
        .iter()
        .filter(|(name, _)| name.ends_with("_issue") || name.ends_with("_instruction"));
    for (name, &achieved) in slots {
        let who = if is_sequencer { "sequencer" } else { "tiles" };
        found.push(Utilization {
            unit: format!("SparseCore {}", die * 2 + core),
            name: format!("{who}: {}", name.replace('_', " ")),
            achieved,
            peak: cycles,
            measure: "instructions",
            peak_source: format!("counted cycles of the {who}"),
        });
    }
}

/// Seconds of a die's sample.
fn seconds(chip: &Chip, counts: &Counts, die: u32) -> Option<(f64, String)> {
    let clock = chip.clock_hz.as_ref()?;
    let cycles = cycles(counts, die);
    let words = format!("{:.2} GHz, {}", clock.per_second / 1e9, clock.source);
    (cycles > 0.0).then(|| (cycles / clock.per_second, words))
}

fn memory(
    chip: &Chip,
    die: u32,
    unit: &BTreeMap<String, f64>,
    counts: &Counts,
    found: &mut Vec<Utilization>,
) {
    let (Some((seconds, clock)), Some(peak)) = (seconds(chip, counts, die), &chip.peak_bandwidth)
    else {
        return;
    };
    let read = get(unit, "rd_resp") * BYTES_PER_BEAT;
    let written = (get(unit, "wr_req") + get(unit, "partial_write_req")) * BYTES_PER_BEAT;
    let bytes_per_second = format!("{:.0} GB/s {}", peak.per_second / 1e9, peak.source);
    for (name, achieved) in [
        ("HBM reads and writes", read + written),
        ("HBM reads", read),
        ("HBM writes", written),
    ] {
        found.push(Utilization {
            unit: format!("HBM of TensorCore {die}"),
            name: name.to_owned(),
            achieved,
            peak: peak.per_second * seconds,
            measure: "bytes",
            peak_source: format!("{bytes_per_second}, for the counted cycles at {clock}"),
        });
    }
}

/// The interconnect of the whole chip: packets of all dies, over the longest time of a die.
fn links(chip: &Chip, counts: &Counts, found: &mut Vec<Utilization>) {
    let of_links = counts
        .iter()
        .filter(|((_, place), _)| *place == Place::Link);
    let sum = |kind: &str| {
        of_links
            .clone()
            .map(|(_, unit)| get(unit, kind))
            .sum::<f64>()
    };
    if of_links.clone().next().is_none() {
        return;
    }
    let times = counts
        .keys()
        .filter_map(|&(die, _)| seconds(chip, counts, die));
    let Some((seconds, clock)) = times.reduce(|a, b| if b.0 > a.0 { b } else { a }) else {
        return;
    };
    for (name, kind) in [("reads", "rd"), ("writes", "wr")] {
        found.push(Utilization {
            unit: "interconnect".to_owned(),
            name: format!("interconnect {name}"),
            achieved: sum(kind) * BYTES_PER_FLIT,
            peak: LINK_PEAK * seconds,
            measure: "bytes",
            peak_source: format!("295 GB/s as XProf has it, for the counted cycles at {clock}"),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Peak;

    fn v6e() -> Chip {
        let peak = |per_second| {
            Some(Peak {
                per_second,
                source: "test".to_owned(),
            })
        };
        Chip {
            name: "TPU v6 Lite".to_owned(),
            peak_bandwidth: peak(1.6e12),
            clock_hz: peak(1.75e9),
            ..Chip::default()
        }
    }

    fn ratio(found: &[Utilization], name: &str) -> f64 {
        let found = found.iter().find(|found| found.name == name).expect(name);
        found.achieved / found.peak
    }

    #[test]
    fn a_sample_of_a_v6e() {
        let tensor = |count: &str| format!("VF_CHIP_{}{count}", TENSOR.to_uppercase());
        let hbm =
            |n: u32, kind: &str| format!("VF_CHIP_HBM_0_HBMC_{n}{}{kind}_PS1", HBM.to_uppercase());
        let registers = [
            (tensor("CYCLES"), 1750.0),
            (tensor("MXU_BUSY_1"), 350.0),
            (tensor("MXU_BUSY_2"), 700.0),
            (tensor("SCALAR_ALU_INSTRUCTION_0"), 700.0),
            (tensor("SCALAR_ALU_INSTRUCTION_1"), 350.0),
            (tensor("MATMUL_VREG_BF16_MXU_0"), 50.0),
            (hbm(0, "RD_RESP"), 10_000.0),
            (hbm(7, "WR_REQ"), 5_000.0),
            ("VF_CHIP_OCI_ICR_PERF_COUNTERS_FIFO_STATS_COUNTERS_UNPRIVILEGED_BN_RD_REQ_1_INSERTION_COUNT".to_owned(), 100.0),
            ("VF_CHIP_SC_1_SCS_SC_STATS_COUNTERS_UNPRIVILEGED_COUNT_CYCLES".to_owned(), 1000.0),
            ("VF_CHIP_SC_1_SCS_SC_STATS_COUNTERS_UNPRIVILEGED_COUNT_SCALAR_ISSUE".to_owned(), 250.0),
            ("something else".to_owned(), 1.0),
        ];
        let chip = v6e();
        let all = registers
            .iter()
            .map(|(name, value)| (name.as_str(), *value));
        let found = register_utilization(&chip, all);
        // (350 / 2 + 700) / 1750
        assert!((ratio(&found, "MXU busy, mean") - 0.5).abs() < 1e-12);
        assert!((ratio(&found, "scalar unit") - 0.3).abs() < 1e-12);
        // 50 instructions of 8 cycles.
        assert!((ratio(&found, "MXU 0") - 400.0 / 1750.0).abs() < 1e-12);
        assert!(
            !found.iter().any(|found| found.name == "VMEM stores"),
            "not counted"
        );
        // 15,000 beats of 32 bytes in 1 µs at 1.6 TB/s.
        assert!((ratio(&found, "HBM reads and writes") - 0.3).abs() < 1e-12);
        // 100 packets of 128 bytes in 1 µs.
        assert!((ratio(&found, "interconnect reads") - 12_800.0 / 294_947.368_421).abs() < 1e-9);
        assert!((ratio(&found, "sequencer: scalar issue") - 0.25).abs() < 1e-12);
    }

    #[test]
    fn without_cycles_there_is_no_ratio() {
        let name = format!("VF_CHIP_{}MXU_BUSY_2", TENSOR.to_uppercase());
        assert!(register_utilization(&v6e(), [(name.as_str(), 5.0)].into_iter()).is_empty());
        assert!(register_utilization(&v6e(), std::iter::empty()).is_empty());
    }
}
