import { expect, test } from 'vitest';

import {
  arranged,
  formatArrangement,
  isUsual,
  parseArrangement,
  USUAL,
  withDistribution,
  withHidden,
  withMove,
  withStep,
  withWidth,
} from './arrangement';

const COLUMNS = ['name', 'self_ps', 'total_ps', 'flops'].map((key) => ({ key }));
const keys = (text: string) =>
  arranged(COLUMNS, parseArrangement(text))
    .map(({ key }) => key)
    .join(' ');

test('the address says what differs from the usual form', () => {
  expect(keys('')).toBe('name self_ps total_ps flops');
  expect(keys('-flops')).toBe('name self_ps total_ps');
  expect(keys('total_ps~self_ps')).toBe('name total_ps self_ps flops');
  expect(keys('self_ps~,-name')).toBe('total_ps flops self_ps');
  expect(parseArrangement('self_ps:140').widths.get('self_ps')).toBe(140);
  expect(parseArrangement('self_ps:1').widths.get('self_ps')).toBe(40);
  expect([...parseArrangement('self_ps!,-flops').distributed]).toEqual(['self_ps']);
  expect(isUsual(USUAL)).toBe(true);
});

test('what does not exist changes nothing, and one column always stays', () => {
  expect(keys('gone~name,-other,,:3,x:y')).toBe('name self_ps total_ps flops');
  expect(keys('-name,-self_ps,-total_ps,-flops')).toBe('name');
});

test('changes come back from the address', () => {
  let now = withHidden(USUAL, 'flops', true);
  now = withWidth(now, 'name', 320.4);
  now = withDistribution(now, 'flops', true);
  now = withDistribution(now, 'self_ps', true);
  now = withDistribution(now, 'flops', false);
  now = withMove(now, 'total_ps', 'name');
  now = withMove(now, 'total_ps', 'self_ps');
  const text = formatArrangement(now);
  expect(text).toBe('-flops,total_ps~self_ps,name:320,self_ps!');
  expect(formatArrangement(parseArrangement(text))).toBe(text);
  expect(formatArrangement(withWidth(withHidden(now, 'flops', false), 'name', null))).toBe(
    'total_ps~self_ps,self_ps!',
  );
});

test('steps to the left and right stay among the columns shown', () => {
  const hidden = parseArrangement('-self_ps');
  expect(keys(formatArrangement(withStep(hidden, COLUMNS, 'total_ps', -1)))).toBe(
    'total_ps name flops',
  );
  expect(keys(formatArrangement(withStep(USUAL, COLUMNS, 'name', 1)))).toBe(
    'self_ps name total_ps flops',
  );
  expect(withStep(USUAL, COLUMNS, 'name', -1)).toBe(USUAL);
  expect(withStep(USUAL, COLUMNS, 'flops', 1)).toBe(USUAL);
});
