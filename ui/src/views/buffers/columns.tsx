/** Columns of the tables of a memory plan, and the names of its categories. */
import { Show } from 'solid-js';

import { formatBytes, formatRatio } from '../../format/numbers';
import { hrefTo } from '../../shell/state';
import { ShareCell } from '../../widgets/bars';
import { Middle } from '../../widgets/middle';
import { SourceText } from '../../widgets/source-text';
import type { Column } from '../../widgets/table/rows';
import type { BufferCategory } from '../../wire/generated/BufferCategory';
import type { BufferPadding } from '../../wire/generated/BufferPadding';
import type { BufferRow } from '../../wire/generated/BufferRow';
import { declared } from '../../widgets/table/declared';

export const CATEGORIES: Record<string, { title: string; color: string }> = {
  parameter: { title: 'Arguments', color: '#d8a27a' },
  output: { title: 'Results', color: '#8f74d6' },
  'thread-local': { title: 'Thread-local', color: '#97a1af' },
  constant: { title: 'Constants', color: '#d3b53a' },
  temporary: { title: 'Temporaries', color: '#3f7fd0' },
};

export const categoryOf = (name: string) => CATEGORIES[name] ?? { title: name, color: '#97a1af' };

export const categoryText = ({ category, bytes, ratio, count }: BufferCategory) =>
  `${categoryOf(category).title} ${formatBytes(bytes)} (${formatRatio(ratio)}, ${count})`;

/** The graph around an instruction of a program. */
export const graphHref = (programId: string, op: string) =>
  hrefTo({ view: 'graph', params: { program: programId, op } });

export function columnsFor(programId: string): Column<BufferRow>[] {
  return declared<BufferRow>('buffers.rows', [
    {
      key: 'name',
      width: 250,
      value: (row) => row.name,
      cell: (row) => (
        <Show when={row.instruction} fallback={<Middle text={row.name} isCode />}>
          <a href={graphHref(programId, row.instruction)} data-tip="Show in the graph">
            <Middle text={row.name} isCode />
          </a>
        </Show>
      ),
    },
    {
      key: 'bytes',
      width: 96,
      value: (row) => row.bytes,
    },
    {
      key: 'ratio',
      width: 130,
      value: (row) => row.ratio,
      cell: (row, scale) => (
        <ShareCell
          ratio={row.ratio}
          text={scale.text(row.ratio)}
          color={categoryOf(row.category).color}
        />
      ),
    },
    {
      key: 'category',
      width: 112,
      value: (row) => categoryOf(row.category).title + (row.is_donated ? ', donated' : ''),
    },
    {
      key: 'shape',
      width: 220,
      value: (row) => row.shape,
      cell: (row) => <Middle text={row.shape} isCode />,
    },
    {
      key: 'padding_bytes',
      width: 92,
      value: (row) => row.padding_bytes || null,
      isOptional: true,
    },
    {
      key: 'scope',
      width: 260,
      value: (row) => row.scope,
      cell: (row) => <Middle text={row.scope || '–'} />,
      isOptional: true,
    },
    {
      key: 'source',
      width: 170,
      value: (row) => row.source,
      cell: (row) => <SourceText text={row.source} />,
      isOptional: true,
    },
    {
      key: 'start',
      width: 70,
      value: (row) => row.start,
      isOptional: true,
    },
    {
      key: 'end',
      width: 70,
      value: (row) => row.end,
      isOptional: true,
    },
    {
      key: 'end_instruction',
      width: 180,
      value: (row) => row.end_instruction,
      cell: (row) => <Middle text={row.end_instruction || '–'} isCode />,
      isOptional: true,
    },
    {
      key: 'sharding',
      width: 170,
      value: (row) => row.sharding,
      isOptional: true,
    },
    {
      key: 'offset_bytes',
      width: 92,
      value: (row) => row.offset_bytes,
      isOptional: true,
    },
  ]);
}

export const PADDING = declared<BufferPadding>('buffers.padding', [
  {
    key: 'shape',
    width: 300,
    value: (row) => row.shape,
    cell: (row) => <Middle text={row.shape} isCode />,
  },
  {
    key: 'padding_bytes',
    width: 100,
    value: (row) => row.padding_bytes,
  },
  {
    key: 'padding_ratio',
    width: 90,
    value: (row) => row.padding_ratio,
  },
  {
    key: 'bytes',
    width: 100,
    value: (row) => row.bytes,
  },
  {
    key: 'count',
    width: 80,
    value: (row) => row.count,
  },
]);
