import { expect, test } from 'vitest';

import type { TimelineReport } from '../wire/generated/TimelineReport';
import {
  arrangementOf,
  paramsNow,
  paramsOf,
  parseKept,
  shapeOf,
  withRenamed,
  withSaved,
} from './arrangements';

const track = (number: number, name: string) => ({
  track: number,
  name,
  role: 'stream',
  lanes: 1,
  folded: false,
  slice_count: 1,
  counter_min: null,
  counter_max: null,
  counter_unit: '',
});
/** The same job, whose tracks have other numbers in another capture. */
const report = (first: number): TimelineReport => ({
  start_epoch_ns: null,
  start_ps: 0,
  end_ps: 1,
  slice_count: 3,
  groups: [
    {
      name: 'GPU:0',
      kind: 'device',
      device_index: 0,
      tracks: [track(first, 'Stream 1'), track(first + 1, 'Stream 2'), track(first + 2, 'Stream 2')],
    },
  ],
  steps: [],
  notes: [],
});
const address: Record<string, string> = {
  pin: '2',
  hide: '0,1',
  tracks: 'Stream',
  color: 'scope',
  window: '1..2',
};

test('an arrangement fits another capture, whose tracks have other numbers', () => {
  const saved = arrangementOf(report(0), 'mine', paramsNow((name) => address[name]));
  expect(paramsOf(report(10), saved)).toMatchObject({
    pin: '12',
    hide: '10,11',
    tracks: 'Stream',
    color: 'scope',
    order: null,
    closed: null,
  });
  // The window is no part of it.
  expect(paramsOf(report(10), saved)).not.toHaveProperty('window');
  expect(shapeOf(report(0))).toBe(shapeOf(report(10)));
});

test('tracks that a session lacks are left out', () => {
  const saved = arrangementOf(report(0), 'mine', paramsNow((name) => address[name]));
  const small = report(0);
  small.groups[0]!.tracks.pop();
  expect(paramsOf(small, saved)).toMatchObject({ pin: null, hide: '0,1' });
});

test('names are unique', () => {
  const one = arrangementOf(report(0), 'b', {});
  const list = withSaved(withSaved([], one), { ...one, name: 'a' });
  expect(list.map(({ name }) => name)).toEqual(['a', 'b']);
  expect(withSaved(list, { ...one, texts: { color: 'name' } })).toHaveLength(2);
  expect(withRenamed(list, 'a', 'b')).toBe(list);
  expect(withRenamed(list, 'a', '')).toBe(list);
  expect(withRenamed(list, 'a', 'c').map(({ name }) => name)).toEqual(['b', 'c']);
});

test('what was kept by something else is left out', () => {
  const good = arrangementOf(report(0), 'mine', paramsNow((name) => address[name]));
  const text = JSON.stringify({ shape: [good, { name: 5 }, { name: 'x', tracks: { pin: [1] }, texts: {} }] });
  expect(parseKept(text)).toEqual({ shape: [good] });
  for (const broken of [null, '', '[', '[]', '7', 'null']) expect(parseKept(broken)).toEqual({});
});
