//! Parts of a step that do not explain why it is long.

use super::{advice, finding};

/// A part that no usual step has, but that is a small piece of what the step takes longer, is not why.
#[test]
fn a_small_part_explains_no_long_step() {
    let step = |number: u32, at: u32, copy: u32, us: u32| {
        (
            format!("{at}..{}us dot.1\n", at + 500),
            format!(
                "{}..{}us MemcpyH2D [memcpy_details=\"size:1000 dest:0 async:1\"]\n",
                at + 500,
                at + 500 + copy
            ),
            format!("{at}..{}us train #step_num={number},_r=1#\n", at + us),
        )
    };
    let mut lines = [String::new(), String::new(), String::new()];
    let mut at = 0;
    for number in 0..12 {
        let (copy, us) = if number == 6 {
            (63, 3000)
        } else {
            (2, 900 + 40 * (number % 2))
        };
        let (ops, copies, marks) = step(number, at, copy, us);
        lines[0].push_str(&ops);
        lines[1].push_str(&copies);
        lines[2].push_str(&marks);
        at += us;
    }
    let [ops, copies, marks] = lines;
    let text = format!(
        "host vm\ndevice gpu:0 nvidia H100\nstream 7 Compute\n{ops}stream 8 Memcpy\n{copies}thread python\n{marks}"
    );
    let what = finding(&advice(&[text]), "step_outliers")["what"].to_string();
    assert!(what.contains("more idle than the median"), "{what}");
    assert!(!what.contains("host to device"), "{what}");
}
