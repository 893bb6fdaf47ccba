//! Identifiers of every kind, and a profile that has them wherever a text can be: what redaction
//! must not let through.

use prost::Message as _;

use crate::space::{
    EventData, StatValue, XEvent, XEventMetadata, XLine, XPlane, XSpace, XStat, XStatMetadata,
};

/// The host of the stuffed profile: vocabulary and a number, so only its role makes it a name.
pub const HOST: &str = "gpu-worker-3";
/// The name of its run.
pub const RUN: &str = "train-run-5";
/// A person, in its paths.
pub const USER: &str = "core-data";

/// An identifier as it stands in a text, and the parts that must not survive.
#[derive(Debug, Clone)]
pub struct Identifier {
    /// What is written.
    pub text: String,
    /// What is looked for afterwards.
    pub secrets: Vec<String>,
}

/// A small generator of numbers: the same for the same seed.
struct Dice(u64);

impl Dice {
    fn number(&mut self, below: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }

    fn of(&mut self, letters: &[u8], count: usize) -> String {
        let mut letter =
            || char::from(letters[usize::try_from(self.number(letters.len() as u64)).unwrap_or(0)]);
        (0..count).map(|_| letter()).collect()
    }

    fn hex(&mut self, count: usize) -> String {
        // Ends with a digit and a letter, so that it is neither a number nor a word.
        format!("{}7e", self.of(b"0123456789abcdef", count - 2))
    }

    fn digits(&mut self, count: usize) -> String {
        format!("8{}", self.of(b"0123456789", count - 1))
    }

    fn name(&mut self) -> String {
        format!("q{}z", self.of(b"aeioulnrst", 7))
    }
}

/// Kinds of identifiers.
const KINDS: usize = 36;

/// Identifiers of all kinds, `count` of each.
pub fn identifiers(seed: u64, count: usize) -> Vec<Identifier> {
    let mut dice = Dice(seed ^ 0x9e37_79b9_7f4a_7c15);
    (0..count * KINDS)
        .map(|at| one(at % KINDS, &mut dice))
        .collect()
}

#[expect(
    clippy::too_many_lines,
    reason = "one arm for each kind, and nothing else"
)]
fn one(kind: usize, dice: &mut Dice) -> Identifier {
    let d = dice;
    let whole = |text: String| (text.clone(), vec![text]);
    let (text, secrets) = match kind {
        0 => whole(format!(
            "{}-{}-4{}-a{}-{}",
            d.hex(8),
            d.hex(4),
            d.hex(3),
            d.hex(3),
            d.hex(12)
        )),
        1 => {
            let key = d.hex(32);
            (format!("sk-{key}"), vec![key])
        }
        2 => whole(
            ["00", "1a"]
                .iter()
                .map(|&pair| pair.to_owned())
                .chain((0..4).map(|_| d.hex(2)))
                .collect::<Vec<_>>()
                .join(":"),
        ),
        3 => whole(
            (0..6)
                .map(|_| d.of(b"abcdef0123456789", 2))
                .collect::<Vec<_>>()
                .join("-"),
        ),
        4 => {
            let value = "a1b2c3d4".to_owned() + &d.digits(2);
            (format!("token={value}"), vec![value])
        }
        5 => whole(format!("u{}", d.digits(7))),
        6 => whole(format!("{}-0{}", d.digits(4), d.digits(3))),
        7 => whole(format!(
            "2001:db8:{}:{}:0:8a2e:370:{}",
            d.hex(3),
            d.hex(4),
            d.digits(4)
        )),
        8 => whole(format!("fe80::{}:{}", d.hex(4), d.hex(4))),
        9 => whole(format!(
            "10.{}.{}.{}",
            d.number(256),
            d.number(256),
            d.number(256)
        )),
        10 => {
            let tail = format!("10-{}-{}-{}", d.number(256), d.number(256), d.number(256));
            (format!("ip-{tail}"), vec![tail])
        }
        11 => {
            let name = d.name();
            whole(format!("gpu-{}.{name}.corp.example.com", d.number(1000)))
        }
        12 => {
            let name = d.name();
            (
                format!("{name}.max@data.example.org"),
                vec![name, "max@data".to_owned()],
            )
        }
        13 => whole(d.digits(12)),
        14 => whole(d.hex(40)),
        15 => whole(d.name()),
        16 => {
            let name = d.name().replacen('q', "Q", 1);
            (format!("{name}BlockKernel"), vec![name])
        }
        17 => whole(format!(
            "20{}-1{}-2{}",
            20 + d.number(9),
            d.number(3),
            d.number(9)
        )),
        18 => whole(format!(
            "AKIA{}7Q",
            d.of(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 14)
        )),
        19 => {
            let (head, body) = (d.hex(20), d.hex(30));
            (format!("eyJ{head}.eyJ{body}"), vec![head, body])
        }
        20 => {
            let (name, project) = (d.name(), format!("plan-{}", d.digits(3)));
            (format!("/mnt/{name}/{project}/run.py"), vec![name, project])
        }
        21 => {
            let bucket = format!("model-store-{}", d.digits(3));
            (format!("gs://{bucket}/{USER}/step_100"), vec![bucket])
        }
        22 => {
            let name = d.name();
            (
                format!("C:\\Users\\{name}\\data-7\\a.py"),
                vec![name, "data-7".to_owned()],
            )
        }
        23 => whole(format!("+49-1{}-{}", d.digits(2), d.digits(7))).into_plus(),
        24 => whole((0..4).map(|_| d.digits(4)).collect::<Vec<_>>().join(" ")),
        25 => {
            let name = format!("ж{}я", d.name());
            whole(name)
        }
        26 => {
            let name = d.name();
            (
                format!("https://max:{}@{name}.internal:8470/x?key=1", d.hex(8)),
                vec![name],
            )
        }
        27 => {
            let name = d.name();
            (format!("user={name} password=\"{}\"", d.hex(9)), vec![name])
        }
        28 => {
            let name = d.name();
            (format!("{name}42"), vec![name])
        }
        29 => whole(format!("0x{}", d.hex(10))),
        30 => {
            let groups = (0..3).map(|_| (100 + d.number(150)).to_string());
            let address = format!("10_{}", groups.collect::<Vec<_>>().join("_"));
            (format!("ip_{address}"), vec![address])
        }
        31 => whole(format!(
            "7f_3a_{}",
            (0..4)
                .map(|_| d.of(b"abcdef0123456789", 2))
                .collect::<Vec<_>>()
                .join("_")
        )),
        32 => whole(format!("0{}5 {} {}", d.number(9), d.digits(2), d.digits(4))),
        33 => whole(format!("{}5 {} {}1", d.digits(2), d.digits(3), d.digits(3))),
        34 => {
            let value = d.digits(6);
            (format!("user_id={value}"), vec![value])
        }
        _ => {
            let value = d.digits(5);
            (format!("\"customer_id\": {value}"), vec![value])
        }
    };
    Identifier { text, secrets }
}

