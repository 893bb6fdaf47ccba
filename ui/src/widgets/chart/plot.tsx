/**
 * A chart: axes around a plot as wide as its container, a point chosen by pointer or keys, a readout
 * next to it, zoom, and a menu with its picture and its figures. Each chart defines its points and
 * draws the contents of the plot.
 *
 * With `zoom`, a drag zooms in, Ctrl with the wheel and the keys + and − zoom at the pointer or the
 * current point, and a double click or 0 shows everything. With `onLasso`, a drag draws a line.
 */
import { createMemo, createSignal, onMount, Show, type Accessor, type JSX } from 'solid-js';

import { Axes } from './axes';
import type { AxisOf } from './axis';
import { openMenu } from '../menu/menu';
import { Canvas, type Draw } from './canvas';
import { dataFromAxes, type ChartData } from './data';
import { frameOf, inPlot, marginOf, type Frame, type Margin } from './frame';
import { simplified } from './lasso';
import { plotMenu } from './plot-menu';
import { moveByKey, type Place } from './points';
import { Readout } from './readout';
import { createSize } from './size';
import { rangeBetween, zoomedAxis, zoomedBy, type Zoom } from './zoom';
import './chart.css';

export interface PlotProps {
  /** What the chart shows, for screen readers. */
  label: string;
  class?: string;
  x?: AxisOf;
  y?: AxisOf;
  /** Height with axes; by default that of the element. */
  height?: number;
  margin?: Partial<Margin>;
  /** How many points each row has; keys move among them. */
  rows: readonly number[];
  /** The point at a place of the plot. */
  hit: (place: Place, frame: Frame) => number | null;
  /** The place of a point. */
  placeOf: (index: number, frame: Frame) => Place;
  /** The current point; several charts may share it. */
  at: number | null;
  onAt: (index: number | null) => void;
  /** A click on a point, or Enter. */
  onOpen?: ((index: number) => void) | undefined;
  /** A click that hits no point. */
  onMiss?: () => void;
  /** A drag from one place to another. */
  onDrag?: (from: Place, to: Place, frame: Frame) => void;
  /** A line drawn around something; with it, only a drag with Shift goes from one place to another. */
  onLasso?: (path: readonly Place[], frame: Frame) => void;
  /** What a drag covers: a part of the horizontal axis, or a rectangle. */
  dragShape?: 'band' | 'box';
  /** A double click. */
  onReset?: () => void;
  /** Along the horizontal axis, if marks are placed by `frame.x`. */
  zoom?: Zoom;
  /** The figures behind the chart; by default, what the axes say about its points. */
  data?: () => ChartData;
  /** Whether marks are clipped at the edges of the plot. */
  isClipped?: boolean;
  /** Whether a vertical line marks the current point. */
  hasCursor?: boolean;
  readout?: (index: number) => JSX.Element;
  /** Drawn on a canvas, above the axes and below the marks. */
  draw?: Draw | undefined;
  children?: (frame: Accessor<Frame>) => JSX.Element;
}

/** Lines along the edges of the plot keep their width. */
const STROKE = 2;
/** A shorter movement of the pointer is a click. */
const LEAST_DRAG = 4;
/** Pixels by which the corners of a lasso may miss the line as it was drawn. */
const LASSO_TOLERANCE = 2;

interface Drag {
  from: Place;
  to: Place;
  /** The places so far, if a line is drawn. */
  path: readonly Place[] | null;
}

