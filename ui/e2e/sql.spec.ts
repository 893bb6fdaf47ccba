/** The page for SQL, with the real program that answers queries. */
import { readFileSync } from 'node:fs';

import type { Page } from '@playwright/test';

import { violations } from './accessible';
import { expect, test } from './server';

interface Listed {
  sessions: { key: string; name: string }[];
}

/** The page for a query, of a session or of all. */
async function open(page: Page, url: string, session: string | null, query = ''): Promise<void> {
  const own = `?query=${encodeURIComponent(query)}`;
  const list = (await (await page.request.get(`${url}api/sessions`)).json()) as Listed;
  const key = list.sessions.find(({ name }) => name === session)?.key;
  if (session !== null) expect(key, session).toBeDefined();
  await page.goto(`${url}#/${session === null ? 'sql' : `s/${key}/sql`}${query ? own : ''}`);
  await expect(editor(page)).toBeVisible();
}

const editor = (page: Page) => page.locator('.cm-content');
const runButton = (page: Page) => page.getByRole('button', { name: 'Run', exact: true });
const rows = (page: Page) => page.locator('.sql-rows .table-row');

/** Writes a query where the cursor is, as people do. */
async function write(page: Page, text: string): Promise<void> {
  await editor(page).click();
  await expect(editor(page)).toBeFocused();
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
}

test('a query is written, completed and run, and has the figures of the analysis', async ({
  page,
  url,
}) => {
  const asked: string[] = [];
  const failed: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('pageerror', (error) => failed.push(error.message));
  page.on('console', (message) => {
    if (/Content.Security.Policy/i.test(message.text())) failed.push(message.text());
  });
  await open(page, url, 'demo');
  await write(page, 'select count(*) as ops from op');
  const choices = page.locator('.cm-tooltip-autocomplete');
  await expect(choices.getByText('ops', { exact: true })).toBeVisible();
  await page.keyboard.press('Escape');
  await page.keyboard.type('s');
  await page.keyboard.press('Control+Enter');
  const response = await page.request.get(`${url}api/sessions`);
  const { sessions } = (await response.json()) as Listed;
  const { key } = sessions.find(({ name }) => name === 'demo') ?? { key: '' };
  const answer = await page.request.get(`${url}api/sessions/${key}/analyses/ops?limit=0`);
  const expected = ((await answer.json()) as { rows: unknown[] }).rows.length;
  expect(expected).toBeGreaterThan(50);
  await expect(rows(page).last()).toContainText(String(expected));
  const elsewhere = asked.filter((each) => !each.startsWith(url) && each.startsWith('http'));
  expect(elsewhere, 'nothing is asked elsewhere').toEqual([]);
  expect(failed).toEqual([]);
});

test('the link keeps the query, and Back returns to the one before', async ({ page, url }) => {
  await open(page, url, 'demo', 'select name from ops limit 3');
  await expect(page.locator('.sql-rows')).toContainText('3 rows');
  await write(page, 'select name from ops limit 4');
  await runButton(page).click();
  await expect(page.locator('.sql-rows')).toContainText('4 rows');
  await page.reload();
  await expect(page.locator('.sql-rows')).toContainText('4 rows');
  await page.goBack();
  await expect(page.locator('.sql-rows')).toContainText('3 rows');
  await expect(editor(page)).toContainText('limit 3');
  await page.getByRole('button', { name: 'History' }).click();
  const past = page.locator('.sql-choice').filter({ hasText: 'limit 4' });
  await expect(past).toBeInViewport({ ratio: 1 });
  await past.click();
  await expect(editor(page)).toContainText('limit 4');
});

test('an error says what is wrong, where, and what would be right', async ({ page, url }) => {
  await open(page, url, 'demo', 'select nonsense from ops');
  await expect(page.getByRole('alert')).toContainText('nonsense');
  await expect(page.getByRole('alert')).toContainText('self_ps');
  await expect(page.locator('.sql-wrong')).toHaveText('nonsense');
});

test('a query that takes long is canceled', async ({ page, url }) => {
  await open(page, url, 'demo');
  await write(page, 'select count(*) from slices a cross join slices b cross join slices c');
  await runButton(page).click();
  const cancel = page.getByRole('button', { name: 'Cancel', exact: true });
  await cancel.click();
  await expect(cancel).toBeHidden();
  await expect(runButton(page)).toBeEnabled();
  // The next one has its turn.
  await write(page, 'select 41 + 1 as answer');
  await runButton(page).click();
  await expect(rows(page).last()).toContainText('42');
});

test('rows are a chart, open the timeline, and are saved', async ({ page, url }) => {
  const query = 'select start_ps, duration_ps, device, step, name from slices where role = \'ops\' limit 50';
  await open(page, url, 'demo', query);
  await page.getByRole('button', { name: 'Chart', exact: true }).click();
  await expect(page.locator('.sql-plot')).toBeVisible();
  const cut = await page.locator('.sql-plot').evaluate((plot) => {
    const box = plot.getBoundingClientRect();
    const texts = [...plot.querySelectorAll('svg text')].map((text) => text.getBoundingClientRect());
    return texts.filter(({ left, right }) => left < box.left - 0.5 || right > box.right + 0.5).length;
  });
  expect(cut, 'labels outside of the chart').toBe(0);
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download all' }).click();
  await page.getByRole('menuitem', { name: /as CSV/ }).click();
  const lines = readFileSync(await (await saved).path(), 'utf8').trim().split('\r\n');
  expect(lines).toHaveLength(51);
  expect(lines[0]).toBe('start_ps,duration_ps,device,step,name');
  await page.getByRole('button', { name: 'Table', exact: true }).click();
  await rows(page).nth(1).click();
  await expect(page.locator('canvas').first()).toBeVisible();
  await expect(page).toHaveURL(/timeline/);
});

test('all sessions answer one query', async ({ page, url }) => {
  await open(page, url, null, 'select session, count(*) as steps from steps group by session order by session');
  const response = await page.request.get(`${url}api/sessions`);
  const { sessions } = (await response.json()) as Listed;
  await expect(page.locator('.sql-rows')).toContainText(/\d+\s+rows/);
  const count = await rows(page).count();
  expect(count).toBeGreaterThan(5);
  expect(count).toBeLessThanOrEqual(sessions.length + 1);
});

for (const [colorScheme, rules] of [
  ['light', 'all'],
  ['dark', 'colors'],
] as const) {
  test(`axe finds nothing on the page for SQL, ${colorScheme}`, async ({ page, url }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await open(page, url, 'demo', 'select name, self_ps from ops order by self_ps desc limit 20');
    await expect(rows(page).nth(1)).toBeVisible();
    const found: string[] = [];
    const check = async (what: string) => found.push(...(await violations(page, what, rules)));
    await check('rows');
    await runButton(page).hover();
    await check('a button below the pointer');
    await page.getByRole('button', { name: 'Chart', exact: true }).click();
    await expect(page.locator('.sql-plot')).toBeVisible();
    await check('chart');
    await page.getByRole('button', { name: 'Examples' }).click();
    const examples = page.locator('.sql-choices-list');
    await expect(examples).toBeVisible();
    const box = await examples.boundingBox();
    expect(box?.x ?? -1, 'the list is not cut').toBeGreaterThan(0);
    await check('examples');
    expect(found).toEqual([]);
  });
}
