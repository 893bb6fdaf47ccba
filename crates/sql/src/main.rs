//! `stepscope-sql`: what `stepscope sql` calls.

use mimalloc::MiMalloc;
use stepscope_sql::QueryError;

/// As in `stepscope`: opening a profile allocates more than a hundred megabytes.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() {
    let exit = stepscope_sql::run(std::env::args_os(), &|_| {
        Err(QueryError {
            message: "this program runs queries on this machine only".to_owned(),
            hint: "call `stepscope sql --fleet`, or `stepscope-fleet sql --fleet`".to_owned(),
        })
    });
    // Exits without freeing anything: the system reclaims all memory at once.
    std::process::exit(exit);
}
