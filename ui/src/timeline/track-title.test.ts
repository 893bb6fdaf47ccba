import { expect, test } from 'vitest';

import { titleOfTrack } from './track-title';

test('a track without a name says so', () => {
  expect(titleOfTrack({ name: 'XLA Ops', role: 'ops' })).toBe('XLA Ops');
  expect(titleOfTrack({ name: '', role: 'host_thread' })).toBe('unnamed thread');
  expect(titleOfTrack({ name: '', role: 'other' })).toBe('unnamed track');
});
