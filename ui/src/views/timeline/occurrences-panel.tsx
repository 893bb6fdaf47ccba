/** All slices with the name of the selected one: a histogram with this one marked, and a table. */
import { createMemo, For, Show } from 'solid-js';

import { formatCount, formatDuration, formatRatio, plural } from '../../format/numbers';
import {
  barOf,
  histogram,
  OCCURRENCE_LIMIT,
  positionOf,
  quantile,
  shareBelow,
  type Bar,
  type Occurrences,
} from '../../timeline/occurrences';
import type { SelectedSlice } from '../../timeline/scene';
import { sameSlice } from '../../timeline/search';
import type { Column } from '../../widgets/table/rows';
import { localTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import type { SearchSlice } from '../../wire/generated/SearchSlice';
import { PanelHint, type PanelProps } from './drawer';
import './occurrences.css';

const BAR_COUNT = 48;

export function OccurrencesPanel(props: PanelProps) {
  const selected = () => props.timeline.selection[0]();
  const found = createMemo(() => {
    const answer = props.commands.occurrences[0]();
    return answer && answer.name === selected()?.details?.name ? answer : null;
  });
  const name = createMemo(() => selected()?.details?.name);
  createMemo(() => name() && void props.commands.loadOccurrences());
  return (
    <Show
      when={selected()}
      fallback={<PanelHint text="Click a slice to see all slices of its name." keys="click" />}
    >
      {(slice) => (
        <Show when={found()} fallback={<p class="panel-hint muted">…</p>}>
          {(all) => <All {...props} found={all()} selected={slice()} />}
        </Show>
      )}
    </Show>
  );
}

interface AllProps extends PanelProps {
  found: Occurrences;
  selected: SelectedSlice;
}

function All(props: AllProps) {
  const state = localTableState(null);
  const durations = createMemo(() => props.found.slices.map((slice) => slice.duration_ps));
  const median = createMemo(() => quantile(durations(), 0.5));
  const isThis = (row: SearchSlice) => sameSlice(row.slice, props.selected.ref);
  const isCut = () => props.found.total > props.found.slices.length;
  const columns = createMemo<Column<SearchSlice>[]>(() => [
    {
      key: 'start_ps',
      title: 'Start',
      value: (row) => row.start_ps,
      kind: 'duration',
      width: 130,
      cell: (row, scale) => (
        <span classList={{ 'is-this': isThis(row) }}>{scale.text(row.start_ps)}</span>
      ),
    },
    {
      key: 'duration_ps',
      title: 'Duration',
      value: (row) => row.duration_ps,
      kind: 'duration',
      width: 100,
    },
    {
      key: 'median_ratio',
      title: 'Of median',
      value: (row) => row.duration_ps / Math.max(1, median()),
      kind: 'ratio',
      width: 90,
    },
    { key: 'track_name', title: 'Track', value: (row) => row.track_name, width: 260 },
  ]);
  const place = () => positionOf(props.found, props.selected.ref);
  return (
    <div class="occurrences">
      <p class="area-summary number">
        <b>{plural(props.found.total, 'slice')}</b>
        <span class="muted">
          {' '}
          named {props.found.name}: median {formatDuration(median())}, p95{' '}
          {formatDuration(quantile(durations(), 0.95))}. This one{' '}
          <Show when={place() >= 0}>(number {formatCount(place() + 1)}) </Show>
          takes {formatDuration(props.selected.durationPs)}, longer than{' '}
          {formatRatio(shareBelow(durations(), props.selected.durationPs))} of them
        </span>
        <Show when={isCut()}>
          <span class="muted"> · the first {formatCount(OCCURRENCE_LIMIT)} are listed</span>
        </Show>
        <span class="spacer" />
        <button onClick={() => void props.commands.sameName(-1)} data-tip="Shift+← does the same">
          Previous
        </button>
        <button onClick={() => void props.commands.sameName(1)} data-tip="Shift+→ does the same">
          Next
        </button>
      </p>
      <Histogram durations={durations()} marked={props.selected.durationPs} />
      <DataTable
        rows={[...props.found.slices]}
        columns={columns()}
        state={state}
        noun="slice"
        rowCount={props.found.total}
        fileName="occurrences"
        isFilling
        onRow={(row) => props.commands.showMatch(row)}
        empty="No slices"
      />
    </div>
  );
}

function tipOf({ fromPs, toPs, count }: Bar): string {
  return `${formatDuration(fromPs)} to ${formatDuration(toPs)}: ${plural(count, 'slice')}`;
}

/** Bars of durations; the one with the selected slice is marked. */
function Histogram(props: { durations: readonly number[]; marked: number }) {
  const bars = createMemo(() => histogram(props.durations, BAR_COUNT));
  const most = () => Math.max(1, ...bars().map((bar) => bar.count));
  const marked = () => barOf(bars(), props.marked);
  return (
    <figure class="occurrence-histogram" aria-label="Durations of all slices with this name">
      <div class="occurrence-bars">
        <For each={bars()}>
          {(bar, i) => (
            <span
              class="occurrence-bar"
              classList={{ 'is-marked': i() === marked() }}
              style={{ '--height': `${bar.count > 0 ? 4 + 96 * (bar.count / most()) : 0}%` }}
              data-tip={tipOf(bar)}
            />
          )}
        </For>
      </div>
      <figcaption class="occurrence-ends number muted">
        <span>{formatDuration(bars()[0]?.fromPs ?? 0)}</span>
        <span>{formatDuration(bars().at(-1)?.toPs ?? 0)}</span>
      </figcaption>
    </figure>
  );
}
