/** Labels and lines of the axes around a plot. */
import { For, Show } from 'solid-js';

import type { Axis } from './axis';
import { widthOf, type Frame } from './frame';

/** Distance of the labels of the horizontal axis from the plot. */
const LABEL_BELOW = 16;
/** Of labels of the vertical axis, from their line down to the base of the text. */
const BASE_BELOW = 4;

export function Axes(props: { frame: Frame; x: Axis | null; y: Axis | null }) {
  const bottom = () => props.frame.height;
  /** Keeps labels at the ends inside the element and clear of the title on the left. */
  const anchor = (x: number, text: string) => {
    const half = widthOf(text) / 2;
    if (x + half > props.frame.width + props.frame.margin.right) return 'end';
    return x - half < 0 ? 'start' : 'middle';
  };
  /** The lowest label of the vertical axis stands on its line: the title of the other is below it. */
  const labelY = (y: number) =>
    y + (props.x?.title && y > bottom() - BASE_BELOW ? 0 : BASE_BELOW);
  /** Whether the title is short, such as just a unit; it is then placed above the numbers. */
  const isShort = (title: string) => title.length * 6.4 + 8 < props.frame.margin.left;
  return (
    <g class="chart-axes" aria-hidden="true">
      <Show when={props.y}>
        {(axis) => (
          <>
            <For each={axis().ticks}>
              {(tick) => (
                <>
                  <Show when={axis().hasGrid}>
                    <line
                      x1="0"
                      x2={props.frame.width}
                      y1={row(props.frame, tick.value)}
                      y2={row(props.frame, tick.value)}
                    />
                  </Show>
                  <text x="-8" y={labelY(row(props.frame, tick.value))} text-anchor="end">
                    {tick.text}
                  </text>
                </>
              )}
            </For>
            <text
              class="chart-title"
              x={isShort(axis().title) ? -8 : -props.frame.margin.left}
              y={11 - props.frame.margin.top}
              text-anchor={isShort(axis().title) ? 'end' : 'start'}
            >
              {axis().title}
            </text>
          </>
        )}
      </Show>
      <Show when={props.x}>
        {(axis) => (
          <>
            <line
              class="chart-base"
              x1="0"
              x2={props.frame.width}
              y1={bottom() + 0.5}
              y2={bottom() + 0.5}
            />
            <For each={axis().ticks}>
              {(tick) => (
                <>
                  <Show when={axis().hasGrid}>
                    <line
                      x1={props.frame.x(tick.value)}
                      x2={props.frame.x(tick.value)}
                      y1="0"
                      y2={bottom()}
                    />
                  </Show>
                  <text
                    x={props.frame.x(tick.value)}
                    y={bottom() + LABEL_BELOW}
                    text-anchor={anchor(props.frame.x(tick.value), tick.text)}
                  >
                    {tick.text}
                  </text>
                </>
              )}
            </For>
            <text class="chart-title" x="-8" y={bottom() + LABEL_BELOW} text-anchor="end">
              {axis().title}
            </text>
          </>
        )}
      </Show>
    </g>
  );
}

/** Aligns lines with whole pixels. */
const row = (frame: Frame, value: number) => Math.round(frame.y(value)) + 0.5;
