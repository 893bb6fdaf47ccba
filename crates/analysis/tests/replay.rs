//! Replays: every capture is admitted or refused with a reason, from dependencies alone; changes of
//! drawn captures give what arithmetic by hand gives; slow code agrees.

use serde_json::Value;
use stepscope_analysis::asking::selection::Selection;
use stepscope_analysis::views::replay::Replay;
use stepscope_analysis::views::replay::admission::{Admission, MOST_ERROR};
use stepscope_analysis::views::replay::effects::{Effects, Reading};
use stepscope_analysis::views::replay::graph::{Edge, EdgeKind, Graph, NodeKind};
use stepscope_analysis::views::replay::run::Times;
use stepscope_model::Session;

use crate::support::{all_captures, ask, drawn, number, open};

const TPU: &str = include_str!("../../../fixtures/drawn/tpu-v6e.txt");
const GPU: &str = include_str!("../../../fixtures/drawn/gpu-h100.txt");
const US: f64 = 1e6;

/// Starts by going over all edges until nothing moves any more: no order, no shared code.
fn brute_force(
    graph: &Graph,
    duration: impl Fn(usize) -> i64,
    lag: impl Fn(&Edge) -> Option<i64>,
    delay: impl Fn(usize) -> i64,
) -> Vec<i64> {
    let count = graph.nodes.len();
    let mut starts: Vec<i64> = (0..count).map(&delay).collect();
    // Most nodes come after what they wait for; the rest take more rounds.
    for round in 0.. {
        let mut moved = false;
        for node in 0..count {
            let edges = &graph.edges[graph.first[node] as usize..graph.first[node + 1] as usize];
            for edge in edges {
                let Some(lag) = lag(edge) else { continue };
                let from = edge.from as usize;
                let at = starts[from] + duration(from) + lag + delay(node);
                if at > starts[node] {
                    starts[node] = at;
                    moved = true;
                }
            }
        }
        if !moved {
            break;
        }
        assert!(round < count, "a circle");
    }
    starts
}

/// Every label at half its time, the network unchanged.
fn halved(session: &Session) -> Effects {
    Effects {
        work: vec![0.5; session.labels.len()],
        transfer: vec![0.5; session.labels.len()],
        ..Effects::none()
    }
}

fn half(time: i64) -> i64 {
    // Halves away from zero, as `f64::round` does.
    (time + 1) / 2
}

fn agree(session: &Session, name: &str) {
    let replay = Replay::of(session);
    let graph = &replay.graph;
    let counts = |edge: &Edge| edge.kind != EdgeKind::Loose;
    // Silent threads wait, so that their stretches count only as far as something was recorded.
    let awake = |node: usize| {
        let number = u32::try_from(node).expect("few nodes");
        let elastic = graph.elastic.get(&number);
        graph.nodes[node].duration_ps - elastic.map_or(0, |one| one.silent_ps)
    };
    let slow = brute_force(
        graph,
        awake,
        |edge| counts(edge).then_some(edge.lag_ps),
        |node| graph.nodes[node].delay_ps,
    );
    assert_eq!(slow, replay.unchanged.start_ps, "{name}, unchanged");
    let slow = brute_force(
        graph,
        |node| match graph.nodes[node].kind {
            NodeKind::Host => awake(node),
            _ => half(graph.nodes[node].duration_ps),
        },
        |edge| {
            let is_scaled = matches!(
                edge.kind,
                EdgeKind::Transfer
                    | EdgeKind::HiddenTransfer
                    | EdgeKind::Pair
                    | EdgeKind::HiddenPair
            );
            let lag = if is_scaled {
                half(edge.lag_ps)
            } else {
                edge.lag_ps
            };
            counts(edge).then_some(lag)
        },
        |node| graph.nodes[node].delay_ps,
    );
    let fast: Times = replay.with(&halved(session), Reading::Likely);
    assert_eq!(slow, fast.start_ps, "{name}, halved");
}

#[test]
fn slow_replays_agree() {
    agree(&drawn(&[TPU]), "tpu");
    agree(&drawn(&[GPU]), "gpu");
    for capture in all_captures() {
        agree(&open(&capture), &capture.name);
    }
}

