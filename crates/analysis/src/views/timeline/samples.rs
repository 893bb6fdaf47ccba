//! Sessions built by hand for the tests of this folder.

use std::fmt::Write as _;

use std::sync::Arc;

use proptest::prelude::*;
use stepscope_model::ingest::{HostInput, ingest};
use stepscope_model::{
    Activity, Attribution, CategorySource, Chip, Class, Device, DeviceId, DeviceKind, Host, HostId,
    Label, LabelId, Lane, Op, OpId, Origin, Picos, Program, ProgramId, Samples, Session, SliceKind,
    Span, Step, StepSpan, Strings, Track, TrackRole,
};

/// A lane from `(start, duration, label)`.
pub(super) fn lane(slices: &[(i64, i64, u32)]) -> Lane {
    let starts: Vec<i64> = slices.iter().map(|slice| slice.0).collect();
    let durations: Vec<i64> = slices.iter().map(|slice| slice.1).collect();
    let labels: Vec<LabelId> = slices.iter().map(|slice| LabelId(slice.2)).collect();
    let events: Vec<u32> = (0..).take(slices.len()).collect();
    Lane::from_columns(&starts, &durations, &labels, &events)
}

/// A track with only these lanes, in one nest.
pub(super) fn track(strings: &mut Strings, name: &str, lanes: Vec<Lane>) -> Track {
    let nest = 0..u32::try_from(lanes.len()).expect("few lanes");
    Track {
        name: strings.intern(name),
        host: HostId(0),
        process: None,
        device: None,
        role: TrackRole::HostThread,
        line_id: 0,
        lanes,
        nests: vec![nest],
        labels: Arc::default(),
        samples: None,
        origin: Origin::default(),
    }
}

pub(super) fn label(strings: &mut Strings, name: &str, class: Class) -> Label {
    Label {
        name: strings.intern(name),
        kind: SliceKind::Host,
        class,
        activity: Activity::Other,
        op: None,
        attribution: Attribution::None,
        program: None,
        launch: None,
        transfer: None,
        framework_op: None,
        framework_type: None,
    }
}

/// A session of these tracks with labels `label 0` to `label 9`.
pub(super) fn session(tracks: impl FnOnce(&mut Strings) -> Vec<Track>) -> Session {
    let mut strings = Strings::default();
    let labels = (0..10)
        .map(|n| label(&mut strings, &format!("label {n}"), Class::Host))
        .collect();
    let tracks = tracks(&mut strings);
    Session {
        name: "by hand".to_owned(),
        hosts: vec![Host {
            name: "vm".to_owned(),
            bytes: Arc::new(Vec::new()),
            offset: Picos::ZERO,
            profile_epoch_ns: None,
            facts: Vec::new(),
            event_count: 0,
            manifest: None,
        }],
        tracks,
        labels,
        strings,
        ..Session::default()
    }
}

/// Two steps of one op with a nested op on a device, a host thread, and a counter.
pub(super) fn two_steps() -> Session {
    let mut session = session(|strings| {
        let mut ops = track(
            strings,
            "XLA Ops",
            vec![
                lane(&[(100, 50, 0), (200, 60, 0)]),
                lane(&[(110, 10, 1), (130, 15, 1), (210, 30, 1)]),
            ],
        );
        ops.device = Some(DeviceId(0));
        ops.role = TrackRole::Ops;
        let mut counter = track(strings, "memory", Vec::new());
        counter.role = TrackRole::Counter;
        counter.samples = Some(Samples {
            times: vec![0, 90, 95, 200],
            values: vec![1.0, 2.0, 7.0, 3.0],
            ..Samples::default()
        });
        let thread = track(strings, "main", vec![lane(&[(80, 5, 2), (180, 5, 2)])]);
        vec![ops, counter, thread]
    });
    add_device(&mut session);
    let on = |start, end| StepSpan {
        host: HostId(0),
        device: Some(DeviceId(0)),
        span: Span::new(Picos(start), Picos(end)),
        work: None,
    };
    session.steps = vec![
        Step {
            number: 7,
            series: None,
            is_cut: false,
            spans: vec![on(100, 200)],
            threads: Vec::new(),
        },
        Step {
            number: 8,
            series: None,
            is_cut: false,
            spans: vec![on(200, 300)],
            threads: Vec::new(),
        },
    ];
    session
}

