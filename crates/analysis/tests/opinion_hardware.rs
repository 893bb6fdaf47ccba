//! `op_tree`, `roofline`, `kernels` and `counters` beside XProf's answers for the corpus: equal
//! within 0.1 %, or explained. The tables are the pages `docs/internals/differences/<analysis>.md`,
//! which are checked here; `STEPSCOPE_WRITE_DIFFERENCES=1` writes them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::Value;
use stepscope_model::Session;
use stepscope_testing::corpus;

use crate::support::xprof::{Figure, table};
use crate::support::{ask, open};

const GIB: f64 = 1_073_741_824.0;

/// Why a figure differs: analysis, part of the capture's name, part of the figure's name, reason.
const REASONS: &[(&str, &str, &str, &str)] = &[
    (
        "op_tree",
        "cpu-jax",
        "",
        "XProf looks for ops on device planes only, and XLA:CPU has none, so its tree is empty",
    ),
    (
        "op_tree",
        "v100",
        "",
        "XProf has ops of XLA programs only and calls the whole of this TensorFlow capture idle; \
         ours shows the ops that the annotations of its launches name",
    ),
    (
        "op_tree",
        "mi300x",
        "(no program)",
        "copies and kernels without an HLO op: XProf leaves them out and calls their time idle",
    ),
    (
        "op_tree",
        "mi300x",
        "idle",
        "XProf subtracts the time of HLO ops from the extent of all streams, so time of kernels \
         and copies without an op counts as idle; ours subtracts the union of all work",
    ),
    (
        "op_tree",
        "mi300x-jax-conv",
        "FLOP",
        "the convolution is lowered to two kernels; XProf counts its work once per kernel",
    ),
    (
        "op_tree",
        "mi300x-jax-gemm",
        "FLOP",
        "XProf prices matrix products of library calls at 0; ours reads the shapes of the call",
    ),
    (
        "op_tree",
        "",
        "FLOP",
        "XLA's GPU cost model, which XProf uses, weighs elementwise operations by cycles; ours \
         counts one per element, the unit of peaks",
    ),
    ("roofline", "cpu-jax", "", "XProf has no roofline of a CPU"),
    (
        "roofline",
        "v100",
        "",
        "the vendor is not in this old file: XProf then has no peaks, ours tells the chip by its \
         compute capability; neither knows the work of its kernels",
    ),
    (
        "roofline",
        "gtx1080ti",
        "shared memory",
        "XProf takes 256 bytes per clock and multiprocessor; the hardware does 128 since Maxwell",
    ),
    (
        "roofline",
        "mi300x",
        "memory peak",
        "AMD's runtime records half the transfers per clock of HBM3; ours takes the data sheet and \
         says so",
    ),
    (
        "roofline",
        "mi300x",
        "ridge",
        "follows from the memory's peak",
    ),
    (
        "roofline",
        "mi300x",
        "of the roofline",
        "follows from the memory's peak and the work",
    ),
    (
        "roofline",
        "mi300x",
        "bandwidth",
        "XProf knows no bytes of library calls; ours reads their operands and results",
    ),
    (
        "roofline",
        "mi300x-jax-conv",
        "FLOP rate",
        "the convolution is lowered to two kernels; XProf counts its work once per kernel",
    ),
    (
        "roofline",
        "mi300x-jax-gemm",
        "FLOP rate",
        "XProf prices matrix products of library calls at 0; ours reads the shapes of the call",
    ),
    (
        "roofline",
        "",
        "FLOP rate",
        "XLA's GPU cost model, which XProf uses, weighs elementwise operations by cycles; ours \
         counts one per element, the unit of peaks",
    ),
    (
        "kernels",
        "v100",
        "kernels",
        "ours tells kernels apart by the op that the annotations of their launches name, as those of \
         HLO ops; XProf looks for `tf_op`, which this old file lacks",
    ),
    (
        "kernels",
        "mi300x",
        "kernels",
        "a row of ours is a kernel of one program; XProf merges a kernel of equal launches over \
         programs",
    ),
    (
        "kernels",
        "mi300x",
        "",
        "copies and fills that AMD's runtime makes with kernels of its own (`__amd_rocclr_copyBuffer`) \
         are transfers of ours",
    ),
];

