//! The graph around one op: nodes, edges, text, and notes on what is not shown.

use rustc_hash::FxHashMap;
use stepscope_model::hlo::{self, Instruction, Outline, TextForm};
use stepscope_model::{OpId, Session};

use super::neighborhood::{self, Extent, Users};
use super::nodes::Drawing;
use super::report::GraphReport;
use super::{Form, GraphOptions, What, custom_kernels, details, dot, times};
use crate::measuring::selection::Selected;
use crate::measuring::totals::Totals;
use crate::telling::Note;
use crate::views::collectives::partitioning::Partitioning;

/// Maximum number of nodes; more cannot be laid out.
const MOST_NODES: usize = 2000;
/// Maximum radius; larger ones reach everything, or the limit of nodes.
const MAX_RADIUS: usize = 50;

/// The program that is shown.
pub(super) struct Scene<'a> {
    pub(super) session: &'a Session,
    pub(super) selected: &'a Selected<'a>,
    pub(super) hlo: &'a hlo::Program,
    pub(super) outline: &'a Outline<'a>,
    pub(super) times: &'a FxHashMap<&'a str, (OpId, Totals)>,
}

impl Scene<'_> {
    pub(super) fn fill(&self, report: &mut GraphReport, op: &Instruction, options: &GraphOptions) {
        report.op.clone_from(&op.name);
        report.details = Some(details::details(self.hlo, self.outline, op));
        (report.kernels, report.kernel_count) =
            custom_kernels::kernels(self.hlo, self.outline, self.times, op);
        if let Some(form) = options.text {
            report.text = self.text(op, options.of, form);
            return;
        }
        let extent = Extent {
            radius: options.radius.min(MAX_RADIUS),
            max_nodes: options.max_nodes.clamp(1, MOST_NODES),
            opens_fusions: !options.merge_fusions,
        };
        let found = neighborhood::around(self.hlo, op, extent);
        let executed: Vec<OpId> = found
            .placed
            .iter()
            .filter_map(|placed| self.hlo.instruction_at(placed.index))
            .filter_map(|instruction| self.times.get(instruction.name.as_str()))
            .map(|(op, _)| *op)
            .collect();
        let slices = times::longest_slices(self.session, self.selected, &executed);
        let users = Users::of(self.hlo, neighborhood::walked_from(self.hlo, op));
        let drawing = Drawing {
            session: self.session,
            program: self.hlo,
            outline: self.outline,
            found: &found,
            times: self.times,
            slices: &slices,
            center: op.index,
            partitioning: Partitioning::of(self.hlo),
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
                    return format!("{} calls no computations\n", op.name);
                }
                called.join("\n")
            }
        }
    }

    fn notes(
        &self,
        op: &Instruction,
        found: &neighborhood::Neighborhood,
        extent: Extent,
        options: &GraphOptions,
    ) -> Vec<Note> {
        let mut notes = Vec::new();
        if options.op.is_none() {
            let why = if self.times.is_empty() {
                "no instruction of the program was recorded, and it has the most work"
            } else {
                "it has the most time in the program"
            };
            let text = format!("{} is shown because {why}.", op.name);
            notes.push(
                Note::info("instruction-chosen", text).with_hint("`--search TEXT` shows another"),
            );
        }
        if found.hidden_count > 0 {
            let text = format!(
                "{} more instructions within {} hops are not shown (limit: {} nodes).",
                found.hidden_count, extent.radius, extent.max_nodes
            );
            notes.push(
                Note::info("instructions-hidden", text)
                    .with_hint("`--max-nodes N`, `--radius N`, `--merge-fusions`"),
            );
        }
        if found.closed_count > 0 {
            let text = format!(
                "{} fusions stay closed, because opening them would exceed {} nodes.",
                found.closed_count, extent.max_nodes
            );
            notes.push(Note::info("fusions-closed", text));
        }
        let callers = neighborhood::callers(self.hlo, op);
        if let Some(caller) = callers.first().filter(|caller| caller.opcode != "fusion") {
            notes.push(Note::info(
                "caller-graph",
                format!(
                    "{} runs within {}, which has a separate graph.",
                    op.name, caller.name
                ),
            ));
        }
        notes
    }
}
