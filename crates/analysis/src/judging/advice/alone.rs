//! How long nothing runs on a device but some ops: what a step gains if they are gone.
//!
//! ```text
//! copies   [====][====]      [======]
//! others        [==========]     [======]
//! alone    [====]            [===]
//! ```

use rustc_hash::{FxHashMap, FxHashSet};
use stepscope_model::{DeviceId, OpId, Span};

use super::facts::Facts;
use crate::measuring::interval::Intervals;
use crate::measuring::work::{NO_LEVEL, add_levels, positions_by};
use crate::views::ops::OpRow;

/// Levels of ops.
const OWN: u8 = 0;
const OTHER: u8 = 1;

impl Facts<'_> {
    /// Time per step and device in which none but the ops that `passes` accepts run. An op whose work is
    /// in its body, which `is_around` accepts, runs nothing itself.
    pub(super) fn alone_per_step(
        &self,
        passes: impl Fn(&OpRow) -> bool,
        is_around: impl Fn(&OpRow) -> bool,
    ) -> Option<f64> {
        let ids = |accepts: &dyn Fn(&OpRow) -> bool| -> FxHashSet<OpId> {
            let own = self.ops.ops.iter().filter(|op| accepts(&op.row));
            own.filter_map(|op| op.op).collect()
        };
        let (own, around) = (ids(&passes), ids(&is_around));
        let labels = self.session.labels.iter();
        let level_of: Vec<u8> = labels
            .map(|label| match label.op {
                _ if !label.kind.is_work() => NO_LEVEL,
                Some(op) if own.contains(&op) => OWN,
                Some(op) if around.contains(&op) => NO_LEVEL,
                _ => OTHER,
            })
            .collect();
        self.step_ps?;
        let rows = self.rows();
        let mut alone_ps: FxHashMap<(DeviceId, Span), i64> = FxHashMap::default();
        for (device, positions) in positions_by(rows, |row| row.device) {
            let Some(device) = device else {
                continue;
            };
            let spans: Vec<Span> = positions.iter().map(|&at| rows[at].span).collect();
            let alone = self.alone_on(device, &level_of, &Intervals::union_of(spans.clone()));
            let lengths = spans.iter().map(|&span| alone.duration_within(span).0);
            let places = spans.iter().map(|&span| (device, span));
            alone_ps.extend(places.zip(lengths));
        }
        self.mean(|row| {
            let length = row.device.and_then(|id| alone_ps.get(&(id, row.span)));
            length.copied().unwrap_or(0) as f64
        })
    }

    fn alone_on(&self, device: DeviceId, level_of: &[u8], windows: &Intervals) -> Intervals {
        let mut spans = vec![Vec::new(), Vec::new()];
        for (_, track) in self.session.work_tracks(device) {
            add_levels(&track, level_of, windows.spans(), &mut spans);
        }
        let mut levels = spans.into_iter().map(Intervals::union_of_sorted);
        let own = levels.next().unwrap_or_default();
        own.subtract(&levels.next().unwrap_or_default())
    }
}
