//! The chart of the steps as inline SVG: a bar for each, divided into its parts.

use std::fmt::Write;

use stepscope_analysis::telling::escape::html as escaped;
use stepscope_analysis::telling::format as figures;
use stepscope_analysis::{Cell, Table};

use crate::parts::LOOKS;

/// More rows than this share bars.
const BARS: usize = 120;
const WIDTH: f64 = 720.0;
const LEFT: f64 = 64.0;
const TOP: f64 = 14.0;
const HEIGHT: f64 = 110.0;
const BOTTOM: f64 = 18.0;

/// A step, on one device or on all of them.
struct Bar {
    step: i64,
    /// The device, if the table has a row for each.
    device: String,
    duration_ps: f64,
    /// In the order of [`LOOKS`].
    parts_ps: Vec<f64>,
    is_outlier: bool,
}

/// The chart with its legend; `None` for tables of anything else, or of fewer than two steps.
pub(super) fn html(table: &Table) -> Option<String> {
    let mut all = bars(table)?;
    all.sort_by_key(|bar| bar.step);
    let count = all.len();
    let each = count.div_ceil(BARS).max(1);
    let shown = longest_of_each(all, each);
    let largest = shown.iter().map(|bar| bar.duration_ps).fold(0.0, f64::max);
    if count < 2 || largest <= 0.0 {
        return None;
    }
    let mut svg = svg_start(&description(&shown, count, each));
    let pitch = (WIDTH - LEFT) / shown.len() as f64;
    for (position, bar) in shown.iter().enumerate() {
        push_bar(
            &mut svg,
            bar,
            LEFT + position as f64 * pitch,
            pitch,
            largest,
        );
    }
    push_axes(&mut svg, &shown, largest);
    svg.push_str("</svg>");
    let legend = legend(&shown);
    Some(format!("<div>{svg}</div><p>{legend}</p>"))
}

/// The rows of a table of steps.
fn bars(table: &Table) -> Option<Vec<Bar>> {
    let position = |key: &str| table.columns.iter().position(|column| column.key == key);
    let (step, duration) = (position("step")?, position("duration_ps")?);
    let parts: Option<Vec<usize>> = LOOKS
        .iter()
        .map(|look| position(&format!("{}_ps", look.part.name())))
        .collect();
    let (parts, outlier, device) = (parts?, position("is_outlier"), position("device"));
    let bar = |row: &Vec<Cell>| {
        Some(Bar {
            step: match row.get(step)? {
                Cell::Int(step) => *step,
                _ => return None,
            },
            device: match device.and_then(|device| row.get(device)) {
                Some(Cell::Text(device)) => device.clone(),
                _ => String::new(),
            },
            duration_ps: number(row.get(duration)?),
            parts_ps: parts
                .iter()
                .map(|&part| row.get(part).map_or(0.0, number))
                .collect(),
            is_outlier: outlier.is_some_and(|at| row.get(at) == Some(&Cell::Flag(true))),
        })
    };
    Some(table.rows.iter().filter_map(bar).collect())
}

fn number(cell: &Cell) -> f64 {
    match cell {
        Cell::Int(value) => *value as f64,
        Cell::Float(value) => *value,
        Cell::Text(_) | Cell::Flag(_) | Cell::Missing => 0.0,
    }
}

/// One bar for `each` rows: the longest of them.
fn longest_of_each(all: Vec<Bar>, each: usize) -> Vec<Bar> {
    let mut kept: Vec<Bar> = Vec::with_capacity(all.len().div_ceil(each));
    for (position, bar) in all.into_iter().enumerate() {
        match kept.last_mut() {
            Some(last) if position % each != 0 => {
                if bar.duration_ps > last.duration_ps {
                    *last = bar;
                }
            }
            _ => kept.push(bar),
        }
    }
    kept
}

