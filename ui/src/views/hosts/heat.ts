/** The heat map of steps and places: what is drawn where, and in which colour. Pure. */
import { CLASS_COLOURS, PARTS } from '../../format/palette';
import type { HostCell } from '../../wire/generated/HostCell';

/** What a cell can show. */
export const METRICS = [
  { key: 'duration_ps', title: 'Step time', colour: '#3f7fd0' },
  { key: 'lateness_ps', title: 'Lateness', colour: '#d06b3f' },
  { key: 'device_compute_ps', title: 'Device compute', colour: CLASS_COLOURS.compute },
  { key: 'collectives_ps', title: 'Collectives', colour: CLASS_COLOURS.collective },
  { key: 'copies_ps', title: 'Copies', colour: CLASS_COLOURS.copy },
  { key: 'python_callbacks_ps', title: 'Python callbacks', colour: CLASS_COLOURS.python },
  { key: 'input_wait_ps', title: 'Input wait', colour: CLASS_COLOURS.input },
  { key: 'compilation_ps', title: 'Compilation', colour: CLASS_COLOURS.compile },
  { key: 'host_overhead_ps', title: 'Host overhead', colour: CLASS_COLOURS.host },
  { key: 'idle_ps', title: 'Idle', colour: '#7b8794' },
] as const;
export type Metric = (typeof METRICS)[number]['key'];

/** Parts that a metric names have the title of the palette. */
export const PART_TITLES: ReadonlyMap<string, string> = new Map(
  PARTS.map((part) => [`${part.part}_ps`, part.title]),
);

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

/** Metrics that some cell has; what is zero throughout says nothing. */
export function metricsOf(cells: readonly HostCell[]): (typeof METRICS)[number][] {
  return METRICS.filter(({ key }) => cells.some((cell) => (cell[key] ?? 0) !== 0));
}

/** How strongly a value is coloured, 0..1: from zero, so that two maps of one metric compare. */
export function strength(value: number, heat: Heat): number {
  const from = Math.min(0, heat.least);
  const range = heat.most - from;
  return range > 0 ? (value - from) / range : 0;
}

/** The cell under a point, as place and step. */
export function cellAt(
  x: number,
  y: number,
  width: number,
  height: number,
  heat: Heat,
): { place: number; step: number } | null {
  if (x < 0 || y < 0 || x >= width || y >= height) return null;
  return {
    place: Math.floor((y / height) * heat.placeCount),
    step: Math.floor((x / width) * heat.stepCount),
  };
}
