//! The `stepscope` program: the command line of this process, run.

fn main() {
    let exit = stepscope_cli::run(std::env::args_os());
    // Ends without freeing anything: the system takes all memory back at once.
    std::process::exit(exit);
}
