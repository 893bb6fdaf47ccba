//! What the fuzz target checks, on its seeds and on mutated copies of them.

#[path = "../../../fuzz/src/archives.rs"]
#[expect(unreachable_pub, reason = "shared with the fuzz targets")]
mod archives;

use stepscope_testing::seeds;

#[test]
fn mutated_archives_keep_the_promises() {
    seeds::check_mutated("archives", 300, archives::check);
}
