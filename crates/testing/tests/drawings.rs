//! Synthetic profiles: the meaning of each word of the language, the shape compared with recorded
//! files, and mistakes reported with their line.

#![expect(clippy::unwrap_used, reason = "a helper of tests may panic")]

use stepscope_testing::corpus;
use stepscope_testing::drawing::draw;
use stepscope_testing::oracle;
use stepscope_testing::space::{EventData, StatValue, XEvent, XLine, XPlane, XSpace, XStat};

fn drawn(text: &str) -> XSpace {
    let space = draw(text).unwrap();
    assert_eq!(XSpace::from_bytes(&space.to_bytes()), Ok(space.clone()));
    space
}

/// Stats by name, with interned texts resolved.
fn stats<'a>(plane: &'a XPlane, stats: &'a [XStat]) -> Vec<(&'a str, StatValue)> {
    stats
        .iter()
        .map(|stat| (plane.stat_name(stat), stat.value.clone().unwrap()))
        .collect()
}

fn only_line(space: &XSpace) -> (&XPlane, &XLine) {
    (&space.planes[0], &space.planes[0].lines[0])
}

fn offset_and_duration(event: &XEvent) -> (i64, i64) {
    match event.data {
        Some(EventData::OffsetPs(offset_ps)) => (offset_ps, event.duration_ps),
        _ => panic!("not a timed event"),
    }
}

fn text(text: &str) -> StatValue {
    StatValue::Str(text.into())
}

#[test]
fn times() {
    let space = drawn(
        "thread python [at=1us]
           10..30us  both in one unit
           500ns..1.5us mixed
           2us+250ps by duration
           3ms       instant
           -1us..0us before
           x5 30us   aggregated",
    );
    let (plane, line) = only_line(&space);
    assert_eq!((&plane.name[..], &line.name[..]), ("/host:CPU", "python"));
    assert_eq!(line.timestamp_ns, 1000);
    let times: Vec<_> = line.events[..5].iter().map(offset_and_duration).collect();
    let expected = [
        (9_000_000, 20_000_000),
        (-500_000, 1_000_000),
        (1_000_000, 250),
        (2_999_000_000, 0),
        (-2_000_000, 1_000_000),
    ];
    assert_eq!(times, expected);
    assert_eq!(line.events[5].data, Some(EventData::NumOccurrences(5)));
    assert_eq!(line.events[5].duration_ps, 30_000_000);
}

#[test]
fn values() {
    let space = drawn(
        r#"thread python
           0us e [a=5 b=5u c=18446744073709551615 d=-1.5 e=hex:0aff f=bare g="two words"] {h="in place"}
           1us e ["Raw Value"=2e3 i='in place' j=$name]
           2us e {k=@interned}"#,
    );
    let (plane, line) = only_line(&space);
    let first = stats(plane, &line.events[0].stats);
    let expected = [
        ("a", StatValue::Int64(5)),
        ("b", StatValue::Uint64(5)),
        ("c", StatValue::Uint64(u64::MAX)),
        ("d", StatValue::Double(-1.5)),
        ("e", StatValue::Bytes(vec![0x0a, 0xff])),
    ];
    assert_eq!(first[..5], expected);
    let interned = |value: &StatValue| match value {
        StatValue::Ref(id) => plane.stat_metadata[&id.cast_signed()].name.clone(),
        other => panic!("{other:?} is no reference"),
    };
    assert_eq!((first[5].0, &interned(&first[5].1)[..]), ("f", "bare"));
    assert_eq!((first[6].0, &interned(&first[6].1)[..]), ("g", "two words"));
    let second = stats(plane, &line.events[1].stats);
    assert_eq!(second[0], ("Raw Value", StatValue::Double(2000.0)));
    assert_eq!(second[1], ("i", text("in place")));
    assert_eq!((second[2].0, &interned(&second[2].1)[..]), ("j", "e"));
    // Metadata given once is kept; given again, it is another entry with the same name.
    let ids: Vec<i64> = line.events.iter().map(|event| event.metadata_id).collect();
    assert_eq!(ids, [1, 1, 2]);
    assert_eq!(
        stats(plane, &plane.event_metadata[&1].stats),
        [("h", text("in place"))]
    );
    let k = stats(plane, &plane.event_metadata[&2].stats);
    assert_eq!((k[0].0, &interned(&k[0].1)[..]), ("k", "interned"));
}

