//! Chrome's JSON in the dialects that people have, and what is no JSON at all.

mod support;

use std::collections::BTreeMap;
use std::io::Read;

use serde_json::json;
use stepscope_interchange::{Trace, TraceError, chrome};
use stepscope_model::{Framework, HostId, Session, SliceKind, TrackRole};
use stepscope_testing::corpus;
use stepscope_testing::space::{EventData, StatValue, XSpace};
use support::{Grain, arrows, assert_same, captured, rows, samples, session_of_trace};

fn read(json: &str) -> Trace {
    chrome::read(json.as_bytes()).unwrap_or_else(|error| panic!("{error}: {json}"))
}

fn session(json: &str) -> Session {
    session_of_trace(read(json))
}

/// Name, start and duration in microseconds.
fn slices(json: &str) -> Vec<(String, i64, i64)> {
    let micro = 1_000_000;
    rows(&session(json), Grain::Picoseconds)
        .into_iter()
        .map(|row| (row.3, row.4 / micro, row.5 / micro))
        .collect()
}

const EVENT: &str = r#"{"ph":"X","name":"a","pid":1,"tid":2,"ts":5,"dur":3}"#;

#[test]
fn all_frames_around_events_are_read() {
    let frames = [
        format!("[{EVENT}]"),
        format!("[{EVENT},\n{EVENT}"),
        format!("[{EVENT},"),
        format!("{{\"traceEvents\":[{EVENT},{{}}]}}"),
        format!("{{\"traceEvents\":[,{EVENT},,{EVENT},],\"displayTimeUnit\":\"ns\"}}"),
        format!("\u{feff}{{ \"displayTimeUnit\" : \"ms\" , \"traceEvents\" : [ {EVENT} ] }}"),
        format!("{{\"stackFrames\":{{\"1\":{{\"name\":\"}}\"}}}},\"traceEvents\":[{EVENT}]}}"),
    ];
    for frame in frames {
        let trace = read(&frame);
        assert_eq!(trace.problem, None, "{frame}");
        let found = slices(&frame);
        assert_eq!(found[0], ("a".to_owned(), 0, 3), "{frame}");
    }
}

#[test]
fn what_is_cut_off_says_so_and_shows_the_rest() {
    for cut in [
        format!("{{\"traceEvents\":[{EVENT}"),
        format!("{{\"traceEvents\":[{EVENT},{{\"ph\":\"X\",\"na"),
        format!("[{EVENT},{{\"ph\":\"X\",\"args\":{{\"a\":[1,"),
        format!("{{\"traceEvents\":[{EVENT}],\"other\":\"unclosed"),
    ] {
        let trace = read(&cut);
        let problem = trace.problem.clone().expect("it was cut off");
        assert!(problem.contains("ends before its end"), "{problem}");
        assert_eq!(session_of_trace(trace).slice_count(), 1, "{cut}");
    }
}

