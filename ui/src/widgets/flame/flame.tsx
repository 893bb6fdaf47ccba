/**
 * A flame graph: merged stacks, the outermost frame at the top, each as wide as its weight. A click or
 * Enter zooms in, Escape zooms out, arrow keys move, and details of the frame at the pointer are shown
 * next to it. Only visible rows are drawn.
 */
import { createEffect, createMemo, createSignal, on, Show, type JSX } from 'solid-js';

import { formatRatio, plural } from '../../format/numbers';
import { themeColor } from '../../shell/theme';
import { createSize } from '../chart/size';
import { openMenu, type MenuEntry, type MenuPlace } from '../menu/menu';
import { drawFlame, ROW_HEIGHT } from './draw';
import { frameAt, moveFrom, pathTo, rowCount, type FlameTree, type matchesOf, type Move } from './layout';
import { flameMenu } from './menu';
import './flame.css';

const MOVES: Record<string, Move> = {
  ArrowUp: 'parent',
  ArrowDown: 'child',
  ArrowLeft: 'previous',
  ArrowRight: 'next',
};

interface FlameProps {
  tree: FlameTree;
  /** The frame that takes the whole width; -1 for all. */
  zoom: number;
  onZoom: (index: number) => void;
  /** Frames that a search found; null without one. */
  found: ReadonlySet<number> | null;
  /** Details of the frame at the pointer. */
  details: (index: number) => JSX.Element;
  label: string;
  /** What the menu of a frame offers besides zooming and copying. */
  menu?: (index: number) => readonly MenuEntry[];
  /** What widths are, in the CSV: the column's key. */
  weight?: string;
}

