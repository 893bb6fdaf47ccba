//! Roles of planes and lines, decided from their names.

use crate::session::DeviceKind;
use crate::track::TrackRole;

/// The contents of a plane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PlaneRole {
    /// Host threads, including API rows of host profilers.
    Host,
    /// Compiled programs, one per event metadata.
    Programs,
    /// Start and stop of the profile, options, versions.
    Environment,
    /// Scope tree encoded in plane stats; carries no rows.
    ScopeTree,
    /// A device.
    Device {
        kind: DeviceKind,
        ordinal: i64,
        name: String,
    },
    /// Something that is shown like a host.
    Other,
}

/// The role of a plane. `has_amd_vendor` and the like come from its stats and refine the kind later.
pub(crate) fn plane_role(name: &str) -> PlaneRole {
    if name == "/host:metadata" {
        return PlaneRole::Programs;
    }
    if name == "Task Environment" {
        return PlaneRole::Environment;
    }
    if name == "/host:__ScopeRangeCallStack__" {
        return PlaneRole::ScopeTree;
    }
    if let Some(rest) = name.strip_prefix("/device:TPU:") {
        return tpu_role(rest);
    }
    if let Some(ordinal) = name
        .strip_prefix("/device:GPU:")
        .and_then(|rest| rest.parse().ok())
    {
        let name = format!("GPU:{ordinal}");
        return PlaneRole::Device {
            kind: DeviceKind::OtherGpu,
            ordinal,
            name,
        };
    }
    // Transfers between slices, run by hosts: rows next to the devices instead of another device.
    if name.contains("Megascale Trace") {
        return PlaneRole::Other;
    }
    for prefix in ["/device:CUSTOM:", "/virtualdevice:", "/device:", "#Chip"] {
        if let Some(rest) = name.strip_prefix(prefix) {
            let name = rest.trim().to_owned();
            return PlaneRole::Device {
                kind: DeviceKind::Custom,
                ordinal: 0,
                name,
            };
        }
    }
    if name.starts_with("/host:") {
        PlaneRole::Host
    } else {
        PlaneRole::Other
    }
}

/// The process of a plane that was recorded in another process than the profile: `77` of
/// `/host:CPU [77]`.
pub(crate) fn other_process(name: &str) -> Option<u32> {
    let process = name.strip_prefix("/host:CPU [")?.strip_suffix(']')?;
    process.parse().ok()
}

/// `0`, or `0 SparseCore 1` (extra words tolerated).
fn tpu_role(rest: &str) -> PlaneRole {
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let ordinal = digits.parse().unwrap_or(0);
    let words = rest[digits.len()..].trim();
    let (kind, name) = if words.is_empty() {
        (DeviceKind::Tpu, format!("TPU:{ordinal}"))
    } else if words.contains("SparseCore") {
        (DeviceKind::SparseCore, format!("TPU:{ordinal} {words}"))
    } else {
        (DeviceKind::Custom, format!("TPU:{ordinal} {words}"))
    };
    PlaneRole::Device {
        kind,
        ordinal,
        name,
    }
}

/// First id of the rows that XProf derives from others: int32(0xdeadbeef).
const DERIVED_BASE: i64 = 0xdead_beef_u32.cast_signed() as i64;
/// Number of ids reserved for derived rows.
const DERIVED_COUNT: i64 = 390;

/// Whether a row was derived by another tool from the same events; including it would count work
/// twice.
pub(crate) fn is_derived_line(id: i64) -> bool {
    let unsigned_base = i64::from(0xdead_beef_u32);
    (DERIVED_BASE..DERIVED_BASE + DERIVED_COUNT).contains(&id)
        || (unsigned_base..unsigned_base + DERIVED_COUNT).contains(&id)
}

/// The role of a line on a device plane.
pub(crate) fn device_line_role(kind: DeviceKind, id: i64, name: &str) -> TrackRole {
    if is_derived_line(id) && name != "Steps" {
        return TrackRole::Derived;
    }
    match name {
        "Steps" | "Sparse Core Steps" => TrackRole::Steps,
        "XLA Modules" | "Sparse Core Modules" => TrackRole::Programs,
        "XLA Ops" | "Sparse Core Ops" => TrackRole::Ops,
        "Async XLA Ops" => TrackRole::AsyncOps,
        "Pallas Primitives" | "LLO Ops" => TrackRole::KernelRegions,
        "Framework Name Scope"
        | "Framework Ops"
        | "Source code"
        | "TensorFlow Name Scope"
        | "TensorFlow Ops"
        | "Launch Stats" => TrackRole::Derived,
        _ if name.starts_with("_counters_") || name.starts_with("counters_") => TrackRole::Counter,
        _ if kind.is_gpu() && name.starts_with("Stream #") => TrackRole::Stream,
        _ => TrackRole::Other,
    }
}

/// The role of a line on a host plane.
pub(crate) fn host_line_role(name: &str) -> TrackRole {
    if name.starts_with("_counters_") {
        return TrackRole::Counter;
    }
    if name.starts_with("python") {
        TrackRole::Python
    } else {
        TrackRole::HostThread
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_by_name() {
        assert_eq!(plane_role("/host:CPU"), PlaneRole::Host);
        assert_eq!(plane_role("/host:CPU [77]"), PlaneRole::Host);
        assert_eq!(other_process("/host:CPU [77]"), Some(77));
        assert_eq!(other_process("/host:CPU"), None);
        assert_eq!(other_process("/host:CPU [x]"), None);
        // Traces of other tools: their processes are next to each other.
        assert_eq!(other_process("server [77]"), None);
        assert_eq!(plane_role("/host:metadata"), PlaneRole::Programs);
        assert!(matches!(
            plane_role("/device:TPU:3"),
            PlaneRole::Device {
                kind: DeviceKind::Tpu,
                ordinal: 3,
                ..
            }
        ));
        assert!(matches!(
            plane_role("/device:TPU:0 SparseCore 1"),
            PlaneRole::Device {
                kind: DeviceKind::SparseCore,
                ..
            }
        ));
        assert!(matches!(
            plane_role("/device:GPU:7"),
            PlaneRole::Device { ordinal: 7, .. }
        ));
        assert_eq!(plane_role("Host CPUs"), PlaneRole::Other);
        let megascale = "/device:CUSTOM:Megascale Trace";
        assert_eq!(plane_role(megascale), PlaneRole::Other);
    }

    #[test]
    fn derived_lines_by_id() {
        assert!(is_derived_line(-559_038_737));
        assert!(is_derived_line(-559_038_737 + 389));
        assert!(!is_derived_line(-559_038_737 + 390));
        assert!(!is_derived_line(7));
    }
}
