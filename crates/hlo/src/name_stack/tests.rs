//! Name stacks as JAX, XLA:TPU, PyTorch and merging passes write them, and texts that are none.

use super::*;

fn lines(name_stack: &str) -> Vec<String> {
    merged(name_stack).lines()
}

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
    assert!(paths("").is_empty());
    assert_eq!(pass(""), Pass::Unknown);
    assert_eq!(merged("").pass(), Pass::Unknown);
}

#[test]
fn recomputation_wins_over_backward() {
    assert_eq!(pass("jit(f)/jvp(a)/mul"), Pass::Forward);
    assert_eq!(pass("jit(f)/transpose"), Pass::Forward);
    assert_eq!(pass("jit(f)/transpose(jvp(a))/mul"), Pass::Backward);
    assert_eq!(
        pass("jit(f)/transpose(jvp(checkpoint))/rematted_computation/mul"),
        Pass::Rematerialized
    );
}

#[test]
fn whole_paths_joined_by_semicolons_are_all_read() {
    let same = "jit(f)/jvp(a)/transpose;jit(f)/transpose(jvp(a))/transpose";
    assert_eq!(components(same), ["jit(f)", "a", "transpose"]);
    assert!(!merged(same).is_combined());
    assert_eq!(pass(same), Pass::Forward);
    assert_eq!(shown(same), "jit(f)/jvp(a)/transpose");
    let two = "jit(f)/a/mul;jit(f)/b/c/add";
    assert_eq!(components(two), ["jit(f)"]);
    assert_eq!(lines(two), ["jit(f)/a/mul", "jit(f)/b/c/add"]);
    assert_eq!(shown(two), "jit(f)/(combined: 2 paths)");
}

#[test]
fn a_list_serves_one_path_for_each_member() {
    let text = "jit(step)/(transpose(jvp(head))/dot_general:jvp(layer_3)/mlp/dot_general:\
                transpose(jvp(layer_3))/attn/dot_general:jvp()/reduce_sum)";
    let merged = merged(text);
    assert_eq!(merged.common, ["jit(step)"]);
    assert_eq!(
        merged.lines(),
        [
            "jit(step)/head/dot_general",
            "jit(step)/layer_3/mlp/dot_general",
            "jit(step)/layer_3/attn/dot_general",
            "jit(step)/reduce_sum",
        ]
    );
    let passes: Vec<Pass> = merged.paths.iter().map(|path| path.pass).collect();
    assert_eq!(
        passes,
        [Pass::Backward, Pass::Forward, Pass::Backward, Pass::Forward]
    );
    assert_eq!(merged.pass(), Pass::Backward);
    assert_eq!(shown(text), "jit(step)/(combined: 4 paths)");
}

#[test]
fn lists_nest_and_stand_anywhere_a_component_does() {
    assert_eq!(
        lines("jit(f)/((a:b)/x:c)/dot"),
        ["jit(f)/a/x/dot", "jit(f)/b/x/dot", "jit(f)/c/dot"]
    );
    assert_eq!(lines("(a/b:c/d)"), ["a/b", "c/d"]);
    assert_eq!(
        lines("jit(f)/(a/(b:c):d):"),
        ["jit(f)/a/b", "jit(f)/a/c", "jit(f)/d"]
    );
    let within = "jit(f)/transpose(jvp((a:b)))/dot";
    assert_eq!(lines(within), ["jit(f)/a/dot", "jit(f)/b/dot"]);
    assert_eq!(pass(within), Pass::Backward);
}

#[test]
fn colons_of_names_do_not_separate() {
    assert_eq!(components("aten::mm"), ["aten::mm"]);
    assert_eq!(
        lines("jit(f)/(ns::a/x:ns::b/y)"),
        ["jit(f)/ns::a/x", "jit(f)/ns::b/y"]
    );
    assert_eq!(
        lines("(layer:0/mlp:layer:1/mlp)"),
        ["layer:0/mlp", "layer:1/mlp"]
    );
    assert_eq!(
        lines("layers/(0/mlp:1/mlp)"),
        ["layers/0/mlp", "layers/1/mlp"]
    );
    assert_eq!(
        lines("(x[0:4]/add:y[:, 1]/mul)"),
        ["x[0:4]/add", "y[:, 1]/mul"]
    );
    assert_eq!(lines("(jvp(a:b)/add:c)"), ["a:b/add", "c"]);
    // No list: a name of the user that begins with a parenthesis.
    assert_eq!(components("jit(f)/(mine)/add"), ["jit(f)", "(mine)", "add"]);
    assert_eq!(
        components("jit(f)/(a)(b:c)/add"),
        ["jit(f)", "(a)(b:c)", "add"]
    );
    assert_eq!(without_type("jit(f)/(a/x:b/y)"), "jit(f)/(a/x:b/y)");
    assert_eq!(without_type("jit(f)/add:Add"), "jit(f)/add");
}

#[test]
fn damaged_and_hostile_texts_end() {
    for text in [
        "(",
        "(a:",
        "a:)",
        "jit(f)/(a:b",
        "(:)",
        ";;",
        "((a:b)",
        "a)(b",
        "[(:]",
    ] {
        let _ = (paths(text), components(text), shown(text), parts(text));
    }
    // Lists multiply until reading them would take too much; the rest are names.
    let many = paths(&"(a:b)/".repeat(40)).len();
    assert!((1024..=MOST_COPIES).contains(&many), "{many}");
    let deep = format!("{}a:b{}", "(".repeat(500), ")".repeat(500));
    assert!(paths(&deep).len() <= 2);
    let wide = format!("jit(f)/({})", vec!["a"; 10_000].join(":"));
    assert_eq!(paths(&wide).len(), 10_000);
}

#[test]
fn gradients_of_tensorflow_are_of_the_backward_pass() {
    let pass = |text| paths(text)[0].pass;
    assert_eq!(pass("gradient_tape/model/dense/MatMul"), Pass::Backward);
    assert_eq!(pass("gradients/dense/MatMul_grad/MatMul"), Pass::Backward);
    assert_eq!(pass("model/dense/MatMul"), Pass::Forward);
    assert_eq!(pass("model/gradients/MatMul"), Pass::Forward);
    assert_eq!(pass("jit(step)/gradients/dot_general"), Pass::Forward);
}

/// Most ops of PyTorch run in either pass.
#[test]
fn an_op_of_pytorch_is_of_the_backward_pass_if_it_says_so() {
    let pass = |text| paths(text)[0].pass;
    assert_eq!(pass("aten::mm"), Pass::Unknown);
    assert_eq!(pass("Optimizer.step#SGD.step/aten::add_"), Pass::Unknown);
    assert_eq!(pass("aten::threshold_backward"), Pass::Backward);
    assert_eq!(pass("autograd::MmBackward0/aten::mm"), Pass::Backward);
    assert_eq!(pass("jit(step)/c10d::layer/add"), Pass::Forward);
}
