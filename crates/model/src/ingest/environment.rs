//! Facts about hosts and devices from plane stats: versions, options, capabilities, epochs.

use stepscope_xplane::{Plane, Space, StatValue, lossy};

use crate::vendor::capabilities::Capabilities;
use crate::vendor::chips::on_chip_level;
use crate::vendor::planes::{PlaneRole, plane_role};

/// Capabilities that the planes of one device recorded.
pub(super) fn capabilities<'a, 'b: 'a>(
    planes: impl Iterator<Item = &'a Plane<'b>>,
) -> Capabilities {
    let mut found = Capabilities::default();
    let (mut major, mut minor) = (None, None);
    let stats = planes.flat_map(|plane| plane.stats().map(move |stat| (plane, stat)));
    for (plane, stat) in stats {
        let value = stat.value();
        let text = || plane.stat_text(value).map(|text| lossy(text).into_owned());
        match plane.stat_name(&stat).as_ref() {
            "device_type_string" | "gpu_device_name" => found.model = text(),
            "device_vendor" => found.vendor = text(),
            "peak_teraflops_per_second" => found.peak_teraflops = value.as_double(),
            "peak_hbm_bw_gigabytes_per_second" => {
                found.hbm_gigabytes_per_second = value.as_double();
            }
            name if on_chip_level(name).is_some() => {
                let gigabytes = value.as_double().filter(|&peak| peak > 0.0);
                found.on_chip.extend(on_chip_level(name).zip(gigabytes));
            }
            "clock_rate" => found.clock_khz = value.as_double(),
            "core_count" => found.core_count = value.as_double(),
            "memory_bandwidth" => found.memory_bandwidth = value.as_double(),
            "memory_size" => {
                found.memory_bytes = value.as_int().and_then(|v| u64::try_from(v).ok());
            }
            "compute_cap_major" => major = value.as_int(),
            "compute_cap_minor" => minor = value.as_int(),
            _ => {}
        }
    }
    found.capability = major.map(|major| (major, minor.unwrap_or(0)));
    found
}

/// Profile start and stop, nanoseconds since the epoch.
pub(super) fn profile_epoch(space: &Space<'_>) -> Option<(u64, u64)> {
    let planes = space
        .planes
        .iter()
        .filter(|plane| plane_role(&plane.name) == PlaneRole::Environment);
    let mut found: Option<(u64, u64)> = None;
    for plane in planes {
        let nanos = |name| {
            let value = plane.find_stat(plane.stats(), name)?.as_int()?;
            u64::try_from(value).ok().filter(|&nanos| nanos > 0)
        };
        if let Some(start) = nanos("profile_start_time") {
            let stop = nanos("profile_stop_time").unwrap_or(start);
            found = Some(found.map_or((start, stop), |old| (old.0.min(start), old.1.max(stop))));
        }
    }
    found
}

/// Recorded facts of a host: versions, process ids, tracer options. Sorted by name, each once.
pub(super) fn facts(space: &Space<'_>) -> Vec<(String, String)> {
    let mut facts = Vec::new();
    for plane in &space.planes {
        match plane_role(&plane.name) {
            PlaneRole::Environment | PlaneRole::Programs | PlaneRole::Host => {}
            _ => continue,
        }
        for stat in plane.stats() {
            let name = plane.stat_name(&stat).into_owned();
            let value = stat.value();
            if name == "profile_options" {
                if let StatValue::Bytes(bytes) = value {
                    facts.extend(profile_options(bytes));
                }
            } else if !name.is_empty() {
                facts.push((name, value_text(plane, value)));
            }
        }
    }
    facts.sort();
    facts.dedup();
    facts
}

/// A stat's value as text.
pub(crate) fn value_text(plane: &Plane<'_>, value: StatValue<'_>) -> String {
    match value {
        StatValue::None => String::new(),
        StatValue::Double(value) => value.to_string(),
        StatValue::Uint(value) => value.to_string(),
        StatValue::Int(value) => value.to_string(),
        StatValue::Text(text) => lossy(text).into_owned(),
        StatValue::Bytes(bytes) => format!("{} bytes", bytes.len()),
        StatValue::CompressedText(bytes) => format!("{} bytes of compressed text", bytes.len()),
        StatValue::Ref(id) => plane.stat_metadata.get(id.cast_signed()).map_or_else(
            || format!("reference {id}"),
            |found| lossy(found.name).into_owned(),
        ),
    }
}

/// The tracer levels from a serialized `tensorflow.ProfileOptions` (`capture.md` lists its fields).
/// Proto3 omits zeros, so an absent level is level 0.
fn profile_options(bytes: &[u8]) -> Vec<(String, String)> {
    let fields = stepscope_xplane::number_fields(bytes);
    let levels = [
        (2, "option host_tracer_level"),
        (3, "option device_tracer_level"),
        (4, "option python_tracer_level"),
    ];
    levels
        .iter()
        .map(|&(number, name)| {
            let found = fields.iter().rev().find(|field| field.0 == number);
            (
                name.to_owned(),
                found.map_or(0, |field| field.1).to_string(),
            )
        })
        .collect()
}
