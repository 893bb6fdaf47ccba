/** The figures behind a chart, as CSV. Pure. */
import type { Axis } from './axis';
import type { Frame } from './frame';
import type { Place } from './points';

export interface ChartData {
  columns: readonly string[];
  rows: readonly (readonly (string | number | null)[])[];
}

export function chartCsv({ columns, rows }: ChartData): string {
  return `${[columns, ...rows].map((row) => row.map(quote).join(',')).join('\n')}\n`;
}

/** What the axes say about the points, for charts that do not state their figures. */
export function dataFromAxes(
  frame: Frame,
  x: Axis | null,
  y: Axis | null,
  count: number,
  placeOf: (index: number) => Place,
): ChartData {
  const across = (place: Place) => x?.scale.value(place.x / frame.width) ?? place.x;
  const upwards = (place: Place) => y?.scale.value(1 - place.y / frame.height) ?? place.y;
  const places = Array.from({ length: count }, (_, index) => placeOf(index));
  return {
    columns: [x?.title || 'x', y?.title || 'y'],
    rows: places.map((place) => [across(place), upwards(place)]),
  };
}

function quote(value: string | number | null): string {
  const text = value === null ? '' : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}
