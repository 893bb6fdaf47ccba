import { expect, test } from 'vitest';

import { shortCppNames } from './cpp-name';

const short = (...names: string[]) => [...shortCppNames(names).values()];

test('return type, namespaces and parameters go; a lone template is only hinted at', () => {
  expect(short('void tensorflow::functor::Fill<tensorflow::Uniform<float> >(int const*)')).toEqual([
    'Fill<…>',
  ]);
  expect(short('void at::native::copy_kernel(float*, int)')).toEqual(['copy_kernel']);
});

test('of functions of one name, only the arguments that differ remain', () => {
  expect(
    short(
      'void Eigen::Meta<Eigen::Assign<Eigen::Map<Eigen::half>, Eigen::Conversion<float const> > >(int)',
      'void Eigen::Meta<Eigen::Assign<Eigen::Map<Eigen::half>, Eigen::Broadcast<2ul> > >(int)',
      'void Eigen::Meta<Eigen::Assign<Eigen::Map<Eigen::half>, Eigen::Broadcast<2ul> > >(long)',
    ),
  ).toEqual(['Meta<Conversion, float>', 'Meta<Broadcast, 2>', 'Meta<Broadcast, 2> #2']);
});

test('mangled names show what they contain', () => {
  expect(short('_ZN7cutlass6KernelI10Sm80GemmTNEEvNT_6ParamsE', '_Z9vectorAddPKfS0_Pfi')).toEqual([
    'Kernel<…>',
    'vectorAdd',
  ]);
  expect(short('_ZN7cutlass6KernelI8GemmTiny3AbcEEvv', '_ZN7cutlass6KernelI8GemmHuge3AbcEEvv')).toEqual([
    'Kernel<GemmTiny>',
    'Kernel<GemmHuge>',
  ]);
  expect(short('_Z', '_ZN99short')).toEqual([]);
});

test('other names stay', () => {
  const plain = ['fusion.12', 'Cijk_Ailk_Bljk_BBS_BH', 'loop_add_fusion', 'jit(f)/add', 'a<b'];
  for (const name of [...plain, 'aten::mm', 'c10d::allreduce_']) {
    expect(shortCppNames([name]).has(name)).toBe(false);
  }
});
