//! Writes the seeds of the fuzz targets that are not text, from the drawings and the fixtures:
//! `cargo run -p stepscope-testing --example fuzz_seeds`.

use std::fs;
use std::io::{Cursor, Write as _};

use flate2::Compression;
use flate2::write::GzEncoder;
use stepscope_testing::corpus::{read_bytes, repository_root};
use stepscope_testing::drawing::draw;
use stepscope_testing::riegeli::{self, Codec};
use stepscope_testing::seeds;
use stepscope_testing::space::{StatValue, XSpace};
use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, ZipWriter};

/// When the entries of archives were written, in seconds since the Unix epoch.
const MODIFIED: u64 = 1_795_250_818;
/// A record of a Riegeli file has at most this many bytes here.
const RECORD_BYTES: usize = 700;

const SMALL: &str = "
    environment [profile_start_time=1700000000000000000]
    device tpu:0 v6e
    line Steps
      0..90us 1
    line XLA Modules
      0..90us jit_f(5) [run_id=3]
    line XLA Ops
      10..60us dot.1 {program_id=5 hlo_category=dot bytes_accessed=7 flops=10}
      70..80us all-reduce.2
    thread python/-1
      0..90us train #step_num=1,_r=1#
    program 5 jit_f
      p.0 = f32[8,8] parameter(0)
      ROOT dot.1 = f32[8,8] dot(p.0, p.0)";

const TRACE: &[u8] = br#"{"traceEvents":[
{"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:0"}},
{"ph":"M","pid":1,"tid":7,"name":"thread_name","args":{"name":"stream 7"}},
{"ph":"X","pid":1,"tid":7,"ts":1.5,"dur":2,"name":"gemm","args":{"device":0,"stream":7}},
{"ph":"B","pid":2,"tid":1,"ts":0,"name":"step"},{"ph":"E","pid":2,"tid":1,"ts":9},
{"ph":"C","pid":2,"ts":3,"name":"memory","args":{"bytes":5}},
{"ph":"s","id":1,"pid":2,"tid":1,"ts":1,"name":"f"},{"ph":"f","id":1,"pid":1,"tid":7,"ts":2,"name":"f"}
]}"#;

fn main() {
    let small = draw(SMALL).expect("a drawing");
    profiles(&small);
    programs();
    kernels();
    riegeli_files(&small.to_bytes());
    let memory = memory_profiles();
    traces();
    archives(&small.to_bytes(), &memory);
}

fn write(target: &str, name: &str, bytes: &[u8]) {
    let folder = seeds::folder(target);
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join(name), bytes).expect("a file");
}

fn drawn(name: &str) -> XSpace {
    let path = repository_root().join("fixtures/drawn").join(name);
    let text = fs::read_to_string(path).expect("a drawing");
    draw(&text).expect("a drawing")
}

fn profiles(small: &XSpace) {
    for target in ["xplane", "ingest", "redaction"] {
        write(target, "small", &small.to_bytes());
        for name in ["gpu-h100", "tpu-v6e"] {
            write(target, name, &drawn(&format!("{name}.txt")).to_bytes());
        }
    }
}

/// The programs of the drawings, as they stand in the metadata of profiles.
fn programs() {
    for name in ["gpu-mi300x", "tpu-v6e"] {
        let space = drawn(&format!("{name}.txt"));
        let planes = space
            .planes
            .iter()
            .filter(|plane| plane.name == "/host:metadata");
        let entries = planes.flat_map(|plane| plane.event_metadata.values());
        let stats = entries.flat_map(|entry| &entry.stats);
        let programs = stats.filter_map(|stat| match &stat.value {
            Some(StatValue::Bytes(bytes)) => Some(bytes),
            _ => None,
        });
        for (number, program) in programs.enumerate() {
            write("hlo", &format!("{name}-{number}"), program);
        }
    }
}

/// The configurations of the kernels in `crates/hlo/tests/kernels`.
fn kernels() {
    let read = |name: &str| {
        fs::read(
            repository_root()
                .join("crates/hlo/tests/kernels")
                .join(name),
        )
    };
    let tpu = read("tpu.hlo_proto.pb").expect("a fixture");
    let mut rest = &tpu[..];
    let mut number = 0;
    let begin = b"{\"custom_call_config\": {\"body\": \"";
    while let Some(place) = find(rest, begin) {
        let body = &rest[place + begin.len()..];
        let end = find(body, b"\"").expect("the end of a body");
        let config = [begin, &body[..end], b"\"}}"].concat();
        write("kernels", &format!("mosaic-{number}"), &config);
        (rest, number) = (&body[end..], number + 1);
    }
    let triton = read("triton.hlo_proto.pb").expect("a fixture");
    let (begin, end) = (b"{debug = false", b"num_warps = 4 : i32}");
    let first = find(&triton, begin).expect("a configuration");
    let last = find(&triton, end).expect("its end") + end.len();
    write("kernels", "triton", &triton[first..last]);
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes
        .windows(wanted.len())
        .position(|window| window == wanted)
}

