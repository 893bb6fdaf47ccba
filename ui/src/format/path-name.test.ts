import { expect, test } from 'vitest';

import { isPathName, shortPaths } from './path-name';

const LAYERS = ['a', 'b', 'c'].map((layer) => `Call/model/encoder/${layer}/dropout/Cast`);

test('what most paths begin with is left out', () => {
  expect([...shortPaths([...LAYERS, 'gradient/other/Mul', 'fusion.1']).values()]).toEqual([
    '…/a/dropout/Cast',
    '…/b/dropout/Cast',
    '…/c/dropout/Cast',
  ]);
});

test('a path that shares only a part of it loses only that part', () => {
  expect(shortPaths([...LAYERS, 'Call/model/embedding/Gather']).get('Call/model/embedding/Gather')).toBe(
    '…/embedding/Gather',
  );
});

test('two parts stay, and paths that would look the same keep their names', () => {
  expect([...shortPaths(['model/encoder/x', 'model/encoder/y']).values()]).toEqual([
    '…/encoder/x',
    '…/encoder/y',
  ]);
  const same = ['Call/model/deep/x/y', 'Call/model/x/y'];
  const more = ['Call/model/deep/x/z', 'Call/model/deep/v/w'];
  const short = shortPaths([...same, ...more]);
  expect(same.map((name) => short.get(name))).toEqual([undefined, undefined]);
  expect(short.get('Call/model/deep/v/w')).toBe('…/v/w');
});

test('directions that half of the paths have each are not left out', () => {
  const forward = LAYERS.map((name) => `jvp(f)/${name}`);
  const backward = LAYERS.map((name) => `transpose(jvp(f))/${name}`);
  expect(shortPaths([...forward, ...backward]).size).toBe(0);
});

test('one path alone, files and C++ stay', () => {
  expect(shortPaths(LAYERS.slice(0, 1)).size).toBe(0);
  for (const name of ['/home/me/train.py:7', 'a/b', 'std::a/b/c', 'read a/b/c', 'fusion.7']) {
    expect(isPathName(name), name).toBe(false);
  }
});

test('of many paths, a sample says what they share', () => {
  const many = Array.from({ length: 5000 }, (_, index) => `Call/model/layer_${index}/dropout/Cast`);
  const short = shortPaths(many);
  expect(short.size).toBe(many.length);
  expect(short.get('Call/model/layer_4321/dropout/Cast')).toBe('…/layer_4321/dropout/Cast');
});
