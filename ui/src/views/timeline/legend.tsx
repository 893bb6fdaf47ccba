/** What the colors of the timeline mean; a click on a color dims everything else. */
import { createMemo, createSignal, For, lazy, onCleanup, onMount, Show } from 'solid-js';

import { CLASS_COLORS, classColor } from '../../format/palette';
import {
  DURATION_BOUNDS,
  durationKey,
  slotOfStep,
  type ColorBy,
} from '../../timeline/coloring';
import { FIRST_DURATION } from '../../timeline/palette';
import type { Timeline } from '../../timeline/timeline';
import { Late } from '../../widgets/late';
import { Popover } from '../../widgets/popover';
import { shortTitles, titleOfColor } from './color-titles';
import { LegendButton, type LegendEntry } from './legend-entry';
import './legend.css';

const ORDER = Object.keys(CLASS_COLORS);

/** More than this never fit into the line. */
const MOST_IN_LINE = 24;

/** The list of all colors, with its filter; most readers never open it. */
const LegendList = lazy(async () => ({ default: (await import('./later')).LegendList }));

/** What the colors of the slices loaded so far mean. */
function entriesOf(timeline: Timeline, by: ColorBy): LegendEntry[] {
  const { labels, palette } = timeline.scene;
  if (by === 'class') {
    const classes = [...labels.seenClasses];
    classes.sort((one, other) => ORDER.indexOf(one) - ORDER.indexOf(other));
    return classes.map((key) => ({ key, title: titleOfColor(by, key), color: classColor(key) }));
  }
  if (by === 'step') {
    return timeline.times.clock[0]().steps.map(({ step }, index) => ({
      key: String(step),
      title: titleOfColor(by, String(step)),
      color: palette.css[slotOfStep(index)]!,
    }));
  }
  if (by === 'duration') {
    const bounds = [0, ...DURATION_BOUNDS];
    return bounds.map((ps, i) => ({
      key: durationKey(ps),
      title: titleOfColor(by, durationKey(ps)),
      color: palette.css[FIRST_DURATION + i]!,
    }));
  }
  return labels.keys().map(({ key, slot }) => ({ key, title: key, color: palette.css[slot]! }));
}

/** Whether two lists show the same; their buttons then stay, and keep the focus. */
function isSame(one: readonly LegendEntry[], other: readonly LegendEntry[]): boolean {
  const isEqual = (entry: LegendEntry, at: number) =>
    entry.key === other[at]?.key && entry.color === other[at].color;
  return one.length === other.length && one.every(isEqual);
}

/** One line of colors, and a button for those that have no room in it. */
export function Legend(props: { timeline: Timeline }) {
  let line!: HTMLUListElement;
  const [fitting, setFitting] = createSignal(0);
  const entries = createMemo(
    () => {
      props.timeline.labelGeneration[0]();
      return entriesOf(props.timeline, props.timeline.coloring[0]().by);
    },
    [],
    { equals: isSame },
  );
  const inLine = createMemo(() => entries().slice(0, MOST_IN_LINE));
  const short = createMemo(() => shortTitles(inLine().map(({ title }) => title)));
  const missing = () => entries().length - Math.min(fitting(), inLine().length);

  // Those without room wrap into a second line, which is cut off.
  const measure = () => {
    const all = [...line.children] as HTMLElement[];
    setFitting(all.filter((each) => each.offsetTop === all[0]?.offsetTop).length);
  };
  onMount(() => {
    const sizes = new ResizeObserver(measure);
    const contents = new MutationObserver(measure);
    sizes.observe(line);
    contents.observe(line, { childList: true, characterData: true, subtree: true });
    onCleanup(() => {
      sizes.disconnect();
      contents.disconnect();
    });
  });

  return (
    <>
      <ul class="timeline-legend" aria-label="Colors" ref={line}>
        <For each={inLine()}>
          {(entry, index) => (
            <li classList={{ 'is-cut': index() >= fitting() }}>
              <LegendButton
                timeline={props.timeline}
                entry={entry}
                short={short()[index()]}
                tip={`${entry.title}: click to dim everything else, Shift+click to add`}
              />
            </li>
          )}
        </For>
      </ul>
      <Show when={missing() > 0}>
        <Popover
          isAbove
          class="quiet legend-more"
          tip={`All ${entries().length} colors`}
          label={fitting() === 0 ? `${missing()} colors` : `+${missing()} more`}
        >
          {() => (
            <Late>
              <LegendList timeline={props.timeline} entries={entries()} />
            </Late>
          )}
        </Popover>
      </Show>
    </>
  );
}
