/** Controls for what is shown: snapshot, device, kind, measure. */
import { For, Show } from 'solid-js';

import { formatBytes, plural } from '../../format/numbers';
import { getParam, select, selected, setParams } from '../../shell/state';
import type { HeapReport } from '../../wire/generated/HeapReport';
import { signed, type Measure } from './frames';

/** What is counted, from the URL. */
export const measure = (): Measure => (getParam('by') === 'allocations' ? 'allocations' : 'bytes');

/** Changes an option and resets the zoom, whose frame may no longer exist. */
export function setOption(name: string, value: string | null) {
  setParams({ [name]: value, zoom: null }, false);
}

export function Pickers(props: { report: HeapReport; everything: HeapReport }) {
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
            // Keep the snapshot shown, even if the other one is the latest.
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
      <label class="heap-internal" data-tip="Show frames of JAX, libraries, and Python itself">
        <input
          type="checkbox"
          checked={getParam('internal') === 'true'}
          onChange={(event) => setOption('internal', event.currentTarget.checked ? 'true' : null)}
        />
        JAX frames
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
  /** Title of the choice of none. */
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

/** Total live memory and, for two snapshots, its change. */
function Totals(props: { report: HeapReport }) {
  const change = () => props.report.change_bytes;
  return (
    <span class="heap-totals">
      <span class="heap-total" data-figure="heap.rows.bytes" data-total-bytes={props.report.total_bytes}>
        {formatBytes(props.report.total_bytes)}
      </span>{' '}
      <span class="muted">alive in {plural(props.report.total_allocations, 'allocation')}</span>
      <Show when={change() !== null}>
        {' '}
        <span
          class="heap-total"
          classList={{ 'heap-grown': (change() ?? 0) > 0, 'heap-shrunk': (change() ?? 0) < 0 }}
          data-figure="heap.rows.change_bytes"
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
