//! Peaks by operand type: how many times the stated 16-bit peak each type has on a chip.

use super::capabilities::Capabilities;
use crate::operand_type::OperandType::{self, Bf16, F4, F8, F16, F32, F64, Int4, Int8, Tf32};
use crate::session::{DeviceKind, Peak};

/// Dense figures of one part, in TFLOP/s or TOP/s as its data sheet has them. Types that are left
/// out are not in the sheet.
type Sheet = (
    &'static [&'static str],
    &'static [(OperandType, f64)],
    &'static str,
);

/// The vendors' data sheets, dense (half of what they say with sparsity); rows whose words are all
/// in the model's name, more specific ones first. Figures of matrix units where a type has them.
/// The last column names the sheet.
const SHEETS: &[Sheet] = &[
    (
        &["b200"],
        &[
            (F64, 37.0),
            (F32, 75.0),
            (Tf32, 1125.0),
            (Bf16, 2250.0),
            (F16, 2250.0),
            (F8, 4500.0),
            (F4, 9000.0),
            (Int8, 4500.0),
        ],
        "NVIDIA HGX B200",
    ),
    (&["h200"], HOPPER, "NVIDIA H200"),
    (
        &["h100", "pcie"],
        &[
            (F64, 51.0),
            (F32, 51.0),
            (Tf32, 378.0),
            (Bf16, 756.0),
            (F16, 756.0),
            (F8, 1513.0),
            (Int8, 1513.0),
        ],
        "NVIDIA H100 PCIe",
    ),
    (
        &["h100", "nvl"],
        &[
            (F64, 60.0),
            (F32, 60.0),
            (Tf32, 417.5),
            (Bf16, 835.0),
            (F16, 835.0),
            (F8, 1670.0),
            (Int8, 1670.0),
        ],
        "NVIDIA H100 NVL",
    ),
    (&["h100"], HOPPER, "NVIDIA H100 SXM"),
    (
        &["a100"],
        &[
            (F64, 19.5),
            (F32, 19.5),
            (Tf32, 156.0),
            (Bf16, 312.0),
            (F16, 312.0),
            (Int8, 624.0),
            (Int4, 1248.0),
        ],
        "NVIDIA A100",
    ),
    (
        &["l40s"],
        &[
            (F32, 91.6),
            (Tf32, 183.0),
            (Bf16, 362.0),
            (F16, 362.0),
            (F8, 733.0),
            (Int8, 733.0),
        ],
        "NVIDIA L40S",
    ),
    (
        &["l4"],
        &[
            (F32, 30.3),
            (Tf32, 60.0),
            (Bf16, 121.0),
            (F16, 121.0),
            (F8, 242.5),
            (Int8, 242.5),
        ],
        "NVIDIA L4",
    ),
    (
        &["v100", "pcie"],
        &[(F64, 7.0), (F32, 14.0), (F16, 112.0)],
        "NVIDIA V100 PCIe",
    ),
    (
        &["v100"],
        &[(F64, 7.8), (F32, 15.7), (F16, 125.0)],
        "NVIDIA V100 SXM2",
    ),
    (
        &["t4"],
        &[(F32, 8.1), (F16, 65.0), (Int8, 130.0), (Int4, 260.0)],
        "NVIDIA T4",
    ),
    (
        &["mi355x"],
        &[
            (F64, 78.6),
            (F32, 157.3),
            (Bf16, 2517.0),
            (F16, 2517.0),
            (F8, 5033.0),
            (F4, 10066.0),
            (Int8, 5033.0),
        ],
        "AMD Instinct MI355X",
    ),
    (
        &["mi350x"],
        &[
            (F64, 72.1),
            (F32, 144.2),
            (Bf16, 2307.0),
            (F16, 2307.0),
            (F8, 4614.0),
            (F4, 9228.0),
            (Int8, 4614.0),
        ],
        "AMD Instinct MI350X",
    ),
    (&["mi325x"], CDNA3, "AMD Instinct MI325X"),
    (&["mi300x"], CDNA3, "AMD Instinct MI300X"),
    // For the whole part, which has two devices: only the relation of the types is used.
    (
        &["mi250x"],
        &[
            (F64, 95.7),
            (F32, 95.7),
            (Bf16, 383.0),
            (F16, 383.0),
            (Int8, 383.0),
        ],
        "AMD Instinct MI250X",
    ),
    (
        &["mi250"],
        &[
            (F64, 90.5),
            (F32, 90.5),
            (Bf16, 362.1),
            (F16, 362.1),
            (Int8, 362.1),
        ],
        "AMD Instinct MI250",
    ),
    (
        &["mi210"],
        &[
            (F64, 45.3),
            (F32, 45.3),
            (Bf16, 181.0),
            (F16, 181.0),
            (Int8, 181.0),
        ],
        "AMD Instinct MI210",
    ),
    (
        &["tpu", "v7x"],
        &[(Bf16, 2307.0), (F8, 4614.0)],
        "Google Cloud TPU7x",
    ),
    (
        &["tpu", "v6"],
        &[(Bf16, 918.0), (Int8, 1836.0)],
        "Google Cloud TPU v6e",
    ),
    (
        &["tpu", "v5", "lite"],
        &[(Bf16, 197.0), (Int8, 394.0)],
        "Google Cloud TPU v5e",
    ),
    (
        &["tpu", "v5"],
        &[(Bf16, 459.0), (Int8, 918.0)],
        "Google Cloud TPU v5p",
    ),
    (
        &["tpu", "v4"],
        &[(Bf16, 275.0), (Int8, 275.0)],
        "Google Cloud TPU v4",
    ),
    // The oldest multiply bf16 only.
    (&["tpu"], &[(Bf16, 1.0)], "Google Cloud TPU"),
];

