/** Colors of utilization, from orange (low) to blue (full), for any color vision. */

const LITTLE = [0xd9, 0x8b, 0x2b] as const;
const ALL = [0x3f, 0x7f, 0xd0] as const;

/** The color of a ratio, clamped to 0..1. */
export function useColor(ratio: number): string {
  const part = Math.max(0, Math.min(1, ratio));
  const mixed = LITTLE.map((low, index) => Math.round(low + ((ALL[index] ?? low) - low) * part));
  return `rgb(${mixed.join(' ')})`;
}

/** The gradient of a legend, from 0 to 1. */
export const USE_GRADIENT = `linear-gradient(to right, ${useColor(0)}, ${useColor(1)})`;
