/** Columns of the table of what was alive at the peak. */
import { Show } from 'solid-js';

import { hrefTo } from '../../shell/state';
import { formatRange, formatSliceRef } from '../../timeline/address';
import { ShareCell } from '../../widgets/bars';
import { Middle } from '../../widgets/middle';
import { SourceText } from '../../widgets/source-text';
import type { AliveRow } from '../../wire/generated/AliveRow';
import { declared } from '../../widgets/table/declared';

const KINDS: Record<string, string> = {
  before_window: 'allocated before the recording',
  reserved: 'reserved for programs',
  unexplained: 'unrecorded deallocations',
};

/** The name of a row. */
export function nameOf(row: AliveRow): string {
  return KINDS[row.kind] ?? (row.op || row.caller || 'allocation');
}

function timelineOf(row: AliveRow): string | null {
  if (!row.slice || row.allocated_ps === null) return null;
  const margin = 50_000_000;
  const window = { startPs: row.allocated_ps - margin, endPs: row.allocated_ps + margin };
  const params = { window: formatRange(window), slice: formatSliceRef(row.slice) };
  return hrefTo({ view: 'timeline', params });
}

export const ALIVE = declared<AliveRow>('memory.rows', [
  {
    key: 'name',
    title: 'Owner',
    figure: 'memory.name',
    width: 300,
    value: nameOf,
    isCode: true,
    cell: (row) => <Middle text={nameOf(row)} isCode={!(row.kind in KINDS)} />,
  },
  {
    key: 'bytes',
    width: 104,
    value: (row) => row.bytes,
  },
  {
    key: 'ratio',
    width: 140,
    value: (row) => row.ratio,
    cell: (row, scale) => <ShareCell ratio={Math.max(0, row.ratio)} text={scale.text(row.ratio)} />,
  },
  { key: 'count', width: 76, value: (row) => row.count || null },
  {
    key: 'caller',
    width: 220,
    value: (row) => row.caller,
    cell: (row) => <Middle text={row.caller || '–'} isCode />,
    isOptional: true,
  },
  {
    key: 'source',
    width: 200,
    value: (row) => row.source,
    cell: (row) => <SourceText text={row.source} />,
    isOptional: true,
  },
  { key: 'shape', width: 160, value: (row) => row.shape, isOptional: true },
  { key: 'data_type', width: 70, value: (row) => row.data_type, isOptional: true },
  { key: 'region', width: 90, value: (row) => row.region, isOptional: true },
  {
    key: 'allocated_ps',
    width: 120,
    scale: 'when',
    value: (row) => row.allocated_ps,
    cell: (row, scale) => (
      <Show when={timelineOf(row)} fallback={<>–</>}>
        {(href) => <a href={href()}>{scale.text(row.allocated_ps)}</a>}
      </Show>
    ),
  },
  {
    key: 'allocated_step',
    width: 70,
    value: (row) => row.allocated_step,
    isOptional: true,
  },
  {
    key: 'freed_ps',
    width: 110,
    scale: 'when',
    value: (row) => row.freed_ps,
    isOptional: true,
  },
]);
