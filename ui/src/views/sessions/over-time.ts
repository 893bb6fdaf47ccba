/** The sessions of the list as points over time: which figures there are, and what colors mean. */
import type { Kind } from '../../format/numbers';
import type { SessionSummary } from '../../wire/types';
import { groupsOf } from './known';
import { measuredOf } from './measured';

export interface SessionFigure {
  key: string;
  title: string;
  kind: Kind;
  value: (session: SessionSummary) => number | null;
}

export const FIGURES: readonly SessionFigure[] = [
  {
    key: 'step_ps',
    title: 'Step time',
    kind: 'duration',
    value: (session) => measuredOf(session)?.step_ps ?? null,
  },
  {
    key: 'step_max_ps',
    title: 'Longest step',
    kind: 'duration',
    value: (session) => session.step_max_ps,
  },
  { key: 'mfu_ratio', title: 'MFU', kind: 'ratio', value: (session) => session.mfu_ratio },
  {
    key: 'device_busy_ratio',
    title: 'Device busy',
    kind: 'ratio',
    value: (session) => session.device_busy_ratio,
  },
  { key: 'step_count', title: 'Steps', kind: 'count', value: (session) => session.step_count },
  {
    key: 'duration_ps',
    title: 'Duration',
    kind: 'duration',
    value: (session) => session.duration_ps,
  },
  { key: 'size_bytes', title: 'Size', kind: 'bytes', value: (session) => session.size_bytes },
];

/** What sessions are grouped by: keys of the table's columns. */
export const GROUPS: readonly { key: string; title: string; names: (session: SessionSummary) => string }[] =
  [
    { key: 'program', title: 'program', names: (session) => session.program },
    { key: 'tags', title: 'tags', names: (session) => session.tags.join(', ') },
    { key: 'git_commit', title: 'commit', names: (session) => session.git_commit?.slice(0, 10) ?? '' },
    { key: 'devices', title: 'devices', names: (session) => session.devices },
    { key: 'verdict', title: 'verdict', names: (session) => session.verdict },
    { key: 'kind', title: 'kind', names: (session) => session.kind },
  ];

/** Groups by what only opening tells. */
const NEED_OPENING = new Set(['program', 'devices']);

export interface SessionPoint {
  session: SessionSummary;
  /** Milliseconds since 1970. */
  atMs: number;
  value: number;
  series: number;
}

export interface SessionPoints {
  /** In time order. */
  points: SessionPoint[];
  /** Names of groups, those with most sessions first; empty without groups. */
  series: string[];
  /** Sessions without the figure or a time. */
  leftOut: number;
}

/** When it was captured, as far as that is known; else when its files changed. */
export const timeOf = (session: SessionSummary): number | null =>
  session.captured_epoch_ms ?? session.modified_epoch_ms;

export function pointsOf(
  sessions: readonly SessionSummary[],
  figure: SessionFigure,
  groupKey: string | undefined,
): SessionPoints {
  const group = GROUPS.find(({ key }) => key === groupKey);
  const nameOf = (session: SessionSummary) => {
    const name = group?.names(session) ?? '';
    return name || (NEED_OPENING.has(group?.key ?? '') && groupsOf(session, '')[0]) || '–';
  };
  const known = sessions.flatMap((session) => {
    const [atMs, value] = [timeOf(session), figure.value(session)];
    return atMs === null || value === null ? [] : [{ session, atMs, value }];
  });
  const counts = new Map<string, number>();
  if (group) {
    for (const { session } of known) {
      const name = nameOf(session);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  const series = [...counts].sort((one, other) => other[1] - one[1]).map(([name]) => name);
  const positions = new Map(series.map((name, at) => [name, at]));
  const points = known
    .map((point) => ({ ...point, series: group ? (positions.get(nameOf(point.session)) ?? 0) : 0 }))
    .sort((one, other) => one.atMs - other.atMs);
  return { points, series, leftOut: sessions.length - points.length };
}
