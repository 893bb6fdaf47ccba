/** A rectangle drawn over the roofline: which ops it contains. Pure. */
import type { RooflineRow } from '../../wire/generated/RooflineRow';
import { parseRange, type Range } from '../../widgets/chart/zoom';

/** Ranges of intensity and of rate, in FLOP/B and FLOP/s. */
export interface Box {
  intensity: Range;
  rate: Range;
}

/** As in the address: `0.1..10,1e9..1e12`. */
export function parseBox(text: string | undefined): Box | null {
  const [first, second] = (text ?? '').split(',');
  const [intensity, rate] = [parseRange(first), parseRange(second)];
  return intensity && rate ? { intensity, rate } : null;
}

/** Four digits place the edges within a pixel. */
export function formatBox({ intensity, rate }: Box): string {
  const text = ({ from, to }: Range) => `${digits(from)}..${digits(to)}`;
  return `${text(intensity)},${text(rate)}`;
}

const digits = (value: number) => String(Number(value.toPrecision(4)));

/** The ops within, by their intensity for the chosen memory. Ops without known figures are outside. */
export function rowsWithin(
  rows: readonly RooflineRow[],
  box: Box,
  intensityOf: (row: RooflineRow) => number | null,
): RooflineRow[] {
  const isIn = (value: number | null, { from, to }: Range) =>
    value !== null && from <= value && value <= to;
  return rows.filter(
    (row) => isIn(intensityOf(row), box.intensity) && isIn(row.flop_rate, box.rate),
  );
}
