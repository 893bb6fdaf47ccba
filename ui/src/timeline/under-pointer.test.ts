import { expect, test } from 'vitest';

import type { Scene } from './scene';
import { UnderPointer } from './under-pointer';

const scene = {
  viewport: { startPs: 0, endPs: 100 },
  geometry: { scrollY: 0 },
  layout: {},
} as unknown as Scene;

test('the same picture is examined once, and again when tiles have arrived', () => {
  const pointer = new UnderPointer();
  expect(pointer.hasChanged(scene)).toBe(true);
  pointer.remember(scene);
  expect(pointer.hasChanged(scene)).toBe(false);
  pointer.forget();
  expect(pointer.hasChanged(scene)).toBe(true);
});

test('another window, scroll position or layout is another picture', () => {
  const pointer = new UnderPointer();
  pointer.remember(scene);
  const window = { ...scene, viewport: { startPs: 1, endPs: 100 } } as unknown as Scene;
  const scrolled = { ...scene, geometry: { scrollY: 9 } } as unknown as Scene;
  const placed = { ...scene, layout: {} } as unknown as Scene;
  for (const other of [window, scrolled, placed]) expect(pointer.hasChanged(other)).toBe(true);
});
