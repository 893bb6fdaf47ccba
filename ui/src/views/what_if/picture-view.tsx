/** The step before and after the changes as two small timelines on one scale. */
import { For, Show } from 'solid-js';

import { formatCount, formatDuration } from '../../format/numbers';
import { classColor, classTitle } from '../../format/palette';
import { Legend } from '../../widgets/bars';
import { elementSvg } from '../../widgets/chart/element-picture';
import { plotMenu } from '../../widgets/chart/plot-menu';
import { contextMenu } from '../../widgets/menu/menu';
import type { WhatIfLane } from '../../wire/generated/WhatIfLane';
import type { WhatIfPicture } from '../../wire/generated/WhatIfPicture';
import {
  changesOf,
  classesOf,
  dataOf,
  devicesOf,
  laneText,
  lengthOf,
  shapesOf,
  sliceAt,
  summaryOf,
  textOf,
  ticksOf,
  UNITS,
  type When,
} from './picture';

const TITLES: Record<When, string> = { before: 'Recorded', after: 'Changed' };

export function Picture(props: { picture: WhatIfPicture }) {
  const shown = () => devicesOf(props.picture).length;
  return (
    <section class="card">
      <header>
        <h2>{props.picture.step === null ? 'Timeline' : `Step ${props.picture.step}`}</h2>
        <span class="muted">
          <Show when={props.picture.step !== null}>the step of median length, </Show>
          before and after, on one scale
        </span>
        <span class="spacer" />
        <Legend
          entries={classesOf(props.picture).map((name) => ({
            title: classTitle(name),
            color: classColor(name),
          }))}
        />
        <ul class="legend">
          <li>
            <span class="swatch what-if-mark" />
            Changed by it
          </li>
        </ul>
      </header>
      <figure
        class="card-body what-if-picture"
        // For the menu by keyboard.
        tabindex="0"
        onContextMenu={contextMenu((event) =>
          plotMenu({
            root: event.currentTarget as HTMLElement,
            label: 'What if',
            data: () => dataOf(props.picture),
            reset: null,
            picture: elementSvg,
          }),
        )}
      >
        <figcaption class="what-if-summary">
          {summaryOf(props.picture)}
          <Show when={shown() < props.picture.device_count}>
            {' '}
            {formatCount(shown())} of {formatCount(props.picture.device_count)} devices are drawn.
          </Show>
        </figcaption>
        <For each={['before', 'after'] as const}>
          {(when) => <Timeline picture={props.picture} when={when} />}
        </For>
        <Axis picture={props.picture} />
      </figure>
    </section>
  );
}

function Timeline(props: { picture: WhatIfPicture; when: When }) {
  const endPs = () => (props.when === 'before' ? props.picture.before_ps : props.picture.after_ps);
  return (
    <div class="what-if-timeline" role="group" aria-label={TITLES[props.when]}>
      <div class="what-if-row">
        <h3>{TITLES[props.when]}</h3>
        <span class="number">{formatDuration(endPs())}</span>
      </div>
      <For each={devicesOf(props.picture)}>
        {(device) => (
          <div class="what-if-row">
            <span class="what-if-device" data-tip={device.device}>
              {device.device}
            </span>
            <div class="what-if-lanes">
              <For each={device.lanes}>
                {(lane) => <Lane picture={props.picture} lane={lane} when={props.when} />}
              </For>
              <Ends picture={props.picture} lane={device.lanes[0]!} when={props.when} />
            </div>
          </div>
        )}
      </For>
    </div>
  );
}

/** The slices of a lane; colors are areas, however many slices there are. */
function Lane(props: { picture: WhatIfPicture; lane: WhatIfLane; when: When }) {
  const lengthPs = () => lengthOf(props.picture);
  const slices = () => props.lane[props.when];
  const point = (event: PointerEvent) => {
    const element = event.currentTarget as HTMLElement;
    const box = element.getBoundingClientRect();
    const found = sliceAt(slices(), (event.clientX - box.left) / box.width, lengthPs());
    if (found) element.dataset['tip'] = textOf(found);
    else delete element.dataset['tip'];
  };
  return (
    <div
      class="what-if-lane"
      classList={{ 'is-communication': props.lane.is_communication }}
      role="img"
      aria-label={laneText(props.lane, props.when)}
      onPointerMove={point}
    >
      <svg viewBox={`0 0 ${UNITS} 1`} preserveAspectRatio="none" aria-hidden="true">
        <For each={shapesOf(slices(), lengthPs())}>
          {(shape) => (
            <path
              d={shape.outline}
              fill={shape.color}
              classList={{ 'is-removed': shape.isRemoved }}
            />
          )}
        </For>
      </svg>
      <svg
        class="what-if-changed"
        viewBox={`0 0 ${UNITS} 1`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        <path d={changesOf(slices(), lengthPs())} />
      </svg>
    </div>
  );
}

/** Where the step ends on the device; after the changes also what they gain. */
function Ends(props: { picture: WhatIfPicture; lane: WhatIfLane; when: When }) {
  const percent = (timePs: number) => `${(100 * timePs) / lengthOf(props.picture)}%`;
  const endPs = () => props.lane[`${props.when}_end_ps`];
  const gainPs = () => props.lane.before_end_ps - props.lane.after_end_ps;
  return (
    <>
      <Show when={props.when === 'after' && gainPs() > 0}>
        <span
          class="what-if-gain"
          style={{ left: percent(endPs()), width: percent(gainPs()) }}
        />
      </Show>
      <span class="what-if-end" style={{ left: percent(endPs()) }} />
    </>
  );
}

function Axis(props: { picture: WhatIfPicture }) {
  return (
    <div class="what-if-row what-if-axis" aria-hidden="true">
      <span />
      <div class="what-if-ticks">
        <For each={ticksOf(lengthOf(props.picture))}>
          {(tick) => <span style={{ left: `${100 * tick.share}%` }}>{tick.text}</span>}
        </For>
      </div>
    </div>
  );
}
