/** Moves groups and tracks: by dragging their names, and with Alt+Up and Alt+Down. */
import { createSignal } from 'solid-js';

import { moveRow, siblingsOf, stepRow } from '../../timeline/row-commands';
import { slotAt } from '../../timeline/row-order';
import type { LayoutChoices, Row } from '../../timeline/layout';
import type { Timeline } from '../../timeline/timeline';
import { withUndo } from './undo';

/** A press that moves less than this is a click. */
const DRAG_BEGINS_PX = 5;
/** Near the upper and lower edge, dragging scrolls by this much per move. */
const EDGE_PX = 24;
const SCROLL_PX = 12;

/** Where the dragged row would go: a height in its section. */
export interface DropLine {
  y: number;
  isPinned: boolean;
}

export const [dropLine, setDropLine] = createSignal<DropLine | null>(null);

function told(timeline: Timeline, row: Row, before: Partial<LayoutChoices> | null): void {
  const name = row.kind === 'group' ? row.group.name : row.track.name;
  if (before) withUndo(timeline, `${name} moved`, before);
}

/** Alt+Up and Alt+Down on a name. */
export function moveByKey(event: KeyboardEvent, timeline: Timeline, row: Row): void {
  if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
  event.preventDefault();
  event.stopPropagation();
  told(timeline, row, stepRow(timeline, row, event.key === 'ArrowUp' ? -1 : 1));
}

/** Follows a press on a name; if it moves, the row goes where it is released. */
export function dragRow(
  event: PointerEvent & { currentTarget: HTMLElement },
  timeline: Timeline,
  row: Row,
): void {
  if (event.button !== 0) return;
  const name = event.currentTarget;
  const section = name.closest<HTMLElement>('.header-section');
  if (!section) return;
  const pressedY = event.clientY;
  const isPinned = row.kind === 'track' && row.isPinnedCopy;
  let position: number | null = null;
  const scrolled = () => (isPinned ? 0 : timeline.scrollY[0]());
  const move = (at: PointerEvent) => {
    if (position === null && Math.abs(at.clientY - pressedY) < DRAG_BEGINS_PX) return;
    const box = section.getBoundingClientRect();
    if (!isPinned && at.clientY < box.top + EDGE_PX) timeline.scrollTo(scrolled() - SCROLL_PX);
    if (!isPinned && at.clientY > box.bottom - EDGE_PX) timeline.scrollTo(scrolled() + SCROLL_PX);
    const blocks = blocksOf(timeline, row);
    position = slotAt(blocks, at.clientY - box.top + scrolled());
    const last = blocks.at(-1);
    const y = blocks[position]?.y ?? (last ? last.y + last.height : 0);
    setDropLine({ y, isPinned });
  };
  const stop = (isDone: boolean) => {
    name.removeEventListener('pointermove', move);
    name.removeEventListener('pointerup', drop);
    name.removeEventListener('pointercancel', cancel);
    window.removeEventListener('keydown', escape, true);
    setDropLine(null);
    if (position === null) return;
    // The click that ends a drag neither folds nor opens.
    const swallow = (click: Event) => click.stopImmediatePropagation();
    name.addEventListener('click', swallow, { capture: true, once: true });
    setTimeout(() => name.removeEventListener('click', swallow, true));
    if (isDone) told(timeline, row, moveRow(timeline, row, position));
  };
  const drop = () => stop(true);
  const cancel = () => stop(false);
  const escape = (key: KeyboardEvent) => {
    if (key.key !== 'Escape' || position === null) return;
    key.stopPropagation();
    stop(false);
  };
  name.setPointerCapture(event.pointerId);
  name.addEventListener('pointermove', move);
  name.addEventListener('pointerup', drop);
  name.addEventListener('pointercancel', cancel);
  window.addEventListener('keydown', escape, true);
}

/** The rows between which a row can be dropped; a group with all its tracks is one. */
function blocksOf(timeline: Timeline, row: Row): { y: number; height: number }[] {
  const siblings = siblingsOf(timeline, row);
  if (row.kind !== 'group') return [...siblings];
  const ends = [...siblings.slice(1).map(({ y }) => y), timeline.scene.layout.height];
  return siblings.map(({ y }, i) => ({ y, height: ends[i]! - y }));
}
