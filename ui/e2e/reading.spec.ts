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