#[test]
fn every_capture_is_admitted_or_refused_with_a_reason() {
    let mut admitted = 0;
    println!("| capture | nodes | edges | steps | error | refused because |");
    for capture in all_captures() {
        let session = open(&capture);
        let replay = Replay::of(&session);
        let selection = Selection::default();
        let selected = selection.resolve(&session).expect("everything");
        let admission = Admission::of(&session, &replay, &selected);
        let graph = &replay.graph;
        println!(
            "| {} | {} | {} | {} | {:.4} % | {} |",
            capture.name,
            graph.nodes.len(),
            graph.edges.len(),
            admission.steps.len(),
            admission.error_ratio * 100.0,
            admission.refusal.as_deref().unwrap_or_default(),
        );
        if let Some(refusal) = &admission.refusal {
            assert!(refusal.ends_with('.'), "{refusal}");
            continue;
        }
        admitted += 1;
        for one in &admission.steps {
            let replayed = one.length_ps(&replay.unchanged) as f64;
            let recorded = one.span.duration().0 as f64;
            assert!((replayed - recorded).abs() <= MOST_ERROR * recorded);
        }
        paths_sum_to_steps(&session, &capture.name);
        pictures_are_whole(&session, &capture.name);
    }
    assert!(admitted >= 5, "{admitted}");
}

/// The pieces of each path sum to the replayed step.
fn paths_sum_to_steps(session: &Session, name: &str) {
    let report = ask(session, "critical_path", &[("limit", "0")]);
    for row in rows(&report, "steps") {
        let kinds = ["compute", "collective", "copy", "host", "launch", "idle"];
        let sum: i64 = kinds
            .iter()
            .map(|kind| row[format!("{kind}_ps")].as_i64().expect("a figure"))
            .sum();
        assert_eq!(
            sum,
            row["replayed_ps"].as_i64().expect("a figure"),
            "{name}: {row}"
        );
    }
    let listed: i64 = rows(&report, "rows")
        .iter()
        .map(|row| row["duration_ps"].as_i64().expect("a figure"))
        .sum();
    let shown = rows(&report, "steps")
        .iter()
        .find(|row| row["step"] == report["shown_step"]);
    let shown = shown.expect("the listed step")["replayed_ps"].clone();
    assert_eq!(Some(listed), shown.as_i64(), "{name}");
}

fn rows<'a>(report: &'a Value, key: &str) -> &'a [Value] {
    report[key].as_array().map_or(&[], Vec::as_slice)
}

/// Recorded and changed step, recorded and changed time per step, with bounds, in µs.
pub(crate) fn what_if(session: &Session, change: &str) -> [f64; 6] {
    let report = ask(session, "what_if", &[("change", change)]);
    assert_eq!(report["is_admitted"], true, "{report}");
    let keys = [
        "step_ps",
        "changed_step_ps",
        "before_ps",
        "after_ps",
        "low_ps",
        "high_ps",
    ];
    keys.map(|key| report[key].as_f64().expect("a figure") / US)
}

fn check(session: &Session, change: &str, expected: [f64; 6]) {
    let found = what_if(session, change);
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            (found - expected).abs() < 1e-3,
            "{change}: {found} instead of {expected}, of {:?}",
            what_if(session, change)
        );
    }
}

/// Two cores, four steps of 850 µs that begin at 0, 1000, 2000 and 3400 µs, with 850 µs between them:
/// three times 283.3 on average.
#[test]
fn changes_of_two_cores_by_hand() {
    let session = drawn(&[TPU]);
    let between = 850.0 / 3.0;
    let changed = |step: f64, between_after: f64| {
        let after = step + between_after;
        [850.0, step, 850.0 + between, after, after, after]
    };
    let same = |step: f64| changed(step, between);
    // The last op of each step: 100 µs, and the next step begins that much earlier.
    check(&session, r"remove:^dot\.5$", same(750.0));
    // Both have arrived at 620, and leave at 700: 80 µs of transfer.
    check(&session, "hide:collectives", same(770.0));
    check(&session, "network:2", same(810.0));
    check(&session, "network:0.5", same(930.0));
    // Of two, the earlier arrival is the median: 600 instead of 620.
    check(&session, "align", same(830.0));
    // Without it, one core needs 750 and the other 770 µs, from the first step to the last.
    check(&session, "remove:collectives", same(760.0));
    // Products take half: the later core arrives at 260 + 100, then 80 + 50 + 50.
    check(&session, "scale:convolution:0.5", same(540.0));
    // Between steps, the host loads for 120, 120 and 520 µs: 30 remain each time.
    check(&session, "no-input-wait", changed(850.0, 30.0));
    check(
        &session,
        "hide:collectives; no-input-wait",
        changed(770.0, 30.0),
    );
}

