//! What the fuzz target checks, on its seeds and on mutated copies of them.

#[path = "../../../../fuzz/src/requests.rs"]
#[expect(unreachable_pub, reason = "shared with the fuzz targets")]
mod requests;

use stepscope_testing::seeds;

#[test]
fn mutated_requests_keep_the_promises() {
    seeds::check_mutated("requests", 500, requests::check);
}

#[test]
fn seeds_are_requests_that_are_answered() {
    let statuses = seeds::of("requests")
        .into_iter()
        .map(|(name, bytes)| (requests::answered(&bytes), name));
    let refused: Vec<_> = statuses
        .filter(|(status, _)| !status.is_some_and(|status| status.is_success()))
        .collect();
    // No history and no capture are there, and builds without the page have no report page.
    assert!(refused.len() <= 4, "{refused:?}");
}
