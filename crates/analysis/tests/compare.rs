//! `compare` on drawings whose differences are worked out by hand, and on real programs in which one
//! thing was made worse each (`fixtures/planted-cpu`).

use serde_json::Value;
use stepscope_analysis::{AnalysisError, Compared, find_comparison};
use stepscope_model::{Manifest, ManifestInput, Session, WallClock};

use crate::support::drawn;

fn compare(sessions: &[&Session], options: &[(&str, &str)]) -> Result<Value, AnalysisError> {
    let names = ["before", "after", "third"];
    let compared: Vec<Compared<'_>> = names
        .iter()
        .zip(sessions)
        .map(|(name, session)| Compared { name, session })
        .collect();
    let entry = find_comparison("compare").expect("it is listed");
    let answer = entry.run_pairs(&compared, options.iter().copied())?;
    answer.json()
}

fn both(before: &Session, after: &Session) -> Value {
    compare(&[before, after], &[]).expect("a report")
}

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is not a number"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn micros(value: &Value) -> f64 {
    number(value) / 1e6
}

/// What must hold of every report: the parts and the waterfall sum to the difference of the mean
/// typical step, and with the outliers to that of all steps.
fn check_sums(report: &Value) {
    for difference in list(&report["differences"]) {
        let index = usize::try_from(difference["session"].as_u64().expect("an index"));
        let index = index.expect("a small index");
        let mean = |session: usize, key: &str| number(&report["sessions"][session][key]);
        let expected = mean(index, "step_ps") - mean(0, "step_ps");
        let sum = |table: &str| -> f64 {
            let bars = list(&difference[table]).iter();
            bars.map(|bar| number(&bar["difference_ps"])).sum()
        };
        let of_typical = sum("waterfall");
        assert!(
            (of_typical - expected).abs() < 50.0,
            "{of_typical} is not {expected}"
        );
        let expected = mean(index, "all_steps_ps") - mean(0, "all_steps_ps");
        let of_all = of_typical + sum("outliers");
        assert!(
            (of_all - expected).abs() < 50.0,
            "{of_all} is not {expected}"
        );
        let parts = list(&difference["parts"]).iter();
        let sum: f64 = parts
            .map(|part| number(&part["time"]["difference_ps"]))
            .sum();
        let step = number(&difference["step"]["difference_ps"]);
        assert!((sum - step).abs() < 50.0, "{sum} is not {step}");
        let of_parts = list(&difference["parts"]).iter().map(|part| &part["time"]);
        let of_ops = list(&report["ops"]).iter().map(|op| &op["time"]);
        for time in of_parts.chain(of_ops).chain([&difference["step"]]) {
            let [low, estimate, high] =
                ["low_ps", "difference_ps", "high_ps"].map(|key| number(&time[key]));
            assert!(low <= estimate && estimate <= high, "{time}");
        }
    }
}

fn bar<'a>(report: &'a Value, kind: &str) -> &'a Value {
    let difference = &report["differences"][0];
    let tables = ["waterfall", "outliers"].into_iter();
    let mut bars = tables.flat_map(|table| list(&difference[table]));
    let found = bars.find(|bar| bar["kind"] == kind);
    found.unwrap_or_else(|| panic!("no {kind} in {difference:#?}"))
}

fn op<'a>(report: &'a Value, name: &str) -> &'a Value {
    let ops = list(&report["ops"]);
    let found = ops.iter().find(|op| op["other"]["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {ops:#?}"))
}

fn causes(report: &Value) -> Vec<(&str, &str)> {
    list(&report["differences"][0]["causes"])
        .iter()
        .filter_map(|cause| Some((cause["kind"].as_str()?, cause["text"].as_str()?)))
        .collect()
}

/// Six steps of one virtual device: a product, then an addition; `period` apart.
fn cpu(period: u64, rows: u64, dot: (&str, u64), add: (&str, u64)) -> Session {
    let ((dot, dot_us), (add, add_us)) = (dot, add);
    let dot_end = 10 + dot_us;
    let add_end = dot_end + add_us;
    drawn(&[&format!(
        "
        host vm
        program 5 jit_step
          p.0 = f32[{rows},16] parameter(0)
          {dot} = f32[{rows},{rows}] dot(p.0, p.0) op_name=\"jit(step)/mul\" source=\"train.py:7\"
          ROOT {add} = f32[{rows},{rows}] add({dot}, {dot}) op_name=\"jit(step)/add\" source=\"train.py:8\"
        thread python
        repeat 6 every {period}us
          0..{period}us train #step_num=$i,_r=1#
        end
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        repeat 6 every {period}us
          10..{dot_end}us {dot}
          {dot_end}..{add_end}us {add}
        end
        "
    )])
}

