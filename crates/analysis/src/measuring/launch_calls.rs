//! The host call that launched each kernel and copy of a GPU.

use stepscope_model::{DeviceId, FlowKind, HostId, Picos, Session, SliceId, TrackReader};

/// A kernel or copy, and the call that launched it. In the order of the kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LaunchCall {
    pub(crate) kernel: SliceId,
    /// When the call started.
    pub(crate) start: Picos,
    pub(crate) call: SliceId,
}

/// The launches of a host on the devices that pass, each kernel once: of several calls with its
/// correlation id, the outermost started first. Arrows are not even joined if no device of the host
/// passes.
pub(crate) fn launch_calls(
    session: &Session,
    host: HostId,
    reader: &mut TrackReader<'_>,
    passes: impl Fn(DeviceId) -> bool,
) -> Vec<LaunchCall> {
    let mut devices = session.device_ids();
    if !devices.any(|device| session.device(device).host == host && passes(device)) {
        return Vec::new();
    }
    let mut calls = Vec::new();
    for flow in session.flows_of(host).all() {
        let device = session.track(flow.to.track).device;
        let is_wanted = flow.kind == FlowKind::Launch && device.is_some_and(&passes);
        if is_wanted && let Some(call) = reader.span(flow.from) {
            calls.push(LaunchCall {
                kernel: flow.to,
                start: call.start,
                call: flow.from,
            });
        }
    }
    calls.sort_unstable();
    calls.dedup_by_key(|one| one.kernel);
    calls
}
