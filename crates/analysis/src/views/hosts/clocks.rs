//! Rows for the clocks of the hosts.

use stepscope_model::Session;

use super::report::ClockRow;
use crate::measuring::selection::Selected;
use crate::views::collectives::clocks::Clocks;

pub(super) fn rows(session: &Session, selected: &Selected<'_>, clocks: &Clocks) -> Vec<ClockRow> {
    let row = |&host: &stepscope_model::HostId| {
        let clock = clocks.hosts[host.index()];
        let is_known = clock.reference.is_some();
        let known = |value: f64| is_known.then_some(value);
        ClockRow {
            host: session.host(host).name.clone(),
            reference: clock
                .reference
                .map(|reference| session.host(reference).name.clone())
                .unwrap_or_default(),
            offset_ps: known(clock.offset_ps),
            drift_ppm: known(clock.drift * 1e6),
            residual_ps: known(clock.residual_ps),
            max_residual_ps: known(clock.max_residual_ps),
            matched_count: clock.matched_count,
            recorded_ps: session.host(host).offset.0,
        }
    };
    selected.hosts.iter().map(row).collect()
}