/// What the chart shows, in words: for readers of screens, and where pictures are removed.
fn description(bars: &[Bar], count: usize, each: usize) -> String {
    let durations = || bars.iter().map(|bar| bar.duration_ps);
    let least = figures::duration_ps(durations().fold(f64::INFINITY, f64::min));
    let most = figures::duration_ps(durations().fold(0.0, f64::max));
    let noun = if bars.iter().any(|bar| !bar.device.is_empty()) {
        "steps of devices"
    } else {
        "steps"
    };
    match each {
        1 => format!("{count} {noun}: {least} to {most}"),
        _ => format!("{count} {noun}; each bar is the longest of {each}, {least} to {most}"),
    }
}

fn svg_start(description: &str) -> String {
    let height = TOP + HEIGHT + BOTTOM;
    let text = escaped(description);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
        viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{text}\" \
        style=\"max-width:100%;height:auto\" fill=\"currentColor\" font-family=\"sans-serif\" \
        font-size=\"11\"><desc>{text}</desc>"
    )
}

fn push_bar(svg: &mut String, bar: &Bar, left: f64, pitch: f64, largest: f64) {
    let gap = if pitch > 4.0 { 1.0 } else { 0.0 };
    let width = (pitch - gap).min(48.0);
    let device = match bar.device.as_str() {
        "" => String::new(),
        device => format!(", {device}"),
    };
    let outlier = if bar.is_outlier { ", outlier" } else { "" };
    let duration = figures::duration_ps(bar.duration_ps);
    let title = escaped(&format!("step {}{device}: {duration}{outlier}", bar.step));
    let _ = write!(svg, "<g><title>{title}</title>");
    let mut bottom = TOP + HEIGHT;
    for (look, part_ps) in LOOKS.iter().zip(&bar.parts_ps) {
        let height = part_ps / largest * HEIGHT;
        if height > 0.0 {
            bottom -= height;
            let color = color(look.rgb);
            let _ = write!(
                svg,
                "<rect x=\"{left:.1}\" y=\"{bottom:.2}\" width=\"{width:.1}\" \
                height=\"{height:.2}\" fill=\"{color}\"/>"
            );
        }
    }
    if bar.is_outlier {
        let (x, y) = (left + width / 2.0, bottom - 4.0);
        let _ = write!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2\"/>");
    }
    svg.push_str("</g>");
}

/// The longest step at the left, the first and the last step below, and a line at zero.
fn push_axes(svg: &mut String, bars: &[Bar], largest: f64) {
    let floor = TOP + HEIGHT;
    let longest = figures::duration_ps(largest);
    let (at, up) = (LEFT - 6.0, TOP + 9.0);
    let _ = write!(
        svg,
        "<line x1=\"{LEFT}\" y1=\"{floor}\" x2=\"{WIDTH}\" y2=\"{floor}\" stroke=\"currentColor\" \
        stroke-opacity=\"0.5\"/><text x=\"{at}\" y=\"{up}\" text-anchor=\"end\">{longest}</text>\
        <text x=\"{at}\" y=\"{floor}\" text-anchor=\"end\">0</text>"
    );
    let ends = [(bars.first(), LEFT, "start"), (bars.last(), WIDTH, "end")];
    for (bar, x, anchor) in ends {
        let Some(bar) = bar else { continue };
        let (step, y) = (bar.step, floor + 13.0);
        let _ = write!(
            svg,
            "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">step {step}</text>"
        );
    }
}

/// The parts that occur, and what the dot above a bar is.
fn legend(bars: &[Bar]) -> String {
    let occurs = |index: usize| bars.iter().any(|bar| bar.parts_ps[index] > 0.0);
    let parts = LOOKS.iter().enumerate().filter(|(index, _)| occurs(*index));
    let mut entries: Vec<String> = parts
        .map(|(_, look)| {
            let (color, title) = (color(look.rgb), look.part.title());
            format!("<span style=\"color:{color}\">■</span> {title}")
        })
        .collect();
    if bars.iter().any(|bar| bar.is_outlier) {
        entries.push("● Outlier".to_owned());
    }
    entries.join(" &nbsp; ")
}

