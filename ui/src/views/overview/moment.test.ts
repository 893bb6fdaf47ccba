import { expect, test } from 'vitest';

import { momentOf } from './moment';

test('nanoseconds since the epoch get a local time', () => {
  const ms = new Date(2025, 2, 11, 19, 41, 39, 81).getTime();
  expect(momentOf({ name: 'profile_start_time', value: `${ms}044120` })).toBe(
    '2025-03-11 19:41:39.081',
  );
});

test('other numbers stay as they are', () => {
  expect(momentOf({ name: 'profile_start_time', value: '12' })).toBeUndefined();
  expect(momentOf({ name: 'program_id', value: '1741722099081044120' })).toBeUndefined();
});
