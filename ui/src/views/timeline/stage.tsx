/** Tracks of one session: headers, canvas, and overlays. */
import { createEffect, lazy, on, onCleanup, onMount, Show, type JSX } from 'solid-js';

import { isDark } from '../../shell/theme';
import type { Commands } from '../../timeline/commands';
import { attachInteraction } from '../../timeline/interaction';
import { MINIMAP_HEIGHT } from '../../timeline/scene';
import type { Timeline } from '../../timeline/timeline';
import { Late } from '../../widgets/late';
import { contextMenu } from '../../widgets/menu/menu';
import { Headers } from './headers';
import { Splitter } from './splitter';

/** Needed once there is something to point at. */
const HoverCard = lazy(async () => ({ default: (await import('./later')).HoverCard }));

const LEAST_HEADER_PX = 140;
const MOST_HEADER_PX = 520;

interface StageProps {
  timeline: Timeline;
  commands: Commands;
  headerWidth: number;
  onHeaderWidth: (width: number) => void;
  /** The label of the canvas for screen readers. */
  label: string;
  /** Names the session if two are shown. */
  title?: JSX.Element;
  /** Called when a pointer is pressed on this timeline. */
  onPress?: () => void;
}

export function Stage(props: StageProps) {
  let canvas!: HTMLCanvasElement;
  let stage!: HTMLDivElement;
  const { timeline, commands } = props;
  createEffect(on(isDark, () => timeline.readTheme(), { defer: true }));
  onMount(() => {
    timeline.attach(canvas);
    const observer = new ResizeObserver(() => {
      timeline.resize(stage.clientWidth, stage.clientHeight);
    });
    observer.observe(stage);
    onCleanup(() => observer.disconnect());
    onCleanup(attachInteraction(canvas, timeline, commands));
  });
  onCleanup(() => timeline.dispose());
  return (
    <>
      {props.title}
      <div
        class="timeline-body"
        style={{ '--header-width': `${props.headerWidth}px`, '--minimap': `${MINIMAP_HEIGHT}px` }}
        onPointerDown={() => props.onPress?.()}
      >
        <Headers timeline={timeline} />
        <Splitter
          class="timeline-splitter"
          label="Width of the names"
          size={props.headerWidth}
          least={LEAST_HEADER_PX}
          most={MOST_HEADER_PX}
          grows="right"
          onSize={props.onHeaderWidth}
        />
        <div class="timeline-stage" ref={stage}>
          <canvas
            ref={canvas}
            class="timeline-canvas"
            tabindex="-1"
            role="img"
            aria-label={props.label}
            onContextMenu={contextMenu((event) => {
              const box = canvas.getBoundingClientRect();
              const point = { x: event.clientX - box.left, y: event.clientY - box.top };
              timeline.setPointer(point);
              timeline.setHover(null);
              return import('./later').then((later) => later.canvasMenu(timeline, commands, point));
            })}
          />
          <ScrollBar timeline={timeline} />
          <Show when={timeline.hover[0]() !== null}>
            <Late>
              <HoverCard timeline={timeline} stage={() => stage} />
            </Late>
          </Show>
          <Show when={timeline.error[0]()}>
            {(error) => (
              <p class="timeline-error" role="alert">
                {error()}
              </p>
            )}
          </Show>
        </div>
      </div>
    </>
  );
}

/** A draggable scroll bar for the rows. */
function ScrollBar(props: { timeline: Timeline }) {
  const place = () => {
    const layout = props.timeline.layout[0]();
    const { geometry } = props.timeline.scene;
    const top = geometry.headHeight + geometry.pinnedHeight;
    const room = geometry.height - top;
    const whole = layout.height + 24;
    const length = Math.max(28, (room / whole) * room);
    const share = props.timeline.scrollY[0]() / Math.max(1, whole - room);
    return { isNeeded: whole > room, top: top + share * (room - length), length, room, whole };
  };
  const drag = (event: PointerEvent) => {
    const thumb = event.currentTarget as HTMLElement;
    const beganY = event.clientY;
    const beganScroll = props.timeline.scrollY[0]();
    const { room, whole, length } = place();
    thumb.setPointerCapture(event.pointerId);
    thumb.onpointermove = (move) => {
      const share = (move.clientY - beganY) / Math.max(1, room - length);
      props.timeline.scrollTo(beganScroll + share * (whole - room));
    };
    thumb.onpointerup = () => (thumb.onpointermove = null);
  };
  return (
    <Show when={place().isNeeded}>
      <div
        class="timeline-scrollbar"
        style={{ top: `${place().top}px`, height: `${place().length}px` }}
        onPointerDown={drag}
      />
    </Show>
  );
}
