import { expect, test } from 'vitest';

import { stepSelection } from './step-selection';

const steps = (text: string) => {
  const isSelected = stepSelection(text);
  return isSelected && [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].filter(isSelected);
};

test('accepts what the command line accepts', () => {
  expect(steps('5')).toEqual([5]);
  expect(steps('3..6')).toEqual([3, 4, 5]);
  expect(steps('3..=6')).toEqual([3, 4, 5, 6]);
  expect(steps('7..')).toEqual([7, 8, 9]);
  expect(steps('..2')).toEqual([0, 1]);
  expect(steps('1, 4,7..9')).toEqual([1, 4, 7, 8]);
});

test('invalid text selects nothing', () => {
  for (const text of ['', 'x', '..', ' ']) expect(steps(text)).toBeNull();
});
