import { expect, test } from 'vitest';

import { breaksOf, minimapScale, shareOf, timeAt } from './minimap-scale';

const session = { startPs: 0, endPs: 1000 };

test('one scale covers a session that is mostly steps', () => {
  const scale = minimapScale(session, { startPs: 100, endPs: 900 });
  expect(scale.home).toBeNull();
  expect(breaksOf(scale)).toEqual([]);
  expect(shareOf(scale, 250)).toBe(0.25);
  expect(timeAt(scale, 0.75)).toBe(750);
});

test('steps that are a sliver of the session take most of the minimap', () => {
  const scale = minimapScale(session, { startPs: 600, endPs: 610 });
  expect(breaksOf(scale)).toEqual([0.08, 0.92]);
  expect(shareOf(scale, 0)).toBe(0);
  expect(shareOf(scale, 300)).toBeCloseTo(0.04);
  expect(shareOf(scale, 605)).toBeCloseTo(0.5);
  expect(shareOf(scale, 1000)).toBe(1);
  for (const time of [-50, 0, 599, 600, 605, 610, 611, 1000, 1100]) {
    expect(timeAt(scale, shareOf(scale, time))).toBeCloseTo(time);
  }
});

test('steps at an end of the session have one break', () => {
  const late = minimapScale(session, { startPs: 900, endPs: 1020 });
  expect(late.home).toEqual({ startPs: 900, endPs: 1000 });
  expect(breaksOf(late)).toEqual([0.08]);
  expect(shareOf(late, 1000)).toBe(1);
  const early = minimapScale(session, { startPs: 0, endPs: 50 });
  expect(breaksOf(early)).toEqual([0.92]);
  expect(shareOf(early, 25)).toBeCloseTo(0.46);
});
