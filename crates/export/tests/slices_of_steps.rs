//! Slices of some steps: what of a session is decoded for them.

use std::borrow::Cow;
use std::sync::Arc;

use stepscope_export::arrow::TextType;
use stepscope_export::{SliceBatches, Slices};
use stepscope_model::Session;
use stepscope_model::ingest::{HostInput, ingest};
use stepscope_testing::drawing::draw;

/// Two steps, and for each a thread that works only there, long enough to stay in the file.
const THREADS: &str = "\
host vm
thread python
  0..90us train #step_num=0,_r=1#
  100..190us train #step_num=1,_r=1#
thread loader/7
repeat 800 every 100ns
  5us+50ns load
end
thread saver/8
repeat 800 every 100ns
  105us+50ns save
end
thread tf_XLAEigen/42
each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
  10..40us fusion.1
  110..140us fusion.1
";

fn session() -> Arc<Session> {
    let host = HostInput {
        host: "vm".to_owned(),
        bytes: Arc::new(draw(THREADS).expect("a drawing").to_bytes()),
        problem: None,
    };
    Arc::new(ingest("drawn", vec![host]).expect("a session"))
}

/// Names of tracks whose slices are still in the file.
fn left_in_file(session: &Session) -> Vec<&str> {
    let tracks = session.tracks.iter();
    let is_left = |cow: Cow<'_, _>| matches!(cow, Cow::Owned(_));
    let left = tracks.filter(|track| is_left(track.in_passing()));
    left.map(|track| session.text(track.name)).collect()
}

fn rows(slices: Slices<Arc<Session>>) -> usize {
    let all: Vec<usize> = (0..stepscope_export::slices::COLUMNS.len()).collect();
    let batches = SliceBatches::new(Arc::new(slices), all, TextType::Plain);
    batches.map(|batch| batch.expect("rows").num_rows()).sum()
}

#[test]
fn threads_outside_of_the_steps_stay_in_the_file() {
    let session = session();
    assert_eq!(left_in_file(&session), ["loader/7", "saver/8"]);
    let none = Slices::starting_in(Arc::clone(&session), None).in_steps(&|_| false);
    assert_eq!((none.read_count(), rows(none)), (0, 0));
    assert_eq!(left_in_file(&session).len(), 2);

    let first = Slices::starting_in(Arc::clone(&session), None).in_steps(&|step| step == Some(0));
    assert!(rows(first) > 0);
    assert_eq!(left_in_file(&session), ["saver/8"]);

    let all = Slices::starting_in(Arc::clone(&session), None);
    assert_eq!(rows(all), session.slice_count());
    assert_eq!(left_in_file(&session), [""; 0]);
}
