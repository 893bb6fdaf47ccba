import { describe, expect, test } from 'vitest';

import type { TimelineReport } from '../wire/generated/TimelineReport';
import {
  canBeLog,
  formatCounters,
  parseCounters,
  scaleOfCounter,
  scaleTicks,
  shareOf,
  withCounter,
} from './counter-scale';

const counter = (track: number, name: string, counter_min: number, counter_max: number) => ({
  track,
  name,
  role: 'counter',
  lanes: 1,
  folded: false,
  slice_count: 9,
  counter_min,
  counter_max,
  counter_unit: '',
});
const TRACKS = [
  counter(3, 'power', 300, 640),
  counter(4, 'power', 100, 900),
  counter(5, 'drift', -2, 6),
  counter(6, 'errors', 0, 4000),
];
const REPORT: TimelineReport = {
  start_epoch_ns: null,
  start_ps: 0,
  end_ps: 1,
  slice_count: 0,
  groups: [{ name: 'GPU:0', kind: 'device', device_index: 0, tracks: TRACKS }],
  steps: [],
  notes: [],
};
const none = new Map<string, never>();
const log = withCounter(none, 'errors', { isLog: true });

describe('the scale of a counter', () => {
  test('begins at 0 unless there are negative values', () => {
    expect(scaleOfCounter(REPORT, TRACKS[0]!, none)).toMatchObject({ low: 0, high: 640 });
    expect(scaleOfCounter(REPORT, TRACKS[2]!, none)).toMatchObject({ low: -2, high: 6 });
    const flat = counter(7, 'flat', 0, 0);
    expect(scaleOfCounter(REPORT, flat, none)).toMatchObject({ low: 0, high: 1 });
  });

  test('is that of all counters of the name if shared', () => {
    const shared = withCounter(none, 'power', { isShared: true });
    for (const track of TRACKS.slice(0, 2)) {
      expect(scaleOfCounter(REPORT, track, shared)).toMatchObject({ high: 900, isShared: true });
    }
    expect(scaleOfCounter(REPORT, TRACKS[3]!, shared)).toMatchObject({ high: 4000 });
  });

  test('in decades if logarithmic, never with negative values', () => {
    const scale = scaleOfCounter(REPORT, TRACKS[3]!, log);
    expect(scale).toMatchObject({ low: 0.01, high: 10_000, isLog: true });
    expect(shareOf(scale, 0)).toBe(0);
    expect(shareOf(scale, 10)).toBeCloseTo(0.5);
    expect(shareOf(scale, 10_000)).toBe(1);
    const own = scaleOfCounter(REPORT, TRACKS[1]!, withCounter(none, 'power', { isLog: true }));
    expect(own).toMatchObject({ low: 100, high: 1000 });
    expect(canBeLog(TRACKS[2]!)).toBe(false);
    const drift = withCounter(none, 'drift', { isLog: true });
    expect(scaleOfCounter(REPORT, TRACKS[2]!, drift).isLog).toBe(false);
  });

  test('has two to four round ticks', () => {
    for (const [track, choices] of [
      [TRACKS[0]!, none],
      [TRACKS[2]!, none],
      [TRACKS[3]!, log],
    ] as const) {
      const scale = scaleOfCounter(REPORT, track, choices);
      const ticks = scaleTicks(scale);
      expect(ticks.length, track.name).toBeGreaterThan(1);
      expect(ticks.length, track.name).toBeLessThan(5);
      for (const tick of ticks) {
        expect(tick).toBeGreaterThanOrEqual(scale.low);
        expect(tick).toBeLessThanOrEqual(scale.high * (1 + 1e-9));
      }
    }
  });
});

test('choices survive a link, and what a session lacks is left out', () => {
  const choices = withCounter(withCounter(log, 'power', { isShared: true }), 'drift', {});
  const text = formatCounters(REPORT, choices);
  expect(text).toBe('6.log;3.shared');
  expect(formatCounters(REPORT, parseCounters(REPORT, text))).toBe(text);
  expect(parseCounters(REPORT, '99.log;x;;3<script>').size).toBe(0);
});
