//! Damaged and hostile bytes: never a panic, what stands before the damage is there, and the
//! problem names the byte where the field that could not be read begins.

mod support;

use proptest::prelude::*;
use stepscope_testing::{corpus, corrupt, drawing};
use stepscope_xplane::{Problem, ProblemKind, Space, StatValue};
use support::{PlainEvent, field, line_of_ours, number, ours, padded_varint, split};

const DRAWING: &str = "
    host vm
    warning events were dropped
    device gpu:0 nvidia H100
    stream 7 Compute
    each [hlo_op=$name program_id=5]
      0..10us gemm [correlation_id=1 kernel_details='regs:32 grid:1,1,1 block:128,1,1']
      12..20us add [correlation_id=2]
      x5 30us gemm
    stream 9 MemcpyH2D
      3..4us MemcpyH2D
    thread python/-42
      0..9us train #step_num=3,_r=1#
    counter hbm 0us=1.5 10us=2.5
";

fn drawn() -> Vec<u8> {
    drawing::draw(DRAWING).expect("well formed").to_bytes()
}

/// Every event, plane by plane and line by line, with what each line says about damage.
fn all_events(bytes: &[u8]) -> (Vec<PlainEvent>, Vec<(usize, bool)>) {
    let mut space = Space::scan(bytes);
    space
        .planes
        .iter_mut()
        .flat_map(|plane| &mut plane.lines)
        .for_each(stepscope_xplane::Line::complete);
    let mut damage = Vec::new();
    let mut events = Vec::new();
    for line in space.planes.iter().flat_map(|plane| &plane.lines) {
        let decoded = line_of_ours(line).events;
        assert!(
            decoded.len() <= line.event_count,
            "{} in {}",
            decoded.len(),
            line.name
        );
        assert!(line.event_count <= decoded.len() + 1);
        events.extend(decoded);
        let mut rest = line.events();
        rest.by_ref().for_each(drop);
        let start = space.offset_of(line.as_bytes());
        damage.extend(
            rest.damage()
                .map(|(offset, is_truncated)| (start + offset, is_truncated)),
        );
    }
    (events, damage)
}

/// Where the fields of a whole file begin and end, down to events.
struct Layout {
    top: Vec<std::ops::Range<usize>>,
    in_planes: Vec<std::ops::Range<usize>>,
    events: Vec<std::ops::Range<usize>>,
    /// Fields of lines that are no events.
    headers: Vec<std::ops::Range<usize>>,
}

impl Layout {
    fn of(bytes: &[u8]) -> Self {
        let position = |part: &[u8]| part.as_ptr() as usize - bytes.as_ptr() as usize;
        let mut layout = Self {
            top: Vec::new(),
            in_planes: Vec::new(),
            events: Vec::new(),
            headers: Vec::new(),
        };
        let shifted = |at: &std::ops::Range<usize>, by: usize| at.start + by..at.end + by;
        for top in split(bytes) {
            layout.top.push(top.at.clone());
            if top.number != 1 {
                continue;
            }
            for inner in split(top.payload) {
                let at = shifted(&inner.at, position(top.payload));
                layout.in_planes.push(at);
                if inner.number != 3 {
                    continue;
                }
                let base = position(inner.payload);
                for field in split(inner.payload) {
                    let is_event = field.number == 4;
                    let place = if is_event {
                        &mut layout.events
                    } else {
                        &mut layout.headers
                    };
                    place.push(shifted(&field.at, base));
                }
            }
        }
        layout
    }

    /// The problem of the file cut off at that length: the innermost field of the file or of a
    /// plane that the cut goes through.
    fn problem(&self, length: usize) -> Option<usize> {
        cut_of(&self.in_planes, length).or_else(|| cut_of(&self.top, length))
    }

    fn cut_event(&self, length: usize) -> Option<usize> {
        cut_of(&self.events, length)
    }

    fn cut_header(&self, length: usize) -> Option<usize> {
        cut_of(&self.headers, length)
    }
}

/// Where the field begins that a cut goes through.
fn cut_of(fields: &[std::ops::Range<usize>], length: usize) -> Option<usize> {
    let cut = fields
        .iter()
        .find(|at| at.start < length && length < at.end);
    cut.map(|at| at.start)
}

