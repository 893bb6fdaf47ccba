/** The rows of a query as a track above those of the session. */
import type { Page } from '@playwright/test';

import { expect, openView, test } from './server';
import { settled } from './timeline-probe';

const QUERY = "-- Longest dots\nselect name, device, start_ps, duration_ps from slices where role = 'ops' and name like 'dot%' order by duration_ps desc limit 40";

const header = (page: Page, name: string) =>
  page.locator('.timeline-headers').getByText(name, { exact: true });
const chip = (page: Page) => page.locator('.laid-chip');

async function layOver(page: Page, url: string, query: string): Promise<void> {
  await openView(page, url, 'demo', 'sql', `?query=${encodeURIComponent(query)}`);
  await page.getByRole('button', { name: 'Lay over the timeline' }).click();
  await expect(page).toHaveURL(/\/timeline\?/);
  await settled(page);
}

test('rows with times are a track, which is selected, renamed, reloaded and removed', async ({
  page,
  url,
}) => {
  await layOver(page, url, QUERY);
  await expect(chip(page)).toContainText('SQL 40', { timeout: 30_000 });
  await expect(header(page, 'Longest dots')).toBeVisible();
  await settled(page);
  // Its first lane, somewhere along the line.
  const row = (await header(page, 'Longest dots').boundingBox())!;
  const canvas = page.locator('.timeline-canvas').first();
  const box = (await canvas.boundingBox())!;
  const y = row.y + row.height / 2;
  const name = page.locator('.slice-name');
  for (let share = 0.02; share < 1 && !(await name.isVisible()); share += 0.01) {
    await page.mouse.move(box.x + share * box.width, y);
    const card = page.locator('.hover-card');
    if (!(await card.isVisible()) || !/SQL \/ Longest dots/.test(await card.innerText())) continue;
    if (/slices,/.test(await card.innerText())) {
      await page.mouse.dblclick(box.x + share * box.width, y);
      await settled(page);
      continue;
    }
    await page.mouse.click(box.x + share * box.width, y);
    await page.waitForTimeout(300);
  }
  await expect(name).toContainText(/^dot/);
  const panel = page.locator('.slice-panel');
  await expect(panel).toContainText('SQL / Longest dots');
  await expect(panel).toContainText('Row of the query');
  await expect(page.locator('.timeline-error')).toHaveCount(0);
  const selected = await name.innerText();
  // The link has the query and the selection.
  await page.reload();
  await settled(page);
  await expect(chip(page)).toContainText('SQL 40', { timeout: 30_000 });
  await expect(name).toHaveText(selected);
  await chip(page).getByRole('button', { name: /^SQL/ }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Dots');
  await page.getByRole('textbox', { name: 'Name' }).press('Enter');
  await expect(header(page, 'Dots')).toBeVisible();
  await chip(page).getByRole('button', { name: 'Remove the rows of the query' }).click();
  await expect(chip(page)).toHaveCount(0);
  await expect(header(page, 'Dots')).toHaveCount(0);
  await expect(page).not.toHaveURL(/laid=/);
});

test('a query without times cannot be laid over, and one that fails says so', async ({ page, url }) => {
  const query = 'select name, self_ps from ops limit 3';
  await openView(page, url, 'demo', 'sql', `?query=${encodeURIComponent(query)}`);
  await expect(page.locator('.sql-rows')).toContainText('3 rows');
  await expect(page.getByRole('button', { name: 'Lay over the timeline' })).toHaveCount(0);
  await openView(page, url, 'demo', 'timeline', '?laid=select%20nonsense%20from%20ops');
  await expect(chip(page)).toContainText('SQL !', { timeout: 30_000 });
  await chip(page).getByRole('button', { name: /^SQL/ }).click();
  await expect(page.getByRole('dialog')).toContainText('nonsense');
});
