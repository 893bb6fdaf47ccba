//! What is no profile is refused with a reason that helps; what is only damaged becomes a session
//! with warnings.

use crate::support::{draw, session, session_of, try_session, warnings};
use stepscope_model::WarningKind;
use stepscope_model::ingest::{IngestError, ingest};
use stepscope_testing::{corpus, corrupt};

fn refusal(bytes: &[u8]) -> String {
    match try_session(&[bytes.to_vec()]) {
        Err(IngestError::NotAProfile { host, found }) => {
            assert_eq!(host, "host0");
            found
        }
        Err(error) => panic!("another error: {error}"),
        Ok(session) => panic!("a session of\n{}", crate::support::picture(&session)),
    }
}

#[test]
fn other_files_are_told_by_what_they_are() {
    let html = "<!DOCTYPE html><html><body>404</body></html>";
    let trace = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[]}";
    let cases: [(&[u8], &str); 8] = [
        (b"", "empty (0 bytes)"),
        (&[0; 100], "only zero bytes"),
        (html.as_bytes(), "HTML page"),
        (b"  <html>", "HTML page"),
        (trace.as_bytes(), "open that file instead"),
        (b"step,loss\n1,0.5\n", "text file"),
        (b"\nhello\nworld\n", "text file"),
        (&[0xff; 64], "expected the *.xplane.pb"),
    ];
    for (bytes, words) in cases {
        let found = refusal(bytes);
        assert!(found.contains(words), "{found}, not {words}");
    }
    assert!(matches!(
        ingest("none", Vec::new()),
        Err(IngestError::NoInput)
    ));
}

#[test]
fn a_dumped_program_is_no_profile() {
    // The message of an HLO dump has a name where a plane has an id.
    let dump = draw(
        "program 5 jit_step
           p.0 = f32[8,8] parameter(0)
           ROOT dot.1 = f32[8,8] dot(p.0, p.0)",
    );
    let entry = dump.planes[0]
        .event_metadata
        .values()
        .next()
        .expect("one program");
    let hlo = entry.stats.iter().find_map(|stat| match &stat.value {
        Some(stepscope_testing::space::StatValue::Bytes(bytes)) => Some(bytes.clone()),
        _ => None,
    });
    let found = refusal(&hlo.expect("its HLO"));
    assert!(found.contains("hlo_proto.pb"), "{found}");
    let folder = corpus::corpus_folder().join("hlo");
    if let Ok(bytes) = std::fs::read(folder.join("h100-maxtext-train_step.hlo_proto.pb")) {
        assert!(refusal(&bytes).contains("hlo_proto.pb"));
    }
}

#[test]
fn lengths_that_lie_are_no_profile() {
    for (name, bytes) in corrupt::hostile_lengths() {
        let result = try_session(&[bytes]);
        assert!(
            matches!(result, Err(IngestError::NotAProfile { .. })),
            "{name}"
        );
    }
    for (name, bytes) in corrupt::deep_nesting(100_000) {
        assert!(try_session(&[bytes]).is_err(), "{name}");
    }
}

#[test]
fn one_profile_among_others_is_enough() {
    let good = draw("thread a/1\n 0..1us x").to_bytes();
    let session = session_of(&[b"no profile".to_vec(), good]);
    assert_eq!(session.hosts.len(), 2);
    assert_eq!(session.slice_count(), 1);
    assert!(!session.warnings.is_empty(), "the other file is told");
    assert_eq!(session.warnings[0].host, "host0");
}

#[test]
fn programs_alone_are_a_session() {
    let session = session(
        "program 5 jit_step
           p.0 = f32[8,8] parameter(0)
           ROOT dot.1 = f32[8,8] dot(p.0, p.0)",
    );
    assert_eq!((session.programs.len(), session.tracks.len()), (1, 0));
    assert!(session.programs[0].hlo.is_some());
    assert_eq!(session.extent(), None);
    assert!(session.steps.is_empty() && session.devices.is_empty());
}