#[test]
fn phases_of_threads() {
    let json = r#"[
        {"ph":"B","name":"outer","pid":1,"tid":1,"ts":0,"args":{"x":1}},
        {"ph":"B","name":"inner","pid":1,"tid":1,"ts":1},
        {"ph":"i","name":"mark","pid":1,"tid":1,"ts":2,"s":"t"},
        {"ph":"E","pid":1,"tid":1,"ts":3},
        {"ph":"E","pid":1,"tid":1,"ts":10,"args":{"y":2}},
        {"ph":"E","pid":1,"tid":1,"ts":11},
        {"ph":"B","name":"open","pid":"p","tid":"t","ts":4},
        {"ph":"v","name":"dump","pid":1,"ts":4},
        {"ph":"X","name":"late","pid":1,"tid":1,"ts":"20.5","dur":"1.25"}
    ]"#;
    let trace = read(json);
    let session = session_of_trace(trace);
    let found: Vec<(String, i64, i64)> = rows(&session, Grain::Nanoseconds)
        .into_iter()
        .map(|row| (row.3, row.4, row.5))
        .collect();
    let expected = [
        ("inner", 1000, 2000),
        ("late", 20_500, 1250),
        ("mark", 2000, 0),
        ("open", 4000, 17_750),
        ("outer", 0, 10_000),
    ];
    let mut sorted = found;
    sorted.sort();
    let expected: Vec<_> = expected
        .map(|(name, at, long)| (name.to_owned(), at, long))
        .into();
    assert_eq!(sorted, expected);
    let said: Vec<&str> = session
        .warnings
        .iter()
        .map(|w| w.message.as_str())
        .collect();
    let said = said.join("\n");
    for part in [
        "1 ends of events have no beginning",
        "1 events have no end",
        "v (1)",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn asynchronous_events_counters_and_arrows() {
    let json = r#"[
        {"ph":"b","cat":"net","name":"request","id":1,"pid":1,"ts":0},
        {"ph":"b","cat":"net","name":"request","id":"0x2","pid":1,"ts":1},
        {"ph":"n","cat":"net","name":"chunk","id":1,"pid":1,"ts":2},
        {"ph":"e","cat":"net","name":"request","id":"0x2","pid":1,"ts":7},
        {"ph":"e","cat":"net","name":"request","id":1,"pid":1,"ts":9},
        {"ph":"C","name":"memory","pid":1,"ts":0,"args":{"used":1,"free":2.5}},
        {"ph":"C","name":"load","pid":1,"ts":3,"args":{"value":7}},
        {"ph":"X","name":"from","pid":1,"tid":1,"ts":0,"dur":2},
        {"ph":"X","name":"to","pid":1,"tid":2,"ts":4,"dur":4},
        {"ph":"X","name":"within","pid":1,"tid":2,"ts":5,"dur":1},
        {"ph":"s","cat":"c","name":"f","id":9,"pid":1,"tid":1,"ts":1},
        {"ph":"t","cat":"c","name":"f","id":9,"pid":1,"tid":2,"ts":4.5},
        {"ph":"f","cat":"c","name":"f","id":9,"pid":1,"tid":2,"ts":4.75}
    ]"#;
    let session = session(json);
    let micro = 1_000_000;
    let requests: Vec<_> = rows(&session, Grain::Picoseconds)
        .into_iter()
        .filter(|row| row.2 == "async net")
        .map(|row| (row.3, row.4 / micro, row.5 / micro))
        .collect();
    let named = |name: &str, at, long| (name.to_owned(), at, long);
    assert_eq!(
        requests,
        [
            named("chunk", 2, 0),
            named("request", 0, 9),
            named("request", 1, 6)
        ]
    );
    assert_eq!(
        samples(&session, micro),
        [
            ("load".to_owned(), 3, 7.0),
            ("memory free".to_owned(), 0, 2.5),
            ("memory used".to_owned(), 0, 1.0),
        ]
    );
    let arrow = |from: &str, at, to: &str, to_at| (from.to_owned(), at, to.to_owned(), to_at);
    assert_eq!(
        arrows(&session, micro),
        [arrow("from", 0, "to", 4), arrow("to", 4, "within", 5)]
    );
}

#[test]
fn processes_and_threads_have_their_names_wherever_these_stand() {
    let json = r#"[
        {"ph":"X","name":"a","pid":7,"tid":1,"ts":0,"dur":1},
        {"ph":"M","name":"process_name","pid":7,"args":{"name":"server"}},
        {"ph":"M","name":"thread_name","pid":7,"tid":1,"args":{"name":"main"}},
        {"ph":"X","name":"a","pid":8,"tid":1,"ts":0,"dur":1},
        {"ph":"M","name":"process_name","pid":8,"args":{"name":"server"}}
    ]"#;
    let names: Vec<String> = rows(&session(json), Grain::Picoseconds)
        .into_iter()
        .map(|row| row.2)
        .collect();
    assert_eq!(names, ["main · server", "thread 1 · server [8]"]);
}

#[test]
fn a_trace_of_pytorch_becomes_devices_steps_and_launches() {
    let path = corpus::repository_root()
        .join("fixtures/kineto-drawn/node_4242.1743521598000.pt.trace.json.gz");
    let bytes = corpus::read_bytes(&path).expect("the fixture is there");
    let session = session_of_trace(chrome::read(bytes.as_slice()).expect("a trace"));
    assert_eq!(session.devices.len(), 1);
    assert_eq!(session.devices[0].name, "GPU:0");
    assert_eq!(session.devices[0].chip.name, "NVIDIA H100 80GB HBM3");
    let numbers: Vec<i64> = session.steps.iter().map(|step| step.number).collect();
    assert_eq!(numbers, [3, 4, 5, 6]);
    let streams: Vec<&str> = session
        .tracks
        .iter()
        .filter(|track| track.role == TrackRole::Stream)
        .map(|track| session.text(track.name))
        .collect();
    assert_eq!(streams, ["Stream #7", "Stream #20"]);
    // Six launches a step, and an arrow from the forward pass to the backward pass.
    assert_eq!(session.flows_of(HostId(0)).all().len(), 4 * (6 + 1));
    let gemm = session
        .labels
        .iter()
        .find(|label| session.text(label.name).contains("xmma_gemm"))
        .expect("a kernel");
    let launch = session.launch(gemm.launch.expect("a geometry"));
    assert_eq!(
        (launch.registers, launch.occupancy),
        (Some(168), Some(0.38))
    );
    assert_eq!(launch.grid, "64,8,1");
    assert_eq!(
        gemm.framework_op.map(|op| session.text(op)),
        Some("aten::mm")
    );
    // 2025-04-01, 15:33:18 and the time of the first event.
    assert_eq!(
        session.epoch_ns,
        Some(1_743_521_598_000_000_000 + 198_093_487_900_000)
    );
}

