/** What a drag and a click on a chart choose, and how pages look to readers who need other colors. */
import type { Locator, Page } from '@playwright/test';

import { expect, openView, test } from './server';

/** Presses at one share of a chart's width and releases at another. */
async function drag(page: Page, chart: Locator, from: number, to: number): Promise<void> {
  await chart.scrollIntoViewIfNeeded();
  const box = (await chart.boundingBox())!;
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * from, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * to, y, { steps: 5 });
  await page.mouse.up();
}

for (const view of ['overview', 'steps']) {
  test(`a drag over the steps of ${view} selects them`, async ({ page, url }) => {
    await openView(page, url, 'mlp_dp', view);
    const chart = page.getByRole('application', { name: /steps/ }).first();
    await drag(page, chart, 0.3, 0.7);
    await expect(page).toHaveURL(/steps=[1-4]\.\.(%3D)?[5-8]/);
    await expect(page.locator('.page-line')).toContainText(/[1-4]\.\.=?[5-8]/);
    await page.goBack();
    await expect(page).not.toHaveURL(/steps=/);
  });
}

test('a chart is copied as a picture, at twice its size', async ({ page, url, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openView(page, url, 'mlp_dp', 'steps');
  const chart = page.getByRole('application', { name: /steps/ }).first();
  const box = (await chart.boundingBox())!;
  await chart.click({ button: 'right', position: { x: box.width / 2, y: box.height / 2 } });
  await page.getByRole('menuitem', { name: 'Copy as PNG' }).click();
  await expect(page.getByText('Chart as PNG copied')).toBeVisible();
  const picture = await page.evaluate(async () => {
    const [item] = await navigator.clipboard.read();
    const bitmap = await createImageBitmap(await item!.getType('image/png'));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')!;
    canvas.drawImage(bitmap, 0, 0);
    const { data } = canvas.getImageData(0, 0, bitmap.width, bitmap.height);
    const colors = new Set(new Uint32Array(data.buffer));
    return { types: item!.types, width: bitmap.width, colors: colors.size };
  });
  expect(picture.types).toContain('image/png');
  expect(picture.width).toBeGreaterThanOrEqual(2 * Math.floor(box.width) - 2);
  // Bars, lines and text on the background.
  expect(picture.colors).toBeGreaterThan(4);
});

test('a click on memory over time lists who was alive at that moment', async ({ page, url }) => {
  await openView(page, url, 'gpt-default', 'memory');
  await expect(page.locator('main')).toContainText('Alive at the peak');
  const chart = page.getByRole('application').first();
  const box = (await chart.boundingBox())!;
  await page.mouse.click(box.x + box.width * 0.75, box.y + box.height / 2);
  await expect(page).toHaveURL(/at=\d+ps/);
  await expect(page.locator('main')).not.toContainText('Alive at the peak');
  await expect(page.locator('main')).toContainText(/Alive at /);
  await page.goBack();
  await expect(page.locator('main')).toContainText('Alive at the peak');
});

test('with forced colors, bars keep theirs and cards have edges', async ({ page, url }) => {
  await page.emulateMedia({ forcedColors: 'active' });
  await openView(page, url, 'mlp_dp', 'overview');
  const colors = await page
    .locator('.headline .divided-bar > span')
    .evaluateAll((pieces) => pieces.map((piece) => getComputedStyle(piece).backgroundColor));
  expect(new Set(colors).size).toBeGreaterThan(2);
  await expect(page.locator('.card').first()).toHaveCSS('border-top-style', 'solid');
});

test('with reduced motion, nothing on a page moves', async ({ page, url }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await openView(page, url, 'mlp_dp', 'overview');
  await page.keyboard.press('Control+k');
  const panel = page.getByRole('dialog');
  await expect(panel).toBeVisible();
  const longest = await page.evaluate(() =>
    Math.max(
      0,
      ...document
        .getAnimations()
        .map((one) => Number(one.effect?.getComputedTiming().duration ?? 0)),
    ),
  );
  expect(longest).toBeLessThanOrEqual(1);
});
