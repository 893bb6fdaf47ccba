import { describe, expect, test } from 'vitest';

import { codeOf, hintPieces, isStatement } from './hint';

const isView = (name: string) => ['ops', 'heap'].includes(name);
const read = (hint: string) =>
  hintPieces(hint, isView).map(({ kind, text }) => (kind === 'text' ? text : `[${kind} ${text}]`));

describe('a hint in pieces', () => {
  test.each([
    ['Capture 10 steps or more.', ['Capture 10 steps or more.']],
    ['`options.host_tracer_level = 2`', ['[code options.host_tracer_level = 2]']],
    ['Put `f()` around it.', ['Put ', '[code f()]', ' around it.']],
    ['`stepscope ops`', ['See ', '[view ops]']],
    ['`stepscope heap PATH` shows who holds it', ['[view heap]', ' shows who holds it']],
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

test('only code that someone would type can be copied', () => {
  expect(isStatement('jax.profiler.ProfileOptions')).toBe(false);
  expect(isStatement('options.python_tracer_level = 1')).toBe(true);
  expect(isStatement('jax.debug.visualize_array_sharding(array)')).toBe(true);
});

test('the code of a hint is found', () => {
  expect(codeOf('`f()` records it, `g()` too')).toBe('f()');
  expect(codeOf('Capture more.')).toBeUndefined();
});