#[test]
fn compressed_text_is_gzip() {
    let space = drawn("thread python\n 0us e [long=gzip:\"a long text\"]");
    let event = &oracle::events(&space)[0];
    assert_eq!(event.stats.text("long").as_deref(), Some("a long text"));
    let (_, line) = only_line(&space);
    assert!(matches!(
        line.events[0].stats[0].value,
        Some(StatValue::CompressedStr(_))
    ));
}

#[test]
fn names_may_look_like_anything() {
    let names = [
        "[1] CommonPjRtLoadedExecutable::Execute (jit_step)",
        "$train.py:12 load_batch",
        "%add.1 = f32[8]{0} add(f32[8]{0} %a, f32[8]{0} %b), metadata={op_name=\"x\"}",
        "void kernel<float, 4>(float*, int)",
        "Wait: pending_threads=1/2",
    ];
    for name in names {
        let space = drawn(&format!("thread python\n 0..1us {name} [k=1]"));
        let event = &oracle::events(&space)[0];
        assert_eq!((&event.name[..], event.stats.integer("k")), (name, Some(1)));
    }
    // Quoted if it could be mistaken for a group.
    let space = drawn("thread python\n 0..1us \"odd [k=2]\" [k=1]");
    assert_eq!(oracle::events(&space)[0].name, "odd [k=2]");
}

#[test]
fn repeated_blocks_move_and_count() {
    let space = drawn(
        "thread python
         repeat 2 every 1ms
           0..900us train #step_num=$i,_r=1#
           repeat 3 every 10us
             1..5us inner #n=$i#
           end
         end",
    );
    let events = oracle::events(&space);
    let steps = oracle::steps(&space);
    let numbers: Vec<_> = steps
        .iter()
        .map(|step| (step.number, step.start_ps))
        .collect();
    assert_eq!(numbers, [(Some(0), 0), (Some(1), 1_000_000_000)]);
    let inner: Vec<_> = events
        .iter()
        .filter(|event| event.name == "inner")
        .map(|event| {
            (
                event.stats.integer("n").unwrap(),
                event.start_ps / 1_000_000,
            )
        })
        .collect();
    assert_eq!(
        inner,
        [(0, 1), (1, 11), (2, 21), (0, 1001), (1, 1011), (2, 1021)]
    );
}

#[test]
fn each_gives_stats_to_the_events_of_a_line() {
    let space = drawn(
        "thread tf_XLAEigen/-42
           each [hlo_op=$name program_id=5] {source=a.py}
           0us dot.1
           1us dot.2 [program_id=6]
         thread python
           2us plain",
    );
    let events = oracle::events(&space);
    assert_eq!(events[0].line_id, -42);
    assert_eq!(events[0].stats.text("hlo_op").as_deref(), Some("dot.1"));
    assert_eq!(events[0].stats.text("source").as_deref(), Some("a.py"));
    assert_eq!(events[1].stats.integer("program_id"), Some(6));
    assert_eq!(events[2].stats.names().count(), 0);
}

