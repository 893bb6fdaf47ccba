//! What a fleet adds to a query, for `docs/fleet.md`: run with `--ignored --nocapture`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use stepscope_sql::Runner;

use crate::lost::copies;
use crate::processes::{executor, query, rows, scheduler};
use crate::support::{Asked, Travelled};

/// Opens no session: what remains is the work of the fleet.
const QUERY: &str = "select count(*) as n, sum(size_bytes) as bytes from sessions";

#[test]
#[ignore = "a measurement"]
fn the_overhead_of_tasks() {
    let home = tempfile::tempdir().expect("a folder");
    let home = home.path();
    for slots in [1, 2, 4] {
        for sessions in [8, 128] {
            let logs = tempfile::tempdir().expect("a folder");
            copies(logs.path(), sessions);
            let (_scheduler, address) = scheduler(home);
            let _executor = executor(&address, slots, logs.path(), home);
            let took = |fleet: Option<&str>| -> Duration {
                let once = |_| {
                    let started = Instant::now();
                    rows(query(fleet, logs.path(), QUERY, home));
                    started.elapsed()
                };
                (0..5).map(once).min().unwrap_or_default()
            };
            let (there, here) = (took(Some(&address)), took(None));
            println!("{slots} slots, {sessions} sessions: {there:?}, here {here:?}");
        }
    }
}

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
