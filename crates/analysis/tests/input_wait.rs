//! Input wait is one figure: `overview`, `steps`, `input`, `idle` and `advice` agree for every capture
//! there is, and where a program copied its batch in the loop, with raw events and the program's clock.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use stepscope_analysis::telling::format;
use stepscope_model::{Session, TrackRole};
use stepscope_testing::corpus;
use stepscope_testing::oracle::{self, Event};

use crate::support::planted::{Planted, read_all};
use crate::support::{all_captures, ask, drawn, open, picos, rows, text};

const ALL: [(&str, &str); 1] = [("limit", "0")];

fn sum(values: &Value) -> i64 {
    let values = values.as_array().expect("a list").iter();
    values.filter_map(Value::as_i64).sum()
}

fn near(what: &str, a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-6 * a.abs().max(1.0), "{what}: {a}, {b}");
}

/// Everything that says how long devices wait for input.
struct Said {
    overview: Value,
    steps: Value,
    input: Value,
    idle: Value,
    advice: Value,
}

impl Said {
    fn of(session: &Session) -> Self {
        Self {
            overview: ask(session, "overview", &[]),
            steps: ask(session, "steps", &ALL),
            input: ask(session, "input", &ALL),
            idle: ask(session, "idle", &[("min-gap", "0"), ("limit", "0")]),
            advice: ask(session, "advice", &[]),
        }
    }
}

/// `input` is the parts *input wait* and *host to device* of `steps`, row by row.
fn check_rows(name: &str, said: &Said) {
    let (steps, input) = (rows(&said.steps, "rows"), rows(&said.input, "rows"));
    assert_eq!(steps.len(), input.len(), "{name}");
    for (step, input) in steps.iter().zip(input) {
        for key in ["step", "host", "device", "start_ps"] {
            assert_eq!(step[key], input[key], "{name}");
        }
        let (waiting, copies) = (picos(input, "waiting_ps"), picos(input, "copies_ps"));
        assert_eq!(waiting, picos(step, "input_wait_ps"), "{name} {input}");
        assert_eq!(sum(&input["causes_ps"]), waiting, "{name} {input}");
        assert_eq!(picos(input, "input_ps"), waiting + copies, "{name} {input}");
        // Who waits in a queue does not load.
        let awaited = input["causes_ps"][5].as_i64().expect("a time");
        let loading = picos(input, "loading_ps");
        assert!(loading + awaited >= waiting, "{name} {input}");
        let parts = ["host_to_device_ps", "device_to_host_ps"];
        let of_step: i64 = parts.iter().map(|key| picos(step, key)).sum();
        let rest = picos(input, "output_ps") + picos(input, "offload_ps");
        assert_eq!(copies + rest, of_step, "{name} {input}");
        let host = ["python_callbacks_ps", "compilation_ps", "host_overhead_ps"];
        let host: i64 = host.iter().map(|key| picos(step, key)).sum();
        assert_eq!(picos(input, "host_ps"), host, "{name} {input}");
    }
}

/// The overview's part, and its cause of idle time, are means of the rows.
fn check_overview(name: &str, said: &Said) {
    let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let mean_of = |is_counted: fn(&Value) -> bool| {
        let all = rows(&said.steps, "rows")
            .iter()
            .filter(|row| is_counted(row));
        let all: Vec<&Value> = all.collect();
        let steps = all.chunk_by(|a, b| a["step"] == b["step"]);
        let of_steps = steps.map(|rows| {
            let hosts = rows.chunk_by(|a, b| a["host"] == b["host"]);
            let of_host = |rows: &[&Value]| {
                let times = rows.iter().map(|row| picos(row, "input_wait_ps") as f64);
                mean(times.collect())
            };
            mean(hosts.map(of_host).collect())
        });
        mean(of_steps.collect())
    };
    let parts = rows(&said.overview, "step_parts").iter();
    let mut parts = parts.filter(|part| part["part"] == "input_wait");
    if let Some(part) = parts.next() {
        let mean_ps = part["mean_ps"].as_f64().unwrap_or(-1.0);
        near(name, mean_ps, mean_of(|_| true));
    }
    let idle = rows(&said.overview["step_balance"], "idle").iter();
    let mut idle = idle.filter(|share| share["kind"] == "input");
    if let Some(share) = idle.next() {
        let mean_ps = share["mean_ps"].as_f64().unwrap_or(-1.0);
        near(name, mean_ps, mean_of(|row| row["device"] != ""));
    }
}

