/**
 * The formatter of all figures. `formatX(value)` picks the unit that suits the value;
 * `columnScale(kind, values)` fixes one unit for a whole column, for tables and axes.
 * A narrow no-break space separates number and unit.
 *
 * The engine's sentences follow the same rule (`crates/analysis/src/telling/format.rs`, which states
 * it), and both are tested on its `format_examples.txt`.
 */

/** What a number measures; decides its units. */
export type Kind = 'duration' | 'bytes' | 'bandwidth' | 'flops' | 'flop_rate' | 'ratio' | 'count';

/** A unit and its size in base units (ps, bytes, FLOP, 1). */
interface Unit {
  name: string;
  size: number;
}

const DECIMAL = ['', 'k', 'M', 'G', 'T', 'P', 'E'] as const;

const UNITS: Record<Kind, readonly Unit[]> = {
  duration: [
    { name: 'ps', size: 1 },
    { name: 'ns', size: 1e3 },
    { name: 'µs', size: 1e6 },
    { name: 'ms', size: 1e9 },
    { name: 's', size: 1e12 },
  ],
  bytes: ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'].map((name, index) => ({
    name,
    size: 1024 ** index,
  })),
  bandwidth: DECIMAL.map((prefix, index) => ({ name: `${prefix}B/s`, size: 1e3 ** index })),
  flops: DECIMAL.map((prefix, index) => ({ name: `${prefix}FLOP`, size: 1e3 ** index })),
  flop_rate: DECIMAL.map((prefix, index) => ({ name: `${prefix}FLOP/s`, size: 1e3 ** index })),
  ratio: [{ name: '%', size: 0.01 }],
  count: [{ name: '', size: 1 }],
};

/** Base units, usually shown without decimals. */
const WHOLE = new Set(['ps', 'B', 'FLOP', '']);

const SPACE = '\u202f';
export const MISSING = '–';

/** A value with the unit that suits it, such as `12.34 ms`; `–` if it is missing. */
export function format(kind: Kind, value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return MISSING;
  if (kind === 'ratio') return percent(value);
  if (kind === 'count') return rounded(value, isWholeCount(value) ? 0 : 2);
  if (kind === 'duration' && value === 0) return withUnit('0', 's');
  const unit = unitFor(kind, Math.abs(value));
  const scaled = value / unit.size;
  return withUnit(rounded(scaled, decimalsFor(unit, Math.abs(scaled))), unit.name);
}

/** One decimal, below 0.1 % two; a share must not read as zero. */
function percent(ratio: number): string {
  const percent = Math.abs(ratio) * 100;
  const hundredths = Math.round(percent * 100);
  if (hundredths >= 10 || percent === 0) return withUnit(rounded(ratio * 100, 1), '%');
  const sign = ratio < 0 ? '−' : '';
  if (hundredths === 0) return withUnit(`${sign}<0.01`, '%');
  return withUnit(`${sign}${rounded(percent, 2)}`, '%');
}

const isWholeCount = (count: number) => Number.isInteger(count) || Math.abs(count) >= 1000;

export const formatDuration = (ps: number | null | undefined) => format('duration', ps);
export const formatBytes = (bytes: number | null | undefined) => format('bytes', bytes);
export const formatRatio = (ratio: number | null | undefined) => format('ratio', ratio);
export const formatCount = (count: number | null | undefined) => format('count', count);

/** One unit for many values: text without the unit, and the unit for the header. */
export interface Scale {
  unit: string;
  /** Base units per unit of the scale. */
  size: number;
  text: (value: number | null | undefined) => string;
}

/** Size of the unit for a column of zeros: the usual unit of such figures. */
const ZERO_SIZE: Partial<Record<Kind, number>> = { duration: 1e9, bandwidth: 1e9, flop_rate: 1e9 };

/** One scale for all values, chosen by the largest; for rates, by the geometric mean. */
export function columnScale(kind: Kind, values: Iterable<number | null | undefined>): Scale {
  const known = [...values].filter((value): value is number => Number.isFinite(value));
  const magnitudes = known.map((value) => Math.abs(value)).filter((value) => value > 0);
  const largest = magnitudes.reduce((most, value) => Math.max(most, value), 0);
  const unit = columnUnit(kind, largest || (ZERO_SIZE[kind] ?? 0), magnitudes);
  const isWhole = kind === 'count' && known.every((value) => Number.isInteger(value));
  const isNothing = largest === 0 && kind !== 'ratio';
  const decimals = isWhole || isNothing ? 0 : columnDecimals(kind, unit, largest / unit.size);
  const least = 10 ** -decimals;
  // Dashes have no unit.
  const name = known.length > 0 ? unit.name : '';
  return sameScale(`${kind} ${name} ${unit.size} ${decimals}`, () => ({
    unit: name,
    size: unit.size,
    text: (value) => {
      if (value === null || value === undefined || !Number.isFinite(value)) return MISSING;
      const scaled = value / unit.size;
      // A small figure must not read as zero.
      if (scaled > 0 && scaled < least / 2) return `<${fixed(least, decimals)}`;
      if (scaled >= 1e6 && kind !== 'count') return scaled.toExponential(2).replace('e+', 'e');
      return fixed(scaled, decimals);
    },
  }));
}

const SCALES = new Map<string, Scale>();

/** Equal scales are one object, so that a table whose values change notices that their scale does not. */
function sameScale(key: string, make: () => Scale): Scale {
  const known = SCALES.get(key);
  if (known) return known;
  const made = make();
  SCALES.set(key, made);
  return made;
}

/** Kinds whose units differ by factors that a column of very different values needs. */
const SPANNING: ReadonlySet<Kind> = new Set(['duration', 'bytes', 'bandwidth', 'flops', 'flop_rate']);
/** From this ratio of the largest to the smallest value on, one unit does not suit all of them. */
const WIDEST_SPAN = 1e3;