#[test]
fn a_slower_op_under_another_name_is_found_with_its_reason() {
    // Steps of 100 and 120 us; the product takes 30 and 50 us, the addition 10 and 10.
    let before = cpu(100, 8, ("dot.1", 30), ("add.2", 10));
    let after = cpu(120, 16, ("dot.41", 50), ("add.7", 10));
    let report = both(&before, &after);
    check_sums(&report);
    let step = &report["differences"][0]["step"];
    let ratio = number(&step["ratio"]);
    assert!((0.15..0.25).contains(&ratio), "{step}");
    assert_eq!(step["evidence"], "beyond_noise");
    let dot = op(&report, "dot.41");
    assert_eq!(dot["baseline"]["name"], "dot.1");
    assert_eq!(dot["matched"], "changed");
    assert!(
        (micros(&dot["time"]["difference_ps"]) - 20.0).abs() < 1e-6,
        "{dot}"
    );
    assert!((micros(&dot["step_difference_ps"]) - 20.0).abs() < 1e-6);
    assert_eq!(dot["change"], "its shape grew from f32[8,8] to f32[16,16]");
    assert_eq!(dot["other"]["program_id"], "5");
    let add = op(&report, "add.7");
    assert_eq!(add["baseline"]["name"], "add.2");
    assert!(micros(&add["time"]["difference_ps"]).abs() < 1e-6);
    assert!((micros(&bar(&report, "op")["difference_ps"]) - 20.0).abs() < 1e-6);
    let texts = causes(&report);
    let found = texts
        .iter()
        .find(|(kind, _)| *kind == "op_slower")
        .expect("the product");
    assert!(
        found
            .1
            .starts_with("dot.41 (was dot.1) at train.py:7 +20.00 µs per step"),
        "{found:?}"
    );
    let resized = texts
        .iter()
        .find(|(kind, _)| *kind == "resized")
        .expect("the size");
    assert!(
        resized.1.starts_with("a dimension changed from 8 to 16"),
        "{resized:?}"
    );
}

#[test]
fn a_session_against_itself_has_no_difference() {
    let session = cpu(100, 8, ("dot.1", 30), ("add.2", 10));
    let report = both(&session, &session);
    check_sums(&report);
    assert_eq!(
        list(&report["differences"][0]["waterfall"]),
        &[] as &[Value]
    );
    assert_eq!(causes(&report), []);
    assert_eq!(report["differences"][0]["step"]["evidence"], "within_noise");
    assert!(
        list(&report["ops"])
            .iter()
            .all(|op| op["matched"] == "same")
    );
    assert_eq!(report["differences"][0]["programs"][0]["matched"], "same");
}

/// A product of 40 us and a reduction of 30 us on two streams of a GPU, `start` us into the step.
fn gpu(start: u64, period: u64) -> Session {
    let end = start + 30;
    drawn(&[&format!(
        "
        host vm
        device gpu:0 nvidia H100
        stream 7 Compute
        repeat 6 every {period}us
          10..50us gemm_kernel [hlo_op=dot.1 program_id=5 hlo_module=jit_step correlation_id=11]
        end
        stream 8 Compute
        repeat 6 every {period}us
          {start}..{end}us ncclDevKernel_AllReduce [hlo_op=all-reduce.2 program_id=5 hlo_module=jit_step correlation_id=12]
        end
        thread python
        repeat 6 every {period}us
          0..{period}us train #step_num=$i,_r=1#
        end
        "
    )])
}