const HOPPER: &[(OperandType, f64)] = &[
    (F64, 67.0),
    (F32, 67.0),
    (Tf32, 494.5),
    (Bf16, 989.0),
    (F16, 989.0),
    (F8, 1979.0),
    (Int8, 1979.0),
];

const CDNA3: &[(OperandType, f64)] = &[
    (F64, 163.4),
    (F32, 163.4),
    (Tf32, 653.7),
    (Bf16, 1307.0),
    (F16, 1307.0),
    (F8, 2614.9),
    (Int8, 2614.9),
];

/// Operations per multiprocessor and clock in the order of [`PER_CLOCK_TYPES`], dense; 0 where the
/// type is not multiplied or the figure is in doubt.
type PerClock = ((i64, i64), [f64; 9]);

const PER_CLOCK_TYPES: [OperandType; 9] = [F64, F32, Tf32, Bf16, F16, F8, F4, Int8, Int4];

/// By NVIDIA compute capability. Source: CUDA programming guide (arithmetic throughput) and the white
/// papers of the architectures.
const NVIDIA: &[PerClock] = &[
    (
        (10, 0),
        [
            128.0, 256.0, 4096.0, 8192.0, 8192.0, 16384.0, 32768.0, 16384.0, 0.0,
        ],
    ),
    (
        (9, 0),
        [
            256.0, 256.0, 2048.0, 4096.0, 4096.0, 8192.0, 0.0, 8192.0, 0.0,
        ],
    ),
    (
        (8, 9),
        [
            0.0, 256.0, 512.0, 1024.0, 1024.0, 2048.0, 0.0, 2048.0, 4096.0,
        ],
    ),
    (
        (8, 6),
        [0.0, 256.0, 512.0, 1024.0, 1024.0, 0.0, 0.0, 2048.0, 4096.0],
    ),
    (
        (8, 0),
        [
            128.0, 128.0, 1024.0, 2048.0, 2048.0, 0.0, 0.0, 4096.0, 8192.0,
        ],
    ),
    (
        (7, 5),
        [0.0, 128.0, 0.0, 0.0, 1024.0, 0.0, 0.0, 2048.0, 4096.0],
    ),
    ((7, 0), [64.0, 128.0, 0.0, 0.0, 1024.0, 0.0, 0.0, 0.0, 0.0]),
    ((6, 1), [8.0, 256.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
    ((6, 0), [64.0, 128.0, 0.0, 0.0, 256.0, 0.0, 0.0, 0.0, 0.0]),
    ((5, 0), [0.0, 256.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
    ((3, 0), [0.0, 384.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
];

/// The same for AMD, per compute unit. Source: white papers of CDNA 3 and 4.
const AMD: &[PerClock] = &[
    (
        (9, 5),
        [
            128.0, 256.0, 0.0, 4096.0, 4096.0, 8192.0, 16384.0, 8192.0, 0.0,
        ],
    ),
    (
        (9, 4),
        [
            256.0, 256.0, 1024.0, 2048.0, 2048.0, 4096.0, 0.0, 4096.0, 0.0,
        ],
    ),
];

/// The peaks of the types that a chip multiplies, from its stated peak, which is that of 16-bit floats
/// (of f32 for the oldest GPUs) and stays as it is. The others have their relation to it in the data
/// sheet of the part, or per multiprocessor and clock.
///
/// Data sheets compute the figures of some types at other clocks, so their relations hold for a
/// stated peak that is from the sheet too (and for TPUs, of which nothing else is known).
pub(super) fn operand_peaks(
    kind: DeviceKind,
    words: &[String],
    capabilities: &Capabilities,
    stated: &Peak,
    is_from_sheet: bool,
) -> Vec<(OperandType, Peak)> {
    let sheet = SHEETS.iter().find(|(known, ..)| {
        let mut known = known.iter();
        known.all(|known| words.iter().any(|word| word == known))
    });
    let per_clock = per_clock(kind, capabilities);
    let (figures, source): (Vec<(OperandType, f64)>, String) = match (sheet, per_clock) {
        (Some((_, figures, name)), None) => {
            (figures.to_vec(), format!("the public data sheet of {name}"))
        }
        (Some((_, figures, name)), Some(_)) if is_from_sheet => {
            (figures.to_vec(), format!("the public data sheet of {name}"))
        }
        (_, Some((figures, source))) => (figures, source),
        (None, None) => return Vec::new(),
    };
    let Some(base) = base(&figures) else {
        return Vec::new();
    };
    // The stated peak is from the same sheet and for the whole part: so are the others.
    let is_whole_sheet =
        is_from_sheet && kind.is_gpu() && (stated.per_second / 1e12 - base.1).abs() < 1e-6;
    let peak = |(operand, figure): &(OperandType, f64)| {
        let is_stated = (figure - base.1).abs() < f64::EPSILON * base.1;
        let ratio = figure / base.1;
        let relation = if ratio >= 1.0 {
            format!("{}× the stated peak", rounded(ratio))
        } else {
            format!("1/{} of the stated peak", rounded(1.0 / ratio))
        };
        let source = if is_stated {
            stated.source.clone()
        } else if is_whole_sheet {
            format!(
                "{}, dense {}",
                source.trim_start_matches("the "),
                operand.name()
            )
        } else {
            format!("{relation} ({}), by {source}", stated.source)
        };
        let per_second = stated.per_second * figure / base.1;
        (*operand, Peak { per_second, source })
    };
    figures.iter().map(peak).collect()
}

/// What the stated peak is the peak of: 16-bit floats, f32 on GPUs without them.
fn base(figures: &[(OperandType, f64)]) -> Option<(OperandType, f64)> {
    let of = |wanted| figures.iter().find(|(operand, _)| *operand == wanted);
    of(Bf16).or_else(|| of(F16)).or_else(|| of(F32)).copied()
}

fn per_clock(
    kind: DeviceKind,
    capabilities: &Capabilities,
) -> Option<(Vec<(OperandType, f64)>, String)> {
    let capability = capabilities.capability?;
    let (table, unit) = match kind {
        DeviceKind::NvidiaGpu => (NVIDIA, "multiprocessor"),
        DeviceKind::AmdGpu => (AMD, "compute unit"),
        _ => return None,
    };
    let (_, figures) = table.iter().find(|(known, _)| *known <= capability)?;
    let figures = PER_CLOCK_TYPES.into_iter().zip(*figures);
    let figures = figures.filter(|(_, figure)| *figure > 0.0).collect();
    let source = format!("what a {unit} of this generation does per clock");
    Some((figures, source))
}

/// At most two digits behind the point, none that are zero.
fn rounded(ratio: f64) -> String {
    let text = format!("{ratio:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_in_order_and_have_a_base() {
        let orders = SHEETS.iter().map(|(_, figures, _)| figures.to_vec());
        for figures in orders {
            let types: Vec<OperandType> = figures.iter().map(|(operand, _)| *operand).collect();
            assert!(types.is_sorted(), "{types:?}");
            assert!(base(&figures).is_some(), "{types:?}");
            assert!(figures.iter().all(|(_, figure)| *figure > 0.0));
        }
        assert_eq!(PER_CLOCK_TYPES, OperandType::ALL);
    }

    /// What a data sheet says and what a multiprocessor does per clock agree within the difference of
    /// their clocks.
    #[test]
    fn sheets_and_clocks_agree() {
        for (word, capability, table) in [
            ("h100", (9, 0), NVIDIA),
            ("a100", (8, 0), NVIDIA),
            ("v100", (7, 0), NVIDIA),
            ("b200", (10, 0), NVIDIA),
            ("mi300x", (9, 4), AMD),
            ("mi355x", (9, 5), AMD),
        ] {
            let sheet = SHEETS.iter().find(|(words, ..)| *words == [word]);
            let (_, figures, _) = sheet.expect("a sheet");
            let (_, per_clock) = table
                .iter()
                .find(|(known, _)| *known == capability)
                .expect("a generation");
            let base = base(figures).expect("a base");
            let index =
                |operand: OperandType| OperandType::ALL.iter().position(|known| *known == operand);
            let own = per_clock[index(base.0).expect("a type")];
            for (operand, figure) in *figures {
                let clocked = per_clock[index(*operand).expect("a type")] / own;
                let stated = figure / base.1;
                let ratio = clocked / stated;
                assert!(
                    (0.9..1.1).contains(&ratio),
                    "{word} {}: {clocked} and {stated}",
                    operand.name()
                );
            }
        }
    }
}
