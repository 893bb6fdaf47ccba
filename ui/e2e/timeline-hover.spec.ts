/** The card next to the pointer says what is drawn there now. */
import type { Route } from '@playwright/test';

import { expect, test } from './server';
import { canvasOf, openTimeline } from './timeline-probe';

test('merged slices become single ones when their tile arrives', async ({ page, url }) => {
  await openTimeline(page, url, 'demo');
  const merged = page.locator('.track-header', { hasText: 'XLA Ops' }).first();
  const { box } = await canvasOf(page);
  const row = (await merged.boundingBox())!;
  const card = page.locator('.hover-card');
  const text = async () => (await card.allTextContents()).join('');
  let x = box.x;
  while (!/\d+ slices/.test(await text()) && x < box.x + box.width) {
    x += 9;
    await page.mouse.move(x, row.y + 8);
    await page.waitForTimeout(30);
  }
  const held: Route[] = [];
  let isHolding = true;
  await page.route('**/timeline/tile*', (route) =>
    isHolding ? void held.push(route) : route.continue(),
  );
  // Until the tiles arrive, what is drawn are the merged slices of the whole session.
  await page.keyboard.down('Control');
  for (let i = 0; i < 3; i++) await page.mouse.wheel(0, -240);
  await page.keyboard.up('Control');
  await expect.poll(() => held.length).toBeGreaterThan(0);
  await expect(card).toContainText(/\d+ slices/);
  const before = await card.textContent();
  isHolding = false;
  await Promise.all(held.map((route) => route.continue()));
  // The pointer does not move.
  await expect(card).not.toHaveText(before!);
});
