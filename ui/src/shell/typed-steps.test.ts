import { expect, test } from 'vitest';

import { typedSteps } from './typed-steps';

test('typed steps say which steps they are: the end of .. is not one of them', () => {
  expect(typedSteps('1..3')).toEqual({ value: '1..3', title: 'steps 1–2' });
  expect(typedSteps('1..=3')?.title).toBe('steps 1–3');
  expect(typedSteps('5')?.title).toBe('step 5');
  expect(typedSteps('4..5')?.title).toBe('step 4');
  expect(typedSteps('1, 4 ..= 6')).toEqual({ value: '1,4..=6', title: 'steps 1, 4–6' });
  expect(typedSteps('3..')?.title).toBe('steps from 3 on');
  expect(typedSteps('..3')?.title).toBe('steps up to 2');
});

test('other texts are none', () => {
  for (const text of ['', '.', ',', '..', '1..1', '5..2', '1,', '3..=', '1.5', 'dot', '..0']) {
    expect(typedSteps(text), text).toBeNull();
  }
});