/// A telephone number without its sign, which may stay.
trait IntoPlus {
    fn into_plus(self) -> Self;
}

impl IntoPlus for (String, Vec<String>) {
    fn into_plus(self) -> Self {
        let plain = self.0.trim_start_matches('+').to_owned();
        (self.0, vec![plain])
    }
}

/// A profile with each identifier in every place where a profile has text or bytes.
pub fn stuffed(identifiers: &[Identifier]) -> XSpace {
    let mut space = XSpace {
        hostnames: vec![HOST.to_owned()],
        ..XSpace::default()
    };
    let mut host = plane("/host:CPU");
    let mut device = plane("/device:GPU:0");
    for (at, one) in (1..).zip(identifiers) {
        let text = &one.text;
        space.errors.push(format!("cannot write {text}"));
        space.warnings.push(format!("{text} on {HOST} of {RUN}"));
        let number = 1000 * at;
        fill(&mut host, text, number);
        fill(&mut device, text, number);
    }
    let mut program = plane("/host:metadata");
    program.stat_metadata.insert(1, stat_name(1, "Hlo Proto"));
    for (at, one) in (1..).zip(identifiers) {
        let proto = StatValue::Bytes(hlo(&one.text));
        let metadata = XEventMetadata {
            id: at,
            name: format!("jit_{}({at})", one.text),
            stats: vec![stat(1, proto)],
            ..XEventMetadata::default()
        };
        program.event_metadata.insert(at, metadata);
    }
    let first = identifiers.iter().take(60);
    let named = first.map(|one| plane(&format!("/device:CUSTOM:{}", one.text)));
    space.planes = vec![host, device, program];
    space.planes.extend(named);
    space
}

fn plane(name: &str) -> XPlane {
    XPlane {
        name: name.to_owned(),
        ..XPlane::default()
    }
}

fn stat_name(id: i64, name: &str) -> XStatMetadata {
    XStatMetadata {
        id,
        name: name.to_owned(),
        description: name.to_owned(),
    }
}

const fn stat(id: i64, value: StatValue) -> XStat {
    XStat {
        metadata_id: id,
        value: Some(value),
    }
}

/// Stats whose bytes or texts the engine reads.
const STATS: [&str; 12] = [
    "dcn_collective_info",
    "memory_access_breakdown",
    "profile_options",
    "kernel_details",
    "memcpy_details",
    "tf_op",
    "source",
    "source_stack",
    "hlo_op",
    "hlo_module",
    "annotation",
    "long_name",
];

