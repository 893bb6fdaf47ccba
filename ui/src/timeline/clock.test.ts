import { beforeAll, describe, expect, test } from 'vitest';

import { clockChoices, clockKindOf, epochOf, exactText, shortText, type Clock } from './clock';
import { rulerTicks } from './ruler-ticks';

const step = (number: number, start_ps: number) => ({
  step: number,
  host: 'vm',
  device: 'TPU:0',
  start_ps,
  duration_ps: 8e9,
});
const STEPS = [step(7, 10e9), step(8, 20e9), step(9, 30e9)];
/** 2026-11-21 09:24:08.204567891 UTC. */
const EPOCH_NS = BigInt(Date.UTC(2026, 10, 21, 9, 24, 8)) * 1_000_000n + 204_567_891n;
const clock = (kind: Clock['kind']): Clock => ({ kind, steps: STEPS, epochNs: EPOCH_NS });

beforeAll(() => {
  process.env['TZ'] = 'UTC';
});

describe('choices', () => {
  test('a session without steps or a start time says what is missing', () => {
    const nothing = { steps: [], epochNs: null };
    expect(clockChoices(nothing).map(({ missing }) => missing)).toEqual([
      '',
      'no steps recorded',
      'start time not recorded',
    ]);
    expect(clockKindOf('wall', nothing)).toBe('session');
    expect(clockKindOf('wall', clock('session'))).toBe('wall');
    expect(clockKindOf('<b>', clock('session'))).toBe('session');
  });

  test('the start of a session is a whole number of nanoseconds', () => {
    expect(epochOf('1763717048204567891')).toBe(1763717048204567891n);
    for (const text of [null, '', '-5', '1e9', '9'.repeat(30)]) expect(epochOf(text)).toBeNull();
  });
});

describe('texts', () => {
  test('within the step, before the first and between two', () => {
    expect(exactText(clock('step'), 20.5e9)).toBe('step 8 + 0.000 500 s');
    expect(shortText(clock('step'), 20.5e9, 1000)).toMatch(/^step 8 \+ 500\.000\s?µs$/);
    expect(shortText(clock('step'), 9e9, 1e6)).toMatch(/^step 7 − 1\.000\s?ms$/);
    expect(shortText(clock('step'), 29e9, 1e6)).toMatch(/^step 8 \+ 9\.000\s?ms$/);
  });

  test('times of day keep every picosecond', () => {
    // 204 567 891 ns + 1 ps.
    expect(exactText(clock('wall'), 1)).toBe('2026-11-21 09:24:08.204 567 891 001 UTC');
    expect(exactText(clock('wall'), 0.8e12)).toBe('2026-11-21 09:24:09.004 567 891 UTC');
    expect(exactText(clock('wall'), -0.3e12)).toBe('2026-11-21 09:24:07.904 567 891 UTC');
    expect(shortText(clock('wall'), 0, 1000)).toBe('09:24:08.204 567 891');
  });
});

describe('rulerTicks', () => {
  const labels = (kind: Clock['kind'], startPs: number, endPs: number, widthPx = 1100) =>
    rulerTicks(clock(kind), { startPs, endPs }, widthPx, 110);

  test('begin anew at every step', () => {
    const { major } = labels('step', 10e9, 40e9);
    const zeros = major.filter(({ text }) => text === '0').map(({ timePs }) => timePs);
    expect(zeros).toEqual([10e9, 20e9, 30e9]);
    const second = major.filter(({ timePs }) => timePs > 20e9 && timePs < 30e9);
    expect(second.map(({ timePs }) => timePs - 20e9)).toEqual([2e9, 4e9, 6e9, 8e9]);
    expect(second.map(({ text }) => text)).toEqual(['2 ms', '4 ms', '6 ms', '8 ms']);
  });

  test('steps too narrow for a label have none, and every tick is inside the window', () => {
    const many = Array.from({ length: 5000 }, (_, i) => step(i, i * 1e9));
    const window = { startPs: 0, endPs: 5e12 };
    const ticks = rulerTicks({ ...clock('step'), steps: many }, window, 1100, 110);
    expect(ticks.major.length).toBeLessThan(60);
  });

  test('deep inside a step, labels are relative to a time in it', () => {
    const { base, major } = labels('step', 20e9 + 4e9, 20e9 + 4e9 + 1e5);
    expect(base).toBe('step 8 + 0.004 s');
    expect(major[1]!.text).toBe('+10 ns');
  });

  test('are at round times of day', () => {
    const { major, base } = labels('wall', 0, 10e12);
    expect(base).toBe('');
    expect(major[0]!.text).toBe('09:24:09');
    expect(major[0]!.timePs).toBe(1e12 - 204_567_891_000);
    const hours = labels('wall', 0, 36_000e12);
    expect(hours.major[0]!.text).toBe('10:00:00');
    const fine = labels('wall', 0, 50e9);
    expect(fine.major[0]!.text).toBe('09:24:08.205');
    const deep = labels('wall', 0, 1e6);
    expect(deep.base).toBe('09:24:08.204 567');
    expect(deep.major.slice(0, 2).map(({ text }) => text)).toEqual(['+900 ns', '+1000 ns']);
  });

  test('since the start, they are those of the axis', () => {
    const { major } = labels('session', 0, 10e12);
    expect(major.map(({ text }) => text).slice(0, 3)).toEqual(['0 s', '1 s', '2 s']);
  });
});
