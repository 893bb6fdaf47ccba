//! Machines described as files in a folder: healthy ones, and one for each possible problem.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::check::Status;
use super::checks::{GROUPS, all};
use super::machine::Machine;
use super::python::Python;
use super::root::Root;

/// A machine: its files, variables, and Python.
struct Drawn {
    folder: TempDir,
    variables: BTreeMap<String, String>,
    python: Result<Python, String>,
    log_directory: PathBuf,
}

/// What the probe answers in a healthy Python environment with JAX for CUDA.
fn healthy_python() -> Value {
    json!({
        "version": "3.12.3",
        "executable": "/venv/bin/python",
        "distributions": {
            "jax": ["0.10.2"],
            "jaxlib": ["0.10.2"],
            "jax-cuda12-plugin": ["0.10.2"],
            "jax-cuda12-pjrt": ["0.10.2"],
            "xprof": ["2.24.2"],
        },
        "profile_plugins": ["xprof"],
        "cupti_libraries": ["/venv/lib/python3.12/site-packages/nvidia/cuda_cupti/lib/libcupti.so.12"],
        "shadows": [],
    })
}

impl Drawn {
    /// A healthy Linux machine with one NVIDIA GPU.
    fn healthy() -> Self {
        let machine = Self {
            folder: tempfile::tempdir().expect("a folder"),
            variables: BTreeMap::new(),
            python: Ok(Python::from_json(&healthy_python())),
            log_directory: PathBuf::from("/home/ada/profiles"),
        };
        machine
            .file("/proc/version", "Linux version 6.8.0-41-generic (gcc 13.2.0)")
            .file("/proc/self/status", "Name:\tstepscope\nUid:\t1000\t1000\t1000\t1000\nGroups:\t27 44 109 1000\nCapEff:\t0000000000000000\n")
            .file("/etc/group", "root:x:0:\nvideo:x:44:ada\nrender:x:109:ada\n")
            .file("/proc/mounts", "/dev/sda1 / ext4 rw 0 0\n")
            .file("/proc/net/tcp", &listening(&[22]))
            .file("/proc/driver/nvidia/params", "ResmanDebugLevel: 4294967295\nRmProfilingAdminOnly: 0\n")
            .file("/sys/module/nvidia/version", "570.124.06\n")
            .file("/dev/nvidia0", "")
            .file("/dev/nvidiactl", "")
            .file("/home/ada/.profile", "")
    }

    fn file(self, path: &str, text: &str) -> Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("created");
        fs::write(path, text).expect("written");
        self
    }

    fn path(&self, path: &str) -> PathBuf {
        Root(self.folder.path().to_owned()).path(path)
    }

    fn without(self, path: &str) -> Self {
        fs::remove_file(self.path(path)).expect("it was there");
        self
    }

    fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.insert(name.to_owned(), value.to_owned());
        self
    }

    fn python(mut self, change: impl Fn(&mut Value)) -> Self {
        let mut answer = healthy_python();
        change(&mut answer);
        self.python = Ok(Python::from_json(&answer));
        self
    }

    fn log_directory(mut self, path: &str) -> Self {
        self.log_directory = PathBuf::from(path);
        self
    }

    fn gather(&self) -> Machine {
        let root = Root(self.folder.path().to_owned());
        let mut machine = Machine::gather(
            &root,
            self.variables.clone(),
            self.python.clone(),
            &self.log_directory,
        );
        // The folder is on a real disk; how full that is has nothing to do with the described
        // machine.
        let free_bytes = &mut machine.log_directory.free_bytes;
        *free_bytes = free_bytes.map(|_| 50_000_000_000);
        machine
    }
}

/// `/proc/net/tcp` with these ports in state LISTEN, and 6006 in use by a connection.
fn listening(ports: &[u16]) -> String {
    let line = |(index, port): (usize, &u16)| {
        format!("   {index}: 0100007F:{port:04X} 00000000:0000 0A 00000000:00000000 00:00000000")
    };
    let mut lines = vec!["  sl  local_address rem_address   st".to_owned()];
    lines.push("   9: 0100007F:1776 0100007F:9C40 01 00000000:00000000".to_owned());
    lines.extend(ports.iter().enumerate().map(line));
    lines.join("\n")
}

/// Everything on a machine that is not ok: ID, status, what.
fn complaints(machine: &Machine) -> Vec<(&'static str, Status, String)> {
    let checks = all(machine).into_iter();
    checks
        .filter(|check| check.status != Status::Ok)
        .map(|check| {
            assert!(!check.fix.is_empty(), "{} says what to do", check.id);
            (check.id, check.status, check.what)
        })
        .collect()
}

