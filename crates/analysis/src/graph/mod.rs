//! `graph`: the instructions of a program around an op, with their times.
//!
//! | Figure | Definition |
//! |---|---|
//! | around | reached from the op in at most *radius* steps within its computation |
//! | self, total, count | as in `ops`, over the selected devices; absent within fusions |
//! | work, bytes | of one execution: recorded where the profile has it, else from the HLO |
//! | bytes of a value | its shape with the padding of its layout |
//! | most expensive op | largest self time; in a program that never ran, most work |

mod details;
mod dot;
mod neighbourhood;
mod nodes;
mod report;
mod search;
mod tables;
mod times;

use clap::{Args, ValueEnum};
pub use report::{
    GraphCluster, GraphDetails, GraphEdge, GraphMatch, GraphNode, GraphProgram, GraphReport,
};
use rustc_hash::FxHashMap;
use stepscope_model::hlo::{self, Instruction, Outline, TextForm};
use stepscope_model::{OpId, ProgramId, Session};

use crate::group::Group;
use crate::note::Note;
use crate::registry::{Analysis, AnalysisError};
use crate::selection::{Selected, Selection};
use crate::totals::Totals;
use neighbourhood::{Extent, Users};
use nodes::Drawing;
use times::Times;

/// More nodes than this are not laid out by anybody.
const MOST_NODES: usize = 2000;
/// Matches that are told unless `--limit` says otherwise.
const MATCHES: usize = 50;
/// Farther than this everything is reached or the limit is.
const MAX_RADIUS: usize = 50;

/// The `graph` analysis.
pub struct Graph;

/// Options of [`Graph`].
#[derive(Debug, Clone, Args)]
pub struct GraphOptions {
    /// Which part of the session. `--program` chooses the program (of several that match the one
    /// with most time), steps, devices and hosts the slices whose time is shown.
    #[command(flatten)]
    pub selection: Selection,
    /// Instruction in the middle; the one with most time if not given
    #[arg(long, value_name = "NAME")]
    pub op: Option<String>,
    /// Steps to go from there, over operands and users
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub radius: usize,
    /// Keep fusions closed, one node each
    #[arg(long)]
    pub merge_fusions: bool,
    /// At most this many nodes, the nearest
    #[arg(long, value_name = "N", default_value_t = 300)]
    pub max_nodes: usize,
    /// Find instructions by a part of their name, opcode, scope or source (`model.py:12`)
    #[arg(long, value_name = "TEXT")]
    pub search: Option<String>,
    /// Print HLO text instead: short, or long with sharding, metadata and configuration
    #[arg(long, value_name = "FORM", value_enum)]
    pub text: Option<Form>,
    /// Of what to print the text
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = What::Op)]
    pub of: What,
    /// Print the graph in Graphviz's language instead
    #[arg(long)]
    pub dot: bool,
    /// With `--dot`: nodes say their scope and source
    #[arg(long)]
    pub metadata: bool,
}

/// How much text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// Operands, shapes with layouts, what the opcode needs.
    Short,
    /// And sharding, metadata, source, configuration of the backend.
    Long,
}

/// Of what to print text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// The op alone.
    #[default]
    Op,
    /// The computation it belongs to.
    Computation,
    /// The computations it calls, such as the body of a fusion.
    Called,
    /// The whole program.
    Module,
}

impl Analysis for Graph {
    const NAME: &'static str = "graph";
    const ALIASES: &'static [&'static str] = &["graph_viewer"];
    const SUMMARY: &'static str =
        "The HLO around an op, with the time of every instruction; search; HLO text and Graphviz";
    const EXAMPLES: &'static str = "\
# The op with most time and what surrounds it
stepscope graph ./logs
# One op, fusions closed, as a picture
stepscope graph ./logs --op fusion.12 --radius 2 --merge-fusions --dot | dot -Tsvg > fusion.svg
# Find instructions
stepscope graph ./logs --search layer_3/attn
# The whole program as HLO text
stepscope graph train_step.hlo_proto.pb --text long --of module > train_step.txt";
    const GROUP: Group = Group::Compute;
    const NEEDS_EVENTS: bool = false;
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
                let text = format!("Nothing in {} contains {wanted:?}.", report.program);
                report.notes.push(Note::info(text));
            }
            if options.op.is_none() {
                return Ok(report);
            }
        }
        let Some(op) = choose_op(hlo, &own_times, options)? else {
            report
                .notes
                .push(Note::info("The program has no instructions."));
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

/// A program being looked at.
struct Scene<'a> {
    session: &'a Session,
    selected: &'a Selected<'a>,
    hlo: &'a hlo::Program,
    outline: &'a Outline<'a>,
    times: &'a FxHashMap<&'a str, (OpId, Totals)>,
}

