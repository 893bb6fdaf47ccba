/** What is compared with what: workloads in histories, one difference of a step, tags of sessions. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { Page } from '@playwright/test';

import { expect, openView, ROOT, startServer, test } from './server';

interface Session {
  key: string;
  name: string;
  program: string;
  tags: string[];
}

async function sessionsOf(page: Page, url: string): Promise<Session[]> {
  const response = await page.request.get(`${url}api/sessions`);
  return ((await response.json()) as { sessions: Session[] }).sessions;
}

test('a history has a card per workload, and runs with nothing to compare with have a reason', async ({
  page,
  url,
}) => {
  test.setTimeout(120_000);
  await openView(page, url, 'demo', 'history');
  const answer = (await (await page.request.get(`${url}api/comparisons/history`)).json()) as {
    groups: { name: string; program: string; devices: string; run_count: number }[];
    rows: { group: number; metric: string; values: (number | null)[] }[];
    runs: { name: string; group: number }[];
  };
  const several = answer.groups.filter(({ run_count }) => run_count > 1);
  expect(several.length).toBeGreaterThan(1);
  const keys = answer.groups.map(({ program, devices }) => `${program} on ${devices}`);
  expect(several.map(({ name }) => name)).toEqual(keys.slice(0, several.length));
  const cards = page.locator('.card:has(.history-series)');
  await expect(cards).toHaveCount(several.length);
  await expect(cards.locator('h2')).toHaveText(several.map(({ name }) => name));
  // Each line has the runs of its workload and no others.
  const first = cards.first().locator('.history-chart').first();
  const series = answer.rows.find(
    ({ group, values }) => group === 0 && new Set(values.filter((value) => value !== null)).size > 1,
  )!;
  await expect(first.locator('circle')).toHaveCount(
    series.values.filter((value) => value !== null).length,
  );
  const single = answer.groups.filter(({ run_count }) => run_count === 1);
  const rows = page.locator('.history-single .table-row:not(.table-head)');
  await expect(rows).toHaveCount(single.length);
  await expect(rows.first()).toContainText(/No other run of this program|unknown/);
});

test('where changes are small, the axis of the waterfall is cut and says so', async ({ page, url }) => {
  const base = (await sessionsOf(page, url)).find(({ name }) => name.includes('base'))!;
  await openView(page, url, 'transpose', 'compare', `?baseline=${base.key}`);
  await expect(page.locator('.falls')).toHaveClass(/is-broken/);
  await expect(page.locator('.compare-falls header')).toContainText(/the axis is cut below \d\.\d+\sms/);
});

test('one difference of a step stands on the page, the header and the overview', async ({
  page,
  url,
}) => {
  const base = (await sessionsOf(page, url)).find(({ name }) => name.includes('base'))!;
  await openView(page, url, 'slower', 'compare', `?baseline=${base.key}`);
  const big = (await page.locator('.compare-big').textContent())!;
  expect(big).toMatch(/^\+\d/);
  await expect(page.locator('.compare-sentence')).toContainText(/mean typical step .* instead of/);
  await expect(page.locator('.baseline-answer')).toContainText(big);
  // The waterfall leads from one of the two times to the other.
  const figures = page.locator('.distribution-figures strong');
  const totals = page.locator('.falls .is-total .fall-value');
  await expect(totals).toHaveText(await figures.allTextContents());
  // Their bars start at zero, so they are as long as their share.
  const [before = 0, after = 0] = await page
    .locator('.falls .is-total .fall-bar')
    .evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width));
  const [short = 0, long = 0] = (await totals.allTextContents()).map(parseFloat);
  expect(before / after).toBeCloseTo(short / long, 1);
  await expect(page.locator('.falls')).not.toHaveClass(/is-broken/);
  await expect(page.locator('.falls-outliers')).toContainText('Not in the typical step');
  // No other percentage of a step stands next to it.
  const all = page.locator('.compare-figures tr', { hasText: 'With outliers' });
  await expect(all).toHaveCount(1);
  await expect(all.locator('.compare-change')).toHaveCount(0);
  await openView(page, url, 'slower', 'overview', `?baseline=${base.key}`);
  await expect(page.locator('.headline-time .kpi-before')).toContainText(big);
});

test('sessions are grouped by tags and filtered by a click on one', async ({ page }) => {
  test.setTimeout(120_000);
  const folder = mkdtempSync(path.join(tmpdir(), 'tags-'));
  const tags: Record<string, string[]> = {
    base: ['nightly', 'bf16'],
    slower: ['nightly'],
    batch: [],
    transpose: ['bf16'],
  };
  for (const [name, own] of Object.entries(tags)) {
    const run = path.join(folder, 'plugins/profile', name);
    mkdirSync(run, { recursive: true });
    cpSync(path.join(ROOT, 'fixtures/planted-cpu', name, 'plugins/profile', name), run, {
      recursive: true,
    });
    writeFileSync(
      path.join(run, 'vm.stepscope.json'),
      JSON.stringify({ stepscope_manifest: 1, tags: own }),
    );
  }
  const server = await startServer(['view', folder, '--no-report', '--port', '0']);
  try {
    for (const { key } of await sessionsOf(page, server.url)) {
      await page.request.get(`${server.url}api/sessions/${key}`);
    }
    const found = await sessionsOf(page, server.url);
    expect(Object.fromEntries(found.map(({ name, tags: own }) => [name, own]))).toEqual(tags);
    expect(found.every(({ program }) => program.startsWith('jit_'))).toBe(true);
    await page.goto(`${server.url}#/?group=tags`);
    const groups = page.locator('.table-group-name');
    await expect(groups).toHaveText(['bf16', 'nightly', '–']);
    const rows = page.locator('.sessions-table .table-row:not(.table-head):not(:has(.table-group))');
    // Groups start open, and a session with two tags is in both.
    await expect(rows).toHaveCount(5);
    await page.goto(`${server.url}#/`);
    await expect(rows).toHaveCount(4);
    await rows.getByRole('button', { name: 'nightly', exact: true }).first().click();
    await expect(rows).toHaveCount(2);
    await expect(page).toHaveURL(/q=nightly/);
  } finally {
    server.process.kill();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('the code around the source line of an op is shown, only below the folders that were named', async ({
  page,
  url,
}) => {
  const open = async (place: string) => {
    await openView(page, place, 'base', 'ops', '?q=dot');
    await page.locator('.table-row:not(.table-head)').first().click();
    const panel = page.getByRole('complementary', { name: 'Op' });
    await expect(panel.locator('.source-text a')).toHaveAttribute('href', /^vscode:\/\/file.*:\d+$/);
    await panel.getByText('Code around it').click();
    return panel.locator('.source-lines');
  };
  await expect(await open(url)).toContainText('--source-root FOLDER');
  const server = await startServer([
    'view',
    'fixtures/planted-cpu',
    '--source-root',
    'fixtures',
    '--no-report',
    '--port',
    '0',
  ]);
  try {
    const lines = await open(server.url);
    await expect(lines.locator('li')).toHaveCount(17);
    const source = (await page.locator('.source-text').last().textContent())!;
    const line = Number(/:(\d+)$/.exec(source)?.[1]);
    await expect(lines.locator('ol')).toHaveAttribute('start', String(line - 8));
    await expect(lines.locator('.is-it')).toHaveCount(1);
    const key = /#\/s\/([^/]+)/.exec(page.url())![1];
    for (const wanted of ['capture_planted.py:1', '../Cargo.toml:1', 'README.md:1']) {
      const query = `source=${encodeURIComponent(wanted)}`;
      const refused = await page.request.get(`${server.url}api/sessions/${key}/source?${query}`);
      expect(refused.status(), wanted).toBe(404);
    }
  } finally {
    server.process.kill();
  }
});
