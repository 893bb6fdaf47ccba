/** The card next to the pointer says what is drawn there now. */
import type { Route } from '@playwright/test';

import { expect, test } from './server';
import { canvasOf, openTimeline } from './timeline-probe';

test('merged slices become single ones when their tile arrives', async ({ page, url }) => {
  await openTimeline(page, url, 'demo');
  const merged = page.locator('.track-header', { hasText: 'XLA Ops' }).first();
  const { box } = await canvasOf(page);
  const row = (await merged.boundingBox())!;
  const held: Route[] = [];
  await page.route('**/timeline/tile*', (route) => void held.push(route));
  await page.mouse.move(box.x + box.width * 0.2, row.y + 8);
  // Far in: what is drawn until the tiles arrive are the merged slices of the whole session.
  await page.keyboard.down('Control');
  for (let i = 0; i < 5; i++) await page.mouse.wheel(0, -240);
  await page.keyboard.up('Control');
  const card = page.locator('.hover-card');
  await expect(async () => {
    await page.mouse.move(box.x + box.width * 0.2 + 1, row.y + 8);
    await page.mouse.move(box.x + box.width * 0.2, row.y + 8);
    await expect(card).toContainText(/\d+ slices/, { timeout: 500 });
  }).toPass();
  const before = await card.textContent();
  await page.unroute('**/timeline/tile*');
  for (const route of held) await route.continue();
  // The pointer does not move.
  await expect(card).not.toHaveText(before!);
});
