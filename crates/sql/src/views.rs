//! Views: questions that people ask often, as tables of their own. Each is a query over the tables.

/// A view.
#[derive(Debug, Clone, Copy)]
pub struct SqlView {
    /// Its name.
    pub name: &'static str,
    /// What a row is, and where the figures are defined.
    pub meaning: &'static str,
    /// Its query.
    pub query: &'static str,
}

/// All views, by name.
pub const VIEWS: &[SqlView] = &[
    SqlView {
        name: "device_gaps",
        meaning: "Every gap between the work of a device that is long enough to have a cause, with \
                  what the host did; as in `idle`",
        query: "select session, device, step, start_ps, duration_ps, cause, what, annotation \
                from idle_rows",
    },
    SqlView {
        name: "exposed_communication",
        meaning: "Every collective with the time in which its device does nothing else; as in \
                  `collectives`",
        query: "select session, name, kind, occurrences, exposed_ps, hidden_ps, total_ps, \
                exposed_ps / nullif(cast(total_ps as double), 0) as exposed_ratio, bytes, mesh_axes \
                from collectives",
    },
    SqlView {
        name: "mfu",
        meaning: "MFU and HFU of every session: of the mean step, every step and every program; as \
                  in `roofline`",
        query: "select session, kind, name, total_ps, mfu_ratio, compute_ratio as hfu_ratio, flops, \
                needed_flops from roofline_scopes",
    },
    SqlView {
        name: "op_time",
        meaning: "Time of ops by category; as in `ops`",
        query: "select session, category, sum(self_ps) as self_ps, sum(occurrences) as occurrences, \
                count(*) as op_count from ops group by session, category",
    },
    SqlView {
        name: "step_parts",
        meaning: "The parts of the mean step, which add up to it; as in `overview`",
        query: "select session, part, mean_ps, ratio from overview",
    },
    SqlView {
        name: "step_times",
        meaning: "Every step of every session; as in `overview`",
        query: "select session, step, start_ps, duration_ps, idle_ps, collectives_ps, is_outlier \
                from overview_step_series",
    },
];
