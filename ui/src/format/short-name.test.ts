import { expect, test } from 'vitest';

import { shortNames } from './short-name';

test('paths and functions have short forms of their own', () => {
  const names = [
    'void a::b::Fill<float>(int)',
    'jit(<lambda>)/map/body/add',
    'jit(<lambda>)/map/body/mul',
    'fusion.1',
  ];
  expect([...shortNames(names)]).toEqual([
    [names[1], '…/body/add'],
    [names[2], '…/body/mul'],
    [names[0], 'Fill<…>'],
  ]);
});
