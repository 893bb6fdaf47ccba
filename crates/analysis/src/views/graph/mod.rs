//! `graph`: the instructions of a program around an op, with their times.
//!
//! | Figure | Definition |
//! |---|---|
//! | around | reachable from the op in at most *radius* hops within its computation |
//! | self, total, count | as in `ops`, over the selected devices; absent within fusions |
//! | work, bytes | of one execution: as recorded, else computed from the HLO |
//! | output bytes | size of the value, including the padding of its layout |
//! | most expensive op | largest self time; in a program that did not run, most work |

mod choice;
mod columns;
mod custom_kernels;
mod details;
mod dot;
mod neighborhood;
mod nodes;
mod options;
mod report;
mod scene;
mod search;
mod tables;
mod times;

pub use options::{Form, GraphOptions, What};
pub use report::{
    GraphCluster, GraphDetails, GraphEdge, GraphKernel, GraphKernelBlock, GraphMatch, GraphNode,
    GraphProgram, GraphReport,
};
use stepscope_model::hlo::Outline;
use stepscope_model::{Framework, Reads, Session};

use crate::asking::group::Group;
use crate::asking::{Analysis, AnalysisError};
use crate::telling::Note;
use choice::{choose_op, choose_program, programs};
use scene::Scene;
use times::Times;

/// Default limit of matches.
const MATCHES: usize = 50;

/// The `graph` analysis.
pub struct Graph;

impl Analysis for Graph {
    const NAME: &'static str = "graph";
    const ALIASES: &'static [&'static str] = &["graph_viewer"];
    const SUMMARY: &'static str =
        "The HLO around an op, with the time of every instruction; search; HLO text and Graphviz";
    const EXAMPLES: &'static str = "\
# The op with the most time and its surroundings
stepscope graph ./logs
# One op, with fusions closed, as a picture
stepscope graph ./logs --op fusion.12 --radius 2 --merge-fusions --dot | dot -Tsvg > fusion.svg
# Find instructions
stepscope graph ./logs --search layer_3/attn
# The whole program as HLO text
stepscope graph train_step.hlo_proto.pb --text long --of module > train_step.txt";
    const GROUP: Group = Group::Compute;
    const NEEDS_EVENTS: bool = false;
    const READS: Reads = Reads::Devices;
    type Options = GraphOptions;
    type Report = GraphReport;

    fn run(session: &Session, options: &GraphOptions) -> Result<GraphReport, AnalysisError> {
        let selected = options.selection.resolve(session)?;
        let times = Times::of(session, &selected);
        let mut report = empty();
        report.programs = programs(session, &times);
        let Some(id) = choose_program(session, &selected, &times, options) else {
            report.notes.push(no_program(session, options));
            return Ok(report);
        };
        let program = session.program(id);
        let Some(hlo) = &program.hlo else {
            return Ok(report);
        };
        let outline = Outline::of(program.hlo_bytes());
        let own_times = times.of_program(session, id);
        report.program = program.title();
        report.program_id = program.id.to_string();
        report.instruction_count = hlo.instructions().len();
        report.computation_count = hlo.computations().len();
        if let Some(wanted) = options
            .search
            .as_deref()
            .filter(|wanted| !wanted.is_empty())
        {
            let limit = match options.selection.limit {
                None => MATCHES,
                Some(0) => usize::MAX,
                Some(limit) => limit,
            };
            (report.matches, report.match_count) = search::matches(hlo, &own_times, wanted, limit)?;
            if report.matches.is_empty() {
                let text = format!("No instruction in {} matches {wanted:?}.", report.program);
                report
                    .notes
                    .push(Note::info("no-instruction-matches", text));
            }
            if options.op.is_none() {
                return Ok(report);
            }
        }
        let Some(op) = choose_op(hlo, &own_times, options)? else {
            report.notes.push(Note::info(
                "program-empty",
                "The program has no instructions.",
            ));
            return Ok(report);
        };
        let scene = Scene {
            session,
            selected: &selected,
            hlo,
            outline: &outline,
            times: &own_times,
        };
        scene.fill(&mut report, op, options);
        Ok(report)
    }
}

fn no_program(session: &Session, options: &GraphOptions) -> Note {
    let text = match (session.programs.as_slice(), &options.selection.program) {
        ([], _) => "The capture contains no programs, so there is no graph to show.",
        (_, Some(_)) => "The capture does not contain the HLO of the selected programs.",
        (_, None) => "The capture names programs but does not contain their HLO.",
    };
    let note = Note::warning("no-hlo", text);
    // PyTorch without XLA runs no HLO programs.
    if session.framework() == Framework::PyTorch {
        return note;
    }
    note.with_hint(
        "`XLA_FLAGS=\"--xla_dump_to=/tmp/hlo --xla_dump_hlo_as_proto\"` writes programs; `stepscope \
         graph /tmp/hlo` shows them",
    )
}

fn empty() -> GraphReport {
    GraphReport {
        nodes: Vec::new(),
        edges: Vec::new(),
        clusters: Vec::new(),
        hidden_count: 0,
        program: String::new(),
        program_id: String::new(),
        instruction_count: 0,
        computation_count: 0,
        op: String::new(),
        radius: 0,
        details: None,
        kernels: Vec::new(),
        kernel_count: 0,
        matches: Vec::new(),
        match_count: 0,
        text: String::new(),
        dot: String::new(),
        programs: Vec::new(),
        notes: Vec::new(),
    }
}
