import { expect, test, vi } from 'vitest';

import { LabelTable } from './labels';

const SORT = 'void cub::detail::RadixSortKernel<cub::policy_hub<float>, false>(float const*, int)';
const OTHER = 'void cub::detail::RadixSortKernel<cub::policy_hub<double>, false>(double const*, int)';

/** Short forms are made by code that is fetched when it is first needed. */
const IMPORTED = { timeout: 10_000 };

function table() {
  const onArrival = vi.fn();
  return { labels: new LabelTable(() => Promise.resolve([]), onArrival, () => undefined), onArrival };
}

test('signatures of kernels are short, and what tells them apart remains', async () => {
  const { labels, onArrival } = table();
  labels.learnNames([SORT]);
  await vi.waitFor(() => expect(onArrival).toHaveBeenCalledOnce(), IMPORTED);
  expect(labels.shortOf(SORT)).toBe('RadixSortKernel<…>');
  labels.learnNames([SORT, OTHER]);
  await vi.waitFor(() => expect(labels.shortOf(SORT)).toBe('RadixSortKernel<float>'), IMPORTED);
  expect(labels.shortOf(OTHER)).toBe('RadixSortKernel<double>');
});

test('paths lose what most of them begin with', async () => {
  const { labels } = table();
  const paths = ['a', 'b', 'c'].map((layer) => `Call/model/encoder/${layer}/dropout/Cast`);
  labels.learnNames([...paths, 'add/two']);
  await vi.waitFor(() => expect(labels.shortOf(paths[1]!)).toBe('…/b/dropout/Cast'), IMPORTED);
  expect(labels.shortOf('add/two')).toBe('add/two');
});

test('names of Python, of the runtime and of ops stay', async () => {
  const { labels, onArrival } = table();
  const names = [
    'train_step.<locals>.loss',
    '<module>',
    'PjRtCpuExecutable::Execute',
    'ThunkExecutor::Execute (wait for completion)',
    'fusion.12',
    'a<b',
  ];
  labels.learnNames(names);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(onArrival).not.toHaveBeenCalled();
  for (const name of names) expect(labels.shortOf(name)).toBe(name);
});

test('names that are learned again change nothing', async () => {
  const { labels, onArrival } = table();
  labels.learnNames([SORT]);
  await vi.waitFor(() => expect(onArrival).toHaveBeenCalledOnce(), IMPORTED);
  labels.learnNames([SORT]);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(onArrival).toHaveBeenCalledOnce();
});
