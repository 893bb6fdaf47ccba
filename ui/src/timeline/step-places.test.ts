import { expect, test } from 'vitest';

import type { TimelineReport } from '../wire/generated/TimelineReport';
import { stepPlaceOf, stepPlacesOf } from './step-places';

const step = (number: number, host: string, device: string, start: number, duration = 10) => ({
  step: number,
  host,
  device,
  start_ps: start,
  duration_ps: duration,
});
const placesOf = (...steps: TimelineReport['steps']) =>
  stepPlacesOf({
    start_epoch_ns: null,
    start_ps: 0,
    end_ps: 1000,
    slice_count: 1,
    groups: [],
    steps,
    notes: [],
  });

test('a step that runs on two devices far apart is two spans, not one around both', () => {
  const places = placesOf(step(0, 'a', 'GPU:4', 100, 20), step(0, 'a', 'GPU:6', 700, 21));
  expect(places.map(({ name, steps }) => [name, steps[0]!.start_ps, steps[0]!.duration_ps])).toEqual(
    [
      ['GPU:4', 100, 20],
      ['GPU:6', 700, 21],
    ],
  );
});

test('the steps of a place come in time order', () => {
  const [first] = placesOf(step(1, 'a', '', 50), step(0, 'a', '', 5));
  expect(first!.steps.map((each) => each.start_ps)).toEqual([5, 50]);
});

test('places of several hosts have distinct names, and an unknown name means the first', () => {
  const places = placesOf(step(0, 'a', '', 5), step(0, 'a', 'TPU:0', 6), step(0, 'b', 'TPU:0', 7));
  expect(places.map((place) => place.name)).toEqual(['a', 'a / TPU:0', 'b / TPU:0']);
  expect(stepPlaceOf(places, 'b / TPU:0')?.steps[0]?.start_ps).toBe(7);
  expect(stepPlaceOf(places, 'gone')?.name).toBe('a');
  expect(stepPlaceOf([], 'a')).toBeUndefined();
});
