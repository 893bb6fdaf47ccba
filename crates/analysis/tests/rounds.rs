//! Answers do not depend on how many hosts are decoded at a time and kept: those of a session of many
//! hosts are those of the same session opened whole.

use std::borrow::Cow;
use std::sync::Arc;

use stepscope_analysis::ANALYSES;
use stepscope_model::ingest::{HostInput, ingest_in_rounds};
use stepscope_model::{Session, TrackRole};
use stepscope_testing::corpus::{self, Capture};
use stepscope_testing::drawing::draw;

use crate::support::all_captures;

fn opened(capture: &Capture, hosts_at_once: usize) -> Session {
    let host = |path: &std::path::PathBuf| HostInput {
        host: path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        bytes: Arc::new(corpus::read_bytes(path).expect("a capture can be read")),
        problem: None,
    };
    let hosts = capture.hosts.iter().map(host).collect();
    ingest_in_rounds(&capture.name, hosts, hosts_at_once).expect("a capture is a profile")
}

#[test]
fn answers_are_those_of_the_session_opened_whole() {
    let captures = all_captures();
    let mut asked = 0;
    for capture in captures.iter().filter(|capture| capture.hosts.len() > 1) {
        let (whole, rounds) = (opened(capture, usize::MAX), opened(capture, 1));
        assert!(rounds.has_many_hosts() && !whole.has_many_hosts());
        for entry in ANALYSES {
            let ask = |session: &Session| match entry.run_pairs(session, std::iter::empty()) {
                Ok(answer) => answer.json_text().expect("a report is JSON"),
                Err(error) => error.to_string(),
            };
            assert!(
                ask(&rounds) == ask(&whole),
                "{}: {}",
                capture.name,
                entry.name
            );
            asked += 1;
        }
    }
    assert!(
        asked >= ANALYSES.len(),
        "there is a capture of several hosts"
    );
}

/// Memory must not grow with what devices of many hosts recorded: their work is decoded for a
/// question, and stays in its file afterwards.
#[test]
fn slices_of_many_hosts_stay_in_their_files() {
    let tpu = |number: usize| {
        let late = 900 + 10 * number;
        format!(
            "device tpu:0 v6e
             line Steps
             repeat 100 every 1ms
               100us..990us $i
             end
             line XLA Modules
             repeat 100 every 1ms
               100us..990us jit_step(5) [run_id=$i]
             end
             line XLA Ops
             repeat 100 every 1ms
               100us..300us fusion.1 {{program_id=5 symbol_id=1 hlo_category=\"loop fusion\"}}
               310us..500us fusion.2 {{program_id=5 symbol_id=2 hlo_category=\"loop fusion\"}}
               510us..600us fusion.3 {{program_id=5 symbol_id=3 hlo_category=\"loop fusion\"}}
               {late}us..990us all-reduce.1 {{program_id=5 symbol_id=4 hlo_category=all-reduce}}
             end"
        )
    };
    stay_in_their_files(tpu);
    // The second kernel names no op: what launched it says its program. The third is a graph's.
    let gpu = |number: usize| {
        let late = 900 + 10 * number;
        format!(
            "device gpu:0 nvidia H100
             stream 7 Compute
             repeat 100 every 1ms
               100us..300us fusion_1 [correlation_id=1$i hlo_module=jit_step program_id=5 hlo_op=fusion.1]
               310us..500us gemm [correlation_id=2$i]
               510us..600us fusion_3 [correlation_id=3$i cuda_graph_id=7 cuda_graph_node_id=30]
               {late}us..990us ncclDevKernel_AllReduce [correlation_id=4$i hlo_module=jit_step program_id=5 hlo_op=all-reduce.1]
             end"
        )
    };
    stay_in_their_files(gpu);
    // The second op of each step goes on after its call: its end is marked on another thread.
    let cpu = |number: usize| {
        let late = 900 + 10 * number;
        format!(
            "thread tf_XLATfrtCpuClient/2
             repeat 100 every 1ms
               100us..300us fusion.1 [hlo_op=fusion.1 hlo_module=jit_step program_id=5 device_ordinal=0 run_id=1$i _pt=5 _p=1$i]
               300us end: fusion.1 [_ct=5 _c=1$i]
               310us..320us dot.2 [hlo_op=dot.2 hlo_module=jit_step program_id=5 device_ordinal=0 run_id=1$i _pt=5 _p=2$i]
               {late}us..990us all-reduce.1 [hlo_op=all-reduce.1 hlo_module=jit_step program_id=5 device_ordinal=0 run_id=1$i _pt=5 _p=3$i]
               990us end: all-reduce.1 [_ct=5 _c=3$i]
             end
             thread tf_XLAEigen/3
             repeat 100 every 1ms
               315us..598us pool
               316us..318us part
               320us..360us part
               370us..597us part
               600us end: dot.2 [_ct=5 _c=2$i]
             end"
        )
    };
    stay_in_their_files(cpu);
}

fn stay_in_their_files(device: impl Fn(usize) -> String) {
    let host = |number: usize| {
        let text = format!(
            "host h{number}
             environment [profile_start_time=1700000000000000000]
             thread python
             repeat 1000 every 100us
               5us..95us $train.py:7 step
             end
             thread loop
             repeat 100 every 1ms
               0..980us train #step_num=$i,_r=1#
               20us..80us PjitFunction(step)
               30us..32us cuLaunchKernel [correlation_id=1$i]
               34us..36us cuLaunchKernel [correlation_id=2$i]
               38us..40us cuGraphLaunch [correlation_id=3$i]
               42us..44us cuLaunchKernel [correlation_id=4$i]
               985us..995us IteratorGetNextOp::DoCompute
             end
             {}
             program 5 jit_step
               p.0 = f32[1000000] parameter(0)
               ROOT all-reduce.1 = f32[1000000] all-reduce(p.0) replica_groups={{{{0,1,2}}}}",
            device(number)
        );
        HostInput {
            host: format!("h{number}"),
            bytes: Arc::new(draw(&text).expect("a drawing").to_bytes()),
            problem: None,
        }
    };
    let mut leaving = Vec::new();
    for entry in ANALYSES {
        let session = ingest_in_rounds("run", (0..3).map(host).collect(), 1).expect("profiles");
        let devices = || session.device_ids();
        let work = || devices().flat_map(|device| session.work_tracks(device));
        let threads = || {
            let tracks = session.track_ids();
            let is_thread = |role| matches!(role, TrackRole::HostThread | TrackRole::Python);
            let threads = tracks.filter(|&id| is_thread(session.track(id).role));
            threads.collect::<Vec<_>>()
        };
        let in_files = || {
            let ids = work().map(|(id, _)| id).chain(threads());
            let mut tracks = ids.map(|id| session.track(id).in_passing());
            tracks.all(|track| matches!(track, Cow::Owned(_)))
        };
        assert!(work().count() == 3 && threads().len() >= 6 && in_files());
        let _ = entry.run_pairs(&session, std::iter::empty());
        if !in_files() {
            leaving.push(entry.name);
        }
    }
    assert!(leaving.is_empty(), "{leaving:?} leave slices decoded");
}
