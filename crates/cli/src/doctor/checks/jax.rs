//! Python, JAX, and whether its parts match each other and the machine.

use std::path::Path;

use crate::doctor::check::Check;
use crate::doctor::machine::Machine;
use crate::doctor::python::{Python, numbers};

pub(super) const IDS: &[&str] = &[
    "python",
    "jax",
    "jaxlib",
    "jax_plugin",
    "jax_plugin_version",
    "shadowed_module",
];

/// The oldest Python that Stepscope's Python package supports.
const OLDEST_PYTHON: [u32; 2] = [3, 11];

pub(super) fn look(machine: &Machine) -> Vec<Check> {
    let python = match &machine.python {
        Ok(python) => python,
        Err(problem) => {
            return vec![Check::bad(
                "python",
                format!("{problem}."),
                "Give the Python of the program to profile: `stepscope doctor --python PATH`.",
            )];
        }
    };
    let mut checks = vec![interpreter(python)];
    checks.extend(jax(python));
    checks.extend(plugin(python, machine));
    checks.extend(plugin_versions(python));
    checks.extend(shadows(python));
    checks
}

fn interpreter(python: &Python) -> Check {
    let what = format!("Python {} at {}.", python.version, python.executable);
    if numbers(&python.version).as_slice() < OLDEST_PYTHON.as_slice() {
        return Check::warning(
            "python",
            what,
            "Stepscope's Python package needs 3.11 or newer; captures by jax.profiler open \
             with any version.",
        );
    }
    Check::ok("python", what)
}

fn jax(python: &Python) -> Vec<Check> {
    let Some(jax) = python.of("jax") else {
        return vec![Check::bad(
            "jax",
            format!("JAX is not installed in {}.", python.executable),
            "Give the Python of the program to profile with `--python PATH`, or install JAX: \
             `pip install -U jax`.",
        )];
    };
    let copies = |name: &str| python.distributions.get(name).map_or(0, Vec::len);
    let double: Vec<&str> = ["jax", "jaxlib"]
        .into_iter()
        .filter(|name| copies(name) > 1)
        .collect();
    let installed = if double.is_empty() {
        Check::ok("jax", format!("JAX {jax}."))
    } else {
        Check::bad(
            "jax",
            format!(
                "{} is installed twice, in different versions.",
                double.join(" and ")
            ),
            "`pip uninstall -y jax jaxlib` until nothing is left, then `pip install -U jax`.",
        )
    };
    vec![installed, jaxlib(python, jax)]
}

/// JAX accepts a jaxlib that is not newer than itself and at most one minor version older.
fn jaxlib(python: &Python, jax: &str) -> Check {
    let fix = "Install matching versions: `pip install -U jax jaxlib`.";
    let Some(jaxlib) = python.of("jaxlib") else {
        return Check::bad("jaxlib", "jaxlib is not installed.", fix);
    };
    let (own, library) = (numbers(jax), numbers(jaxlib));
    let both = format!("JAX {jax} with jaxlib {jaxlib}");
    if library > own {
        Check::bad("jaxlib", format!("{both}: jaxlib is newer than JAX."), fix)
    } else if own.iter().take(2).ne(library.iter().take(2)) {
        Check::warning(
            "jaxlib",
            format!("{both}: they are from different releases."),
            fix,
        )
    } else {
        Check::ok("jaxlib", format!("{both}."))
    }
}

/// What JAX needs to use a device.
struct Backend {
    device: &'static str,
    is_there: bool,
    /// The installed plugins for it.
    plugins: Vec<String>,
    extra: &'static str,
}

