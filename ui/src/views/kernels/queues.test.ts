import { expect, test } from 'vitest';

import { mostLaunched } from './queues';

test('the queue of a device that worked comes before those of idle ones', () => {
  const devices = [1, 0, 900, 1].map((launched, index) => ({ launched, device: `GPU:${index}` }));
  expect(mostLaunched(devices).map(({ device }) => device)).toEqual([
    'GPU:2',
    'GPU:0',
    'GPU:3',
    'GPU:1',
  ]);
});
