//! The schedule of a real program (MaxText on H100), its kernels drawn twice: as graphs launch them
//! and one by one. What is found must be what was drawn, op for op.
//!
//! The kernels are drawn because no capture with graphs is at hand; names, order and which ops launch
//! several kernels follow what XLA is known to do.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use stepscope_model::hlo::{Fingerprints, Instruction, Program, Schedule};
use stepscope_model::{Attribution, Session};
use stepscope_testing::corpus;
use stepscope_testing::space::{StatValue, XSpace};

const FILE: &str = "hlo/h100-maxtext-train_step.hlo_proto.pb";

/// Opcodes that end a graph: XLA leaves them out by default.
fn ends_graph(instruction: &Instruction) -> bool {
    let opcode = instruction.opcode.as_str();
    opcode.starts_with("all-") || opcode.starts_with("async-") || opcode == "while"
}

/// How a drawing is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    /// Op by op, each kernel with its op.
    Off,
    /// Graphs, each fusion with a kernel of its own.
    Graphs,
    /// Graphs, fusions that compute the same with one kernel, named after the first of them.
    SharedKernels,
}

/// The kernels of one op.
fn kernels_of(instruction: &Instruction, number: usize, named_after: &str) -> Vec<String> {
    let own = || {
        named_after
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect::<String>()
    };
    match instruction.opcode.as_str() {
        "fusion" => vec![own()],
        "custom-call" if number.is_multiple_of(5) => vec![
            "nvjet_tst_128x256_64x4_2x1_v_bz_TNN".to_owned(),
            "cublasLt::splitKreduce_kernel".to_owned(),
        ],
        "custom-call" => vec![format!("sm90_xmma_gemm_bf16_{}", number % 7)],
        "copy" => vec!["MemcpyD2D".to_owned()],
        "all-reduce-start" => vec!["ncclDevKernel_AllReduce_Sum_bf16_RING_LL".to_owned()],
        "all-gather-start" => vec!["ncclDevKernel_AllGather_RING_LL".to_owned()],
        "async-start" => vec!["ncclDevKernel_SendRecv".to_owned()],
        _ => Vec::new(),
    }
}

/// What was drawn: for each kernel its op, in the order of time.
struct Drawing {
    space: XSpace,
    ops: Vec<String>,
    in_graph: Vec<bool>,
}

/// Draws two runs of the entry computation. With graphs, stretches between ops that end a graph are
/// launched at once; every 53rd kernel of the first run is lost.
fn drawing(bytes: &[u8], how: How) -> Drawing {
    let with_graphs = how != How::Off;
    let program = Program::decode(bytes).expect("the program is readable");
    let schedule = Schedule::decode(bytes);
    let entry = program.entry().expect("it has an entry");
    let mut text = String::from(
        "program 5 jit_train_step\n ROOT p.0 = f32[1] parameter(0)\n device gpu:0 nvidia H100\n stream 7 Compute\n",
    );
    let prints = Fingerprints::of(&program);
    let mut first_alike: BTreeMap<u64, &str> = BTreeMap::new();
    let (mut ops, mut in_graph) = (Vec::new(), Vec::new());
    let (mut at, mut graph, mut node) = (0u64, 1u64, 0u64);
    for run in 0..2u64 {
        for (number, instruction) in schedule.sequence(&program, entry).into_iter().enumerate() {
            let is_alone = ends_graph(instruction);
            if is_alone {
                (graph, node) = (graph + 1, 0);
            }
            let print = prints.instruction(&program, instruction);
            let named_after = match how {
                How::SharedKernels => first_alike.entry(print).or_insert(&instruction.name),
                How::Off | How::Graphs => instruction.name.as_str(),
            };
            for kernel in kernels_of(instruction, number, named_after) {
                (at, node) = (at + 2, node + 1);
                let is_lost = with_graphs && run == 0 && at % 106 == 0;
                if is_lost {
                    continue;
                }
                let stats = if is_alone || !with_graphs {
                    format!("hlo_op=\"{}\"", instruction.name)
                } else {
                    // A graph keeps its number; its nodes are counted within.
                    let (id, first) = (graph % 1000, graph << 32);
                    format!(
                        "hlo_op=command_buffer_{id} cuda_graph_id={id} cuda_graph_node_id={}u correlation_id={}",
                        first + node,
                        run * 1000 + graph
                    )
                };
                writeln!(
                    text,
                    "{at}..{}us \"{kernel}\" [hlo_module=jit_train_step program_id=5 {stats}]",
                    at + 1
                )
                .expect("text grows");
                ops.push(instruction.name.clone());
                in_graph.push(with_graphs && !is_alone);
            }
        }
        (at, graph, node) = (at + 1000, 1, 0);
    }
    let mut space = crate::support::draw(&text);
    for plane in &mut space.planes {
        for metadata in plane.event_metadata.values_mut() {
            for stat in &mut metadata.stats {
                if let Some(StatValue::Bytes(program)) = &mut stat.value {
                    *program = bytes.to_vec();
                }
            }
        }
    }
    Drawing {
        space,
        ops,
        in_graph,
    }
}

/// Op and attribution of each kernel, in the order of time.
fn found(session: &Session) -> Vec<(String, Attribution)> {
    let mut rows = Vec::new();
    for id in session.track_ids() {
        let track = session.track(id);
        for lane in track.lanes.iter().filter(|_| track.name.index() > 0) {
            if track.role != stepscope_model::TrackRole::Stream {
                continue;
            }
            for index in 0..lane.len() {
                let label = session.label(lane.labels()[index]);
                let op = label.op.map(|op| session.text(session.op(op).name));
                rows.push((
                    lane.starts()[index],
                    op.unwrap_or_default().to_owned(),
                    label.attribution,
                ));
            }
        }
    }
    rows.sort();
    rows.into_iter().map(|(_, op, how)| (op, how)).collect()
}

/// How many kernels of graphs have their op, of how many; none may have another op than the one that
/// launched it.
fn covered(how: How, bytes: &[u8]) -> (usize, usize) {
    let drawn = drawing(bytes, how);
    let found = found(&crate::support::session_of(&[drawn.space.to_bytes()]));
    assert_eq!(found.len(), drawn.ops.len());
    let (mut in_graph, mut covered) = (0usize, 0usize);
    for (((op, how), drawn), is_in_graph) in found.iter().zip(&drawn.ops).zip(&drawn.in_graph) {
        in_graph += usize::from(*is_in_graph);
        covered += usize::from(*is_in_graph && *how != Attribution::None);
        assert!(
            op.is_empty() || op == drawn,
            "{op} instead of {drawn}, {how:?}"
        );
    }
    (covered, in_graph)
}

#[test]
fn with_graphs_on_and_off_the_ops_are_the_same() {
    let path = corpus::corpus_folder().join(FILE);
    let Ok(bytes) = std::fs::read(&path) else {
        println!("no {} here: nothing compared", path.display());
        return;
    };
    let off = drawing(&bytes, How::Off);
    let without = found(&crate::support::session_of(&[off.space.to_bytes()]));
    assert!(without.iter().all(|(_, how)| *how == Attribution::Recorded));
    for how in [How::Graphs, How::SharedKernels] {
        let (covered, in_graph) = covered(how, &bytes);
        assert!(covered * 100 >= in_graph * 95, "{covered} of {in_graph}");
    }
}
