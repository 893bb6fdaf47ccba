/**
 * A single-file report, opened from disk with the network blocked: views, the timeline, tables,
 * colors, and links. `STEPSCOPE_BIN` names the binary that writes it.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import type { BrowserContext, Page } from '@playwright/test';

import { BINARY, expect, keepImage, ROOT, test as base } from './server';

/** Blocks the network and records the requests that a page still makes. */
async function blockNetwork(context: BrowserContext): Promise<string[]> {
  const asked: string[] = [];
  await context.setOffline(true);
  context.on('request', (request) => {
    if (!/^(file|data|blob):/.test(request.url())) asked.push(request.url());
  });
  await context.route(/^(?!file:|data:|blob:)/, (route) => route.abort());
  return asked;
}

function write(session: string, ...options: string[]): string {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'stepscope-share-')), 'report.html');
  const line = ['export', `fixtures/${session}`, '--html', file, ...options];
  execFileSync(BINARY, line, { cwd: ROOT, stdio: 'pipe' });
  return file;
}

const test = base.extend<{ errors: string[] }, { report: string }>({
  report: [async ({}, use) => use(write('demo-gpt-cpu')), { scope: 'worker' }],
  errors: [
    async ({ page, context }, use) => {
      const asked = await blockNetwork(context);
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(error.message));
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text());
      });
      await use(errors);
      expect(asked).toEqual([]);
      expect(errors).toEqual([]);
    },
    { auto: true },
  ],
});

async function open(page: Page, file: string, hash = ''): Promise<void> {
  await page.goto(`${pathToFileURL(file).href}${hash}`);
  await page.locator('.answer, .empty').first().waitFor();
}

interface Stats {
  isSettled: boolean;
  tilesLoaded: number;
  tilesFailed: number;
}

const stats = (page: Page) =>
  page.evaluate(
    () =>
      (
        window as unknown as { __stepscope?: { timeline?: { stats: () => Stats } } }
      ).__stepscope?.timeline?.stats() ?? null,
  );

const settled = async (page: Page) => {
  await expect.poll(async () => (await stats(page))?.isSettled, { timeout: 20_000 }).toBe(true);
  return (await stats(page))!;
};

test('the file opens in the overview and says what it is', async ({ page, report }) => {
  // The script is compressed, each slice is stored once, and answers share common values.
  expect(statSync(report).size).toBeLessThan(1_500_000);
  await open(page, report);
  await expect(page).toHaveURL(/report\.html#\/s\/report\/overview$/);
  await expect(page.locator('.share-strip')).toContainText('A report of');
  await expect(page.locator('.share-strip')).toContainText('XLA:CPU');
  await expect(page.locator('main .kpi').first()).toBeVisible();
  await page.getByRole('button', { name: 'Contents' }).click();
  await expect(page.locator('.share-more')).toContainText('stepscope view');
  await page.keyboard.press('Escape');
  // Features that require a server are not offered.
  await expect(page.getByRole('button', { name: 'Capture' })).toHaveCount(0);
  await expect(page.locator('.selection')).toHaveCount(0);
  await keepImage(page, 'share-overview');
});

test('every view has a report', async ({ page, report }) => {
  await open(page, report);
  const views = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLAnchorElement>('.rail-link')].map((link) => link.hash),
  );
  expect(views.length).toBeGreaterThan(15);
  for (const hash of views) {
    await page.evaluate((to) => (location.hash = to), hash);
    await page.locator('.answer, .empty').first().waitFor();
    await expect(page.locator('main'), hash).not.toContainText(/This report does not contain|This view failed/);
    await expect(page.locator('main'), hash).not.toBeEmpty();
  }
});

test('the timeline is drawn and zooms', async ({ page, report }) => {
  await open(page, report, '#/s/report/timeline');
  await settled(page);
  const canvas = page.locator('.timeline-canvas');
  const box = (await canvas.boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const colors = async () => new Set((await canvas.screenshot()).toString('base64')).size;
  expect(await colors()).toBeGreaterThan(30);
  await keepImage(page, 'share-timeline');
  const before = page.url();
  for (let turn = 0; turn < 12; turn++) {
    await page.keyboard.press('w');
    await page.waitForTimeout(120);
  }
  const after = await settled(page);
  expect(after.tilesFailed).toBe(0);
  expect(after.tilesLoaded).toBeGreaterThan(1);
  // The link reproduces the view.
  await expect.poll(() => page.url()).not.toBe(before);
  const link = page.url();
  const other = await page.context().newPage();
  await other.goto(link);
  await other.locator('.timeline-canvas').waitFor();
  await settled(other);
  expect(other.url()).toBe(link);
  await other.close();
});

test('a slice has its details', async ({ page, report }) => {
  await open(page, report, '#/s/report/timeline');
  await settled(page);
  const canvas = page.locator('.timeline-canvas');
  const box = (await canvas.boundingBox())!;
  for (let y = 90; y < box.height - 20; y += 9) {
    await page.mouse.click(box.x + box.width * 0.75, box.y + y);
    if ((await page.locator('.slice-panel').count()) > 0) break;
  }
  await expect(page.locator('.slice-panel .slice-name')).not.toBeEmpty();
});

test('tables sort, and reports with other options are included', async ({ page, report }) => {
  await open(page, report, '#/s/report/ops');
  const first = page.locator('.table-row').first();
  await expect(first).toBeVisible();
  const before = await first.innerText();
  await page.getByRole('columnheader', { name: /^Count/ }).click();
  await expect(first).not.toHaveText(before);
  await expect(page).toHaveURL(/sort=/);
  await open(page, report, '#/s/report/op_tree?by=category');
  await expect(page.locator('main')).not.toContainText('This report does not contain');
  // For options that were not saved, the page says that the report is missing.
  await page.goto(`${pathToFileURL(report).href}#/s/report/idle?min-gap=1ms`);
  await expect(page.locator('main')).toContainText('does not contain that answer');
});

test('the theme follows the system, and the button overrides it', async ({ page, report }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await open(page, report);
  const theme = () => page.evaluate(() => document.documentElement.dataset['theme']);
  expect(await theme()).toBe('dark');
  await keepImage(page, 'share-dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await expect.poll(theme).toBe('light');
  await page.getByRole('button', { name: 'Theme' }).click();
  await page.getByRole('button', { name: 'Theme' }).click();
  expect(await theme()).toBe('dark');
});

test('a size limit leaves out the least important content, and the page says so', async ({ page }) => {
  const file = write('mlp-cpu', '--max-size', '500K');
  expect(statSync(file).size).toBeLessThanOrEqual(500 * 1024);
  await open(page, file, '#/s/report/timeline');
  await settled(page);
  await page.getByRole('button', { name: 'Contents' }).click();
  await expect(page.locator('.share-more li').first()).toBeVisible();
});

test('a redacted report says so and contains none of the names', async ({ page }) => {
  const file = write('mlp-cpu', '--redact');
  await open(page, file);
  await page.getByRole('button', { name: 'Names redacted' }).click();
  await expect(page.locator('.share-more')).toContainText('source files');
  await expect(page.locator('body')).not.toContainText('capture_mlp');
});
