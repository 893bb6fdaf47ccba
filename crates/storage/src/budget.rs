//! One budget of memory for the whole process: whatever decompresses, copies or converts files, or
//! answers a question about them, reserves from it first, and gives back what it reserved when it is
//! dropped.
//!
//! Mapped files do not count: their pages are the system's, which takes them back when it needs to.

use std::fs;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Share of the memory that is available when the process starts to read, in percent.
const SHARE_PERCENT: u64 = 60;
/// The budget where the system does not say how much memory is available.
const DEFAULT_BYTES: u64 = 16 << 30;
/// The variable that sets it.
const VARIABLE: &str = "STEPSCOPE_MEMORY_BYTES";

/// What copies of small files may take in all: a copy is quick and cannot change, but a session of a
/// thousand hosts has a thousand of them.
const COPIES_BYTES: u64 = 64 << 20;

/// What is reserved.
static USED: AtomicU64 = AtomicU64::new(0);
/// What is reserved for copies of small files.
static COPIED: AtomicU64 = AtomicU64::new(0);
/// What was chosen; zero for nothing.
static CHOSEN: AtomicU64 = AtomicU64::new(0);
/// What the environment or the machine says.
static FOUND: OnceLock<u64> = OnceLock::new();

/// Sets the budget of the process, in bytes. Otherwise `STEPSCOPE_MEMORY_BYTES` sets it
/// (`12000000000`, `12G`), and otherwise it is 60 % of what the machine, or the control group of
/// the process, has available when the first file is opened.
pub fn set_memory_budget(bytes: u64) {
    CHOSEN.store(bytes.max(1), Ordering::Relaxed);
}

/// The budget of the process, in bytes.
pub fn memory_budget() -> u64 {
    match CHOSEN.load(Ordering::Relaxed) {
        0 => *FOUND.get_or_init(|| from_environment().unwrap_or_else(of_machine)),
        chosen => chosen,
    }
}

/// A reservation that does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Short {
    /// Bytes that were asked for, with those that the same reader holds already.
    pub needed: u64,
    /// Bytes that all others leave.
    pub free: u64,
    /// The whole budget.
    pub total: u64,
}

/// Bytes that are reserved until this is dropped.
#[derive(Debug, Default)]
pub struct Reserved {
    bytes: u64,
    /// How much of it counts as copies.
    copied: u64,
}

impl Reserved {
    /// Counts bytes that are used already, whether they fit or not: others have so much less.
    pub fn used(bytes: u64) -> Self {
        USED.fetch_add(bytes, Ordering::Relaxed);
        Self { bytes, copied: 0 }
    }

    /// Reserves for a copy of a small file, as long as all copies together stay small.
    pub(crate) fn for_copy(bytes: u64) -> Option<Self> {
        let mut reserved = Self::default();
        reserved.grow_to(bytes).ok()?;
        let added = |copied: u64| Some(copied + bytes).filter(|&all| all <= COPIES_BYTES);
        COPIED
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, added)
            .ok()?;
        reserved.copied = bytes;
        Some(reserved)
    }

    /// Reserves until it has so many bytes.
    ///
    /// # Errors
    ///
    /// [`Short`] if others leave less than that.
    pub fn grow_to(&mut self, bytes: u64) -> Result<(), Short> {
        let more = bytes.saturating_sub(self.bytes);
        if more == 0 {
            return Ok(());
        }
        let total = memory_budget();
        let added = |used: u64| used.checked_add(more).filter(|&used| used <= total);
        match USED.fetch_update(Ordering::Relaxed, Ordering::Relaxed, added) {
            Ok(_) => {
                self.bytes += more;
                Ok(())
            }
            Err(used) => Err(Short {
                needed: bytes,
                free: total.saturating_sub(used.saturating_sub(self.bytes)),
                total,
            }),
        }
    }

    /// Gives back all but so many bytes.
    pub fn shrink_to(&mut self, bytes: u64) {
        let less = self.bytes.saturating_sub(bytes);
        self.bytes -= less;
        USED.fetch_sub(less, Ordering::Relaxed);
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.shrink_to(0);
        COPIED.fetch_sub(self.copied, Ordering::Relaxed);
    }
}