fn check_cuts(bytes: &[u8], step: usize) {
    let layout = Layout::of(bytes);
    let (whole, _) = all_events(bytes);
    assert_eq!(whole.len(), layout.events.len());
    for length in (0..bytes.len()).step_by(step) {
        let cut = &bytes[..length];
        let expected = layout.events.iter().filter(|at| at.end <= length).count();
        let (events, damage) = all_events(cut);
        assert_eq!(events.len(), expected, "events before byte {length}");
        assert!(
            events[..] == whole[..expected],
            "events before byte {length}"
        );
        match (layout.cut_event(length), layout.cut_header(length)) {
            (Some(start), _) => assert_eq!(damage, [(start, true)], "cut at {length}"),
            // The cut of a line's header is a problem of its plane; the line may know of it.
            (None, Some(start)) => assert!(damage.is_empty() || damage == [(start, true)]),
            (None, None) => assert!(damage.is_empty(), "cut at {length}: {damage:?}"),
        }
        let problems = Space::scan(cut).problems;
        let found: Vec<_> = problems.iter().map(|p| (p.offset, p.kind)).collect();
        let problem = layout
            .problem(length)
            .map(|start| (start, ProblemKind::Truncated));
        assert_eq!(found, Vec::from_iter(problem), "cut at {length}");
    }
}

#[test]
fn a_file_cut_off_anywhere_keeps_what_came_before() {
    check_cuts(&drawn(), 1);
}

#[test]
fn recorded_files_cut_off_keep_what_came_before() {
    /// Cuts of one file: enough to hit every kind of field, few enough to stay quick.
    const CUTS: usize = 40;
    for capture in corpus::fixtures().into_iter().chain(corpus::captures()) {
        // Hosts of one capture are alike.
        for host in capture.hosts.iter().take(1) {
            let bytes = corpus::read_bytes(host).expect("readable");
            check_cuts(&bytes, 997 * (bytes.len() / 997 / CUTS).max(1));
        }
    }
}

#[test]
fn one_damaged_plane_leaves_its_neighbors() {
    let plane =
        |name: &str, rest: &[u8]| field(1, &[field(2, name.as_bytes()), rest.to_vec()].concat());
    let first = plane("/host:CPU", &[]);
    let bytes = [
        first.clone(),
        plane("/device:GPU:0", &[0x00, 0xff]),
        plane("/device:GPU:1", &[]),
    ]
    .concat();
    let space = Space::scan(&bytes);
    let names: Vec<&str> = space
        .planes
        .iter()
        .map(|plane| plane.name.as_ref())
        .collect();
    assert_eq!(names, ["/host:CPU", "/device:GPU:0", "/device:GPU:1"]);
    // Behind the plane's tag and length and its name with tag and length.
    let offset = first.len() + 2 + 2 + "/device:GPU:0".len();
    let kind = ProblemKind::Malformed;
    assert_eq!(
        space.problems,
        [Problem {
            offset,
            plane: "/device:GPU:0".into(),
            kind
        }]
    );
}

#[test]
fn names_that_are_no_text_are_read_with_marks() {
    let bad = b"gemm\xff\xfe<float>";
    let metadata = field(4, &[number(1, 1), field(2, &field(2, bad))].concat());
    let line = field(3, &[field(2, b"\xc3"), field(4, &number(1, 1))].concat());
    let mut space = field(1, &[field(2, b"/host:\x80"), line, metadata].concat());
    space.extend(field(4, b"vm\xff"));
    let plain = ours(&space);
    assert_eq!(plain.hostnames, ["vm\u{fffd}"]);
    assert_eq!(plain.planes[0].name, "/host:\u{fffd}");
    assert_eq!(plain.planes[0].lines[0].name, "\u{fffd}");
    assert_eq!(plain.planes[0].lines[0].events.len(), 1);
    assert_eq!(
        plain.planes[0].event_metadata[&1].0,
        "gemm\u{fffd}\u{fffd}<float>"
    );
}

#[test]
fn of_repeated_ids_the_last_counts_and_gaps_do_not_matter() {
    let entry =
        |id: u64, name: &[u8]| field(5, &[number(1, id), field(2, &field(2, name))].concat());
    let dense = field(
        1,
        &[entry(2, b"b"), entry(1, b"a"), entry(2, b"c")].concat(),
    );
    let sparse = field(
        1,
        &[entry(u64::MAX, b"x"), entry(9, b"y"), entry(u64::MAX, b"z")].concat(),
    );
    let nameless = field(1, &field(5, &number(1, 7)));
    let keyless = field(1, &field(5, &field(2, &field(2, b"zero"))));
    let bytes = [dense, sparse, nameless, keyless].concat();
    let names: Vec<Vec<(i64, String)>> = ours(&bytes)
        .planes
        .into_iter()
        .map(|plane| plane.stat_metadata.into_iter().collect())
        .collect();
    let expected: [&[(i64, &str)]; 4] = [
        &[(1, "a"), (2, "c")],
        &[(-1, "z"), (9, "y")],
        &[(7, "")],
        &[(0, "zero")],
    ];
    for (names, expected) in names.iter().zip(expected) {
        let expected: Vec<_> = expected
            .iter()
            .map(|&(id, name)| (id, name.to_owned()))
            .collect();
        assert_eq!(*names, expected);
    }
    let space = Space::scan(&bytes);
    assert!(space.planes[0].stat_metadata.get(3).is_none());
    assert!(space.planes[1].stat_metadata.get(i64::MIN).is_none());
}

