/** The columns of the table of regions. */
import { plural } from '../../format/numbers';
import { hrefTo } from '../../shell/state';
import { formatSliceRef } from '../../timeline/address';
import { timelineParams } from '../../timeline/link';
import { ShareCell } from '../../widgets/bars';
import { Middle } from '../../widgets/middle';
import { SourceText } from '../../widgets/source-text';
import type { RegionRow } from '../../wire/generated/RegionRow';
import { KIND_COLORS, kindOf } from './frames';
import { declared } from '../../widgets/table/declared';

/** Timeline parameters of an occurrence: its slice, selected, and the time around it. */
export function placeOf(
  row: RegionRow,
  which: 'first' | 'longest',
): Record<string, string> | null {
  const place = row[which];
  if (place === null) return null;
  const { window } = timelineParams(place.start_ps, place.duration_ps);
  return { ...(window ? { window } : {}), slice: formatSliceRef(place.slice) };
}

function Occurrence(props: { row: RegionRow; which: 'first' | 'longest'; text: string }) {
  const place = () => placeOf(props.row, props.which);
  const href = () => {
    const params = place();
    return params ? hrefTo({ view: 'timeline', params }) : undefined;
  };
  return (
    <a
      href={href()}
      data-tip={`Show the ${props.which} occurrence on the timeline`}
      onClick={(event) => event.stopPropagation()}
    >
      {props.text}
    </a>
  );
}

export function Kind(props: { row: RegionRow }) {
  return (
    <span class="region-kind">
      <span class="swatch" style={{ background: `var(--${KIND_COLORS[kindOf(props.row)]})` }} />
      {props.row.kind}
    </span>
  );
}

export const columns = declared<RegionRow>('regions.rows', [
  {
    key: 'name',
    width: 240,
    value: (row) => row.name,
    cell: (row) => (
      <span class="region-name">
        <Middle text={row.name} isCode />
        {row.name_count > 1 && <span class="muted">{plural(row.name_count, 'name')}</span>}
      </span>
    ),
  },
  {
    key: 'kind',
    width: 104,
    value: (row) => row.kind,
    cell: (row) => <Kind row={row} />,
  },
  {
    key: 'count',
    width: 78,
    value: (row) => row.count,
  },
  {
    key: 'total_ps',
    width: 92,
    scale: 'time',
    value: (row) => row.total_ps,
  },
  {
    key: 'self_ps',
    width: 92,
    scale: 'time',
    value: (row) => row.self_ps,
  },
  {
    key: 'ratio',
    width: 122,
    value: (row) => row.ratio,
    cell: (row, scale) => <ShareCell ratio={row.ratio} text={scale.text(row.ratio)} />,
  },
  {
    key: 'step_ps',
    width: 92,
    scale: 'one',
    value: (row) => row.step_ps,
    isOptional: true,
  },
  {
    key: 'mean_ps',
    width: 86,
    scale: 'one',
    value: (row) => row.mean_ps,
  },
  {
    key: 'p95_ps',
    width: 86,
    scale: 'one',
    value: (row) => row.p95_ps,
  },
  {
    key: 'longest_ps',
    width: 96,
    scale: 'one',
    value: (row) => row.longest?.duration_ps ?? null,
    cell: (row, scale) => (
      <Occurrence row={row} which="longest" text={scale.text(row.longest?.duration_ps ?? null)} />
    ),
  },
  {
    key: 'first_start_ps',
    width: 96,
    value: (row) => row.first?.start_ps ?? null,
    cell: (row, scale) => (
      <Occurrence row={row} which="first" text={scale.text(row.first?.start_ps ?? null)} />
    ),
  },
  {
    key: 'device_ps',
    width: 112,
    value: (row) => row.device_ps,
    isOptional: true,
  },
  {
    key: 'thread',
    width: 130,
    value: (row) => row.thread || plural(row.thread_count, 'thread'),
  },
  {
    key: 'source',
    width: 170,
    value: (row) => row.source || null,
    cell: (row) => <SourceText text={row.source} />,
    isOptional: true,
  },
  {
    key: 'step_count',
    width: 128,
    value: (row) => row.step_count,
    isOptional: true,
  },
]);
