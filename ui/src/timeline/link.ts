/** Links from a stretch of time in another view to the timeline. */
import { formatRange } from './address';

/** The timeline around the stretch, which is selected as an area, at the tracks of a device. */
export function timelineParams(
  startPs: number,
  durationPs: number,
  place = '',
): Record<string, string> {
  const margin = Math.max(1000, durationPs / 2);
  return {
    window: formatRange({
      startPs: Math.max(0, startPs - margin),
      endPs: startPs + durationPs + margin,
    }),
    area: formatRange({ startPs, endPs: startPs + durationPs }),
    at: place,
  };
}
