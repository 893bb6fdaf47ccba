//! Tests of tables.

use super::*;

fn table() -> Table {
    let rows = [
        (
            "dot.1",
            7_815_400_000_i64,
            "jit(step)/layer_0/attention/query/dot_general",
        ),
        (
            "fusion_with_a_rather_long_name.42",
            120_000_000,
            "jit(step)/layer_1/mlp",
        ),
    ];
    Table {
        key: "rows",
        title: "Ops".to_owned(),
        columns: vec![
            Column::new("name", "op", Unit::Text),
            Column::new("self_ps", "self", Unit::Picos),
            Column::wide("flops", "work", Unit::Flops),
            Column::wide("scope", "scope", Unit::Text),
        ],
        rows: rows
            .map(|(name, time, scope)| vec![name.into(), time.into(), Cell::Missing, scope.into()])
            .to_vec(),
        row_count: 7,
    }
}

fn rendered(width: usize, limit: Option<usize>, is_wide: bool) -> String {
    let view = View {
        width,
        limit,
        charset: Charset::Ascii,
        is_wide,
    };
    anstream::adapter::strip_str(&render(&table(), &view)).to_string()
}

#[test]
fn a_wide_terminal_shows_all() {
    assert_eq!(
        rendered(120, None, false),
        "\
op                                 self (ms)  scope
dot.1                                  7.815  jit(step)/layer_0/attention/query/dot_general
fusion_with_a_rather_long_name.42      0.120  jit(step)/layer_1/mlp
... 5 more rows (--limit 0 for all)
"
    );
}

/// Ops of one name in several programs.
fn repeated() -> Table {
    let row = |name: &str, program: &str| {
        vec![
            name.into(),
            3_i64.into(),
            "jit(dot)/dot_general".into(),
            program.into(),
        ]
    };
    Table {
        columns: vec![
            Column::new("name", "op", Unit::Text),
            Column::new("count", "count", Unit::Count),
            Column::wide("scope", "scope", Unit::Text),
            Column::wide("program", "program", Unit::Text),
        ],
        rows: vec![
            row("custom-call.1", "jit_dot(1)"),
            row("custom-call.1", "jit_dot(2)"),
        ],
        row_count: 2,
        ..table()
    }
}

#[test]
fn what_tells_names_apart_stays() {
    let view = View {
        width: 34,
        limit: None,
        charset: Charset::Ascii,
        is_wide: false,
    };
    let shown = |table: &Table| anstream::adapter::strip_str(&render(table, &view)).to_string();
    assert_eq!(
        shown(&repeated()),
        "\
op             count  program
custom-call.1      3  jit_dot(1)
custom-call.1      3  jit_dot(2)
... hidden: scope (--wide)
"
    );
}

#[test]
fn what_is_typed_again_is_cut_last() {
    let mut table = table();
    table.columns[0] = Column::new("change", "change", Unit::Text);
    let view = View {
        width: 56,
        limit: None,
        charset: Charset::Ascii,
        is_wide: false,
    };
    let shown = anstream::adapter::strip_str(&render(&table, &view)).to_string();
    assert!(
        shown.contains("fusion_with_a_rather_long_name.42"),
        "{shown}"
    );
    let narrow = View { width: 20, ..view };
    let shown = render(&table, &narrow);
    assert!(
        !shown.contains("fusion_with_a_rather_long_name.42"),
        "{shown}"
    );
}

#[test]
fn names_are_shortened_before_columns_go() {
    assert_eq!(
        rendered(64, None, false),
        "                                 self
op                               (ms)  scope
dot.1                           7.815  ...tion/query/dot_general
fusion_with_a_..._long_name.42  0.120  jit(step)/layer_1/mlp
... 5 more rows (--limit 0 for all)
"
    );
}

#[test]
fn a_narrow_terminal_hides_what_is_not_essential() {
    assert_eq!(
        rendered(25, Some(1), false),
        "\
op     self (ms)
dot.1      7.815
... 6 more rows (--limit 0 for all); hidden: scope (--wide)
"
    );
}

