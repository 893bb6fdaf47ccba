//! Virtual devices of XLA:CPU, known only once ops are decoded.

use std::collections::BTreeMap;

use super::build::BuiltTrack;
use super::plan::Plan;
use crate::ids::{DeviceId, HostId};
use crate::session::{Device, DeviceKind};
use crate::vendor::capabilities::Capabilities;
use crate::vendor::chips::chip;

/// One device per `device_ordinal` of XLA:CPU ops; devices are put in order of host again, and get
/// their numbers in the session, where `before` devices stand before them.
pub(super) fn add_cpu_devices(
    plan: &mut Plan,
    built: &[BuiltTrack],
    hosts: impl Iterator<Item = HostId>,
    before: usize,
) -> BTreeMap<(HostId, i64), DeviceId> {
    let mut ordinals: Vec<(HostId, i64)> = Vec::new();
    for (track, built) in plan.tracks.iter().zip(built) {
        ordinals.extend(built.ordinals().map(|ordinal| (track.host, ordinal)));
    }
    ordinals.sort_unstable();
    ordinals.dedup();
    let mut devices: Vec<Device> = Vec::new();
    let mut moved: Vec<DeviceId> = vec![DeviceId(0); plan.devices.len()];
    let mut cpu_devices = BTreeMap::new();
    for host in hosts {
        for (position, device) in plan
            .devices
            .iter()
            .enumerate()
            .filter(|(_, d)| d.host == host)
        {
            moved[position] = DeviceId::from_index(before + devices.len());
            devices.push(device.clone());
        }
        for &(_, ordinal) in ordinals.iter().filter(|key| key.0 == host) {
            cpu_devices.insert(
                (host, ordinal),
                DeviceId::from_index(before + devices.len()),
            );
            let chip = chip(DeviceKind::Cpu, &Capabilities::default());
            let name = format!("CPU:{ordinal}");
            devices.push(Device {
                host,
                ordinal,
                name,
                kind: DeviceKind::Cpu,
                chip,
            });
        }
    }
    for track in &mut plan.tracks {
        track.device = track.device.map(|device| moved[device.index()]);
    }
    plan.devices = devices;
    cpu_devices
}
