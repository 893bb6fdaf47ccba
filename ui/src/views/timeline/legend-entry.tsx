/** A color of the timeline with what it means. */
import { toggled } from '../../timeline/sets';
import type { Timeline } from '../../timeline/timeline';

export interface LegendEntry {
  key: string;
  title: string;
  color: string;
}

/** A color; a click shows only it, or no longer; with Shift or Ctrl, in addition to the others. */
export function LegendButton(props: {
  timeline: Timeline;
  entry: LegendEntry;
  /** What is written where there is little room. */
  short?: string | undefined;
  tip?: string;
}) {
  const only = () => props.timeline.coloring[0]().only;
  const isIsolated = () => only()?.has(props.entry.key) ?? false;
  const isolate = (isAdded: boolean) => {
    const { key } = props.entry;
    const before = only();
    const next = isAdded ? toggled(before ?? new Set<string>(), key) : new Set([key]);
    const isUndone = next.size === 0 || (!isAdded && before?.size === 1 && before.has(key));
    props.timeline.color(props.timeline.coloring[0]().by, isUndone ? null : next);
  };
  return (
    <button
      class="quiet legend-entry"
      classList={{ 'is-dim': only() !== null && !isIsolated() }}
      aria-pressed={isIsolated()}
      data-tip={props.tip}
      onClick={(event) => isolate(event.shiftKey || event.ctrlKey)}
    >
      <span class="swatch" style={{ background: props.entry.color }} />
      <span class="legend-text">{props.short ?? props.entry.title}</span>
    </button>
  );
}
