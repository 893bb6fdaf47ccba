import { expect, test } from 'vitest';

import { paperFit } from './printing';

test('a wide table is made smaller until it fits on paper, or says that it is cut', () => {
  expect(paperFit(600)).toEqual({ zoom: 1, isCut: false });
  expect(paperFit(1600)).toEqual({ zoom: 0.6, isCut: false });
  expect(paperFit(4000)).toEqual({ zoom: 0.45, isCut: true });
});
