/** Links from a range of time in another view to the timeline. */
import { formatRange } from './address';

/**
 * Shows the timeline around a range, selected as an area, at the tracks of a host or device; given the
 * name of what caused it, at the thread that ran it.
 */
export function timelineParams(
  startPs: number,
  durationPs: number,
  place = '',
  cause = '',
): Record<string, string> {
  const margin = Math.max(1000, durationPs / 2);
  return {
    window: formatRange({
      startPs: Math.max(0, startPs - margin),
      endPs: startPs + durationPs + margin,
    }),
    area: formatRange({ startPs, endPs: startPs + durationPs }),
    at: place,
    cause,
  };
}
