/** The orders that tables have at first, as their views write them. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

import { expect, test } from 'vitest';

const VIEWS = resolve(import.meta.dirname, '../../views');
const CALL = /(?:url|local)TableState\('([^']*)'\)/g;

const files = readdirSync(VIEWS, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => ({ name, text: readFileSync(join(VIEWS, name), 'utf8') }));

/** Columns that a view's folder lays out, or takes from the shared ones. */
const SHARED = readFileSync(resolve(VIEWS, '../widgets/op-columns.tsx'), 'utf8');
const columnsOf = (folder: string) =>
  files.filter(({ name }) => dirname(name) === folder).map(({ text }) => text).join('') + SHARED;

const orders = files.flatMap(({ name, text }) =>
  [...text.matchAll(CALL)].map((match) => ({ name, order: match[1] ?? '' })),
);

test('the first orders of tables are found', () => {
  expect(orders.length).toBeGreaterThan(30);
});

test.each(orders.filter(({ order }) => order !== ''))('$order of $name is a column', ({ name, order }) => {
  const key = order.replace(/^-/, '');
  expect(key).toMatch(/^\w+$/);
  expect(columnsOf(dirname(name))).toContain(`key: '${key}'`);
});
