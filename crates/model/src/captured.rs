//! When a session was captured.

use crate::session::Session;
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
