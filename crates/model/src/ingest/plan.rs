//! Planning: which lines of which planes make up which tracks and devices.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use stepscope_xplane::{Line, Plane, Space};

use super::environment::capabilities;
use super::round::Round;
use crate::ids::{DeviceId, HostId};
use crate::session::{Device, DeviceKind};
use crate::track::TrackRole;
use crate::vendor::chips::{chip, gpu_kind};
use crate::vendor::planes::{
    PlaneRole, device_line_role, host_line_role, other_process, plane_role,
};
use crate::vendor::stats::StatRoles;

/// A track to decode.
pub(super) struct TrackPlan {
    pub(super) host: HostId,
    /// The process it was recorded in, if it differs from the profile's.
    pub(super) process: Option<u32>,
    pub(super) device: Option<DeviceId>,
    pub(super) role: TrackRole,
    /// Until decoded, the name from before the events: the one to show is after them.
    pub(super) name: String,
    pub(super) line_id: i64,
    /// Plane and line positions in the host's file.
    pub(super) lines: Vec<(u32, u32)>,
}

/// The contents of the files of a round, before any event is decoded.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) devices: Vec<Device>,
    pub(super) tracks: Vec<TrackPlan>,
    /// Roles of stats, by host (its position in the round, as below) and plane position.
    pub(super) stat_roles: Vec<Vec<Arc<StatRoles>>>,
    /// Whether the host's file has device planes with events.
    pub(super) has_accelerator: Vec<bool>,
    /// Whether some of these are of a GPU, whose kernels are followed to their launches.
    pub(super) has_kernels: Vec<bool>,
    /// Lines without events, by host.
    pub(super) empty_lines: Vec<usize>,
}

/// Plans from the fields before the events of lines, unless the lines are completed. Devices are
/// numbered from zero: see `add_cpu_devices`.
pub(super) fn plan_tracks(round: &Round<'_, '_>) -> Plan {
    let mut plan = Plan::default();
    for (host, _, space) in round.hosts() {
        plan_host(&mut plan, host, space);
    }
    plan
}

fn plan_host(plan: &mut Plan, host: HostId, space: &Space<'_>) {
    let first_track = plan.tracks.len();
    let mut positions: FxHashMap<(String, i64, String), usize> = FxHashMap::default();
    let mut devices: BTreeMap<(DeviceKind, i64, String), Vec<usize>> = BTreeMap::new();
    let mut empty_lines = 0;
    let mut has_accelerator = false;
    let mut has_kernels = false;
    for (position, plane) in space.planes.iter().enumerate() {
        if let PlaneRole::Device {
            kind,
            ordinal,
            name,
        } = plane_role(&plane.name)
        {
            let has_events = plane.lines.iter().any(Line::has_events);
            has_accelerator |= has_events;
            has_kernels |= has_events && kind.is_gpu();
            devices
                .entry((kind, ordinal, name))
                .or_default()
                .push(position);
        }
    }
    let mut device_of_plane: FxHashMap<usize, DeviceId> = FxHashMap::default();
    for ((kind, ordinal, name), planes) in devices {
        let id = DeviceId::from_index(plan.devices.len());
        // Of planes with one name, any may carry the stats that identify the vendor.
        let found = capabilities(planes.iter().map(|&position| &space.planes[position]));
        let kind = match kind {
            DeviceKind::OtherGpu => gpu_kind(&found),
            kind => kind,
        };
        let chip = chip(kind, &found);
        plan.devices.push(Device {
            host,
            ordinal,
            name,
            kind,
            chip,
        });
        device_of_plane.extend(planes.into_iter().map(|plane| (plane, id)));
    }
    for (position, plane) in space.planes.iter().enumerate() {
        let device = device_of_plane.get(&position).copied();
        let kind = device.map(|id| plan.devices[id.index()].kind);
        for (line_position, line) in plane.lines.iter().enumerate() {
            if !line.has_events() {
                empty_lines += 1;
                continue;
            }
            let id = if line.display_id == 0 {
                line.id
            } else {
                line.display_id
            };
            // Lines without a number are distinguished by name; others are one row per number.
            let distinct = if id == 0 {
                line.name.clone().into_owned()
            } else {
                String::new()
            };
            let key = (plane.name.clone().into_owned(), id, distinct);
            let lines = (to_u32(position), to_u32(line_position));
            let track = *positions.entry(key).or_insert_with(|| {
                let role = line_role(plane, kind, line.id, &line.name);
                plan.tracks.push(TrackPlan {
                    host,
                    process: other_process(&plane.name),
                    device,
                    role,
                    name: line.shown_name().to_owned(),
                    line_id: id,
                    lines: Vec::new(),
                });
                plan.tracks.len() - 1
            });
            plan.tracks[track].lines.push(lines);
        }
    }
    debug_assert!(
        plan.tracks[first_track..]
            .iter()
            .all(|track| track.host == host)
    );
    plan.stat_roles.push(
        space
            .planes
            .iter()
            .map(|plane| Arc::new(StatRoles::of(plane)))
            .collect(),
    );
    plan.has_accelerator.push(has_accelerator);
    plan.has_kernels.push(has_kernels);
    plan.empty_lines.push(empty_lines);
}

fn line_role(plane: &Plane<'_>, kind: Option<DeviceKind>, id: i64, name: &str) -> TrackRole {
    match (kind, plane_role(&plane.name)) {
        (Some(kind), _) => device_line_role(kind, id, name),
        (None, PlaneRole::Host) => host_line_role(name),
        (None, _) => TrackRole::Other,
    }
}

pub(super) fn to_u32(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}
