//! The `stepscope` program: runs the command line of this process.

use mimalloc::MiMalloc;

/// Opening a profile allocates more than a hundred megabytes. This allocator requests huge pages,
/// which the system clears at a fifth of the cost of small ones.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() {
    let exit = stepscope_cli::run(std::env::args_os());
    // Exits without freeing anything: the system reclaims all memory at once.
    std::process::exit(exit);
}
