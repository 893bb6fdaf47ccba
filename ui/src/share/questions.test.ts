import { expect, test } from 'vitest';

import { questionOf } from './questions';

const declared = [
  {
    name: 'op_tree',
    options: [
      { name: 'by', default: 'program' },
      { name: 'idle', default: 'include' },
      { name: 'limit', default: null },
    ],
  },
];

test('row limits and default values are not part of a question', () => {
  const question = (query: string) => questionOf('op_tree', query, declared, ['limit']);
  expect(question('')).toBe('op_tree');
  expect(question('limit=5000&by=program')).toBe('op_tree');
  expect(question('limit=5000&by=category')).toBe('op_tree?by=category');
  expect(question('idle=exclude&by=category')).toBe('op_tree?by=category&idle=exclude');
  expect(questionOf('ops', 'match=a%20b', declared, [])).toBe('ops?match=a b');
});
