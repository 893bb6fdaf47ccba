/** The list of sessions: only rows in sight are elements; groups, a plot over time, two to compare. */
import type { Page } from '@playwright/test';

import { expect, test } from './server';

async function openList(page: Page, url: string, query = ''): Promise<number> {
  const answer = await page.request.get(`${url}api/sessions`);
  const { sessions } = (await answer.json()) as { sessions: unknown[] };
  await page.goto(`${url}#/${query}`);
  await expect(rows(page).nth(1)).toBeVisible();
  return sessions.length;
}

const rows = (page: Page) => page.locator('.sessions-table .table-row');
const plot = (page: Page) => page.getByRole('region', { name: 'Sessions over time' });

/** So many sessions: those of the server, again and again under other names. */
async function openMany(page: Page, url: string, count: number): Promise<void> {
  const answer = await page.request.get(`${url}api/sessions`);
  const report = (await answer.json()) as { sessions: { key: string; name: string }[] };
  const own = report.sessions;
  const sessions = Array.from({ length: count }, (_, id) => {
    const like = own[id % own.length]!;
    return { ...like, id, key: `${like.key}-${id}`, name: `${like.name} ${id}` };
  });
  await page.route(/\/api\/sessions(\?|$)/, (route) =>
    route.fulfill({ json: { ...report, sessions } }),
  );
  await page.goto(`${url}#/`);
  await expect(rows(page).nth(1)).toBeVisible();
}

test('up to two hundred sessions are all in the page, for the browser to find', async ({
  page,
  url,
}) => {
  const count = await openList(page, url);
  await expect(rows(page)).toHaveCount(count + 1);
});

test('of many sessions only the rows in sight are elements, and scrolling shows the others', async ({
  page,
  url,
}) => {
  const count = 5000;
  await page.setViewportSize({ width: 1280, height: 560 });
  await openMany(page, url, count);
  expect(await rows(page).count()).toBeLessThan(100);
  const grid = page.getByRole('grid', { name: 'sessions' });
  await expect(grid).toHaveAttribute('aria-rowcount', String(count + 1));
  await grid.focus();
  await page.keyboard.press('End');
  await expect(page.locator(`.table-row[aria-rowindex="${count + 1}"]`)).toBeVisible();
});

test('where most sessions are not indexed, the command that does it is shown', async ({
  page,
  url,
}) => {
  await openList(page, url);
  await expect(page.locator('.index-hint')).toContainText('stepscope index fixtures');
});

test('the line of steps has no order', async ({ page, url }) => {
  await openList(page, url);
  const header = page.getByRole('columnheader', { name: 'Step by step' });
  await header.click();
  await expect(header).toHaveAttribute('aria-sort', 'none');
  await expect(page).not.toHaveURL(/sort=/);
});

test('a figure of the listed sessions is plotted over time, colored by group, and opens one', async ({
  page,
  url,
}) => {
  await openList(page, url);
  await page.getByRole('button', { name: 'Plot over time' }).click();
  await plot(page).getByLabel('Plot').selectOption('Size');
  await expect(plot(page).locator('.chart canvas')).toBeVisible();
  await page.locator('.sessions-choice select').selectOption('kind');
  await expect(plot(page).locator('.legend li').first()).toContainText('trace');
  await expect(page.locator('.table-row.is-group').first()).toBeVisible();
  const chart = plot(page).locator('.chart');
  // The filter of the table is that of the plot.
  const filter = page.getByRole('searchbox', { name: 'Filter sessions' });
  // A single point is no plot.
  await filter.fill('^demo$');
  await expect(plot(page)).toContainText('nothing to compare it with');
  await expect(plot(page).getByRole('link', { name: 'Open it' })).toBeVisible();
  await expect(plot(page).locator('.legend li')).toHaveCount(1);
  await filter.fill('^(demo|base)$');
  await chart.focus();
  await page.keyboard.press('End');
  await expect(chart).toContainText(/demo|base/);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/s\/[^/]*(demo|base)[^/]*\/overview/);
});

test('two sessions are checked and compared', async ({ page, url }) => {
  await openList(page, url, '?q=%5E(base|slower)%24');
  for (const name of ['base', 'slower']) {
    await page.getByRole('checkbox', { name: `Compare ${name}`, exact: true }).check();
  }
  await page.getByRole('button', { name: /Compare 2/ }).click();
  await expect(page).toHaveURL(/\/compare\?baseline=/);
});
