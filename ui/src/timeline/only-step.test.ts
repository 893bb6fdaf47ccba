import { expect, test } from 'vitest';

import { onlyStepOf } from './only-step';

const on = (host: string, device: string, step: number, start_ps: number) => ({
  step,
  host,
  device,
  start_ps,
  duration_ps: 10,
});
const PLACES = [
  { name: 'a', steps: [on('a', '', 1, 0), on('a', '', 2, 20)] },
  { name: 'a / TPU:0', steps: [on('a', 'TPU:0', 1, 5), on('a', 'TPU:0', 2, 25)] },
  { name: 'b / TPU:0', steps: [on('b', 'TPU:0', 1, 7)] },
];

test('a step has its own time on every host and device', () => {
  const { spanOn } = onlyStepOf(PLACES, PLACES[0]!.steps, 2);
  expect(spanOn('a / TPU:0')).toEqual({ startPs: 25, endPs: 35 });
  expect(spanOn('a / threads')).toEqual({ startPs: 20, endPs: 30 });
});

test('where a step did not run, nothing is shown; without steps, the time on the ruler is', () => {
  const { spanOn } = onlyStepOf(PLACES, PLACES[0]!.steps, 2);
  expect(spanOn('b / TPU:0')).toBeNull();
  expect(spanOn('threads')).toEqual({ startPs: 20, endPs: 30 });
});
