/** Limits of ranges, which are round: `10 ms` where a measured time is `10.00 ms`. Pure. */
import { formatDuration } from './numbers';

/** A limit with its unit, without decimals that are zero. */
export function formatLimit(ps: number | null | undefined): string {
  return formatDuration(ps).replace(/(\.\d*?)0+(?=\u202f)/, (_, kept: string) =>
    kept === '.' ? '' : kept,
  );
}
