/** The columns of the tables of memory: stacks, functions, devices, kinds, snapshots. */
import { formatDate } from '../../format/numbers';
import { ShareCell } from '../../widgets/bars';
import { Middle } from '../../widgets/middle';
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

/** What is alive: bytes, and in how many allocations. */
function alive<Row extends Alive>(): Column<Row>[] {
  return [
    {
      key: 'bytes',
      adds: 'over_rows',
      title: 'Bytes',
      figure: 'heap.bytes',
      width: 96,
      kind: 'bytes',
      scale: 'bytes',
      value: (row) => row.bytes,
    },
    {
      key: 'allocations',
      adds: 'over_rows',
      title: 'Count',
      figure: 'heap.allocations',
      width: 78,
      kind: 'count',
      value: (row) => row.allocations,
    },
  ];
}

function changes<Row extends Changing>(): Column<Row>[] {
  return [
    {
      key: 'change_bytes',
      title: 'Change',
      figure: 'heap.change_bytes',
      width: 104,
      kind: 'bytes',
      scale: 'bytes',
      value: (row) => row.change_bytes,
      cell: (row, scale) => (
        <Change value={row.change_bytes} text={scale.text(row.change_bytes)} />
      ),
    },
    {
      key: 'change_allocations',
      title: 'Change of count',
      figure: 'heap.change_allocations',
      width: 142,
      kind: 'count',
      value: (row) => row.change_allocations,
      cell: (row, scale) => (
        <Change value={row.change_allocations} text={scale.text(row.change_allocations)} />
      ),
    },
  ];
}

/** Without a comparison there is nothing to say about changes. */
function only<Row>(isCompared: boolean, columns: Column<Row>[]): Column<Row>[] {
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

function share<Row extends Sharing>(): Column<Row> {
  return {
    key: 'ratio',
    title: 'Share',
    figure: 'heap.ratio',
    width: 126,
    kind: 'ratio',
    value: (row) => row.ratio,
    cell: (row, scale) => <ShareCell ratio={row.ratio ?? 0} text={scale.text(row.ratio)} />,
  };
}

export const stackColumns = (isCompared: boolean): Column<HeapStackRow>[] => [
  {
    key: 'site',
    title: 'Allocated in',
    figure: 'heap.site',
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
      title: 'State',
      figure: 'heap.change',
      width: 76,
      value: (row: HeapStackRow) => row.change,
    },
  ]),
  ...alive<HeapStackRow>(),
  share<HeapStackRow>(),
  { key: 'kind', title: 'Kind', figure: 'heap.kind', width: 96, value: (row) => row.kind },
  {
    key: 'devices',
    title: 'Devices',
    figure: 'heap.devices',
    width: 190,
    value: (row) => row.devices,
  },
  {
    key: 'source',
    title: 'Source',
    figure: 'source',
    width: 260,
    value: (row) => row.source,
    cell: (row) => <Middle text={row.source || '–'} isCode />,
  },
  {
    key: 'stack',
    title: 'Stack',
    width: 0,
    value: (row) => row.stack.join('; '),
    isExportOnly: true,
  },
];

export const functionColumns = (isCompared: boolean): Column<HeapFunctionRow>[] => [
  {
    key: 'name',
    title: 'Function',
    figure: '',
    width: 260,
    value: (row) => row.name,
    cell: (row) => <Middle text={row.name} isCode />,
  },
  ...only(isCompared, changes<HeapFunctionRow>()),
  {
    key: 'total_bytes',
    adds: 'over_rows',
    title: 'Bytes',
    figure: 'heap.total_bytes',
    width: 96,
    kind: 'bytes',
    scale: 'bytes',
    value: (row) => row.total_bytes,
  },
  {
    key: 'self_bytes',
    adds: 'over_rows',
    title: 'Self',
    figure: 'heap.self_bytes',
    width: 96,
    kind: 'bytes',
    scale: 'bytes',
    value: (row) => row.self_bytes,
  },
  share<HeapFunctionRow>(),
  {
    key: 'total_allocations',
    title: 'Count',
    figure: 'heap.total_allocations',
    width: 78,
    kind: 'count',
    value: (row) => row.total_allocations,
  },
  {
    key: 'self_allocations',
    title: 'Self count',
    figure: 'heap.self_allocations',
    width: 94,
    kind: 'count',
    value: (row) => row.self_allocations,
  },
  {
    key: 'source',
    title: 'Source',
    figure: 'source',
    width: 300,
    value: (row) => row.source,
    cell: (row) => <Middle text={row.source || '–'} isCode />,
  },
];

/** Devices or kinds. */
export function groupColumns(title: string, isCompared: boolean): Column<HeapGroup>[] {
  return [
    {
      key: 'name',
      title,
      figure: '',
      width: 220,
      value: (row) => row.name || `(no ${title.toLowerCase()})`,
    },
    ...only(isCompared, changes<HeapGroup>()),
    ...alive<HeapGroup>(),
    share<HeapGroup>(),
  ];
}

export const SNAPSHOT_COLUMNS: Column<HeapSnapshotRow>[] = [
  { key: 'name', title: 'Snapshot', figure: '', width: 240, value: (row) => row.name },
  {
    key: 'epoch_ns',
    title: 'Taken',
    figure: 'heap.taken',
    width: 180,
    value: (row) => (row.epoch_ns === null ? null : formatDate(Number(row.epoch_ns) / 1e6)),
  },
  ...alive<HeapSnapshotRow>(),
  ...changes<HeapSnapshotRow>(),
];
