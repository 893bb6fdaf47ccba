/** What people read and open: source lines, links to rows, lists that are cut, empty states, words. */
import type { Page } from '@playwright/test';

import { expect, openView, test } from './server';

const EDITOR = /^vscode:\/\/file\/.*:\d+$/;
const rowsOf = (page: Page) => page.locator('.table-row:not(.table-head)');

for (const { view, session, query, place } of [
  { view: 'critical_path', session: 'demo', query: '?tab=ops', place: '.table-row' },
  { view: 'heap', session: 'leak-cpu', query: '', place: '.table-row' },
  { view: 'graph', session: 'demo', query: '', place: '.graph-details' },
  { view: 'buffers', session: 'demo', query: '', place: '.buffers-savings' },
]) {
  test(`source lines of ${view} open in the editor`, async ({ page, url }) => {
    await openView(page, url, session, view, query);
    const link = page.locator(`${place} .source-text a`).first();
    await expect(link).toHaveAttribute('href', EDITOR);
  });
}

test('the source line of a node of the op tree opens in the editor', async ({ page, url }) => {
  await openView(page, url, 'demo', 'op_tree');
  await page.getByRole('searchbox', { name: 'Find nodes' }).fill('ynn_fusion.4');
  await rowsOf(page).filter({ hasText: 'ynn_fusion.4' }).last().click();
  const link = page.getByRole('complementary', { name: 'Node' }).locator('.source-text a');
  await expect(link).toHaveAttribute('href', EDITOR);
});

test('links to a kernel, a node and a frame still show it when others are left out', async ({
  page,
  url,
}) => {
  await openView(page, url, 'causes-h100/train-and-eval', 'kernels');
  const row = rowsOf(page).nth(3);
  await row.click();
  const name = (await page.locator('.kernel-selected strong').textContent())!;
  // The selection leaves out the rows before it.
  const address = new URL(page.url());
  const params = new URLSearchParams(address.hash.split('?')[1]);
  params.set('match', `^${name.slice(0, 12).replace(/[^\w]/g, '.')}`);
  await page.goto(`${page.url().split('?')[0]}?${params.toString()}`);
  await expect(page.locator('.kernel-selected strong')).toHaveText(name);

  await openView(page, url, 'demo', 'scopes', '?as=flame');
  await page.locator('.flame-canvas').click({ position: { x: 300, y: 30 } });
  const path = page.getByRole('navigation', { name: 'Zoomed to' });
  const zoomed = (await path.locator('[aria-current]').textContent())!;
  await expect(page).toHaveURL(/zoom=[\w.-]+~/);
  await page.goto(`${page.url()}&steps=3..5`);
  await expect(path.locator('[aria-current]')).toHaveText(zoomed);

  await openView(page, url, 'demo', 'op_tree');
  await page.locator('.flame-canvas').click({ position: { x: 200, y: 50 } });
  const details = page.getByRole('complementary', { name: 'Node' });
  const node = (await details.locator('.op-details-name').first().textContent())!;
  await page.goto(`${page.url()}&steps=3..5`);
  await expect(details.locator('.op-details-name').first()).toHaveText(node);
  // What such links were before names some row by position; it opens none.
  await page.goto(page.url().replace(/node=[^&]*/, 'node=3'));
  await expect(details).toHaveCount(0);
});

test('what is cut says how much there is, and shows the rest', async ({ page, url }) => {
  await openView(page, url, 'demo', 'buffers');
  const changes = page.locator('.buffers-savings li');
  await expect(changes).toHaveCount(8);
  const card = page.locator('.buffers-card').filter({ has: page.locator('.buffers-savings') });
  await expect(card.locator('.first-of')).toContainText(/^8 of 24\u00a0changes/);
  await card.getByRole('button', { name: 'Show all' }).click();
  await expect(changes).toHaveCount(24);
  await card.getByRole('button', { name: 'Show fewer' }).click();
  await expect(changes).toHaveCount(8);
});