/// Four steps, 1000 µs apart: the host loads for 200 µs, calls, reads the result, and goes on.
const LOOP: &str = "
    host vm
    thread python
    repeat 4 every 1000us
      0..900us   train #step_num=$i,_r=1#
      0..200us   load
      200..210us PjitFunction(step)
      210..790us np.asarray(jax.Array)
    end
    thread tf_XLAEigen/42
    each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
    repeat 4 every 1000us
      220..420us dot.1
      420..720us dot.2
    end
";

/// A read waits for the result, from 210 to 720, and copies it for 70 µs.
#[test]
fn a_read_waits_for_the_device() {
    let session = drawn(&[LOOP]);
    let report = ask(&session, "critical_path", &[]);
    let step = &rows(&report, "steps")[1];
    let us = |key: &str| step[key].as_f64().expect("a figure") / US;
    assert_eq!(us("compute_ps"), 500.0, "{step}");
    // It loads for 200, needs 20 to begin the work, and copies; then nothing is recorded.
    assert_eq!(us("host_ps") + us("launch_ps"), 290.0, "{step}");
    assert_eq!(us("idle_ps"), 110.0, "{step}");
    let gain = |change: &str| {
        let [before, after, ..] = what_if(&session, change);
        before - after
    };
    // The copy, and 10 in which the work has not begun and the host reads already.
    assert_eq!(gain("no-host:transfer"), 80.0);
    assert_eq!(gain("scale:compute:0.5"), 250.0);
}

/// Python waits there in a frame that records nothing; the device is busy for 587.5 of 700.8 µs.
#[test]
fn a_thread_that_goes_on_soon_after_the_device_waited_for_it() {
    let captures = all_captures().into_iter();
    for capture in captures.filter(|capture| capture.name == "mi300x-jax-gemm") {
        let report = ask(&open(&capture), "critical_path", &[]);
        let step = &rows(&report, "steps")[1];
        assert!(step["compute_ps"].as_f64() >= Some(585.0 * US), "{step}");
        let us = |key: &str| number(&step[key]) / US;
        assert!(us("host_ps") + us("launch_ps") <= 115.0, "{step}");
    }
}

/// Without its first op, a program still waits for the host that calls it.
#[test]
fn a_removed_first_op_leaves_its_program_waiting() {
    let session = drawn(&[LOOP]);
    for (change, gain) in [
        (r"remove:^dot\.1$", 200.0),
        (r"remove:^dot\.2$", 300.0),
        ("remove:compute", 500.0),
    ] {
        let [before, after, _, _, low, high] = what_if(&session, change);
        assert_eq!(before - after, gain, "{change}");
        assert!(low <= high, "{change}: {low} {high}");
    }
}

/// A lane of the picture: device, whether it is communication, busy time before and after, pieces
/// that are gone and shorter.
type LaneFigures = (String, bool, [f64; 2], [i64; 2]);

#[test]
fn the_picture_of_two_cores_by_hand() {
    let session = drawn(&[TPU]);
    let report = ask(&session, "what_if", &[("change", "hide:collectives")]);
    let picture = &report["picture"];
    let us = |value: &Value| value.as_f64().expect("a time") / US;
    // All steps are equally long: the second is the median.
    assert_eq!(picture["step"], 1);
    assert_eq!(
        (us(&picture["before_ps"]), us(&picture["after_ps"])),
        (850.0, 770.0)
    );
    let lanes = rows(picture, "lanes");
    let figures = |lane: &Value| -> LaneFigures {
        (
            lane["device"].as_str().expect("a name").to_owned(),
            lane["is_communication"] == true,
            [us(&lane["before_busy_ps"]), us(&lane["after_busy_ps"])],
            ["removed", "shorter"].map(|key| lane[key].as_i64().expect("a count")),
        )
    };
    let of = |device: &str| device.to_owned();
    // The first core still waits for the second from 600 to 620.
    assert_eq!(
        lanes.iter().map(figures).collect::<Vec<_>>(),
        [
            (of("TPU:0"), false, [750.0, 750.0], [0, 0]),
            (of("TPU:0"), true, [100.0, 20.0], [0, 1]),
            (of("TPU:1"), false, [770.0, 770.0], [0, 0]),
            (of("TPU:1"), true, [80.0, 0.0], [1, 0]),
        ]
    );
    let drawn_as = |slices: &Value| -> Vec<(f64, f64, String, String)> {
        let all = slices.as_array().expect("slices").iter();
        let word = |slice: &Value, key: &str| slice[key].as_str().expect("a word").to_owned();
        all.map(|one| {
            let (start, length) = (us(&one["start_ps"]), us(&one["duration_ps"]));
            (start, length, word(one, "what"), word(one, "change"))
        })
        .collect()
    };
    let same =
        |start: f64, length: f64, what: &str| (start, length, what.to_owned(), "same".to_owned());
    assert_eq!(
        drawn_as(&lanes[0]["after"]),
        [
            same(0.0, 500.0, "dot.1"),
            same(500.0, 100.0, "fusion.2"),
            same(620.0, 50.0, "copy.4"),
            same(670.0, 100.0, "dot.5"),
        ]
    );
    let gone = (620.0, 80.0, of("all-reduce.3"), of("removed"));
    assert_eq!(drawn_as(&lanes[3]["before"]), [gone]);
    assert_eq!(drawn_as(&lanes[3]["after"]), []);
}

