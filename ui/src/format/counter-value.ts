/** Values of counters with the unit that the trace gives them. Pure. */

const SCALES: readonly [size: number, letter: string][] = [
  [1e15, 'P'],
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
];

/** The factor for values of this size, and its letter. */
export const scaleOf = (magnitude: number) =>
  SCALES.find(([size]) => magnitude >= size) ?? ([1, ''] as const);

/** `TB/s` of bytes per second, `M cycles` of cycles. */
export function scaledUnit(letter: string, unit: string): string {
  if (letter && unit.startsWith('bytes')) return `${letter}B${unit.slice('bytes'.length)}`;
  return [letter, unit].filter(Boolean).join(' ');
}

/** A value with four or five digits and its unit: `1,234.6 W`, `2.4 TB/s`, `12.35 M cycles`. */
export function valueText(value: number, unit: string): string {
  const [size, letter] = scaleOf(Math.abs(value));
  const scaled = Number((value / size).toPrecision(letter ? 4 : 5));
  const text =
    value !== 0 && Math.abs(value) < 1e-3
      ? value.toExponential(3)
      : scaled.toLocaleString('en', { maximumFractionDigits: 5 });
  return [text, scaledUnit(letter, unit)].filter(Boolean).join(' ');
}
