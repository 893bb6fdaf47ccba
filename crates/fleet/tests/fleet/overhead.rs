//! The size of what a fleet sends, for `docs/fleet.md`: run with `--ignored --nocapture`. The bench
//! `fleet` measures its time.

use std::sync::Arc;

use stepscope_sql::Runner;

use crate::lost::copies;
use crate::support::{Asked, Travelled};

/// Opens no session: what remains is the work of the fleet.
const QUERY: &str = "select count(*) as n, sum(size_bytes) as bytes from sessions";

#[test]
#[ignore = "a measurement"]
fn the_size_of_a_plan() {
    for sessions in [1, 100, 1000] {
        let logs = tempfile::tempdir().expect("a folder");
        copies(logs.path(), sessions);
        let travelled = Travelled::allowing(&[logs.path().to_path_buf()]);
        let runner: Arc<dyn Runner> = Arc::<Travelled>::clone(&travelled);
        Asked::new(logs.path(), Some(runner)).rows(QUERY);
        let bytes = travelled.bytes.lock().expect("bytes").len();
        println!("{sessions} sessions: {bytes} bytes");
    }
}
