import { expect, test } from 'vitest';

import type { SqlReport } from '../wire/generated/SqlReport';
import { keysOf, timedRows } from './result';

const columns = (keys: Record<string, string>) =>
  Object.entries(keys).map(([key, unit]) => ({ key, unit, is_fractional: false }));

const report = (keys: Record<string, string>, sessions: SqlReport['sessions'] = []): SqlReport => ({
  sessions,
  columns: columns(keys),
  rows: [],
  row_count: 0,
  remarks: [],
});

test('keys are unique and suit the address', () => {
  const keys = keysOf(columns({ 'count(*)': 'count', 'count ': 'count', '?': 'text', self_ps: 'ps' }));
  expect(keys).toEqual(['count', 'count_2', 'column', 'self_ps']);
});

test('a row has a place on the timeline of its session', () => {
  const sessions = [{ name: 'monday', key: 'm~1' }];
  const found = timedRows(
    report({ session: 'text', device: 'text', start_ps: 'ps', duration_ps: 'ps' }, sessions),
    'own',
  );
  expect(found?.of(['monday', 'TPU:0', 5, 7])).toEqual({
    session: 'm~1',
    startPs: 5,
    durationPs: 7,
    place: 'TPU:0',
    slice: null,
  });
  expect(found?.of(['unknown', 'TPU:0', 5, 7])).toBeNull();
  expect(found?.of(['monday', 'TPU:0', null, 7])).toBeNull();
});

test('an end gives the length, and the address of a slice selects it', () => {
  const keys = { start_ps: 'ps', end_ps: 'ps', track_index: 'count', lane: 'count', index: 'count' };
  expect(timedRows(report(keys), 'own')?.of([10, 25, 3, 0, 7])).toEqual({
    session: 'own',
    startPs: 10,
    durationPs: 15,
    place: '',
    slice: { track: 3, lane: 0, index: 7 },
  });
});

test('rows without a start, or of an unknown session, have none', () => {
  expect(timedRows(report({ duration_ps: 'ps' }), 'own')).toBeNull();
  expect(timedRows(report({ start_ps: 'ps' }), null)?.of([1])).toBeNull();
});
