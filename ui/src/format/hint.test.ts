import { describe, expect, test } from 'vitest';

import { codeOf, hintPieces, hintText, isStatement } from './hint';

const isView = (name: string) => ['ops', 'heap', 'what_if', 'scopes'].includes(name);
const read = (hint: string, view = '') =>
  hintPieces(hint, { view, isView }).map(({ kind, text, params }) =>
    kind === 'text' ? text : `[${[kind, text, ...Object.entries(params ?? {}).flat()].join(' ')}]`,
  );

test('a control of the view is named where the view has it', () => {
  expect(read('`--search TEXT` shows another', 'graph')).toEqual([
    '[selection Find]',
    ' shows another',
  ]);
  expect(read('`--search TEXT` shows another')[0]).toBe('On the command line, ');
});

describe('a hint in pieces', () => {
  test.each([
    ['Capture 10 steps or more.', ['Capture 10 steps or more.']],
    ['`options.host_tracer_level = 2`', ['[code options.host_tracer_level = 2]']],
    ['Put `f()` around it.', ['Put ', '[code f()]', ' around it.']],
    ['`stepscope ops`', ['See ', '[view ops]']],
    ['`stepscope heap PATH` shows who holds it', ['[view heap]', ' shows who holds it']],
    ['what `ops` shows', ['what ', '[view ops]', ' shows']],
    ['See `stepscope heap PATH --against first`.', ['See ', '[view heap against first]', '.']],
    [
      'replayed: `stepscope what_if PATH --change align --change hide:copies`',
      ['replayed: ', '[view what_if change align; hide:copies]'],
    ],
    ['`stepscope heap PATH --unknown 3`', ['[code stepscope heap PATH --unknown 3]']],
    ['`stepscope heap /tmp/x` shows it', ['[code stepscope heap /tmp/x]', ' shows it']],
    ['`stepscope unknown`', ['[code stepscope unknown]']],
    [
      '`--limit 0` lists all, `--min-gap` raises the length',
      [
        'On the command line, ',
        '[option --limit 0]',
        ' lists all, ',
        '[option --min-gap]',
        ' raises the length',
      ],
    ],
    ['Select one with `--device`.', ['Select one with ', '[option --device]', '.']],
    [
      '`XLA_FLAGS="--xla_dump_to=/tmp/hlo --a"` writes programs',
      ['[code XLA_FLAGS="--xla_dump_to=/tmp/hlo --a"]', ' writes programs'],
    ],
  ])('%s', (hint, pieces) => {
    expect(read(hint)).toEqual(pieces);
  });
});

describe('options that the page has, too', () => {
  test.each([
    ['scopes', '`--split-combined` estimates it.', ['[link Estimate it combined split]', '.']],
    ['scopes', '`--table layers` lists all', ['[link List all as layers]']],
    ['heap', '`--internal` shows them', ['[link Show them internal true]']],
    ['ops', '`--internal` shows them', ['On the command line, ', '[option --internal]', ' shows them']],
    [
      'idle',
      '`--limit 0` lists all; `--min-gap` raises the minimum',
      ['[link List all limit 0]', '; ', '[option --min-gap]', ' raises the minimum'],
    ],
    ['heap', '`--internal` too', ['[link This link internal true]', ' too']],
    ['ops', 'To see it, use `--series after`.', ['To see it, use ', '[link series after series after]', '.']],
    ['ops', '`--steps N` lists another', ['[selection Steps]', ' lists another']],
    ['ops', 'Exclude them (`--steps`).', ['Exclude them (', '[selection Steps]', ').']],
  ])('%s: %s', (view, hint, pieces) => {
    expect(read(hint, view)).toEqual(pieces);
  });
});

test('a hint as text names views and controls', () => {
  const place = { view: 'idle', isView };
  const titleOf = (view: string) => view.toUpperCase();
  expect(hintText('Do it; see `stepscope ops`.', place, titleOf)).toBe('Do it; see OPS.');
  expect(hintText('Select one with `--device`.', place, titleOf)).toBe('Select one with Devices at the top.');
});

test('only code that someone would type can be copied', () => {
  expect(isStatement('jax.profiler.ProfileOptions')).toBe(false);
  expect(isStatement('--limit')).toBe(true);
  expect(isStatement('options.python_tracer_level = 1')).toBe(true);
  expect(isStatement('jax.debug.visualize_array_sharding(array)')).toBe(true);
});

test('the code of a hint is found', () => {
  expect(codeOf('`f()` records it, `g()` too')).toBe('f()');
  expect(codeOf('Capture more.')).toBeUndefined();
});
