/** A step over another one: its slices say what they are, and a click shows them where they ran. */
import { expect, test } from './server';
import { canvasOf, openTimeline, windowIn } from './timeline-probe';

test('slices of the other step have a card, and a click shows them', async ({ page, url }) => {
  // Step 3 over step 2, zoomed to step 2.
  await openTimeline(page, url, 'demo', '?over=2~3');
  // The link lays a step over another one, and no query.
  await expect(page.getByRole('group', { name: 'Step over step' })).toBeVisible();
  await expect(page.locator('.laid-chip')).toHaveCount(0);
  const ops = page.locator('.track-header', { hasText: 'XLA Ops' }).first();
  const { box } = await canvasOf(page);
  const row = (await ops.boundingBox())!;
  const card = page.locator('.hover-card');
  // The foot of the first lane, somewhere within step 2.
  let x = box.x;
  const text = async () => (await card.allTextContents()).join('');
  while (!/Step 3/.test(await text()) && x < box.x + box.width) {
    x += 12;
    await page.mouse.move(x, row.y + 15);
    await page.waitForTimeout(40);
  }
  await expect(card).toContainText('Click to show it in its step');
  await page.mouse.click(x, row.y + 15);
  await expect(page).toHaveURL(/slice=|window=/);
  const shown = windowIn(page);
  // A single slice that is in the window is selected; of merged ones, all are shown.
  if (!shown) {
    await expect(page.locator('.facts .fact-link')).toHaveText('3');
    return;
  }
  const response = await page.request.get(
    `${url}api/sessions/${/s\/([^/]+)\//.exec(page.url())![1]}/analyses/timeline`,
  );
  const { steps } = (await response.json()) as {
    steps: { step: number; device: string; start_ps: number; duration_ps: number }[];
  };
  const step = steps.find((one) => one.step === 3)!;
  const middle = (shown.start + shown.end) / 2;
  expect(middle).toBeGreaterThan(step.start_ps - step.duration_ps / 2);
  expect(middle).toBeLessThan(step.start_ps + step.duration_ps * 1.5);
});

test('slices of a step of the baseline have names', async ({ page, url }) => {
  const response = await page.request.get(`${url}api/sessions`);
  const { sessions } = (await response.json()) as { sessions: { key: string; name: string }[] };
  const baseline = sessions.find(({ name }) => name === 'base')!;
  await openTimeline(page, url, 'slower', `?baseline=${baseline.key}&split=off&over=1~b1`);
  await expect(page.getByRole('group', { name: 'Step over step' })).toContainText('Baseline step');
  const row = (await page.locator('.track-header', { hasText: 'XLA Ops' }).first().boundingBox())!;
  const { box } = await canvasOf(page);
  const card = page.locator('.hover-card', { hasText: 'Baseline step 1' });
  await expect(async () => {
    for (let x = box.x; x < box.x + box.width && (await card.count()) === 0; x += 12) {
      await page.mouse.move(x, row.y + 15);
      await page.waitForTimeout(40);
    }
    await expect(card).toBeVisible({ timeout: 500 });
  }).toPass();
  // A name of an op, for merged slices that of the longest.
  const name = card.locator('.hover-longest').or(card.locator('.hover-name')).last();
  await expect(name).toHaveText(/^(longest: )?[a-z][\w.-]+$/);
});
