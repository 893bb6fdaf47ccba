/** Selected ranges of time and steps: as the command line takes them, and as people read them. */
import { formatTime } from './numbers';

/** A range of picoseconds as the option `--time` takes it, exact. */
export function timeRange(startPs: number, endPs: number): string {
  return `${Math.round(startPs)}ps..${Math.round(endPs)}ps`;
}

/** `1234567890ps..2345678901ps` as `1.235 ms..2.346 ms`; other text stays as it is. */
export function timeText(range: string): string {
  return range.replace(/(\d+)ps/g, (whole, digits: string) =>
    digits.length > 3 ? formatTime(Number(digits)) : whole,
  );
}

/** The steps `3..=8` as `3–8`, and `3..8`, without the last, as `3–7`; other text stays as it is. */
export function stepsText(steps: string): string {
  return steps.replace(/(\d+)\.\.(=?)(\d+)/g, (whole, from: string, equal: string, to: string) => {
    const last = Number(to) - (equal ? 0 : 1);
    if (last < Number(from)) return whole;
    return last === Number(from) ? from : `${from}–${last}`;
  });
}