#[test]
fn a_lost_overlap_is_told_apart_from_a_slower_collective() {
    // The reduction takes 30 us in both: behind the product in one, after it in the other.
    let report = both(&gpu(20, 100), &gpu(50, 130));
    check_sums(&report);
    let overlap = bar(&report, "overlap");
    assert_eq!(overlap["part"], "collectives");
    assert!(
        (micros(&overlap["difference_ps"]) - 30.0).abs() < 1e-6,
        "{overlap}"
    );
    let reduction = op(&report, "all-reduce.2");
    assert!(
        micros(&reduction["step_difference_ps"]).abs() < 1e-6,
        "{reduction}"
    );
    let texts = causes(&report);
    let found = texts
        .iter()
        .find(|(kind, _)| *kind == "overlap")
        .expect("the overlap");
    assert_eq!(
        found.1,
        "communication: less overlap with computation, 30.00 µs more exposed per step"
    );
}

#[test]
fn what_an_overlap_hides_is_not_told_against_what_is_exposed() {
    // The reduction takes 30 us, none of it hidden, and then 130 us, half of it hidden.
    let longer = |end: u64| {
        let text = GPU.replace("40..70us nccl", &format!("40..{end}us nccl"));
        drawn(&[&text])
    };
    let report = both(&longer(70), &longer(130));
    check_sums(&report);
    let texts = causes(&report);
    let told = texts.iter().filter(|(kind, _)| *kind == "overlap");
    for (_, text) in told {
        assert!(!text.contains("less exposed per step"), "{texts:?}");
    }
}

/// A product of 30 us, then a reduction, and another product beside its end.
const GPU: &str = "
    host vm
    device gpu:0 nvidia H100
    stream 7 Compute
    repeat 6 every 200us
      10..40us gemm_kernel [hlo_op=dot.1 program_id=5 hlo_module=jit_step correlation_id=11]
      100..160us gemm_kernel [hlo_op=dot.3 program_id=5 hlo_module=jit_step correlation_id=13]
    end
    stream 8 Compute
    repeat 6 every 200us
      40..70us ncclDevKernel_AllReduce [hlo_op=all-reduce.2 program_id=5 hlo_module=jit_step correlation_id=12]
    end
    thread python
    repeat 6 every 200us
      0..200us train #step_num=$i,_r=1#
    end";

/// Steps of ten ops of the same program that take `each_us`, and of ten of another one.
fn ten_ops(each_us: u32, other: &str, other_us: u32) -> Session {
    let line = |at: u32, length: u32, name: &str, number: u32| {
        format!("{at}..{}us {name}.{number}\n", at + length)
    };
    let mut ops = String::new();
    let mut at = 1;
    for (name, length) in [("dot", each_us), (other, other_us)] {
        for number in 0..10 {
            ops += &line(at, length, name, number);
            at += length;
        }
    }
    drawn(&[&format!(
        "host vm
        thread python
        repeat 8 every 1000us
          0..999us train #step_num=$i,_r=1#
        end
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        repeat 8 every 1000us
          {ops}
        end"
    )])
}

#[test]
fn a_machine_is_suspected_only_if_most_of_the_work_is_slower() {
    let has = |after: &Session| {
        let report = both(&ten_ops(20, "add", 10), after);
        causes(&report).iter().any(|(kind, _)| *kind == "all_alike")
    };
    assert!(has(&ten_ops(40, "add", 20)));
    // Other ops took over: what the common ones lose says nothing about the machine.
    assert!(!has(&ten_ops(8, "tanh", 60)));
}

