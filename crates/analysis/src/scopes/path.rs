//! Name stacks: components without transformations, and the pass they tell.
//!
//! ```text
//! jit(step)/transpose(jvp(GPT))/layer_0/checkpoint/rematted_computation/attn/dot_general
//! jit(step) │ GPT │ layer_0 │ attn │ dot_general          components
//!             └ backward          └ rematerialised        pass: rematerialised wins
//! ```

/// Which pass of training an op belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pass {
    /// Neither of the others.
    Forward,
    /// The name stack contains `transpose(`.
    Backward,
    /// The name stack contains `rematted_computation`.
    Rematerialised,
}

/// Transformations that wrap a component: their argument is the component.
const WRAPPERS: [&str; 9] = [
    "transpose",
    "jvp",
    "vjp",
    "vmap",
    "pmap",
    "xmap",
    "checkpoint",
    "remat",
    "linearize",
];

/// Components that only say how their content is run.
const MARKERS: [&str; 5] = [
    "checkpoint",
    "remat",
    "remat2",
    "rematted_computation",
    "transpose",
];

/// The components of a name stack, outermost first. The last one is the primitive.
pub(crate) fn components(scope: &str) -> Vec<&str> {
    let parts = split(without_type(first(scope)));
    let last = parts.len().saturating_sub(1);
    parts
        .into_iter()
        .enumerate()
        .filter_map(|(index, part)| {
            let inner = unwrap(part);
            // `transpose` as the last component is the primitive of that name.
            let is_marker = MARKERS.contains(&inner) && index != last;
            (!inner.is_empty() && !is_marker).then_some(inner)
        })
        .collect()
}

/// The pass a name stack tells.
pub(crate) fn pass(scope: &str) -> Pass {
    let scope = first(scope);
    if scope.contains("rematted_computation") {
        Pass::Rematerialised
    } else if scope.contains("transpose(") {
        Pass::Backward
    } else {
        Pass::Forward
    }
}

/// XLA joins the name stacks of ops that it merges by `;`: the first one counts.
fn first(scope: &str) -> &str {
    scope.split_once(';').map_or(scope, |(first, _)| first)
}

/// TPU profiles write `jit(f)/dot_general:` or `…:Type`; PyTorch's ops have a namespace, `aten::mm`.
fn without_type(scope: &str) -> &str {
    match scope.rsplit_once(':') {
        Some((path, kind)) if !kind.contains(['/', ')']) && !path.ends_with(':') => path,
        _ => scope,
    }
}

/// Splits at slashes outside parentheses. A stray closing parenthesis ends nothing.
fn split(scope: &str) -> Vec<&str> {
    let (mut depth, mut start) = (0usize, 0);
    let mut parts = Vec::new();
    for (index, byte) in scope.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b'/' if depth == 0 => {
                parts.push(&scope[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(&scope[start..]);
    parts
}

/// `transpose(jvp(layer_0))` is `layer_0`; `jit(f)` stays.
fn unwrap(mut part: &str) -> &str {
    loop {
        part = part.trim();
        let Some((wrapper, rest)) = part.split_once('(') else {
            return part;
        };
        let Some(inner) = rest
            .strip_suffix(')')
            .filter(|_| WRAPPERS.contains(&wrapper))
        else {
            return part;
        };
        part = inner;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forward_and_backward_meet_on_one_node() {
        let expected = ["jit(step)", "GPT", "layer_0", "attn", "dot_general"];
        for scope in [
            "jit(step)/GPT/layer_0/attn/dot_general",
            "jit(step)/jvp(GPT)/layer_0/attn/dot_general",
            "jit(step)/transpose(jvp(GPT))/layer_0/attn/dot_general",
            "jit(step)/transpose(jvp(GPT))/layer_0/checkpoint/rematted_computation/attn/dot_general",
            "jit(step)/vmap(transpose(jvp(GPT)))/layer_0/attn/dot_general:",
            "jit(step)/jvp()/GPT/layer_0/attn/dot_general:DotGeneral",
        ] {
            assert_eq!(components(scope), expected, "{scope}");
        }
    }

    #[test]
    fn slashes_in_parentheses_do_not_split() {
        assert_eq!(components("jit(f)/jvp(a/b)/mul"), ["jit(f)", "a/b", "mul"]);
        assert_eq!(components("jit(f))/mul"), ["jit(f))", "mul"]);
        assert_eq!(
            components("jit(main)/transpose"),
            ["jit(main)", "transpose"]
        );
        assert_eq!(
            components("jit(f)/transpose(jvp(jit(relu)))/mul"),
            ["jit(f)", "jit(relu)", "mul"]
        );
        assert!(components("").is_empty());
    }

    #[test]
    fn namespaces_stay_and_of_joined_stacks_the_first_counts() {
        assert_eq!(components("aten::mm"), ["aten::mm"]);
        let joined = "jit(f)/jvp(a)/transpose;jit(f)/transpose(jvp(a))/transpose";
        assert_eq!(components(joined), ["jit(f)", "a", "transpose"]);
        assert_eq!(pass(joined), Pass::Forward);
    }

    #[test]
    fn recomputation_wins_over_backward() {
        assert_eq!(pass("jit(f)/jvp(a)/mul"), Pass::Forward);
        assert_eq!(pass("jit(f)/transpose"), Pass::Forward);
        assert_eq!(pass("jit(f)/transpose(jvp(a))/mul"), Pass::Backward);
        assert_eq!(
            pass("jit(f)/transpose(jvp(checkpoint))/rematted_computation/mul"),
            Pass::Rematerialised
        );
    }
}
