//! When a session was captured, and what the capture says of its hosts.

use crate::session::{Host, Session};
use crate::units::{Picos, Span};

impl Session {
    /// What was captured: [`Self::extent`] without what the profiler itself did after it had stopped, such
    /// as collecting events, which lies in the Python frames that called it. Work of a device counts always.
    pub fn captured(&self) -> Option<Span> {
        let extent = self.extent()?;
        let of_device = self.tracks.iter().filter(|track| track.device.is_some());
        let work_end = of_device
            .filter_map(|track| Some(track.extent()?.end))
            .max();
        let end = self
            .stopped()
            .map(|stopped| stopped.max(work_end.unwrap_or(stopped)));
        let end = end.filter(|&end| end > extent.start);
        Some(Span::new(
            extent.start,
            end.map_or(extent.end, |end| end.min(extent.end)),
        ))
    }

    /// When the last host's profiler was stopped, if all recorded it.
    fn stopped(&self) -> Option<Picos> {
        let epoch_ns = self.epoch_ns?;
        let stops = self.hosts.iter().map(|host| {
            let (start, stop) = host.profile_epoch_ns?;
            let since_ns = i64::try_from(stop.checked_sub(epoch_ns)?).ok()?;
            (stop > start).then(|| Picos::from_nanos(since_ns))
        });
        stops.collect::<Option<Vec<Picos>>>()?.into_iter().max()
    }
}

impl Host {
    /// A recorded fact.
    pub fn fact(&self, name: &str) -> Option<&str> {
        let found = self.facts.iter().find(|fact| fact.0 == name);
        found.map(|fact| fact.1.as_str())
    }

    /// A recorded fact that is a number.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.fact(name)?.parse().ok()
    }

    /// Whether its threads were recorded, as far as the capture says: not if host tracing was off.
    pub fn records_threads(&self) -> bool {
        self.number("option host_tracer_level") != Some(0)
    }
}