impl Scene<'_> {
    fn fill(&self, report: &mut GraphReport, op: &Instruction, options: &GraphOptions) {
        report.op.clone_from(&op.name);
        report.details = Some(details::details(self.hlo, self.outline, op));
        if let Some(form) = options.text {
            report.text = self.text(op, options.of, form);
            return;
        }
        let extent = Extent {
            radius: options.radius.min(MAX_RADIUS),
            max_nodes: options.max_nodes.clamp(1, MOST_NODES),
            opens_fusions: !options.merge_fusions,
        };
        let found = neighbourhood::around(self.hlo, op, extent);
        let executed: Vec<OpId> = found
            .placed
            .iter()
            .filter_map(|placed| self.hlo.instruction_at(placed.index))
            .filter_map(|instruction| self.times.get(instruction.name.as_str()))
            .map(|(op, _)| *op)
            .collect();
        let slices = times::longest_slices(self.session, self.selected, &executed);
        let users = Users::of(self.hlo, neighbourhood::walked_from(self.hlo, op));
        let drawing = Drawing {
            session: self.session,
            program: self.hlo,
            outline: self.outline,
            found: &found,
            times: self.times,
            slices: &slices,
            center: op.index,
        };
        report.nodes = drawing.nodes(&users);
        report.edges = drawing.edges();
        report.clusters = drawing.clusters();
        report.hidden_count = found.hidden_count;
        report.radius = extent.radius;
        report.notes.extend(self.notes(op, &found, extent, options));
        if options.dot {
            report.dot = dot::text(report, options.metadata);
        }
    }

    fn text(&self, op: &Instruction, of: What, form: Form) -> String {
        let form = match form {
            Form::Short => TextForm::Short,
            Form::Long => TextForm::Long,
        };
        let computation = |computation| self.hlo.computation_text(self.outline, computation, form);
        match of {
            What::Op => self.hlo.instruction_text(self.outline, op, form) + "\n",
            What::Module => self.hlo.module_text(self.outline, form),
            What::Computation => {
                let own = self.hlo.computations().get(op.computation.index());
                own.map(computation).unwrap_or_default()
            }
            What::Called => {
                let called: Vec<String> =
                    self.hlo.called_computations(op).map(computation).collect();
                if called.is_empty() {
                    return format!("{} calls no computation\n", op.name);
                }
                called.join("\n")
            }
        }
    }

    fn notes(
        &self,
        op: &Instruction,
        found: &neighbourhood::Neighbourhood,
        extent: Extent,
        options: &GraphOptions,
    ) -> Vec<Note> {
        let mut notes = Vec::new();
        if options.op.is_none() {
            let why = if self.times.is_empty() {
                "no instruction of the program was recorded, so it is the one with the most work"
            } else {
                "it took the most time of all in the program"
            };
            let text = format!("{} is shown because {why}.", op.name);
            notes.push(Note::info(text).with_hint("--op NAME, --search TEXT"));
        }
        if found.hidden_count > 0 {
            let text = format!(
                "{} more instructions lie within {} steps than the {} that are shown.",
                found.hidden_count, extent.radius, extent.max_nodes
            );
            notes.push(Note::info(text).with_hint("--max-nodes N, --radius N, --merge-fusions"));
        }
        if found.closed_count > 0 {
            let text = format!(
                "{} fusions stay closed, because opening them would show more than {} nodes.",
                found.closed_count, extent.max_nodes
            );
            notes.push(Note::info(text));
        }
        let callers = neighbourhood::callers(self.hlo, op);
        if let Some(caller) = callers.first().filter(|caller| caller.opcode != "fusion") {
            notes.push(Note::info(format!(
                "{} runs within {}, whose graph is another one.",
                op.name, caller.name
            )));
        }
        notes
    }
}