/// One machine per complaint: the check, its status, part of its message.
#[expect(clippy::too_many_lines, reason = "a table of machines")]
fn ill() -> Vec<(Drawn, &'static str, Status, &'static str)> {
    use Status::{Bad, Warning};
    let healthy = Drawn::healthy;
    let set = |name: &'static str, version: Value| {
        healthy().python(move |answer| answer["distributions"][name] = version.clone())
    };
    let jaxlib = |version: &'static str| {
        healthy().python(move |answer| {
            for name in ["jaxlib", "jax-cuda12-plugin", "jax-cuda12-pjrt"] {
                answer["distributions"][name] = json!([version]);
            }
        })
    };
    let mut no_python = healthy();
    no_python.python = Err("cannot run python3 (no such file)".to_owned());
    vec![
        (no_python, "python", Bad, "cannot run python3"),
        (
            healthy().python(|answer| answer["version"] = json!("3.9.18")),
            "python",
            Warning,
            "Python 3.9.18",
        ),
        (
            healthy().python(|answer| answer["distributions"] = json!({})),
            "jax",
            Bad,
            "not installed",
        ),
        (
            set("jax", json!(["0.10.2", "0.9.0"])),
            "jax",
            Bad,
            "jax is installed twice",
        ),
        (jaxlib("0.11.0"), "jaxlib", Bad, "jaxlib is newer than JAX"),
        (jaxlib("0.9.2"), "jaxlib", Warning, "different releases"),
        (
            set("jax-cuda12-plugin", json!(["0.9.2"])),
            "jax_plugin_version",
            Bad,
            "ignores plugins",
        ),
        (
            healthy().python(|answer| {
                answer["distributions"] = json!({"jax": ["0.10.2"], "jaxlib": ["0.10.2"]});
            }),
            "jax_plugin",
            Bad,
            "The machine has an NVIDIA GPU, but JAX has no plugin for it",
        ),
        (
            healthy().without("/dev/nvidia0"),
            "jax_plugin",
            Warning,
            "jax-cuda12-plugin 0.10.2 is installed, but the machine has no such device",
        ),
        (
            set("jax-cuda13-plugin", json!(["0.10.2"])),
            "jax_plugin",
            Warning,
            "Several plugins for an NVIDIA GPU",
        ),
        (
            healthy().variable("JAX_PLATFORMS", "cpu"),
            "jax_plugin",
            Warning,
            "JAX_PLATFORMS=cpu prevents JAX from using",
        ),
        (
            healthy().file("/dev/accel0", ""),
            "jax_plugin",
            Bad,
            "The machine has a TPU, but JAX has no plugin for it",
        ),
        (
            healthy().python(|answer| answer["shadows"] = json!(["jax.py"])),
            "shadowed_module",
            Warning,
            "jax.py in",
        ),
        (
            healthy().python(|answer| answer["cupti_libraries"] = json!([])),
            "cupti",
            Bad,
            "libcupti was not found",
        ),
        (
            healthy().file("/proc/driver/nvidia/params", "RmProfilingAdminOnly: 1\n"),
            "driver_permission",
            Warning,
            "570.124.06 lets only administrators profile",
        ),
        (
            healthy().file("/proc/4711/comm", "nsys\n"),
            "rival_profiler",
            Bad,
            "nsys (process 4711)",
        ),
        (
            healthy().variable("NSYS_PROFILING_SESSION_ID", "77"),
            "rival_profiler",
            Bad,
            "nsys (NSYS_PROFILING_SESSION_ID is set)",
        ),
        (
            healthy()
                .file("/dev/kfd", "")
                .file("/etc/group", "video:x:44:\nrender:x:110:\n")
                .python(|answer| answer["distributions"]["jax-rocm7-plugin"] = json!(["0.10.2"])),
            "video_group",
            Bad,
            "not in the group render",
        ),
        (
            healthy().file("/home/ada/profiles", "a file"),
            "log_directory",
            Bad,
            "it is a file, not a folder",
        ),
        (
            healthy().log_directory("/mnt/nfs/logs").file(
                "/proc/mounts",
                "/dev/sda1 / ext4 rw 0 0\nserver:/x /mnt/nfs nfs4 rw 0 0\n",
            ),
            "slow_drive",
            Warning,
            "a network drive, file system nfs4",
        ),
        (
            healthy().log_directory("/mnt/c/logs").file(
                "/proc/version",
                "Linux version 5.15.153.1-microsoft-standard-WSL2",
            ),
            "slow_drive",
            Warning,
            "a Windows drive seen from WSL",
        ),
        (
            healthy().variable("TF_DISABLE_PROFILING", "true"),
            "profiling_disabled",
            Bad,
            "disables every profiler session",
        ),
        (
            healthy().variable(
                "XLA_FLAGS",
                "--xla_gpu_autotune_level=2 --xla_dump_to=/tmp/x",
            ),
            "xla_dump",
            Warning,
            "--xla_dump_to=/tmp/x",
        ),
        (
            healthy().variable("XLA_PYTHON_CLIENT_MEM_FRACTION", "0.98"),
            "memory_fraction",
            Warning,
            "0.98 leaves the tracer no device memory",
        ),
        (
            healthy().file("/proc/net/tcp6", &listening(&[9001])),
            "port_perfetto",
            Warning,
            "Port 9001 is in use",
        ),
        (
            healthy().python(|answer| {
                answer["profile_plugins"] = json!(["tensorboard-plugin-profile", "xprof"]);
            }),
            "profile_plugin",
            Bad,
            "Conflicting profile plugins in TensorBoard: tensorboard-plugin-profile, xprof",
        ),
        (
            healthy().python(|answer| {
                answer["distributions"]["tensorboard"] = json!(["2.20.0"]);
                answer["profile_plugins"] = json!([]);
            }),
            "profile_plugin",
            Warning,
            "TensorBoard 2.20.0 has no profile plugin",
        ),
        (
            set("tensorflow", json!(["2.20.0"])),
            "tensorflow",
            Warning,
            "tensorflow 2.20.0, protobuf not installed",
        ),
    ]
}