#[test]
fn a_cut_file_is_a_session_with_a_warning() {
    let space = draw(
        "device gpu:0 nvidia H100
         stream 7 Compute
         repeat 100 every 10us
           0..9us gemm
         end",
    );
    let bytes = space.to_bytes();
    let session = session_of(&[bytes[..bytes.len() / 2].to_vec()]);
    let slices = session.slice_count();
    assert!(slices > 20 && slices < 100, "{slices}");
    let told: Vec<_> = session
        .warnings
        .iter()
        .filter(|w| w.kind == WarningKind::Truncated)
        .collect();
    let text = &told[0].message;
    assert!(
        text.contains("at byte ") && text.contains("plane /device:GPU:0"),
        "{text}"
    );
    let words: Vec<&str> = text.split_whitespace().collect();
    let at = words
        .iter()
        .position(|&word| word == "byte")
        .map(|at| words[at + 1]);
    let offset: usize = at.expect("a byte").parse().expect("a number");
    assert!(offset < bytes.len() / 2);
    assert!(!told[0].hint.is_empty());
    assert_eq!(
        told.len(),
        1,
        "one cut is told once: {:?}",
        warnings(&session)
    );
}

/// Cut anywhere: a session or a refusal, never a panic, and what is lost is told.
#[test]
fn a_file_cut_anywhere_tells_so() {
    let bytes = draw(
        "host vm
         device gpu:0 nvidia H100
         stream 7 Compute
         each [hlo_op=$name hlo_module=jit_f program_id=5]
           0..10us gemm [correlation_id=1 kernel_details='regs:32 grid:1,1,1']
           12..20us add
         thread python
           0..9us train #step_num=3,_r=1#
           1..2us launch [correlation_id=1]
         program 5 jit_f
           p.0 = f32[8,8] parameter(0)
           ROOT dot.1 = f32[8,8] dot(p.0, p.0)",
    )
    .to_bytes();
    let whole = session_of(std::slice::from_ref(&bytes));
    assert!(whole.warnings.is_empty(), "{:?}", warnings(&whole));
    let mut sessions = 0;
    for cut in corrupt::truncations(&bytes, 1) {
        let Ok(session) = try_session(&[cut.to_vec()]) else {
            continue;
        };
        sessions += 1;
        let is_told = session
            .warnings
            .iter()
            .any(|w| w.kind == WarningKind::Truncated);
        let is_boundary = stepscope_testing::space::XSpace::from_bytes(cut).is_ok();
        assert_eq!(
            is_told,
            !is_boundary,
            "cut at {}: {:?}",
            cut.len(),
            warnings(&session)
        );
    }
    assert!(sessions > bytes.len() / 2);
}

#[test]
fn complaints_of_the_profiler_are_warnings() {
    let session = session("warning 3 events dropped\n error no permission\n thread a/1\n 0us x");
    let told: Vec<_> = session
        .warnings
        .iter()
        .map(|w| (w.kind, &w.message[..]))
        .collect();
    assert_eq!(
        told,
        [
            (
                WarningKind::Recorder,
                "The profiler reported: 3 events dropped"
            ),
            (
                WarningKind::Recorder,
                "The profiler reported: no permission"
            ),
        ]
    );
}

#[test]
fn a_damaged_program_is_a_warning() {
    let mut space = draw(
        "program 5 jit_step
           ROOT p.0 = f32[8,8] parameter(0)
         thread a/1
           0us x",
    );
    let entry = space.planes[0]
        .event_metadata
        .get_mut(&5)
        .expect("the program");
    entry.stats[0].value = Some(stepscope_testing::space::StatValue::Bytes(vec![0xff; 20]));
    let session = session_of(&[space.to_bytes()]);
    assert!(
        warnings(&session)[0].contains("HLO of jit_step(5)"),
        "{:?}",
        warnings(&session)
    );
}
