//! What the fuzz target checks, on its seeds and on mutated copies of them.

#[path = "../../../fuzz/src/kernels.rs"]
#[expect(unreachable_pub, reason = "shared with the fuzz targets")]
mod kernels_target;

use stepscope_testing::seeds;

#[test]
fn mutated_configurations_keep_the_promises() {
    seeds::check_mutated("kernels", 300, kernels_target::check);
}