test('gaps of every length have a bar, also those too short for a cause', async ({ page, url }) => {
  await openView(page, url, 'demo', 'idle');
  const card = page.locator('.card', { has: page.getByRole('heading', { name: 'By gap length' }) });
  await expect(card.locator('.legend')).toContainText('Shorter gaps');
  const shortest = card.locator('.bar-row', { hasText: /to 1.µs/ });
  await expect(shortest).toContainText('gaps');
  await expect(shortest.locator('.divided-bar > span')).toHaveCount(1);
});

test('of many devices, the overview and idle list some and show the others', async ({
  page,
  url,
}) => {
  // A session of many devices, made from one of few.
  await page.route(/analyses\/(overview|idle)\b/, async (route) => {
    const answer = await route.fetch();
    const report = await answer.json();
    const [device] = report.devices;
    report.devices = Array.from({ length: 40 }, (_, at) => ({
      ...device,
      device: `cpu:${at}`,
      device_index: at,
      busy_ratio: at / 40,
      idle_ps: 1000 - at,
    }));
    await route.fulfill({ response: answer, json: report });
  });
  await openView(page, url, 'demo', 'overview');
  await expect(page.locator('.device')).toHaveCount(16);
  await expect(page.locator('.devices .first-of')).toContainText('16 least busy of 40');
  await expect(page.locator('.device').last()).toContainText('cpu:15');
  await page.locator('.devices').getByRole('button', { name: 'Show all' }).click();
  await expect(page.locator('.device')).toHaveCount(40);
  await openView(page, url, 'demo', 'idle');
  await expect(page.locator('.first-of')).toContainText('16 most idle of 40');
});

test('a search without matches can be cleared where it says so', async ({ page, url }) => {
  for (const [view, noun] of [
    ['ops', 'op'],
    ['scopes', 'scope'],
    ['op_tree', 'node'],
  ] as const) {
    await openView(page, url, 'demo', view, '?q=nothing-of-this-name');
    const empty = page.locator('.table-empty');
    await expect(empty).toContainText(`No ${noun} matches “nothing-of-this-name”`);
    await empty.getByRole('button', { name: 'Clear the search' }).click();
    await expect(rowsOf(page).first()).toBeVisible();
    await expect(page).not.toHaveURL(/q=/);
  }
});

test('empty states offer what to do next', async ({ page, url }) => {
  await openView(page, url, 'leak-cpu', 'heap', '?kind=executable&match=nothing-of-this-name');
  await page.getByRole('button', { name: 'Clear the selection' }).first().click();
  await expect(rowsOf(page).first()).toBeVisible();
  await openView(page, url, 'base', 'compile');
  await expect(page.locator('.empty-actions > *')).toHaveCount(1);
  await openView(page, url, 'torch-h100', 'collectives');
  const devices = page.locator('.empty').getByRole('link', { name: 'Show what the devices did' });
  await expect(devices).toHaveAttribute('href', /\/timeline$/);
  await page.route(/comparisons\/history/, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), changes: [] } });
  });
  await openView(page, url, 'demo', 'history');
  const compare = page.locator('.empty').getByRole('link', { name: 'Compare the two latest runs' });
  await expect(compare).toHaveAttribute('href', /\/compare\?.*baseline=/);
});

test('predicted changes and evidence are named in words', async ({ page, url }) => {
  await openView(page, url, 'demo', 'what_if');
  const causes = rowsOf(page).locator('.middle');
  await expect(causes.filter({ hasText: /^Without / }).first()).toBeVisible();
  for (const text of await causes.allTextContents()) {
    expect(text).toMatch(/^(Without|Hide|No|Hosts|Devices) /);
  }
  // What the command line takes is in the tooltip.
  await expect(causes.filter({ hasText: /^Without / }).first()).toHaveAttribute('data-tip', /^remove:/);
  await page.getByRole('button', { name: '+ Hide collectives' }).click();
  await expect(page).toHaveURL(/change=hide(:|%3A)collectives/);
  await expect(page.getByRole('button', { name: 'Remove the change Hide collectives' })).toBeVisible();
  await openView(page, url, 'demo', 'advice');
  await expect(page.locator('.advice-evidence a').first()).toHaveText(/^[A-Z][a-z ]+ →$/);
  await expect(page.locator('.advice-foot code')).toHaveCount(0);
});

