import { expect, test } from 'vitest';

import { schemaGroups } from './schema-rows';

const SCHEMA = {
  is_available: true,
  message: '',
  hint: '',
  tables: [
    {
      name: 'ops',
      meaning: 'Every op',
      columns: [
        { key: 'session', unit: 'text', meaning: 'Name of the session.' },
        { key: 'self_ps', unit: 'ps', meaning: 'Time in the op itself.' },
      ],
    },
    { name: 'idle', meaning: 'Each gap', columns: [] },
  ],
  views: [{ name: 'mfu', meaning: 'MFU', query: 'select 1', columns: [] }],
  functions: [{ signature: 'ms(ps)', meaning: 'A time in milliseconds' }],
};

const shown = (search: string) =>
  schemaGroups(SCHEMA, search).flatMap(({ entries }) =>
    entries.map(({ name, columns, isOpen }) => [name, isOpen ? columns.map(({ key }) => key) : null]),
  );

test('a search finds names, meanings and columns; the columns that match are shown', () => {
  expect(shown('')).toEqual([['mfu', null], ['ops', null], ['idle', null], ['ms', null]]);
  expect(shown('GAP')).toEqual([['idle', null]]);
  expect(shown('self')).toEqual([['ops', ['self_ps']]]);
  expect(shown('ops self')).toEqual([['ops', ['self_ps']]]);
  expect(shown('milli')).toEqual([['ms', null]]);
  expect(shown('nothing')).toEqual([]);
});