fn programs(session: &Session, times: &Times) -> Vec<GraphProgram> {
    let sums = times.self_ps(session);
    let mut programs: Vec<GraphProgram> = session
        .programs
        .iter()
        .zip(sums)
        .filter_map(|(program, self_ps)| {
            Some(GraphProgram {
                program: program.title(),
                program_id: program.id.to_string(),
                instruction_count: program.hlo.as_ref()?.instructions().len(),
                self_ps,
            })
        })
        .collect();
    programs.sort_by(|a, b| {
        (b.self_ps, b.instruction_count)
            .cmp(&(a.self_ps, a.instruction_count))
            .then_with(|| a.program.cmp(&b.program))
    });
    programs
}

/// Of the selected programs with HLO the one with most time, then with most instructions; with
/// `--op` among those that have it.
fn choose_program(
    session: &Session,
    selected: &Selected<'_>,
    times: &Times,
    options: &GraphOptions,
) -> Option<ProgramId> {
    let sums = times.self_ps(session);
    let has_op = |hlo: &hlo::Program| {
        let op = options.op.as_deref();
        op.is_some_and(|op| hlo.instruction(op).is_some())
    };
    (0..session.programs.len())
        .map(ProgramId::from_index)
        .filter(|&id| selected.has_program(Some(id)))
        .filter_map(|id| Some((id, session.program(id).hlo.as_ref()?)))
        .max_by_key(|(id, hlo)| {
            let size = hlo.instructions().len();
            (has_op(hlo), sums[id.index()], size, std::cmp::Reverse(*id))
        })
        .map(|(id, _)| id)
}

/// The op that was asked for; else the one that took most time; else the one with most work.
fn choose_op<'h>(
    hlo: &'h hlo::Program,
    times: &FxHashMap<&str, (OpId, Totals)>,
    options: &GraphOptions,
) -> Result<Option<&'h Instruction>, AnalysisError> {
    if let Some(wanted) = options.op.as_deref().filter(|wanted| !wanted.is_empty()) {
        let found = hlo.instruction(wanted);
        return found.map(Some).ok_or_else(|| no_op(hlo, times, wanted));
    }
    let ran = times
        .iter()
        .filter_map(|(name, (_, totals))| Some((totals.self_ps, hlo.instruction(name)?)));
    let most = ran.max_by_key(|(self_ps, op)| (*self_ps, std::cmp::Reverse(op.index)));
    if let Some((_, op)) = most {
        return Ok(Some(op));
    }
    let alone = hlo.instructions().filter(|instruction| {
        let own = hlo.computations().get(instruction.computation.index());
        own.is_some_and(|own| !own.is_fusion_body)
            && !matches!(
                instruction.opcode.as_str(),
                "while" | "call" | "conditional"
            )
    });
    let most = alone.max_by(|a, b| {
        let work = |op: &Instruction| {
            let cost = hlo.cost(op);
            cost.flops.max(cost.bytes_accessed)
        };
        work(a).total_cmp(&work(b)).then(b.index.cmp(&a.index))
    });
    Ok(most.or_else(|| hlo.instructions().last()))
}

fn no_op(
    hlo: &hlo::Program,
    times: &FxHashMap<&str, (OpId, Totals)>,
    wanted: &str,
) -> AnalysisError {
    let near = search::matches(hlo, times, wanted, 12).map_or_else(|_| Vec::new(), |(m, _)| m);
    let near: Vec<String> = near.into_iter().map(|found| found.name).collect();
    AnalysisError::NothingSelected {
        what: format!("--op {wanted}"),
        available: if near.is_empty() {
            "--search TEXT finds instructions".to_owned()
        } else {
            near.join(", ")
        },
    }
}

fn no_program(session: &Session, options: &GraphOptions) -> Note {
    let text = match (session.programs.as_slice(), &options.selection.program) {
        ([], _) => "The capture carries no program, so there is no graph to show.",
        (_, Some(_)) => "The capture carries no HLO of the selected programs.",
        (_, None) => "The capture names programs and carries the HLO of none.",
    };
    Note::warning(text).with_hint(
        "XLA_FLAGS=\"--xla_dump_to=/tmp/hlo --xla_dump_hlo_as_proto\" writes programs; stepscope \
         graph /tmp/hlo",
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
        matches: Vec::new(),
        match_count: 0,
        text: String::new(),
        dot: String::new(),
        programs: Vec::new(),
        notes: Vec::new(),
    }
}
