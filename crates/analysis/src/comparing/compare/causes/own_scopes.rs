//! Layers and modules that only one side has, by the names in the name stacks of its ops.

use std::collections::{BTreeMap, BTreeSet};

use stepscope_model::hlo::name_stack::components;

use super::super::pair::Both;

/// A name is one of a new layer if at least this share of the ops below it have no partner: a layer that
/// was only renamed has partners.
const LEAST_ALONE: f64 = 0.8;
/// One op does not make a layer.
const LEAST_OPS: usize = 2;
/// Maximum number of layers that a sentence names.
const NAMED: usize = 3;

/// Names that say how ops run, not what they are for.
const STRUCTURE: [&str; 11] = [
    "while",
    "body",
    "cond",
    "scan",
    "pjit",
    "closed_call",
    "core_call",
    "custom_jvp_call",
    "custom_vjp_call",
    "shard_map",
    "xla_pmap",
];

/// The names that only one side has, for each side.
pub(super) struct OwnScopes<'a>([BTreeSet<&'a str>; 2]);

impl<'a> OwnScopes<'a> {
    pub(super) fn of(both: &Both<'a, '_>) -> Self {
        let known = [0, 1].map(|side| known(both, side));
        let mut counts = [0, 1].map(|_| BTreeMap::<&str, (usize, usize)>::new());
        for change in &both.changes.ops {
            let is_alone = change.baseline.is_none() || change.other.is_none();
            for (side, item) in [(0, change.baseline), (1, change.other)] {
                let mut own = scope(both, side, item).map(names).unwrap_or_default();
                own.sort_unstable();
                own.dedup();
                for name in own {
                    let count = counts[side].entry(name).or_default();
                    *count = (count.0 + 1, count.1 + usize::from(is_alone));
                }
            }
        }
        // Copies of an op that count as one with their first have a partner, too.
        for (side, counts) in counts.iter_mut().enumerate() {
            let items = 0..both.sides[side].items.len();
            for item in items.filter(|&item| both.pairing.joined.is_further(side, item)) {
                let mut own = scope(both, side, Some(item)).map(names).unwrap_or_default();
                own.sort_unstable();
                own.dedup();
                for name in own {
                    counts.entry(name).or_default().0 += 1;
                }
            }
        }
        let mut side = 0;
        Self(counts.map(|counts| {
            let others = &known[1 - side];
            side += 1;
            let own = counts.into_iter().filter(|(name, (all, alone))| {
                let is_alone = *alone as f64 >= LEAST_ALONE * *all as f64;
                is_alone && *alone >= LEAST_OPS && !others.contains(*name)
            });
            own.map(|(name, _)| name).collect()
        }))
    }

    /// The outermost of these names that an op without a partner lies in.
    pub(super) fn of_op(&self, both: &Both<'a, '_>, op: usize) -> Option<&'a str> {
        let change = &both.changes.ops[op];
        let (side, item) = match change.other {
            Some(_) => (1, change.other),
            None => (0, change.baseline),
        };
        let names = names(scope(both, side, item)?);
        names.into_iter().find(|name| self.0[side].contains(name))
    }
}

/// All names of a side: of what ran, and of the programs that are compared.
fn known(both: &Both<'_, '_>, side: usize) -> BTreeSet<String> {
    let pairs = both.pairing.compared();
    let nodes = pairs.flat_map(|pair| &pair.nodes[side]);
    let mut scopes: BTreeSet<&str> = nodes.map(|node| node.scope.as_str()).collect();
    let items = (0..both.sides[side].items.len()).map(Some);
    scopes.extend(items.filter_map(|item| scope(both, side, item)));
    let all = scopes.into_iter().flat_map(names);
    all.map(str::to_owned).collect()
}

fn scope<'a>(both: &Both<'a, '_>, side: usize, item: Option<usize>) -> Option<&'a str> {
    let session = both.sides[side].session;
    let op = both.item(side, item)?.op()?;
    Some(session.text(session.op(op).scope))
}

/// The names between the compiled function and the primitive, outermost first. Functions within it, which
/// have parentheses, are mostly those of libraries: the line that calls one says more.
fn names(scope: &str) -> Vec<&str> {
    let parts = components(scope);
    let inner = parts.get(1..parts.len().saturating_sub(1));
    let inner = inner.unwrap_or_default().iter().copied();
    inner.filter(|name| is_name(name)).collect()
}

fn is_name(name: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || "_.-:".contains(letter);
    let is_branch = name.starts_with("branch_") && name.ends_with("_fun");
    name.contains(char::is_alphabetic)
        && name.chars().all(is_part)
        && !is_branch
        && !STRUCTURE.contains(&name)
}

/// A name without its number: layers of one kind are told together.
pub(super) fn family(name: &str) -> &str {
    let plain = name
        .trim_end_matches(|letter: char| letter.is_ascii_digit())
        .trim_end_matches(['_', '.']);
    if plain.is_empty() { name } else { plain }
}

/// `layer_4 and layer_5`, `layer_4, layer_5, layer_6 and 5 more`.
pub(super) fn in_sentence(names: &[&str]) -> String {
    let mut names = names.to_vec();
    names.sort_by_key(|name| (name.len(), *name));
    let more = names.len().saturating_sub(NAMED);
    let last = match more {
        0 => names.pop().unwrap_or_default().to_owned(),
        1 => {
            let last = names.pop().unwrap_or_default().to_owned();
            return format!("{} and {last}", names.join(", "));
        }
        more => {
            names.truncate(NAMED);
            format!("{more} more")
        }
    };
    if names.is_empty() {
        return last;
    }
    format!("{} and {last}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::{family, in_sentence, names};

    #[test]
    fn layers_are_the_names_between_function_and_primitive() {
        let own = |scope| names(scope);
        assert_eq!(
            own("jit(step)/transpose(jvp(layer_2))/attention/dot_general"),
            ["layer_2", "attention"]
        );
        assert_eq!(
            own("jit(step)/jvp()/while/body/closed_call/mlp/jit(gelu)/tanh"),
            ["mlp"]
        );
        assert_eq!(own("jit(step)/bij,bjk->bik/dot_general").len(), 0);
        assert_eq!(own("").len(), 0);
    }

    #[test]
    fn layers_of_one_kind_are_told_together() {
        assert_eq!(family("layer_12"), "layer");
        assert_eq!(family("block7"), "block");
        assert_eq!(family("12"), "12");
        assert_eq!(in_sentence(&["dropout"]), "dropout");
        assert_eq!(
            in_sentence(&["layer_10", "layer_9"]),
            "layer_9 and layer_10"
        );
        assert_eq!(in_sentence(&["a", "b", "c"]), "a, b and c");
        assert_eq!(in_sentence(&["a", "b", "c", "d"]), "a, b, c and d");
        assert_eq!(
            in_sentence(&["a", "b", "c", "d", "e"]),
            "a, b, c and 2 more"
        );
    }
}
