/** What ran in the selected area, as a table by name, class, scope or track. */
import { createMemo, createSignal, For, Show } from 'solid-js';

import { formatDuration, plural } from '../../format/numbers';
import { classColor } from '../../format/palette';
import { escapeRegex } from '../../format/text';
import { timeRange } from '../../format/time-range';
import { select } from '../../shell/state';
import type { AreaKey } from '../../timeline/api';
import { shortText } from '../../timeline/clock';
import { AnswerView } from '../../widgets/answer';
import { Middle } from '../../widgets/middle';
import type { Column } from '../../widgets/table/rows';
import { localTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import type { AreaReport } from '../../wire/generated/AreaReport';
import type { AreaRow } from '../../wire/generated/AreaRow';
import { createAnswer } from '../../wire/report';
import { PanelHint, type PanelProps } from './drawer';

const KEYS: readonly { key: AreaKey; title: string; noun: string }[] = [
  { key: 'name', title: 'Name', noun: 'name' },
  { key: 'class', title: 'Class', noun: 'class' },
  { key: 'scope', title: 'Scope', noun: 'scope' },
  { key: 'track', title: 'Track', noun: 'track' },
  { key: 'device', title: 'Device', noun: 'device' },
  { key: 'program', title: 'Program', noun: 'program' },
  { key: 'step', title: 'Step', noun: 'step' },
];

/** Of whole slices, in one unit; totals are clipped to the area. */
const STATISTICS = [
  ['mean_ps', 'Mean'],
  ['min_ps', 'Min'],
  ['p50_ps', 'p50'],
  ['p95_ps', 'p95'],
  ['max_ps', 'Max'],
] as const;

function columnsFor(title: string): Column<AreaRow>[] {
  const time = (
    key: keyof AreaRow & string,
    name: string,
    width = 92,
    scale?: string,
  ): Column<AreaRow> => ({
    key,
    title: name,
    value: (row) => row[key],
    kind: 'duration',
    width,
    ...(scale && { scale }),
  });
  return [
    {
      key: 'key',
      title,
      value: (row) => row.key,
      figure: 'ops.rows.name',
      width: 260,
      cell: (row) => (
        <span class="area-key">
          <span class="swatch" style={{ background: classColor(row.class) }} />
          <Middle text={row.key || '(none)'} />
        </span>
      ),
    },
    { key: 'class', title: 'Class', value: (row) => row.class, width: 90, isExportOnly: true },
    {
      key: 'count',
      title: 'Count',
      value: (row) => row.count,
      kind: 'count',
      figure: 'ops.rows.occurrences',
      width: 84,
    },
    time('total_ps', 'Total', 100),
    time('self_ps', 'Self', 100),
    {
      key: 'window_ratio',
      title: 'Area share',
      value: (row) => row.window_ratio,
      kind: 'ratio',
      width: 86,
    },
    ...STATISTICS.map(([key, name]) => time(key, name, 92, 'slice')),
  ];
}

export function AreaPanel(props: PanelProps) {
  const area = () => props.timeline.area[0]();
  return (
    <Show
      when={area()}
      fallback={<PanelHint text="Drag over the tracks to select an area." keys="drag" />}
    >
      <AreaTable {...props} />
    </Show>
  );
}

function AreaTable(props: PanelProps) {
  const [by, setBy] = createSignal<AreaKey>('name');
  const state = localTableState('total_ps');
  const area = () => props.timeline.area[0]()!;
  const answer = createAnswer<AreaReport>(() => {
    const current = props.timeline.area[0]();
    return current ? props.timeline.api.areaUrl(current, by()) : null;
  });
  const columns = createMemo(() => {
    const key = KEYS.find((candidate) => candidate.key === by())!;
    return columnsFor(key.title);
  });
  const noun = () => KEYS.find((candidate) => candidate.key === by())!.noun;
  const tracksText = () => {
    const tracks = area().tracks;
    if (tracks === null) return 'all tracks';
    if (tracks.length > 1) return plural(tracks.length, 'track');
    return props.timeline.scene.layout.rowOfTrack.get(tracks[0]!)?.track.name ?? '1 track';
  };
  const find = (row: AreaRow) => {
    if (by() === 'name') props.timeline.setQuery(`^${escapeRegex(row.key)}$`);
  };
  return (
    <div class="area-panel">
      <p class="area-summary number">
        <b>{formatDuration(area().endPs - area().startPs)}</b>
        <span class="muted">
          {' '}
          from {shortText(props.timeline.times.clock[0](), area().startPs, 1000)} on {tracksText()}
        </span>
        <Show when={answer.data()}>
          {(report) => <span class="muted"> · {plural(report().slice_count, 'slice')}</span>}
        </Show>
        <span class="spacer" />
        <button onClick={() => props.commands.zoomTo(area())} data-tip="Zoom to the area">
          Zoom
        </button>
        <button
          onClick={() => select('time', timeRange(area().startPs, area().endPs))}
          data-tip="Limit every view to what starts in this time range"
        >
          Select this time
        </button>
        <Show when={area().tracks !== null}>
          <button
            onClick={() => props.timeline.setArea({ ...area(), tracks: null })}
            data-tip="Extend the area to every track"
          >
            All tracks
          </button>
        </Show>
        <button onClick={() => props.timeline.setArea(null)} data-tip="Clear the area (Esc)">
          Clear
        </button>
      </p>
      <AnswerView answer={answer}>
        {(report) => (
          <DataTable
            rows={report().rows}
            columns={columns()}
            state={state}
            noun={noun()}
            rowCount={report().row_count}
            fileName={`area-by-${by()}`}
            isFilling
            {...(by() === 'name' ? { onRow: find } : {})}
            tools={
              <span class="segmented" role="group" aria-label="By">
                <For each={KEYS}>
                  {(each) => (
                    <button
                      class="quiet"
                      aria-pressed={by() === each.key}
                      onClick={() => setBy(each.key)}
                    >
                      {each.title}
                    </button>
                  )}
                </For>
              </span>
            }
            empty="Nothing ran in this area"
          />
        )}
      </AnswerView>
    </div>
  );
}
