import { expect, test } from 'vitest';

import { changeWords, nameIn, plainChange } from './plain-change';

test.each([
  ['remove:^copy\\-done\\.5$', 'remove:copy-done.5'],
  ['remove:^jit_f\\(12\\)::copy\\-start$', 'remove:jit_f(12)::copy-start'],
  ['scale:^dot\\.3$:0.5', 'scale:dot.3:0.5'],
  ['remove:^jit_f\\(\\d+\\)::copy\\-start$', 'remove:jit_f(…)::copy-start'],
  ['remove:^dot.*$', 'remove:^dot.*$'],
  ['remove:^dot\\.\\d$', 'remove:^dot\\.\\d$'],
  ['remove:dot', 'remove:dot'],
  ['remove:copies', 'remove:copies'],
  ['network:2', 'network:2'],
  ['no-input-wait', 'no-input-wait'],
])('%s is shown as %s', (change, plain) => {
  expect(plainChange(change)).toBe(plain);
});

test.each([
  ['hide:collectives', 'Hide collectives'],
  ['overlap', 'Overlap collectives'],
  ['network:2', 'Network 2× as fast'],
  ['expected:compute', 'Expected time of compute'],
  ['align', 'Devices arrive together'],
  ['no-waits', 'Hosts never wait'],
  ['no-host:data_loading', 'No data loading on hosts'],
  ['no-host:transfer', 'No other copies on hosts'],
  ['no-host:python', 'No Python on hosts'],
  ['remove:^copy\\-done\\.5$; network:2', 'Without copy-done.5; Network 2× as fast'],
  ['remove:^jit_f\\(12\\)::dot\\.3$', 'Without dot.3 of jit_f(12)'],
  ['remove:^jit_f\\(\\d+\\)::all\\-reduce$', 'Without all-reduce of jit_f'],
  ['remove:^dot\\.\\d+$', 'Without ^dot\\.\\d+$'],
  ['scale:attention:0.5', 'attention × 0.5'],
  ['unheard-of', 'unheard-of'],
  ['unheard:of', 'unheard:of'],
])('%s in words is %s', (change, words) => {
  expect(changeWords(change)).toBe(words);
});

test.each([
  ['remove:^dot\\.3$', 'dot.3'],
  ['remove:^Eigen::Kernel<float, long>\\(int\\)$', 'Eigen::Kernel<float, long>(int)'],
  ['scale:^dot\\.3$:0.5', 'dot.3'],
  ['remove:^jit_f\\(12\\)::copy\\-done$', ''],
  ['remove:^jit_f\\(\\d+\\)::all\\-reduce$', ''],
  ['remove:^jit_f\\(.*\\)$', ''],
  ['no-host:python', ''],
  ['network:2', ''],
])('%s names %s', (change, name) => {
  expect(nameIn(change)).toBe(name);
});
