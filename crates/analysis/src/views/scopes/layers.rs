//! Layers: scopes side by side that differ only by a number, one by one and folded into one.
//!
//! ```text
//! tree                          layers (GPT/layer_*)      folded
//!   GPT                           layer_0   80              layer_*   2 layers   155
//!     layer_0    80               layer_1   75                attn    2          105
//!       attn     55                                           mlp     2           50
//!       mlp      25
//!     layer_1    75 …
//! ```
//!
//! The outermost repeated scopes are layers. Scopes within them whose numbers follow the layer's are
//! folded, too. Primitives, which are the leaves of the tree, are not layers. Loops have a tree each,
//! whose repeated scopes are their iterations.

use std::collections::{BTreeMap, BTreeSet};

use super::report::{FoldedRow, LayerRow};
use super::sums::Sums;
use super::tree::{Node, Tree, joined, share};
use crate::measuring::steps::{median, outliers};
use crate::telling::Note;

/// Layers named in a note.
const MOST_NAMED: usize = 5;
/// Fewest siblings that are layers.
const FEWEST: usize = 2;

/// Siblings that differ only by a number.
struct Family<'a> {
    tree: &'a Tree,
    /// Path with `*` for the number.
    path: String,
    /// By number.
    members: Vec<Member>,
}

struct Member {
    number: i64,
    node: usize,
    path: String,
}

/// A node of several layers and the name of each layer.
struct Instance {
    node: usize,
    layer: String,
}

/// The layers of trees, and what they look like folded; families with the most time first. Shares are
/// of `whole_ps`.
pub(super) fn layers<'a>(
    trees: impl IntoIterator<Item = &'a Tree>,
    whole_ps: i64,
) -> (Vec<LayerRow>, Vec<FoldedRow>) {
    let mut families = Vec::new();
    for tree in trees {
        find(tree, 0, "", &mut families);
    }
    families.sort_by_key(|family| std::cmp::Reverse(total_ps(family)));
    let mut rows = Vec::new();
    let mut folded = Vec::new();
    for family in &families {
        rows.extend(rows_of(family));
        let own = family.members.iter().map(|member| Instance {
            node: member.node,
            layer: family.tree.nodes[member.node].name.clone(),
        });
        let own: Vec<Instance> = own.collect();
        fold(family.tree, whole_ps, &family.path, 0, &own, &mut folded);
    }
    (rows, folded)
}

fn total_ps(family: &Family<'_>) -> i64 {
    let members = family.members.iter();
    members.fold(0i64, |sum, member| {
        sum.saturating_add(family.tree.nodes[member.node].sums.total_ps)
    })
}

/// Finds the outermost families below a node.
fn find<'a>(tree: &'a Tree, node: usize, path: &str, found: &mut Vec<Family<'a>>) {
    let mut families: BTreeMap<(&str, &str), Vec<Member>> = BTreeMap::new();
    let mut rest = Vec::new();
    for &child in &tree.nodes[node].children {
        let own = &tree.nodes[child];
        match numbered(&own.name).filter(|_| !own.children.is_empty()) {
            Some((before, number, after)) => {
                families.entry((before, after)).or_default().push(Member {
                    number,
                    node: child,
                    path: joined(path, &own.name),
                });
            }
            None => rest.push(child),
        }
    }
    for ((before, after), mut members) in families {
        if members.len() < FEWEST {
            rest.extend(members.iter().map(|member| member.node));
            continue;
        }
        members.sort_by_key(|member| member.number);
        found.push(Family {
            tree,
            path: joined(path, &format!("{before}*{after}")),
            members,
        });
    }
    for child in rest {
        find(tree, child, &joined(path, &tree.nodes[child].name), found);
    }
}

