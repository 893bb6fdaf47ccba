/** The line below the rows: the legend, and how many slices a merged glyph represents. */
import { For, lazy, Show } from 'solid-js';

import { formatCount } from '../../format/numbers';
import { Icon } from '../../shell/icons';
import { shared } from '../../shell/shared';
import { getParam } from '../../shell/state';
import { LAID_PARAM } from '../../sql/lay';
import { clockChoices, type ClockKind } from '../../timeline/clock';
import { COLORS_BY, colorByOf } from '../../timeline/coloring';
import { footRowsOf } from '../../timeline/strips';
import type { Timeline } from '../../timeline/timeline';
import { Late } from '../../widgets/late';
import { titleOfColor } from './color-titles';
import type { Baseline } from './ghost';
import type { GapCounts } from './idle';
import { Legend } from './legend';
import './status-line.css';

/** Runs a query and lays its rows over the tracks: few timelines have one. */
const LaidChip = lazy(() => import('./laid-chip'));

const OverlayChip = lazy(async () => ({ default: (await import('./later')).OverlayChip }));

const EXAMPLES = [1, 2, 8, 64, 512, 4096];

function ColorChoice(props: { timeline: Timeline }) {
  // A single-file report has the names and classes of labels only.
  const choices = COLORS_BY.filter(({ needsFacts }) => !needsFacts || !shared());
  return (
    <label class="color-choice">
      <span class="muted">Color by</span>
      <select
        value={props.timeline.coloring[0]().by}
        onChange={(event) => props.timeline.color(colorByOf(event.currentTarget.value))}
      >
        <For each={choices}>{(each) => <option value={each.key}>{each.title}</option>}</For>
      </select>
    </label>
  );
}

/** Says that everything else is dimmed; a click ends that. */
function OnlyChip(props: { what: string; onClear: () => void }) {
  return (
    <button
      class="only-chip"
      aria-label={`Only ${props.what}: show all`}
      data-tip={`Only ${props.what}; everything else is dimmed. Click to show all.`}
      onClick={() => props.onClear()}
    >
      <span>Only {props.what}</span>
      <Icon name="close" />
    </button>
  );
}

/** Chooses how times read; a choice that this session cannot have says why. */
function ClockChoice(props: { timeline: Timeline }) {
  const clock = () => props.timeline.times.clock[0]();
  return (
    <label class="color-choice">
      <span class="muted">Times</span>
      <select
        onChange={(event) => props.timeline.times.readAs(event.currentTarget.value as ClockKind)}
      >
        <For each={clockChoices(clock())}>
          {({ kind, title, missing }) => (
            // The options are new after each change, so the value of the list does not say it.
            <option value={kind} selected={kind === clock().kind} disabled={missing !== ''}>
              {missing ? `${title} (${missing})` : title}
            </option>
          )}
        </For>
      </select>
    </label>
  );
}

/** Says that only the longest gaps are drawn. */
function GapsChip(props: { gaps: GapCounts }) {
  return (
    <span
      class="muted number"
      data-tip="The longest idle gaps are drawn. Idle counts all of them."
    >
      {formatCount(props.gaps.drawn)} of {formatCount(props.gaps.all)} idle gaps drawn
    </span>
  );
}

interface StatusLineProps {
  timeline: Timeline;
  session: string;
  baseline: Baseline;
  /** How many idle gaps are drawn, once known. */
  gaps: GapCounts | null;
}

export function StatusLine(props: StatusLineProps) {
  const coloring = () => props.timeline.coloring[0]();
  return (
    <div class="timeline-status">
      <ColorChoice timeline={props.timeline} />
      <ClockChoice timeline={props.timeline} />
      <Show when={coloring().only}>
        {(only) => (
          <OnlyChip
            what={[...only()].map((key) => titleOfColor(coloring().by, key)).join(', ')}
            onClear={() => props.timeline.color(coloring().by)}
          />
        )}
      </Show>
      <Show when={props.timeline.times.onlyStep[0]() !== null}>
        <OnlyChip
          what={`step ${props.timeline.times.onlyStep[0]()}`}
          onClear={() => props.timeline.times.showOnlyStep(null)}
        />
      </Show>
      <Show when={props.timeline.times.overlay[0]()}>
        {(overlay) => (
          <Late>
            <OverlayChip timeline={props.timeline} baseline={props.baseline} overlay={overlay()} />
          </Late>
        )}
      </Show>
      <Show when={getParam(LAID_PARAM)}>
        <Late>
          <LaidChip timeline={props.timeline} session={props.session} />
        </Late>
      </Show>
      <Show when={coloring().by === 'step'}>
        <span class="muted">steps next to each other differ</span>
      </Show>
      <Show when={props.gaps && props.gaps.drawn < props.gaps.all && props.gaps}>
        {(gaps) => <GapsChip gaps={gaps()} />}
      </Show>
      <Legend timeline={props.timeline} />
      <span class="spacer" />
      <span
        class="merge-legend muted"
        data-tip="Slices narrower than a pixel are merged. The height of the darker base shows how many are in a pixel; a paler color means idle time between them."
      >
        slices per pixel
        <For each={EXAMPLES.slice(1)}>
          {(count) => (
            <span class="merge-example">
              <i style={{ '--foot': `${(footRowsOf(count) / 6) * 100}%` }} />
              {count === 2 ? '2' : `${count}`}
            </span>
          )}
        </For>
        <span>or more</span>
      </span>
    </div>
  );
}
