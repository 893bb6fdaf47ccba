/** What people read and open: source lines, links to rows, lists that are cut, empty states, words. */
import type { Page } from '@playwright/test';

import { expect, openView, test } from './server';

const EDITOR = /^vscode:\/\/file\/.*:\d+$/;
const rowsOf = (page: Page) => page.locator('.table-row:not(.table-head)');

for (const { view, session, query, place } of [
  { view: 'critical_path', session: 'demo', query: '?tab=ops', place: '.table-row' },
  { view: 'heap', session: 'leak-cpu', query: '', place: '.table-row' },
  { view: 'graph', session: 'demo', query: '', place: '.graph-details' },
  { view: 'buffers', session: 'demo', query: '', place: '.buffers-savings' },
]) {
  test(`source lines of ${view} open in the editor`, async ({ page, url }) => {
    await openView(page, url, session, view, query);
    const link = page.locator(`${place} .source-text a`).first();
    await expect(link).toHaveAttribute('href', EDITOR);
  });
}

test('the source line of a node of the op tree opens in the editor', async ({ page, url }) => {
  await openView(page, url, 'demo', 'op_tree');
  await page.getByRole('searchbox', { name: 'Find nodes' }).fill('ynn_fusion.4');
  await rowsOf(page).filter({ hasText: 'ynn_fusion.4' }).last().click();
  const link = page.getByRole('complementary', { name: 'Node' }).locator('.source-text a');
  await expect(link).toHaveAttribute('href', EDITOR);
});

test('links to a kernel, a node and a frame still show it when others are left out', async ({
  page,
  url,
}) => {
  await openView(page, url, 'causes-h100/train-and-eval', 'kernels');
  const row = rowsOf(page).nth(3);
  await row.click();
  const name = (await page.locator('.kernel-selected strong').textContent())!;
  // The selection leaves out the rows before it.
  const address = new URL(page.url());
  const params = new URLSearchParams(address.hash.split('?')[1]);
  params.set('match', `^${name.slice(0, 12).replace(/[^\w]/g, '.')}`);
  await page.goto(`${page.url().split('?')[0]}?${params.toString()}`);
  await expect(page.locator('.kernel-selected strong')).toHaveText(name);

  await openView(page, url, 'demo', 'scopes', '?as=flame');
  await page.locator('.flame-canvas').click({ position: { x: 300, y: 30 } });
  const path = page.getByRole('navigation', { name: 'Zoomed to' });
  const zoomed = (await path.locator('[aria-current]').textContent())!;
  await expect(page).toHaveURL(/zoom=[\w.-]+~/);
  await page.goto(`${page.url()}&steps=3..5`);
  await expect(path.locator('[aria-current]')).toHaveText(zoomed);

  await openView(page, url, 'demo', 'op_tree');
  await page.locator('.flame-canvas').click({ position: { x: 200, y: 50 } });
  const details = page.getByRole('complementary', { name: 'Node' });
  const node = (await details.locator('.op-details-name').first().textContent())!;
  await page.goto(`${page.url()}&steps=3..5`);
  await expect(details.locator('.op-details-name').first()).toHaveText(node);
  // What such links were before names some row by position; it opens none.
  await page.goto(page.url().replace(/node=[^&]*/, 'node=3'));
  await expect(details).toHaveCount(0);
});
