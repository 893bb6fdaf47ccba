/** Everything around the rows works without a pointer, and fits narrow windows. */
import { type Page } from '@playwright/test';

import { expect, test } from './server';
import { canvasOf, openTimeline, settled } from './timeline-probe';

const widthOf = async (page: Page, selector: string) =>
  (await page.locator(selector).boundingBox())!;

test('the buttons of a track are reached by Tab', async ({ page, url }) => {
  await openTimeline(page, url, 'demo');
  const header = page.locator('.is-scrolled .track-header').first();
  await header.locator('.track-name').focus();
  await page.keyboard.press('Tab');
  await expect(header.getByRole('button', { name: 'Pin to the top' })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(header.getByRole('button', { name: 'Hide' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/hide=\d+/);
});

test('the lines between names, tracks and details move by arrow keys', async ({ page, url }) => {
  await openTimeline(page, url, 'demo', '?slice=1:0:3&window=1712575500..2441575500');
  const names = page.getByRole('separator', { name: 'Width of the names' });
  const before = await widthOf(page, '.timeline-headers');
  const address = page.url();
  await names.focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(async () => (await widthOf(page, '.timeline-headers')).width).toBe(before.width + 16);
  // The window has not moved with it.
  await page.waitForTimeout(500);
  expect(page.url()).toBe(address);
  const details = page.getByRole('separator', { name: 'Height of the details' });
  const low = await widthOf(page, '.drawer');
  await details.focus();
  await page.keyboard.press('ArrowUp');
  await expect.poll(async () => (await widthOf(page, '.drawer')).height).toBe(low.height + 16);
  await page.keyboard.press('Home');
  await expect(details).toHaveAttribute('aria-valuenow', '120');
});

test('the hover card stays within a narrow window', async ({ page, url }) => {
  await page.setViewportSize({ width: 390, height: 800 });
  await openTimeline(page, url, 'demo');
  const { box } = await canvasOf(page);
  const row = (await page.locator('.track-header', { hasText: 'XLA Ops' }).first().boundingBox())!;
  const card = page.locator('.hover-card');
  for (const share of [0.1, 0.4, 0.7]) {
    await page.mouse.move(box.x + box.width * share, row.y + 8);
    await settled(page);
    if ((await card.count()) === 0) continue;
    const at = (await card.boundingBox())!;
    expect(at.x).toBeGreaterThanOrEqual(0);
    expect(at.x + at.width).toBeLessThanOrEqual(390);
  }
  await expect(card).toHaveCount(1);
});

test('a message stays while the focus is on it, also when the pointer leaves', async ({ page, url }) => {
  await openTimeline(page, url, 'demo');
  await page.clock.install();
  const header = page.locator('.is-scrolled .track-header').first();
  await header.locator('.track-name').focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const undo = page.getByRole('status').getByRole('button', { name: 'Undo' });
  await undo.focus();
  await undo.hover();
  await page.mouse.move(5, 5);
  await page.clock.fastForward(20_000);
  await expect(undo).toBeVisible();
  await undo.blur();
  await page.clock.fastForward(20_000);
  await expect(undo).toHaveCount(0);
});

test('details stand below, at the right, or alone, and the link keeps it', async ({ page, url }) => {
  await openTimeline(page, url, 'demo');
  await page.keyboard.press('q');
  const details = page.locator('.drawer');
  const canvas = page.locator('.timeline-canvas').first();
  await expect(details).toBeVisible();
  const below = (await details.boundingBox())!;
  expect(below.y).toBeGreaterThan((await canvas.boundingBox())!.y);
  await page.getByRole('button', { name: 'Details at the right' }).click();
  await expect.poll(async () => (await details.boundingBox())!.x).toBeGreaterThan(below.x + 300);
  await page.getByRole('button', { name: 'Details only' }).click();
  await expect(page).toHaveURL(/dock=full/);
  await expect
    .poll(async () => (await details.boundingBox())!.height)
    .toBeGreaterThan(below.height * 1.4);
  await page.getByRole('button', { name: 'Details below' }).click();
  await expect(page).not.toHaveURL(/dock=/);
});

for (const width of [1280, 1366, 1440, 390]) {
  test(`details at the right cut nothing off at ${width} px`, async ({ page, url }) => {
    await page.setViewportSize({ width, height: 800 });
    await openTimeline(page, url, 'demo', '?dock=right');
    await page.keyboard.press('q');
    const details = (await page.locator('.drawer').boundingBox())!;
    // A phone shows the details below instead.
    const room = width < 740 ? width : details.x;
    expect(details.width).toBeGreaterThan(width < 740 ? width - 1 : 400);
    const tools = page.getByRole('toolbar', { name: 'Timeline' }).locator('button, input');
    await expect(tools.last()).toHaveAccessibleName('Show or hide the details (q)');
    const boxes = await tools.evaluateAll((all) =>
      all.map((each) => each.getBoundingClientRect()).map(({ left, right, top }) => ({ left, right, top })),
    );
    for (const { left, right } of boxes) {
      expect(left).toBeGreaterThanOrEqual(0);
      expect(right).toBeLessThanOrEqual(room);
    }
    const lines = Math.max(...boxes.map(({ top }) => top)) - Math.min(...boxes.map(({ top }) => top));
    expect(lines).toBeLessThan(width < 740 ? 40 : 20);
    const line = page.locator('.timeline-status > :not(.spacer)').filter({ visible: true });
    for (const part of await line.all()) {
      const box = (await part.boundingBox())!;
      expect(box.x + box.width).toBeLessThanOrEqual(room + 1);
    }
    // On a phone the tabs scroll.
    if (width > 740) await expect(page.getByRole('tab', { name: 'Marks' })).toBeInViewport({ ratio: 1 });
  });
}
