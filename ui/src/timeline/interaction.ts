/**
 * Pointer, wheel and touch on the canvas. A press becomes a click or, once it has moved, a drag;
 * what a drag does depends on where it begins.
 */
import type { Commands } from './commands';
import { beginDrag, type Drag } from './drags';
import type { GapRow } from '../wire/generated/GapRow';
import { hitCounter, hitSlice, hitStep, rowUnder } from './hit';
import { hitGap } from './idle-gaps';
import { tracksOfRow } from './layout';
import { flagAt } from './mark-flags';
import { MINIMAP_GRIP_PX, minimapPx } from './minimap';
import { hitPath, isOnPath, wordsPx, type PathHit } from './path-ruler';
import { MINIMAP_HEIGHT, type Hit } from './scene';
import type { Timeline } from './timeline';
import { panBy, zoomAt } from './viewport';

const DRAG_BEGINS_PX = 4;
const AREA_GRIP_PX = 5;
const WHEEL_ZOOM = 0.0022;
const LINE_PX = 20;

/** A point of the canvas in CSS pixels. */
export interface Point {
  x: number;
  y: number;
}

/** Attaches all handlers; returns a function that removes them. */
export function attachInteraction(
  canvas: HTMLCanvasElement,
  timeline: Timeline,
  commands: Commands,
): () => void {
  const handler = new Interaction(canvas, timeline, commands);
  const listeners: [string, (event: never) => void][] = [
    ['pointerdown', (event: PointerEvent) => handler.down(event)],
    ['pointermove', (event: PointerEvent) => handler.move(event)],
    ['pointerup', (event: PointerEvent) => handler.up(event)],
    ['pointercancel', (event: PointerEvent) => handler.cancel(event)],
    ['pointerleave', () => handler.leave()],
    ['dblclick', (event: MouseEvent) => handler.doubleClick(event)],
    ['wheel', (event: WheelEvent) => handler.wheel(event)],
  ];
  timeline.onStill = () => handler.still();
  for (const [name, listener] of listeners) {
    canvas.addEventListener(name, listener as EventListener, { passive: false });
  }
  return () => {
    for (const [name, listener] of listeners) {
      canvas.removeEventListener(name, listener as EventListener);
    }
  };
}