/// The oldest versions of PyTorch's profiler: steps among ops and among kernels.
#[test]
fn the_oldest_traces_of_pytorch_have_steps() {
    let events: Vec<String> = (5..8)
        .map(|step| {
            let start = step * 100;
            format!(
                r#"{{"ph":"X","cat":"Operator","name":"ProfilerStep#{step}","pid":9,"tid":"9","ts":{start},"dur":90,"args":{{}}}},
                {{"ph":"X","cat":"Kernel","name":"ProfilerStep#{step}","pid":0,"tid":"stream 7","ts":{start},"dur":90,"args":{{"device":0,"stream":7}}}},
                {{"ph":"X","cat":"Kernel","name":"volta_sgemm","pid":0,"tid":"stream 7","ts":{},"dur":40,"args":{{"device":0,"stream":7}}}}"#,
                start + 10
            )
        })
        .collect();
    let text = format!("[{}]", events.join(","));
    let session = session(&text);
    let numbers: Vec<i64> = session.steps.iter().map(|step| step.number).collect();
    assert_eq!(numbers, [5, 6, 7]);
    assert_eq!(session.devices.len(), 1);
    let kernels = session
        .labels
        .iter()
        .filter(|label| label.kind == SliceKind::Kernel);
    let names: Vec<&str> = kernels.map(|label| session.text(label.name)).collect();
    assert_eq!(names, ["volta_sgemm"], "an annotation is no kernel");
    assert_eq!(session.framework(), Framework::PyTorch);
}

/// A trace viewer's copy of the TPU planes of a profile: arguments are texts, some are hidden.
fn as_trace_viewer(space: &XSpace) -> String {
    const HIDDEN: [&str; 8] = [
        "_pt",
        "_p",
        "_ct",
        "_c",
        "_r",
        "flops",
        "program_id",
        "symbol_id",
    ];
    let mut events = Vec::new();
    let planes = space
        .planes
        .iter()
        .filter(|plane| plane.name.starts_with("/device:TPU:"));
    for (process, plane) in planes.enumerate() {
        let named = |what: &str, thread: i64, name: &str| json!({"ph": "M", "name": what, "pid": process, "tid": thread, "args": {"name": name}});
        events.push(named("process_name", 0, &plane.name));
        for line in &plane.lines {
            events.push(named("thread_name", line.id, &line.name));
        }
        for line in &plane.lines {
            for event in &line.events {
                let metadata = &plane.event_metadata[&event.metadata_id];
                let Some(EventData::OffsetPs(offset)) = event.data else {
                    continue;
                };
                let start = line.timestamp_ns * 1000 + offset;
                let mut arguments = serde_json::Map::new();
                for stat in metadata.stats.iter().chain(&event.stats) {
                    let name = plane.stat_name(stat);
                    let value = match &stat.value {
                        Some(StatValue::Str(text)) => text.clone(),
                        Some(StatValue::Ref(id)) => {
                            plane.stat_metadata[&id.cast_signed()].name.clone()
                        }
                        Some(StatValue::Int64(number)) => number.to_string(),
                        Some(StatValue::Uint64(number)) => number.to_string(),
                        Some(StatValue::Double(number)) => number.to_string(),
                        _ => continue,
                    };
                    if !HIDDEN.contains(&name) {
                        arguments.insert(name.to_owned(), json!(value));
                    }
                }
                let mut name = &metadata.name;
                if !metadata.display_name.is_empty() {
                    arguments.insert("long_name".to_owned(), json!(name));
                    name = &metadata.display_name;
                }
                let micros = |ps: i64| format!("{}.{:06}", ps / 1_000_000, ps % 1_000_000);
                events.push(json!({
                    "ph": "X", "name": name, "pid": process, "tid": line.id,
                    "ts": micros(start), "dur": micros(event.duration_ps), "args": arguments,
                }));
            }
        }
    }
    json!({ "traceEvents": events }).to_string()
}

