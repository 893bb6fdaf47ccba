//! Programs: decoding one, its memory plan, and the graph around its most expensive op; and a
//! search in a very large program.

use std::fmt::Write as _;
use std::sync::Arc;

use anyhow::{Context, Result};
use criterion::Criterion;
use stepscope_analysis::find;
use stepscope_benches::paired::{Contestant, print_ratios};
use stepscope_model::Session;
use stepscope_model::hlo::Program;
use stepscope_model::ingest::{HostInput, ProgramInput, ingest, ingest_all};
use stepscope_testing::{corpus, drawing};

/// As many as in the largest programs of language models.
const LARGE: usize = 37_000;

fn main() -> Result<()> {
    let mut criterion = Criterion::default().configure_from_args();
    let path = corpus::corpus_folder().join("hlo/h100-maxtext-train_step.hlo_proto.pb");
    if let Ok(bytes) = std::fs::read(&path) {
        train_step(&mut criterion, &Arc::new(bytes))?;
    }
    let large = large()?;
    criterion.bench_function("programs/search of 37,000 instructions", |bencher| {
        bencher.iter(|| ask(&large, "graph", &[("search", "layer_123/add")]));
    });
    criterion.final_summary();
    Ok(())
}

fn train_step(criterion: &mut Criterion, bytes: &Arc<Vec<u8>>) -> Result<()> {
    let open = || opened(bytes);
    // The plan is decoded once per session, so opening a session is part of what is measured.
    let mut contestants = vec![
        Contestant::of("decode", || Program::decode(bytes).is_ok()),
        Contestant::of("open", open),
        Contestant::of("open and buffers", || {
            Some(ask(&open().ok()?, "buffers", &[]))
        }),
        Contestant::of("open and graph", || Some(ask(&open().ok()?, "graph", &[]))),
    ];
    print_ratios("programs h100-maxtext-train_step", 7, &mut contestants);
    drop(contestants);
    let session = open()?;
    for analysis in ["buffers", "graph"] {
        criterion.bench_function(&format!("programs/{analysis}"), |bencher| {
            bencher.iter(|| ask(&session, analysis, &[]));
        });
    }
    Ok(())
}

fn opened(bytes: &Arc<Vec<u8>>) -> Result<Session> {
    let program = ProgramInput {
        name: "train_step".to_owned(),
        bytes: Arc::clone(bytes) as _,
        problem: None,
    };
    Ok(ingest_all(
        "programs",
        Vec::new(),
        Vec::new(),
        vec![program],
    )?)
}

fn ask(session: &Session, analysis: &str, options: &[(&str, &str)]) -> Option<String> {
    let answer = find(analysis)?
        .run_pairs(session, options.iter().copied())
        .ok()?;
    answer.json_text().ok()
}

/// A chain of layers of a hundred instructions each.
fn large() -> Result<Session> {
    let mut text = String::from("host vm\nprogram 5 jit_step\nentry main\n");
    text.push_str("x = f32[8] parameter(0)\nw = f32[8] parameter(1)\n");
    let mut last = "x".to_owned();
    for number in 0..LARGE {
        let layer = number / 100;
        writeln!(
            text,
            "add.{number} = f32[8] add({last}, w), op_name=\"jit(step)/layer_{layer}/add\""
        )?;
        last = format!("add.{number}");
    }
    text.push_str("thread python\n  0..1us f\n");
    let space = drawing::draw(&text)
        .ok()
        .context("the drawing is well formed")?;
    let host = HostInput {
        host: "vm".to_owned(),
        bytes: Arc::new(space.to_bytes()),
        problem: None,
    };
    Ok(ingest("large", vec![host])?)
}