fn reason(analysis: &str, capture: &str, figure: &str) -> Option<&'static str> {
    let fits = |&&(of, part, name, _): &&(&str, &str, &str, &str)| {
        of == analysis && capture.contains(part) && figure.contains(name)
    };
    REASONS.iter().find(fits).map(|&(.., reason)| reason)
}

fn rows<'a>(report: &'a Value, key: &str) -> &'a [Value] {
    report[key].as_array().map_or(&[], Vec::as_slice)
}

struct Page {
    capture: String,
    figures: Vec<Figure>,
}

impl Page {
    fn add(&mut self, name: &str, theirs: Option<f64>, ours: Option<f64>) {
        if theirs.is_none() && ours.is_none() {
            return;
        }
        let (capture, name) = (self.capture.clone(), name.to_owned());
        self.figures.push(Figure {
            capture,
            name,
            theirs,
            ours,
        });
    }
}

/// Figures of one analysis over the corpus.
fn figures(fill: impl Fn(&mut Page, &Session)) -> Vec<Figure> {
    let captures = corpus::captures().into_iter();
    captures
        .flat_map(|capture| {
            let session = open(&capture);
            let mut page = Page {
                capture: capture.name,
                figures: Vec::new(),
            };
            fill(&mut page, &session);
            page.figures
        })
        .collect()
}

/// Programs and categories by time, and idle time.
fn op_tree(page: &mut Page, session: &Session) {
    let mut theirs: BTreeMap<String, [f64; 2]> = BTreeMap::new();
    if let Some(answer) = corpus::oracle_json(&page.capture, "op_profile") {
        let root = &answer["byProgram"];
        if root["name"] == "IDLE" {
            theirs.insert("idle".to_owned(), [number(root, "rawTime"), 0.0]);
        }
        for program in rows(root, "children") {
            let name = match program["name"].as_str().unwrap_or_default() {
                "IDLE" => "idle",
                name => name,
            };
            let metrics = [number(program, "rawTime"), number(program, "bf16Flops")];
            theirs.insert(name.to_owned(), metrics);
            for category in rows(program, "children") {
                let name = format!("{name} > {}", category["name"].as_str().unwrap_or_default());
                let metrics = [number(category, "rawTime"), number(category, "bf16Flops")];
                theirs.insert(name, metrics);
            }
        }
    }
    let report = ask(session, "op_tree", &[("depth", "2")]);
    let mut ours: BTreeMap<String, [f64; 2]> = BTreeMap::new();
    for row in rows(&report, "rows") {
        let path = row["path"].as_str().unwrap_or_default().to_owned();
        let own = row["self_ps"].as_f64().unwrap_or(0.0);
        // A tree cut at categories knows those of the ops below.
        ours.insert(path, [own, row["flops"].as_f64().unwrap_or(0.0)]);
    }
    let mut names: Vec<&String> = theirs.keys().chain(ours.keys()).collect();
    names.sort();
    names.dedup();
    let limit = 14;
    for name in names.into_iter().take(limit) {
        let figure = |all: &BTreeMap<String, [f64; 2]>, which: usize| {
            all.get(name).map(|figures| figures[which])
        };
        let micros = |picos: Option<f64>| picos.map(|picos| picos * 1e-6);
        page.add(
            &format!("{name}: time, µs"),
            micros(figure(&theirs, 0)),
            micros(figure(&ours, 0)),
        );
        let (flops, own) = (figure(&theirs, 1), figure(&ours, 1));
        if flops.unwrap_or(0.0) > 0.0 || own.unwrap_or(0.0) > 0.0 {
            page.add(&format!("{name}: FLOP"), flops, own);
        }
    }
}

/// A metric of a node; 64-bit integers are texts.
fn number(node: &Value, key: &str) -> f64 {
    let value = &node["metrics"][key];
    let text = value.as_str().and_then(|text| text.parse().ok());
    value.as_f64().or(text).unwrap_or(0.0)
}

