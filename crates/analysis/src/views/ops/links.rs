//! How long the links of a chip need for a collective.
//!
//! With `n` devices, `S` bytes (see [`payload`]) and a link of `B` bytes per second one way:
//!
//! | Exchange | on TPU: a closed ring of one mesh axis, both ways | on GPU: all links to the others |
//! |---|---|---|
//! | all-gather, reduce-scatter | ⌊n ÷ 2⌋ hops × (S ÷ n) ÷ B | (n − 1) ÷ n × S ÷ B |
//! | all-reduce | twice that | twice that |
//! | all-to-all | n × S ÷ (8 B) | (n − 1) ÷ n × S ÷ B |
//! | permute | S ÷ B: one hop | S ÷ B |
//!
//! Sources: How to Scale Your Model, sharded matrices (TPU), and the bus bandwidths of nccl-tests
//! (GPU). A group that spans several axes of a torus has more links and can be faster.

use stepscope_model::hlo::{Collective, Instruction};
use stepscope_model::{CollectiveKind, Device, DeviceKind, Session};

use super::run::Run;
use crate::telling::format;

/// What is known of the time of an exchange.
pub(crate) enum Exchange {
    /// Its links are known.
    Takes {
        /// Of one execution.
        seconds: f64,
        /// The left side of the equation.
        sentence: String,
    },
    /// They are not; why.
    Unknown(String),
}

/// What the links need for an op; none if it does not communicate.
pub(super) fn exchange(run: &Run<'_>, instruction: &Instruction) -> Option<Exchange> {
    let program = run.session.program(run.op.program).hlo.as_ref()?;
    let collective = program.collective(instruction)?;
    let found = time(run, &collective);
    Some(
        found.map_or_else(Exchange::Unknown, |(seconds, sentence)| Exchange::Takes {
            seconds,
            sentence,
        }),
    )
}

fn time(run: &Run<'_>, collective: &Collective<'_>) -> Result<(f64, String), String> {
    if collective.is_async {
        return Err("it is asynchronous, and the exchange runs between its two halves".to_owned());
    }
    let device = run.devices.first();
    let device = device.ok_or_else(|| "no device ran it".to_owned())?;
    needed(run.session, run.session.device(*device), collective)
}

/// Seconds that the links need for one execution on a device, and the left side of the equation; or
/// why they are unknown.
pub(crate) fn needed(
    session: &Session,
    device: &Device,
    collective: &Collective<'_>,
) -> Result<(f64, String), String> {
    let Some(n) = collective.group_size() else {
        return Err("the program does not say which devices take part".to_owned());
    };
    let bytes = payload(collective, n);
    let kind = collective.kind;
    let name = kind.name();
    let group = format!("{name} of {} over {n} devices", format::bytes(bytes));
    let chip = &device.chip;
    if matches!(device.kind, DeviceKind::Tpu | DeviceKind::SparseCore) {
        let Some(link) = chip.link_bandwidth() else {
            return Err(format!(
                "no bandwidth of the links of {} is known",
                chip.name
            ));
        };
        let ways = ring(kind, n).ok_or_else(|| format!("no formula for {name}"))?;
        let rate = format::rate(link.per_second, "B/s");
        return Ok((
            bytes * ways / link.per_second,
            format!(
                "{group}: {} ÷ {rate} per link, a closed ring both ways on one axis",
                format::bytes(bytes * ways)
            ),
        ));
    }
    let Some(links) = &chip.peer_link else {
        return Err(format!(
            "no bandwidth of the links of {} is known",
            chip.name
        ));
    };
    if !is_within_host(session, n, device.host.index()) {
        return Err(
            "its devices are not all on one host, and no bandwidth between hosts is known"
                .to_owned(),
        );
    }
    let share = bus(kind, n).ok_or_else(|| format!("no formula for {name}"))?;
    let rate = format::rate(links.per_second, "B/s");
    Ok((
        bytes * share / links.per_second,
        format!(
            "{group}: {} ÷ {rate} of all links to other devices",
            format::bytes(bytes * share)
        ),
    ))
}

/// The whole array of an all-gather, else the operands on one device.
fn payload(collective: &Collective<'_>, n: u64) -> f64 {
    let operands = collective.operand_bytes as f64;
    match collective.kind {
        CollectiveKind::AllGather => operands * n as f64,
        _ => operands,
    }
}

/// Share of the bytes that crosses the busiest link in one direction.
fn ring(kind: CollectiveKind, n: u64) -> Option<f64> {
    let hops = (n / 2) as f64 / n.max(1) as f64;
    match kind {
        CollectiveKind::AllGather | CollectiveKind::ReduceScatter => Some(hops),
        CollectiveKind::AllReduce => Some(2.0 * hops),
        CollectiveKind::AllToAll if n > 1 => Some(n as f64 / 8.0),
        CollectiveKind::AllToAll => Some(0.0),
        CollectiveKind::Permute => Some(1.0),
        _ => None,
    }
}

/// Bytes that each device sends ÷ the bytes of the exchange.
fn bus(kind: CollectiveKind, n: u64) -> Option<f64> {
    let others = n.saturating_sub(1) as f64 / n.max(1) as f64;
    match kind {
        CollectiveKind::AllGather | CollectiveKind::ReduceScatter | CollectiveKind::AllToAll => {
            Some(others)
        }
        CollectiveKind::AllReduce => Some(2.0 * others),
        CollectiveKind::Permute => Some(1.0),
        _ => None,
    }
}

/// Whether the devices of a group can all be on the host: it is the only one, and has that many.
fn is_within_host(session: &Session, n: u64, host: usize) -> bool {
    let devices = session.devices.iter();
    let own = devices.filter(|device| device.host.index() == host && device.kind.is_gpu());
    session.hosts.len() == 1 && own.count() as u64 >= n
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_send_what_the_scaling_book_says() {
        // V ÷ W with W both ways: half of V crosses each link one way.
        assert_eq!(ring(CollectiveKind::ReduceScatter, 8), Some(0.5));
        assert_eq!(ring(CollectiveKind::AllReduce, 8), Some(1.0));
        // Eight devices with S each: 8 S ÷ (4 W) is S over one link one way.
        assert_eq!(ring(CollectiveKind::AllToAll, 8), Some(1.0));
        // Three: one hop each way.
        let three = ring(CollectiveKind::AllGather, 3).expect("a formula");
        assert!((three - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(ring(CollectiveKind::AllGather, 1), Some(0.0));
        assert_eq!(bus(CollectiveKind::AllReduce, 8), Some(1.75));
        assert_eq!(bus(CollectiveKind::Broadcast, 8), None);
    }
}