/// Loading and copies to the device in gaps of any length are input wait. Gaps also hold asynchronous
/// collectives, which are a part of their own.
fn check_idle(name: &str, session: &Session, said: &Said) {
    let names = ["data_loading", "copy_to_device"];
    let causes = stepscope_analysis::catalogue::words();
    let causes = causes.iter().find(|words| words.name == "causes");
    let causes = &causes.expect("causes have words").words;
    let is_input: Vec<bool> = causes
        .iter()
        .map(|word| names.contains(&word.key))
        .collect();
    let mut in_steps: BTreeMap<(String, String, i64), i64> = BTreeMap::new();
    for row in rows(&said.steps, "rows") {
        let key = (text(row, "host").into(), text(row, "device").into());
        let key = (key.0, key.1, picos(row, "start_ps"));
        in_steps.insert(key, picos(row, "input_wait_ps"));
    }
    let has_async = session
        .tracks
        .iter()
        .any(|track| track.role == TrackRole::AsyncOps);
    for row in rows(&said.idle, "steps") {
        let index = usize::try_from(picos(row, "device_index")).expect("an index");
        let device = &session.devices[index];
        let host = session.host(device.host).name.clone();
        let key = (host, device.name.clone(), picos(row, "start_ps"));
        let Some(&wait) = in_steps.get(&key) else {
            continue;
        };
        let times = rows(row, "causes_ps").iter().zip(&is_input);
        let times = times.filter(|(_, counts)| **counts);
        let time: i64 = times.filter_map(|(time, _)| time.as_i64()).sum();
        assert!(
            time == wait || has_async && time > wait,
            "{name} {row} {wait}"
        );
    }
}

/// What advice says of input is the figure of `input` for the host with the largest share.
fn check_advice(name: &str, said: &Said) {
    let hosts = rows(&said.input, "hosts").iter();
    let hosts = hosts.filter(|host| host["input_ratio"].is_f64());
    let Some(worst) = hosts.max_by(|a, b| {
        let ratio = |host: &Value| host["input_ratio"].as_f64().unwrap_or(0.0);
        ratio(a).total_cmp(&ratio(b))
    }) else {
        return;
    };
    let ratio = worst["input_ratio"].as_f64().expect("a share");
    let length = worst["input_mean_ps"].as_f64().expect("a time");
    let of_rule = |key: &str| {
        let mut rules = rows(&said.advice, key).iter();
        rules.find(|rule| rule["id"] == "input_wait")
    };
    if let Some(found) = of_rule("findings") {
        let told = format!(
            "{} of their mean step ({})",
            format::duration_ps(length),
            format::percent(ratio)
        );
        assert!(
            text(found, "what").contains(&told),
            "{name}: {told}, {found}"
        );
    } else if of_rule("passed").is_some() {
        assert!(ratio <= 0.05, "{name}: {ratio} passes");
    }
    // Nothing is counted twice: what the host does else is the part of that name.
    let bound = rows(&said.advice, "findings").iter();
    for found in bound.filter(|found| found["id"] == "host_bound") {
        let share = |row: &&Value| {
            let time = picos(row, "host_overhead_ps") as f64;
            time / picos(row, "duration_ps").max(1) as f64
        };
        let most = rows(&said.steps, "rows").iter();
        let most = most.map(|row| share(&row)).fold(0.0, f64::max);
        let gain = found["gain_ratio"].as_f64().unwrap_or(0.0);
        assert!(gain <= most + 0.05, "{name}: {gain} of {most}, {found}");
    }
}

fn check(name: &str, session: &Session) {
    let said = Said::of(session);
    check_rows(name, &said);
    check_overview(name, &said);
    check_idle(name, session, &said);
    check_advice(name, &said);
}

#[test]
fn input_wait_is_the_same_everywhere() {
    for capture in all_captures() {
        check(&capture.name, &open(&capture));
    }
    for planted in ["causes-cpu", "causes-h100"].map(read_all).iter().flatten() {
        check(&planted.name, &planted.session);
    }
}

