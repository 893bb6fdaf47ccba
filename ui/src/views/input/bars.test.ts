import { expect, test } from 'vitest';

import { INPUT_CAUSES } from '../../format/causes';
import type { InputRow } from '../../wire/generated/InputRow';
import { barsOf, hostMeans } from './bars';

function row(step: number, host: string, device: string, causePs: number, copiesPs = 0): InputRow {
  return {
    step,
    host,
    device,
    start_ps: step * 1000 + (device === 'CPU:1' ? 5 : 0),
    duration_ps: 500,
    input_ps: causePs + copiesPs,
    input_ratio: null,
    waiting_ps: 0,
    copies_ps: copiesPs,
    loading_ps: 0,
    causes_ps: INPUT_CAUSES.slice(0, -1).map((_, index) => (index === 1 ? causePs : 0)),
    compute_ps: 0,
    collectives_ps: 0,
    output_ps: 0,
    offload_ps: 0,
    host_ps: 0,
    idle_ps: 0,
  };
}

test('one bar per step: the mean of its devices, in time order', () => {
  const bars = barsOf([row(8, 'a', 'CPU:0', 20), row(7, 'a', 'CPU:0', 10, 4), row(7, 'b', 'CPU:1', 30)]);
  expect(bars.map((bar) => [bar.step, bar.start_ps, bar.duration_ps])).toEqual([
    [7, 7000, 22],
    [8, 8000, 20],
  ]);
  expect(bars[0]?.parts_ps[1]).toBe(20);
  expect(bars[0]?.parts_ps.at(-1)).toBe(2);
});

test('every step has a bar, however many there are', () => {
  const rows = Array.from({ length: 24_000 }, (_, index) =>
    row(index % 3000, 'a', `CPU:${Math.floor(index / 3000)}`, index),
  );
  expect(barsOf(rows)).toHaveLength(3000);
});

test('means of hosts cover only their own rows', () => {
  const means = hostMeans([row(1, 'a', 'CPU:0', 10), row(2, 'a', 'CPU:0', 20), row(1, 'b', 'CPU:1', 7)]);
  expect(means.get('a')?.[1]).toBe(15);
  expect(means.get('b')?.[1]).toBe(7);
});
