import { expect, test } from 'vitest';

import type { AllocatorRow } from '../../wire/generated/AllocatorRow';
import { mostTelling } from './choice';

const row = (allocator: string, device: string, allocated: number, peak: number) =>
  ({ allocator, device, allocated_bytes: allocated, peak_ratio: peak }) as AllocatorRow;

test('starts on a device that worked, even if the memory of an idle one is fuller', () => {
  const rows = [
    row('GPU_0_bfc', 'GPU:0', 0, 0.9),
    row('GPU_3_bfc', 'GPU:3', 5e9, 0.2),
    row('GPU_4_bfc', 'GPU:4', 5e9, 0.4),
    row('host', '', 9e9, 0.99),
  ];
  expect(mostTelling(rows)?.allocator).toBe('GPU_4_bfc');
});

test('without device memory, the fullest', () => {
  expect(mostTelling([row('a', '', 1, 0.1), row('b', '', 1, 0.2)])?.allocator).toBe('b');
  expect(mostTelling([])).toBeUndefined();
});
