/** Stepscope as a dashboard in a real TensorBoard, through TensorBoard's own port. */
import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { freePort } from './ports';
import { expect, ROOT, test as base } from './server';

const TENSORBOARD = process.env['STEPSCOPE_TENSORBOARD'] ?? 'tensorboard';

interface Running {
  origin: string;
  process: ChildProcess;
}

async function start(logdir: string, ...options: string[]): Promise<Running> {
  return startWith(['--logdir', logdir, ...options]);
}

async function startWith(options: string[]): Promise<Running> {
  const port = await freePort();
  const line = ['--port', String(port), '--host', '127.0.0.1', ...options];
  const child = spawn(TENSORBOARD, line, { stdio: 'ignore' });
  const origin = `http://127.0.0.1:${port}`;
  for (let attempt = 0; attempt < 600; attempt += 1) {
    if (child.exitCode !== null) throw new Error(`${TENSORBOARD} exited with ${child.exitCode}`);
    try {
      await fetch(origin);
      return { origin, process: child };
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  throw new Error('TensorBoard does not answer');
}

/** Number of engine processes that run for a log directory. */
function engines(logdir: string): number {
  const lines = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, 'utf8');
      } catch {
        return '';
      }
    });
  return lines.filter((line) => line.includes('--child') && line.includes(logdir)).length;
}

const test = base.extend<object, { logs: string; board: Running }>({
  logs: [
    async ({}, use) => {
      const folder = mkdtempSync(path.join(tmpdir(), 'stepscope-board-'));
      cpSync(path.join(ROOT, 'fixtures/demo-gpt-cpu'), folder, { recursive: true });
      await use(folder);
      rmSync(folder, { recursive: true, force: true });
    },
    { scope: 'worker' },
  ],
  board: [
    async ({ logs }, use) => {
      const running = await start(logs);
      await use(running);
      running.process.kill();
    },
    { scope: 'worker', timeout: 90_000 },
  ],
});

test('the dashboard shows the pages inside TensorBoard', async ({ page, board, logs }) => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  expect(engines(logs)).toBe(0);
  await page.goto(`${board.origin}/#stepscope`);
  const frame = page.frameLocator('iframe');
  await expect(frame.getByText('Step time').first()).toBeVisible({ timeout: 30_000 });
  await frame.getByRole('link', { name: /^Timeline/ }).click();
  await expect(frame.locator('canvas').first()).toBeVisible();
  await frame.getByRole('link', { name: 'Steps', exact: true }).click();
  await expect(frame.locator('.table-row').nth(1)).toBeVisible();
  const elsewhere = asked.filter((url) => url.includes('127.0.0.1') && !url.startsWith(board.origin));
  expect(elsewhere, 'one port is enough').toEqual([]);
  // What says that a request is from the page; the engine's token stays in TensorBoard's process.
  const cookies = await page.context().cookies();
  expect(cookies.map(({ httpOnly, sameSite }) => ({ httpOnly, sameSite }))).toEqual([
    { httpOnly: true, sameSite: 'Strict' },
  ]);
  expect(engines(logs)).toBe(1);
});

test('TensorBoard lists the plugin, enabled if there are profiles', async ({
  page,
  board,
}) => {
  interface Plugin {
    enabled: boolean;
    tab_name: string;
  }
  const plugins = async (origin: string) => {
    const answer = await page.request.get(`${origin}/data/plugins_listing`);
    return (await answer.json()) as Record<string, Plugin>;
  };
  expect((await plugins(board.origin))['stepscope']).toMatchObject({
    enabled: true,
    tab_name: 'Stepscope',
  });
  const empty = mkdtempSync(path.join(tmpdir(), 'stepscope-empty-'));
  const other = await start(empty, '--path_prefix', '/x');
  try {
    expect((await plugins(`${other.origin}/x`))['stepscope']).toMatchObject({ enabled: false });
    cpSync(path.join(ROOT, 'fixtures/demo-gpt-cpu'), empty, { recursive: true });
    await page.goto(`${other.origin}/x/data/plugin/stepscope/app`);
    await expect(page).toHaveURL(/\/x\/data\/plugin\/stepscope\/app\//);
    await expect(page.getByText('Step time').first()).toBeVisible({ timeout: 30_000 });
    expect(engines(empty)).toBe(1);
  } finally {
    // TensorBoard gets no chance to clean up; the engine must notice by itself.
    other.process.kill('SIGKILL');
  }
  await expect.poll(() => engines(empty)).toBe(0);
  rmSync(empty, { recursive: true, force: true });
});

test('several named log directories are shown as one, and compared', async ({ page, logs }) => {
  const other = mkdtempSync(path.join(tmpdir(), 'stepscope-other-'));
  cpSync(path.join(ROOT, 'fixtures/demo-gpt-cpu'), other, { recursive: true });
  const running = await startWith(['--logdir_spec', `before:${logs},after:${other}`]);
  try {
    await page.goto(`${running.origin}/#stepscope`);
    const frame = page.frameLocator('iframe');
    await expect(frame.getByText('before/demo')).toBeVisible({ timeout: 30_000 });
    await frame.getByLabel('Compare before/demo').check();
    await frame.getByLabel('Compare after/demo').check();
    await frame.getByRole('button', { name: 'Compare 2 sessions' }).click();
    await expect(frame.locator('.compare')).toContainText('after/demo', { timeout: 30_000 });
  } finally {
    running.process.kill();
    rmSync(other, { recursive: true, force: true });
  }
});
