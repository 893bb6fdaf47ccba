/**
 * The critical path as a strip under the step ruler: which stretches are visible, which are merged
 * because they are narrower than a pixel, and what is under a point.
 */
import { formatCount } from '../format/numbers';
import type { CriticalPathReport } from '../wire/generated/CriticalPathReport';
import type { PathRow } from '../wire/generated/PathRow';
import { PATH_RULER_HEIGHT, type Geometry } from './scene';
import type { Viewport } from './viewport';

/** The maximum number of stretches on the strip. */
export const PATH_LIMIT = 20_000;

/** Pixels next to a narrow stretch that still count as a hit. */
const REACH_PX = 3;

/** What the strip shows. */
export interface PathRuler {
  /** Stretches by start. Those of two steps may overlap. */
  rows: readonly PathRow[];
  /** For each stretch the latest end of it and all before it. */
  latestEnd: Float64Array;
  /** What is said after the last stretch, or without any; may be empty. */
  words: string;
}

/** A stretch, or several that share a pixel. */
export interface PathHit {
  /** The longest of them. */
  row: PathRow;
  startPs: number;
  endPs: number;
  /** How many there are; 1 unless merged. */
  count: number;
}

/** Called for each piece of the strip from left to right, the longest stretch of it first. */
export type VisitPiece = (row: PathRow, startPs: number, endPs: number, count: number) => void;

/** A strip without stretches, which says why. */
export function pathOfWords(words: string): PathRuler {
  return { rows: [], latestEnd: new Float64Array(0), words };
}

/** The strip of a report. */
export function pathOf(report: CriticalPathReport): PathRuler {
  if (!report.is_admitted) return pathOfWords(`No critical path: ${report.refusal}`);
  if (report.rows.length === 0) return pathOfWords('No critical path in the selection');
  const inPlace = report.rows.filter((row) => !row.is_scattered);
  const rows = inPlace.sort((one, other) => one.start_ps - other.start_ps);
  const latestEnd = new Float64Array(rows.length);
  let latestPs = -Infinity;
  rows.forEach((row, i) => {
    latestPs = Math.max(latestPs, row.start_ps + row.duration_ps);
    latestEnd[i] = latestPs;
  });
  const [shown, all] = [report.rows.length, report.row_count];
  const cut = `The first ${formatCount(shown)} of ${formatCount(all)} stretches`;
  const words = shown < all ? `${cut}; select fewer steps to see the others` : '';
  return { rows, latestEnd, words };
}

/** Index of the first stretch that ends after the time; the number of stretches if none does. */
export function firstRowAfter(path: PathRuler, timePs: number): number {
  let low = 0;
  let high = path.rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (path.latestEnd[middle]! <= timePs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Visits what is visible between two times. Stretches narrower than a pixel that start in the same
 * pixel are one piece; pixels are counted from time 0, so that a pan does not merge them anew.
 */
export function visitPath(
  path: PathRuler,
  fromPs: number,
  toPs: number,
  psPerPx: number,
  visit: VisitPiece,
): void {
  const { rows } = path;
  let longest: PathRow | null = null;
  let [cell, startPs, endPs, count] = [0, 0, 0, 0];
  const finish = () => {
    if (longest && endPs > fromPs) visit(longest, startPs, endPs, count);
    longest = null;
  };
  // From the pixel before, so that the first piece is merged as if everything were visible.
  const beginPs = (Math.floor(fromPs / psPerPx) - 1) * psPerPx;
  for (let i = firstRowAfter(path, beginPs); i < rows.length; i++) {
    const row = rows[i]!;
    if (row.start_ps >= toPs) break;
    const ends = row.start_ps + row.duration_ps;
    if (row.duration_ps >= psPerPx) {
      finish();
      if (ends > fromPs) visit(row, row.start_ps, ends, 1);
      continue;
    }
    const own = Math.floor(row.start_ps / psPerPx);
    if (longest && own === cell) {
      if (row.duration_ps > longest.duration_ps) longest = row;
      endPs = Math.max(endPs, ends);
      count++;
      continue;
    }
    finish();
    [longest, cell, startPs, endPs, count] = [row, own, row.start_ps, ends, 1];
  }
  finish();
}

/** The piece at a time, the uppermost if several overlap, else the nearest one within reach. */
export function hitPath(path: PathRuler, timePs: number, psPerPx: number): PathHit | null {
  const reachPs = REACH_PX * psPerPx;
  let best: PathHit | null = null;
  let bestDistance = reachPs;
  visitPath(path, timePs - reachPs, timePs + reachPs, psPerPx, (row, startPs, endPs, count) => {
    const distance = Math.max(startPs - timePs, timePs - endPs, 0);
    if (distance > bestDistance) return;
    best = { row, startPs, endPs, count };
    bestDistance = distance;
  });
  return best;
}

/** Whether a height of the canvas is on the strip. */
export function isOnPath(geometry: Geometry, y: number): boolean {
  const top = geometry.headHeight - PATH_RULER_HEIGHT;
  return geometry.hasPathRuler && y >= top && y < geometry.headHeight;
}

/** Where the words begin: after the last stretch; Infinity if there are none. */
export function wordsPx(path: PathRuler, viewport: Viewport): number {
  if (!path.words) return Infinity;
  const lastPs = path.latestEnd.at(-1);
  return lastPs === undefined ? 0 : Math.max(0, viewport.pxOfTime(lastPs));
}

/** The text, shortened to fit; empty if there is too little room. */
export function fittingText(text: string, room: number, widthOf: (text: string) => number): string {
  const width = widthOf(text);
  if (width <= room) return text;
  let characters = Math.floor((room / width) * text.length);
  while (characters > 1 && widthOf(`${text.slice(0, characters)}…`) > room) characters--;
  return characters > 1 ? `${text.slice(0, characters)}…` : '';
}