#[test]
fn a_healthy_machine_has_no_complaints() {
    let machine = Drawn::healthy().gather();
    assert_eq!(complaints(&machine), []);
    let seen: Vec<&str> = all(&machine).iter().map(|check| check.id).collect();
    for id in [
        "python",
        "jax",
        "jaxlib",
        "cupti",
        "driver_permission",
        "log_directory",
        "disk",
    ] {
        assert!(seen.contains(&id), "{id} in {seen:?}");
    }
}

#[test]
fn each_illness_is_found_and_no_other() {
    for (drawn, id, status, part) in ill() {
        let found = complaints(&drawn.gather());
        // Without Python there is also no packaged library.
        let others = found
            .iter()
            .filter(|complaint| complaint.0 != id && complaint.0 != "cupti");
        let mut others =
            others.filter(|complaint| id != "jax" || complaint.0 != "jax_plugin_version");
        assert_eq!(others.next(), None, "{id}");
        let complaint = found.iter().find(|complaint| complaint.0 == id);
        let (_, found_status, what) = complaint.unwrap_or_else(|| panic!("no {id}: {found:?}"));
        assert_eq!(*found_status, status, "{id}: {what}");
        assert!(what.contains(part), "{id}: {what}");
    }
}

#[test]
fn every_check_is_told_by_some_machine() {
    let mut told: BTreeSet<&str> = BTreeSet::new();
    let mut machines: Vec<Machine> = ill().iter().map(|case| case.0.gather()).collect();
    machines.push(Drawn::healthy().file("/.dockerenv", "").gather());
    for machine in &machines {
        told.extend(all(machine).iter().map(|check| check.id));
    }
    let declared: BTreeSet<&str> = GROUPS.iter().flat_map(|group| group.ids).copied().collect();
    assert_eq!(told, declared);
}

#[test]
fn a_full_disk_is_bad_and_a_nearly_full_one_doubtful() {
    let mut machine = Drawn::healthy().gather();
    let mut status = |free: u64| {
        machine.log_directory.free_bytes = Some(free);
        let checks = all(&machine);
        let disk = checks.iter().find(|check| check.id == "disk");
        disk.expect("a check").status
    };
    assert_eq!(status(10_000_000), Status::Bad);
    assert_eq!(status(500_000_000), Status::Warning);
    assert_eq!(status(50_000_000_000), Status::Ok);
}

#[test]
fn administrators_may_profile() {
    let restricted =
        || Drawn::healthy().file("/proc/driver/nvidia/params", "RmProfilingAdminOnly: 1\n");
    let admin = restricted().file(
        "/proc/self/status",
        "Uid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff\n",
    );
    assert_eq!(complaints(&admin.gather()), []);
    let contained = restricted().file("/.dockerenv", "").gather();
    let check = all(&contained)
        .into_iter()
        .find(|check| check.id == "driver_permission");
    assert!(check.expect("a check").fix.contains("--cap-add=SYS_ADMIN"));
}

#[test]
fn wsl_gets_its_advice() {
    let machine = Drawn::healthy()
        .file(
            "/proc/version",
            "Linux version 5.15.153.1-microsoft-standard-WSL2",
        )
        .gather();
    let checks = all(&machine);
    let wsl = checks
        .iter()
        .find(|check| check.id == "wsl")
        .expect("a check");
    assert!(
        wsl.what.contains("portproxy") && wsl.what.contains("/mnt/c"),
        "{}",
        wsl.what
    );
    assert_eq!(complaints(&machine), []);
}

#[test]
fn the_library_of_a_cuda_installation_counts() {
    let bare = || Drawn::healthy().python(|answer| answer["cupti_libraries"] = json!([]));
    let given = bare()
        .file("/opt/own/lib/libcupti.so.12", "")
        .variable("LD_LIBRARY_PATH", "/usr/x:/opt/own/lib");
    assert_eq!(complaints(&given.gather()), []);
    let usual = bare().file("/usr/local/cuda/extras/CUPTI/lib64/libcupti.so", "");
    assert_eq!(complaints(&usual.gather()), []);
}

#[test]
fn nothing_stays_behind_in_the_log_directory() {
    let drawn = Drawn::healthy();
    let before = fs::read_dir(drawn.path("/home/ada"))
        .expect("there")
        .count();
    drawn.gather();
    let after = fs::read_dir(drawn.path("/home/ada"))
        .expect("there")
        .count();
    assert_eq!(before, after);
    assert!(!Path::new("/home/ada/profiles").exists());
}
