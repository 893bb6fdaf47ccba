/** All slices with the name of the selected one: a histogram with this one marked, and a table. */
import { createEffect, createMemo, For, on, Show } from 'solid-js';

import { formatCount, formatDuration, formatRatio, plural } from '../../format/numbers';
import { shortText } from '../../timeline/clock';
import {
  barOf,
  isAbout,
  isWhole,
  positionOf,
  shareBelow,
  type Occurrences,
} from '../../timeline/occurrences';
import type { SelectedSlice } from '../../timeline/scene';
import { sameSlice } from '../../timeline/search';
import type { Column } from '../../widgets/table/rows';
import { localTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import type { OccurrenceBar } from '../../wire/generated/OccurrenceBar';
import type { SearchSlice } from '../../wire/generated/SearchSlice';
import { PanelHint, type PanelProps } from './drawer';
import { ShortName } from './short-name';
import './occurrences.css';

/** The digits of times in the list. */
const RESOLUTION_PS = 1000;

export function OccurrencesPanel(props: PanelProps) {
  const selected = () => props.timeline.selection[0]();
  const found = createMemo(() => {
    const answer = props.commands.occurrences[0]();
    return answer && answer.name === selected()?.details?.name ? answer : null;
  });
  const details = createMemo(() => selected()?.details);
  createEffect(on(details, (known) => known && void props.commands.loadOccurrences()));
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
  const median = () => props.found.median_ps;
  const isThis = (row: SearchSlice) => sameSlice(row.slice, props.selected.ref);
  const clock = () => props.timeline.times.clock[0]();
  const isUsual = () => clock().kind === 'session';
  const columns = createMemo<Column<SearchSlice>[]>(() => [
    {
      key: 'start_ps',
      title: 'Start',
      value: (row) => row.start_ps,
      // Times that read otherwise have no unit for the header.
      kind: isUsual() ? 'duration' : 'count',
      width: isUsual() ? 130 : 170,
      cell: (row, scale) => (
        <span classList={{ 'is-this': isThis(row) }}>
          {isUsual() ? scale.text(row.start_ps) : shortText(clock(), row.start_ps, RESOLUTION_PS)}
        </span>
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
        <b>{plural(props.found.slice_count, 'slice')}</b>
        <span class="muted">
          {' '}
          named <ShortName timeline={props.timeline} name={props.found.name} />: median {formatDuration(median())}, p95{' '}
          {formatDuration(props.found.p95_ps)}. This one{' '}
          <Show when={place() >= 0}>(number {formatCount(place() + 1)}) </Show>
          takes {formatDuration(props.selected.durationPs)}
          <Show when={isAbout(props.found, props.found.name, props.selected)}>
            , longer than {formatRatio(shareBelow(props.found, props.selected.durationPs))} of them
          </Show>
        </span>
        <Show when={!isWhole(props.found)}>
          <span class="muted">
            {' '}
            · the {formatCount(props.found.slices.length)} around it are listed
          </span>
        </Show>
        <span class="spacer" />
        <button onClick={() => void props.commands.sameName(-1)} data-tip="Shift+← does the same">
          Previous
        </button>
        <button onClick={() => void props.commands.sameName(1)} data-tip="Shift+→ does the same">
          Next
        </button>
      </p>
      <Histogram bars={props.found.bars} marked={props.selected.durationPs} />
      <DataTable
        rows={[...props.found.slices]}
        columns={columns()}
        state={state}
        noun="slice"
        rowCount={props.found.slice_count}
        fileName="occurrences"
        isFilling
        onRow={(row) => props.commands.showMatch(row)}
        empty="No slices"
      />
    </div>
  );
}

function tipOf({ from_ps, to_ps, slice_count }: OccurrenceBar): string {
  return `${formatDuration(from_ps)} to ${formatDuration(to_ps)}: ${plural(slice_count, 'slice')}`;
}

/** Bars of durations; the one with the selected slice is marked. */
function Histogram(props: { bars: readonly OccurrenceBar[]; marked: number }) {
  const most = () => Math.max(1, ...props.bars.map((bar) => bar.slice_count));
  const marked = () => barOf(props.bars, props.marked);
  const height = (count: number) => (count > 0 ? 4 + 96 * (count / most()) : 0);
  return (
    <figure class="occurrence-histogram" aria-label="Durations of all slices with this name">
      <div class="occurrence-bars">
        <For each={props.bars}>
          {(bar, i) => (
            <span
              class="occurrence-bar"
              classList={{ 'is-marked': i() === marked() }}
              style={{ '--height': `${height(bar.slice_count)}%` }}
              data-tip={tipOf(bar)}
            />
          )}
        </For>
      </div>
      <figcaption class="occurrence-ends number muted">
        <span>{formatDuration(props.bars[0]?.from_ps ?? 0)}</span>
        <span>{formatDuration(props.bars.at(-1)?.to_ps ?? 0)}</span>
      </figcaption>
    </figure>
  );
}
