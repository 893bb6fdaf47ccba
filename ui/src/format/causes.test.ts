import { expect, test } from 'vitest';

import { CAUSES, INPUT_CAUSES, meaningOf, occurring, REQUEST_PHASES } from './causes';

test('keys and colors are distinct', () => {
  for (const meanings of [CAUSES, INPUT_CAUSES, REQUEST_PHASES]) {
    expect(new Set(meanings.map((meaning) => meaning.key)).size).toBe(meanings.length);
    expect(new Set(meanings.map((meaning) => meaning.color)).size).toBe(meanings.length);
  }
});

test('only what occurs is shown', () => {
  const rows = [
    [0, 3],
    [0, 0, 0, 0, 0, 0, 0, 1],
  ];
  expect(occurring(CAUSES, rows).map((meaning) => meaning.key)).toEqual([
    'data_loading',
    'dispatch',
  ]);
  expect(meaningOf(CAUSES, 'odd').title).toBe('odd');
});
