/** Named arrangements of rows and colors: saved, shown, renamed, deleted, and in the palette. */
import { type Page } from '@playwright/test';

import { expect, test } from './server';
import { openTimeline, settled } from './timeline-probe';

const open = (page: Page) =>
  page.getByRole('button', { name: 'Arrangements of rows and colors' }).click();

test('an arrangement is saved, survives a reload, and is shown from the list and the palette', async ({
  page,
  url,
}) => {
  await openTimeline(page, url, 'demo', '?hide=8,9&pin=1&color=name&rows=compact');
  const dialog = page.getByRole('dialog', { name: 'Arrangements' });
  await open(page);
  await dialog.getByRole('textbox').fill('my rows');
  await page.keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);

  await openTimeline(page, url, 'demo');
  await page.reload();
  await settled(page);
  await expect(page).not.toHaveURL(/hide=/);
  await open(page);
  await dialog.getByRole('button', { name: 'my rows', exact: true }).click();
  await expect(page).toHaveURL(/hide=8(,|%2C)9/);
  await expect(page).toHaveURL(/pin=1/);
  await expect(page).toHaveURL(/color=name/);
  await expect(page.locator('.is-pinned .track-header')).toHaveCount(1);
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await expect(page).not.toHaveURL(/hide=|pin=|color=/);

  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  await palette.locator('input').fill('arrangement my rows');
  await palette.getByRole('option', { name: /Arrangement my rows/ }).click();
  await expect(page).toHaveURL(/hide=8(,|%2C)9/);
});

test('an arrangement is renamed, and a deleted one comes back by Undo', async ({ page, url }) => {
  await openTimeline(page, url, 'demo', '?hide=8');
  const dialog = page.getByRole('dialog', { name: 'Arrangements' });
  const rows = dialog.locator('.arrangement');
  for (const name of ['first', 'second']) {
    await open(page);
    await dialog.getByRole('textbox').fill(name);
    await dialog.getByRole('button', { name: 'Save' }).click();
  }
  await open(page);
  await expect(rows).toHaveCount(2);
  await dialog.getByRole('button', { name: 'Rename first' }).click();
  const field = dialog.getByRole('textbox', { name: 'New name of first' });
  await field.fill('second');
  await field.press('Enter');
  await expect(dialog.getByRole('alert')).toContainText('There is one called second');
  await field.fill('third');
  await field.press('Enter');
  await expect(rows.filter({ hasText: 'third' })).toHaveCount(1);
  await dialog.getByRole('button', { name: 'Delete second' }).click();
  await expect(rows).toHaveCount(1);
  await page.keyboard.press('Escape');
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await open(page);
  await expect(rows).toHaveCount(2);
});