/// What is known of an op: program, name, category, scope, source, work, slices and their time.
type OpFigures = (
    String,
    String,
    String,
    String,
    String,
    [Option<f64>; 2],
    usize,
    i64,
);

fn ops_of_tpus(session: &Session) -> Vec<OpFigures> {
    let mut sums: BTreeMap<u32, (usize, i64)> = BTreeMap::new();
    for track in session
        .tracks
        .iter()
        .filter(|track| track.role == TrackRole::Ops)
    {
        for lane in &track.lanes {
            for (label, duration) in lane.labels().iter().zip(lane.durations()) {
                if let Some(op) = session.label(*label).op {
                    let sum = sums.entry(op.0).or_default();
                    *sum = (sum.0 + 1, sum.1 + duration);
                }
            }
        }
    }
    let text = |id| session.text(id).to_owned();
    let figures = sums.into_iter().map(|(id, (count, time))| {
        let op = &session.ops[id as usize];
        let work = [
            op.cost.and_then(|cost| cost.flops),
            op.cost.map(|cost| cost.bytes),
        ];
        let title = session.program(op.program).title();
        let (category, scope) = (text(op.category), text(op.scope));
        (
            title,
            text(op.name),
            category,
            scope,
            text(op.source),
            work,
            count,
            time,
        )
    });
    let mut figures: Vec<OpFigures> = figures.collect();
    figures.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    figures
}

#[test]
fn ops_of_a_tpu_are_the_same_in_a_trace_viewers_copy() {
    let Some(capture) = corpus::captures()
        .into_iter()
        .find(|capture| capture.name.starts_with("tpu-v6e"))
    else {
        return;
    };
    let bytes = corpus::read_bytes(&capture.hosts[0]).expect("readable");
    let mut space = XSpace::from_bytes(&bytes).expect("a profile");
    let text = as_trace_viewer(&space);
    // What the HLO would add is not in the copy, nor does the comparison need it.
    space
        .planes
        .retain(|plane| plane.name.starts_with("/device:TPU:"));
    let profile = support::session_of(vec![("vm".to_owned(), space.to_bytes())]);
    let (ours, theirs) = (ops_of_tpus(&session(&text)), ops_of_tpus(&profile));
    assert!(theirs.len() > 10, "{} ops", theirs.len());
    assert!(
        theirs
            .iter()
            .any(|op| op.5[0].is_some_and(|flops| flops > 0.0))
    );
    assert_eq!(ours.len(), theirs.len());
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert_eq!(ours, theirs);
    }
}

#[test]
fn exports_of_jax_agree_with_their_profiles() {
    for capture in corpus::captures() {
        let profile = captured(&capture);
        let traces = capture.hosts.iter().map(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            path.with_file_name(name.replace(".xplane.pb", ".trace.json.gz"))
        });
        let traces: Vec<_> = traces.filter(|path| path.exists()).collect();
        if traces.len() < capture.hosts.len() {
            continue;
        }
        let hosts = traces.iter().zip(&profile.hosts).map(|(path, host)| {
            let bytes = corpus::read_bytes(path).expect("readable");
            let mut trace = chrome::read(bytes.as_slice()).expect("a trace");
            assert_eq!(trace.problem, None);
            (host.name.clone(), trace.hosts.remove(0).bytes)
        });
        let exported = support::session_of(hosts.collect());
        // Hosts keep no common time in the exports, so times are compared within each.
        for (index, host) in profile.hosts.iter().enumerate() {
            let of_host = |session: &Session| {
                let offset = session.hosts[index].offset.0;
                let all = rows(session, Grain::Picoseconds).into_iter();
                // Allocations are instants that JAX leaves out of its export.
                let is_exported = |name: &str| !name.starts_with("Memory");
                let own = all.filter(|row| row.0 == host.name && is_exported(&row.3));
                // JAX writes an instant as one picosecond.
                let moved = own.map(|mut row| {
                    row.4 -= offset;
                    row.5 = row.5.max(1);
                    row.2 = String::new();
                    row
                });
                let mut moved: Vec<_> = moved.collect();
                moved.sort();
                moved
            };
            let (ours, theirs) = (of_host(&profile), of_host(&exported));
            // JAX leaves the arrows to the ends of ops out.
            let theirs = support::with_async_ends(&ours, theirs);
            assert_same(&ours, &theirs, &format!("{} {}", capture.name, host.name));
        }
    }
}

