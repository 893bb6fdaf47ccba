/** Columns of the table of collectives, and links from its rows to the timeline. */
import { Show } from 'solid-js';

import { MISSING } from '../../format/numbers';
import { CLASS_COLORS } from '../../format/palette';
import { hrefTo, type SelectionKey } from '../../shell/state';
import { formatRange, formatSliceRef } from '../../timeline/address';
import { DividedBar } from '../../widgets/bars';
import { Middle } from '../../widgets/middle';
import { SourceText } from '../../widgets/source-text';
import type { CollectiveRow } from '../../wire/generated/CollectiveRow';
import type { SliceRefReport } from '../../wire/generated/SliceRefReport';
import { EXPOSED_COLOR, HIDDEN_COLOR } from './bars';
import { declared } from '../../widgets/table/declared';

/** Something with a position in the timeline. */
export interface Placed {
  start_ps: number;
  duration_ps: number;
  slice: SliceRefReport;
}

/** Timeline parameters that show it with some time around it. */
export function timelineAt(row: Placed): Record<string, string> {
  const around = Math.max(row.duration_ps * 0.5, 1e6);
  return {
    window: formatRange({
      startPs: row.start_ps - around,
      endPs: row.start_ps + row.duration_ps + around,
    }),
    slice: formatSliceRef(row.slice),
  };
}

const REASONS: Record<string, string> = {
  late_participant: 'Late participant',
  synchronous: 'Synchronous',
  nothing_scheduled: 'Little compute to overlap',
  compute_shorter: 'Compute too short',
};

/** The op in the table of ops. */
function OpLink(props: { name: string; programId: string }) {
  const href = () =>
    hrefTo({
      view: 'ops',
      params: {
        q: `^${props.name.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')}$`,
        ...(props.programId ? { program: props.programId } : {}),
      } as Record<SelectionKey | 'q', string>,
    });
  return (
    <a class="collective-name" href={href()} onClick={(event) => event.stopPropagation()}>
      <span class="swatch" style={{ background: CLASS_COLORS.collective }} />
      <Middle text={props.name} isCode />
    </a>
  );
}

export const COLLECTIVES = declared<CollectiveRow>('collectives.rows', [
  {
    key: 'name',
    width: 240,
    value: (row) => row.name,
    cell: (row) => <OpLink name={row.name} programId={row.program_id} />,
  },
  { key: 'kind', width: 116, value: (row) => row.kind },
  {
    key: 'exposed_ps',
    width: 112,
    scale: 'time',
    value: (row) => row.exposed_ps,
  },
  {
    key: 'split',
    title: 'Exposed / hidden',
    figure: 'collectives.rows.exposed_ps',
    width: 130,
    value: () => null,
    cell: (row) => (
      <DividedBar
        total={row.total_ps}
        pieces={[
          { title: 'Exposed', value: row.exposed_ps, color: EXPOSED_COLOR },
          { title: 'Hidden', value: row.hidden_ps, color: HIDDEN_COLOR },
        ]}
      />
    ),
  },
  {
    key: 'hidden_ps',
    width: 92,
    scale: 'time',
    value: (row) => row.hidden_ps,
  },
  {
    key: 'wait_ps',
    width: 92,
    scale: 'time',
    value: (row) => row.wait_ps,
    isOptional: true,
  },
  {
    key: 'transfer_ps',
    width: 108,
    scale: 'time',
    value: (row) => row.transfer_ps,
    isOptional: true,
  },
  {
    key: 'reason',
    width: 190,
    value: (row) => row.reason,
    cell: (row) => <span>{REASONS[row.reason] ?? '–'}</span>,
  },
  {
    key: 'occurrences',
    width: 74,
    value: (row) => row.occurrences,
  },
  {
    key: 'mean_ps',
    width: 88,
    scale: 'one',
    value: (row) => row.mean_ps,
  },
  {
    key: 'max_ps',
    width: 104,
    scale: 'one',
    value: (row) => row.max_ps,
  },
  {
    key: 'bytes',
    width: 92,
    value: (row) => row.bytes,
    isOptional: true,
  },
  {
    key: 'group_size',
    width: 70,
    value: (row) => row.group_size,
    isOptional: true,
  },
  {
    key: 'mesh_axes',
    width: 150,
    value: (row) => row.mesh_axes,
    cell: (row) => (
      <span data-tip={row.groups || undefined}>
        {row.mesh_axes || '–'}
        <Show when={row.is_mesh_guessed}>
          <span class="muted"> guessed</span>
        </Show>
      </span>
    ),
    isOptional: true,
  },
  {
    key: 'bus_bandwidth',
    width: 120,
    value: (row) => row.bus_bandwidth,
    isOptional: true,
  },
  {
    key: 'transfer_bandwidth',
    width: 124,
    value: (row) => row.transfer_bandwidth,
    isOptional: true,
  },
  {
    key: 'link_ratio',
    width: 80,
    value: (row) => row.link_ratio,
    isOptional: true,
  },
  {
    key: 'expected_ps',
    width: 96,
    scale: 'time',
    value: (row) => row.expected_ps,
    cell: (row, scale) => (
      <span data-tip={row.expectation}>{scale.text(row.expected_ps)}</span>
    ),
    isOptional: true,
  },
  {
    key: 'times_expected',
    width: 120,
    value: (row) => row.times_expected,
    isOptional: true,
  },
  {
    key: 'overlap_ps',
    width: 100,
    scale: 'time',
    value: (row) => row.overlap_ps,
    isOptional: true,
  },
  {
    key: 'algorithm',
    width: 100,
    value: (row) => row.algorithm,
    isOptional: true,
  },
  {
    key: 'source',
    width: 150,
    value: (row) => row.source,
    cell: (row) => <SourceText text={row.source} />,
    isOptional: true,
  },
  {
    key: 'scope',
    width: 240,
    value: (row) => row.scope,
    cell: (row) => <Middle text={row.scope || MISSING} isCode />,
    isCode: true,
    isOptional: true,
  },
  { key: 'program', width: 160, value: (row) => row.program, isOptional: true },
]);
