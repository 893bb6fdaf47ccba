import { expect, test } from 'vitest';

import { wholeValues, withShared } from './shared-values';

test('marks are replaced everywhere, also inside shared values', () => {
  // The values of the test in crates/export/src/html/shared.rs.
  const shared = wholeValues([
    'add.1 = f32[8,8] add(dot.1, dot.2)',
    { name: 'a stat', value: '\u00010' },
    { name: 'add.1', time_ps: 120, stats: ['\u00011'] },
  ]);
  const answer = { rows: ['\u00012', null, 3, 'plain'], of: { text: '\u00010' } };
  const text = 'add.1 = f32[8,8] add(dot.1, dot.2)';
  expect(withShared(answer, shared)).toEqual({
    rows: [
      { name: 'add.1', time_ps: 120, stats: [{ name: 'a stat', value: text }] },
      null,
      3,
      'plain',
    ],
    of: { text },
  });
});