#[test]
fn headers_fold_before_columns_go() {
    assert_eq!(
        rendered(70, Some(1), false),
        "\
op     self (ms)  scope
dot.1      7.815  jit(step)/layer_0/attention/query/dot_general
... 6 more rows (--limit 0 for all)
"
    );
    assert_eq!(
        rendered(38, Some(1), false),
        "        self
op      (ms)  scope
dot.1  7.815  ...ion/query/dot_general
... 6 more rows (--limit 0 for all)
"
    );
}

#[test]
fn a_report_with_fewer_rows_names_its_own_option() {
    let mut table = table();
    table.key = "instances";
    let view = |limit| View {
        width: 120,
        limit,
        charset: Charset::Ascii,
        is_wide: false,
    };
    let footer = |limit| footer(&table, &[], &view(limit));
    assert_eq!(
        footer(Some(1)).as_deref(),
        Some("... 6 more rows (--instances 0 --limit 0 for all)")
    );
    assert_eq!(
        footer(None).as_deref(),
        Some("... 5 more rows (--instances 0 for all)")
    );
}

#[test]
fn zeros_push_out_no_figure() {
    let mut table = table();
    table.columns[1] = Column::new("waiting_ps", "waiting", Unit::Picos);
    table.columns[2] = Column::wide("copies_ps", "copies", Unit::Picos);
    for (row, copies_ps) in table.rows.iter_mut().zip([7_000_000_i64, 9_000_000]) {
        (row[1], row[2]) = (0_i64.into(), copies_ps.into());
    }
    let view = View {
        width: 38,
        limit: None,
        charset: Charset::Ascii,
        is_wide: false,
    };
    let text = anstream::adapter::strip_str(&render(&table, &view)).to_string();
    assert!(
        text.contains("copies") && text.contains("hidden: scope, waiting"),
        "{text}"
    );
}

#[test]
fn wide_shows_blank_columns_and_full_names_anywhere() {
    let text = rendered(20, Some(1), true);
    assert!(text.contains("work"), "{text}");
    assert!(!text.contains("(FLOP)"), "no figure has a unit: {text}");
    assert!(
        text.contains("jit(step)/layer_0/attention/query/dot_general"),
        "{text}"
    );
}

/// A column without figures has the unit of the others of its kind, and goes if no row has anything.
#[test]
fn columns_without_figures_have_no_unit_of_their_own() {
    let mut table = table();
    table.columns[2] = Column::new("idle_ps", "idle", Unit::Picos);
    let text = |table: &Table, is_wide| {
        let view = View {
            width: 120,
            limit: None,
            charset: Charset::Ascii,
            is_wide,
        };
        anstream::adapter::strip_str(&render(table, &view)).to_string()
    };
    assert!(
        !text(&table, false).contains("idle"),
        "{}",
        text(&table, false)
    );
    assert!(
        text(&table, true).contains("idle (ms)"),
        "{}",
        text(&table, true)
    );
    table.rows[0][2] = 0_i64.into();
    assert!(
        text(&table, false).contains("idle (ms)"),
        "{}",
        text(&table, false)
    );
}

#[test]
fn the_last_line_fits_where_it_can() {
    let view = View {
        width: 62,
        limit: None,
        charset: Charset::Ascii,
        is_wide: false,
    };
    assert_eq!(
        footer(&table(), &["a long name", "another"], &view).as_deref(),
        Some("... 5 more rows (--limit 0 for all); 2 columns hidden (--wide)")
    );
}

#[test]
fn lines_fit() {
    for width in 14..120 {
        let text = rendered(width, Some(2), false);
        let rows: Vec<&str> = text
            .lines()
            .filter(|line| !line.starts_with("..."))
            .collect();
        let widest = rows.iter().map(|row| row.len()).max();
        assert!(widest <= Some(width), "{width}:\n{text}");
    }
}
