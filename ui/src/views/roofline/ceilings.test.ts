import { expect, test } from 'vitest';

import { ceilings } from './ceilings';

const peak = (operand_type: string, per_second: number | null, level = 'compute') => ({
  level,
  operand_type,
  per_second,
});
const H100 = [
  peak('', 989),
  peak('f32', 67),
  peak('tf32', 494),
  peak('bf16', 989),
  peak('fp8', 1979),
  peak('int8', 1979),
  peak('', 3.3, 'hbm'),
];
const of = (...types: string[]) =>
  ceilings(
    types.map((operand_type) => ({ operand_type })),
    H100,
  );

test('only types that occur have a ceiling, and equal peaks are one line', () => {
  expect(of('bf16', '', 'unknown')).toEqual([]);
  expect(of('int8', 'fp8', 'f32 as tf32', 'fp8')).toEqual([
    { title: 'int8', perSecond: 1979 },
    { title: 'f32 as tf32', perSecond: 494 },
  ]);
});

test('several passes have a part of the peak', () => {
  expect(of('f32 as 6 × bf16')).toEqual([{ title: 'f32 as 6 × bf16', perSecond: 989 / 6 }]);
  expect(ceilings([{ operand_type: 'fp8' }], [peak('fp8', null)])).toEqual([]);
});
