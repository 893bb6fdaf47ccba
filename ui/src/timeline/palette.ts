/**
 * Colors of the timeline as packed pixels and CSS text, computed once per theme change: per
 * class a few tints (so that neighbors of one class differ), per tint eight densities for merged
 * slices.
 */
import { CLASS_COLORS, textOn } from '../format/palette';

/** Tints per class. */
export const TINTS = 4;
/** Shades between nearly idle and fully busy. */
export const DENSITIES = 8;

/** Classes in slot order. */
export const CLASS_NAMES = Object.keys(CLASS_COLORS);
/** Colors for texts: by the hash of a scope, a program, a name. */
export const HUES = 20;
export const FIRST_HUE = 1 + CLASS_NAMES.length * TINTS;
/** Colors for durations: short is pale and cool, long is strong and warm. */
const DURATION_COLORS = ['#b4c3d3', '#93b3c4', '#7fae9f', '#a3b164', '#d0b03f', '#dd8420', '#c0601a'];
export const FIRST_DURATION = FIRST_HUE + HUES;
/** Slots: one for labels that are not known yet, then classes by tints, hues, durations. */
export const SLOT_COUNT = FIRST_DURATION + DURATION_COLORS.length;

const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];
const TINT_STEPS: readonly [Rgb, number][] = [
  [WHITE, 0],
  [WHITE, 0.14],
  [BLACK, 0.1],
  [WHITE, 0.26],
];

export type Rgb = readonly [number, number, number];

/** Colors that follow the theme. */
export interface ThemeColors {
  background: string;
  surface: string;
  line: string;
  strongLine: string;
  text: string;
  mutedText: string;
  accent: string;
  problem: string;
}

/** Slot order of a class; unknown classes are drawn as host work. */
export function classIndexOf(name: string): number {
  const index = CLASS_NAMES.indexOf(name);
  return index < 0 ? CLASS_NAMES.indexOf('host') : index;
}

/** Everything the draw loop needs to turn a slot into a color. */
export class Palette {
  /** Pixels by slot × density, lone slices at the last density. */
  readonly body = new Uint32Array(SLOT_COUNT * DENSITIES);
  /** The same for labels that do not match the search. */
  readonly dimmed = new Uint32Array(SLOT_COUNT * DENSITIES);
  /** Pixels by slot: the bar at the foot of merged slices that shows how many. */
  readonly count = new Uint32Array(SLOT_COUNT);
  readonly dimmedCount = new Uint32Array(SLOT_COUNT);
  /** CSS colors by slot. */
  readonly css: string[] = [];
  /** 1 where text on the slot is dark. */
  readonly darkText = new Uint8Array(SLOT_COUNT);

  constructor(readonly theme: ThemeColors) {
    const background = parseColor(theme.background);
    const text = parseColor(theme.text);
    this.setSlot(0, mix(background, text, 0.25), background, text);
    CLASS_NAMES.forEach((name, index) => {
      const hex = CLASS_COLORS[name as keyof typeof CLASS_COLORS];
      const base = flatten(hex, background);
      TINT_STEPS.forEach(([towards, share], tint) => {
        const slot = 1 + index * TINTS + tint;
        this.setSlot(slot, mix(base, towards, share), background, text);
      });
    });
    for (let hue = 0; hue < HUES; hue++) this.setSlot(FIRST_HUE + hue, hueColor(hue), background, text);
    DURATION_COLORS.forEach((hex, i) => {
      this.setSlot(FIRST_DURATION + i, parseColor(hex), background, text);
    });
  }

  private setSlot(slot: number, color: Rgb, background: Rgb, text: Rgb): void {
    this.css[slot] = cssOf(color);
    this.darkText[slot] = textOn(hexOf(color)) === '#ffffff' ? 0 : 1;
    for (let density = 0; density < DENSITIES; density++) {
      const share = 0.5 + (0.5 * density) / (DENSITIES - 1);
      const body = mix(background, color, share);
      this.body[slot * DENSITIES + density] = pack(body);
      this.dimmed[slot * DENSITIES + density] = pack(mix(background, grayOf(body), 0.22));
    }
    const bar = mix(color, text, 0.42);
    this.count[slot] = pack(bar);
    this.dimmedCount[slot] = pack(mix(background, grayOf(bar), 0.3));
  }
}

/** A color of the circle, without its reds, which mean problems. Neighbors differ in lightness. */
function hueColor(index: number): Rgb {
  const hue = 25 + (index * 315) / HUES;
  const [lightness, saturation] = index % 2 === 0 ? [0.52, 0.42] : [0.66, 0.48];
  const channel = (offset: number) => {
    const k = (offset + hue / 30) % 12;
    const reach = saturation * Math.min(lightness, 1 - lightness);
    return Math.round(255 * (lightness - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [channel(0), channel(8), channel(4)];
}

/** A mix of two colors: `share` 0 gives the first. */
export function mix(from: Rgb, to: Rgb, share: number): Rgb {
  const channel = (i: 0 | 1 | 2) => Math.round(from[i] + (to[i] - from[i]) * share);
  return [channel(0), channel(1), channel(2)];
}

/** Red, green and blue of `#rgb`, `#rrggbb` or `rgb(…)`; gray for anything else. */
export function parseColor(text: string): Rgb {
  const trimmed = text.trim();
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(trimmed);
  if (short) return hexTriple(short[1]! + short[1]!, short[2]! + short[2]!, short[3]! + short[3]!);
  const long = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})/i.exec(trimmed);
  if (long) return hexTriple(long[1]!, long[2]!, long[3]!);
  const numbers = trimmed.match(/[\d.]+/g)?.map(Number) ?? [];
  return numbers.length >= 3 ? [numbers[0]!, numbers[1]!, numbers[2]!] : [128, 128, 128];
}

/** One opaque pixel of an `ImageData` seen as little-endian words. */
export function pack(color: Rgb): number {
  return ((255 << 24) | (color[2] << 16) | (color[1] << 8) | color[0]) >>> 0;
}

function hexTriple(red: string, green: string, blue: string): Rgb {
  return [parseInt(red, 16), parseInt(green, 16), parseInt(blue, 16)];
}

function flatten(hex: string, background: Rgb): Rgb {
  const alpha = hex.length === 9 ? parseInt(hex.slice(7), 16) / 255 : 1;
  return mix(background, parseColor(hex), alpha);
}

function grayOf([red, green, blue]: Rgb): Rgb {
  const gray = Math.round(0.3 * red + 0.59 * green + 0.11 * blue);
  return [gray, gray, gray];
}

function cssOf([red, green, blue]: Rgb): string {
  return `rgb(${red} ${green} ${blue})`;
}

function hexOf(color: Rgb): string {
  return `#${color.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}