fn add_device(session: &mut Session) {
    session.devices.push(Device {
        host: HostId(0),
        ordinal: 0,
        name: "TPU:0".to_owned(),
        kind: DeviceKind::Tpu,
        chip: Chip {
            name: "TPU v6 Lite".to_owned(),
            ..Chip::default()
        },
    });
    session.programs.push(Program::named(5, "jit_step"));
    let mut text = |text: &str| session.strings.intern(text);
    let expression = "%while.1 = (f32[8]{0}) while(%tuple.9), body=%inner";
    session.ops.push(Op {
        program: ProgramId(0),
        name: text("while.1"),
        category: text("while"),
        category_source: CategorySource::Hlo,
        scope: text("jit(step)/layer_0/while"),
        source: text("train.py:7"),
        cost: None,
        is_rematerialized: false,
        is_control: true,
        expression: text(expression),
    });
    session.labels[0].op = Some(OpId(0));
    session.labels[0].program = Some(ProgramId(0));
    session.labels[0].class = Class::Compute;
    session.labels[1].class = Class::Matmul;
}

/// Lanes of up to 400 slices: instants, adjacent slices, gaps, and occasional long slices.
pub(super) fn any_lane() -> impl Strategy<Value = Lane> {
    let gap = prop_oneof![3 => Just(0i64), 3 => 1i64..4, 1 => 50i64..500];
    let duration = prop_oneof![2 => Just(0i64), 6 => 1i64..6, 1 => 100i64..900];
    let slices = prop::collection::vec((gap, duration, 0u32..10), 0..400);
    slices.prop_map(|slices| {
        let mut now = 0;
        let placed: Vec<_> = slices
            .into_iter()
            .map(|(gap, duration, label)| {
                let start = now + gap;
                now = start + duration;
                (start, duration, label)
            })
            .collect();
        lane(&placed)
    })
}

/// A kernel and the call that launched it.
pub(super) fn one_launch() -> Session {
    drawn(
        "
        host vm
        device gpu:0 nvidia H100
        stream 7 Compute
          10..20us gemm [correlation_id=42]
        thread main
          0..2us cuLaunchKernel [correlation_id=42]
        ",
    )
}

/// A program that one thread hands to another, which launches its kernels; and a loop that launches a
/// hundred.
pub(super) fn four_hops() -> Session {
    let (mut launches, mut kernels) = (String::new(), String::new());
    for n in 0..100 {
        let (launch, kernel, id) = (101 + n, 201 + n, 100 + n);
        let end = launch + 1;
        // Writing to a string cannot fail.
        let _ = writeln!(launches, "{launch}..{end}us cuLaunch [correlation_id={id}]");
        let end = kernel + 1;
        let _ = writeln!(kernels, "{kernel}..{end}us tiny [correlation_id={id}]");
    }
    drawn(&format!(
        "
        host vm
        device gpu:0 nvidia H100
        stream 7 Compute
          10..20us gemm [correlation_id=42]
          20..25us add [correlation_id=43]
          {kernels}
        thread main
          0..2us execute [_pt=5 _p=77]
        thread worker
          3..9us run [_ct=5 _c=77]
            4..5us cuLaunchKernel [correlation_id=42]
            6..7us cuLaunchKernel [correlation_id=43]
        thread other
          100..202us loop
            {launches}
        "
    ))
}

fn drawn(drawing: &str) -> Session {
    let space = stepscope_testing::drawing::draw(drawing).expect("the drawing is well formed");
    let input = HostInput {
        host: "vm".to_owned(),
        bytes: Arc::new(space.to_bytes()),
        problem: None,
    };
    ingest("drawn", vec![input]).expect("a drawing is a profile")
}