/// Peaks, ridge points, and the total.
fn roofline(page: &mut Page, session: &Session) {
    let report = ask(session, "roofline", &[]);
    let answer = corpus::oracle_json(&page.capture, "roofline_model");
    let property = |key: &str| {
        let text = answer.as_ref()?[0]["p"][key].as_str()?.parse::<f64>().ok();
        text.filter(|&value| value > 0.0)
    };
    let peak = |level: &str, key: &str| {
        let found = rows(&report, "peaks")
            .iter()
            .find(|peak| peak["level"] == level);
        found.and_then(|peak| peak[key].as_f64())
    };
    let giga = |value: Option<f64>, unit: f64| value.map(|value| value / unit);
    let compute = giga(peak("compute", "per_second"), 1e9);
    page.add("compute peak, GFLOP/s", property("peak_flop_rate"), compute);
    let hbm = giga(peak("hbm", "per_second"), GIB);
    page.add("memory peak, GiB/s", property("peak_hbm_bw"), hbm);
    let ridge = peak("hbm", "ridge_intensity");
    page.add(
        "ridge of memory, FLOP per byte",
        property("hbm_ridge_point"),
        ridge,
    );
    for level in ["vmem_read", "vmem_write"] {
        let ours = giga(peak(level, "per_second"), GIB);
        // XProf writes the peak of a GPU's shared memory in the place of VMEM's.
        let shared = giga(peak("shared", "per_second"), GIB).filter(|_| level == "vmem_write");
        let name = if shared.is_some() {
            "shared memory"
        } else {
            level
        };
        let theirs = property(&format!("peak_{level}_bw"));
        page.add(&format!("{name} peak, GiB/s"), theirs, ours.or(shared));
    }
    let programs = answer
        .as_ref()
        .map(|answer| table(&answer[0]))
        .unwrap_or_default();
    let total = programs
        .iter()
        .find(|row| row["step"] == "Total" && row["operation"] == "Program");
    let theirs = |key: &str| {
        let value = total?[key].as_f64();
        value.filter(|_| total.is_some_and(|row| row["total_time"].as_f64() > Some(0.0)))
    };
    let own = rows(&report, "scopes")
        .iter()
        .find(|row| row["kind"] == "total");
    let ours = |key: &str| own.and_then(|row| row[key].as_f64());
    let micros = ours("total_ps").map(|picos| picos * 1e-6);
    page.add("total, time, µs", theirs("total_time"), micros);
    let rate = giga(ours("flop_rate"), 1e9);
    page.add(
        "total, FLOP rate, GFLOP/s",
        theirs("measured_flop_rate"),
        rate,
    );
    let bandwidth = giga(ours("bandwidth"), GIB);
    page.add("total, bandwidth, GiB/s", theirs("hbm_bw"), bandwidth);
    let ratio = ours("roofline_ratio");
    page.add(
        "total, of the roofline",
        theirs("roofline_efficiency"),
        ratio,
    );
}

/// Launches, time and matrix units of the kernels.
fn kernels(page: &mut Page, session: &Session) {
    let report = ask(session, "kernels", &[]);
    let ours = rows(&report, "rows");
    let theirs = corpus::oracle_json(&page.capture, "kernel_stats");
    let theirs = theirs.map(|answer| table(&answer)).unwrap_or_default();
    if ours.is_empty() && theirs.is_empty() {
        return;
    }
    let flag = |value: &Value| match value {
        Value::Bool(flag) => *flag,
        Value::String(text) => text == "True" || text == "true",
        other => other.as_f64().is_some_and(|number| number > 0.0),
    };
    let their_sum = |key: &str, is_matrix: bool| -> f64 {
        let counted = theirs
            .iter()
            .filter(|row| !is_matrix || flag(&row["is_kernel_using_tensor_core"]));
        counted.filter_map(|row| row[key].as_f64()).sum()
    };
    let our_sum = |key: &str, is_matrix: bool| -> f64 {
        let counted = ours
            .iter()
            .filter(|row| !is_matrix || row["matrix_unit"] == "yes");
        counted.filter_map(|row| row[key].as_f64()).sum()
    };
    let rows_of = |count: usize| Some(count as f64);
    page.add("kernels", rows_of(theirs.len()), rows_of(ours.len()));
    page.add(
        "launches",
        Some(their_sum("occurrences", false)),
        Some(our_sum("occurrences", false)),
    );
    page.add(
        "Σ time, µs",
        Some(their_sum("total_duration_us", false)),
        Some(our_sum("total_ps", false) * 1e-6),
    );
    page.add(
        "Σ time on matrix units, µs",
        Some(their_sum("total_duration_us", true)),
        Some(our_sum("total_ps", true) * 1e-6),
    );
}

