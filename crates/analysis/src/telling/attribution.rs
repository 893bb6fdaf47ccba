//! Attribution: which share of device time has an op, and how the op was found.
//!
//! All surfaces use the same definition: Σ self time of the slices whose op was found in one way ÷ Σ
//! self time of all slices that count.

use serde::Serialize;
use stepscope_model::{Attribution, Label, Session};
use ts_rs::TS;

use crate::measuring::totals::WorkTotals;
use crate::telling::format;

/// Device time whose ops were found in the same way.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct AttributionShare {
    /// How the op was found: `recorded`, `exact_name`, `between_anchors`, `by_order`, or `none` if no op
    /// is known.
    pub attribution: String,
    /// Self time that was attributed in this way.
    #[ts(type = "number")]
    pub self_ps: i64,
    /// Self time attributed in this way ÷ all self time that the list covers, 0..1.
    pub ratio: f64,
}

/// Shares of the work whose label is counted, most reliable way first. Ways that do not occur are
/// omitted; without any time the list is empty.
pub(crate) fn shares(
    session: &Session,
    totals: &[WorkTotals],
    is_counted: impl Fn(&Label) -> bool,
) -> Vec<AttributionShare> {
    let mut sums = [0i64; Attribution::ALL.len()];
    for (id, totals) in totals.iter().flat_map(|totals| &totals.labels) {
        let label = session.label(*id);
        if is_counted(label) {
            let sum = &mut sums[label.attribution as usize];
            *sum = sum.saturating_add(totals.self_ps);
        }
    }
    let all_ps: i64 = sums.iter().copied().fold(0, i64::saturating_add);
    let ways = Attribution::ALL.into_iter().zip(sums);
    ways.filter(|&(_, self_ps)| self_ps > 0)
        .map(|(attribution, self_ps)| AttributionShare {
            attribution: attribution.name().to_owned(),
            self_ps,
            ratio: self_ps as f64 / all_ps as f64,
        })
        .collect()
}

/// Share of the time that has an op, however it was found; none without any time.
pub(crate) fn covered_ratio(shares: &[AttributionShare]) -> Option<f64> {
    let (mut all_ps, mut covered_ps) = (0i64, 0i64);
    for share in shares {
        all_ps = all_ps.saturating_add(share.self_ps);
        if share.attribution != Attribution::None.name() {
            covered_ps = covered_ps.saturating_add(share.self_ps);
        }
    }
    (all_ps > 0).then(|| covered_ps as f64 / all_ps as f64)
}

/// Names of the ways, for a row with several of them.
pub(crate) fn words(ways: &[Attribution]) -> String {
    let words: Vec<&str> = ways.iter().map(|way| way.name()).collect();
    words.join(", ")
}

/// `97.5 % (recorded 80.1 %, by order 17.4 %)`: the share that has an op, and how ops were found unless
/// all were recorded; none without any time.
pub(crate) fn sentence(shares: &[AttributionShare]) -> Option<String> {
    let covered = format::percent(covered_ratio(shares)?);
    let ways: Vec<String> = shares
        .iter()
        .filter(|share| share.attribution != Attribution::None.name())
        .map(|share| {
            let way = share.attribution.replace('_', " ");
            format!("{way} {}", format::percent(share.ratio))
        })
        .collect();
    let is_all_recorded = shares.iter().all(|share| {
        share.attribution == Attribution::Recorded.name()
            || share.attribution == Attribution::None.name()
    });
    Some(if is_all_recorded {
        covered
    } else {
        format!("{covered} ({})", ways.join(", "))
    })
}
