import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { expect, test } from 'vitest';

const SOURCES = resolve(import.meta.dirname, '..');
const SHEETS = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.css'))
  .map((name) => ({ name, text: readFileSync(join(SOURCES, name), 'utf8') }));

const sheetsWith = (pattern: RegExp) =>
  SHEETS.filter(({ text }) => pattern.test(text)).map(({ name }) => name);

test('styles that charts and lists share are defined once', () => {
  expect(sheetsWith(/paint-order: stroke/)).toEqual(['shell/theme.css']);
  // A round mark in the colors of a change.
  expect(sheetsWith(/border-radius: 50%;\s*background: var\(--(change-better|text-faint)\)/)).toEqual([
    'widgets/change.css',
  ]);
});

test('no two sheets style the same class: a page looks the same whichever was open before', () => {
  const owners = new Map<string, string[]>();
  for (const { name, text } of SHEETS) {
    const rules = text.replace(/\/\*.*?\*\//gs, '').matchAll(/(?:^|\})\s*([^{}@]+)\{/g);
    const plain = [...rules].flatMap(([, selectors]) =>
      (selectors ?? '')
        .split(',')
        .map((selector) => selector.trim())
        .filter((selector) => /^\.[\w-]+$/.test(selector)),
    );
    for (const selector of new Set(plain)) {
      owners.set(selector, [...(owners.get(selector) ?? []), name]);
    }
  }
  expect(owners.size).toBeGreaterThan(300);
  expect([...owners].filter(([, names]) => names.length > 1)).toEqual([]);
});

/** The values of properties in all sheets. */
function valuesOf(property: RegExp): { name: string; value: string }[] {
  return SHEETS.flatMap(({ name, text }) =>
    [...text.matchAll(/^\s*([a-z-]+): ([^;]+);/gm)]
      .filter(([, key]) => property.test(key ?? ''))
      .map(([, key, value]) => ({ name: `${name}: ${key}`, value: value ?? '' })),
  );
}

test('text has one of three sizes, and figures and signs have theirs', () => {
  const sizes = valuesOf(/^font-size$/);
  expect(sizes.length).toBeGreaterThan(80);
  const known = /^(var\(--size(-small|-large|-glyph|-figure|-headline)?\)|inherit)$/;
  expect(sizes.filter(({ value }) => !known.test(value))).toEqual([]);
  // Each is defined once.
  const theme = SHEETS.find(({ name }) => name.endsWith('theme.css'))?.text ?? '';
  for (const name of ['size-small', 'size', 'size-large']) {
    expect(theme.match(new RegExp(`--${name}: \\d+px;`, 'g'))).toHaveLength(1);
  }
  expect(valuesOf(/^font$/).filter(({ value }) => /\d+px.*(sans|mono)/.test(value) && !/var\(--size/.test(value))).toEqual([]);
});

test('distances are of one scale', () => {
  const distances = valuesOf(/^(padding|margin|gap|row-gap|column-gap)(-[a-z]+)*$/);
  expect(distances.length).toBeGreaterThan(300);
  // Hairlines are 1 px; more than the scale is the place of something, such as a line number.
  const stray = distances.filter(({ value }) =>
    [...value.matchAll(/(\d+(?:\.\d+)?)px/g)].some(([, px]) => Number(px) !== 1 && Number(px) <= 32),
  );
  expect(stray).toEqual([]);
});

/** The colors of a theme, by name. */
function colors(theme: 'light' | 'dark'): Map<string, string> {
  const sheet = SHEETS.find(({ name }) => name.endsWith('theme.css'))?.text ?? '';
  const blocks = sheet.split('}').filter((block) => block.includes(`color-scheme: ${theme}`));
  return new Map(
    [...(blocks[0] ?? '').matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [
      name ?? '',
      value ?? '',
    ]),
  );
}

/** Relative luminance as WCAG 2 defines it. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test.each(['light', 'dark'] as const)('text has enough contrast with its background: %s', (theme) => {
  const found = colors(theme);
  const ratio = (text: string, below: string) => {
    const both = [text, below].map((name) => luminance(found.get(name) ?? '#000000'));
    return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
  };
  const grounds = ['background', 'surface', 'surface-raised', 'surface-sunken', 'hover'];
  const pairs = [
    ...['text', 'text-muted', 'text-faint', 'change-better', 'change-worse'].flatMap((text) =>
      grounds.map((below) => [text, below] as const),
    ),
    ...['problem', 'warning', 'good', 'accent'].flatMap((text) =>
      [`${text}-soft`, 'surface'].map((below) => [text, below] as const),
    ),
    ['accent-text', 'accent'] as const,
  ];
  expect(found.size).toBeGreaterThan(15);
  // What WCAG 2 requires for small text at level AA.
  expect(pairs.filter(([text, below]) => ratio(text, below) < 4.5)).toEqual([]);
});
