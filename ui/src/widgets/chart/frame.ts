/** The plot of a chart: its position in its element, and the positions of values in it. Pure. */
import type { Axis } from './axis';
import type { Place, Size } from './points';

export interface Margin {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** The plot without its margins. Places are relative to its upper left corner. */
export interface Frame extends Size {
  margin: Margin;
  /** Pixels from the left; without a horizontal axis, `value` is a share of the width. */
  x: (value: number) => number;
  /** Pixels from the top; without a vertical axis, `value` is a share of the height from the bottom. */
  y: (value: number) => number;
  /** The inverse of `x`: the value at a horizontal position. */
  atX: (x: number) => number;
  /** The inverse of `y`: the value at a vertical position. */
  atY: (y: number) => number;
}

/** Pixels of a character of a label: of capitals and digits, and of others. */
const WIDE_CHARACTER = 7.7;
const CHARACTER = 6.4;
/** Pixels of a character of a title, and around a label. */
const TITLE_CHARACTER = 7.2;
const AROUND_LABEL = 14;
const LEAST_LEFT = 46;
/** Longer titles begin at the left edge and go on above the plot. */
const LONGEST_UNIT = 9;
const ROW = 21;

/** Pixels of a label, for fonts with wide digits. */
export function widthOf(label: string): number {
  const wide = label.replace(/[^A-Z0-9]/g, '').length;
  return wide * WIDE_CHARACTER + (label.length - wide) * CHARACTER;
}

/** Room for axes and titles around the plot. */
export function marginOf(x: Axis | null, y: Axis | null, given: Partial<Margin> = {}): Margin {
  const labels = [...(y?.ticks.map((tick) => tick.text) ?? []), x?.title ?? ''];
  const longest = Math.max(0, ...labels.map(widthOf));
  const title = y?.title ?? '';
  const unit = title.length <= LONGEST_UNIT ? title.length * TITLE_CHARACTER : 0;
  const left = Math.ceil(Math.max(longest, unit) + AROUND_LABEL);
  return {
    left: y || x?.title ? Math.max(LEAST_LEFT, left) : 0,
    right: 10,
    top: y?.title ? ROW + 2 : 6,
    bottom: x ? ROW : 4,
    ...given,
  };
}

export function frameOf(outer: Size, margin: Margin, x: Axis | null, y: Axis | null): Frame {
  const width = Math.max(20, outer.width - margin.left - margin.right);
  const height = Math.max(10, outer.height - margin.top - margin.bottom);
  return {
    width,
    height,
    margin,
    x: (value) => (x ? x.scale.share(value) : value) * width,
    y: (value) => (1 - (y ? y.scale.share(value) : value)) * height,
    atX: (at) => x?.scale.value(at / width) ?? at / width,
    atY: (at) => y?.scale.value(1 - at / height) ?? 1 - at / height,
  };
}

/** Converts a place in the element to one in the plot. */
export const inPlot = (frame: Frame, place: Place): Place => ({
  x: place.x - frame.margin.left,
  y: place.y - frame.margin.top,
});

/** Whether a place is in the plot. */
export const isInside = (frame: Frame, { x, y }: Place) =>
  x >= 0 && y >= 0 && x <= frame.width && y <= frame.height;
