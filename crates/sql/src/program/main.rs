//! `stepscope-sql`: what `stepscope sql` calls.

mod arguments;
mod ask;
mod describe;
mod prompt;
mod write;

use mimalloc::MiMalloc;

/// As in `stepscope`: opening a profile allocates more than a hundred megabytes.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() {
    let exit = match arguments::Arguments::of_process() {
        Ok(arguments) => ask::run(&arguments),
        Err(exit) => exit,
    };
    // Exits without freeing anything: the system reclaims all memory at once.
    std::process::exit(exit);
}