/// Says which layers stand apart.
pub(super) fn note(layers: &[LayerRow]) -> Option<Note> {
    let apart: Vec<String> = layers
        .iter()
        .filter(|row| row.is_outlier)
        .map(|row| {
            let times = row.times_median.unwrap_or_default();
            format!("{} ({times:.2}×)", row.path)
        })
        .collect();
    let (named, rest) = apart.split_at(apart.len().min(MOST_NAMED));
    let more = match rest.len() {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    (!named.is_empty()).then(|| {
        Note::info(
            "layer-outliers",
            format!(
                "Layers that take much more or less time than the median of their siblings: {}{more}.",
                named.join(", ")
            ),
        )
        .with_hint("`--table layers` lists all layers")
    })
}

fn rows_of(family: &Family<'_>) -> Vec<LayerRow> {
    let tree = family.tree;
    let sums = |member: &Member| tree.nodes[member.node].sums;
    let totals: Vec<f64> = family
        .members
        .iter()
        .map(|member| sums(member).total_ps as f64)
        .collect();
    let middle = median(&totals);
    let members = family.members.iter().zip(&totals).zip(outliers(&totals));
    let row = |((member, &total), is_outlier): ((&Member, &f64), bool)| {
        let own = sums(member);
        LayerRow {
            family: family.path.clone(),
            name: tree.nodes[member.node].name.clone(),
            number: member.number,
            path: member.path.clone(),
            total_ps: own.total_ps,
            times_median: (middle > 0.0).then(|| total / middle),
            is_outlier,
            forward_ps: own.forward_ps,
            backward_ps: own.backward_ps,
            rematerialized_ps: own.rematerialized_ps,
            flops: own.flops,
            bytes: own.bytes,
            expected_ps: own.expected_ps,
            times_expected: own.times_expected(),
        }
    };
    members.map(row).collect()
}

/// Adds the same place of several layers, and everything below it.
fn fold(
    tree: &Tree,
    whole_ps: i64,
    path: &str,
    depth: u32,
    instances: &[Instance],
    rows: &mut Vec<FoldedRow>,
) {
    rows.push(folded_row(tree, whole_ps, path, depth, instances));
    let repeated = repeated(tree, instances);
    let mut below: BTreeMap<String, Vec<Instance>> = BTreeMap::new();
    for instance in instances {
        for &child in &tree.nodes[instance.node].children {
            let name = &tree.nodes[child].name;
            let pattern = pattern(&tree.nodes[child]).filter(|one| repeated.contains(one));
            let layer = format!("{}/{name}", instance.layer);
            below
                .entry(pattern.unwrap_or_else(|| name.clone()))
                .or_default()
                .push(Instance { node: child, layer });
        }
    }
    let mut below: Vec<(String, Vec<Instance>)> = below.into_iter().collect();
    let total_ps = |instances: &[Instance]| {
        let nodes = instances
            .iter()
            .map(|one| tree.nodes[one.node].sums.total_ps);
        nodes.fold(0i64, i64::saturating_add)
    };
    below.sort_by_key(|(_, instances)| std::cmp::Reverse(total_ps(instances)));
    for (name, instances) in below {
        fold(
            tree,
            whole_ps,
            &joined(path, &name),
            depth + 1,
            &instances,
            rows,
        );
    }
}

/// Patterns of children that are folded: those whose names differ from layer to layer, as in
/// `layer_2/Dense_2` and `layer_3/Dense_3`. Names that several layers share are different places.
fn repeated(tree: &Tree, instances: &[Instance]) -> BTreeSet<String> {
    let mut names: BTreeMap<String, BTreeMap<&str, usize>> = BTreeMap::new();
    for instance in instances {
        for &child in &tree.nodes[instance.node].children {
            let own = &tree.nodes[child];
            if let Some(pattern) = pattern(own) {
                *names
                    .entry(pattern)
                    .or_default()
                    .entry(&own.name)
                    .or_default() += 1;
            }
        }
    }
    let differ = |(_, names): &(String, BTreeMap<&str, usize>)| {
        names.len() >= FEWEST && names.values().all(|&count| count == 1)
    };
    let found = names.into_iter().filter(differ);
    found.map(|(pattern, _)| pattern).collect()
}

/// The name with `*` for its number; none for primitives and names without one.
fn pattern(node: &Node) -> Option<String> {
    let numbered = numbered(&node.name).filter(|_| !node.children.is_empty());
    numbered.map(|(before, _, after)| format!("{before}*{after}"))
}

fn folded_row(
    tree: &Tree,
    whole_ps: i64,
    path: &str,
    depth: u32,
    instances: &[Instance],
) -> FoldedRow {
    let mut sums = Sums::default();
    let mut largest: Option<(i64, &str)> = None;
    for instance in instances {
        let own = tree.nodes[instance.node].sums;
        sums.add(own);
        if largest.is_none_or(|(known, _)| own.total_ps > known) {
            largest = Some((own.total_ps, &instance.layer));
        }
    }
    let least = instances.iter();
    let least_ps = least.map(|one| tree.nodes[one.node].sums.total_ps).min();
    let (max_ps, max_layer) = largest.unwrap_or_default();
    let min_ps = least_ps.unwrap_or_default();
    FoldedRow {
        path: path.to_owned(),
        name: path.rsplit('/').next().unwrap_or(path).to_owned(),
        depth,
        layer_count: i64::try_from(instances.len()).unwrap_or(i64::MAX),
        total_ps: sums.total_ps,
        ratio: share(sums.total_ps, whole_ps),
        mean_ps: sums.total_ps as f64 / instances.len().max(1) as f64,
        min_ps,
        max_ps,
        max_layer: max_layer.to_owned(),
        times_least: (min_ps > 0).then(|| max_ps as f64 / min_ps as f64),
        forward_ps: sums.forward_ps,
        backward_ps: sums.backward_ps,
        rematerialized_ps: sums.rematerialized_ps,
        flops: sums.flops,
        expected_ps: sums.expected_ps,
        times_expected: sums.times_expected(),
    }
}

/// A name around its last number: `layer_12` is `layer_`, 12 and nothing; `h[3]` is `h[`, 3 and `]`.
fn numbered(name: &str) -> Option<(&str, i64, &str)> {
    let open = name.trim_end_matches([']', ')']);
    let before = open.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let number = open[before.len()..].parse().ok()?;
    Some((before, number, &name[open.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_in_numbers() {
        assert_eq!(numbered("layer_12"), Some(("layer_", 12, "")));
        assert_eq!(numbered("h[3]"), Some(("h[", 3, "]")));
        assert_eq!(numbered("7"), Some(("", 7, "")));
        assert_eq!(numbered("attn"), None);
        assert_eq!(numbered("jit(f)"), None);
        assert_eq!(numbered("exp2_"), None);
        assert_eq!(numbered("a99999999999999999999"), None);
    }

    /// Layers of 1, 2, … picoseconds, each with an `attn` and two heads that share it.
    fn tree(count: i64) -> Tree {
        let mut nodes = vec![Node::default()];
        let mut add = |parent: usize, name: String, total_ps: i64| {
            nodes.push(Node {
                name,
                sums: Sums {
                    total_ps,
                    forward_ps: total_ps,
                    ..Sums::default()
                },
                ..Node::default()
            });
            let node = nodes.len() - 1;
            nodes[parent].children.push(node);
            node
        };
        let model = add(0, "GPT".to_owned(), 0);
        for number in 0..count {
            let total_ps = 100 + number;
            let layer = add(model, format!("layer_{number}"), total_ps);
            let attention = add(layer, "attn".to_owned(), total_ps);
            for head in 0..2 {
                let head = add(attention, format!("head_{head}"), total_ps / 2);
                add(head, "dot_general".to_owned(), total_ps / 2);
            }
            let norm = add(layer, format!("norm_{number}"), 2);
            add(norm, "add".to_owned(), 2);
        }
        add(model, "log_1".to_owned(), 9);
        add(model, "log_2".to_owned(), 9);
        Tree { nodes }
    }

    #[test]
    fn layers_are_folded_and_so_is_what_has_their_numbers() {
        let (layers, folded) = layers([&tree(3)], 606);
        let names: Vec<&str> = layers.iter().map(|row| row.path.as_str()).collect();
        assert_eq!(names, ["GPT/layer_0", "GPT/layer_1", "GPT/layer_2"]);
        assert_eq!(layers[2].times_median, Some(102.0 / 101.0));
        assert!(layers.iter().all(|row| row.family == "GPT/layer_*"));
        assert!(layers.iter().all(|row| !row.is_outlier));
        let outline: Vec<(&str, u32, i64, i64)> = folded
            .iter()
            .map(|row| (row.path.as_str(), row.depth, row.layer_count, row.total_ps))
            .collect();
        assert_eq!(
            outline,
            [
                ("GPT/layer_*", 0, 3, 303),
                ("GPT/layer_*/attn", 1, 3, 303),
                ("GPT/layer_*/attn/head_0", 2, 3, 151),
                ("GPT/layer_*/attn/head_0/dot_general", 3, 3, 151),
                ("GPT/layer_*/attn/head_1", 2, 3, 151),
                ("GPT/layer_*/attn/head_1/dot_general", 3, 3, 151),
                ("GPT/layer_*/norm_*", 1, 3, 6),
                ("GPT/layer_*/norm_*/add", 2, 3, 6),
            ]
        );
        assert_eq!(folded[0].ratio, 0.5);
        assert_eq!(folded[0].max_layer, "layer_2");
        assert_eq!((folded[0].min_ps, folded[0].max_ps), (100, 102));
        assert_eq!(folded[1].max_layer, "layer_2/attn");
    }

    #[test]
    fn one_numbered_scope_is_no_layer() {
        let (layers, folded) = layers([&tree(1)], 100);
        // Its heads are the outermost that repeat.
        assert_eq!(layers.len(), 2);
        assert_eq!(layers[0].family, "GPT/layer_0/attn/head_*");
        assert_eq!(folded[0].layer_count, 2);
    }

    #[test]
    fn a_layer_that_stands_apart_is_an_outlier() {
        let mut tree = tree(8);
        let slow = tree
            .nodes
            .iter_mut()
            .find(|node| node.name == "layer_5")
            .expect("eight layers");
        slow.sums.total_ps = 200;
        let (layers, _) = layers([&tree], 1000);
        let outliers = layers.iter().filter(|row| row.is_outlier);
        let names: Vec<&str> = outliers.map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["layer_5"]);
    }
}
