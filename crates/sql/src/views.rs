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
        name: "host_facts",
        meaning: "Every host of every session: when, what and with which versions it ran, its steps and \
                  waiting, its clock, and what is missing; as in `hosts`, `sessions` and `overview`",
        query: HOST_FACTS,
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

/// Facts of the environment that differ between hosts have the host's name in parentheses. A clock is
/// that of `hosts_clocks`; `wait_ratio` is the share of its steps that a host waited for others.
const HOST_FACTS: &str = "\
select h.session, s.captured_at, s.program, s.tags, s.git_commit, s.chip, \
       coalesce(own.jax_version, same.jax_version) as jax_version, \
       coalesce(own.jaxlib_version, same.jaxlib_version) as jaxlib_version, \
       coalesce(own.driver_version, same.driver_version) as driver_version, \
       h.host, h.device_count, h.working_count, h.step_count, h.step_ps, h.busy_ps, \
       h.collectives_ps, h.input_wait_ps, h.host_overhead_ps, h.idle_ps, \
       h.wait_ps, h.wait_ps / nullif(h.step_ps * h.step_count, 0) as wait_ratio, \
       h.caused_ps, h.last_count, h.lateness_ps, h.is_straggler, \
       c.recorded_ps as started_after_ps, c.offset_ps as clock_offset_ps, \
       c.drift_ppm as clock_drift_ppm, d.what as dropped_events, h.problem \
from hosts h \
left join sessions s on s.session = h.session \
left join hosts_clocks c on c.session = h.session and c.host = h.host \
left join (select session, max(what) as what from verdict \
           where id = 'events_dropped' group by session) d on d.session = h.session \
left join (select session, \
                  max(case name when 'jax_version' then value end) as jax_version, \
                  max(case name when 'jaxlib_version' then value end) as jaxlib_version, \
                  max(case name when 'cuda_driver_version' then value end) as driver_version \
           from overview_environment group by session) same on same.session = h.session \
left join (select session, rtrim(split_part(name, ' (', 2), ')') as host, \
                  max(case split_part(name, ' (', 1) when 'jax_version' then value end) \
                  as jax_version, \
                  max(case split_part(name, ' (', 1) when 'jaxlib_version' then value end) \
                  as jaxlib_version, \
                  max(case split_part(name, ' (', 1) when 'cuda_driver_version' then value end) \
                  as driver_version \
           from overview_environment where name like '%version (%' group by 1, 2) own \
       on own.session = h.session and own.host = h.host";
