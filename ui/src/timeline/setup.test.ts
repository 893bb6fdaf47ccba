import { expect, test } from 'vitest';

import type { TrackGroup } from '../wire/generated/TrackGroup';
import { homeWindow, minimapTracksOf } from './setup';
import { fitAll, limitsOf } from './viewport';

const step = (number: number, host: string, start: number, duration = 10) => ({
  step: number,
  host,
  device: '',
  start_ps: start,
  duration_ps: duration,
});
const group = (kind: string, ...tracks: [number, string, number][]): TrackGroup => ({
  name: kind,
  kind,
  device_index: kind === 'device' ? 0 : null,
  tracks: tracks.map(([track, role, count]) => ({
    track,
    name: role,
    role,
    lanes: 1,
    folded: false,
    slice_count: count,
    counter_min: null,
    counter_max: null,
    counter_unit: '',
  })),
});
const report = (groups: TrackGroup[], steps = [step(0, 'a', 0)]) => ({
  start_epoch_ns: null,
  start_ps: 0,
  end_ps: 1000,
  slice_count: 1,
  groups,
  steps,
  notes: [],
  rows: [],
});

test('the minimap shows ops, else programs, else the track with the most slices, else a thread', () => {
  const threads = group('host', [9, 'host_thread', 4]);
  const minimap = (...groups: TrackGroup[]) => minimapTracksOf(report(groups));
  expect(minimap(group('device', [1, 'programs', 2], [2, 'ops', 9]), threads)).toEqual([2]);
  const cpu = group('device', [1, 'programs', 2], [2, 'ops', 9], [3, 'ops', 9]);
  expect(minimap(cpu, threads)).toEqual([1]);
  const gpu = group('device', [4, 'stream', 3], [5, 'stream', 8], [6, 'counter', 99]);
  expect(minimap(gpu, threads)).toEqual([5]);
  expect(minimap(threads)).toEqual([9]);
});

test('the first window shows just the steps if they cover little of the session', () => {
  const limits = limitsOf(0, 1000);
  expect(homeWindow([], limits)).toEqual(fitAll(limits));
  expect(homeWindow([step(0, 'a', 50, 900)], limits)).toEqual(fitAll(limits));
  const narrow = homeWindow([step(0, 'a', 400, 100), step(1, 'a', 500, 100)], limits);
  expect(narrow.startPs).toBeGreaterThan(380);
  expect(narrow.endPs).toBeLessThan(620);
  // In the order of places, not of time.
  const apart = homeWindow([step(0, 'b', 500, 100), step(0, 'a', 300, 100)], limits);
  expect(apart.startPs).toBeLessThan(300);
  expect(apart.endPs).toBeGreaterThan(600);
});
