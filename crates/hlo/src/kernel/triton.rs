//! Triton's kernels: a dictionary of MLIR attributes, as text.

use super::description::Kernel;
use crate::backend_config::{mlir_integer, mlir_text};

/// `{grid_x = 8 : i32, grid_y = 1 : i32, …, name = "add", num_stages = 2 : i32, …}`.
pub(super) fn read(config: &str) -> Kernel {
    // The module comes somewhere in the middle, and its text may contain anything.
    let outer = without_text(config, "ir");
    let number = |name: &str| mlir_integer(&outer, name);
    let grid: Option<Vec<Option<u64>>> = ["grid_x", "grid_y", "grid_z"]
        .into_iter()
        .map(|name| number(name).map(Some))
        .collect();
    let unknown = match grid {
        Some(_) => "",
        None => "The configuration of the call states no grid.",
    };
    Kernel {
        language: "Triton",
        name: mlir_text(&outer, "name").unwrap_or_default(),
        grid,
        warps: number("num_warps"),
        stages: number("num_stages"),
        unknown: unknown.to_owned(),
        ..Kernel::default()
    }
}

/// A dictionary without the value of `name = "…"`.
fn without_text(config: &str, name: &str) -> String {
    let Some((before, rest)) = config.split_once(&format!("{name} = \"")) else {
        return config.to_owned();
    };
    let mut is_escaped = false;
    let end = rest.find(|letter| {
        let is_end = letter == '"' && !is_escaped;
        is_escaped = letter == '\\' && !is_escaped;
        is_end
    });
    let after = end.and_then(|end| rest.get(end..)).unwrap_or_default();
    format!("{before}{name} = \"{after}")
}
