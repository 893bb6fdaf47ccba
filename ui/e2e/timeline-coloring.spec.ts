/** Colors by time can be isolated, too. */
import { type Page } from '@playwright/test';

import { expect, test } from './server';
import { openTimeline, settled } from './timeline-probe';

/** Pixels of the canvas that have a color. */
const colored = (page: Page) =>
  page.locator('.timeline-canvas').first().evaluate((element) => {
    const canvas = element as HTMLCanvasElement;
    const { data } = canvas.getContext('2d')!.getImageData(0, 120, canvas.width, canvas.height - 120);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) {
      const [red, green, blue] = [data[i]!, data[i + 1]!, data[i + 2]!];
      if (Math.max(red, green, blue) - Math.min(red, green, blue) > 40) count++;
    }
    return count;
  });

for (const { by, entry, key, chip } of [
  { by: 'step', entry: 'Step 1', key: '1', chip: 'Only Step 1: show all' },
  { by: 'duration', entry: '≥ 100.0 µs', key: '100000000', chip: 'Only ≥ 100.0 µs: show all' },
]) {
  test(`a color by ${by} is isolated by a click, and the link keeps it`, async ({ page, url }) => {
    // Wide enough for the whole legend.
    await page.setViewportSize({ width: 1700, height: 800 });
    await openTimeline(page, url, 'demo', `?color=${by}`);
    const before = await colored(page);
    const button = page.locator('.timeline-legend').getByRole('button', { name: entry });
    await button.click();
    await expect(button).toHaveAttribute('aria-pressed', 'true');
    await expect(page).toHaveURL(new RegExp(`color=${by}(;|%3B)${key}`));
    await settled(page);
    await expect.poll(() => colored(page)).toBeLessThan(before / 2);
    await page.reload();
    await settled(page);
    await expect(button).toHaveAttribute('aria-pressed', 'true');
    await page.getByRole('button', { name: chip }).click();
    await expect.poll(() => colored(page)).toBeGreaterThan(before / 2);
  });
}
