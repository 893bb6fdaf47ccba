/** Arrows from and to the selected slice, over several hops. */
import type { SliceRefReport } from '../wire/generated/SliceRefReport';
import { arrowsOf } from './chain';
import { hostSectionsOf } from './host-sections';
import { CLASS_NAMES, TINTS } from './palette';
import { rowTop, type Scene } from './scene';
import { rowsOfSlice } from './slice-rows';

const SLOT_BY_KIND: Record<string, number> = {
  launch: 1 + CLASS_NAMES.indexOf('matmul') * TINTS,
  producer_consumer: 1 + CLASS_NAMES.indexOf('host') * TINTS,
  async: 1 + CLASS_NAMES.indexOf('attention') * TINTS,
  collective: 1 + CLASS_NAMES.indexOf('collective') * TINTS,
};
const HEAD_PX = 7;
const MAX_ARROWS = 300;
/** How strong arrows are that are not of the selected slice itself. */
const FAR_ALPHA = 0.55;

/** All arrows of the selection; those farther away are paler. */
export function drawFlows(context: CanvasRenderingContext2D, scene: Scene): void {
  const { selection, palette, chain } = scene;
  if (!selection?.details) return;
  for (const { kind, from, to, distance } of arrowsOf(selection.details, chain).slice(0, MAX_ARROWS)) {
    const fromY = laneCenter(scene, from.ref, from.startPs);
    const toY = laneCenter(scene, to.ref, to.startPs);
    if (fromY === null || toY === null) continue;
    // From the end of the cause to the start of the effect.
    const leave = from.endPs <= to.startPs ? from.endPs : from.startPs;
    const x0 = scene.viewport.pxOfTime(leave);
    const x1 = scene.viewport.pxOfTime(to.startPs);
    const color = palette.css[SLOT_BY_KIND[kind] ?? 0]!;
    context.globalAlpha = distance === 1 ? 1 : FAR_ALPHA;
    arrow(context, scene, x0, fromY, x1, toY, color);
    context.globalAlpha = 1;
  }
}

/** An arrow between two points, curved. */
export function arrow(
  context: CanvasRenderingContext2D,
  scene: Scene,
  x0: number,
  y0: number,
  x1: number,
  y1: number,
  color: string,
): void {
  const { width } = scene.geometry;
  if (Math.max(x0, x1) < -50 || Math.min(x0, x1) > width + 50) return;
  // Ends far off the screen are clamped, so that the curve keeps a sensible shape.
  const fromX = Math.min(Math.max(x0, -2000), width + 2000);
  const toX = Math.min(Math.max(x1, -2000), width + 2000);
  const bend = Math.min(Math.max(Math.abs(toX - fromX) / 2, 24), 160);
  for (const [line, style] of [
    [4, scene.palette.theme.background],
    [2, color],
  ] as const) {
    context.lineWidth = line;
    context.strokeStyle = style;
    context.beginPath();
    context.moveTo(fromX, y0);
    context.bezierCurveTo(fromX + bend, y0, toX - bend, y1, toX - HEAD_PX + 1, y1);
    context.stroke();
  }
  context.fillStyle = color;
  context.beginPath();
  context.moveTo(toX, y1);
  context.lineTo(toX - HEAD_PX, y1 - HEAD_PX / 2);
  context.lineTo(toX - HEAD_PX, y1 + HEAD_PX / 2);
  context.fill();
}

/** Vertical center of a slice on the screen, or of its group's header if its track is not shown. */
function laneCenter(scene: Scene, ref: SliceRefReport, startPs: number): number | null {
  const { layout, geometry, report } = scene;
  const scrolled = layout.rowOfTrack.get(ref.track);
  if (scrolled) {
    const found = rowsOfSlice(scene, ref, startPs).find(({ row }) => !row.isPinnedCopy);
    const lane = found?.lane ?? scrolled.laneCount - 1;
    return rowTop(geometry, scrolled) + (lane + 0.5) * layout.laneHeight;
  }
  const group = report.groups.find((candidate) =>
    candidate.tracks.some((member) => member.track === ref.track),
  );
  const section = group && hostSectionsOf(report).get(group);
  for (const candidate of layout.rows) {
    if (candidate.kind !== 'group') continue;
    const isClosedHost = candidate.isClosed && candidate.group === section;
    if (candidate.group === group || isClosedHost) {
      return rowTop(geometry, candidate) + candidate.height / 2;
    }
  }
  return null;
}