#[test]
fn of_a_time_and_a_count_the_last_written_holds() {
    let timed = [number(5, 3), number(2, 70), number(3, 1)].concat();
    let counted = [number(2, 70), number(5, 3), number(3, 1)].concat();
    let bytes = field(
        1,
        &field(3, &[field(4, &timed), field(4, &counted)].concat()),
    );
    let events = &ours(&bytes).planes[0].lines[0].events;
    assert_eq!((events[0].offset_ps, events[0].occurrences), (70, None));
    assert_eq!((events[1].offset_ps, events[1].occurrences), (0, Some(3)));
}

#[test]
fn an_event_with_a_long_tag_is_counted() {
    let event = [padded_varint(4 << 3 | 2, 2), vec![2], number(1, 5)].concat();
    let bytes = field(1, &field(3, &[number(1, 3), event].concat()));
    let (events, damage) = all_events(&bytes);
    assert_eq!((events.len(), events[0].metadata_id), (1, 5));
    assert_eq!(damage, []);
}

#[test]
fn varints_of_ten_bytes() {
    let minus_one = number(1, u64::MAX);
    assert_eq!(minus_one.len(), 11);
    // Bits beyond the 64th are dropped, as every other decoder does.
    let overflowing = [vec![0x08], vec![0xff; 9], vec![0x7f]].concat();
    let least = number(1, 1 << 63);
    for (id, expected) in [(minus_one, -1), (overflowing, -1), (least, i64::MIN)] {
        let bytes = field(1, &field(3, &id));
        assert_eq!(ours(&bytes).planes[0].lines[0].id, expected);
    }
    let eleven = [vec![0x08], vec![0xff; 10], vec![0x01]].concat();
    let space = field(
        1,
        &field(3, &[number(10, 7), eleven, number(3, 5)].concat()),
    );
    let line = &ours(&space).planes[0].lines[0];
    assert_eq!((line.display_id, line.timestamp_ns), (7, 0));
    assert_eq!(all_events(&space).1, [(6, false)]);
}

#[test]
fn lengths_that_lie_are_problems_at_their_field() {
    for (name, bytes) in corrupt::hostile_lengths() {
        let space = Space::scan(&bytes);
        all_events(&bytes);
        let offsets: Vec<usize> = space
            .problems
            .iter()
            .map(|problem| problem.offset)
            .collect();
        match name {
            // A known field of another type is skipped like an unknown one.
            "plane as a varint" => assert!(offsets.is_empty(), "{name}"),
            "line longer than its plane" => assert_eq!(offsets, [2], "{name}"),
            _ => assert_eq!(offsets, [0], "{name}"),
        }
    }
}

#[test]
fn nesting_however_deep_takes_no_stack() {
    for (name, nested) in corrupt::deep_nesting(200_000) {
        let bytes = [
            nested.clone(),
            field(1, &[nested, field(2, b"/host:CPU")].concat()),
        ]
        .concat();
        let space = Space::scan(&bytes);
        assert_eq!(space.problems, [], "{name}");
        assert_eq!(space.planes[0].name, "/host:CPU", "{name}");
    }
}

#[test]
fn extreme_numbers_are_only_numbers() {
    for (name, space) in corrupt::extreme_spaces() {
        assert_eq!(ours(&space.to_bytes()), support::theirs(&space), "{name}");
    }
}

#[test]
fn numbers_are_read_tolerantly() {
    assert_eq!(StatValue::Uint(u64::MAX).as_int(), Some(-1));
    assert_eq!(StatValue::Int(-5).as_int(), Some(-5));
    assert_eq!(StatValue::Double(7.9).as_int(), Some(7));
    assert_eq!(StatValue::Double(1e300).as_int(), None);
    assert_eq!(StatValue::Double(f64::NAN).as_int(), None);
    assert_eq!(StatValue::Uint(3).as_double(), Some(3.0));
    assert_eq!(StatValue::Int(-3).as_double(), Some(-3.0));
    assert_eq!(StatValue::Text(b"3").as_int(), None);
    assert_eq!(StatValue::None.as_double(), None);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..2048)) {
        let (events, _) = all_events(&bytes);
        prop_assert!(events.len() * 2 <= bytes.len());
    }

    #[test]
    fn any_flipped_bits_are_survived(seed in any::<u64>(), flips in 1usize..40) {
        let whole = drawn();
        for bytes in corrupt::random_flips(&whole, seed, flips, 4) {
            all_events(&bytes);
            ours(&bytes);
            for problem in Space::scan(&bytes).problems {
                prop_assert!(problem.offset < bytes.len());
            }
        }
    }
}