#[test]
fn an_extra_op_is_new_and_the_others_are_the_same() {
    let with = |extra: &str, operand: &str, slice: &str| {
        drawn(&[&format!(
            "
            host vm
            program 5 jit_step
              p.0 = f32[8,8] parameter(0)
              {extra}
              ROOT dot.1 = f32[8,8] dot({operand}, p.0) op_name=\"jit(step)/mul\" source=\"train.py:7\"
            thread python
            repeat 6 every 100us
              0..100us train #step_num=$i,_r=1#
            end
            thread tf_XLAEigen/42
            each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
            repeat 6 every 100us
              10..40us dot.1
              {slice}
            end
            "
        )])
    };
    let extra = "transpose.9 = f32[8,8] transpose(p.0) op_name=\"jit(step)/layout\" \
                 source=\"train.py:3\"";
    let before = with("", "p.0", "");
    let after = with(extra, "transpose.9", "40..45us transpose.9");
    let report = both(&before, &after);
    check_sums(&report);
    assert_eq!(op(&report, "dot.1")["matched"], "same");
    assert_eq!(op(&report, "transpose.9")["matched"], "new");
    let new = bar(&report, "new_op");
    assert!((micros(&new["difference_ps"]) - 5.0).abs() < 1e-6, "{new}");
    let texts = causes(&report);
    let found = texts
        .iter()
        .find(|(kind, _)| *kind == "op_new")
        .expect("the transpose");
    assert_eq!(
        found.1,
        "an extra transpose (transpose.9) at train.py:3: +5.000 µs per step"
    );
    let unnumbered = with(
        &extra.replace("transpose.9", "transpose"),
        "transpose",
        "40..45us transpose",
    );
    let with_unnumbered = both(&before, &unnumbered);
    let texts = causes(&with_unnumbered);
    let is_new = "transpose at train.py:3 is new: +5.000 µs per step";
    assert!(texts.iter().any(|(_, text)| *text == is_new), "{texts:?}");
    let program = &report["differences"][0]["programs"][0];
    assert_eq!(program["added"][0], "transpose.9 f32[8,8]");
    assert_eq!(program["opcodes"][0]["opcode"], "transpose");
    let reversed = both(&after, &before);
    check_sums(&reversed);
    assert!((micros(&bar(&reversed, "gone_op")["difference_ps"]) + 5.0).abs() < 1e-6);
}

#[test]
fn few_steps_give_figures_and_no_claim() {
    let steps = |period: u64| {
        drawn(&[&format!(
            "
            host vm
            thread python
            repeat 3 every {period}us
              0..{period}us train #step_num=$i,_r=1#
            end
            thread tf_XLAEigen/42
            each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
            repeat 3 every {period}us
              10..90us dot.1
            end
            "
        )])
    };
    let report = both(&steps(100), &steps(200));
    check_sums(&report);
    let step = &report["differences"][0]["step"];
    assert_eq!(step["evidence"], "too_few_steps");
    assert!(number(&step["difference_ps"]) > 5e7, "{step}");
    let notes = list(&report["notes"]).iter();
    let warnings = notes.filter(|note| note["kind"] == "warning");
    assert_eq!(warnings.count(), 2);
}

#[test]
fn three_sessions_are_each_held_against_the_first() {
    let sessions = [100, 120, 100].map(|period| cpu(period, 8, ("dot.1", 30), ("add.2", 10)));
    let report = compare(&[&sessions[0], &sessions[1], &sessions[2]], &[]).expect("a report");
    check_sums(&report);
    assert_eq!(list(&report["sessions"]).len(), 3);
    let evidence = |index: usize| report["differences"][index]["step"]["evidence"].clone();
    assert_eq!(
        (evidence(0), evidence(1)),
        ("beyond_noise".into(), "within_noise".into())
    );
    let some = compare(
        &[&sessions[0], &sessions[1]],
        &[("match", "add"), ("limit", "1")],
    );
    let some = some.expect("a report");
    assert_eq!(some["op_count"], 1);
    assert_eq!(some["ops"][0]["other"]["name"], "add.2");
}

/// Two runs of a program that holds both methods: three kernels below `lcam`, five below `tad`.
const METHODS: &str = "
    host vm
    program 5 jit_step
      p.0 = f32[8,16] parameter(0)
      dot.1 = f32[8,8] dot(p.0, p.0) op_name=\"jit(step)/lcam/mul\"
      ROOT add.2 = f32[8,8] add(dot.1, dot.1) op_name=\"jit(step)/transpose(jvp(tad))/add\"
    device gpu:0 nvidia H100
    stream 7 Compute
    each [hlo_module=jit_step program_id=5]
    repeat 2 every 100us
      10..20us gemm [hlo_op=dot.1 correlation_id=1]
      20..25us fill [hlo_op=dot.1 correlation_id=2]
      30..60us gemm [hlo_op=add.2 correlation_id=3]
      60..65us sum [hlo_op=add.2 correlation_id=4]
      70..75us sum [hlo_op=add.2 correlation_id=5]
    end
    thread python
    repeat 2 every 100us
      0..90us train #step_num=$i,_r=1#
    end
";