/** Whether the values span so many orders of magnitude that each needs its own unit. */
export function isWide(kind: Kind, values: Iterable<number | null | undefined>): boolean {
  if (!SPANNING.has(kind)) return false;
  let [least, most] = [Infinity, 0];
  for (const value of values) {
    const size = Math.abs(value ?? 0);
    if (!(size > 0) || !Number.isFinite(size)) continue;
    if (size < least) least = size;
    if (size > most) most = size;
  }
  return most > least * WIDEST_SPAN;
}

/**
 * One unit for figures that are read together, such as the statistics of one row, shown with each of
 * them. A figure too small for it has its own.
 */
export function ownScale(kind: Kind, values: readonly (number | null | undefined)[]): Scale {
  const sizes = values.map((value) => Math.abs(value ?? 0)).filter((value) => value > 0);
  const largest = sizes.reduce((most, value) => Math.max(most, value), 0);
  const unit = unitFor(kind, largest);
  const decimals = columnDecimals(kind, unit, largest / unit.size);
  return sameScale(`${kind} each ${unit.size} ${decimals}`, () => ({
    unit: '',
    size: unit.size,
    text: (value) => {
      if (value === null || value === undefined || !Number.isFinite(value)) return MISSING;
      if (value === 0) return '0';
      // It would have no digit left, or only a rounded one.
      const isTiny = Math.abs(value) / unit.size < Math.max(1 / WIDEST_SPAN, 10 ** -decimals);
      return isTiny ? format(kind, value) : withUnit(fixed(value / unit.size, decimals), unit.name);
    },
  }));
}

function columnUnit(kind: Kind, largest: number, magnitudes: readonly number[]): Unit {
  // Columns often mix seconds and microseconds; milliseconds show both.
  if (kind === 'duration' && largest < 10e12) return unitFor(kind, Math.min(largest, 0.9e12));
  if (kind === 'bandwidth' || kind === 'flop_rate') {
    // A copy that takes almost no time has an absurd rate, which must not set the unit for all others.
    if (magnitudes.length === 0) return unitFor(kind, largest);
    const logarithms = magnitudes.reduce((sum, value) => sum + Math.log(value), 0);
    return unitFor(kind, Math.exp(logarithms / magnitudes.length));
  }
  return unitFor(kind, largest);
}

/** Time since the start of the session, for axes and titles: `1.204 s`, always with its unit. */
export function formatTime(ps: number, resolutionPs = 0): string {
  const unit = unitFor('duration', Math.abs(ps));
  const wanted = resolutionPs > 0 ? Math.ceil(-Math.log10(resolutionPs / unit.size)) : 3;
  const decimals = WHOLE.has(unit.name) ? 0 : Math.min(9, Math.max(0, wanted));
  return withUnit(fixed(ps / unit.size, decimals), unit.name);
}

/** The local date and minute of an epoch time, `2026-11-21 08:46`. */
export function formatDate(epochMs: number | null | undefined): string {
  if (epochMs === null || epochMs === undefined) return MISSING;
  const date = new Date(epochMs);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** `1 step`, `20 steps`, `2 copies`. */
export function plural(count: number, one: string, many = pluralOf(one)): string {
  return `${formatCount(count)}\u00a0${count === 1 ? one : many}`;
}

/** The plural of a noun: `steps`, `copies`, `batches`. */
export function pluralOf(one: string): string {
  if (one.endsWith('ous')) return one;
  if (/[^aeiou]y$/.test(one)) return `${one.slice(0, -1)}ies`;
  return /(s|x|ch|sh)$/.test(one) ? `${one}es` : `${one}s`;
}

/** The largest unit in which the value does not round to less than 1. */
function unitFor(kind: Kind, magnitude: number): Unit {
  const units = UNITS[kind];
  let chosen = units[0] as Unit;
  for (const unit of units.slice(1)) {
    if (magnitude / chosen.size < roundsTo(unit.size / chosen.size)) break;
    chosen = unit;
  }
  return chosen;
}

/** The smallest number that rounds to this number of units, which has one decimal below 1000. */
const roundsTo = (units: number) => units - (units > 1000 ? 0.5 : 0.05);

/** Four significant digits; whole base units have no decimals. */
function decimalsFor(unit: Unit, scaled: number): number {
  if (unit.size === 1 && Number.isInteger(scaled)) return 0;
  if (scaled >= roundsTo(1000)) return 0;
  if (scaled >= 99.995) return 1;
  return scaled >= 9.9995 ? 2 : 3;
}

function columnDecimals(kind: Kind, unit: Unit, top: number): number {
  if (kind === 'ratio') return 1;
  if (WHOLE.has(unit.name)) return kind === 'count' && top < 100 ? 1 : 0;
  if (kind === 'duration') return top >= 1000 ? 1 : top >= 100 ? 2 : 3;
  return top >= 100 ? 1 : 2;
}

function withUnit(text: string, unit: string): string {
  return unit ? `${text}${SPACE}${unit}` : text;
}

/** The same for single figures, with halves rounded away from zero as in the engine. */
function rounded(value: number, decimals: number): string {
  const factor = 10 ** decimals;
  return fixed((Math.sign(value) * Math.round(Math.abs(value) * factor)) / factor, decimals);
}

/** Fixed decimals with thousands separators and a true minus sign. */
function fixed(value: number, decimals: number): string {
  const [whole = '0', part] = Math.abs(value).toFixed(decimals).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  const text = part ? `${grouped}.${part}` : grouped;
  const isZero = /^[0.,]*$/.test(text);
  return value < 0 && !isZero ? `−${text}` : text;
}
