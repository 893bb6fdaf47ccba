import { expect, test } from 'vitest';

import { sortRows, type Column } from '../../widgets/table/rows';
import { severityOf } from './severity';

interface Row {
  verdict: string;
}
const COLUMN: Column<Row> = {
  key: 'verdict',
  title: 'Verdict',
  width: 90,
  value: (row) => row.verdict,
  order: severityOf,
};

test('verdicts are sorted by severity, the worst first, unjudged sessions last either way', () => {
  const rows = ['good', 'warning', '', 'bad'].map((verdict) => ({ verdict }));
  const sorted = (isReversed: boolean) =>
    sortRows(rows, [COLUMN], { key: 'verdict', isReversed }).map(({ verdict }) => verdict);
  expect(sorted(false)).toEqual(['bad', 'warning', 'good', '']);
  expect(sorted(true)).toEqual(['good', 'warning', 'bad', '']);
});

test('rows stay as they are if the column is no order', () => {
  const rows = ['good', 'bad'].map((verdict) => ({ verdict }));
  const sort = { key: 'verdict', isReversed: false };
  expect(sortRows(rows, [{ ...COLUMN, isUnsorted: true }], sort)).toEqual(rows);
});
