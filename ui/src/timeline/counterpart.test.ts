import { expect, test } from 'vitest';

import type { Matching } from '../compare/matching';
import type { ComparedOp } from '../wire/generated/ComparedOp';
import type { SearchSlice } from '../wire/generated/SearchSlice';
import { nameInOther, nearest, queryOf } from './counterpart';

const side = (name: string, kernel = '') => ({ name, kernel });
const matching = (baseline: object | null, other: object | null) =>
  ({ opOf: () => ({ baseline, other }) as unknown as ComparedOp }) as unknown as Matching;
const slice = (name: string, op: string | null) => ({ name, op, program: 'jit_step(7)' });

test('a slice is found by the name of its matched op', () => {
  const match = matching(side('fusion.1'), side('fusion.4'));
  expect(nameInOther(slice('fusion.4', 'fusion.4'), 'session', match)).toBe('fusion.1');
  expect(nameInOther(slice('fusion.1', 'fusion.1'), 'baseline', match)).toBe('fusion.4');
});

test('a kernel is found by the name of the kernel of its matched op', () => {
  const match = matching(side('dot.1', 'gemm_old'), side('dot.2', 'gemm_new'));
  expect(nameInOther(slice('gemm_new', 'dot.2'), 'session', match)).toBe('gemm_old');
});

test('a new op has no counterpart; a slice without an op keeps its name', () => {
  expect(nameInOther(slice('copy', 'copy'), 'session', matching(null, side('copy')))).toBeNull();
  expect(nameInOther(slice('train', null), 'session', matching(null, null))).toBe('train');
});

test('of several slices, the nearest on a track with the same name is chosen', () => {
  const at = (start_ps: number, track_name: string) =>
    ({ start_ps, track_name }) as unknown as SearchSlice;
  const found = [at(10, 'a'), at(20, 'b'), at(40, 'a')];
  expect(nearest(found, 'a', 22)).toBe(found[0]);
  expect(nearest(found, 'a', 33)).toBe(found[2]);
  expect(nearest(found, 'c', 22)).toBe(found[1]);
  expect(nearest([], 'a', 0)).toBeNull();
  expect(queryOf('a.b[1]')).toBe('^a\\.b\\[1\\]$');
});
