//! Other viewers and what they depend on: TensorBoard, XProf, TensorFlow. Stepscope needs none of
//! them.

use crate::doctor::check::Check;
use crate::doctor::machine::Machine;
use crate::doctor::python::Python;

pub(super) const IDS: &[&str] = &["profile_plugin", "tensorflow"];

pub(super) fn look(machine: &Machine) -> Vec<Check> {
    let Ok(python) = &machine.python else {
        return Vec::new();
    };
    let mut checks: Vec<Check> = plugin(python).into_iter().collect();
    checks.extend(tensorflow(python));
    checks
}

/// TensorBoard loads only one plugin named `profile`.
fn plugin(python: &Python) -> Option<Check> {
    let board = python.of("tensorboard").or_else(|| python.of("tb-nightly"));
    let plugins = &python.profile_plugins;
    let fix_clash = "`pip uninstall -y tensorboard-plugin-profile tbp-nightly xprof \
     xprof-nightly`, then `pip install xprof`. Stepscope needs neither.";
    match (board, plugins.as_slice()) {
        (None, []) => None,
        (Some(version), []) => Some(Check::warning(
            "profile_plugin",
            format!("TensorBoard {version} has no profile plugin: its Profile page stays empty."),
            "`pip install xprof` and restart it; or `stepscope view LOGDIR`, which needs no \
             plugin.",
        )),
        (_, [only]) => {
            let version = python.of(only).unwrap_or_default();
            Some(if only == "tensorboard-plugin-profile" {
                Check::warning(
                    "profile_plugin",
                    format!("{only} {version} is the old name of xprof, and outdated."),
                    "`pip uninstall -y tensorboard-plugin-profile`, then `pip install xprof`.",
                )
            } else {
                Check::ok(
                    "profile_plugin",
                    format!("{only} {version} for TensorBoard."),
                )
            })
        }
        (_, several) => Some(Check::bad(
            "profile_plugin",
            format!(
                "Conflicting profile plugins in TensorBoard: {}.",
                several.join(", ")
            ),
            fix_clash,
        )),
    }
}

fn tensorflow(python: &Python) -> Option<Check> {
    let names = ["tensorflow", "tensorflow-cpu", "tf-nightly"];
    let (name, version) = names
        .into_iter()
        .find_map(|name| Some((name, python.of(name)?)))?;
    let protobuf = python.of("protobuf").unwrap_or("not installed");
    let both = format!("{name} {version}, protobuf {protobuf}");
    // Each has its own profiler session, and CUPTI supports only one.
    let has_gpu_jax = !python.find(|name| name.starts_with("jax-cuda")).is_empty();
    Some(if has_gpu_jax && name != "tensorflow-cpu" {
        Check::warning(
            "tensorflow",
            format!("{both}: it allocates GPU memory, and uses CUPTI when its own profiler runs."),
            "In the program: `tf.config.set_visible_devices([], \"GPU\")`, or install \
             tensorflow-cpu.",
        )
    } else {
        Check::ok("tensorflow", format!("{both}."))
    })
}
