import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { expect, test } from 'vitest';

const SOURCES = resolve(import.meta.dirname, '..');
const SHEETS = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.css'))
  .map((name) => ({ name, text: readFileSync(join(SOURCES, name), 'utf8') }));

const sheetsWith = (pattern: RegExp) =>
  SHEETS.filter(({ text }) => pattern.test(text)).map(({ name }) => name);

test('what charts and lists share is one rule', () => {
  expect(sheetsWith(/paint-order: stroke/)).toEqual(['shell/theme.css']);
  // A round mark in the colours of a change.
  expect(sheetsWith(/border-radius: 50%;\s*background: var\(--(change-better|text-faint)\)/)).toEqual([
    'widgets/change.css',
  ]);
});
