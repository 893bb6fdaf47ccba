import { expect, test } from 'vitest';

import { fittedWidth } from './fit';
import type { Column } from './rows';

interface Row {
  host: string | null;
  bytes: number;
}

const HOST: Column<Row> = { key: 'host', title: 'Host', width: 140, value: (row) => row.host };
const row = (host: string | null): Row => ({ host, bytes: 1 });

test('a column of texts is as wide as its longest text', () => {
  expect(fittedWidth(HOST, [row('vm'), row('gpu-7'), row(null)])).toBe(64);
});

test('and not wider than declared', () => {
  expect(fittedWidth(HOST, [row('a-very-long-name-of-a-host.example.org')])).toBe(140);
});

test('figures and cells of their own are as wide as declared', () => {
  const figure: Column<Row> = { ...HOST, kind: 'bytes', value: ({ bytes }) => bytes };
  const drawn: Column<Row> = { ...HOST, cell: () => 'x' };
  expect([figure, drawn].map((column) => fittedWidth(column, [row('vm')]))).toEqual([140, 140]);
});
