/** Colors of series, and the legend that names them. Pure. */
import { formatCount } from '../../format/numbers';
import { CLASS_COLORS, classColor, partColor, PARTS } from '../../format/palette';

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

/** What stands for a missing name. */
const NO_NAME = '–';
const isClass = (name: string) => name in CLASS_COLORS;
const isPart = (name: string) => PARTS.some(({ part }) => part === name);

/**
 * The color of each series, in order. Classes of ops and parts of a step have the colors that they have
 * everywhere, as long as every name is one of them; other names have the next color of the list.
 */
export function colorsOf(names: readonly string[]): string[] {
  const named = names.filter((name) => name !== NO_NAME);
  const meaning = [
    { isKnown: isClass, colorOf: classColor },
    { isKnown: isPart, colorOf: partColor },
  ].find(({ isKnown }) => named.length > 0 && named.every(isKnown));
  return names.map((name, at) =>
    meaning ? (name === NO_NAME ? MORE_COLORS : meaning.colorOf(name)) : seriesColor(at),
  );
}

export interface LegendEntry {
  title: string;
  color: string;
  tip?: string;
}

/** Every series with a color of its own, then which share one. */
export function seriesLegend(names: readonly string[]): LegendEntry[] {
  const colors = colorsOf(names);
  const all = names.map((title, at) => ({ title, color: colors[at] ?? MORE_COLORS }));
  const isByName = colors.some((color, at) => color !== seriesColor(at));
  const own = isByName ? all : all.slice(0, MOST_COLORS);
  const rest = names.slice(own.length);
  if (rest.length === 0) return own;
  const more = rest.length > NAMED ? ', …' : '';
  const title = `${formatCount(rest.length)} more: ${rest.slice(0, NAMED).join(', ')}${more}`;
  return [...own, { title, color: MORE_COLORS, tip: rest.join('\n') }];
}
