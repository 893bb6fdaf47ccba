//! Matrix products whose dimensions do not fill the tiles of the matrix units (padding waste, from HLO).

use stepscope_model::DeviceKind;

use super::{CPU_ONLY, NO_HLO, Outcome, Rule, finding, gravity};
use crate::judging::advice::evidence::of_op;
use crate::judging::advice::facts::Facts;
use crate::judging::advice::programs::{product, sides};
use crate::judging::advice::report::{AdviceEvidence, Confidence};
use crate::measuring::steps::PartKind;
use crate::telling::format;

pub(super) static RULE: Rule = Rule {
    id: "tile_padding",
    title: "Tile padding in matrix products",
    parts: &[PartKind::DeviceCompute],
    check,
};

/// Rows, columns and contracted elements of a tile: registers of 8 × 128 and a 128-wide matrix unit.
const TPU_TILE: [u64; 3] = [8, 128, 128];
/// The smallest tensor-core operation for 16-bit types.
const GPU_TILE: [u64; 3] = [16, 8, 16];
/// Number of products in the evidence.
const TOLD: usize = 4;

/// The share of its tiles that a product fills.
fn filled(sides: [u64; 3], tile: [u64; 3]) -> f64 {
    sides
        .into_iter()
        .zip(tile)
        .filter(|&(side, _)| side > 0)
        .map(|(side, tile)| side as f64 / (side.div_ceil(tile) * tile) as f64)
        .product()
}

fn check(facts: &Facts<'_>) -> Outcome {
    if facts.is_cpu_only() {
        return Outcome::Skipped(CPU_ONLY.to_owned());
    }
    if facts.programs().is_empty() {
        return Outcome::Skipped(NO_HLO.to_owned());
    }
    let mut kinds = facts.working().map(|id| facts.session.device(id).kind);
    let is_tpu = kinds.any(|kind| kind == DeviceKind::Tpu);
    let (tile, name) = if is_tpu {
        (TPU_TILE, "8 × 128")
    } else {
        (GPU_TILE, "16 × 8")
    };
    let mut wasted = 0.0;
    let mut found: Vec<(f64, AdviceEvidence)> = Vec::new();
    for program in facts.programs() {
        for (row, instruction) in program.executed(&facts.ops) {
            // Computing padding does not slow down memory-bound products.
            if row.class != "matmul" || row.bound_by == "memory" {
                continue;
            }
            let sides = product(program.hlo, instruction).and_then(|own| sides(program.hlo, own));
            let Some(sides) = sides else { continue };
            let filled = filled(sides, tile);
            let lost = row.self_ps as f64 * (1.0 - filled);
            if lost <= 0.0 {
                continue;
            }
            wasted += lost;
            let [rows, columns, contracted] = sides;
            let text = format!(
                "{}: {rows} × {contracted} by {contracted} × {columns} fills {} of its tiles, {} of \
                 the work",
                format::shortened(&row.name),
                format::percent(filled),
                format::percent(row.self_ratio)
            );
            found.push((lost, of_op(row, text)));
        }
    }
    let ratio = wasted / facts.total_self_ps().max(1) as f64;
    let share = format::percent(ratio);
    let Some(severity) = gravity(&facts.threshold("tile_padding_ratio"), ratio) else {
        return Outcome::Passed(format!("{share} of the work."));
    };
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    finding(
        &RULE,
        severity,
        format!("{share} of the devices' work is spent computing padding in matrix products."),
    )
    .why(format!(
        "Matrix units work on whole tiles ({name} elements). The last tile is padded, and the padding \
         is computed, too."
    ))
    .fix(if is_tpu {
        "Make the dimensions of matrix products multiples of 128 (heads, hidden sizes, vocabulary, \
         batch × sequence). Combine small products."
    } else {
        "Make the dimensions of matrix products multiples of 16, preferably 64 (heads, hidden sizes, \
         vocabulary). Combine small products."
    })
    .gain(facts.per_step(wasted), "time of these products × share of their tiles that is padding")
    .sure(Confidence::Low)
    .seen(found.into_iter().take(TOLD).map(|(_, evidence)| evidence))
    .found()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tile_is_filled_by_its_multiples() {
        assert!((filled([8, 256, 128], TPU_TILE) - 1.0).abs() < 1e-12);
        // 100 of 104 rows, 130 of 256 columns, 64 of 128 contracted.
        let expected = 100.0 / 104.0 * 130.0 / 256.0 * 0.5;
        assert!((filled([100, 130, 64], TPU_TILE) - expected).abs() < 1e-12);
    }
}
