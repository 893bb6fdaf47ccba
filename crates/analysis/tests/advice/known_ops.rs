//! Ops that dominate, and whose use the program shows.

use serde_json::Value;

use super::drawings::cpu;
use super::{advice, finding};

fn dominates(op: &str, program: &str) -> Value {
    let ops = format!("1..800us {op}\n800..900us dot.1");
    finding(&advice(&[cpu(&ops, "", program)]), "dominating_op").clone()
}

fn text<'a>(finding: &'a Value, key: &str) -> &'a str {
    finding[key].as_str().unwrap_or_default()
}

#[test]
fn a_few_of_a_sorted_array_need_no_sort() {
    let program = |bounds: &str, length: u32| {
        format!(
            "x.0 = f32[8,32000] parameter(1)
            sort.1 = f32[8,32000] sort(x.0) dimensions={{1}}
            slice.1 = f32[8,{length}] slice(sort.1) slice={{[0:8], [{bounds}]}}"
        )
    };
    let found = dominates("sort.1", &program("31960:32000", 40));
    assert!(text(&found, "what").contains("Only 40 of 32000"), "{found}");
    assert!(text(&found, "fix").contains("lax.top_k"), "{found}");
    assert_eq!(found["severity"], "warning");
    // The median is in the middle.
    let found = dominates("sort.1", &program("15999:16001", 2));
    assert!(!text(&found, "fix").contains("top_k"), "{found}");
    let found = dominates("sort.1", &program("0:32000", 32000));
    assert!(!text(&found, "fix").contains("top_k"), "{found}");
}

#[test]
fn the_gradient_of_rows_that_were_looked_up_is_no_table() {
    let program = |rows: u32| {
        format!(
            "table.0 = f32[10000,32] parameter(1)
            rows.0 = s32[{rows},1] parameter(2)
            new.0 = f32[{rows},32] parameter(3)
            zero.0 = f32[] parameter(4)
            broadcast.1 = f32[10000,32] broadcast(zero.0) op_name=\"jit(step)/transpose(jvp())/broadcast_in_dim\"
            scatter.1 = f32[10000,32] scatter(broadcast.1, rows.0, new.0)
            ROOT add.9 = f32[10000,32] add(table.0, scatter.1)"
        )
    };
    let found = dominates("broadcast.1", &program(500));
    assert!(text(&found, "what").contains("adds 5.0 %"), "{found}");
    assert!(text(&found, "fix").contains(".at[ids].add"), "{found}");
    let found = dominates("broadcast.1", &program(9000));
    assert!(!text(&found, "fix").contains(".at[ids]"), "{found}");
}
