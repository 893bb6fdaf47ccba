import { expect, test } from 'vitest';

import { frameOf } from './stack-frame';

test('a frame is a place and a function', () => {
  expect(frameOf('/app/train.py:12:5 Model.__call__')).toEqual({
    source: '/app/train.py:12:5',
    name: 'Model.__call__',
  });
  expect(frameOf('/my files/train.py:12 step')).toEqual({
    source: '/my files/train.py:12',
    name: 'step',
  });
  expect(frameOf('/app/train.py:12:5')).toEqual({ source: '/app/train.py:12:5', name: '' });
  expect(frameOf('<string>')).toEqual({ source: '<string>', name: '' });
});
