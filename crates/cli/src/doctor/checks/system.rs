//! The system: variables, WSL, containers, ports.

use crate::doctor::check::Check;
use crate::doctor::machine::Machine;

pub(super) const IDS: &[&str] = &[
    "profiling_disabled",
    "xla_dump",
    "memory_fraction",
    "wsl",
    "container",
    "port_viewer",
    "port_perfetto",
];

pub(super) fn look(machine: &Machine) -> Vec<Check> {
    let mut checks = vec![disabled(machine)];
    checks.extend(dump(machine));
    checks.extend(preallocation(machine));
    checks.extend(wsl(machine));
    checks.extend(container(machine));
    checks.push(viewer_port(machine));
    checks.push(perfetto_port(machine));
    checks
}

fn disabled(machine: &Machine) -> Check {
    let value = machine.variable("TF_DISABLE_PROFILING");
    let is_set = value.is_some_and(|value| {
        let value = value.to_lowercase();
        !["0", "false", "f", "no", "n"].contains(&value.as_str())
    });
    if is_set {
        Check::bad(
            "profiling_disabled",
            "TF_DISABLE_PROFILING is set, which disables every profiler session.",
            "`unset TF_DISABLE_PROFILING`.",
        )
    } else {
        Check::ok("profiling_disabled", "TF_DISABLE_PROFILING is not set.")
    }
}

fn dump(machine: &Machine) -> Option<Check> {
    let flags = machine.variable("XLA_FLAGS")?;
    let dump = flags
        .split_whitespace()
        .find(|flag| flag.starts_with("--xla_dump"))?;
    Some(Check::warning(
        "xla_dump",
        format!(
            "XLA_FLAGS has {dump}: every compilation writes files, which takes time and space."
        ),
        "Remove it from XLA_FLAGS while profiling.",
    ))
}

fn preallocation(machine: &Machine) -> Option<Check> {
    let fraction = machine.variable("XLA_PYTHON_CLIENT_MEM_FRACTION")?;
    let value: f64 = fraction.parse().ok()?;
    // CUPTI allocates its buffers on the device, in addition to what JAX preallocated.
    (value > 0.95).then(|| {
        Check::warning(
            "memory_fraction",
            format!(
                "XLA_PYTHON_CLIENT_MEM_FRACTION={fraction} leaves the tracer no device memory."
            ),
            "Set it to 0.9 or less while profiling.",
        )
    })
}

fn wsl(machine: &Machine) -> Option<Check> {
    machine.is_wsl.then(|| {
        Check::ok(
            "wsl",
            "Windows Subsystem for Linux: keep captures below ~, not /mnt/c; open http://localhost:6006 in Windows. \
             If it does not answer, run `stepscope view --host 0.0.0.0` and use the address of `hostname -I`, \
             or forward it: `netsh interface portproxy add v4tov4 listenport=6006 connectport=6006 connectaddress=ADDRESS`.",
        )
    })
}

fn container(machine: &Machine) -> Option<Check> {
    machine.is_container.then(|| {
        let rights = if machine.user.is_admin {
            "with"
        } else {
            "without"
        };
        Check::ok(
            "container",
            format!(
                "In a container, {rights} SYS_ADMIN; to see pages from outside publish the \
             port: `-p 6006:6006`, and `stepscope view --host 0.0.0.0`."
            ),
        )
    })
}

fn viewer_port(machine: &Machine) -> Check {
    let is_taken = machine.listening_ports.contains(&6006);
    Check::ok(
        "port_viewer",
        if is_taken {
            "Port 6006 is in use, perhaps by TensorBoard; `stepscope view` uses the next free one \
             and prints it."
        } else {
            "Port 6006 is free for `stepscope view`."
        },
    )
}

fn perfetto_port(machine: &Machine) -> Check {
    if machine.listening_ports.contains(&9001) {
        return Check::warning(
            "port_perfetto",
            "Port 9001 is in use: create_perfetto_link=True cannot serve its trace.",
            "Stop the program that listens there, perhaps an earlier capture whose link nobody \
             opened, or use `stepscope view`.",
        );
    }
    Check::ok("port_perfetto", "Port 9001 is free for Perfetto.")
}
