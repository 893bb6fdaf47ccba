//! Which engine made a roll-up.

use std::sync::OnceLock;

use stepscope_analysis::ANALYSES;

use crate::digest::Digest;

/// Layout of roll-ups and summaries; another layout is another engine.
const LAYOUT: u32 = 2;

/// The version, a digest of the engine's sources, and a digest of all tables that it declares. Two
/// engines with the same text give the same answers.
pub fn engine() -> &'static str {
    static ENGINE: OnceLock<String> = OnceLock::new();
    ENGINE.get_or_init(|| {
        let mut tables = Digest::default();
        for entry in ANALYSES {
            for declared in entry.tables() {
                tables.add(declared.key);
                for column in &declared.columns {
                    tables.add(column.column.key);
                    tables.add(&format!("{:?}", column.column.unit));
                }
            }
        }
        let version = env!("CARGO_PKG_VERSION");
        let sources = env!("STEPSCOPE_ENGINE");
        format!("{version}-{LAYOUT}-{sources}-{}", &tables.text()[..8])
    })
}
