import { expect, test } from 'vitest';

import type { StepRow } from '../../wire/generated/StepRow';
import { barsOf, chosenOf, countText } from './bars';

function row(step: number, device: string, compute: number, idle: number): StepRow {
  return {
    step,
    host: 'host-0',
    device,
    start_ps: step * 1000,
    duration_ps: compute + idle,
    busy_ps: compute,
    device_compute_ps: compute,
    collectives_ps: 0,
    host_to_device_ps: 0,
    device_to_host_ps: 0,
    device_to_device_ps: 0,
    python_callbacks_ps: 0,
    input_wait_ps: 0,
    compilation_ps: 0,
    host_overhead_ps: 0,
    idle_ps: idle,
    is_outlier: idle > 50,
  };
}

test('one bar per step, the mean of its devices, in time order', () => {
  const bars = barsOf([row(2, 'CPU:0', 10, 4), row(1, 'CPU:0', 10, 0), row(1, 'CPU:1', 20, 60)]);
  expect(bars.map((bar) => bar.step)).toEqual([1, 2]);
  expect(bars[0]).toMatchObject({ duration_ps: 45, longestPs: 80, is_outlier: true });
  expect(bars[0]?.parts_ps.reduce((sum, part) => sum + part, 0)).toBe(45);
  expect(bars[1]?.is_outlier).toBe(false);
});

const plain = (text: string) => text.replace(/\s/g, ' ');

test('with a selection, the header is about the selected steps', () => {
  const bars = barsOf([0, 1, 2, 3].map((step) => row(step, 'TPU:0', 10, 1)));
  expect(plain(countText(chosenOf(bars, null).length, 4))).toBe('4 steps');
  const chosen = chosenOf(bars, (step) => step === 1 || step === 2);
  expect(chosen.map(({ step }) => step)).toEqual([1, 2]);
  expect(plain(countText(chosen.length, 4))).toBe('2 of 4 steps');
});
