//! Facts about the machine, gathered once from `/proc`, `/dev`, `/etc` and the environment.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::log_directory::LogDirectory;
use super::python::Python;
use super::root::Root;

/// What the checks inspect.
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub(crate) struct Machine {
    /// Variables of the environment.
    pub(crate) variables: BTreeMap<String, String>,
    /// The Python environment, or why there is none.
    pub(crate) python: Result<Python, String>,
    pub(crate) nvidia: Nvidia,
    /// AMD GPUs: `/dev/kfd` exists.
    pub(crate) has_amd_gpu: bool,
    /// TPU chips: `/dev/accel0`, or a numbered device of `/dev/vfio`.
    pub(crate) has_tpu: bool,
    /// `libcupti` in the folders where the loader looks.
    pub(crate) cupti_libraries: Vec<PathBuf>,
    /// Running GPU profilers: process id and name.
    pub(crate) profilers: Vec<(u32, String)>,
    pub(crate) is_wsl: bool,
    pub(crate) is_container: bool,
    pub(crate) user: User,
    /// TCP ports with a listener.
    pub(crate) listening_ports: BTreeSet<u16>,
    pub(crate) log_directory: LogDirectory,
}

/// NVIDIA's driver.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Nvidia {
    /// Device nodes `/dev/nvidia0`…, or the one of WSL.
    pub(crate) device_count: usize,
    /// Version of the kernel module.
    pub(crate) driver: Option<String>,
    /// `NVreg_RestrictProfilingToAdminUsers`, as the driver reports it.
    pub(crate) is_admin_only: Option<bool>,
}

/// The user who runs this.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct User {
    pub(crate) is_root: bool,
    /// The process has `CAP_SYS_ADMIN`.
    pub(crate) is_admin: bool,
    /// Groups `video` and `render` of `/etc/group` that the process is not in.
    pub(crate) missing_groups: Vec<String>,
}

impl Machine {
    /// Gathers everything; changes nothing, except that it creates and removes a file in the log
    /// directory.
    pub(crate) fn gather(
        root: &Root,
        variables: BTreeMap<String, String>,
        python: Result<Python, String>,
        log_directory: &Path,
    ) -> Self {
        let version = root.read("/proc/version").unwrap_or_default();
        let is_wsl = version.to_lowercase().contains("microsoft");
        Self {
            nvidia: nvidia(root),
            has_amd_gpu: root.exists("/dev/kfd"),
            has_tpu: has_tpu(root),
            cupti_libraries: cupti_libraries(root, &variables),
            profilers: profilers(root),
            is_wsl,
            is_container: root.exists("/.dockerenv") || root.exists("/run/.containerenv"),
            user: user(root),
            listening_ports: listening_ports(root),
            log_directory: LogDirectory::look(root, log_directory, is_wsl),
            variables,
            python,
        }
    }

    /// A variable that is set and not empty.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        let value = self.variables.get(name)?;
        (!value.is_empty()).then_some(value)
    }
}

fn nvidia(root: &Root) -> Nvidia {
    let is_gpu = |name: &String| {
        let number = name.strip_prefix("nvidia").unwrap_or_default();
        !number.is_empty() && number.chars().all(|digit| digit.is_ascii_digit())
    };
    let nodes = root
        .names("/dev")
        .iter()
        .filter(|name| is_gpu(name))
        .count();
    // WSL exposes GPUs through one device, and the driver's library is next to it.
    let is_wsl_gpu = root.exists("/dev/dxg") && root.exists("/usr/lib/wsl/lib/libcuda.so.1");
    let params = root.read("/proc/driver/nvidia/params");
    let is_admin_only = params.and_then(|params| {
        let line = params
            .lines()
            .find_map(|line| line.strip_prefix("RmProfilingAdminOnly:"))?;
        Some(line.trim() != "0")
    });
    let driver = root
        .read("/sys/module/nvidia/version")
        .map(|text| text.trim().to_owned());
    Nvidia {
        device_count: nodes.max(usize::from(is_wsl_gpu)),
        driver,
        is_admin_only,
    }
}

