/** Colors of series, and the legend that names them. Pure. */
import { formatCount } from '../../format/numbers';

/** Distinguishable, none of them red; neighbors differ in lightness. */
const COLORS = [
  ...['#3f7fd0', '#d29a2d', '#2f9e83', '#8f74d6', '#c882a9', '#8a6a45', '#6f7a89'],
  ...['#5bb8d9', '#e2783a', '#a3b93f', '#b04a86'],
];
const MORE_COLORS = '#97a1af';

/** Later series share one color. */
export const MOST_COLORS = COLORS.length;
/** Series of one color that the legend names; the others are on hover. */
const NAMED = 3;

export const seriesColor = (series: number) => COLORS[series] ?? MORE_COLORS;

export interface LegendEntry {
  title: string;
  color: string;
  tip?: string;
}

/** Every series with a color of its own, then which share one. */
export function seriesLegend(names: readonly string[]): LegendEntry[] {
  const own = names.slice(0, MOST_COLORS).map((title, at) => ({ title, color: seriesColor(at) }));
  const rest = names.slice(MOST_COLORS);
  if (rest.length === 0) return own;
  const more = rest.length > NAMED ? ', …' : '';
  const title = `${formatCount(rest.length)} more: ${rest.slice(0, NAMED).join(', ')}${more}`;
  return [...own, { title, color: MORE_COLORS, tip: rest.join('\n') }];
}
