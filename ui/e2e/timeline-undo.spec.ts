/** What changes the rows of the timeline can be undone, wherever it was done. */
import { type Page } from '@playwright/test';

import { expect, test } from './server';
import { openTimeline } from './timeline-probe';

const undo = (page: Page) => page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
const hiddenButton = (page: Page) => page.getByRole('button', { name: /^\d+ hidden$/ });
const group = (page: Page, name: string) => page.locator('.group-header', { hasText: name });

test('a track hidden by its button comes back by Undo', async ({ page, url }) => {
  await openTimeline(page, url, 'demo');
  const first = page.locator('.track-header').first();
  const name = await first.locator('.header-name').textContent();
  await first.hover();
  await first.getByRole('button', { name: 'Hide' }).click();
  await expect(hiddenButton(page)).toHaveText('1 hidden');
  await expect(page.getByRole('status')).toContainText(`${name} hidden`);
  await undo(page);
  await expect(hiddenButton(page)).toHaveCount(0);
  await expect(page).not.toHaveURL(/hide=/);
});

test('hidden tracks are listed, and one can be shown', async ({ page, url }) => {
  await openTimeline(page, url, 'demo', '?hide=8,9,10');
  await hiddenButton(page).click();
  const list = page.locator('.hidden-tracks');
  await expect(list.locator('li')).toHaveCount(3);
  await list.locator('li button').first().click();
  await expect(hiddenButton(page)).toHaveText('2 hidden');
  await expect(page).toHaveURL(/hide=9(%2C|,)10/);
  await undo(page);
  await expect(hiddenButton(page)).toHaveText('3 hidden');
  await hiddenButton(page).click();
  await list.getByRole('button', { name: 'Show all 3 tracks' }).click();
  await expect(hiddenButton(page)).toHaveCount(0);
  await undo(page);
  await expect(hiddenButton(page)).toHaveText('3 hidden');
});

test('opened and closed groups go back by Undo', async ({ page, url }) => {
  await openTimeline(page, url, 'demo', '?closed=CPU:1');
  const isOpen = async (name: string, wanted: boolean) =>
    expect(group(page, name)).toHaveAttribute('aria-expanded', String(wanted));
  await page.getByRole('button', { name: 'Close all' }).click();
  await isOpen('CPU:0', false);
  await undo(page);
  await isOpen('CPU:0', true);
  await isOpen('CPU:1', false);

  await group(page, 'CPU:1').click();
  await isOpen('CPU:1', true);
  await undo(page);
  await isOpen('CPU:1', false);

  await group(page, 'CPU:0').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Close others' }).click();
  await isOpen('CPU:2', false);
  await undo(page);
  await isOpen('CPU:2', true);
  await isOpen('CPU:1', false);
});
