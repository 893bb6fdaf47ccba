import { expect, test } from 'vitest';

import { withAliases } from './palette-aliases';
import { ranked } from './palette-order';

const TITLES = [
  'Light colors',
  'Save as a single HTML file',
  'Save or choose an arrangement …',
  'Times time of day',
  'Mark the selection and write a text',
  'Close all groups',
  'Details at the right',
  'Lay the longest step over step 0',
];

test('commands are found by the words of other programs', () => {
  const commands = TITLES.map((title) => withAliases({ title, detail: '', group: '' }));
  const found = (query: string) => ranked(commands, query).map(({ title }) => title);
  expect(found('theme')).toEqual(['Light colors']);
  expect(found('report')).toEqual(['Save as a single HTML file']);
  expect(found('workspace')).toEqual(['Save or choose an arrangement …']);
  expect(found('wall')).toEqual(['Times time of day']);
  expect(found('note')).toEqual(['Mark the selection and write a text']);
  expect(found('collapse')).toEqual(['Close all groups']);
  expect(found('dock')).toEqual(['Details at the right']);
  expect(found('ghost')).toEqual(['Lay the longest step over step 0']);
});