fn from_environment() -> Option<u64> {
    let text = std::env::var(VARIABLE).ok()?;
    stepscope_remote::parse_size(&text).filter(|&bytes| bytes > 0)
}

/// A share of what is available: of the machine, or of a control group around this process.
fn of_machine() -> u64 {
    let read = |path: &str| fs::read_to_string(path).ok();
    let machine = read("/proc/meminfo").and_then(|text| available(&text));
    let groups = read("/proc/self/cgroup").unwrap_or_default();
    let groups = groups_around(&groups);
    let left = groups.iter().filter_map(|(limit, usage)| {
        let number = |text: String| text.trim().parse::<u64>().ok();
        let limit = read(limit).and_then(number)?;
        Some(limit.saturating_sub(read(usage).and_then(number).unwrap_or(0)))
    });
    let least = machine.into_iter().chain(left).min();
    least.map_or(DEFAULT_BYTES, |bytes| bytes / 100 * SHARE_PERCENT)
}

/// `MemAvailable` of `/proc/meminfo`, in bytes.
fn available(text: &str) -> Option<u64> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// Files with the limit and the usage of the groups of this process and those around them, of
/// either version of control groups, from `/proc/self/cgroup`.
fn groups_around(text: &str) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for line in text.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(group)) = (parts.next(), parts.next()) else {
            continue;
        };
        let (root, limit, usage) = if controllers.is_empty() {
            ("/sys/fs/cgroup", "memory.max", "memory.current")
        } else if controllers.split(',').any(|name| name == "memory") {
            (
                "/sys/fs/cgroup/memory",
                "memory.limit_in_bytes",
                "memory.usage_in_bytes",
            )
        } else {
            continue;
        };
        let mut group = group.trim_end_matches('/');
        loop {
            files.push((
                format!("{root}{group}/{limit}"),
                format!("{root}{group}/{usage}"),
            ));
            match group.rfind('/') {
                Some(end) => group = &group[..end],
                None => break,
            }
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_available_is_read_from_the_system() {
        let text = "MemTotal:  100 kB\nMemFree:  10 kB\nMemAvailable:     50 kB\n";
        assert_eq!(available(text), Some(51_200));
        assert_eq!(available("MemTotal: 100 kB"), None);
        let limits = |text: &str| -> Vec<String> {
            groups_around(text)
                .into_iter()
                .map(|(limit, _)| limit)
                .collect()
        };
        assert_eq!(
            limits("0::/a/b\n"),
            [
                "/sys/fs/cgroup/a/b/memory.max",
                "/sys/fs/cgroup/a/memory.max",
                "/sys/fs/cgroup/memory.max",
            ]
        );
        assert_eq!(
            limits("5:cpu:/x\n4:memory:/\n"),
            ["/sys/fs/cgroup/memory/memory.limit_in_bytes"]
        );
        assert!(memory_budget() > 0);
    }

    #[test]
    fn what_is_reserved_is_given_back() {
        let mut one = Reserved::default();
        one.grow_to(1000).expect("it fits");
        one.grow_to(500).expect("it has more");
        one.shrink_to(10);
        assert_eq!(one.bytes, 10);
        let short = one.grow_to(u64::MAX).expect_err("nobody has so much");
        assert_eq!((short.needed, short.total), (u64::MAX, memory_budget()));
        assert!(short.free <= short.total);
    }

    #[test]
    fn copies_are_made_while_they_are_few() {
        let first = Reserved::for_copy(COPIES_BYTES / 2 + 1);
        assert!(first.is_some());
        assert!(Reserved::for_copy(COPIES_BYTES / 2).is_none());
        drop(first);
        assert!(Reserved::for_copy(COPIES_BYTES / 2).is_some());
    }
}
