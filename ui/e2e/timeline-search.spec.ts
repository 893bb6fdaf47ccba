/** The conditions of a search: they can be found, clicked and typed. */
import { expect, test } from './server';
import { openTimeline } from './timeline-probe';

test('a duration can be typed as a condition, and every match is that long', async ({ page, url }) => {
  await openTimeline(page, url, 'demo');
  const field = page.locator('.timeline-search input');
  await page.keyboard.press('/');
  await page.keyboard.type('dur>1ms');
  const count = page.locator('.match-count');
  await expect(count).toHaveText(/^[\d,.]+\smatches$/);
  await page.keyboard.press('ArrowDown');
  const durations = page.locator('.search-matches .search-duration');
  await expect(durations.first()).toBeVisible();
  for (const text of await durations.allTextContents()) {
    expect(text).toMatch(/^([1-9][\d.]*)\s(ms|s)$/);
  }
  await field.fill('');
});

test('an empty search lists the conditions, and a click tries one', async ({ page, url }) => {
  await openTimeline(page, url, 'demo');
  await page.locator('.timeline-search input').press('ArrowDown');
  const conditions = page.locator('.search-conditions');
  for (const key of ['dur>', 'kind:', 'track:', 'scope:', 'name:']) {
    await expect(conditions.locator('button', { hasText: key }).first()).toBeVisible();
  }
  await conditions.getByRole('button', { name: 'track:CPU:0' }).click();
  await expect(page.locator('.timeline-search input')).toHaveValue('track:CPU:0');
  await expect(page.locator('.search-matches .search-track').first()).toHaveText(/^CPU:0 \//);
});

test('an op is found once, without the markers of its ends', async ({ page, url }) => {
  await openTimeline(page, url, 'mlp_dp');
  const field = page.locator('.timeline-search input');
  const names = page.locator('.search-names li button');
  const named = () => names.evaluateAll((all) => all.map((each) => each.getAttribute('data-tip')));
  await field.fill('all-reduce.5');
  await field.press('ArrowDown');
  await expect.poll(named).toContain('all-reduce.5');
  expect((await named()).filter((name) => name?.startsWith('end: '))).toEqual([]);
  // They are found by the word that only they have.
  await field.fill('end: all-reduce.5');
  await expect.poll(named).toEqual(['end: all-reduce.5']);
});

test('a condition may have spaces, says what it lacks, and an unknown one is named', async ({ page, url }) => {
  await openTimeline(page, url, 'demo');
  const field = page.locator('.timeline-search input');
  const count = page.locator('.match-count');
  const remark = page.locator('.search-error');
  await field.fill('dur > 1 ms');
  await expect(count).toHaveText(/^[\d,.]+\smatches$/);
  const matches = await count.textContent();
  await field.fill('duration>1ms');
  await expect(count).toHaveText(matches!);
  await expect(remark).toHaveCount(0);
  await field.fill('dur>1');
  await expect(remark).toHaveText('dur needs a time with a unit, such as dur>1ms.');
  await field.fill('category:loop');
  await expect(remark).toHaveText(/^Unknown condition "category:"\. Conditions: dur, name,/);
  await expect(count).toHaveText('no matches');
});

test('a step, which is no condition, can be shown alone from where it was typed', async ({ page, url }) => {
  await openTimeline(page, url, 'demo');
  const field = page.locator('.timeline-search input');
  const alone = page.locator('.search-error button');
  await field.fill('fusion step:987654');
  await expect(page.locator('.search-error')).toHaveText(/^Unknown condition "step:"/);
  await expect(alone).toHaveCount(0);
  await field.fill('fusion step:1');
  await expect(alone).toHaveText('Show only step 1');
  await alone.click();
  await expect(field).toHaveValue('fusion');
  await expect(page.locator('.timeline-status')).toContainText('step 1');
  await expect(page.locator('.search-error')).toHaveCount(0);
});