/// Slices of a picture are few, in order and apart, and cover all work of their lane.
fn pictures_are_whole(session: &Session, name: &str) {
    let entry = stepscope_analysis::find("what_if").expect("it exists");
    // Some captures have no compute.
    let Ok(answer) = entry.run_pairs(session, [("change", "scale:compute:0.5")]) else {
        return;
    };
    let report = answer.json().expect("JSON");
    for lane in rows(&report["picture"], "lanes") {
        for (slices, busy) in [("before", "before_busy_ps"), ("after", "after_busy_ps")] {
            let (mut end, mut sum, mut pieces) = (i64::MIN, 0, 0);
            let slices = lane[slices].as_array().expect("slices");
            assert!(slices.len() < 2000, "{name}: {}", slices.len());
            for slice in slices {
                let figure = |key: &str| slice[key].as_i64().expect("a figure");
                assert!(figure("start_ps") >= end, "{name}: {slice}");
                end = figure("start_ps") + figure("duration_ps");
                sum += figure("duration_ps");
                pieces += figure("count");
            }
            assert!(pieces >= slices.len().try_into().expect("few"));
            assert!(
                sum >= lane[busy].as_i64().expect("a time"),
                "{name}: {lane}"
            );
        }
    }
}

#[test]
fn the_path_of_two_cores_by_hand() {
    let session = drawn(&[TPU]);
    let report = ask(&session, "critical_path", &[]);
    let told: Vec<(f64, &str, &str, &str)> = rows(&report, "rows")
        .iter()
        .map(|row| {
            (
                row["duration_ps"].as_f64().expect("a figure") / US,
                row["kind"].as_str().expect("a word"),
                row["what"].as_str().expect("a name"),
                row["place"].as_str().expect("a name"),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            (620.0, "compute", "dot.1", "TPU:1"),
            (80.0, "collective", "all-reduce.3", "TPU:0"),
            (50.0, "copy", "copy.4", "TPU:0"),
            (100.0, "compute", "dot.5", "TPU:0"),
        ]
    );
    let ops = rows(&report, "ops");
    let dot = ops
        .iter()
        .find(|row| row["name"] == "dot.1")
        .expect("it ran");
    // 20 µs of slack on one core, none on the other.
    assert_eq!(dot["mean_ps"].as_f64(), Some(520.0 * US));
    assert_eq!(dot["min_slack_ps"].as_i64(), Some(0));
    assert_eq!(dot["mean_slack_ps"].as_f64(), Some(10.0 * US));
    assert_eq!(dot["occurrences"].as_i64(), Some(8));
}

/// Five annotations of 950 µs, one each millisecond: 50 µs between them. From 38 to 720 µs nothing is
/// known of the thread: most likely it waits for the device, which is done at 700.
#[test]
fn what_a_host_may_have_waited_for_bounds_the_answer() {
    let session = drawn(&[GPU]);
    // Loading, and 2 µs in the call that copies to the device: hidden by what the device does, if the
    // thread waits for that.
    check(
        &session,
        "no-input-wait",
        [950.0, 730.0, 1000.0, 780.0, 778.0, 780.0],
    );
    // 300 µs of the device, which the host waited for or did not.
    check(
        &session,
        r"remove:^dot\.1$",
        [950.0, 650.0, 1000.0, 700.0, 700.0, 1000.0],
    );
    // The all-reduce delays dot.4 by 150 µs, if that waits for it.
    check(
        &session,
        "hide:collectives",
        [950.0, 800.0, 1000.0, 850.0, 850.0, 1000.0],
    );
}

#[test]
fn wrong_changes_say_what_is_right() {
    let session = drawn(&[TPU]);
    let refused = |change: &str| {
        let entry = stepscope_analysis::find("what_if").expect("it exists");
        let answer = entry.run_pairs(&session, [("change", change)]);
        answer.err().expect("it is wrong").to_string()
    };
    for wrong in [
        "faster",
        "network:0",
        "network:fast",
        "scale:dot",
        "remove:",
        "align:2",
    ] {
        let text = refused(wrong);
        assert!(
            text.contains("remove:PATTERN, hide:PATTERN"),
            "{wrong}: {text}"
        );
    }
    assert!(refused("remove:nothing_like_it").contains("available: "));
    assert!(refused("no-host:laziness").contains("data_loading"));
    assert!(refused("remove:(").contains("regular expression"));
}

#[test]
fn the_largest_causes_are_changes_that_give_what_they_say() {
    let session = drawn(&[TPU]);
    let report = ask(&session, "what_if", &[]);
    let causes = rows(&report, "rows");
    assert_eq!(causes[0]["change"], r"remove:^dot\.1$");
    for cause in causes {
        let change = cause["change"].as_str().expect("a change");
        let alone = what_if(&session, change);
        let gain = cause["gain_ps"].as_f64().expect("a figure") / US;
        assert!((alone[2] - alone[3] - gain).abs() < 1e-6, "{change}");
    }
    let input = causes.iter().find(|row| row["change"] == "no-input-wait");
    let gain = input.expect("a cause")["gain_ps"].as_f64();
    // 120, 120 and 520 µs of loading between four steps.
    let expected = 760.0 / 3.0 * US;
    assert!((gain.expect("a figure") - expected).abs() < 1.0, "{gain:?}");
}

/// Two programs with an op of one name: each is a cause of its own, whatever their numbers.
#[test]
fn ops_of_two_programs_with_one_name_are_two_causes() {
    let session = drawn(&["
        host vm
        device tpu:0 v6e
        line Steps
        repeat 3 every 100us
          0..90us $i
        end
        line XLA Modules
        repeat 3 every 100us
          0..40us  jit_a(3) [program_id=3]
          40..90us jit_b(4) [program_id=4]
        end
        line XLA Ops
        repeat 3 every 100us
          0..40us  %dot.1 = f32[8] dot(p) [program_id=3]
          40..90us %dot.1 = f32[8] dot(p) [program_id=4]
        end
    "]);
    let report = ask(&session, "what_if", &[]);
    let causes = rows(&report, "rows");
    let gain = |change: &str| {
        let found = causes.iter().find(|row| row["change"] == change);
        let found = found.unwrap_or_else(|| panic!("no {change} in {causes:#?}"));
        found["gain_ps"].as_f64().expect("a figure") / US
    };
    let (first, second) = (
        gain(r"remove:^jit_a\(\d+\)::dot\.1$"),
        gain(r"remove:^jit_b\(\d+\)::dot\.1$"),
    );
    assert!((first - 40.0).abs() < 1.0, "{first}");
    assert!((second - 50.0).abs() < 1.0, "{second}");
}

/// Programs of one device run one after another, on threads that each know only their own order.
#[test]
fn without_its_host_a_device_still_runs_one_program_after_another() {
    let session = drawn(&["
        host vm
        thread python
          0..1000us   train #step_num=0,_r=1#
          10..20us    PjitFunction(step)
          25..490us   $train.py:7 sleepy
          500..510us  PjitFunction(other)
          512..921us  block_until_ready
          1000..2000us train #step_num=1,_r=1#
          1010..1020us PjitFunction(step)
          1500..1510us PjitFunction(other)
          1512..1921us block_until_ready
        thread tf_XLAPjRtCpuClient/1
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
          30..430us    a.1 [run_id=1]
          1030..1430us a.1 [run_id=3]
        thread tf_XLAPjRtCpuClient/2
        each [hlo_op=$name hlo_module=jit_other program_id=6 device_ordinal=0]
          520..920us   b.1 [run_id=2]
          1520..1920us b.1 [run_id=4]"]);
    let replay = Replay::of(&session);
    let mut effects = Effects::none();
    effects.gone.fill(true);
    for reading in Reading::ALL {
        let times = replay.with(&effects, reading);
        assert_eq!(replay.steps.len(), 2);
        for step in &replay.steps {
            assert!(step.length_ps(&times) >= 800_000_000, "{step:?}");
        }
    }
}