fn riegeli_files(profile: &[u8]) {
    let records: Vec<&[u8]> = profile.chunks(RECORD_BYTES).collect();
    for (name, codec) in [("plain", Codec::None), ("brotli", Codec::Brotli)] {
        write("riegeli", name, &riegeli::write(codec, 40_000, &records));
    }
    let written = repository_root().join("crates/riegeli/tests/written");
    for name in [
        "simple-zstd",
        "transposed-brotli",
        "transposed-none",
        "transposed-snappy",
    ] {
        let file = fs::read(written.join(name).with_extension("riegeli")).expect("a file");
        write("riegeli", name, &file);
    }
}

/// The smallest of the fixtures, uncompressed; returns it.
fn memory_profiles() -> Vec<u8> {
    let read = |path: &str| read_bytes(&repository_root().join(path)).expect("a fixture");
    write("pprof", "leak", &read("fixtures/leak-cpu/step_000001.prof"));
    let smallest = read("fixtures/demo-gpt-cpu/memory.prof");
    write("pprof", "demo", &smallest);
    smallest
}

fn traces() {
    let kineto = "fixtures/kineto-drawn/node_4242.1743521598000.pt.trace.json.gz";
    let kineto = read_bytes(&repository_root().join(kineto)).expect("a fixture");
    write("traces", "kineto.json", &kineto);
    write("traces", "small.json", TRACE);
    write("traces", "slices.pftrace", &perfetto());
}

/// Three packets of Perfetto: a track, and a slice on it that begins and ends.
fn perfetto() -> Vec<u8> {
    let number = |field: u8, value: u8| vec![field << 3, value];
    let message = |field: u8, body: Vec<u8>| {
        let length = u8::try_from(body.len()).expect("a short message");
        [vec![field << 3 | 2, length], body].concat()
    };
    // Fields from 16 on have a tag of two bytes.
    let name = [vec![0xba, 0x01, 5], b"slice".to_vec()].concat();
    let track = [number(1, 9), message(2, b"rows".to_vec())].concat();
    let track = [
        vec![0xe2, 0x03, u8::try_from(track.len()).expect("short")],
        track,
    ]
    .concat();
    let on_track = |kind: u8| [number(9, kind), number(11, 9)].concat();
    let packet = |time: u8, body: Vec<u8>| {
        message(
            1,
            [number(8, time), number(10, 5), message(11, body)].concat(),
        )
    };
    let begin = [on_track(1), name].concat();
    [
        message(1, track),
        packet(10, begin),
        packet(90, on_track(2)),
    ]
    .concat()
}

fn archives(profile: &[u8], memory: &[u8]) {
    let manifest = fs::read(seeds::folder("manifest").join("whole.json")).expect("a seed");
    let entries: [(&str, &[u8]); 4] = [
        ("log/plugins/profile/run/a.xplane.pb", profile),
        ("log/plugins/profile/run/a.stepscope.json", &manifest),
        ("log/plugins/profile/run/memory.prof", &gzip(memory)),
        ("log/plugins/profile/run2/b.xplane.pb.gz", &gzip(profile)),
    ];
    let tar = tar(&entries);
    let zstd = |bytes: &[u8]| zstd::encode_all(bytes, 3).expect("memory");
    let records: Vec<&[u8]> = profile.chunks(RECORD_BYTES).collect();
    let riegeli = riegeli::write(Codec::None, 40_000, &records);
    for (name, bytes) in [
        ("stored.zip", zip(&entries, CompressionMethod::Stored)),
        ("deflated.zip", zip(&entries, CompressionMethod::Deflated)),
        ("run.tar.gz", gzip(&tar)),
        ("run.tar.zst", zstd(&tar)),
        ("profile.gz", gzip(profile)),
        ("profile.zst", zstd(profile)),
        ("two-members.gz", [gzip(profile), gzip(profile)].concat()),
        ("trace.json.gz", gzip(TRACE)),
        ("records.gz", gzip(&riegeli)),
        ("memory.gz", gzip(memory)),
        ("zeros.gz", gzip(&vec![0; 1 << 20])),
        ("run.tar", tar),
    ] {
        write("archives", name, &bytes);
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn tar(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, bytes) in entries {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_mtime(MODIFIED);
        builder
            .append_data(&mut header, name, *bytes)
            .expect("memory");
    }
    builder.into_inner().expect("memory")
}

fn zip(entries: &[(&str, &[u8])], method: CompressionMethod) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(method);
    for (name, bytes) in entries {
        writer.start_file(*name, options).expect("memory");
        writer.write_all(bytes).expect("memory");
    }
    writer.finish().expect("memory").into_inner()
}
