//! What the fuzz targets check, on their seeds and on mutated copies of them.

#[path = "../../../../fuzz/src/addresses.rs"]
#[expect(unreachable_pub, reason = "shared with the fuzz targets")]
mod addresses;
#[path = "../../../../fuzz/src/manifest.rs"]
#[expect(unreachable_pub, reason = "shared with the fuzz targets")]
mod manifest;
#[path = "../../../../fuzz/src/settings.rs"]
#[expect(unreachable_pub, reason = "shared with the fuzz targets")]
mod settings;

use stepscope_testing::seeds;

#[test]
fn mutated_addresses_keep_the_promises() {
    seeds::check_mutated("addresses", 1000, addresses::check);
}

#[test]
fn mutated_manifests_keep_the_promises() {
    seeds::check_mutated("manifest", 300, manifest::check);
}

#[test]
fn mutated_settings_keep_the_promises() {
    seeds::check_mutated("settings", 300, settings::check);
}
