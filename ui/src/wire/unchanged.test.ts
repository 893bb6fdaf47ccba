import { expect, test } from 'vitest';

import { withUnchanged } from './unchanged';

const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

test('an equal answer is the one before', () => {
  const before = { root: '.', sessions: [{ key: 'a', tags: ['x'], step: null }, { key: 'b' }] };
  expect(withUnchanged(before, copy(before))).toBe(before);
});

test('only what changed is new', () => {
  const before = { sessions: [{ key: 'a', tags: ['x'] }, { key: 'b', tags: [] }] };
  const now = copy(before);
  now.sessions[1]!.key = 'c';
  const found = withUnchanged(before, now);
  expect(found).not.toBe(before);
  expect(found).toEqual({ sessions: [{ key: 'a', tags: ['x'] }, { key: 'c', tags: [] }] });
  expect(found.sessions[0]).toBe(before.sessions[0]);
  expect(found.sessions[1]?.tags).toBe(before.sessions[1]?.tags);
});

test('more, fewer and other kinds of parts are changes', () => {
  const before = { a: [1, 2], b: null, c: {} };
  for (const now of [
    { a: [1], b: null, c: {} },
    { a: [1, 2, 3], b: null, c: {} },
    { a: [1, 2], b: 0, c: {} },
    { a: [1, 2], b: null, c: [] },
    { a: [1, 2], b: null, d: {} },
    { a: [1, 2], b: null },
  ]) {
    expect(withUnchanged<object>(before, copy(now))).toEqual(now);
    expect(withUnchanged<object>(before, copy(now))).not.toBe(before);
  }
});