#[test]
fn two_scopes_of_one_capture_are_compared_kernel_by_kernel() {
    let session = drawn(&[METHODS]);
    let report = compare(&[&session], &[("scope", "lcam, tad")]).expect("one capture is enough");
    let methods = list(&report["methods"]);
    let told: Vec<_> = methods
        .iter()
        .map(|method| {
            let text = |key: &str| method[key].as_str().unwrap_or_default().to_owned();
            (text("name"), micros(&method["device_ps"]).round())
        })
        .collect();
    let per = if methods[0]["unit"] == "run" {
        1.0
    } else {
        2.0
    };
    let expected = [
        ("before: lcam".to_owned(), 15.0 * per),
        ("before: tad".to_owned(), 40.0 * per),
    ];
    assert_eq!(told, expected);
    assert!((number(&methods[1]["ratio"]) - 40.0 / 15.0).abs() < 1e-9);
    let kernels: Vec<_> = list(&report["kernels"])
        .iter()
        .map(|row| {
            let each = |key: &str| (number(&row[key]) / per).round();
            let name = row["name"].as_str().unwrap_or_default();
            (
                name,
                each("baseline_count"),
                each("count"),
                micros(&row["difference_ps"]) / per,
            )
        })
        .collect();
    assert_eq!(
        kernels,
        [
            ("gemm", 1.0, 1.0, 20.0),
            ("sum", 0.0, 2.0, 10.0),
            ("fill", 1.0, 0.0, -5.0)
        ]
    );
    let missing = compare(&[&session], &[("scope", "lcam,mul_2")]).expect_err("no such scope");
    let text = missing.to_string();
    assert!(
        text.starts_with("--scope mul_2 matches nothing; available: add, jit"),
        "{text}"
    );
    assert!(
        compare(&[&session], &[("scope", "lcam")]).is_err(),
        "one scope of one capture"
    );
}

#[test]
fn kernels_of_whole_sessions_are_per_step() {
    let [before, after] = [("dot.1", 30), ("dot.7", 50)].map(|dot| cpu(100, 8, dot, ("add.2", 10)));
    let report = both(&before, &after);
    let methods = list(&report["methods"]);
    assert_eq!(methods.len(), 2);
    assert_eq!(
        (&methods[0]["unit"], &methods[0]["count"]),
        (&"step".into(), &6.into())
    );
    assert!((micros(&methods[0]["device_ps"]) - 40.0).abs() < 0.01);
    let dot = &report["kernels"][0];
    assert_eq!(
        dot["name"], "dot",
        "numbers tell instructions apart, not kinds of work"
    );
    assert!((micros(&dot["difference_ps"]) - 20.0).abs() < 0.01);
    assert!(number(&report["kernels"][1]["difference_ps"]).abs() < 1.0);
    assert!(
        report["sessions"][0]["wall_step_ps"].is_null(),
        "no manifest"
    );
}

#[test]
fn wall_times_stand_beside_the_steps() {
    let clock = WallClock {
        total_seconds: Some(7.0),
        training_seconds: Some(6.5),
    };
    let manifest = Manifest {
        mean_step_ns: Some(200_000.0),
        wall_clock: Some(clock),
        ..Manifest::default()
    };
    let session = cpu(100, 8, ("dot.1", 30), ("add.2", 10));
    let host = session.hosts[0].name.clone();
    let manifest = Ok(manifest);
    let session = session.with_manifests(vec![ManifestInput { host, manifest }]);
    let report = both(&session, &session);
    let first = &report["sessions"][0];
    assert!((micros(&first["wall_step_ps"]) - 200.0).abs() < 1e-6);
    assert!((number(&first["training_wall_ps"]) - 6.5e12).abs() < 1.0);
    assert!((number(&first["run_wall_ps"]) - 7e12).abs() < 1.0);
}

#[test]
fn what_cannot_be_compared_is_said() {
    let session = cpu(100, 8, ("dot.1", 30), ("add.2", 10));
    let alone = compare(&[&session], &[]).expect_err("one is too few");
    assert_eq!(
        alone.to_string(),
        "compare needs at least 2 sessions; got 1"
    );
    let empty = compare(&[&session, &session], &[("steps", "77")]).expect_err("no such step");
    assert!(
        empty
            .to_string()
            .starts_with("before: --steps 77 matches nothing"),
        "{empty}"
    );
    assert!(compare(&[&session, &session], &[("confidence", "2")]).is_err());
    assert!(compare(&[&session, &session], &[("run-noise", "-1")]).is_err());
    let without = drawn(&["host vm\nthread python\n0..9us work\n"]);
    let report = both(&session, &without);
    assert!(report["differences"][0]["step"].is_null());
}

