/** What ran in the selected area: statistics, a pivot table, merged stacks, counters. */
import { createMemo, For, Match, Show, Switch, type JSX } from 'solid-js';

import { formatDuration, formatTime, plural } from '../../format/numbers';
import { timeRange } from '../../format/time-range';
import { getParam, select, setParams } from '../../shell/state';
import { summaryOf } from '../../shell/session';
import { TimelineApi, type AreaKey } from '../../timeline/api';
import { areaInOther, type AreaSide } from '../../timeline/area-other';
import { shortText } from '../../timeline/clock';
import type { Area } from '../../timeline/scene';
import { stepPlacesOf } from '../../timeline/step-places';
import type { AreaReport } from '../../wire/generated/AreaReport';
import { createAnswer } from '../../wire/report';
import { AreaCounters } from './area-counters';
import { AreaFlame } from './area-flame';
import { keyOf } from './area-keys';
import { AreaPivot } from './area-pivot';
import { AreaTable } from './area-table';
import { PanelHint, type PanelProps } from './drawer';
import './area.css';

/** What is shown of the area. */
type Mode = 'table' | 'pivot' | 'flame' | 'counters';

const MODES: readonly { mode: Mode; title: string }[] = [
  { mode: 'table', title: 'Statistics' },
  { mode: 'pivot', title: 'Pivot' },
  { mode: 'flame', title: 'Flame graph' },
  { mode: 'counters', title: 'Counters' },
];

/** What the parts of the panel are given. */
export interface AreaProps extends PanelProps {
  area: Area;
  /** The same area of the baseline; null without one. */
  other: { api: TimelineApi; area: Area } | null;
  by: AreaKey;
  onBy: (by: AreaKey) => void;
}

export function AreaPanel(props: PanelProps) {
  const area = () => props.timeline.area[0]();
  return (
    <Show
      when={area()}
      fallback={<PanelHint text="Drag over the tracks to select an area." keys="drag" />}
    >
      {(found) => <SomeArea {...props} area={found()} />}
    </Show>
  );
}

function SomeArea(props: PanelProps & { area: Area }) {
  const mode = () => MODES.find((one) => one.mode === getParam('as'))?.mode ?? 'table';
  const by = () => keyOf(getParam('by'), 'name');
  const answer = createAnswer<AreaReport>(() => props.timeline.api.areaUrl(props.area, by()));
  const found = createMemo(() => {
    const against = props.against;
    if (!against) return null;
    const own: AreaSide = { report: props.timeline.report, steps: props.timeline.scene.steps };
    const steps = stepPlacesOf(against.report)[0]?.steps ?? [];
    return {
      ...areaInOther(props.area, own, { report: against.report, steps }),
      api: new TimelineApi(against.session),
      name: summaryOf(against.session)?.name ?? 'the baseline',
    };
  });
  const part = (): AreaProps => ({
    ...props,
    area: props.area,
    other: found(),
    by: by(),
    onBy: (key) => setParams({ by: key === 'name' ? null : key }, true),
  });
  const counters = () => answer.data()?.counter_count ?? 0;
  return (
    <div class="area-panel">
      <Summary {...props} report={answer.data()}>
        <span class="segmented" role="group" aria-label="Show">
          <For each={MODES}>
            {(each) => (
              <button
                class="quiet"
                aria-pressed={mode() === each.mode}
                onClick={() => setParams({ as: each.mode === 'table' ? null : each.mode }, true)}
              >
                {each.title}
                <Show when={each.mode === 'counters' && counters() > 0}>
                  {' '}
                  <span class="muted">{counters()}</span>
                </Show>
              </button>
            )}
          </For>
        </span>
      </Summary>
      <p class="area-note muted">
        <Show when={mode() !== 'counters'}>
          Times are clipped to the area
          <Show when={mode() === 'table'}>
            ; count, mean, minimum, maximum and percentiles are of whole slices
          </Show>
          .{' '}
        </Show>
        <Show when={found()}>
          {(other) => (
            <>
              Compared with {other().name}:{' '}
              {other().isByStep ? 'the same part of the same steps' : 'the same time'},{' '}
              {formatDuration(other().area.endPs - other().area.startPs)} from{' '}
              {formatTime(other().area.startPs, 1000)}
              <Show when={other().missing > 0}>
                , without {plural(other().missing, 'track')} that it does not have
              </Show>
              .
            </>
          )}
        </Show>
      </p>
      <Switch>
        <Match when={mode() === 'table'}>
          <AreaTable {...part()} answer={answer} />
        </Match>
        <Match when={mode() === 'pivot'}>
          <AreaPivot {...part()} />
        </Match>
        <Match when={mode() === 'flame'}>
          <AreaFlame {...part()} />
        </Match>
        <Match when={mode() === 'counters'}>
          <AreaCounters {...part()} answer={answer} />
        </Match>
      </Switch>
    </div>
  );
}

/** Where the area is, and what can be done with it. */
function Summary(
  props: PanelProps & { area: Area; report: AreaReport | undefined; children: JSX.Element },
) {
  const area = () => props.area;
  const tracksText = () => {
    const { tracks } = area();
    if (tracks === null) return 'all tracks';
    if (tracks.length > 1) return plural(tracks.length, 'track');
    return props.timeline.scene.layout.rowOfTrack.get(tracks[0]!)?.track.name ?? '1 track';
  };
  return (
    <p class="area-summary number">
      {props.children}
      <b>{formatDuration(area().endPs - area().startPs)}</b>
      <span class="muted">
        {' '}
        from {shortText(props.timeline.times.clock[0](), area().startPs, 1000)} on {tracksText()}
      </span>
      <Show when={props.report}>
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
  );
}