class Interaction {
  private readonly pointers = new Map<number, Point>();
  private pressed: Point | null = null;
  private drag: Drag | null = null;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly timeline: Timeline,
    private readonly commands: Commands,
  ) {}

  down(event: PointerEvent): void {
    if (event.button > 1) return;
    const point = this.pointOf(event);
    this.pointers.set(event.pointerId, point);
    this.canvas.setPointerCapture(event.pointerId);
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    this.pressed = point;
    this.drag = null;
    const isImmediate = event.button === 1 || point.y < MINIMAP_HEIGHT || this.grip(point) !== null;
    if (isImmediate) this.begin(event, point);
    if (event.button === 1) event.preventDefault();
  }

  move(event: PointerEvent): void {
    const point = this.pointOf(event);
    const before = this.pointers.get(event.pointerId);
    if (this.pointers.size === 2 && before) {
      this.pinch(event.pointerId, before, point);
      return;
    }
    if (before) this.pointers.set(event.pointerId, point);
    this.timeline.setPointer(point);
    if (this.drag) {
      this.drag.move(point);
    } else if (this.pressed && before) {
      const moved = Math.hypot(point.x - this.pressed.x, point.y - this.pressed.y);
      if (moved >= DRAG_BEGINS_PX) {
        this.begin(event, this.pressed);
        this.drag!.move(point);
      }
    } else {
      this.hover(point);
    }
    this.setCursor(point);
  }

  up(event: PointerEvent): void {
    const point = this.pointOf(event);
    this.pointers.delete(event.pointerId);
    if (this.drag) this.drag.end(point);
    else if (this.pressed && event.button === 0) this.click(point);
    this.drag = null;
    this.pressed = null;
    this.setCursor(point);
  }

  cancel(event: PointerEvent): void {
    this.pointers.delete(event.pointerId);
    this.drag = null;
    this.pressed = null;
  }

  leave(): void {
    if (this.pressed) return;
    this.timeline.setPointer(null);
    this.timeline.setHover(null);
  }

  /** The tracks have moved under the pointer. */
  still(): void {
    const { pointer } = this.timeline.scene;
    const isOver = pointer !== null && this.canvas.matches(':hover');
    if (isOver && !this.drag) this.hover(pointer);
    else this.timeline.setHover(null);
  }

  doubleClick(event: MouseEvent): void {
    const point = this.pointOf(event);
    const hit = hitSlice(this.timeline.scene, point.x, point.y);
    if (hit) return this.commands.zoomTo({ startPs: hit.startPs, endPs: endOf(hit) });
    const stretch = this.pathUnder(point);
    if (stretch) return this.commands.zoomTo(stretch);
    const step = this.stepUnder(point);
    if (step) {
      this.commands.zoomTo({ startPs: step.start_ps, endPs: step.start_ps + step.duration_ps });
    }
  }

  wheel(event: WheelEvent): void {
    event.preventDefault();
    const { timeline } = this;
    const { viewport, geometry } = timeline.scene;
    const unit = event.deltaMode === 1 ? LINE_PX : event.deltaMode === 2 ? geometry.height : 1;
    const point = this.pointOf(event);
    const isOnHead = point.y < geometry.headHeight;
    if (event.ctrlKey || event.metaKey || (isOnHead && event.deltaX === 0 && !event.shiftKey)) {
      const delta = Math.min(Math.max(event.deltaY * unit, -240), 240);
      // A pinch on a trackpad comes as small Ctrl+wheel steps.
      const speed = Math.abs(event.deltaY) < 20 && event.deltaMode === 0 ? 4 : 1;
      const anchor = point.y < MINIMAP_HEIGHT ? 0.5 : point.x / geometry.width;
      const factor = Math.exp(delta * WHEEL_ZOOM * speed);
      timeline.moveTo(zoomAt(viewport.target, factor, anchor, viewport.limits));
    } else {
      const across = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
      if (across !== 0) {
        const deltaPs = across * unit * viewport.psPerPx;
        timeline.moveTo(panBy(viewport.target, deltaPs, viewport.limits));
      }
      if (!event.shiftKey && event.deltaY !== 0) {
        timeline.scrollTo(geometry.scrollY + event.deltaY * unit);
      }
    }
    this.hover(point);
  }

  private begin(event: PointerEvent, from: Point): void {
    const isPan = event.button === 1 || event.buttons === 4 || event.pointerType === 'touch';
    const kind = isPan && from.y >= MINIMAP_HEIGHT ? 'pan' : this.timeline.tool[0]();
    this.drag = beginDrag(this.timeline, this.commands, kind, from, this.grip(from));
    this.timeline.setHover(null);
  }

  private click(point: Point): void {
    const { timeline } = this;
    const { scene } = timeline;
    const flag = flagAt(scene, point.x, point.y);
    if (flag) return void timeline.chosenMark[1](flag.position);
    const step = this.stepUnder(point);
    if (step) {
      const range = { startPs: step.start_ps, endPs: step.start_ps + step.duration_ps };
      return timeline.setArea({ ...range, tracks: null });
    }
    const stretch = this.pathUnder(point);
    if (stretch) return this.clickPath(stretch);
    const over = scene.ghost?.hit(scene, point.x, point.y);
    if (over && scene.ghost) return timeline.onGhost(over, scene.ghost);
    const hit = hitSlice(scene, point.x, point.y);
    if (hit) return this.clickSlice(hit);
    const gap = this.gapUnder(point);
    if (gap) return this.commands.selectGap(gap);
    void timeline.select(null);
    timeline.setArea(null);
  }

  /** Selects a single slice; lists merged slices as an area of their track. */
  private clickSlice(hit: Hit): void {
    const { timeline } = this;
    if (hit.count === 1) {
      void timeline.select(hit.ref, { startPs: hit.startPs, durationPs: hit.durationPs });
    } else {
      const tracks = tracksOfRow(hit.row);
      const area = { startPs: hit.startPs, endPs: endOf(hit) };
      timeline.setArea({ ...area, tracks: tracks.length > 0 ? tracks : null });
    }
  }

  /** Selects the slice of a stretch; shows its range as an area if it has none or is merged. */
  private clickPath({ row, startPs, endPs, count }: PathHit): void {
    if (count === 1 && row.slice) void this.commands.goTo(row.slice);
    else this.timeline.setArea({ startPs, endPs, tracks: null });
  }

  private hover(point: Point): void {
    const { timeline } = this;
    const { geometry, ghost, path, viewport } = timeline.scene;
    if (isOnPath(geometry, point.y)) {
      const stretch = this.pathUnder(point);
      if (stretch) return timeline.setHover({ kind: 'path', hit: stretch, ...point });
      const isOnWords = point.x >= wordsPx(path, viewport);
      return timeline.setHover(isOnWords ? { kind: 'words', words: path.words, ...point } : null);
    }
    const over = ghost?.hit(timeline.scene, point.x, point.y);
    if (over && ghost) return timeline.setHover({ kind: 'ghost', hit: over, ghost, ...point });
    const hit = hitSlice(timeline.scene, point.x, point.y);
    if (hit) return timeline.setHover({ kind: 'slice', hit, ...point });
    const gap = this.gapUnder(point);
    if (gap) return timeline.setHover({ kind: 'gap', gap, ...point });
    const sample = hitCounter(timeline.scene, point.x, point.y);
    timeline.setHover(sample ? { kind: 'counter', hit: sample, ...point } : null);
  }

  /** The end of the window on the minimap, or of the area, that is under the point. */
  private grip(point: Point): 'start' | 'end' | null {
    const { scene } = this.timeline;
    const { viewport, area, geometry } = scene;
    if (point.y < MINIMAP_HEIGHT) {
      const near = (ps: number) => Math.abs(minimapPx(scene, ps) - point.x) <= MINIMAP_GRIP_PX;
      return near(viewport.startPs) ? 'start' : near(viewport.endPs) ? 'end' : null;
    }
    if (!area || point.y > geometry.height) return null;
    const near = (ps: number) => Math.abs(viewport.pxOfTime(ps) - point.x) <= AREA_GRIP_PX;
    const isThin = viewport.pxOfTime(area.endPs) - viewport.pxOfTime(area.startPs) < 16;
    if (isThin) return null;
    return near(area.startPs) ? 'start' : near(area.endPs) ? 'end' : null;
  }

  private stepUnder({ x, y }: Point) {
    return hitStep(this.timeline.scene, x, y);
  }

  private pathUnder(point: Point): PathHit | null {
    const { geometry, path, viewport } = this.timeline.scene;
    if (!isOnPath(geometry, point.y)) return null;
    return hitPath(path, viewport.timeOfPx(point.x), viewport.psPerPx);
  }

  private gapUnder(point: Point): GapRow | null {
    const { scene } = this.timeline;
    const row = rowUnder(scene, point.y);
    return row ? hitGap(scene, row, point.x, point.y) : null;
  }

  private pinch(id: number, before: Point, point: Point): void {
    const other = [...this.pointers].find(([key]) => key !== id)?.[1];
    this.pointers.set(id, point);
    if (!other) return;
    this.drag = null;
    this.pressed = null;
    const { viewport, geometry } = this.timeline.scene;
    const spread = (at: Point) => Math.max(20, Math.hypot(at.x - other.x, at.y - other.y));
    const center = (point.x + other.x) / 2;
    const moved = (point.x - before.x) / 2;
    const factor = spread(before) / spread(point);
    const zoomed = zoomAt(viewport, factor, center / geometry.width, viewport.limits);
    this.timeline.moveTo(panBy(zoomed, -moved * viewport.psPerPx, viewport.limits));
  }

  private setCursor(point: Point): void {
    const { scene, tool } = this.timeline;
    let cursor = CURSORS[tool[0]()];
    if (this.drag) cursor = this.drag.cursor;
    else if (this.grip(point)) cursor = 'ew-resize';
    else if (point.y < MINIMAP_HEIGHT) cursor = 'grab';
    else if (point.y < scene.geometry.headHeight)
      cursor = this.stepUnder(point) || this.pathUnder(point) ? 'pointer' : 'col-resize';
    else if (flagAt(scene, point.x, point.y)) cursor = 'pointer';
    else if (tool[0]() === 'select' && this.isOverSomething(point)) cursor = 'pointer';
    if (this.canvas.style.cursor !== cursor) this.canvas.style.cursor = cursor;
  }

  private isOverSomething(point: Point): boolean {
    const isOverSlice = ['slice', 'ghost'].includes(this.timeline.hover[0]()?.kind ?? '');
    return isOverSlice || this.gapUnder(point) !== null;
  }

  private pointOf(event: MouseEvent): Point {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }
}

const CURSORS = { select: 'default', pan: 'grab', zoom: 'zoom-in', measure: 'crosshair' };

function endOf(hit: Hit): number {
  return hit.startPs + hit.durationPs;
}