fn backends(python: &Python, machine: &Machine) -> [Backend; 3] {
    let named = |test: &dyn Fn(&str) -> bool| -> Vec<String> {
        let found = python.find(|name| test(name));
        found
            .into_iter()
            .map(|(name, version)| format!("{name} {version}"))
            .collect()
    };
    [
        Backend {
            device: "an NVIDIA GPU",
            is_there: machine.nvidia.device_count > 0,
            plugins: named(&|name| name.starts_with("jax-cuda") && name.ends_with("plugin")),
            extra: "jax[cuda13]",
        },
        Backend {
            device: "an AMD GPU",
            is_there: machine.has_amd_gpu,
            plugins: named(&|name| name.starts_with("jax-rocm") && name.ends_with("plugin")),
            extra: "jax[rocm]",
        },
        Backend {
            device: "a TPU",
            is_there: machine.has_tpu,
            plugins: named(&|name| name.starts_with("libtpu")),
            extra: "jax[tpu]",
        },
    ]
}

fn plugin(python: &Python, machine: &Machine) -> Vec<Check> {
    if python.of("jax").is_none() {
        return Vec::new();
    }
    let platforms = machine.variable("JAX_PLATFORMS").unwrap_or_default();
    let mut checks = Vec::new();
    for backend in backends(python, machine) {
        let Backend {
            device,
            is_there,
            plugins,
            extra,
        } = backend;
        let check = match (is_there, plugins.as_slice()) {
            (false, []) => continue,
            (true, []) => Check::bad(
                "jax_plugin",
                format!(
                    "The machine has {device}, but JAX has no plugin for it: work runs on the CPU."
                ),
                format!("`pip install -U \"{extra}\"`."),
            ),
            (true, _) if platforms.starts_with("cpu") => Check::warning(
                "jax_plugin",
                format!("JAX_PLATFORMS={platforms} prevents JAX from using {device}."),
                "Unset JAX_PLATFORMS.",
            ),
            (true, [plugin]) => Check::ok("jax_plugin", format!("{plugin} for {device}.")),
            (true, plugins) => Check::warning(
                "jax_plugin",
                format!("Several plugins for {device}: {}.", plugins.join(", ")),
                "Uninstall all but the one that matches the driver.",
            ),
            (false, plugins) => Check::warning(
                "jax_plugin",
                format!(
                    "{} is installed, but the machine has no such device.",
                    plugins.join(", ")
                ),
                "Start the container with its devices (`--gpus all`; for TPUs `--privileged`), or \
                 run on a machine that has one; JAX falls back to the CPU.",
            ),
        };
        checks.push(check);
    }
    if checks.is_empty() {
        checks.push(Check::ok(
            "jax_plugin",
            "No accelerator and no plugin: JAX runs on the CPU, which can be profiled too.",
        ));
    }
    checks
}

/// Each plugin is built for one jaxlib release.
fn plugin_versions(python: &Python) -> Vec<Check> {
    let Some(jaxlib) = python.of("jaxlib") else {
        return Vec::new();
    };
    let is_plugin = |name: &str| {
        (name.starts_with("jax-cuda") || name.starts_with("jax-rocm"))
            && (name.ends_with("plugin") || name.ends_with("pjrt"))
    };
    let plugins = python.find(is_plugin);
    let others: Vec<String> = plugins
        .iter()
        .filter(|(_, version)| {
            numbers(version)
                .iter()
                .take(3)
                .ne(numbers(jaxlib).iter().take(3))
        })
        .map(|(name, version)| format!("{name} {version}"))
        .collect();
    match (plugins.is_empty(), others.is_empty()) {
        (true, _) => Vec::new(),
        (false, true) => vec![Check::ok(
            "jax_plugin_version",
            format!("Plugins and jaxlib have the same version, {jaxlib}."),
        )],
        (false, false) => vec![Check::bad(
            "jax_plugin_version",
            format!(
                "{} with jaxlib {jaxlib}: JAX ignores plugins of another version.",
                others.join(", ")
            ),
            "Install matching versions, such as `pip install -U \"jax[cuda13]\"`.",
        )],
    }
}

fn shadows(python: &Python) -> Vec<Check> {
    if python.shadows.is_empty() {
        return Vec::new();
    }
    let folder = std::env::current_dir().unwrap_or_else(|_| Path::new(".").to_owned());
    vec![Check::warning(
        "shadowed_module",
        format!(
            "{} in {} hides the package of that name.",
            python.shadows.join(", "),
            folder.display()
        ),
        "Rename the file.",
    )]
}
