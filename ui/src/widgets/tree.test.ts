import { expect, test } from 'vitest';

import type { ScopeRow } from '../wire/generated/ScopeRow';
import { buildTree, visibleNodes, worthOpening } from './tree';

function row(path: string, total: number, children: number): ScopeRow {
  const parts = path.split('/');
  return {
    path,
    name: parts[parts.length - 1] ?? '',
    depth: parts.length - 1,
    child_count: children,
    occurrences: 1,
    total_ps: total,
    self_ps: 0,
    ratio: 0,
    forward_ps: total,
    backward_ps: 0,
    rematerialized_ps: 0,
    flops: null,
    bytes: null,
  expected_ps: null,
  times_expected: null,
    estimated_ps: 0,
    paths: [],
  };
}
const tree = buildTree([
  row('a', 100, 2),
  row('a/b', 70, 1),
  row('a/b/c', 70, 0),
  row('a/d', 30, 0),
  row('e', 5, 1),
  row('e/f', 5, 0),
]);
const paths = (nodes: { row: ScopeRow }[]) => nodes.map((node) => node.row.path);

test('parents', () => {
  expect(tree.map((node) => node.parent)).toEqual([-1, 0, 1, 0, -1, 4]);
});

test('folding hides everything below', () => {
  expect(paths(visibleNodes(tree, new Set(), null))).toEqual(['a', 'e']);
  expect(paths(visibleNodes(tree, new Set([0]), null))).toEqual(['a', 'a/b', 'a/d', 'e']);
  // An open node below a folded one stays hidden.
  expect(paths(visibleNodes(tree, new Set([1]), null))).toEqual(['a', 'e']);
});

test('a filter shows matches with their ancestors', () => {
  expect(paths(visibleNodes(tree, new Set(), new Set([2])))).toEqual(['a', 'a/b', 'a/b/c']);
  expect(visibleNodes(tree, new Set([0]), new Set())).toEqual([]);
});

test('at first, the heaviest nodes are open, but no more than fit', () => {
  expect(worthOpening(tree)).toEqual(new Set([0, 1, 4]));
  const wide = buildTree([
    row('x', 9, 200),
    ...Array.from({ length: 200 }, (_, index) => row(`x/${index}`, 1, 0)),
  ]);
  expect(worthOpening(wide).size).toBe(0);
});