export function FlameGraph(props: FlameProps) {
  let scroller!: HTMLDivElement;
  let canvas!: HTMLCanvasElement;
  const size = createSize(() => scroller);
  const [top, setTop] = createSignal(0);
  const [pointed, setPointed] = createSignal<{ index: number; x: number; y: number } | null>(null);
  const [active, setActive] = createSignal(-1);

  const rows = createMemo(() => rowCount(props.tree, props.zoom));
  createEffect(
    on(
      () => props.tree,
      () => {
        setActive(-1);
        setPointed(null);
      },
    ),
  );
  createEffect(() => {
    const { width, height } = size();
    const context = canvas.getContext('2d');
    if (!context || width === 0) return;
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    drawFlame(context, {
      tree: props.tree,
      zoom: props.zoom,
      width,
      height,
      top: top(),
      hovered: pointed()?.index ?? -1,
      active: active(),
      found: props.found,
      colors: {
        text: themeColor('text'),
        surface: themeColor('surface'),
        line: themeColor('line'),
        accent: themeColor('accent'),
      },
      font: themeColor('sans') || 'sans-serif',
    });
  });

  const at = (event: PointerEvent | MouseEvent) => {
    const box = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const row = Math.floor((y + top()) / ROW_HEIGHT);
    return { index: frameAt(props.tree, props.zoom, size().width, x, row), x, y };
  };
  /** Zooms to a frame; if it is already zoomed to, zooms out to its parent. */
  const zoomTo = (index: number) => {
    if (index < 0) return;
    setActive(index);
    props.onZoom(index === props.zoom ? (props.tree.parents[index] ?? -1) : index);
  };
  const onKey = (event: KeyboardEvent) => {
    const move = MOVES[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (move) {
      const next = moveFrom(props.tree, active() < 0 ? props.zoom : active(), move);
      setActive(next);
      setPointed(null);
      keepInSight(next);
    } else if (event.key === 'Enter' && active() >= 0) {
      zoomTo(active());
    } else if ((event.key === 'Escape' || event.key === 'Backspace') && props.zoom >= 0) {
      props.onZoom(props.tree.parents[props.zoom] ?? -1);
    } else if (event.key === 'F10' && event.shiftKey) {
      openAt(scroller, active());
    } else if (event.key === '0' || event.key === 'Home') {
      props.onZoom(-1);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const openAt = (place: MenuPlace, index: number) => {
    setPointed(null);
    openMenu(
      place,
      flameMenu({
        root: scroller,
        label: props.label,
        tree: props.tree,
        zoom: props.zoom,
        onZoom: props.onZoom,
        at: index,
        own: index < 0 ? [] : (props.menu?.(index) ?? []),
        weight: props.weight ?? 'weight',
      }),
    );
  };
  const onMenu = (event: MouseEvent) => {
    if (event.shiftKey) return;
    event.preventDefault();
    // Opened by a key, the event has no position of a pointer.
    if (event.button !== 2) openAt(scroller, active());
    else openAt({ x: event.clientX, y: event.clientY }, at(event).index);
  };
  /** Scrolls to a frame; if it is outside the zoomed frame, and so not drawn, zooms to its parent. */
  const keepInSight = (index: number) => {
    const isInside = props.zoom < 0 || pathTo(props.tree, index).includes(props.zoom);
    if (!isInside) props.onZoom(props.tree.parents[index] ?? -1);
    const row = (props.tree.frames[index]?.depth ?? 0) * ROW_HEIGHT;
    if (row < scroller.scrollTop) scroller.scrollTop = row;
    const below = row + ROW_HEIGHT - scroller.clientHeight;
    if (below > scroller.scrollTop) scroller.scrollTop = below;
  };
  const shown = createMemo(() => {
    const found = pointed();
    if (found && found.index >= 0) return found;
    const index = active();
    if (index < 0 || document.activeElement !== scroller) return null;
    const row = props.tree.frames[index]?.depth ?? 0;
    return { index, x: size().width / 3, y: row * ROW_HEIGHT - top() + ROW_HEIGHT / 2 };
  });

  return (
    <div class="flame">
      <div
        class="flame-scroller"
        ref={scroller}
        style={{ height: `min(${Math.max(3, rows()) * ROW_HEIGHT}px, var(--flame-height, 280px))` }}
        tabindex="0"
        role="application"
        aria-label={`${props.label}. Arrow keys move, Enter zooms in, Escape zooms out.`}
        onScroll={() => setTop(scroller.scrollTop)}
        onKeyDown={onKey}
        onContextMenu={onMenu}
        onBlur={() => setActive(-1)}
      >
        <canvas
          ref={canvas}
          class="flame-canvas"
          classList={{ 'is-over': (pointed()?.index ?? -1) >= 0 }}
          style={{ width: `${size().width}px`, height: `${size().height}px` }}
          onPointerMove={(event) => setPointed(at(event))}
          onPointerLeave={() => setPointed(null)}
          onClick={(event) => zoomTo(at(event).index)}
        />
        <div
          class="flame-spacer"
          style={{ height: `${Math.max(0, rows() * ROW_HEIGHT - size().height)}px` }}
        />
      </div>
      <Show when={shown()}>
        {(found) => (
          <div
            class="flame-details"
            style={{
              left: `${Math.max(0, Math.min(found().x + 14, size().width - 380))}px`,
              top: `${found().y + 18}px`,
            }}
          >
            {props.details(found().index)}
          </div>
        )}
      </Show>
      <p class="flame-said" role="status">
        {active() >= 0 ? (props.tree.frames[active()]?.title ?? '') : ''}
      </p>
    </div>
  );
}

/** How many frames a search found, and their share of the total. */
export function FlameFound(props: {
  tree: FlameTree;
  /** The result of `matchesOf`; null without a search. */
  matches: ReturnType<typeof matchesOf> | null;
  noun: string;
}) {
  return (
    <Show when={props.matches}>
      {(matches) => (
        <span class="muted" role="status">
          {plural(matches().found.size, props.noun)}
          <Show when={props.tree.total > 0}>
            , {formatRatio(matches().weight / props.tree.total)} of the total
          </Show>
        </span>
      )}
    </Show>
  );
}

/** The path from the outermost frame to the one zoomed to; a click on a frame zooms to it. */
export function FlamePath(props: {
  tree: FlameTree;
  zoom: number;
  onZoom: (index: number) => void;
}) {
  const path = () => (props.zoom >= 0 ? pathTo(props.tree, props.zoom).slice(-4) : []);
  const isCut = () => props.zoom >= 0 && pathTo(props.tree, props.zoom).length > 4;
  return (
    <Show when={props.zoom >= 0}>
      <nav class="flame-path" aria-label="Zoomed to">
        <button class="quiet" onClick={() => props.onZoom(-1)}>
          All
        </button>
        <Show when={isCut()}>
          <span class="muted">›&nbsp;…</span>
        </Show>
        {path().map((index) => (
          <>
            <span class="muted">›</span>
            <button
              class="quiet"
              aria-current={index === props.zoom ? 'true' : undefined}
              onClick={() => props.onZoom(index)}
            >
              {props.tree.frames[index]?.title}
            </button>
          </>
        ))}
      </nav>
    </Show>
  );
}
