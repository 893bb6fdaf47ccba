//! The log directory for captures.

use crate::doctor::check::Check;
use crate::doctor::machine::Machine;

pub(super) const IDS: &[&str] = &["log_directory", "disk", "slow_drive"];

/// With less than this, the Python package refuses to capture.
const FREE_BYTES_MIN: u64 = 32_000_000;
/// Less than this runs out soon.
const FREE_BYTES_LOW: u64 = 1_000_000_000;

pub(super) fn look(machine: &Machine) -> Vec<Check> {
    let folder = &machine.log_directory;
    let path = folder.path.display();
    let mut checks = Vec::new();
    checks.push(match &folder.problem {
        Some(problem) => Check::bad(
            "log_directory",
            format!(
                "Cannot write to {path}: {}: {problem}.",
                folder.existing.display()
            ),
            "Choose another folder (`--logdir`, PROFILE_DIR), such as ~/profiles, or `mkdir -p` \
             and `chmod u+rwx` this one.",
        ),
        None if folder.existing == folder.path => {
            Check::ok("log_directory", format!("{path} is writable."))
        }
        None => Check::ok(
            "log_directory",
            format!("{path} does not exist yet and can be created."),
        ),
    });
    let megabytes = |bytes: u64| format!("{:.1} GB are free for captures.", bytes as f64 / 1e9);
    let fix = "Free some space, or choose a folder on another disk; a capture of ten steps takes 1 \
     to 200 MB a host.";
    checks.extend(folder.free_bytes.map(|free| match free {
        0..FREE_BYTES_MIN => Check::bad("disk", megabytes(free), fix),
        FREE_BYTES_MIN..FREE_BYTES_LOW => Check::warning("disk", megabytes(free), fix),
        _ => Check::ok("disk", megabytes(free)),
    }));
    if let Some(reason) = &folder.slow {
        checks.push(Check::warning(
            "slow_drive",
            format!("{path} is on {reason}: writing and opening captures there is slow."),
            "Use a folder on the Linux file system, such as ~/profiles.",
        ));
    }
    checks
}
