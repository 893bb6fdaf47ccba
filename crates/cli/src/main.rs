//! The `stepscope` program: the command line of this process, run.

use mimalloc::MiMalloc;

/// Opening a profile takes more than a hundred megabytes at once. This allocator asks for huge pages,
/// which the system clears at a fifth of the cost of small ones.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() {
    let exit = stepscope_cli::run(std::env::args_os());
    // Ends without freeing anything: the system takes all memory back at once.
    std::process::exit(exit);
}
