//! A neighborhood in DOT, the language of Graphviz.

use std::fmt::Write;

use super::report::{GraphNode, GraphReport};
use crate::telling::format;

/// Fill colors by class: light enough for black text.
fn fill(class: &str) -> &'static str {
    match class {
        "matmul" => "#9ecae1",
        "attention" => "#c6b5e8",
        "collective" => "#f4a582",
        "copy" => "#a6dba0",
        "formatting" => "#d9f0d3",
        "control" | "call" => "#b8c4a8",
        "host" => "#e7d4b5",
        "reduction" => "#d8b8d8",
        "update" => "#fee8a6",
        "parameter" => "#fdc086",
        "constant" => "#eeeeee",
        _ => "#ffffff",
    }
}

/// The graph of a report. With metadata, nodes also show their scope and source.
pub(super) fn text(report: &GraphReport, has_metadata: bool) -> String {
    let mut dot = String::from("digraph hlo {\n  rankdir=TB;\n");
    dot.push_str("  node [shape=box, style=filled, fontname=\"Helvetica\", fontsize=10];\n");
    for node in report.nodes.iter().filter(|node| node.cluster.is_none()) {
        if !report.clusters.iter().any(|cluster| cluster.id == node.id) {
            push_node(&mut dot, node, has_metadata, "  ");
        }
    }
    for cluster in &report.clusters {
        let _ = writeln!(dot, "  subgraph cluster_{} {{", cluster.id);
        let title = format!("{} ({})", cluster.name, cluster.computation);
        let _ = writeln!(dot, "    label={};\n    color=gray;", quoted(&title));
        let own = report
            .nodes
            .iter()
            .filter(|node| node.cluster == Some(cluster.id));
        for node in own {
            push_node(&mut dot, node, has_metadata, "    ");
        }
        dot.push_str("  }\n");
    }
    for edge in &report.edges {
        let style = if edge.is_control {
            ", style=dashed"
        } else {
            ""
        };
        let _ = writeln!(
            dot,
            "  n{} -> n{} [label={}, fontsize=8{style}];",
            edge.from_id,
            edge.to_id,
            quoted(&edge.shape)
        );
    }
    dot.push_str("}\n");
    dot
}

fn push_node(dot: &mut String, node: &GraphNode, has_metadata: bool, indent: &str) {
    let mut lines = vec![format!("{} {}", node.opcode, node.name), node.shape.clone()];
    lines.extend(node.constants.iter().cloned());
    if let Some(self_ps) = node.self_ps {
        lines.push(format::duration_ps(self_ps as f64));
    }
    if has_metadata {
        lines.extend(
            [&node.scope, &node.source]
                .into_iter()
                .filter(|t| !t.is_empty())
                .cloned(),
        );
    }
    let width = if node.is_center { ", penwidth=3" } else { "" };
    let _ = writeln!(
        dot,
        "{indent}n{} [label={}, fillcolor=\"{}\"{width}];",
        node.id,
        quoted(&lines.join("\n")),
        fill(&node.class)
    );
}

fn quoted(text: &str) -> String {
    let escaped = text
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n");
    format!("\"{escaped}\"")
}
