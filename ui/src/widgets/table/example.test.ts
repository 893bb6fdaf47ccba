import { expect, test } from 'vitest';

import type { Kind } from '../../format/numbers';
import { exampleOf } from './example';

const column = (key: string, kind?: Kind) => ({ key, kind });

test.each([
  ['durations before bytes', ['name', 'bytes:bytes', 'self_ps:duration'], 'self_ps'],
  ['no moments', ['start_ps:duration', 'first_start_ps:duration', 'duration_ps:duration'], 'duration_ps'],
  ['bytes next to moments only', ['bytes:bytes', 'allocated_ps:duration', 'freed_ps:duration'], 'bytes'],
  ['nothing for names and counts', ['name', 'count:count'], undefined],
])('%s', (_, columns, key) => {
  const all = columns.map((text) => column(text.split(':')[0] ?? '', text.split(':')[1] as Kind));
  expect(exampleOf(all)?.key).toBe(key);
});