fn has_tpu(root: &Root) -> bool {
    let is_chip = |name: &String| name.chars().all(|digit| digit.is_ascii_digit());
    root.exists("/dev/accel0") || root.names("/dev/vfio").iter().any(is_chip)
}

/// Folders where CUDA is installed, in addition to `LD_LIBRARY_PATH`.
const LIBRARY_FOLDERS: [&str; 6] = [
    "/usr/local/cuda/lib64",
    "/usr/local/cuda/extras/CUPTI/lib64",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/opt/cuda/lib64",
];

fn cupti_libraries(root: &Root, variables: &BTreeMap<String, String>) -> Vec<PathBuf> {
    let given = variables.get("LD_LIBRARY_PATH").map(String::as_str);
    let given = given.unwrap_or_default().split(':');
    let folders = given
        .filter(|folder| folder.starts_with('/'))
        .chain(LIBRARY_FOLDERS);
    let mut found: Vec<PathBuf> = folders
        .flat_map(|folder| {
            let names = root.names(folder).into_iter();
            let libraries = names.filter(|name| name.starts_with("libcupti.so"));
            libraries.map(move |name| Path::new(folder).join(name))
        })
        .collect();
    found.sort();
    found.dedup();
    found
}

/// Programs that use CUPTI or GPU counters exclusively while they run.
const PROFILERS: [&str; 7] = [
    "nsys",
    "nsys-launcher",
    "nsys-agent",
    "ncu",
    "nvprof",
    "compute-sanitiz",
    "rocprofv3",
];

fn profilers(root: &Root) -> Vec<(u32, String)> {
    let processes = root.names("/proc").into_iter();
    let processes = processes.filter_map(|name| name.parse::<u32>().ok());
    let mut found: Vec<(u32, String)> = processes
        .filter_map(|id| {
            let name = root.read(format!("/proc/{id}/comm"))?;
            let name = name.trim();
            PROFILERS.contains(&name).then(|| (id, name.to_owned()))
        })
        .collect();
    found.sort();
    found
}

/// Bit of `CAP_SYS_ADMIN` in the capabilities of a process (capabilities(7)).
const CAP_SYS_ADMIN: u64 = 1 << 21;

fn user(root: &Root) -> User {
    let status = root.read("/proc/self/status").unwrap_or_default();
    let line = |name: &str| {
        let found = status.lines().find_map(|line| line.strip_prefix(name));
        found.unwrap_or_default().trim().to_owned()
    };
    let effective_user = line("Uid:").split_whitespace().nth(1).map(str::to_owned);
    let capabilities = u64::from_str_radix(&line("CapEff:"), 16).unwrap_or(0);
    let groups = line("Groups:");
    let groups: Vec<&str> = groups.split_whitespace().collect();
    let all = root.read("/etc/group").unwrap_or_default();
    let missing = all.lines().filter_map(|line| {
        let mut fields = line.split(':');
        let (name, id) = (fields.next()?, fields.nth(1)?);
        let is_wanted = ["video", "render"].contains(&name);
        (is_wanted && !groups.contains(&id)).then(|| name.to_owned())
    });
    User {
        is_root: effective_user.as_deref() == Some("0"),
        is_admin: capabilities & CAP_SYS_ADMIN != 0,
        missing_groups: missing.collect(),
    }
}

/// Ports in state LISTEN (0A), of both families.
fn listening_ports(root: &Root) -> BTreeSet<u16> {
    let mut ports = BTreeSet::new();
    for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
        let text = root.read(table).unwrap_or_default();
        for line in text.lines().skip(1) {
            let mut fields = line.split_whitespace();
            let (address, state) = (fields.nth(1), fields.nth(1));
            let port = address.and_then(|address| address.rsplit_once(':'));
            if let (Some((_, port)), Some("0A")) = (port, state) {
                ports.extend(u16::from_str_radix(port, 16));
            }
        }
    }
    ports
}
