/** Sessions, the URL as the state, Back, the palette, themes, and no requests to other machines. */
import { readFileSync } from 'node:fs';

import { expect, keepImage, openView, test } from './server';

test('the list names every session of the folder, and a click opens one', async ({ page, url }) => {
  await page.goto(`${url}#/`);
  for (const name of ['demo', 'mlp_dp', '2026_11_21_08_46_58']) {
    await expect(page.getByRole('row').filter({ hasText: name })).toHaveCount(1);
  }
  await keepImage(page, 'sessions');
  await page.getByRole('row').filter({ hasText: 'mlp_dp' }).click();
  await expect(page).toHaveURL(/#\/s\/[^/]+\/overview/);
  await expect(page.getByText('Step time', { exact: true })).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/#\/$/);
  await expect(page.getByRole('row').filter({ hasText: 'mlp_dp' })).toBeVisible();
});

test('links name a session permanently, and numbered links open no wrong session', async ({ page, url }) => {
  const response = await page.request.get(`${url}api/sessions`);
  const { sessions } = (await response.json()) as { sessions: { id: number; key: string }[] };
  expect(sessions.map(({ id }) => id)).toEqual(sessions.map((_, position) => position));
  await openView(page, url, 'mlp_dp', 'steps');
  expect(page.url()).toMatch(/#\/s\/hosts4-cpu~mlp_dp\/steps$/);
  await page.goto('about:blank');
  await page.goto(`${url}#/s/3/steps`);
  await expect(page.locator('.numbered-link')).toContainText('session 3 by its number');
  await expect(page.locator('.table-row').nth(1)).toBeVisible();
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await expect(page.locator('.numbered-link')).toHaveCount(0);
  await page.goto('about:blank');
  await page.goto(`${url}#/s/moved-away/steps`);
  await expect(page.locator('.empty')).toContainText('Unknown session');
});

test('Back undoes a selection, and a link restores it', async ({ page, url }) => {
  await openView(page, url, 'mlp_dp', 'steps');
  const before = page.url();
  await page.locator('.table-row:not(.table-head)').first().click();
  await expect(page).toHaveURL(/steps=\d+/);
  await expect(page.locator('.chip.is-set')).toContainText('Steps');
  const selected = page.url();
  await page.getByRole('link', { name: 'Ops', exact: true }).click();
  await expect(page).toHaveURL(/\/ops\?steps=\d+/);
  await page.goBack();
  await page.goBack();
  await expect(page).toHaveURL(before);
  await expect(page.locator('.chip.is-set')).toHaveCount(0);
  await page.goto(selected);
  await expect(page.locator('.table-row.is-selected').first()).toBeVisible();
});

test('a selection that matches nothing says so and can be cleared', async ({ page, url }) => {
  await openView(page, url, 'mlp_dp', 'ops', '?steps=987654');
  await expect(page.locator('.empty')).toContainText('987654');
  await page.getByRole('button', { name: 'Clear the selection' }).click();
  await expect(page.locator('.table-row').nth(1)).toBeVisible();
});

test('the palette goes to views and selects steps', async ({ page, url }) => {
  await openView(page, url, 'mlp_dp', 'overview');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Command' }).fill('scopes');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/scopes/);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Command' }).fill('3..5');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/steps=3\.\.5/);
});

test('? lists the shortcuts that are registered', async ({ page, url }) => {
  await openView(page, url, 'mlp_dp', 'overview');
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(dialog).toContainText('Select the next step');
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await page.keyboard.press('n');
  await expect(page).toHaveURL(/steps=\d+/);
});

test('dark mode follows the system, and a manual choice is kept', async ({ page, url }) => {
  const background = () =>
    page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  await page.emulateMedia({ colorScheme: 'dark' });
  await openView(page, url, 'demo', 'overview');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  const dark = await background();
  await keepImage(page, 'overview-dark');
  await page.getByRole('button', { name: 'Theme' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  expect(await background()).not.toBe(dark);
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
});

test('views of several sessions are in a group of the navigation', async ({ page, url }) => {
  await openView(page, url, 'mlp_dp', 'overview');
  const group = page.getByRole('list', { name: 'Sessions' });
  await group.getByRole('link', { name: 'Check' }).click();
  await expect(page).toHaveURL(/\/check/);
  await expect(page.locator('.rail [aria-current]')).toHaveText('Check');
  await expect(page.locator('.check-row').first()).toBeVisible();
});

test('a stopped server is reported, and views that are already loaded still open', async ({
  page,
  url,
}) => {
  await openView(page, url, 'mlp_dp', 'overview');
  await page.route('**/*', (route) => route.abort());
  const session = /#\/s\/([^/]+)/.exec(page.url())?.[1];
  await page.evaluate((id) => (location.hash = `#/s/${id}/input`), session);
  await expect(page.locator('.empty')).toContainText('The server is not responding');
  await expect(page.locator('.empty')).not.toContainText('bug in Stepscope');
  await page.evaluate((id) => (location.hash = `#/s/${id}/overview`), session);
  await expect(page.getByText('Step time', { exact: true })).toBeVisible();
});

test('no request leaves the machine', async ({ page, url }) => {
  const strangers: string[] = [];
  await page.route('**/*', (route) => {
    const target = new URL(route.request().url());
    if (target.protocol === 'data:' || target.protocol === 'blob:') return route.continue();
    if (target.origin === new URL(url).origin) return route.continue();
    strangers.push(target.href);
    return route.abort();
  });
  for (const view of ['overview', 'timeline', 'steps', 'ops', 'kernels', 'scopes']) {
    await page.goto('about:blank');
    await openView(page, url, 'demo', view);
  }
  expect(strangers).toEqual([]);
});

test('the page works in a frame under a prefix', async ({ page, url }) => {
  // Like a notebook's proxy, which maps /user/somebody/proxy/6006/… to the server's /….
  const prefix = 'http://notebook.test/user/somebody/proxy/6006/';
  await page.route('http://notebook.test/**', async (route) => {
    const target = route.request().url();
    if (!target.startsWith(prefix)) {
      const body = `<iframe src="${prefix}" style="width:100%;height:700px"></iframe>`;
      return route.fulfill({ contentType: 'text/html', body });
    }
    const response = await page.request.get(url + target.slice(prefix.length));
    return route.fulfill({ response });
  });
  await page.goto('http://notebook.test/');
  const frame = page.frameLocator('iframe');
  await frame.getByRole('row').filter({ hasText: 'mlp_dp' }).click();
  await expect(frame.getByText('Step time', { exact: true })).toBeVisible();
  // Other answers may still be on their way.
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('Share saves the session as one file', async ({ page, url }) => {
  await openView(page, url, 'mlp_dp', 'overview', '?steps=2..5');
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByRole('checkbox').check();
  const waiting = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Save as HTML' }).click();
  const download = await waiting;
  expect(download.suggestedFilename()).toMatch(/^stepscope-.*\.html$/);
  const file = readFileSync((await download.path())!, 'utf8');
  expect(file).toContain('Names were replaced');
  expect(file).toContain('"selection":[["steps","2..5"]]');
});