/// How many counters there are.
fn counters(page: &mut Page, session: &Session) {
    let report = ask(session, "counters", &[]);
    let theirs = corpus::oracle_json(&page.capture, "perf_counters");
    let theirs = theirs.map(|answer| table(&answer).len() as f64);
    page.add("counters", theirs, Some(rows(&report, "rows").len() as f64));
}

const PAGES: &[(&str, &str)] = &[
    (
        "op_tree",
        "XProf's `op_profile` by program, its first two levels beside ours. It keeps an op with \
         timed children (a `while`) out of the tree and leaves kernels without an HLO op out \
         altogether.",
    ),
    (
        "roofline",
        "XProf's `roofline_model`: its peaks, ridge points and `Total` row, infeed and outfeed \
         included. It writes bandwidths in GiB/s. Its rows of single ops are the subject of [the \
         page of all figures](../differences.md).",
    ),
    (
        "kernels",
        "XProf's `kernel_stats`. It has neither latencies, queues, streams nor copies.",
    ),
    (
        "counters",
        "XProf's `perf_counters`. No capture of the corpus has counters; on drawn ones XProf shows \
         doubles as 0, because it reads integers only, and takes the host to be 0.",
    ),
];

fn all(analysis: &str) -> Vec<Figure> {
    match analysis {
        "op_tree" => figures(op_tree),
        "roofline" => figures(roofline),
        "kernels" => figures(kernels),
        _ => figures(counters),
    }
}

fn page(analysis: &str, introduction: &str) -> String {
    let mut text = format!(
        "# `{analysis}` and XProf\n\n{introduction}\n\nWritten by the test `opinion_hardware`; a \
         ratio is ours ÷ XProf's.\n\n\
         | Capture | Figure | XProf | Ours | Ratio | Reason |\n|---|---|--:|--:|--:|---|\n"
    );
    for figure in all(analysis) {
        let number = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), short);
        let ratio = figure
            .ratio()
            .map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.4}"));
        let why = if figure.agrees() {
            "agree"
        } else {
            reason(analysis, &figure.capture, &figure.name).unwrap_or("not explained")
        };
        let Figure {
            capture,
            name,
            theirs,
            ours,
        } = &figure;
        let (theirs, ours) = (number(*theirs), number(*ours));
        let _ = writeln!(
            text,
            "| {capture} | {name} | {theirs} | {ours} | {ratio} | {why} |"
        );
    }
    text
}

/// Six significant digits, as short as they get.
fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    rounded.to_string()
}

#[test]
fn figures_agree_or_are_explained() {
    for (analysis, _) in PAGES {
        for figure in all(analysis) {
            let is_explained = reason(analysis, &figure.capture, &figure.name).is_some();
            assert!(
                figure.agrees() || is_explained,
                "{analysis} {} {}: XProf {:?}, ours {:?}",
                figure.capture,
                figure.name,
                figure.theirs,
                figure.ours,
            );
        }
    }
}

#[test]
fn the_pages_are_fresh() {
    if corpus::captures().is_empty() {
        return;
    }
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/internals/differences");
    for (analysis, introduction) in PAGES {
        let path = folder.join(format!("{analysis}.md"));
        let fresh = page(analysis, introduction);
        if std::env::var_os("STEPSCOPE_WRITE_DIFFERENCES").is_some() {
            std::fs::write(&path, &fresh).expect("the page can be written");
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            found == fresh,
            "{} is stale: STEPSCOPE_WRITE_DIFFERENCES=1 writes it",
            path.display()
        );
    }
}
