/** Links from a range of time in another view to the timeline. */
import type { SliceRefReport } from '../wire/generated/SliceRefReport';
import { formatRange, formatSliceRef } from './address';

/** What a link shows besides the range. */
export interface LinkTarget {
  /** The host or device at whose tracks it leads. */
  place?: string | undefined;
  /** The slice to select: what caused the range. */
  slice?: SliceRefReport | null | undefined;
  /** Whether to look for what the device at the place waited for, and select that. */
  isIdle?: boolean | undefined;
  /** The op to select at the place, by its name. */
  op?: string | undefined;
}

/** Shows the timeline around a range, selected as an area, at what caused it. */
export function timelineParams(
  startPs: number,
  durationPs: number,
  { place = '', slice = null, isIdle = false, op = '' }: LinkTarget = {},
): Record<string, string> {
  const wanted = op ? `op:${op}` : isIdle ? 'idle' : '';
  const margin = Math.max(1000, durationPs / 2);
  return {
    window: formatRange({
      startPs: Math.max(0, startPs - margin),
      endPs: startPs + durationPs + margin,
    }),
    area: formatRange({ startPs, endPs: startPs + durationPs }),
    at: place,
    slice: slice ? formatSliceRef(slice) : '',
    cause: slice ? '' : wanted,
  };
}
