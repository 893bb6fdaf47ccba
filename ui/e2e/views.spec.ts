/** Every analysis has a page, in light and dark mode, and the pages show what the server reports. */
import { expect, keepImage, openView, test } from './server';

import type { Page } from '@playwright/test';

interface Entry {
  name: string;
  group: string;
}

async function analyses(page: Page, url: string): Promise<Entry[]> {
  const response = await page.request.get(`${url}api/analyses`);
  return (await response.json()) as Entry[];
}

async function answer<T>(page: Page, url: string, name: string): Promise<T> {
  const session = /#\/s\/([^/]+)/.exec(page.url())?.[1] ?? '0';
  const response = await page.request.get(`${url}api/sessions/${session}/analyses/${name}`);
  expect(response.ok()).toBe(true);
  return (await response.json()) as T;
}

for (const colors of ['light', 'dark'] as const) {
  test(`every analysis has a page without an error, ${colors}`, async ({ page, url }) => {
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await page.emulateMedia({ colorScheme: colors });
    for (const { name } of await analyses(page, url)) {
      await openView(page, url, 'mlp_dp', name);
      await expect(page.locator('main')).not.toContainText('Unknown view');
      await expect(page.locator('main')).not.toBeEmpty();
      expect(errors, name).toEqual([]);
    }
  });
}

test('views are grouped in the navigation', async ({ page, url }) => {
  await openView(page, url, 'mlp_dp', 'overview');
  const waiting = (await analyses(page, url)).filter((entry) => entry.group === 'waiting');
  const group = page.getByRole('list', { name: 'Waiting' });
  await expect(group.getByRole('link')).toHaveCount(waiting.length);
  await group.getByRole('link', { name: 'Hosts' }).click();
  await expect(page).toHaveURL(/\/hosts/);
  await expect(page.locator('.rail [aria-current]')).toHaveText('Hosts');
});

test('the overview lists what to change first and links to the details', async ({ page, url }) => {
  await openView(page, url, 'mlp_dp', 'overview');
  const { findings } = await answer<{ findings: { title: string; severity: string }[] }>(
    page,
    url,
    'advice',
  );
  expect(findings.length).toBeGreaterThan(0);
  await expect(page.locator('.headline-first')).toContainText(findings[0]!.title);
  // The headline has one sign, that of the finding, and no number is apart from its unit.
  await expect(page.locator('.headline .verdict')).toHaveClass(`verdict is-${findings[0]!.severity}`);
  expect(await page.locator('.headline-sentence').textContent()).not.toMatch(/\d %/);
  await expect(page.locator('.top-findings li')).toHaveCount(Math.min(2, findings.length - 1));
  await expect(page.locator('.top-findings li').first()).toContainText(findings[1]!.title);
  await page.getByRole('link', { name: 'What to do' }).click();
  await expect(page).toHaveURL(/\/advice/);
  await expect(page.locator('main')).toContainText(findings[0]!.title);
  await keepImage(page, 'advice');
});

test('the place of the first finding is kept until it comes', async ({ page, url }) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(/analyses\/advice/, async (route) => {
    await held;
    await route.continue();
  });
  await openView(page, url, 'mlp_dp', 'overview');
  const first = page.locator('.headline-first');
  await expect(first).toContainText('Looking for causes');
  const figures = page.getByRole('region', { name: 'Key figures' });
  const before = (await figures.boundingBox())!;
  release();
  await expect(first).toContainText('Do first');
  const after = (await figures.boundingBox())!;
  expect(Math.abs(after.y - before.y)).toBeLessThanOrEqual(2);
});

test('the largest op is judged once, with its time per step below its share', async ({ page, url }) => {
  await openView(page, url, 'mlp_dp', 'overview');
  const cards = page.locator('.kpi').filter({ hasText: 'Largest op' });
  await expect(cards).toHaveCount(1);
  await expect(cards).toContainText('per step');
});

test('a verdict without findings is about the recording, and leads to those about the program', async ({
  page,
  url,
}) => {
  await openView(page, url, 'mlp_dp', 'verdict');
  await expect(page.getByRole('heading', { name: 'About the recording' })).toBeVisible();
  await page.getByRole('link', { name: 'What to change in the program' }).click();
  await expect(page).toHaveURL(/\/advice/);
  await expect(page.locator('main')).toContainText('to look at');
});

test('a capture without device work says once what is wrong and what to do', async ({ page, url }) => {
  await openView(page, url, 'nothing-ran', 'overview');
  await expect(page.locator('.headline-first')).toContainText('Record again: no device work');
  await expect(page.locator('.headline-first')).toContainText('jax.block_until_ready(result)');
  await expect(page.locator('.overview .notes')).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'No steps in this profile' })).toHaveCount(1);
});

test('a page of input without input wait has no table of zeros', async ({ page, url }) => {
  await openView(page, url, 'transpose', 'input');
  await expect(page.locator('main')).toContainText('No step waited for input (');
  await expect(page.getByRole('tab', { name: /^Steps/ })).toHaveCount(0);
  await page.getByRole('link', { name: 'What devices wait for' }).click();
  await expect(page).toHaveURL(/\/idle/);
});

test('a printed page says which session it is', async ({ page, url }) => {
  await openView(page, url, 'demo', 'overview');
  await page.emulateMedia({ media: 'print' });
  const title = page.locator('.page-title');
  expect(await title.evaluate((h1) => getComputedStyle(h1, '::after').content)).toContain('demo');
  await expect(page.getByRole('navigation', { name: 'Views' })).toBeHidden();
});

test('the straggler is named with its activity', async ({ page, url }) => {
  await openView(page, url, 'mlp_dp', 'hosts');
  await expect(page.locator('main')).toContainText('host-2');
  await expect(page.locator('main')).toContainText('data_loading');
  await keepImage(page, 'hosts');
});

test('a selected time range narrows the views', async ({ page, url }) => {
  await openView(page, url, 'mlp_dp', 'ops');
  const all = await answer<{ total_self_ps: number }>(page, url, 'ops');
  const half = await answer<{ total_self_ps: number }>(page, url, 'ops?time=..400ms');
  expect(half.total_self_ps).toBeLessThan(all.total_self_ps);
  expect(half.total_self_ps).toBeGreaterThan(0);
  await openView(page, url, 'mlp_dp', 'ops', '?time=..400ms');
  await expect(page.locator('.chip.is-set')).toContainText('..400ms');
  await page.getByRole('button', { name: 'All time' }).click();
  await expect(page.locator('.chip.is-set')).toHaveCount(0);
});

for (const [session, view] of [
  ['demo', 'op_tree'],
  ['demo', 'roofline'],
  ['demo', 'graph'],
  ['demo', 'buffers'],
  ['demo', 'collectives'],
  ['demo', 'idle'],
  ['mlp_dp', 'input'],
  ['compile', 'compile'],
  ['serving', 'requests'],
] as const) {
  test(`a screenshot of ${view}`, async ({ page, url }) => {
    await openView(page, url, session, view);
    const picture = page.locator('main svg, main canvas, main .flame, main .table-row');
    await expect(picture.first()).toBeVisible();
    await keepImage(page, view);
  });
}
