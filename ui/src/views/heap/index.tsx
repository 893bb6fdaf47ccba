/** Memory snapshots: a flame graph of who holds what, tables of it, and the growth between two. */
import { createMemo, createSignal, For, Show, type JSX } from 'solid-js';

import { format, formatBytes, formatCount, formatRatio, plural } from '../../format/numbers';
import { summaryOf } from '../../shell/session';
import { getParam, select, selected, setParams } from '../../shell/state';
import { themeColour } from '../../shell/theme';
import type { ViewProps } from '../../shell/views';
import { AnswerView } from '../../widgets/answer';
import { EmptyState } from '../../widgets/empty';
import { FlameFound, FlameGraph, FlamePath } from '../../widgets/flame/flame';
import { buildFlame, matchesOf } from '../../widgets/flame/layout';
import { Remarks, Warnings } from '../../widgets/notes';
import type { Column } from '../../widgets/table/rows';
import { urlTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import type { HeapFrameRow } from '../../wire/generated/HeapFrameRow';
import type { HeapReport } from '../../wire/generated/HeapReport';
import { createReport } from '../../wire/report';
import { functionColumns, groupColumns, SNAPSHOT_COLUMNS, stackColumns } from './columns';
import { COLOURS, framesOf, heldBy, signed, type Meaning, type Measure } from './frames';
import './heap.css';

const LIMIT = 5000;

const TABS = ['stacks', 'functions', 'devices', 'kinds', 'snapshots'] as const;
type Tab = (typeof TABS)[number];

const measure = (): Measure => (getParam('by') === 'allocations' ? 'allocations' : 'bytes');

export default function HeapView(props: ViewProps) {
  const report = createReport(
    'heap',
    () => props.session,
    () => ({
      device: selected('device') || null,
      match: selected('match') || null,
      kind: getParam('kind') ?? null,
      by: getParam('by') ?? null,
      snapshot: getParam('snapshot') ?? null,
      against: getParam('against') ?? null,
      internal: getParam('internal') ?? null,
      limit: LIMIT,
    }),
  );
  /** What can be chosen, whatever is. */
  const everything = createReport(
    'heap',
    () => props.session,
    () => ({ limit: 1 }),
  );

  return (
    <AnswerView answer={report}>
      {(data) => (
        <Show when={data().snapshots.length > 0} fallback={<NoSnapshot />}>
          <div class="page is-filling heap">
            <Warnings notes={data().notes} />
            <Pickers report={data()} everything={everything.data() ?? data()} />
            <Show when={data().row_count > 0} fallback={<NothingSelected />}>
              <Flame report={data()} />
              <Tables report={data()} session={props.session} />
            </Show>
            <Remarks notes={data().notes} />
          </div>
        </Show>
      )}
    </AnswerView>
  );
}

/** Changes an option and leaves the zoom, whose frame may not be there any more. */
function setOption(name: string, value: string | null) {
  setParams({ [name]: value, zoom: null }, false);
}

function Pickers(props: { report: HeapReport; everything: HeapReport }) {
  const names = () => props.report.snapshots.map((snapshot) => snapshot.name);
  return (
    <div class="heap-pickers">
      <Show
        when={names().length > 1}
        fallback={
          <span>
            <strong>{props.report.snapshot}</strong>
          </span>
        }
      >
        <Picker
          label="Snapshot"
          value={props.report.snapshot}
          values={names()}
          onPick={(name) => {
            const isCompared = name === props.report.against;
            const against = isCompared ? null : getParam('against');
            setParams({ snapshot: name, against, zoom: null }, false);
          }}
        />
        <Picker
          label="Compare with"
          none="none"
          value={props.report.against ?? ''}
          values={names().filter((name) => name !== props.report.snapshot)}
          onPick={(name) =>
            // The snapshot shown stays, also where the last is the one to compare with.
            setParams({ against: name || null, snapshot: props.report.snapshot, zoom: null }, false)
          }
        />
      </Show>
      <Picker
        label="Device"
        none="all"
        value={selected('device')}
        values={props.everything.devices.map((device) => device.name).filter((name) => name)}
        onPick={(name) => {
          setParams({ zoom: null }, true);
          select('device', name || null);
        }}
      />
      <Picker
        label="Kind"
        none="all"
        value={getParam('kind') ?? ''}
        values={props.everything.kinds.map((kind) => kind.name).filter((name) => name)}
        onPick={(name) => setOption('kind', name || null)}
      />
      <span class="segmented">
        <button aria-pressed={measure() === 'bytes'} onClick={() => setOption('by', null)}>
          Bytes
        </button>
        <button
          aria-pressed={measure() === 'allocations'}
          onClick={() => setOption('by', 'allocations')}
        >
          Allocations
        </button>
      </span>
      <label class="heap-internal" data-tip="Frames of JAX, of libraries and of Python itself">
        <input
          type="checkbox"
          checked={getParam('internal') === 'true'}
          onChange={(event) => setOption('internal', event.currentTarget.checked ? 'true' : null)}
        />
        Frames of JAX
      </label>
      <span class="spacer" />
      <Totals report={props.report} />
    </div>
  );
}

function Picker(props: {
  label: string;
  value: string;
  values: string[];
  /** The choice of none of them. */
  none?: string;
  onPick: (value: string) => void;
}) {
  const values = () =>
    props.value && !props.values.includes(props.value)
      ? [props.value, ...props.values]
      : props.values;
  return (
    <label class="heap-picker">
      <span class="muted">{props.label}</span>
      <select
        value={props.value}
        aria-label={props.label}
        onChange={(event) => props.onPick(event.currentTarget.value)}
      >
        <Show when={props.none}>{(none) => <option value="">{none()}</option>}</Show>
        <For each={values()}>
          {(value) => (
            <option value={value} selected={value === props.value}>
              {value}
            </option>
          )}
        </For>
      </select>
    </label>
  );
}

function Totals(props: { report: HeapReport }) {
  const change = () => props.report.change_bytes;
  return (
    <span class="heap-totals">
      <span class="heap-total" data-figure="heap.bytes" data-total-bytes={props.report.total_bytes}>
        {formatBytes(props.report.total_bytes)}
      </span>{' '}
      <span class="muted">alive in {plural(props.report.total_allocations, 'allocation')}</span>
      <Show when={change() !== null}>
        {' '}
        <span
          class="heap-total"
          classList={{ 'heap-grown': (change() ?? 0) > 0, 'heap-shrunk': (change() ?? 0) < 0 }}
          data-figure="heap.change_bytes"
        >
          {signed(formatBytes(change()), change() ?? 0)}
        </span>{' '}
        <span class="muted">
          in{' '}
          {signed(
            plural(props.report.change_allocations ?? 0, 'allocation'),
            props.report.change_allocations ?? 0,
          )}
        </span>
      </Show>
    </span>
  );
}

function Flame(props: { report: HeapReport }) {
  const frames = createMemo(() =>
    framesOf(props.report.tree, measure(), (meaning) => themeColour(COLOURS[meaning])),
  );
  const tree = createMemo(() => buildFlame(frames()));
  const zoom = () => {
    const wanted = Number(getParam('zoom') ?? '-1');
    return Number.isInteger(wanted) && wanted < tree().frames.length ? wanted : -1;
  };
  const onZoom = (index: number) => setParams({ zoom: index < 0 ? null : index }, false);
  const [search, setSearch] = createSignal(getParam('find') ?? '');
  const matches = createMemo(() => {
    const text = search();
    if (!text) return null;
    const test = testOf(text);
    return matchesOf(tree(), (index) => {
      const row = props.report.tree[index];
      return row !== undefined && (test(row.name) || test(row.source));
    });
  });
  const meanings = (): [Meaning, string][] =>
    props.report.against === null
      ? [
          ['own', 'your code, a shade per file'],
          ...(props.report.has_internal
            ? ([['internal', 'JAX, libraries, Python']] satisfies [Meaning, string][])
            : []),
        ]
      : [
          ['grown', 'grown'],
          ['shrunk', 'shrunk'],
          ['same', 'the same'],
        ];
  return (
    <section class="card heap-flame">
      <div class="heap-flame-bar">
        <input
          type="search"
          class="table-search"
          placeholder="Find functions: text or regular expression"
          aria-label="Find functions"
          data-shortcut="search"
          value={search()}
          onInput={(event) => {
            setSearch(event.currentTarget.value);
            setParams({ find: event.currentTarget.value }, true);
          }}
        />
        <FlameFound tree={tree()} matches={matches()} noun="frame" />
        <FlamePath tree={tree()} zoom={zoom()} onZoom={onZoom} />
        <span class="spacer" />
        <For each={meanings()}>
          {([meaning, words]) => (
            <span class="heap-legend">
              <span class="swatch" style={{ background: `var(--${COLOURS[meaning]})` }} /> {words}
            </span>
          )}
        </For>
      </div>
      <FlameGraph
        tree={tree()}
        zoom={zoom()}
        onZoom={onZoom}
        found={matches()?.found ?? null}
        label={`Flame graph of ${plural(tree().frames.length, 'frame')}`}
        details={(index) => {
          const row = props.report.tree[index];
          return row ? <FrameDetails row={row} report={props.report} /> : null;
        }}
      />
    </section>
  );
}

/** A pattern where it is one, else its letters. */
function testOf(text: string): (name: string) => boolean {
  try {
    const pattern = new RegExp(text, /[A-Z]/.test(text) ? '' : 'i');
    return (name) => pattern.test(name);
  } catch {
    return (name) => name.includes(text);
  }
}

function FrameDetails(props: { row: HeapFrameRow; report: HeapReport }) {
  const lines = (): [string, Measure][] => [
    ['Bytes', 'bytes'],
    ['Allocations', 'allocations'],
  ];
  const text = (by: Measure, value: number) => format(by === 'bytes' ? 'bytes' : 'count', value);
  const share = () => {
    const by = measure();
    const total = by === 'bytes' ? props.report.total_bytes : props.report.total_allocations;
    return total > 0 ? heldBy(props.row, by).now / total : null;
  };
  return (
    <>
      <p class="mono">
        <strong>{props.row.name}</strong>
      </p>
      <p class="muted">{props.row.source || 'no source recorded'}</p>
      <table>
        <thead>
          <tr class="muted">
            <td />
            <td>with callees</td>
            <td>itself</td>
            <Show when={props.report.against !== null}>
              <td>change</td>
            </Show>
          </tr>
        </thead>
        <tbody>
          <For each={lines()}>
            {([title, by]) => {
              const held = () => heldBy(props.row, by);
              return (
                <tr>
                  <td>{title}</td>
                  <td class="number">{text(by, held().now)}</td>
                  <td class="number">{text(by, held().own)}</td>
                  <Show when={props.report.against !== null}>
                    <td class="number">
                      {signed(text(by, held().change ?? 0), held().change ?? 0)}
                    </td>
                  </Show>
                </tr>
              );
            }}
          </For>
        </tbody>
      </table>
      <Show when={share() !== null}>
        <p class="muted">{formatRatio(share())} of what is selected</p>
      </Show>
    </>
  );
}

function Tables(props: { report: HeapReport; session: number }) {
  const tab = (): Tab => TABS.find((name) => name === getParam('tab')) ?? 'stacks';
  const titles: Record<Tab, () => string> = {
    stacks: () => `Stacks ${formatCount(props.report.row_count)}`,
    functions: () => `Functions ${formatCount(props.report.function_count)}`,
    devices: () => 'By device',
    kinds: () => 'By kind',
    snapshots: () => `Snapshots ${formatCount(props.report.snapshots.length)}`,
  };
  const tabs = () =>
    TABS.filter((name) => name !== 'snapshots' || props.report.snapshots.length > 1);
  const usual = () => (props.report.against === null ? measure() : `change_${measure()}`);
  const table = <Row,>(
    rows: readonly Row[],
    rowCount: number,
    columns: Column<Row>[],
    noun: string,
    sort: string,
  ): JSX.Element => (
    <DataTable
      rows={rows}
      rowCount={rowCount}
      columns={columns}
      state={urlTableState(sort)}
      noun={noun}
      fileName={`stepscope-${summaryOf(props.session)?.name ?? 'session'}-heap-${tab()}`}
      isFilling
      tools={
        <span class="segmented">
          <For each={tabs()}>
            {(name) => (
              <button
                aria-pressed={tab() === name}
                onClick={() => setParams({ tab: name, sort: null, q: null }, false)}
              >
                {titles[name]()}
              </button>
            )}
          </For>
        </span>
      }
    />
  );
  const body = () => {
    const { report } = props;
    const total = usual() === measure() ? `total_${measure()}` : usual();
    const isCompared = report.against !== null;
    const { rows, functions, devices, kinds, snapshots } = report;
    switch (tab()) {
      case 'stacks':
        return table(rows, report.row_count, stackColumns(isCompared), 'stack', usual());
      case 'functions': {
        const columns = functionColumns(isCompared);
        return table(functions, report.function_count, columns, 'function', total);
      }
      case 'devices': {
        const columns = groupColumns('Device', isCompared);
        return table(devices, devices.length, columns, 'device', '');
      }
      case 'kinds':
        return table(kinds, kinds.length, groupColumns('Kind', isCompared), 'kind', '');
      case 'snapshots':
        return table(snapshots, snapshots.length, SNAPSHOT_COLUMNS, 'snapshot', '');
    }
  };
  return <section class="card is-main">{body()}</section>;
}

function NoSnapshot() {
  return (
    <EmptyState
      title="No memory snapshot beside this capture"
      code={
        '# in the run\'s folder, in the log directory, or in a folder of its own\njax.profiler.save_device_memory_profile("memory.prof")'
      }
    >
      A snapshot says which arrays are alive on the devices and which line of the program made them.
      Two of them, some steps apart, show what grows.
    </EmptyState>
  );
}

function NothingSelected() {
  return (
    <EmptyState title="Nothing of this selection was alive">
      Choose another device or kind, or clear the selection.
    </EmptyState>
  );
}
