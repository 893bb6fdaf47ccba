//! Arbitrary bytes are refused or become a memory profile.

use stepscope_model::ingest::{MemoryInput, ingest_with_memory};

/// Panics if decoding breaks an invariant.
pub fn check(bytes: &[u8]) {
    let input = MemoryInput {
        name: "fuzzed.prof".to_owned(),
        bytes: std::sync::Arc::new(bytes.to_vec()),
        written_epoch_ns: None,
        problem: None,
    };
    if let Ok(session) = ingest_with_memory("fuzzed", Vec::new(), vec![input]) {
        let snapshots = session.heap.snapshots.iter();
        for sample in snapshots.flat_map(|snapshot| &snapshot.samples) {
            session.heap.stack(sample.stack);
        }
    }
}
