/** The columns of the memory tables: stacks, functions, devices, kinds, snapshots. */
import { formatDate } from '../../format/numbers';
import { ShareCell } from '../../widgets/bars';
import { Middle } from '../../widgets/middle';
import { SourceText } from '../../widgets/source-text';
import { declared, type Layout } from '../../widgets/table/declared';
import type { Column } from '../../widgets/table/rows';
import type { HeapFunctionRow } from '../../wire/generated/HeapFunctionRow';
import type { HeapGroup } from '../../wire/generated/HeapGroup';
import type { HeapSnapshotRow } from '../../wire/generated/HeapSnapshotRow';
import type { HeapStackRow } from '../../wire/generated/HeapStackRow';
import { signed } from './frames';

interface Changing {
  change_bytes: number | null;
  change_allocations: number | null;
}

interface Alive {
  bytes: number;
  allocations: number;
}

interface Sharing {
  ratio: number | null;
}

/** What is alive: bytes and number of allocations. */
function alive<Row extends Alive>(): Layout<Row>[] {
  return [
    {
      key: 'bytes',
      width: 96,
      scale: 'bytes',
      value: (row) => row.bytes,
    },
    {
      key: 'allocations',
      width: 78,
      value: (row) => row.allocations,
    },
  ];
}

function changes<Row extends Changing>(): Layout<Row>[] {
  return [
    {
      key: 'change_bytes',
      width: 104,
      scale: 'bytes',
      value: (row) => row.change_bytes,
      cell: (row, scale) => (
        <Change value={row.change_bytes} text={scale.text(row.change_bytes)} />
      ),
    },
    {
      key: 'change_allocations',
      width: 142,
      value: (row) => row.change_allocations,
      cell: (row, scale) => (
        <Change value={row.change_allocations} text={scale.text(row.change_allocations)} />
      ),
    },
  ];
}

/** Columns that only a comparison has. */
function only<Row>(isCompared: boolean, columns: Layout<Row>[]): Layout<Row>[] {
  return isCompared ? columns : [];
}

function Change(props: { value: number | null; text: string }) {
  return (
    <span
      classList={{
        'heap-grown': (props.value ?? 0) > 0,
        'heap-shrunk': (props.value ?? 0) < 0,
      }}
    >
      {signed(props.text, props.value ?? 0)}
    </span>
  );
}

function share<Row extends Sharing>(): Layout<Row> {
  return {
    key: 'ratio',
    width: 126,
    value: (row) => row.ratio,
    cell: (row, scale) => <ShareCell ratio={row.ratio ?? 0} text={scale.text(row.ratio)} />,
  };
}

export const stackColumns = (isCompared: boolean): Column<HeapStackRow>[] => declared<HeapStackRow>('heap.rows', [
  {
    key: 'site',
    width: 280,
    value: (row) => row.site,
    cell: (row) => (
      <span class="heap-site" data-tip={row.stack.join('\n')}>
        <Middle text={row.site} isCode />
      </span>
    ),
  },
  ...only(isCompared, [
    ...changes<HeapStackRow>(),
    {
      key: 'change',
      width: 76,
      value: (row: HeapStackRow) => row.change,
    },
  ]),
  ...alive<HeapStackRow>(),
  share<HeapStackRow>(),
  { key: 'kind', width: 96, value: (row) => row.kind },
  {
    key: 'devices',
    width: 190,
    value: (row) => row.devices,
  },
  {
    key: 'source',
    width: 260,
    value: (row) => row.source,
    cell: (row) => <SourceText text={row.source} />,
  },
  {
    key: 'stack',
    width: 0,
    value: (row) => row.stack.join('; '),
    isExportOnly: true,
  },
]);

export const functionColumns = (isCompared: boolean): Column<HeapFunctionRow>[] => declared<HeapFunctionRow>('heap.functions', [
  {
    key: 'name',
    width: 260,
    value: (row) => row.name,
    cell: (row) => <Middle text={row.name} isCode />,
  },
  ...only(isCompared, changes<HeapFunctionRow>()),
  {
    key: 'total_bytes',
    width: 96,
    scale: 'bytes',
    value: (row) => row.total_bytes,
  },
  {
    key: 'self_bytes',
    width: 96,
    scale: 'bytes',
    value: (row) => row.self_bytes,
  },
  share<HeapFunctionRow>(),
  {
    key: 'total_allocations',
    width: 78,
    value: (row) => row.total_allocations,
  },
  {
    key: 'self_allocations',
    width: 94,
    value: (row) => row.self_allocations,
  },
  {
    key: 'source',
    width: 300,
    value: (row) => row.source,
    cell: (row) => <SourceText text={row.source} />,
  },
]);

/** Devices or kinds; a missing name is shown as `(no device)` or `(no kind)`. */
export function groupColumns(
  table: 'heap.devices' | 'heap.kinds',
  isCompared: boolean,
): Column<HeapGroup>[] {
  const missing = table === 'heap.devices' ? '(no device)' : '(no kind)';
  return declared<HeapGroup>(table, [
    { key: 'name', width: 220, value: (row) => row.name || missing },
    ...only(isCompared, changes<HeapGroup>()),
    ...alive<HeapGroup>(),
    share<HeapGroup>(),
  ]);
}

export const SNAPSHOT_COLUMNS = declared<HeapSnapshotRow>('heap.snapshots', [
  { key: 'name', width: 240, value: (row) => row.name },
  {
    key: 'epoch_ns',
    title: 'Taken',
    figure: 'heap.taken',
    width: 180,
    value: (row) => (row.epoch_ns === null ? null : formatDate(Number(row.epoch_ns) / 1e6)),
  },
  ...alive<HeapSnapshotRow>(),
  ...changes<HeapSnapshotRow>(),
]);
