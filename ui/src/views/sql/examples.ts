/** Queries to start with. */

export interface Example {
  question: string;
  query: string;
  /** Parameters of the address that show its chart. */
  chart?: 'bar' | 'line' | 'scatter';
  /** Whether it needs more than one session. */
  isOfSeveral?: boolean;
}

export const EXAMPLES: readonly Example[] = [
  {
    question: 'Which ops take the most time?',
    query: `select session, name, category, occurrences, self_ps
from ops
order by self_ps desc
limit 20`,
  },
  {
    question: 'How did step time change over the run?',
    query: `select session, step, start_ps, duration_ps, collectives_ps
from step_times
order by session, step`,
    chart: 'line',
  },
  {
    question: 'What did the host do in the longest gaps of devices?',
    query: `select session, device, step, start_ps, duration_ps, cause, what
from device_gaps
order by duration_ps desc
limit 100`,
  },
  {
    question: 'Which collectives cost time that computation does not hide?',
    query: `select session, name, kind, occurrences, exposed_ps, hidden_ps, exposed_ratio
from exposed_communication
order by exposed_ps desc
limit 50`,
  },
  {
    question: 'Which scopes take the most device time, two levels deep?',
    query: `select scope_prefix(scope, 2) as scope, sum(self_ps) as self_ps
from slices
where role = 'ops'
group by 1
order by 2 desc
limit 30`,
    chart: 'bar',
  },
  {
    question: 'How much of its time is each device busy?',
    query: `select session, device,
  union_ps(start_ps, duration_ps) as busy_ps,
  max(start_ps + duration_ps) - min(start_ps) as window_ps
from slices
where role = 'ops'
group by session, device
order by session, device`,
  },
  {
    question: 'Which ops take longer on one device than on another?',
    query: `select session, name, min(self_ps) as least_ps, max(self_ps) as most_ps,
  max(self_ps) - min(self_ps) as spread_ps
from ops('by=device')
group by session, name
order by spread_ps desc
limit 30`,
  },
  {
    question: 'Which sessions are slowest, and what is their MFU?',
    query: `select session, chip, device_count, step_count, step_ps, mfu_ratio, device_busy_ratio
from sessions
order by step_ps desc nulls last`,
    isOfSeveral: true,
  },
  {
    question: 'What was the slowest step of each session?',
    query: `select session, step, start_ps, duration_ps
from (
  select *, row_number() over (partition by session order by duration_ps desc) as place
  from step_times
)
where place = 1
order by duration_ps desc`,
    isOfSeveral: true,
  },
  {
    question: 'Which ops differ most between sessions?',
    query: `select name, count(distinct session) as sessions, min(self_ps) as least_ps,
  max(self_ps) as most_ps
from ops
group by name
having count(distinct session) > 1
order by max(self_ps) - min(self_ps) desc
limit 50`,
    isOfSeveral: true,
  },
];