export function Plot(props: PlotProps) {
  let root!: HTMLDivElement;
  const own = createSize(() => root);
  const outer = createMemo(() => ({ width: own().width, height: props.height ?? own().height }));
  const y = createMemo(() => props.y?.(Math.max(10, outer().height - 42)) ?? null);
  const margin = createMemo(() =>
    marginOf(props.x?.(Math.max(20, outer().width)) ?? null, y(), props.margin),
  );
  const plotWidth = () => Math.max(20, outer().width - margin().left - margin().right);
  const range = () => props.zoom?.range() ?? null;
  const x = createMemo(() => props.x && zoomedAxis(props.x, range())(plotWidth()));
  const frame = createMemo(() => frameOf(outer(), margin(), x() ?? null, y()));
  /** The readout is shown by the chart that has the pointer or the keys. */
  const [isActive, setActive] = createSignal(false);
  const [drag, setDrag] = createSignal<Drag | null>(null);

  const placeAt = (event: MouseEvent): Place => {
    const box = root.getBoundingClientRect();
    return inPlot(frame(), {
      x: event.clientX - box.left - root.clientLeft,
      y: event.clientY - box.top - root.clientTop,
    });
  };
  const look = (index: number | null, isOwn: boolean) => {
    setActive(isOwn);
    props.onAt(index);
  };
  const finish = (event: PointerEvent) => {
    const found = drag();
    setDrag(null);
    // The button may have been pressed elsewhere.
    if (event.button !== 0 || !found) return;
    const place = placeAt(event);
    if (isDrag(found)) {
      if (found.path) {
        props.onLasso?.(simplified([...found.path, place], LASSO_TOLERANCE), frame());
        return;
      }
      if (props.onDrag) {
        props.onDrag(found.from, place, frame());
        return;
      }
      if (props.zoom && whole()) {
        const shares = [found.from.x, place.x].map((at) => at / frame().width) as [number, number];
        props.zoom.setRange(rangeBetween(whole()!, range(), ...shares));
        return;
      }
    }
    const index = props.hit(place, frame());
    if (index === null) props.onMiss?.();
    else props.onOpen?.(index);
  };
  /** The scale of the whole axis. */
  const whole = () => props.x?.(plotWidth()).scale;
  const zoomAt = (share: number, direction: 'in' | 'out') => {
    const scale = whole();
    if (scale) props.zoom?.setRange(zoomedBy(scale, range(), share, direction));
  };
  const reset = () => {
    props.zoom?.setRange(null);
    props.onReset?.();
  };
  /** Where keys zoom: the current point, or the middle. */
  const keyShare = () => Math.max(0, Math.min(1, (place()?.x ?? frame().width / 2) / frame().width));
  const zoomByKey = (key: string): boolean => {
    if (!props.zoom) return false;
    if (key === '+' || key === '=') zoomAt(keyShare(), 'in');
    else if (key === '-') zoomAt(keyShare(), 'out');
    else if (key === '0') reset();
    else return false;
    return true;
  };
  const entries = () =>
    plotMenu({
      root,
      label: props.label,
      data: () =>
        props.data?.() ??
        dataFromAxes(
          frame(),
          x() ?? null,
          y(),
          props.rows.reduce((sum, count) => sum + count, 0),
          (index) => props.placeOf(index, frame()),
        ),
      reset: range() ? reset : null,
    });
  onMount(() =>
    // Solid listens to the wheel passively, but the page must not zoom.
    root.addEventListener(
      'wheel',
      (event) => {
        if (!props.zoom || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        const share = placeAt(event).x / frame().width;
        zoomAt(Math.max(0, Math.min(1, share)), event.deltaY < 0 ? 'in' : 'out');
      },
      { passive: false },
    ),
  );
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = moveByKey(props.rows, props.at, event.key);
    if (next !== null) look(next, true);
    else if (zoomByKey(event.key)) look(props.at, true);
    else if (event.key === 'Enter' && props.at !== null && props.onOpen) props.onOpen(props.at);
    else if (event.key === 'Escape' && props.at !== null) look(null, false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const place = createMemo(() => (props.at === null ? null : props.placeOf(props.at, frame())));
  const isReady = () => outer().width > 0;
  const isDraggable = () => props.onDrag !== undefined || props.zoom !== undefined;
  const isBox = () => props.dragShape === 'box';

  return (
    <div
      ref={root}
      class={`chart ${props.class ?? ''}`}
      classList={{ 'is-open': props.onOpen !== undefined, 'is-drag': isDraggable() }}
      style={props.height === undefined ? {} : { height: `${props.height}px` }}
      role="application"
      aria-roledescription="chart"
      aria-label={`${props.label}; arrow keys move${props.onOpen ? ', Enter selects' : ''}${props.zoom ? ', + and − zoom' : ''}`}
      tabindex="0"
      onKeyDown={onKey}
      onBlur={() => look(null, false)}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        const from = placeAt(event);
        const isLasso = props.onLasso !== undefined && !event.shiftKey;
        setDrag({ from, to: from, path: isLasso ? [from] : null });
        if (isDraggable()) root.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        const to = placeAt(event);
        const found = drag();
        if (found) setDrag({ ...found, to, path: found.path && [...found.path, to] });
        // What is drawn around is not covered.
        const isCovered = found !== null && (isBox() || found.path !== null) && isDrag(found);
        look(isCovered ? null : props.hit(to, frame()), true);
      }}
      onPointerLeave={() => {
        setDrag(null);
        look(null, false);
      }}
      onPointerCancel={() => setDrag(null)}
      onPointerUp={finish}
      onDblClick={reset}
      onContextMenu={(event) => {
        if (event.shiftKey || event.defaultPrevented) return;
        event.preventDefault();
        const isByKey = event.button !== 2;
        openMenu(isByKey ? root : { x: event.clientX, y: event.clientY }, entries());
      }}
    >
      <Show when={isReady()}>
        <svg width={outer().width} height={outer().height} aria-hidden="true">
          <g transform={`translate(${margin().left} ${margin().top})`}>
            <Axes frame={frame()} x={x() ?? null} y={y()} />
          </g>
        </svg>
        <Show when={props.draw}>{(draw) => <Canvas frame={frame()} draw={draw()} />}</Show>
        <svg width={outer().width} height={outer().height} aria-hidden="true">
          <g transform={`translate(${margin().left} ${margin().top})`}>
            <svg
              y={-STROKE}
              width={frame().width}
              height={frame().height + 2 * STROKE}
              viewBox={`0 ${-STROKE} ${frame().width} ${frame().height + 2 * STROKE}`}
              overflow={props.isClipped || range() ? 'hidden' : 'visible'}
            >
              {props.children?.(frame)}
              <Show when={props.hasCursor && place()}>
                {(at) => (
                  <line class="chart-cursor" x1={at().x} x2={at().x} y1="0" y2={frame().height} />
                )}
              </Show>
              <Show when={isDraggable() && isDrag(drag()) && drag()}>
                {(found) => (
                  <Show
                    when={found().path}
                    fallback={
                      <rect
                        class="chart-drag"
                        x={Math.min(found().from.x, found().to.x)}
                        width={Math.abs(found().to.x - found().from.x)}
                        y={isBox() ? Math.min(found().from.y, found().to.y) : 0}
                        height={isBox() ? Math.abs(found().to.y - found().from.y) : frame().height}
                      />
                    }
                  >
                    {(path) => (
                      <polygon
                        class="chart-drag"
                        points={path()
                          .map(({ x, y }) => `${x},${y}`)
                          .join(' ')}
                      />
                    )}
                  </Show>
                )}
              </Show>
            </svg>
          </g>
        </svg>
        <button
          class="chart-more quiet"
          tabindex="-1"
          aria-label="Copy or save the chart"
          data-tip="Copy or save the chart"
          onPointerDown={(event) => event.stopPropagation()}
          onPointerUp={(event) => event.stopPropagation()}
          onClick={(event) => openMenu(event.currentTarget, entries())}
        >
          ⋯
        </button>
        <Show when={isActive() && props.readout && place()}>
          {(at) => (
            <Readout frame={frame()} place={at()}>
              {props.at === null ? null : props.readout?.(props.at)}
            </Readout>
          )}
        </Show>
      </Show>
    </div>
  );
}

function isDrag(drag: Drag | null): drag is Drag {
  if (!drag) return false;
  const isAcross = Math.abs(drag.to.x - drag.from.x) > LEAST_DRAG;
  // A lasso may end where it began.
  return isAcross || (drag.path?.some((place) => isFar(place, drag.from)) ?? false);
}

const isFar = (one: Place, other: Place) =>
  Math.hypot(one.x - other.x, one.y - other.y) > LEAST_DRAG;
