import { expect, test } from 'vitest';

import { stepsText, timeRange, timeText } from './time-range';

test('a dragged range is exact on the command line and short on the page', () => {
  const range = timeRange(1_234_567_890.4, 2_345_678_901);
  expect(range).toBe('1234567890ps..2345678901ps');
  expect(timeText(range)).toBe('1.235\u202fms..2.346\u202fms');
});

test('what was typed stays as it was', () => {
  expect(timeText('1.2s..')).toBe('1.2s..');
  expect(timeText('5ps..7ps')).toBe('5ps..7ps');
});

test('ranges of steps are shown with both ends', () => {
  expect(stepsText('17..=36')).toBe('17–36');
  expect(stepsText('3..8,5..6,1')).toBe('3–7,5,1');
  expect(stepsText('3..')).toBe('3..');
  expect(stepsText('8..3')).toBe('8..3');
});
