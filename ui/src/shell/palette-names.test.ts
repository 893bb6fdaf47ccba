import { expect, test } from 'vitest';

import type { OpRow } from '../wire/generated/OpRow';
import { namesOf } from './palette-names';

const row = (name: string, scope: string, source: string) => ({ name, scope, source }) as OpRow;
const ROWS = [
  row('dot.1', 'jit(step)/layer_0/attention', 'model.py:12'),
  row('dot.2', 'jit(step)/layer_1/attention', 'model.py:12'),
  row('all-reduce.5', '', 'train.py:40'),
];

test('ops, scopes and source lines are found by a part of their name, each once', () => {
  const found = (query: string) => namesOf(ROWS, query).map(({ title, group }) => `${group} ${title}`);
  expect(found('dot')).toEqual(['Op dot.1', 'Op dot.2']);
  expect(found('layer_1')).toEqual(['Scope jit(step)/layer_1/attention']);
  expect(found('model.py')).toEqual(['Source model.py:12']);
  expect(found('op')).toEqual([]);
});
