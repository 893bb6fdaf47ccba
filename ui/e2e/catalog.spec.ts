/** The list of sessions that `stepscope index` knows: with figures, and without opening one. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { BINARY, expect, ROOT, startServer, test as base } from './server';

const test = base.extend<object, { indexed: string }>({
  indexed: [
    async ({}, use) => {
      const catalog = mkdtempSync(path.join(tmpdir(), 'stepscope-catalog-'));
      const variables = { STEPSCOPE_CATALOG: catalog };
      const env = { ...process.env, ...variables };
      execFileSync(BINARY, ['index', 'fixtures/scaling-cpu'], { cwd: ROOT, env });
      const line = ['view', 'fixtures/scaling-cpu', '--no-report', '--port', '0'];
      const server = await startServer(line, ROOT, variables);
      try {
        await use(server.url);
      } finally {
        server.process.kill();
        rmSync(catalog, { recursive: true, force: true });
      }
    },
    { scope: 'worker', timeout: 60_000 },
  ],
});

test('indexed sessions are listed with step times and verdicts, and none is opened for it', async ({
  page,
  indexed,
}) => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(`${indexed}#/`);
  const rows = page.locator('.table-row');
  await expect(rows.nth(1)).toBeVisible();
  for (const title of ['Step time', 'Verdict']) {
    await expect(page.getByRole('columnheader', { name: title })).toBeVisible();
  }
  const answer = await page.request.get(`${indexed}api/sessions`);
  const { sessions } = (await answer.json()) as { sessions: { verdict: string; state: string }[] };
  expect(sessions.length).toBeGreaterThan(3);
  // `view` opens the newest one when it starts, to have it ready.
  expect(sessions.slice(1).map(({ state }) => state)).toEqual(sessions.slice(1).map(() => 'closed'));
  for (const { verdict } of sessions) expect(verdict).not.toBe('');
  // Each has a line of its steps, and there is nothing to measure.
  await expect(page.locator('.sessions-table .sparkline')).toHaveCount(sessions.length);
  await expect(page.locator('.sessions-table .verdict')).toHaveCount(sessions.length);
  await expect(page.getByRole('button', { name: 'Measure all steps' })).toHaveCount(0);
  expect(asked.filter((url) => url.includes('/analyses/'))).toEqual([]);
});
