import { describe, expect, it } from 'vitest';

import type { TimelineReport } from '../wire/generated/TimelineReport';
import type { TimelineStep } from '../wire/generated/TimelineStep';
import { areaInOther, type AreaSide } from './area-other';

const step = (number: number, start: number, duration: number) =>
  ({ step: number, start_ps: start, duration_ps: duration }) as TimelineStep;

const group = (name: string, kind: string, ...tracks: [number, string][]) => ({
  name,
  kind,
  device_index: null,
  tracks: tracks.map(([track, title]) => ({ track, name: title })),
});

const side = (groups: unknown[], ...steps: TimelineStep[]): AreaSide => ({
  report: { groups } as TimelineReport,
  steps,
});

const own = side(
  [
    group('a / TPU:0', 'device', [0, 'XLA Ops'], [1, 'Steps']),
    group('threads', 'host', [2, 'main'], [3, 'pool'], [4, 'pool']),
  ],
  step(5, 100, 100),
  step(6, 200, 100),
);
const other = side(
  [
    group('b / TPU:0', 'device', [7, 'Steps'], [8, 'XLA Ops']),
    group('threads', 'host', [9, 'pool'], [10, 'pool']),
  ],
  step(5, 1000, 200),
  step(6, 1250, 50),
);
const times = (startPs: number, endPs: number) => {
  const { area } = areaInOther({ startPs, endPs, tracks: null }, own, other);
  return [area.startPs, area.endPs];
};

describe('the same area in another session', () => {
  it('has whole steps where the area has', () => {
    expect(times(200, 300)).toEqual([1250, 1300]);
    expect(times(100, 300)).toEqual([1000, 1300]);
  });

  it('begins and ends at the same share of a step', () => {
    expect(times(150, 250)).toEqual([1100, 1275]);
  });

  it('keeps its distance to steps where there are none', () => {
    expect(times(90, 310)).toEqual([990, 1310]);
  });

  it('is at the same time without steps', () => {
    const found = areaInOther({ startPs: 3, endPs: 9, tracks: null }, side([]), side([]));
    expect(found).toEqual({
      area: { startPs: 3, endPs: 9, tracks: null },
      missing: 0,
      isByStep: false,
    });
  });

  it('is on the tracks of the same names', () => {
    const tracks = (...numbers: number[]) => {
      const found = areaInOther({ startPs: 0, endPs: 1, tracks: numbers }, own, other);
      return [found.area.tracks, found.missing];
    };
    expect(tracks(0, 1)).toEqual([[8, 7], 0]);
    expect(tracks(4, 3)).toEqual([[10, 9], 0]);
    expect(tracks(2, 0)).toEqual([[8], 1]);
  });
});
