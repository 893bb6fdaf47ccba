/** Round values along an axis. Pure. */

/** The smallest round step (1, 2 or 5 times a power of ten) of at least the given length. */
export function roundStep(minimum: number): number {
  const power = 10 ** Math.floor(Math.log10(minimum));
  for (const factor of [1, 2, 5, 10]) {
    if (factor * power >= minimum * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

/** Multiples of a round number of units from `from` to `to`, about `most` of them at most. */
export function linearTicks(from: number, to: number, most: number, unit = 1): number[] {
  if (!(to > from)) return [from];
  const step = unit * roundStep((to - from) / unit / Math.max(1, most));
  const ticks: number[] = [];
  // Multiply instead of adding up steps, which would add up rounding errors.
  // Adding 0 turns −0 into 0.
  const first = Math.ceil(from / step - 1e-9) + 0;
  for (let index = first; index * step <= to + step * 1e-9; index++) ticks.push(index * step);
  return ticks;
}

/** The same with whole numbers only. */
export function wholeTicks(from: number, to: number, most: number): number[] {
  return linearTicks(from, to, Math.min(most, Math.max(1, to - from)));
}

/** Powers of ten within the range, about `most` of them at most. */
export function decadeTicks(from: number, to: number, most: number): number[] {
  const first = Math.ceil(Math.log10(from) - 1e-9);
  const last = Math.floor(Math.log10(to) + 1e-9);
  const step = Math.max(1, Math.ceil((last - first) / Math.max(1, most)));
  const ticks: number[] = [];
  for (let power = first; power <= last; power += step) ticks.push(10 ** power);
  return ticks;
}

/** Powers of two within the range, about `most` of them at most. */
export function doublingTicks(from: number, to: number, most: number): number[] {
  const first = Math.ceil(Math.log2(from) - 1e-9);
  const last = Math.floor(Math.log2(to) + 1e-9);
  const step = Math.max(1, Math.ceil((last - first) / Math.max(1, most)));
  const ticks: number[] = [];
  for (let power = first; power <= last; power += step) ticks.push(2 ** power);
  return ticks;
}

/** Show every nth label, if a label needs `wanted` pixels and a slot has `slot`. */
export function everyNth(slot: number, wanted: number): number {
  return slot > 0 && wanted > slot ? roundStep(Math.ceil(wanted / slot)) : 1;
}