test('time without a scope is in no pass', async ({ page, url }) => {
  await openView(page, url, 'demo', 'scopes', '?q=no+scope');
  const row = rowsOf(page).filter({ hasText: '(no scope)' }).first();
  await expect(row.locator('[data-tip*="Unknown, no scope"]')).toHaveCount(1);
  await expect(row.locator('[data-tip*="Forward"]')).toHaveCount(0);
  await expect(page.locator('.legend').first()).toContainText('Unknown');
});

test('long C++ names are short in every table, and full in the tooltip', async ({ page, url }) => {
  for (const [view, query] of [
    ['kernels', ''],
    ['ops', ''],
    ['critical_path', '?tab=ops'],
  ] as const) {
    await openView(page, url, 'torch-h100', view, query);
    const name = page.locator('.table-cell .middle', { hasText: /^\w+<.*>$/ }).first();
    await expect(name, view).toHaveAttribute('data-tip', /::/);
    expect((await name.textContent())!.length, view).toBeLessThan(160);
    await expect(rowsOf(page).filter({ hasText: 'void at::' })).toHaveCount(0);
  }
});

test('flame graphs and bars have menus', async ({ page, url, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await openView(page, url, 'demo', 'scopes', '?as=flame');
  const canvas = page.locator('.flame-canvas');
  await canvas.click({ button: 'right', position: { x: 300, y: 30 } });
  await page.getByRole('menuitem', { name: /^Copy the name/ }).click();
  await expect(page.getByText('Name copied')).toBeVisible();
  const name = await clipboard();
  await canvas.click({ button: 'right', position: { x: 300, y: 30 } });
  await page.getByRole('menuitem', { name: 'Zoom in' }).click();
  const path = page.getByRole('navigation', { name: 'Zoomed to' });
  await expect(path.locator('[aria-current]')).toHaveText(name);
  // By keyboard: the frame that arrow keys chose.
  await page.locator('.flame-scroller').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+F10');
  await page.getByRole('menuitem', { name: 'Copy figures as CSV' }).click();
  await expect(page.getByText('Figures copied')).toBeVisible();
  expect((await clipboard()).split('\n')[0]).toBe('depth,name,total_ps');
  await canvas.click({ button: 'right', position: { x: 300, y: 30 } });
  await page.getByRole('menuitem', { name: 'Copy as SVG' }).click();
  await expect(page.getByText('Chart as SVG copied')).toBeVisible();
  expect(await clipboard()).toMatch(/^<svg .*data:image\/png/);
  await openView(page, url, 'demo', 'idle');
  await page.locator('.bar-row').first().click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Copy figures as CSV' }).click();
  await expect(page.getByText('Figures copied')).toBeVisible();
  expect(await clipboard()).toMatch(/^label,/);
});

test('the waterfall and the picture of a prediction can be copied', async ({ page, url, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const copied = async (entry: string, toast: string) => {
    await page.getByRole('menuitem', { name: entry }).click();
    await expect(page.getByText(toast)).toBeVisible();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  await openView(page, url, 'demo', 'what_if', '?change=scale:compute:0.5');
  const picture = page.locator('.what-if-picture');
  await picture.click({ button: 'right', position: { x: 200, y: 60 } });
  expect(await copied('Copy figures as CSV', 'Figures copied')).toMatch(/^when,device,class/);
  await picture.focus();
  await page.keyboard.press('Shift+F10');
  const svg = await copied('Copy as SVG', 'Chart as SVG copied');
  expect(svg).toContain('>Recorded</text>');
  expect(svg.match(/<path/g)?.length).toBeGreaterThan(8);
  const { sessions } = (await (await page.request.get(`${url}api/sessions`)).json()) as {
    sessions: { key: string; name: string }[];
  };
  const base = sessions.find(({ name }) => name === 'base')!;
  await openView(page, url, 'slower', 'compare', `?baseline=${base.key}`);
  await page.locator('.falls').click({ button: 'right', position: { x: 5, y: 5 } });
  expect(await copied('Copy figures as CSV', 'Figures copied')).toMatch(/^title,from_ps/);
  await page.locator('.falls').click({ button: 'right', position: { x: 5, y: 5 } });
  expect(await copied('Copy as SVG', 'Chart as SVG copied')).toContain('>slower</text>');
});
