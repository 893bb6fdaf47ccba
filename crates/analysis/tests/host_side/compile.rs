//! Compilations, their phases, and what was compiled again.

use serde_json::json;
use stepscope_testing::corpus;

use super::{cause, micros, picos, rows, text};
use crate::support::{ask, drawn, open};

#[test]
fn a_compilation_and_its_phases() {
    let session = drawn(&["
        host vm
        thread python
          0..1000us    train #step_num=7,_r=1#
          0..500us     PjitFunction(step)
          10..60us     $partial_eval.py:1 trace_to_jaxpr
          60..100us    lower_sharding_computation
          110..480us   $compiler.py:1 compile_or_get_cached
          115..120us   $lru_cache.py:84 get
          130..470us   backend_compile_and_load
          600..660us   PjitFunction(step)
          602..610us   $partial_eval.py:1 trace_to_jaxpr
          610..620us   lower_sharding_computation
          625..655us   $compiler.py:1 compile_or_get_cached
          630..650us   $lru_cache.py:84 get
        thread pool/3
          150..250us   HLO passes (jit_step)
          160..180us   algsimp
          250..460us   CpuCompiler::RunBackend
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step device_ordinal=0]
          485..500us   dot.1 [program_id=5 run_id=1]
          655..660us   dot.1 [program_id=6 run_id=2]
        program 5 jit_step
          ROOT p.0 = f32[32,64] parameter(0)
        program 6 jit_step
          ROOT p.0 = f32[24,64] parameter(0)
    "]);
    let report = ask(&session, "compile", &[("sort", "-start_ps")]);
    let (first, second) = (&rows(&report, "rows")[0], &rows(&report, "rows")[1]);
    assert_eq!(text(first, "function"), "step");
    assert_eq!(
        (micros(first, "start_ps"), micros(first, "duration_ps")),
        (10, 470)
    );
    assert_eq!(micros(first, "trace_ps"), 50);
    assert_eq!(micros(first, "lower_ps"), 40);
    assert_eq!(micros(first, "optimize_ps"), 100);
    assert_eq!(micros(first, "generate_ps"), 210);
    assert_eq!(
        micros(first, "backend_ps"),
        20 + 10,
        "130..150 and 460..470"
    );
    assert_eq!(micros(first, "cache_ps"), 20 + 10, "110..130 and 470..480");
    assert_eq!(micros(first, "other_ps"), 10);
    assert_eq!(
        (text(first, "cache"), text(second, "cache")),
        ("miss", "hit")
    );
    assert_eq!(
        (&first["step"], &first["is_again"]),
        (&json!(7), &json!(false))
    );
    assert_eq!(text(first, "program"), "jit_step(5)");
    assert_eq!(text(second, "program"), "jit_step(6)");
    assert_eq!(second["is_again"], json!(true));
    assert_eq!(
        text(second, "change"),
        "argument 0: f32[32,64] → f32[24,64]"
    );
    let passes = rows(&report, "passes");
    let pass = |name: &str| {
        passes
            .iter()
            .find(|row| row["name"] == json!(name))
            .expect("a pass")
    };
    assert_eq!(micros(pass("algsimp"), "self_ps"), 20);
    assert_eq!(micros(pass("HLO passes (jit_step)"), "self_ps"), 80);
    // The mean step waits for it, however short it is.
    assert_eq!(report["verdict"], json!("bad"));
    let function = &rows(&report, "functions")[0];
    assert_eq!(
        (&function["count"], &function["again_count"]),
        (&json!(2), &json!(1))
    );
}

#[test]
fn the_fixture_of_compilations() {
    let fixtures = corpus::fixtures();
    let capture = fixtures
        .iter()
        .find(|capture| capture.name == "compile-cpu")
        .expect("a fixture");
    let report = ask(&open(capture), "compile", &[("sort", "-start_ps")]);
    let found: Vec<(&str, Option<i64>, bool, &str)> = rows(&report, "rows")
        .iter()
        .map(|row| {
            let is_again = row["is_again"] == json!(true);
            (
                text(row, "function"),
                row["step"].as_i64(),
                is_again,
                text(row, "cache"),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("train_step", Some(0), false, "miss"),
            ("train_step", Some(3), true, "miss"),
            ("evaluate", Some(4), false, "hit"),
        ]
    );
    let programs: Vec<&str> = rows(&report, "rows")
        .iter()
        .map(|row| text(row, "program"))
        .collect();
    assert_eq!(
        programs,
        [
            "jit_train_step(9)",
            "jit_train_step(12)",
            "jit_evaluate(17)"
        ],
        "what came out of the cache is its program, whose ops say 0"
    );
    for row in rows(&report, "rows") {
        let phases = [
            "trace", "lower", "optimize", "generate", "autotune", "backend", "cache", "other",
        ];
        let sum: i64 = phases
            .iter()
            .map(|phase| picos(row, &format!("{phase}_ps")))
            .sum();
        assert_eq!(sum, picos(row, "duration_ps"));
        assert!(
            phases
                .iter()
                .all(|phase| picos(row, &format!("{phase}_ps")) >= 0),
            "{row}"
        );
    }
}

/// Under `jax.disable_jit`, the call of the outer function runs many programs, one of which is compiled: only
/// the call of that one, from its beginning, is compilation.
#[test]
fn the_innermost_call_around_a_compilation_is_the_one_that_compiles() {
    let text = "
        thread python
        repeat 4 every 1ms
          0..990us     train #step_num=$i,_r=1#
          10..980us    PjitFunction(step)
          20..30us     PjitFunction(mul)
          500..700us   PjitFunction(pow)
          600..690us   backend_compile_and_load
        end
        thread tf_XLAEigen/1
        each [hlo_op=$name hlo_module=jit_pow program_id=5 device_ordinal=0]
        repeat 4 every 1ms
          700..990us dot.1 [run_id=$i]
        end";
    let report = ask(&drawn(&[text]), "idle", &[]);
    assert_eq!(cause(&report, "compilation"), 4 * 190, "{report}");
}
