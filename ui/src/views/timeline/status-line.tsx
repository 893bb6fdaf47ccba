/** The line below the rows: the legend, and how many slices a merged glyph represents. */
import { createMemo, For } from 'solid-js';

import { CLASS_COLORS, classColor, classTitle } from '../../format/palette';
import { footRowsOf } from '../../timeline/strips';
import type { Timeline } from '../../timeline/timeline';

const ORDER = Object.keys(CLASS_COLORS);
const EXAMPLES = [1, 2, 8, 64, 512, 4096];

export function StatusLine(props: { timeline: Timeline }) {
  const classes = createMemo(() =>
    [...props.timeline.classes[0]()].sort(
      (one, other) => ORDER.indexOf(one) - ORDER.indexOf(other),
    ),
  );
  return (
    <div class="timeline-status">
      <ul class="timeline-legend" aria-label="Colors">
        <For each={classes()}>
          {(name) => (
            <li>
              <span class="swatch" style={{ background: classColor(name) }} />
              {classTitle(name)}
            </li>
          )}
        </For>
      </ul>
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
