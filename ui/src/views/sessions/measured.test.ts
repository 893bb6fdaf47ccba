import { beforeEach, expect, test, vi } from 'vitest';

import type { SessionSummary } from '../../wire/types';

const asked: string[] = [];
vi.mock('../../wire/client', () => ({
  forget: () => undefined,
  getJson: (url: string) => {
    asked.push(url);
    return Promise.resolve({ step_time_ps: { mean: asked.length }, step_series: [] });
  },
}));
vi.mock('../../wire/report', () => ({ reportUrl: (key: string) => key }));

const { measure, measuredOf } = await import('./measured');

const session = (key: string, size_bytes: number, modified_epoch_ms: number | null = 1) =>
  ({ key, kind: 'trace', is_indexed: false, size_bytes, modified_epoch_ms }) as SessionSummary;

beforeEach(() => asked.splice(0));

test('a session is measured once, and again when its files grew', async () => {
  await measure([session('one', 10), session('two', 10)]);
  await measure([session('one', 10), session('two', 10)]);
  expect(asked).toEqual(['one', 'two']);
  expect(measuredOf(session('one', 10))?.step_ps).toBe(1);
  await measure([session('one', 20), session('two', 10)]);
  await measure([session('two', 10, 2)]);
  expect(asked).toEqual(['one', 'two', 'one', 'two']);
  expect(measuredOf(session('one', 20))?.step_ps).toBe(3);
});

test('the list is asked for once sessions are open', async () => {
  let count = 0;
  await measure([session('three', 10)], () => count++);
  expect(count).toBe(1);
  await measure([session('three', 10)], () => count++);
  expect(count).toBe(1);
});
