//! GPUs: the tracer's library, its permissions, and conflicting profilers.

use crate::doctor::check::Check;
use crate::doctor::machine::Machine;

pub(super) const IDS: &[&str] = &[
    "cupti",
    "driver_permission",
    "rival_profiler",
    "video_group",
];

pub(super) fn look(machine: &Machine) -> Vec<Check> {
    let mut checks = Vec::new();
    if machine.nvidia.device_count > 0 {
        checks.push(cupti(machine));
        checks.push(permission(machine));
    }
    checks.extend(rivals(machine));
    if machine.has_amd_gpu {
        checks.push(groups(machine));
    }
    checks
}

fn cupti(machine: &Machine) -> Check {
    let python = machine.python.as_ref().ok();
    let packaged = python
        .into_iter()
        .flat_map(|python| &python.cupti_libraries);
    let found: Vec<_> = packaged.chain(&machine.cupti_libraries).collect();
    match found.first() {
        Some(library) => Check::ok("cupti", format!("Found CUPTI: {}.", library.display())),
        None => Check::bad(
            "cupti",
            "libcupti was not found: captures will have no kernels.",
            "`pip install -U \"jax[cuda13]\"` installs it; for your own CUDA installation, put its \
             extras/CUPTI/lib64 on LD_LIBRARY_PATH.",
        ),
    }
}

fn permission(machine: &Machine) -> Check {
    let driver = machine
        .nvidia
        .driver
        .as_deref()
        .unwrap_or("of unknown version");
    let is_admin = machine.user.is_admin;
    match machine.nvidia.is_admin_only {
        Some(true) if !is_admin => Check::warning(
            "driver_permission",
            format!(
                "The NVIDIA driver {driver} lets only administrators profile \
                 (NVreg_RestrictProfilingToAdminUsers), and this process is none."
            ),
            if machine.is_container {
                "Start the container with `--cap-add=SYS_ADMIN`, or lift it on the host: `options \
                 nvidia NVreg_RestrictProfilingToAdminUsers=0` in \
                 /etc/modprobe.d/nvidia-profiling.conf, then reboot."
            } else {
                "`options nvidia NVreg_RestrictProfilingToAdminUsers=0` in \
                 /etc/modprobe.d/nvidia-profiling.conf, then reboot."
            },
        ),
        Some(true) => Check::ok(
            "driver_permission",
            format!(
                "The NVIDIA driver {driver} lets only administrators profile, and this process is \
                 one."
            ),
        ),
        Some(false) => Check::ok(
            "driver_permission",
            format!("The NVIDIA driver {driver} lets all users profile."),
        ),
        None => Check::ok(
            "driver_permission",
            "The NVIDIA driver does not report who may profile; a capture will show it.",
        ),
    }
}

/// Variables that profilers set in the processes they start.
const INJECTED: [(&str, &str); 5] = [
    ("NSYS_PROFILING_SESSION_ID", "nsys"),
    ("NV_NSIGHT_INJECTION_PORT_BASE", "ncu"),
    ("NV_NSIGHT_INJECTION_TRANSPORT_TYPE", "ncu"),
    ("NVPROF_ID", "nvprof"),
    ("CUDA_INJECTION64_PATH", "a tool injected into CUDA"),
];

fn rivals(machine: &Machine) -> Vec<Check> {
    let has_gpu = machine.nvidia.device_count > 0 || machine.has_amd_gpu;
    let injected = INJECTED
        .iter()
        .filter(|(name, _)| machine.variable(name).is_some())
        .map(|(name, tool)| format!("{tool} ({name} is set)"));
    let running = machine
        .profilers
        .iter()
        .map(|(id, name)| format!("{name} (process {id})"));
    let rivals: Vec<String> = injected.chain(running).collect();
    if rivals.is_empty() {
        let check = Check::ok("rival_profiler", "No other GPU profiler is running.");
        return if has_gpu { vec![check] } else { Vec::new() };
    }
    let what = format!("Other profilers are running: {}.", rivals.join(", "));
    let fix = "Stop them: a GPU supports one profiler at a time, and device rows stay empty \
               until then, unless CUDA 13.2 or newer is installed and XLA shares CUPTI \
               (`XLA_FLAGS=--xla_gpu_enable_cupti_multi_subscriber`).";
    vec![if has_gpu {
        Check::bad("rival_profiler", what, fix)
    } else {
        Check::warning("rival_profiler", what, fix)
    }]
}

fn groups(machine: &Machine) -> Check {
    let user = &machine.user;
    if user.is_root || user.missing_groups.is_empty() {
        return Check::ok("video_group", "The user has access to the AMD GPU.");
    }
    let groups = user.missing_groups.join(" and ");
    Check::bad(
        "video_group",
        format!("The user is not in the group {groups}, which owns the AMD GPU."),
        format!(
            "`sudo usermod -aG {} $USER`, then log in again.",
            user.missing_groups.join(",")
        ),
    )
}
