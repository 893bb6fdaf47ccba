//! Every column holds what it declares, whatever the profile: formats with types, such as Arrow,
//! must give a column the same type in every answer, also in one without rows.

use std::collections::BTreeSet;

use stepscope_analysis::{ANALYSES, Cell, Column, Unit};
use stepscope_model::Session;

use crate::support::{all_captures, drawn, open};

const GPU: &str = "
    host vm
    device gpu:0 nvidia H100
    stream 7 Compute,MemcpyH2D
      10..20us  MemcpyH2D [memcpy_details=\"kind_src:pageable kind_dst:device size:1000 dest:0 async:1\"]
      20..50us  gemm_kernel [hlo_op=dot.1 program_id=5 hlo_module=jit_step correlation_id=11]
    thread python
      0..100us  train #step_num=3,_r=1#
";

/// What is wrong with a cell of this column.
fn complaint(column: &Column, cell: &Cell) -> Option<&'static str> {
    let is_text = column.unit == Unit::Text;
    let is_flag = column.unit == Unit::Flag;
    match cell {
        Cell::Missing => None,
        Cell::Text(_) => (!is_text).then_some("text in a column of figures"),
        Cell::Flag(_) => (!is_flag).then_some("yes or no in a column of something else"),
        Cell::Int(_) | Cell::Float(_) if is_text || is_flag => {
            Some("a figure in a column of another kind")
        }
        Cell::Int(_) => column
            .is_fractional
            .then_some("a whole number where fractions are declared: make it an f64"),
        Cell::Float(_) => (!column.is_fractional)
            .then_some("a fraction in a column of wholes: declare it with `.fractional()`"),
    }
}

fn check(session: &Session, complaints: &mut BTreeSet<String>) -> usize {
    let mut cells = 0;
    for entry in ANALYSES {
        // An analysis may have nothing to say about a session.
        let Ok(answer) = entry.run_pairs(session, []) else {
            continue;
        };
        for table in answer.tables() {
            for row in &table.rows {
                assert_eq!(
                    row.len(),
                    table.columns.len(),
                    "{} {}",
                    entry.name,
                    table.key
                );
                cells += row.len();
                for (column, cell) in table.columns.iter().zip(row) {
                    if let Some(what) = complaint(column, cell) {
                        let place = format!("{} {} {}", entry.name, table.key, column.key);
                        complaints.insert(format!("{place}: {what}"));
                    }
                }
            }
        }
    }
    cells
}

#[test]
fn columns_hold_what_they_declare() {
    let mut complaints = BTreeSet::new();
    let mut cells = check(&drawn(&[GPU]), &mut complaints);
    for capture in all_captures() {
        cells += check(&open(&capture), &mut complaints);
    }
    assert!(cells > 1000, "only {cells} cells were looked at");
    let list: Vec<String> = complaints.into_iter().collect();
    assert!(list.is_empty(), "{}", list.join("\n"));
}
