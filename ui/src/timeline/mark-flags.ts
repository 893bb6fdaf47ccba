/** Where the texts of marks are: at the top of the tracks, or on the track that they are about. Pure. */
import type { Mark } from './marks';
import { rowTop, scrolledTop, type Scene } from './scene';

export const FLAG_HEIGHT = 16;
const CHARACTER_PX = 6.1;
const PADDING_PX = 6;
const WIDEST_PX = 230;
const GAP_PX = 4;
const TOP_PX = 4;
/** Flags that would overlap go below each other, this often. */
const LEVELS = 4;

export interface MarkFlag {
  /** Of its mark. */
  position: number;
  x: number;
  y: number;
  width: number;
  text: string;
}

/** The flags of all kept marks that have a text or a track, left to right. */
export function flagsOf(scene: Scene): MarkFlag[] {
  const { marks, viewport, geometry } = scene;
  const shown = marks
    .map((mark, position) => ({ mark, position, x: viewport.pxOfTime(mark.startPs) }))
    .filter(({ mark }) => mark.isKept && (mark.text !== '' || mark.track !== null))
    .sort((one, other) => one.x - other.x);
  const ends = Array.from({ length: LEVELS }, () => -Infinity);
  const flags: MarkFlag[] = [];
  for (const { mark, position, x } of shown) {
    const text = mark.text || '·';
    const width = Math.min(WIDEST_PX, text.length * CHARACTER_PX + 2 * PADDING_PX);
    let y = rowOf(scene, mark);
    if (y === null) {
      const level = Math.max(0, ends.findIndex((end) => end < x));
      ends[level] = x + width + GAP_PX;
      y = geometry.headHeight + TOP_PX + level * (FLAG_HEIGHT + 2);
    }
    if (x + width >= 0 && x <= geometry.width) flags.push({ position, x, y, width, text });
  }
  return flags;
}

/** Top of the row that a mark is about; null if it is about none, or if the row is not in sight. */
export function rowOf({ layout, geometry }: Scene, { track }: Mark): number | null {
  const row = track === null ? undefined : layout.rowOfTrack.get(track);
  if (!row) return null;
  const y = rowTop(geometry, row);
  return y >= scrolledTop(geometry) && y < geometry.height ? y : null;
}

/** The flag under a point. */
export function flagAt(scene: Scene, x: number, y: number): MarkFlag | undefined {
  if (y < scene.geometry.headHeight) return undefined;
  const isIn = (flag: MarkFlag) =>
    x >= flag.x && x < flag.x + flag.width && y >= flag.y && y < flag.y + FLAG_HEIGHT;
  return flagsOf(scene).findLast(isIn);
}
