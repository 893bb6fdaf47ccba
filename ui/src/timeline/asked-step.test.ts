import { expect, test } from 'vitest';

import type { TimelineStep } from '../wire/generated/TimelineStep';
import { askedStep } from './asked-step';

const STEPS = [3, 4].map((step) => ({ step, start_ps: step * 100, duration_ps: 90 }) as TimelineStep);

test('a step of the session is found in a search, and what else it says is kept', () => {
  expect(askedStep('step:4', STEPS)).toEqual({ step: STEPS[1], rest: '' });
  expect(askedStep('dot step: 3 dur>1ms', STEPS)).toEqual({ step: STEPS[0], rest: 'dot dur>1ms' });
});

test('other steps, and words that only end like it, are none', () => {
  for (const query of ['step:7', 'step:', 'substep:4', 'step:4a', 'dot', '']) {
    expect(askedStep(query, STEPS), query).toBeNull();
  }
});