/// The base program, or a variant of it.
fn variant(name: &str) -> Session {
    let folder = stepscope_testing::corpus::repository_root().join("fixtures/planted-cpu");
    let path = folder.join(format!("{name}/plugins/profile/{name}/vm.xplane.pb.gz"));
    crate::support::open(&stepscope_testing::corpus::Capture {
        name: name.to_owned(),
        folder,
        hosts: vec![path],
        own: true,
    })
}

/// The report of the base program against a variant of it.
fn planted(name: &str) -> Value {
    let report = both(&variant("base"), &variant(name));
    check_sums(&report);
    report
}

fn matched<'a>(report: &'a Value, how: &str) -> Vec<&'a Value> {
    let ops = list(&report["ops"]).iter();
    ops.filter(|op| op["matched"] == how).collect()
}

#[test]
fn a_planted_slower_layer_is_found() {
    let report = planted("slower");
    assert_eq!(report["differences"][0]["step"]["evidence"], "beyond_noise");
    // Six more products in the forward pass and twelve in the backward pass, all of one layer.
    let new = matched(&report, "new");
    let of_layer = new.iter().filter(|op| {
        let scope = op["other"]["scope"].as_str().unwrap_or_default();
        scope.contains("layer_1")
    });
    assert_eq!(of_layer.count(), 18, "{new:#?}");
    assert_eq!(new.len(), 18);
    let texts = causes(&report);
    let found = texts
        .iter()
        .find(|(kind, _)| *kind == "op_new")
        .expect("extra ops");
    assert!(found.1.contains("extra ops at "), "{found:?}");
    assert!(found.1.contains("capture_planted.py:29"), "{found:?}");
    let program = &report["differences"][0]["programs"][0];
    assert_eq!(program["matched"], "changed");
}

#[test]
fn a_planted_transpose_is_found() {
    let report = planted("transpose");
    let new = matched(&report, "new");
    let is_layout = |op: &&&Value| {
        let scope = op["other"]["scope"].as_str().unwrap_or_default();
        scope.contains("layout") && scope.ends_with("transpose")
    };
    assert!(new.iter().any(|op| is_layout(&op)), "{new:#?}");
    let texts = causes(&report);
    let found = texts
        .iter()
        .find(|(kind, _)| *kind == "op_new")
        .expect("the transpose");
    assert!(
        found.1.starts_with("an extra transpose_copy_fusion"),
        "{found:?}"
    );
    let gone = matched(&report, "gone");
    assert!(gone.is_empty(), "{gone:#?}");
}

#[test]
fn a_planted_recompilation_is_found() {
    let report = planted("recompile");
    let texts = causes(&report);
    let found = texts
        .iter()
        .find(|(kind, _)| *kind == "recompiled")
        .expect("compilations");
    assert!(found.1.contains("train_step"), "{found:?}");
    assert!(found.1.contains("3 times"), "{found:?}");
    assert!(number(&bar(&report, "outlier_compilation")["difference_ps"]) > 1e9);
}

#[test]
fn a_planted_batch_is_found() {
    let report = planted("batch");
    let texts = causes(&report);
    let found = texts
        .iter()
        .find(|(kind, _)| *kind == "resized")
        .expect("a size");
    assert!(
        found.1.starts_with("a dimension changed from 256 to 512"),
        "{found:?}"
    );
    assert!(matched(&report, "new").is_empty());
    assert!(matched(&report, "gone").is_empty());
}

/// A larger batch needs more memory: as much as the peaks of the two plans differ by.
#[test]
fn memory_that_a_planted_batch_needs_is_found() {
    let report = planted("batch");
    let all = list(&report["differences"][0]["causes"]).iter();
    let of_memory: Vec<&Value> = all.filter(|cause| cause["kind"] == "memory_plan").collect();
    let [cause] = of_memory.as_slice() else {
        panic!("one program changed: {of_memory:#?}");
    };
    let peak = |name: &str| {
        let options = [("program", "train_step")];
        number(&crate::support::ask(&variant(name), "buffers", &options)["peak_bytes"])
    };
    let grown = peak("batch") - peak("base");
    assert!(grown > 0.0);
    assert_eq!(number(&cause["difference_bytes"]), grown);
    let text = cause["text"].as_str().expect("a text");
    assert!(text.contains("temporary f32[512,256] of "), "{text}");
    let source = cause["source"].as_str().expect("a source");
    assert!(source.contains("capture_planted.py:"), "{cause}");
}

