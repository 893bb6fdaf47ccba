/** The query of a table: the same rows and figures as the table, in the program that answers queries. */
import { readFileSync } from 'node:fs';

import type { Page } from '@playwright/test';

import { expect, openView, test } from './server';

type Cell = string | number | boolean | null;

interface Answer {
  columns: { key: string }[];
  rows: Cell[][];
}

/** The first table of the view as CSV: the rows shown, with raw values. */
async function shownRows(page: Page): Promise<Map<string, string[]>> {
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV', exact: true }).first().click();
  const text = readFileSync(await (await saved).path(), 'utf8');
  const [head = [], ...rows] = parseCsv(text);
  return new Map(head.map((key, index) => [key, rows.map((row) => row[index] ?? '')]));
}

function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain = '', end = ''] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n)/g,
  )) {
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '\n') rows.push([]);
  }
  return rows.filter((row) => row.length > 0);
}

/** Opens the query of the table and asks it anew, for all rows. */
async function askedRows(page: Page, url: string): Promise<{ query: string; answer: Answer }> {
  await expect(page).toHaveURL(/\/sql\?/);
  await expect(page.locator('.sql-rows')).toBeVisible({ timeout: 30_000 });
  const hash = new URL(page.url()).hash;
  const query = new URLSearchParams(hash.slice(hash.indexOf('?'))).get('query') ?? '';
  const session = /#\/s\/([^/]+)\//.exec(hash)?.[1];
  const data = { query, sessions: [session], limit: 100_000 };
  const response = await page.request.post(`${url}api/sql`, { data });
  expect(response.ok(), await response.text()).toBe(true);
  return { query, answer: (await response.json()) as Answer };
}

/** A cell as the table's file has it; engines differ in the last digit, and the page may leave out zeros. */
function textOf(cell: Cell | undefined): string {
  if (cell === null || cell === undefined || cell === 0 || cell === '0') return '';
  const number = typeof cell === 'string' && cell.trim() !== '' ? Number(cell) : cell;
  return typeof number === 'number' && !Number.isNaN(number)
    ? String(Number(number.toPrecision(9)))
    : String(cell);
}

function expectSame(shown: Map<string, string[]>, { columns, rows }: Answer, query: string): void {
  expect(columns.length, query).toBeGreaterThan(0);
  // The page has words of its own for some texts, so names and figures are compared.
  const isFigure = (index: number) => rows.every((row) => typeof row[index] !== 'string');
  columns.forEach(({ key }, index) => {
    if (index > 0 && !isFigure(index)) return;
    const own = (shown.get(key) ?? []).map(textOf).sort();
    const asked = rows.map((row) => textOf(row[index])).sort();
    expect(asked, `${key} of\n${query}`).toEqual(own);
  });
}

const TABLES: readonly [session: string, view: string, query: string][] = [
  ['demo', 'ops', ''],
  ['demo', 'ops', '?steps=3..5&sort=occurrences'],
  ['demo', 'ops', '?q=self%20%3E%201us%20dot'],
  ['demo', 'steps', ''],
  ['demo', 'regions', '?steps=2..4'],
  ['demo', 'collectives', ''],
  ['demo', 'idle', '?steps=2'],
  ['demo', 'idle', '?q=Data%20loading'],
  ['demo', 'critical_path', ''],
  ['compile', 'compile', ''],
  ['mlp_dp', 'steps', '?host=host-1'],
  ['serving', 'requests', ''],
  ['demo', 'buffers', ''],
  ['demo', 'roofline', '?match=dot'],
  ['demo', 'roofline', '?tab=steps'],
];

for (const [session, view, query] of TABLES) {
  test(`${view}${query} has the rows of its query`, async ({ page, url }) => {
    await openView(page, url, session, view, query);
    const shown = await shownRows(page);
    await page.getByRole('button', { name: 'SQL', exact: true }).first().click();
    const { query: asked, answer } = await askedRows(page, url);
    expect(answer.rows.length).toBeGreaterThan(0);
    expectSame(shown, answer, asked);
  });
}

test('a table without tools has its query in the menu, and a table that the page computed has none', async ({
  page,
  url,
}) => {
  await openView(page, url, 'demo', 'overview', '?steps=3..5');
  await page.getByRole('grid', { name: 'ops' }).locator('.table-row').nth(1).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Show SQL' }).click();
  const { query, answer } = await askedRows(page, url);
  expect(query).toContain("from overview_top_ops('steps=3..5')");
  expect(answer.rows.length).toBeGreaterThan(3);
  await page.goto(`${url}#/`);
  await page.locator('.sessions-table .table-row').nth(1).click({ button: 'right' });
  await expect(page.getByRole('menuitem', { name: 'Copy table as CSV' })).toBeVisible();
  await expect(page.getByRole('menuitem', { name: 'Show SQL' })).toHaveCount(0);
});
