/** Slices of one name, of which there are more than the page lists. */
import { type Page } from '@playwright/test';

import { expect, test } from './server';
import { openTimeline } from './timeline-probe';

const NAME = 'all-reduce.3';

/** Selects a late slice of the name, with a page that lists six. */
async function openLate(page: Page, url: string, query = ''): Promise<void> {
  await page.route('**/timeline/occurrences*', (route) =>
    route.continue({ url: route.request().url().replace(/limit=\d+/, 'limit=6') }),
  );
  const response = await page.request.get(`${url}api/sessions`);
  const { sessions } = (await response.json()) as { sessions: { key: string; name: string }[] };
  const key = sessions.find(({ name }) => name.includes('demo'))!.key;
  const pattern = encodeURIComponent(`(?-i)^${NAME}$`);
  const found = await page.request.get(
    `${url}api/sessions/${key}/timeline/search?query=${pattern}&limit=100`,
  );
  const { slices } = (await found.json()) as {
    slices: { name: string; slice: { track: number; lane: number; index: number } }[];
  };
  const own = slices.filter((each) => each.name === NAME);
  const { track, lane, index } = own[18]!.slice;
  await openTimeline(page, url, 'demo', `?slice=${track}:${lane}:${index}${query}`);
  await page.getByRole('tab', { name: 'Same name' }).click();
}

test('figures are of all, the list is around the slice, and the next is a key away', async ({
  page,
  url,
}) => {
  await openLate(page, url);
  const summary = page.locator('.occurrences .area-summary');
  await expect(summary).toContainText('24 slices');
  await expect(summary).toContainText('number 19');
  await expect(summary).toContainText('the 6 around it are listed');
  await expect(page.locator('.occurrence-bar.is-marked')).toHaveCount(1);
  await expect(page.locator('.occurrences .is-this')).toHaveCount(1);
  // Beyond what was listed at first.
  for (let number = 20; number <= 24; number++) {
    await page.keyboard.press('Shift+ArrowRight');
    await expect(summary).toContainText(`number ${number}`);
  }
  await page.locator('.occurrences').getByRole('button', { name: 'Previous' }).click();
  await expect(summary).toContainText('number 23');
});

test('starts read as the reader chose', async ({ page, url }) => {
  await openLate(page, url, '&clock=step');
  await expect(page.locator('.occurrences .is-this')).toContainText(/step \d+ \+/);
});