#[test]
fn times_out_of_reach_and_unreadable_durations_are_counted() {
    let session = session(
        r#"[{"ph":"X","name":"a","pid":-9223372036854775808,"tid":1,"ts":1,"dur":2},
            {"ph":"X","name":"b","pid":1,"tid":1,"ts":2e12,"dur":2},
            {"ph":"X","name":"c","pid":1,"tid":1,"ts":3,"dur":"long"}]"#,
    );
    assert_eq!(session.slice_count(), 2);
    let said: String = session.warnings.iter().map(|w| w.message.clone()).collect();
    assert!(said.contains("1 events lie more than 13 days"), "{said}");
    assert!(
        said.contains("1 events have a duration that cannot be read"),
        "{said}"
    );
}

#[test]
fn what_is_no_trace_is_refused() {
    for json in [
        "",
        "   ",
        "{}",
        "[]",
        "[1,2,3]",
        "{\"a\":[1]}",
        "hello",
        "{\"traceEvents\":[]}",
    ] {
        let error = chrome::read(json.as_bytes()).expect_err(json);
        assert!(matches!(error, TraceError::NotATrace { .. }));
    }
}

#[test]
fn damage_is_passed_over_and_counted() {
    let json = format!("[{EVENT}, nonsense, {{\"ph\":\"X\" \"name\"}}, {EVENT}, {{\"ph\":\"X\"}}]");
    let session = session(&json);
    assert_eq!(session.slice_count(), 2);
    let said: String = session.warnings.iter().map(|w| w.message.clone()).collect();
    assert!(
        said.contains("were skipped") && said.contains("have no time"),
        "{said}"
    );
}

/// A trace that is never in memory whole.
struct Endless<'a> {
    head: &'a [u8],
    body: &'a [u8],
    times: usize,
    tail: &'a [u8],
    at: usize,
}

impl Read for Endless<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let part = match (self.head.is_empty(), self.times) {
            (false, _) => self.head,
            (true, 0) => self.tail,
            (true, _) => self.body,
        };
        let rest = &part[self.at..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.at += count;
        if self.at == part.len() && !part.is_empty() {
            self.at = 0;
            match (self.head.is_empty(), self.times) {
                (false, _) => self.head = &[],
                (true, 0) => self.tail = &[],
                (true, _) => self.times -= 1,
            }
        }
        Ok(count)
    }
}

#[test]
fn hostile_nesting_and_giant_texts_take_no_memory() {
    let event = EVENT.as_bytes();
    let head = [b"[", event, b",{\"ph\":\"X\",\"ts\":1,\"args\":{\"a\":"].concat();
    let tail = [b"}},", event, b"]"].concat();
    let deep = Endless {
        head: &head,
        body: b"[[[[[[[[",
        times: 1 << 20,
        tail: &tail,
        at: 0,
    };
    // It never closes: what came before is shown.
    let trace = chrome::read(deep).expect("one event");
    assert!(trace.problem.is_some());
    let quote = [head.as_slice(), b"\""].concat();
    let tail = [b"\"", tail.as_slice()].concat();
    let block = vec![b'x'; 1 << 20];
    let giant = Endless {
        head: &quote,
        body: &block,
        times: 80,
        tail: &tail,
        at: 0,
    };
    let session = session_of_trace(chrome::read(giant).expect("two events"));
    assert_eq!(session.slice_count(), 2);
    let said: String = session.warnings.iter().map(|w| w.message.clone()).collect();
    assert!(said.contains("larger than 64 MiB"), "{said}");
}

proptest::proptest! {
    #[test]
    fn no_bytes_make_it_panic(
        bytes in proptest::collection::vec(proptest::sample::select(
            br#"[]{}:,"\u0123456789.eE-+ phXBEnametsdurargspidtid"#.to_vec()), 0..400)
    ) {
        let text = [b"[", bytes.as_slice()].concat();
        let _ = chrome::read(text.as_slice());
    }

    #[test]
    fn a_trace_cut_anywhere_keeps_what_came_before(cut in 0_usize..4000) {
        let events = vec![EVENT; 60].join(",\n");
        let text = format!("{{\"traceEvents\":[{events}]}}");
        let cut = cut.min(text.len());
        let whole = text.as_bytes()[..cut].windows(EVENT.len())
            .filter(|part| *part == EVENT.as_bytes()).count();
        if let Ok(trace) = chrome::read(&text.as_bytes()[..cut]) {
            proptest::prop_assert_eq!(session_of_trace(trace).slice_count(), whole);
        } else {
            proptest::prop_assert_eq!(whole, 0);
        }
    }
}