/// Steps that scatter so much that the mean proves nothing.
const SHORT: [u64; 5] = [150, 250, 180, 220, 200];
const LONG: [u64; 5] = [380, 620, 430, 560, 480];

#[test]
fn steps_without_overlap_and_other_work_are_a_difference() {
    let report = both(
        &crate::support::uneven(SHORT, 20),
        &crate::support::uneven(LONG, 60),
    );
    let difference = &report["differences"][0];
    let step = &difference["step"];
    assert_eq!(step["evidence"], "beyond_noise", "{step}");
    assert!((number(&step["p_value"]) - 2.0 / 252.0).abs() < 1e-12);
    assert!(micros(&step["low_ps"]) > 150.0, "{step}");
    let conclusion = difference["conclusion"].as_str().expect("a sentence");
    let told = "after takes 2.47 times as long as before: mean typical step";
    assert!(conclusion.starts_with(told), "{conclusion}");
}

#[test]
fn steps_without_overlap_of_the_same_work_may_be_the_machine() {
    let report = both(
        &crate::support::uneven(SHORT, 20),
        &crate::support::uneven(LONG, 20),
    );
    let difference = &report["differences"][0];
    assert_eq!(difference["step"]["evidence"], "within_noise");
    let conclusion = difference["conclusion"].as_str().expect("a sentence");
    for part in [
        "after may be slower than before",
        "every step of after is longer than every step of before",
        "Compare another run of each.",
    ] {
        assert!(conclusion.contains(part), "{conclusion}");
    }
}

#[test]
fn an_interval_beyond_all_reason_is_too_noisy_to_tell() {
    let scattered = [160, 900, 320, 620, 450];
    let report = both(
        &crate::support::uneven(SHORT, 20),
        &crate::support::uneven(scattered, 60),
    );
    let conclusion = report["differences"][0]["conclusion"]
        .as_str()
        .expect("a sentence");
    for part in [
        "Too noisy to tell whether after differs from before",
        "They did different work: 60 instead of 20 ops, kernels and copies per step and device.",
        "Capture more steps, or compare another run of each.",
    ] {
        assert!(conclusion.contains(part), "{conclusion}");
    }
}

#[test]
fn a_copy_to_the_device_is_never_one_to_the_host() {
    let copies = |kind: &str, src: &str, dst: &str| {
        drawn(&[&format!(
            "
            host vm
            device gpu:0 nvidia H100
            stream 9 {kind}
            repeat 6 every 100us
              10..60us {kind} [kind_src={src} kind_dst={dst} size=4096]
            end
            thread python
            repeat 6 every 100us
              0..100us train #step_num=$i,_r=1#
            end
            "
        )])
    };
    let report = both(
        &copies("MemcpyH2D", "pinned", "device"),
        &copies("MemcpyD2H", "device", "pinned"),
    );
    let matched: Vec<_> = list(&report["ops"])
        .iter()
        .map(|op| &op["matched"])
        .collect();
    assert_eq!(matched.len(), 2, "{:#}", report["ops"]);
    assert!(matched.contains(&&Value::from("new")) && matched.contains(&&Value::from("gone")));
}

#[test]
fn another_chip_is_the_first_cause() {
    let on = |chip: &str, end: u64| {
        drawn(&[&format!(
            "
            host vm
            device gpu:0 nvidia {chip}
            stream 7 Compute
            repeat 6 every 100us
              10..{end}us gemm_kernel [hlo_op=dot.1 program_id=5 hlo_module=jit_step correlation_id=11]
            end
            thread python
            repeat 6 every 100us
              0..100us train #step_num=$i,_r=1#
            end
            "
        )])
    };
    let report = both(&on("A100", 90), &on("H100", 40));
    let causes = causes(&report);
    assert_eq!(causes[0].0, "environment", "{causes:?}");
    assert!(
        causes[0].1.contains("A100") && causes[0].1.contains("H100"),
        "{causes:?}"
    );
    assert!(
        causes.iter().any(|(kind, _)| *kind == "op_faster"),
        "{causes:?}"
    );
}
