import { expect, test } from 'vitest';

import { Motion } from './motion';
import { limitsOf } from './viewport';

const limits = limitsOf(0, 1e12);
const window = { startPs: 4e11, endPs: 6e11 };

test('a tap moves for a moment and then stops', () => {
  const motion = new Motion();
  motion.press('right', 1000);
  motion.release('right', 1001);
  const moved = motion.advance(window, 0.5, limits, 1300);
  expect(moved.startPs).toBeGreaterThan(window.startPs);
  expect(moved.endPs - moved.startPs).toBeCloseTo(2e11, 0);
  expect(motion.isActive).toBe(false);
});

test('the distance does not depend on the number of frames', () => {
  const go = (frames: number) => {
    const motion = new Motion();
    motion.press('in', 0);
    let current = window;
    for (let i = 1; i <= frames; i++)
      current = motion.advance(current, 0.25, limits, (i * 90) / frames);
    return current.endPs - current.startPs;
  };
  expect(go(1)).toBeCloseTo(go(9), -3);
});

test('Shift is faster, and a held key keeps moving', () => {
  const span = (isFast: boolean) => {
    const motion = new Motion();
    motion.isFast = isFast;
    motion.press('out', 0);
    const next = motion.advance(window, 0.5, limits, 50);
    expect(motion.isActive).toBe(true);
    return next.endPs - next.startPs;
  };
  expect(span(true)).toBeGreaterThan(span(false));
});
