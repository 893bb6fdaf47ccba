//! Ops of a framework as the launches of kernels name them.
//!
//! ```text
//! replica_4/bert/layer_5/dropout/Mul:Mul                      TensorFlow: a path and a type
//! Outer:PartitionedCall::bert/dense/MatMul:MatMul#shape=(half[4])#    the annotations around a launch
//! ```

use std::borrow::Cow;

use stepscope_hlo::name_stack::without_type;

/// An op of a framework.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FrameworkOp<'a> {
    /// Its name stack, the op last.
    pub(crate) path: Cow<'a, str>,
    /// Its type, if the framework writes one: `MatMul`.
    pub(crate) kind: &'a str,
}

/// The op that the stat `tf_op` names. XLA's own titles are none.
pub(crate) fn of_stat(text: &str) -> Option<FrameworkOp<'_>> {
    if let Some(op) = of_tensorflow(text) {
        return Some(op);
    }
    let path = without_type(text);
    (!is_title(text) && !path.is_empty()).then_some(FrameworkOp {
        path: path.into(),
        kind: "",
    })
}

/// The op that the annotations around a launch name: the innermost one, as ops call functions that run
/// ops. Annotations that are no ops, such as the name of a function of the runtime, say what copied or
/// launched, but not for which part of the program.
pub(crate) fn of_annotations(text: &str) -> Option<FrameworkOp<'_>> {
    let names: Vec<&str> = names(text);
    let innermost = names.iter().rev().find_map(|name| of_tensorflow(name));
    innermost.or_else(|| {
        let is_path = |name: &&&str| name.contains('/') && !name.contains(' ') && !is_title(name);
        let path = without_type(names.iter().rev().find(is_path)?);
        Some(FrameworkOp {
            path: path.into(),
            kind: "",
        })
    })
}

/// The names of annotations, outermost first, without what they say between `#`.
fn names(text: &str) -> Vec<&str> {
    let (mut found, mut rest) = (Vec::new(), text);
    loop {
        let separator = rest.find("::");
        let facts = rest.find('#');
        let end = match (separator, facts) {
            (Some(separator), Some(facts)) => separator.min(facts),
            (one, other) => one.or(other).unwrap_or(rest.len()),
        };
        found.push(&rest[..end]);
        rest = &rest[end..];
        if let Some(inner) = rest.strip_prefix('#') {
            rest = inner.split_once('#').map_or("", |(_, behind)| behind);
        }
        match rest.strip_prefix("::") {
            Some(behind) => rest = behind,
            None => return found,
        }
    }
}

/// An op of TensorFlow: `path:Type`, whose type begins with a capital letter or an underscore. Copies of
/// a model on several devices are named after their number, which the device tells already.
fn of_tensorflow(text: &str) -> Option<FrameworkOp<'_>> {
    let (path, kind) = text.split_once(':')?;
    let is_type = kind.starts_with(|first: char| first.is_ascii_uppercase() || first == '_')
        && kind.bytes().all(is_word);
    let is_path = path.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '.')
        && path
            .bytes()
            .all(|byte| is_word(byte) || b"./>-".contains(&byte));
    (is_type && is_path).then(|| FrameworkOp {
        path: without_replica(path),
        kind,
    })
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// `a/replica_4/b` is `a/b`; the first copy of a model has no number.
fn without_replica(path: &str) -> Cow<'_, str> {
    let is_replica = |part: &&str| {
        let number = part.strip_prefix("replica_").unwrap_or_default();
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    };
    let parts = || path.split('/');
    let last = parts().next_back().unwrap_or_default();
    if !parts().any(|part| is_replica(&part)) || is_replica(&last) {
        return path.into();
    }
    let kept: Vec<&str> = parts().filter(|part| !is_replica(part)).collect();
    kept.join("/").into()
}

/// `XlaModule:` and `Thunk:` are titles of XLA's own annotations, not ops of a framework.
fn is_title(text: &str) -> bool {
    let title = text.rsplit("::").next().unwrap_or(text);
    let title = title.split('#').next().unwrap_or(title);
    matches!(title.trim_end_matches(':'), "XlaModule" | "Thunk")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(op: Option<FrameworkOp<'_>>) -> Option<(String, &str)> {
        op.map(|op| (op.path.into_owned(), op.kind))
    }

    #[test]
    fn stats_name_ops_of_each_framework() {
        let of = |text| both(of_stat(text));
        let op = |path: &str, kind| Some((path.to_owned(), kind));
        assert_eq!(
            of("bert/layer_5/truediv/RealDiv:Mul"),
            op("bert/layer_5/truediv/RealDiv", "Mul")
        );
        assert_eq!(of("jit(f)/dot_general:"), op("jit(f)/dot_general", ""));
        assert_eq!(of("jit(f)/dot_general:dot"), op("jit(f)/dot_general", ""));
        assert_eq!(of("aten::mm"), op("aten::mm", ""));
        for title in [
            "XlaModule:",
            "Thunk:#name=a,hlo_op=b#",
            "XlaModule:::Thunk:",
            "",
        ] {
            assert_eq!(of(title), None, "{title}");
        }
    }

    #[test]
    fn the_innermost_annotation_that_is_an_op_names_it() {
        let of = |text| both(of_annotations(text));
        let op = |path: &str, kind| Some((path.to_owned(), kind));
        assert_eq!(
            of("a/MatMul:MatMul#shape=(half[4];half[])#"),
            op("a/MatMul", "MatMul")
        );
        assert_eq!(
            of("call:PartitionedCall#id=1#::a/b/Mul:Mul#shape=(a::b)#::EigenKernel"),
            op("a/b/Mul", "Mul")
        );
        assert_eq!(
            of("XlaModule:#prefix=a/b,hlo_module=f#::jit(f)/add"),
            op("jit(f)/add", "")
        );
        for none in [
            "MakeTensorFromProto",
            "#edge_name=ret_0#",
            "",
            "#",
            "a b/c",
            "Thunk:#x=a/b#",
        ] {
            assert_eq!(of(none), None, "{none}");
        }
    }

    #[test]
    fn copies_of_a_model_have_one_name() {
        let path = |text| of_stat(text).map(|op| op.path.into_owned());
        for copy in [
            "tape/replica_4/a/Mul:Mul",
            "tape/replica_12/a/Mul:Mul",
            "tape/a/Mul:Mul",
        ] {
            assert_eq!(path(copy).as_deref(), Some("tape/a/Mul"));
        }
        assert_eq!(path("a/replica_4:Tile").as_deref(), Some("a/replica_4"));
        assert_eq!(path("replica_a/b:Tile").as_deref(), Some("replica_a/b"));
    }
}
