import { describe, expect, test } from 'vitest';

import type { LabelFacts } from '../wire/generated/LabelFacts';
import {
  colorByOf,
  DURATION_BOUNDS,
  durationKey,
  isShownBy,
  keyOf,
  slotOf,
  slotOfDuration,
  slotOfStep,
  tintOf,
} from './coloring';
import { FIRST_DURATION, FIRST_HUE, HUES, SLOT_COUNT } from './palette';

const text = (name: string, facts: Partial<LabelFacts> = {}) => ({
  name,
  className: 'compute',
  facts: { label: 0, scope: '', program: '', pass: '', ...facts },
});

describe('colors of labels', () => {
  test('ops that differ in their number have one color, and so have their ends', () => {
    expect(keyOf('name', text('fusion.12'))).toBe('fusion');
    expect(slotOf('name', text('fusion.12'))).toBe(slotOf('name', text('fusion.7')));
    expect(slotOf('name', text('end: fusion.3'))).toBe(slotOf('name', text('fusion.7')));
    expect(keyOf('name', text('123'))).toBe('123');
  });

  test('a scope is that of the layer, and layers differ', () => {
    const layer = (number: number, primitive: string) =>
      text('fusion', { scope: `jit(step)/layer_${number}/${primitive}` });
    expect(keyOf('scope', layer(0, 'dot'))).toBe('jit(step)/layer_0');
    expect(slotOf('scope', layer(0, 'dot'))).toBe(slotOf('scope', layer(0, 'add')));
    expect(slotOf('scope', layer(0, 'dot'))).not.toBe(slotOf('scope', layer(1, 'dot')));
  });

  test('what is unknown is gray', () => {
    expect(slotOf('scope', text('fusion'))).toBe(0);
    expect(slotOf('pass', { name: 'fusion', className: 'compute', facts: undefined })).toBe(0);
  });

  test('forward and backward differ', () => {
    const slots = ['forward', 'backward', 'rematerialized'].map((pass) =>
      slotOf('pass', text('fusion', { pass })),
    );
    expect(new Set(slots).size).toBe(3);
  });

  test('colors by time of the session keep the classes for labels', () => {
    expect(slotOf('duration', text('fusion'))).toBe(slotOf('class', text('fusion')));
  });
});

test('durations have a color per power of ten', () => {
  expect(slotOfDuration(0)).toBe(FIRST_DURATION);
  expect(DURATION_BOUNDS.map((ps) => slotOfDuration(ps) - FIRST_DURATION)).toEqual([
    1, 2, 3, 4, 5, 6,
  ]);
  expect(slotOfDuration(1e15)).toBe(SLOT_COUNT - 1);
});

test('steps next to each other differ, and any number has a color', () => {
  for (let step = -1; step < 50; step++) {
    expect(slotOfStep(step)).not.toBe(slotOfStep(step + 1));
    expect(slotOfStep(step)).toBeGreaterThanOrEqual(FIRST_HUE);
    expect(slotOfStep(step)).toBeLessThan(FIRST_HUE + HUES);
  }
});

test('a tint depends on the name without its digits', () => {
  expect(tintOf('fusion.1')).toBe(tintOf('fusion.2'));
  expect(colorByOf('scope')).toBe('scope');
  expect(colorByOf('nonsense')).toBe('class');
});

describe('slices that are not dimmed', () => {
  const noStep = () => undefined;

  test('are those of a duration', () => {
    const isShown = isShownBy('duration', new Set([durationKey(0), durationKey(1e7)]), noStep)!;
    expect([1e3, 1e6, 1e7, 9e7, 1e8].map((ps) => isShown(0, ps))).toEqual([
      true,
      false,
      true,
      true,
      false,
    ]);
  });

  test('are those of a step, and none outside steps', () => {
    const stepAt = (ps: number) => (ps < 0 ? undefined : Math.floor(ps / 100));
    const isShown = isShownBy('step', new Set(['2']), stepAt)!;
    expect([-1, 150, 200, 299, 300].map((ps) => isShown(ps, 1))).toEqual([
      false,
      false,
      true,
      true,
      false,
    ]);
  });

  test('are decided by labels for all other colors', () => {
    expect(isShownBy('class', new Set(['matmul']), noStep)).toBeNull();
    expect(isShownBy('duration', null, noStep)).toBeNull();
  });
});