fn fill(plane: &mut XPlane, text: &str, number: i64) {
    let mut stats = Vec::new();
    for (at, name) in (number..).zip(STATS.into_iter().chain([text])) {
        plane.stat_metadata.insert(at, stat_name(at, name));
        stats.push(stat(at, StatValue::Str(format!("{text} of {RUN}"))));
        stats.push(stat(at, StatValue::Bytes(nested(text))));
        stats.push(stat(at, StatValue::Bytes(text.as_bytes().to_vec())));
        stats.push(stat(at, StatValue::CompressedStr(text.as_bytes().to_vec())));
        stats.push(stat(at, StatValue::Ref((number + 50).cast_unsigned())));
    }
    plane
        .stat_metadata
        .insert(number + 50, stat_name(number + 50, text));
    let names = [
        text.to_owned(),
        format!("{HOST}: {text}"),
        format!("$/home/{USER}/{text}/a.py:41 load"),
        format!("$train.py:41 {text}"),
        format!("fusion of {text}"),
        format!("/home/{USER}/x {text}"),
        format!("by {USER}"),
    ];
    let mut events = Vec::new();
    for (id, name) in (number..).zip(names) {
        let metadata = XEventMetadata {
            id,
            name,
            display_name: text.to_owned(),
            metadata: text.as_bytes().to_vec(),
            stats: stats.clone(),
            child_id: text.bytes().map(i64::from).collect(),
        };
        plane.event_metadata.insert(id, metadata);
        events.push(XEvent {
            metadata_id: id,
            data: Some(EventData::OffsetPs((id - number) * 1_000_000)),
            duration_ps: 900_000,
            stats: stats.clone(),
        });
    }
    plane.stats.extend(stats);
    plane.lines.push(XLine {
        id: number,
        name: format!("{text}/12"),
        display_name: format!("Stream #13({text})"),
        timestamp_ns: 1_000_000,
        events,
        ..XLine::default()
    });
}

/// A message with the text in fields that should be numbers or messages of numbers.
fn nested(text: &str) -> Vec<u8> {
    let inner = [field(1, text.as_bytes()), field(2, text.as_bytes())].concat();
    (1..=7)
        .flat_map(|number| [field(number, &inner), field(number, text.as_bytes())].concat())
        .collect()
}

/// An `HloProto` with the text wherever a program has one, in fields that nobody knows too.
fn hlo(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let unknown = field(99, bytes);
    let shape = [
        vec![16, 11],
        unknown.clone(),
        field(4, &unknown),
        field(5, &unknown),
    ]
    .concat();
    let metadata: Vec<u8> = [1, 2, 3, 12, 99]
        .into_iter()
        .flat_map(|number| field(number, bytes))
        .collect();
    let attribute = field(1, &[field(1, bytes), field(2, bytes)].concat());
    let mut instruction = vec![0x98, 2, 1];
    for number in [1, 2, 8, 11, 28, 43, 63, 79, 99] {
        instruction.extend(field(number, bytes));
    }
    instruction.extend(field(3, &shape));
    instruction.extend(field(7, &metadata));
    instruction.extend(field(68, &attribute));
    for number in [15, 16, 17, 21, 30, 33, 40, 48, 49, 52, 87, 90, 92, 93] {
        instruction.extend(field(number, &unknown));
    }
    // Lists of numbers, of which a text is one.
    for number in [14, 20, 32, 34, 36, 37, 38] {
        instruction.extend(field(number, bytes));
    }
    let computation = [
        field(1, bytes),
        field(2, &instruction),
        field(8, bytes),
        unknown.clone(),
    ]
    .concat();
    let frames: Vec<u8> = (1..=4)
        .flat_map(|number| {
            if number < 3 {
                field(number, bytes)
            } else {
                field(number, &unknown)
            }
        })
        .collect();
    let module = [
        field(1, bytes),
        field(2, bytes),
        field(3, &computation),
        field(7, &unknown),
        field(8, &unknown),
        field(15, &unknown),
        field(17, &frames),
        unknown.clone(),
    ]
    .concat();
    let place = [field(1, bytes), field(2, bytes)].concat();
    let buffers = [field(1, &field(3, &place)), field(3, &unknown)].concat();
    [field(1, &module), field(3, &buffers), unknown].concat()
}

fn field(number: u32, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    prost::encoding::encode_key(number, prost::encoding::WireType::LengthDelimited, &mut out);
    prost::encoding::encode_varint(bytes.len() as u64, &mut out);
    out.extend_from_slice(bytes);
    out
}

/// Secrets of the identifiers, and the profile's own names, that occur in some bytes.
pub fn found_in(identifiers: &[Identifier], bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let own = [HOST, RUN, USER];
    let secrets = identifiers
        .iter()
        .flat_map(|one| one.secrets.iter().map(String::as_str));
    let found = secrets.chain(own).filter(|secret| text.contains(secret));
    found.map(str::to_owned).collect()
}

/// The bytes of a profile.
pub fn encoded(space: &XSpace) -> Vec<u8> {
    space.encode_to_vec()
}

/// The bytes of the stuffed profile.
pub fn stuffed_bytes(identifiers: &[Identifier]) -> Vec<u8> {
    stuffed(identifiers).encode_to_vec()
}
