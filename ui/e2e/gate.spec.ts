/** The views of several sessions: budgets, scaling, histories. */
import { expect, keepImage, openView, startServer, test } from './server';

interface Check {
  rows: { budget: string; verdict: string }[];
  conclusion: string;
}

test('budgets are typed, kept in the address, and held against the baseline', async ({
  page,
}) => {
  const server = await startServer(['view', 'fixtures/planted-cpu', '--no-report', '--port', '0']);
  try {
    await openView(page, server.url, 'batch', 'check');
    await expect(page.locator('.check-row')).toHaveCount(3);
    await expect(page.locator('.check-row').first()).toContainText('unknown');
    const { sessions } = (await (await page.request.get(`${server.url}api/sessions`)).json()) as {
      sessions: { id: number; name: string }[];
    };
    const id = (name: string) => sessions.find((session) => session.name === name)!.id;
    const budgets = 'memory_peak=+1%, launch_count=+0';
    await page.goto(`${server.url}#/s/${id('batch')}/check?baseline=${id('base')}`);
    await page.getByLabel('Budgets').fill(budgets);
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await expect(page).toHaveURL(/budget=memory_peak/);
    const answer = (await (
      await page.request.get(
        `${server.url}api/comparisons/check?session=${id('base')}&session=${id('batch')}` +
          `&budget=${encodeURIComponent(budgets)}`,
      )
    ).json()) as Check;
    expect(answer.rows.map((row) => row.verdict)).toEqual(['broken', 'passed']);
    await expect(page.locator('.check-answer')).toHaveText(answer.conclusion);
    await expect(page.locator('.check-row.is-broken')).toContainText('memory_peak=+1%');
    // What explains the broken budget comes first.
    await expect(page.locator('.card li').filter({ hasText: 'memory plan' })).toBeVisible();
    await keepImage(page, 'check');
  } finally {
    server.process.kill();
  }
});

test('scaling draws captures and benchmarks of the folder', async ({ page }) => {
  const server = await startServer(['view', 'fixtures/scaling-cpu', '--no-report', '--port', '0']);
  try {
    const list = await (await page.request.get(`${server.url}api/sessions`)).json();
    await page.goto(`${server.url}#/s/${list.sessions[0].id}/scaling`);
    await expect(page.locator('.scaling-line').first()).toBeVisible();
    await expect(page.locator('.scaling-line.is-benchmark').first()).toBeVisible();
    const rows = (await (await page.request.get(`${server.url}api/comparisons/scaling`)).json())
      .rows as unknown[];
    await expect(page.locator('.scaling-chart circle')).toHaveCount(rows.length);
  } finally {
    server.process.kill();
  }
});

interface History {
  conclusion: string;
  runs: unknown[];
  rows: { metric: string; title: string; values: (number | null)[] }[];
  changes: { text: string }[];
}

test('a history of the folder is drawn run by run, with its changes', async ({ page, url }) => {
  await openView(page, url, 'demo', 'history', '?history=nightly.jsonl');
  const answer = (await (
    await page.request.get(`${url}api/comparisons/history?history=nightly.jsonl`)
  ).json()) as History;
  expect(answer.runs.length).toBe(36);
  await expect(page.locator('.history-answer')).toHaveText(answer.conclusion);
  await expect(page.locator('.history-changes li')).toHaveCount(answer.changes.length);
  const moving = answer.rows.filter((row) => new Set(row.values).size > 1);
  await expect(page.locator('.history-chart')).toHaveCount(moving.length);
  const first = page.locator('.history-chart').first();
  await expect(first.locator('circle')).toHaveCount(36);
  await expect(first.locator('.history-change')).toHaveCount(2);
  await expect(first.locator('.history-level')).toHaveCount(3);
  // The pointer shows the same run everywhere.
  const box = (await first.boundingBox())!;
  await page.mouse.move(box.x + 12, box.y + box.height / 2);
  await expect(page.locator('.history-tip')).toHaveCount(moving.length);
  await expect(page.locator('.history-tip').first()).toContainText('nightly-01');
  await page.mouse.move(2, 2);
  await expect(page.locator('.history-tip')).toHaveCount(0);
  await keepImage(page, 'history');
  await page.getByRole('button', { name: /sessions here$/ }).click();
  await expect(page).not.toHaveURL(/history=/);
  await expect(page.locator('.history-chart').first()).toBeVisible();
});
