/**
 * Ticks of the time ruler, at round steps. Labels stay short at any zoom: where needed, they are
 * relative to a base that is shown once at the left.
 */
import { roundStep } from '../widgets/chart/ticks';
import type { TimeWindow } from './viewport';

const UNITS: readonly [string, number][] = [
  ['s', 1e12],
  ['ms', 1e9],
  ['µs', 1e6],
  ['ns', 1e3],
  ['ps', 1],
];

/** Ticks for one window. */
export interface TimeAxis {
  stepPs: number;
  /** Time of the first tick; the next ones follow every `stepPs`. */
  firstPs: number;
  count: number;
  /** Unlabeled ticks between two labeled ones. */
  minorCount: number;
  /** The time that labels are relative to; 0 if they are absolute. */
  basePs: number;
  unitName: string;
  unitPs: number;
  decimals: number;
}

/** Ticks at least `minimumPx` apart. */
export function timeAxis(window: TimeWindow, widthPx: number, minimumPx: number): TimeAxis {
  const psPerPx = (window.endPs - window.startPs) / widthPx;
  const stepPs = Math.max(1, roundStep(psPerPx * minimumPx));
  const firstPs = Math.ceil(window.startPs / stepPs - 1e-9) * stepPs;
  const count = Math.max(0, Math.floor((window.endPs - firstPs) / stepPs) + 1);
  const leading = Math.round(stepPs / 10 ** Math.floor(Math.log10(stepPs) + 1e-9));
  const largest = Math.max(Math.abs(window.startPs), Math.abs(window.endPs), stepPs);
  const isDeep = largest / stepPs >= 2e4;
  const basePs = isDeep ? Math.floor(window.startPs / (stepPs * 100)) * stepPs * 100 : 0;
  const extent = isDeep ? window.endPs - basePs : largest;
  const [unitName, unitPs] = unitFor(extent, stepPs);
  const decimals = Math.max(0, Math.ceil(Math.log10(unitPs / stepPs) - 1e-9));
  return {
    stepPs,
    firstPs,
    count,
    minorCount: leading === 2 ? 3 : 4,
    basePs,
    unitName,
    unitPs,
    decimals: Math.min(decimals, 6),
  };
}

/** Label of a tick, without the base. */
export function tickLabel(axis: TimeAxis, timePs: number): string {
  const value = (timePs - axis.basePs) / axis.unitPs;
  const text = Math.abs(value).toFixed(axis.decimals);
  const sign = value < -1e-9 ? '-' : axis.basePs !== 0 ? '+' : '';
  return `${sign}${text} ${axis.unitName}`;
}

/** The base as text with all the digits that the ticks leave out; empty when there is none. */
export function baseLabel(axis: TimeAxis): string {
  if (axis.basePs === 0) return '';
  return exactTime(axis.basePs);
}

/** A time in seconds, in groups of three digits without trailing zero groups: `1.234 567 s`. */
export function exactTime(timePs: number): string {
  const sign = timePs < 0 ? '-' : '';
  const whole = Math.floor(Math.abs(timePs) / 1e12);
  const fraction = digitsOf(Math.round(Math.abs(timePs) - whole * 1e12));
  const groups = (fraction.match(/.{3}/g) ?? []).join(' ').replace(/( 000)+$/, '');
  const shown = groups === '000' ? '0' : groups;
  return `${sign}${whole}.${shown} s`;
}

/** The twelve digits of a part of a second. */
export function digitsOf(fractionPs: number): string {
  return String(fractionPs).padStart(12, '0');
}

/** The largest unit that is at most the range and in which a step needs at most three decimals. */
function unitFor(extentPs: number, stepPs: number): [string, number] {
  for (const [name, unitPs] of UNITS) {
    if (extentPs >= unitPs && stepPs >= unitPs / 1000) return [name, unitPs];
  }
  return ['ps', 1];
}
