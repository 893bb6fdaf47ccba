/** The heat map of steps and places: what is drawn where, and in which color. Pure. */
import { CLASS_COLORS } from '../../format/palette';
import { slotIndex, type Size } from '../../widgets/chart/points';
import type { HostCell } from '../../wire/generated/HostCell';

/** Opacity of the color of zero. */
const LEAST_STRENGTH = 0.08;

/** What a cell can show. */
export const METRICS = [
  { key: 'duration_ps', title: 'Step time', color: '#3f7fd0' },
  { key: 'lateness_ps', title: 'Lateness', color: '#d06b3f' },
  { key: 'device_compute_ps', title: 'Device compute', color: CLASS_COLORS.compute },
  { key: 'collectives_ps', title: 'Collectives', color: CLASS_COLORS.collective },
  { key: 'copies_ps', title: 'Copies', color: CLASS_COLORS.copy },
  { key: 'python_callbacks_ps', title: 'Python callbacks', color: CLASS_COLORS.python },
  { key: 'input_wait_ps', title: 'Input wait', color: CLASS_COLORS.input },
  { key: 'compilation_ps', title: 'Compilation', color: CLASS_COLORS.compile },
  { key: 'host_overhead_ps', title: 'Host overhead', color: CLASS_COLORS.host },
  { key: 'idle_ps', title: 'Idle', color: '#7b8794' },
] as const;
export type Metric = (typeof METRICS)[number]['key'];

/** Values over steps and places, absent ones missing. */
export interface Heat {
  stepCount: number;
  placeCount: number;
  /** By place, then step. */
  cells: (HostCell | undefined)[];
  least: number;
  most: number;
}

export function heatOf(
  cells: readonly HostCell[],
  stepCount: number,
  placeCount: number,
  metric: Metric,
): Heat {
  const heat: Heat = {
    stepCount,
    placeCount,
    cells: Array.from({ length: stepCount * placeCount }),
    least: Infinity,
    most: -Infinity,
  };
  for (const cell of cells) {
    heat.cells[cell.place * stepCount + cell.step] = cell;
    const value = cell[metric];
    if (value === null) continue;
    heat.least = Math.min(heat.least, value);
    heat.most = Math.max(heat.most, value);
  }
  return heat;
}

/** Metrics that are not zero in every cell. */
export function metricsOf(cells: readonly HostCell[]): (typeof METRICS)[number][] {
  return METRICS.filter(({ key }) => cells.some((cell) => (cell[key] ?? 0) !== 0));
}

/** Strength of the color of a value, 0..1. It starts at zero, or at the minimum if that is negative. */
export function strength(value: number, heat: Heat): number {
  const from = Math.min(0, heat.least);
  const range = heat.most - from;
  return range > 0 ? (value - from) / range : 0;
}

/** Opacity of the color of a value. */
export const opacity = (value: number, heat: Heat) =>
  LEAST_STRENGTH + (1 - LEAST_STRENGTH) * strength(value, heat);

/** The number of the cell under a point, counted by place, then step. */
export function cellAt(
  x: number,
  y: number,
  width: number,
  height: number,
  heat: Heat,
): number | null {
  const place = slotIndex(heat.placeCount, y, height);
  const step = slotIndex(heat.stepCount, x, width);
  return place === null || step === null ? null : place * heat.stepCount + step;
}

/** Draws the cells; a line marks where a device took no part. */
export function drawHeat(
  context: CanvasRenderingContext2D,
  frame: Size,
  heat: Heat,
  metric: { key: Metric; color: string },
  missingColor: string,
): void {
  const { stepCount, placeCount, cells } = heat;
  const width = frame.width / Math.max(1, stepCount);
  const height = frame.height / Math.max(1, placeCount);
  const gap = width > 6 && height > 6 ? 1 : 0;
  for (let place = 0; place < placeCount; place += 1) {
    for (let step = 0; step < stepCount; step += 1) {
      const value = cells[place * stepCount + step]?.[metric.key];
      const isMissing = value === undefined || value === null;
      context.globalAlpha = isMissing ? 1 : opacity(value, heat);
      context.fillStyle = isMissing ? missingColor : metric.color;
      const top = place * height + (isMissing ? height / 2 - 0.5 : 0);
      context.fillRect(step * width, top, width - gap, isMissing ? 1 : height - gap);
    }
  }
  context.globalAlpha = 1;
}
