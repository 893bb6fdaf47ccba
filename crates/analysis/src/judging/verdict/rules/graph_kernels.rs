//! `graph_kernels`: kernels of XLA programs without an HLO op, mostly those of CUDA graphs.

use stepscope_model::Program;

use super::Rule;
use crate::judging::verdict::evidence::Evidence;
use crate::judging::verdict::limits;
use crate::judging::verdict::report::{Finding, Severity};
use crate::telling::format;
use crate::telling::launched_graphs;

pub(super) const RULE: Rule = Rule {
    ids: &["graph_kernels"],
    look,
};

fn look(evidence: &Evidence<'_>, _: &[Finding]) -> Vec<Finding> {
    let Some(ratio) = evidence.attributed_ratio else {
        return Vec::new();
    };
    // Without XLA programs no kernel could have an op.
    if evidence.session.programs.is_empty() || 1.0 - ratio <= limits::UNATTRIBUTED_RATIO {
        return Vec::new();
    }
    let share = format::percent(1.0 - ratio);
    let found = Finding::new(
        "graph_kernels",
        Severity::Warning,
        format!("{share} of kernel time has no HLO op."),
    );
    if Program::trials(&evidence.session.programs).contains(&true) {
        return vec![
            found
                .why(
                    "XLA compiled during the capture and tried out kernels on the device \
                     (autotuning). They belong to no op of a program that ran, so they are listed by \
                     kernel name.",
                )
                .fix("Capture after the warm-up, when nothing is compiled."),
        ];
    }
    let graphs = launched_graphs::note(evidence.session);
    let graphs = graphs.map_or(String::new(), |note| format!(" {}", note.text));
    vec![
        found
            .why(format!(
                "Kernels launched by CUDA graphs or libraries do not record which op they belong to, \
                 so they are listed by kernel name.{graphs}",
            ))
            .fix(
                "For one capture, turn CUDA graphs off with \
                 `XLA_FLAGS=--xla_gpu_enable_command_buffer=`, at some cost in speed.",
            ),
    ]
}
