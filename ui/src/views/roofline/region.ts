/** A lasso or a rectangle drawn over the roofline: which ops it contains. Pure. */
import type { RooflineRow } from '../../wire/generated/RooflineRow';
import { encloses } from '../../widgets/chart/lasso';
import { parseRange, type Range } from '../../widgets/chart/zoom';

/** Intensity in FLOP/B and rate in FLOP/s. */
export interface Corner {
  intensity: number;
  rate: number;
}

export type Region =
  | { shape: 'rectangle'; intensity: Range; rate: Range }
  | { shape: 'lasso'; corners: readonly Corner[] };

/** The two parameters of the address, of which at most one is set. */
export interface RegionParams {
  /** As `0.1..10,1e9..1e12`: intensity and rate. */
  box: string | null;
  /** As `0.1,1e9;10,1e9;1,1e12`: the corners. */
  lasso: string | null;
}

export function parseRegion(params: { [Key in keyof RegionParams]?: string | undefined }): Region | null {
  return parseLasso(params.lasso) ?? parseBox(params.box);
}

function parseBox(text: string | undefined): Region | null {
  const [first, second] = (text ?? '').split(',');
  const [intensity, rate] = [parseRange(first), parseRange(second)];
  return intensity && rate ? { shape: 'rectangle', intensity, rate } : null;
}

function parseLasso(text: string | undefined): Region | null {
  const corners = (text ?? '').split(';').map((pair) => {
    const [intensity = NaN, rate = NaN] = pair.split(',').map(Number);
    return { intensity, rate };
  });
  // The axes are logarithmic.
  const isPlace = ({ intensity, rate }: Corner) =>
    [intensity, rate].every((value) => Number.isFinite(value) && value > 0);
  return corners.length > 2 && corners.every(isPlace) ? { shape: 'lasso', corners } : null;
}

/** Four digits place the edges within a pixel. */
export function formatRegion(region: Region | null): RegionParams {
  if (region?.shape === 'lasso') {
    const pairs = region.corners.map(({ intensity, rate }) => `${digits(intensity)},${digits(rate)}`);
    return { box: null, lasso: pairs.join(';') };
  }
  if (!region) return { box: null, lasso: null };
  const text = ({ from, to }: Range) => `${digits(from)}..${digits(to)}`;
  return { box: `${text(region.intensity)},${text(region.rate)}`, lasso: null };
}

/** As short as can be: `2.346e12`, `0.1235`. */
function digits(value: number): string {
  const plain = String(Number(value.toPrecision(4)));
  const short = Number(value.toPrecision(4)).toExponential().replace('+', '');
  return short.length < plain.length ? short : plain;
}

/** The ops within, by their intensity for the chosen memory. Ops without known figures are outside. */
export function rowsWithin(
  rows: readonly RooflineRow[],
  region: Region,
  intensityOf: (row: RooflineRow) => number | null,
): RooflineRow[] {
  const contains = region.shape === 'rectangle' ? isInBox(region) : isInLasso(region.corners);
  return rows.filter((row) => {
    const [intensity, rate] = [intensityOf(row), row.flop_rate];
    return intensity !== null && rate !== null && contains({ intensity, rate });
  });
}

function isInBox(box: { intensity: Range; rate: Range }): (at: Corner) => boolean {
  const isIn = (value: number, { from, to }: Range) => from <= value && value <= to;
  return ({ intensity, rate }) => isIn(intensity, box.intensity) && isIn(rate, box.rate);
}

/** Its lines are straight on the logarithmic axes. */
function isInLasso(corners: readonly Corner[]): (at: Corner) => boolean {
  const placeOf = ({ intensity, rate }: Corner) => ({ x: Math.log(intensity), y: Math.log(rate) });
  const line = corners.map(placeOf);
  return (at) => at.intensity > 0 && at.rate > 0 && encloses(line, placeOf(at));
}