#[test]
fn the_space_itself() {
    let space = drawn(
        "# a comment
         host vm
         warning 3 events dropped
         error no permission
         environment [profile_start_time=1700000000000000000]
         plane /device:CUSTOM:x {version=\"1 2\"}
         line row [id=-7]
           0us e
         counter hbm 0us=1.5 10us=2",
    );
    assert_eq!(space.hostnames, ["vm"]);
    assert_eq!(
        (&space.warnings[0][..], &space.errors[0][..]),
        ("3 events dropped", "no permission")
    );
    let environment = space.plane("Task Environment").unwrap();
    let start = StatValue::Uint64(1_700_000_000_000_000_000);
    assert_eq!(
        stats(environment, &environment.stats),
        [("profile_start_time", start)]
    );
    let custom = space.plane("/device:CUSTOM:x").unwrap();
    assert_eq!(stats(custom, &custom.stats), [("version", text("1 2"))]);
    assert_eq!(custom.line("row").unwrap().id, -7);
    let counters = custom.line("_counters_").unwrap();
    assert_eq!(offset_and_duration(&counters.events[1]), (10_000_000, 0));
    let value = stats(custom, &counters.events[0].stats);
    assert_eq!(value, [("counter_value", StatValue::Double(1.5))]);
}

#[test]
fn split_begins_new_messages() {
    let space = drawn(
        "device gpu:0 nvidia H100
         stream 7 Compute
           0us a
         split
         device gpu:0
         stream 7 Compute
           1us b
         stream 7
           2us c",
    );
    let lines: Vec<usize> = space.planes.iter().map(|plane| plane.lines.len()).collect();
    assert_eq!(lines, [1, 1]);
    assert_eq!(space.planes[1].lines[0].events.len(), 2);
    assert!(space.planes[1].stats.is_empty());
}

#[test]
fn a_program_becomes_an_hlo_proto() {
    let space = drawn(
        "program 12190760917235803885 jit_step
           computation fused_add
             p = f32[8,8] parameter(0)
             ROOT a = f32[8,8] add(p, p)
           entry main
             x = f32[8,8]{1,0} parameter(0)
             dot.1 = f32[8,8] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
             fusion.1 = f32[8,8] fusion(dot.1) kind=kLoop calls=fused_add op_name=\"jit(step)/add\"
             ar = f32[8,8] all-reduce(fusion.1) replica_groups={{0,1},{2,3}} channel_id=1
             ROOT t = (f32[8,8], s32[]) tuple(ar) source=\"train.py:7\"
         thread python
           0us e",
    );
    let plane = space.plane("/host:metadata").unwrap();
    let entry = plane.event_metadata.values().next().unwrap();
    assert_eq!(entry.name, "jit_step(12190760917235803885)");
    let [(hlo, StatValue::Bytes(bytes)), id] = &stats(plane, &entry.stats)[..] else {
        panic!("two stats, the first of bytes")
    };
    assert_eq!(
        (*hlo, id),
        (
            "Hlo Proto",
            &("program_id", StatValue::Uint64(12_190_760_917_235_803_885))
        )
    );
    // The messages are private; their texts in wire order say that everything is there.
    let all = String::from_utf8_lossy(bytes);
    let words = [
        "jit_step",
        "main",
        "fused_add",
        "parameter",
        "dot.1",
        "jit(step)/add",
        "kLoop",
    ];
    let mut rest = &all[..];
    for word in words {
        rest = rest
            .split_once(word)
            .unwrap_or_else(|| panic!("{word} is not next"))
            .1;
    }
    assert_eq!(space.plane("/host:CPU").unwrap().lines[0].events.len(), 1);
}

#[test]
fn mistakes_are_told_with_their_line() {
    let cases = [
        ("host vm\n\n0..1us early", 3, "an event needs a line"),
        ("line XLA Ops", 1, "a line needs a plane"),
        (
            "device gpu:0 nvidia H1000",
            1,
            "no chip `nvidia H1000`; there are nvidia GTX1080Ti,",
        ),
        ("device npu:0", 1, "no device kind `npu`"),
        ("device gpu", 1, "should read like `gpu:0`"),
        ("thread python\n10..5us back", 2, "ends before it begins"),
        ("thread python\n10..50 e", 2, "needs a unit"),
        ("thread python\n1.5ps e", 2, "finer than a picosecond"),
        ("thread python\n99999999999s e", 2, "out of range"),
        ("thread python\n1us e [a=\"b]", 2, "is not closed"),
        ("thread python\n1us e [a=1", 2, "is not closed"),
        (
            "thread python\n1us e [a=1] more",
            2,
            "stands where stats should be",
        ),
        ("thread python\n1us", 2, "an event needs a name"),
        ("thread python [at=5ps]", 1, "whole nanoseconds"),
        ("thread python [color=5]", 1, "a line has no `color`"),
        ("repeat 3 every 5us\nhost vm", 1, "without its `end`"),
        ("host vm\nend", 2, "`end` without `repeat`"),
        (
            "repeat three every 5us\nend",
            1,
            "should read like `3 every 100us`",
        ),
        ("dance", 1, "no directive `dance`"),
        ("thread python\norigin 5s", 2, "before the first line"),
        ("device gpu:0\ncounter x", 2, "a counter reads like"),
        ("program five", 1, "no program id"),
        (
            "program 5 f\na = f32[2] add(b, b)",
            2,
            "nothing is called `b` yet",
        ),
        (
            "program 5 f\na = f99[2] parameter(0)",
            2,
            "no element type `f99`",
        ),
        (
            "program 5 f\na = f32[2] constant() color=red",
            2,
            "no attribute `color`",
        ),
    ];
    for (text, line, problem) in cases {
        let error = draw(text).unwrap_err();
        assert_eq!(error.line, line, "{text}: {error}");
        assert!(error.problem.contains(problem), "{text}: {error}");
        let shown = text.lines().nth(line - 1).unwrap();
        assert_eq!(
            error.to_string(),
            format!("line {line}: {}, in `{shown}`", error.problem)
        );
    }
}

/// A synthetic device has the same plane stats, of the same wire types, as a recorded one.
#[test]
fn drawn_chips_have_the_stats_of_recorded_ones() {
    let chips = [
        ("mi300x-jax-gemm", "device gpu:0 amd MI300X"),
        ("v100-tensorflow", "device gpu:0 nvidia V100"),
        ("gtx1080ti-julia", "device gpu:0 nvidia GTX1080Ti"),
        ("tpu-v6e-4chip-jax", "device tpu:0 v6e"),
    ];
    for (capture, text) in chips {
        let Some(capture) = corpus::capture(capture) else {
            return;
        };
        let recorded = corpus::read_space(&capture.hosts[0]).unwrap();
        let drawn = drawn(text);
        let plane = &drawn.planes[0];
        let recorded = recorded.plane(&plane.name).unwrap();
        let recorded = stats(recorded, &recorded.stats);
        assert!(plane.stats.len() >= 5, "{text}");
        for stat in stats(plane, &plane.stats) {
            assert!(
                recorded.contains(&stat),
                "{text}: {stat:?} is not in {recorded:?}"
            );
        }
    }
}

/// Synthetic lines and stats have the names, IDs, and wire types of recorded ones.
#[test]
fn drawn_events_have_the_shape_of_recorded_ones() {
    let cases = [
        (
            "tpu-v6e-4chip-jax",
            "device tpu:0 v6e
             line XLA Modules
               0..9us jit_f(12190760917235803885) [run_id=1u queue_id=0u core_type=0u]
             line XLA Ops
               0..9us %copy.1 = f32[8] copy(f32[8] %p) [device_offset_ps=0 device_duration_ps=9] \
             {hlo_category=copy program_id=5 symbol_id=1 flops=0}",
        ),
        (
            "mi300x-jax-gemm",
            "device gpu:0 amd MI300X
             stream 16 Kernel
               0..9us copy.kd [correlation_id=22 kernel_details=\" grid:1,1,1\" hlo_op=copy.1 \
             hlo_module=jit_f program_id=1]",
        ),
        (
            "cpu-jax-mlp",
            "thread tf_XLAEigen/5750488589488354997
               0..9us dot.1 [hlo_op=dot.1 hlo_module=jit_f program_id=70 run_id=1 device_ordinal=0]
             thread python
               0..9us train #_r=1,step_num=3#",
        ),
    ];
    for (name, text) in cases {
        let Some(capture) = corpus::capture(name) else {
            return;
        };
        let recorded = corpus::read_space(&capture.hosts[0]).unwrap();
        let drawn = drawn(text);
        for (plane, line) in drawn
            .planes
            .iter()
            .flat_map(|p| p.lines.iter().map(move |l| (p, l)))
        {
            let theirs = recorded.plane(&plane.name).unwrap();
            let their_line = theirs.line(&line.name);
            let their_line = their_line.unwrap_or_else(|| panic!("{name} has no {}", line.name));
            if line.name != "python" {
                assert_eq!(line.id, their_line.id, "{name}, {}", line.name);
            }
            assert_eq!(
                kinds(theirs, their_line, &kinds(plane, line, &[])),
                kinds(plane, line, &[])
            );
        }
    }
}

/// Name and wire type of every stat of a line's events and their metadata, without repetition; only
/// those named in `of`, unless it is empty.
fn kinds(plane: &XPlane, line: &XLine, of: &[(String, &str)]) -> Vec<(String, &'static str)> {
    let mut kinds = Vec::new();
    for event in &line.events {
        let metadata = plane.metadata(event).unwrap();
        for stat in event.stats.iter().chain(&metadata.stats) {
            let kind = match &stat.value {
                Some(StatValue::Double(_)) => "double",
                Some(StatValue::Uint64(_)) => "unsigned",
                Some(StatValue::Int64(_)) => "signed",
                Some(StatValue::Str(_)) => "text",
                Some(StatValue::Bytes(_)) => "bytes",
                Some(StatValue::Ref(_)) => "reference",
                Some(StatValue::CompressedStr(_)) => "compressed",
                None => "mark",
            };
            let name = plane.stat_name(stat).to_owned();
            if of.is_empty() || of.iter().any(|(other, _)| *other == name) {
                kinds.push((name, kind));
            }
        }
    }
    kinds.sort();
    kinds.dedup();
    kinds
}
