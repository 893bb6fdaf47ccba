/**
 * The page of incidents, of a recording that three real processes left: rank 2 was slow, the loss of
 * rank 1 became NaN, rank 1 was killed. The capture of each incident is in the same folder.
 */
import { execFileSync, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { BINARY, expect, keepImage, ROOT, startServer, test as base } from './server';

const RECORDING = path.join(ROOT, 'fixtures/incidents-cpu/recording.tgz.kept');
const WHATS = ['step 60 took 1.52 s', 'loss is nan at step 240', 'rank 1 stopped without ending'];

/** What the command says. */
interface Report {
  runs: { step_count: number }[];
  incidents: { what: string; cause: string; captures: { path: string }[] }[];
}

const test = base.extend<object, { logs: string; own: { url: string; process: ChildProcess } }>({
  logs: [
    async ({}, use) => {
      const folder = mkdtempSync(path.join(tmpdir(), 'stepscope-incidents-'));
      execFileSync('tar', ['-xzf', RECORDING, '-C', folder]);
      await use(path.join(folder, 'profiles'));
      rmSync(folder, { recursive: true, force: true });
    },
    { scope: 'worker' },
  ],
  own: [
    async ({ logs }, use) => {
      const server = await startServer(['view', logs, '--no-report', '--port', '0']);
      await use(server);
      server.process.kill();
    },
    { scope: 'worker', timeout: 60_000 },
  ],
});

test('incidents stand on the steps of their run, say who and when, and open their capture', async ({
  page,
  own,
  logs,
}) => {
  const told = execFileSync(BINARY, ['incidents', logs, '--json'], { encoding: 'utf8' });
  const report = JSON.parse(told) as Report;
  await page.goto(own.url);
  await page.getByRole('link', { name: '3 incidents' }).click();
  await expect(page).toHaveURL(/#\/incidents$/);
  await expect(page.getByRole('heading', { name: '3 incidents' })).toBeVisible();
  await expect(page.locator('.incidents-run header')).toContainText(
    `3 ranks · ${report.runs[0]!.step_count.toLocaleString('en')} steps`,
  );

  const rows = page.locator('.incidents-list > li');
  await expect(rows).toHaveCount(WHATS.length);
  for (const [index, what] of WHATS.entries()) {
    const row = rows.nth(index);
    await expect(row).toContainText(what);
    await expect(row).toContainText(report.incidents[index]!.cause);
    await expect(row).toContainText(/on vm · rule: /);
  }
  await rows.first().getByText('Where each rank was').click();
  await expect(rows.first()).toContainText(/rank 2 on vm \(process \d+\): at step \d+, in load_batch/);

  // The slow step is far above all others, and its mark is on it.
  const marks = page.locator('.incident-mark');
  await expect(marks).toHaveCount(WHATS.length);
  const heights = await marks
    .locator('circle')
    .evaluateAll((dots) => dots.map((dot) => Number(dot.getAttribute('cy'))));
  expect(Math.max(...heights) - heights[0]!).toBeGreaterThan(100);
  const [steps, chart] = [page.locator('.incidents-steps').first(), page.locator('.incidents-chart').first()];
  expect((await steps.getAttribute('points'))!.split(' ').length).toBeGreaterThan(400);

  const box = (await marks.first().locator('circle').boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await expect(page.locator('.chart-readout')).toContainText(WHATS[0]!);
  await expect(rows.first()).toHaveClass(/is-pointed/);
  await keepImage(page, 'incidents');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await chart.click({ position: await inside(chart, box) });
  await expect(page).toHaveURL(/#\/s\/2026_11_25_19_02_22_456_step_rank_0\/overview/);
  await expect(page.locator('main')).toContainText('Step time');

  await page.goBack();
  await rows.last().getByRole('link', { name: 'Open the capture' }).click();
  await expect(page).toHaveURL(/#\/s\/2026_11_25_19_02_28_980_lost_rank_2\/overview/);
});

/** The middle of a box, relative to an element. */
async function inside(
  element: { boundingBox: () => Promise<{ x: number; y: number } | null> },
  box: { x: number; y: number; width: number; height: number },
): Promise<{ x: number; y: number }> {
  const own = (await element.boundingBox())!;
  return { x: box.x + box.width / 2 - own.x, y: box.y + box.height / 2 - own.y };
}

test('a metric has a line until it is not finite, and its incident says how it came there', async ({
  page,
  own,
}) => {
  await page.goto(`${own.url}#/incidents`);
  const chart = page.locator('.incidents-metric');
  await expect(chart).toHaveCount(1);
  await expect(chart).toHaveAttribute('aria-label', /^loss of the run .*, of rank 1\b/);
  await expect(chart.locator('.incidents-not-finite line')).toHaveCount(1);
  const line = await chart.locator('.incidents-steps').first().getAttribute('points');
  expect(line!.split(' ').length).toBeGreaterThan(100);
  const noticed = page.locator('.incidents-list > li').nth(1);
  await expect(noticed).toContainText(/loss, steps \d+ to 240: .*, nan/);
  // Keys walk along it, and what is pointed at is said.
  await chart.focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.locator('.chart-readout')).toContainText(/loss .*step/);
});

test('a process that nobody was left to miss is an incident', async ({ page }) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'stepscope-died-'));
  mkdirSync(path.join(folder, 'record/run/incidents'), { recursive: true });
  writeFileSync(path.join(folder, 'record/run/rank_0.ring'), ringOfDeadProcess());
  const server = await startServer(['view', folder, '--no-report', '--port', '0']);
  try {
    await page.goto(`${server.url}#/incidents`);
    await expect(page.getByRole('heading', { name: '1 incident' })).toBeVisible();
    const row = page.locator('.incidents-list > li');
    await expect(row).toContainText('rank 0 stopped without ending after step 42');
    await expect(row).toContainText('No capture');
    await row.getByText('Where each rank was').click();
    await expect(row).toContainText('rank 0 on vm (process 77): at step 42');
    await expect(row).toContainText('Rings of the run');
  } finally {
    server.process.kill();
    rmSync(folder, { recursive: true, force: true });
  }
});

/** A ring of two steps as `python/stepscope/ring.py` writes it, silent since the Unix epoch. */
function ringOfDeadProcess(): Buffer {
  const about = JSON.stringify({ rank: 0, host: 'vm', pid: 77, unix_ns_at_zero: 0 });
  const ring = Buffer.alloc(4096 + 2 * 128);
  ring.write('stepring');
  ring.writeUInt32LE(1, 8);
  ring.writeUInt32LE(128, 12);
  ring.writeBigUInt64LE(2n, 16);
  ring.writeUInt32LE(about.length, 24);
  ring.write(about, 28);
  ring.writeBigUInt64LE(2n, 4096 - 8);
  for (const number of [1, 2]) {
    const at = 4096 + (number - 1) * 128;
    const fields = [number, 40 + number, number * 5_000_000, 5_000_000];
    fields.forEach((value, index) => ring.writeBigUInt64LE(BigInt(value), at + 8 * index));
    ring.writeBigUInt64LE(BigInt(number), at + 104);
  }
  return ring;
}

test('keys reach the incidents, and the page is readable in dark colors', async ({ page, own }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(`${own.url}#/incidents`);
  const mark = page.locator('.incident-mark').first();
  await expect(mark).toBeVisible();
  await page.locator('.incidents-chart').first().focus();
  // The steps are the first row of points, the incidents the second.
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  await expect(page.locator('.chart-readout')).toContainText(WHATS[0]!);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/step_rank_0\/overview/);
});

test('without a recorded run, there is no link, and the page says how to record one', async ({
  page,
}) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'stepscope-no-incidents-'));
  mkdirSync(path.join(folder, 'empty'));
  const server = await startServer(['view', folder, '--no-report', '--port', '0']);
  try {
    await page.goto(server.url);
    await expect(page.getByText('No profile in')).toBeVisible();
    await expect(page.getByRole('link', { name: /incident/ })).toHaveCount(0);
    await page.goto(`${server.url}#/incidents`);
    await expect(page.getByText('No recorded run in')).toBeVisible();
    await expect(page.getByText('stepscope run --record -- python train.py')).toBeVisible();
  } finally {
    server.process.kill();
    rmSync(folder, { recursive: true, force: true });
  }
});
