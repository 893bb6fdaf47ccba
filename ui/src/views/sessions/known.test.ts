import { expect, test } from 'vitest';

import type { SessionSummary } from '../../wire/types';
import { groupsOf } from './known';

const session = (state: SessionSummary['state'], devices = '') =>
  ({ state, devices, duration_ps: null }) as SessionSummary;

test('sessions that were not opened are a group that says so', () => {
  expect(groupsOf(session('closed'), '')).toEqual(['not opened']);
  expect(groupsOf(session('failed'), '')).toEqual(['cannot be read']);
  // Known to have no program, and known from an index.
  expect(groupsOf(session('open'), '')).toEqual([]);
  expect(groupsOf(session('open', '4 × TPU'), '4 × TPU')).toEqual([]);
});