/// A loop that copies on the thread that drives the device, on a pool thread while it waits, and within
/// things that are no input.
#[test]
fn which_copies_are_input() {
    let session = drawn(&["
        host vm
        thread python
          0..1000us   train #step_num=0,_r=1#
          0..100us    $api.py:10 device_put
          20..50us    block_until_ready
          60..70us    $gc collect
          100..200us  $checkpoint.py:5 restore_checkpoint
          120..150us  $api.py:10 device_put
          200..250us  $array.py:1 _value
          250..400us  block_until_ready
          420..500us  PjitFunction(step)
          430..460us  DevicePutWithSharding
        thread pool/7
          260..300us  TransferToDevice
          320..340us  TransferFromDevice
          470..490us  TransferToDevice
        thread tf_XLAEigen/42
          500..1000us dot.1 [hlo_op=dot.1 hlo_module=jit_step program_id=5 device_ordinal=0]
    "]);
    check("a drawing", &session);
    let steps = ask(&session, "steps", &ALL);
    let micros = |key: &str| picos(&rows(&steps, "rows")[0], key) / 1_000_000;
    // Waits within a copy are the copy. Garbage collection and the checkpoint are not.
    let copied = 90 + 30 + 40;
    assert_eq!(micros("input_wait_ps"), copied);
    let other = 10 + 100 + 50 + 20 + (80 - 30);
    assert_eq!(micros("host_overhead_ps"), other);
    assert_eq!(micros("idle_ps"), 500 - copied - other);
}

/// A loop that waits until another thread has written a checkpoint is kept by the checkpoint.
#[test]
fn waiting_within_a_checkpoint_is_the_checkpoint() {
    let session = drawn(&["
        host vm
        thread python
          0..1000us   train #step_num=0,_r=1#
          0..300us    $checkpoint_manager.py:154 wait_until_finished
          20..280us   $threading.py:1090 join
          300..350us  $threading.py:1090 join
          400..420us  PjitFunction(step)
        thread tf_XLAEigen/42
          500..1000us dot.1 [hlo_op=dot.1 hlo_module=jit_step program_id=5 device_ordinal=0]
    "]);
    check("a drawing", &session);
    let steps = ask(&session, "steps", &ALL);
    let step = &rows(&steps, "rows")[0];
    assert_eq!(picos(step, "host_overhead_ps") / 1_000_000, 300 + 20);
    let idle = ask(&session, "idle", &ALL);
    let causes = rows(&idle, "causes");
    let of = |cause: &str| causes.iter().find(|row| row["cause"] == cause);
    let checkpoint = of("checkpoint").expect("time of the checkpoint");
    assert_eq!(picos(checkpoint, "total_ps") / 1_000_000, 300);
}

/// Compilation and what the device itself does come before input.
#[test]
fn input_is_what_is_left_of_compilation_and_work() {
    let session = drawn(&["
        host vm
        thread python
          0..1000us   train #step_num=0,_r=1#
          0..300us    $api.py:10 device_put
          50..100us   backend_compile
          300..320us  PjitFunction(step)
        thread tf_XLAEigen/42
          200..250us  dot.2 [hlo_op=dot.2 hlo_module=jit_other program_id=6 device_ordinal=0]
          350..1000us dot.1 [hlo_op=dot.1 hlo_module=jit_step program_id=5 device_ordinal=0]
    "]);
    check("a drawing", &session);
    let steps = ask(&session, "steps", &ALL);
    let step = &rows(&steps, "rows")[0];
    assert_eq!(picos(step, "input_wait_ps") / 1_000_000, 300 - 50 - 50);
    assert_eq!(picos(step, "compilation_ps") / 1_000_000, 50);
}

/// Start and end.
type Times = Vec<(i128, i128)>;

/// Raw times of the host threads and the device of a capture of XLA:CPU, sorted by names alone.
#[derive(Default)]
struct Raw {
    /// Copies to the device by the thread that has the steps.
    copies: Times,
    /// Garbage collection there.
    garbage: Times,
    /// Anything there but the annotations of steps.
    anything: Times,
    /// Waits there.
    waits: Times,
    /// Calls there that start a program: within them, it waits for arguments that are copied.
    starts: Times,
    /// Copies to the device on other threads.
    elsewhere: Times,
    /// Work of the device, and waits until its programs are complete.
    work: Times,
}

impl Raw {
    fn of(events: &[Event], work: &[Event]) -> Self {
        let span = |event: &Event| (event.start_ps, event.end_ps());
        let is_step = |event: &&Event| event.stats.contains("step_num");
        let thread = events.iter().find(is_step).expect("annotated");
        let mut raw = Self {
            work: work.iter().map(span).collect(),
            ..Self::default()
        };
        for event in events.iter().filter(|event| !is_step(event)) {
            let name = event.name.to_lowercase();
            let is = |words: &[&str]| words.iter().any(|word| name.contains(word));
            let wait = span(event);
            let meets = |op: &Event| op.start_ps <= wait.1 && op.end_ps() >= wait.0;
            if is(&["(wait for completion)"]) && work.iter().any(meets) {
                raw.work.push(wait);
            }
            if event.plane != thread.plane || event.line_id != thread.line_id {
                if is(&["h2d dispatch", "hostbuffer"]) {
                    raw.elsewhere.push(span(event));
                }
                continue;
            }
            raw.anything.push(span(event));
            if is(&["loadedexecutable::execute"]) {
                raw.starts.push(span(event));
            }
            if is(&["device_put", "deviceput", "shard_args", "hostbuffer"]) {
                raw.copies.push(span(event));
            } else if is(&["garbage", "gc collect"]) {
                raw.garbage.push(span(event));
            } else if is(&["await", "wait for", "block_until_ready", "acquire"]) {
                // Not `<unknown> get`: here it looks something up in a dictionary.
                raw.waits.push(span(event));
            }
        }
        raw
    }

    /// Input wait within a span of time: decided anew between any two times at which something begins
    /// or ends.
    fn input_wait(&self, within: (i128, i128)) -> i128 {
        let has = |spans: &Times, at: i128| spans.iter().any(|one| one.0 <= at && at < one.1);
        let is_input = |at: i128| {
            let is_copied = has(&self.copies, at) && !has(&self.garbage, at);
            let here = self.anything.iter().filter(|one| one.0 <= at && at < one.1);
            let innermost = here.max_by_key(|one| (one.0, -one.1));
            let does = |one| !self.starts.contains(one) && !has(&self.waits, at);
            let is_doing = innermost.is_some_and(does);
            is_copied || has(&self.elsewhere, at) && !is_doing
        };
        let all = [&self.copies, &self.garbage, &self.anything, &self.waits];
        let all = all.into_iter().chain([&self.elsewhere, &self.work]);
        let cuts = all.flatten().flat_map(|&(start, end)| [start, end]);
        let cuts = cuts.filter(|&cut| within.0 < cut && cut < within.1);
        let mut cuts: BTreeSet<i128> = cuts.collect();
        cuts.extend([within.0, within.1]);
        let cuts: Vec<i128> = cuts.into_iter().collect();
        let pieces = cuts.windows(2);
        let pieces = pieces.filter(|pair| is_input(pair[0]) && !has(&self.work, pair[0]));
        pieces.map(|pair| pair[1] - pair[0]).sum()
    }
}

/// The planted copies: from raw events, and by the program's clock.
#[test]
fn a_batch_that_is_copied_in_the_loop_is_input() {
    let planted = read_all("causes-cpu").into_iter();
    let planted = planted.filter(|one| one.case == "to-device" && one.is_annotated);
    let planted: Vec<Planted> = planted.collect();
    assert_eq!(planted.len(), 2, "with the Python tracer and without");
    for planted in &planted {
        let (session, name) = (&planted.session, &planted.name);
        let folder = corpus::repository_root().join("fixtures/causes-cpu");
        let path = folder.join(name).join("vm.xplane.pb.gz");
        let space = corpus::read_space(&path).expect("decodes");
        let work = oracle::slices(&space, oracle::Device::Cpu(0));
        let raw = Raw::of(&oracle::events(&space), &work);
        let steps = ask(session, "steps", &ALL);
        let offset = i128::from(session.hosts[0].offset.0);
        let mut waits = Vec::new();
        for row in rows(&steps, "rows") {
            let start = i128::from(picos(row, "start_ps")) - offset;
            let within = (start, start + i128::from(picos(row, "duration_ps")));
            let wait = i128::from(picos(row, "input_wait_ps"));
            assert_eq!(raw.input_wait(within), wait, "{name} {row}");
            waits.push(wait as f64);
        }
        let mean_s = waits.iter().sum::<f64>() / waits.len() as f64 * 1e-12;
        // The clock also times the copy that NumPy makes, which reads and writes as many bytes.
        let share = mean_s / planted.cause_s;
        assert!((0.3..1.02).contains(&share), "{name}: {share}");
        let overview = ask(session, "overview", &[]);
        let parts = rows(&overview, "step_parts").iter();
        let part = |name: &str| {
            let mut parts = parts.clone().filter(|part| part["part"] == name);
            let part = parts.next().expect("the part is there");
            part["mean_ps"].as_f64().expect("a time") * 1e-12
        };
        near(name, part("input_wait"), mean_s);
        let said = ask(session, "input", &[])["bounds"][0]["mean_ps"].as_f64();
        near(name, said.expect("a mean") * 1e-12, mean_s);
    }
}