fn color((red, green, blue): (u8, u8, u8)) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

#[cfg(test)]
mod tests {
    use stepscope_analysis::{Column, Unit};

    use super::*;

    const KEYS: [(&str, Unit); 14] = [
        ("step", Unit::Count),
        ("device", Unit::Text),
        ("duration_ps", Unit::Picos),
        ("device_compute_ps", Unit::Picos),
        ("collectives_ps", Unit::Picos),
        ("host_to_device_ps", Unit::Picos),
        ("device_to_host_ps", Unit::Picos),
        ("device_to_device_ps", Unit::Picos),
        ("python_callbacks_ps", Unit::Picos),
        ("input_wait_ps", Unit::Picos),
        ("compilation_ps", Unit::Picos),
        ("host_overhead_ps", Unit::Picos),
        ("idle_ps", Unit::Picos),
        ("is_outlier", Unit::Flag),
    ];

    /// Steps that compute for these milliseconds and wait for one for input.
    fn steps(device: &str, compute_ms: &[i64]) -> Table {
        let columns = KEYS.map(|(key, unit)| Column::new(key, key, unit));
        let rows = compute_ms.iter().enumerate().map(|(step, &compute)| {
            let cell = |&(key, _): &(&str, Unit)| match key {
                "step" => Cell::Int(i64::try_from(step).unwrap_or(0)),
                "device" => device.into(),
                "duration_ps" => Cell::Int((compute + 1) * 1_000_000_000),
                "device_compute_ps" => Cell::Int(compute * 1_000_000_000),
                "input_wait_ps" => Cell::Int(1_000_000_000),
                "is_outlier" => Cell::Flag(compute > 50),
                _ => Cell::Int(0),
            };
            KEYS.iter().map(cell).collect()
        });
        Table::new("rows", "Steps", &columns, rows)
    }

    #[test]
    fn bars_are_divided_and_as_long_as_their_steps() {
        let html = html(&steps("", &[9, 99, 9])).unwrap();
        // 99 of 100 ms are 108.90 of 110, on top of which is the wait for input.
        assert!(
            html.contains("height=\"108.90\" fill=\"#2f9e83\""),
            "{html}"
        );
        assert!(
            html.contains("y=\"14.00\" width=\"48.0\" height=\"1.10\" fill=\"#b55f93\""),
            "{html}"
        );
        assert!(
            html.contains("<title>step 1: 100.0 ms, outlier</title>"),
            "{html}"
        );
        assert!(html.contains(">3 steps: 10.00 ms to 100.0 ms<"), "{html}");
        assert_eq!(html.matches("<circle").count(), 1);
        assert!(
            html.contains("Device compute") && !html.contains("Collectives"),
            "{html}"
        );
    }

    #[test]
    fn a_bar_of_many_steps_is_the_longest() {
        let mut times = vec![9; 400];
        times[203] = 39;
        let html = html(&steps("", &times)).unwrap();
        assert_eq!(html.matches("<title>").count(), 100);
        assert!(html.contains("<title>step 203: 40.00 ms</title>"), "{html}");
        assert!(html.contains("400 steps; each bar is the longest of 4, 10.00 ms to 40.00 ms"));
    }

    #[test]
    fn names_of_devices_are_no_markup() {
        let html = html(&steps("<script>", &[1, 2])).unwrap();
        assert!(html.contains("step 0, &lt;script&gt;: 2.000 ms"), "{html}");
        assert!(!html.contains("<script"), "{html}");
    }

    #[test]
    fn other_tables_and_single_steps_have_no_chart() {
        assert!(html(&steps("", &[1])).is_none());
        assert!(html(&steps("", &[1, 2]).without_column("idle_ps")).is_none());
    }

    trait WithoutColumn {
        fn without_column(self, key: &str) -> Self;
    }

    impl WithoutColumn for Table {
        fn without_column(mut self, key: &str) -> Self {
            self.columns.retain(|column| column.key != key);
            self
        }
    }
}
