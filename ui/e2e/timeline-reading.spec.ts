/** What readers change about the timeline: how times read, scales, rows, marks, a step over another. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { type Page } from '@playwright/test';

import { expect, startServer, test } from './server';
import { canvasOf, openTimeline, settled, windowIn } from './timeline-probe';

const names = (page: Page, section = '.is-scrolled') =>
  page
    .locator(`${section} .header-name`)
    .evaluateAll((all) => all.map((one) => one.textContent ?? ''));

/** Opens the menu of the ruler at a share of its width. */
async function rulerMenu(page: Page, share: number): Promise<void> {
  const { box } = await canvasOf(page);
  // The step ruler is below the minimap and the time ruler.
  await page.mouse.click(box.x + box.width * share, box.y + 72, { button: 'right' });
}

test('times read within their step or as the time of day, and the link keeps it', async ({
  page,
  url,
}) => {
  await openTimeline(page, url, 'demo');
  const choice = page.getByLabel('Times');
  await choice.selectOption('step');
  await expect(page).toHaveURL(/clock=step/);
  await page.reload();
  await settled(page);
  await expect(choice).toHaveValue('step');
  const { box } = await canvasOf(page);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height - 40);
  await page.mouse.click(box.x + box.width / 2, box.y + 72);
  await expect(page.locator('.area-summary')).toContainText(/from step \d+ \+ 0/);
  await choice.selectOption('wall');
  await expect(page.locator('.area-summary')).toContainText(/from \d\d:\d\d:\d\d/);
  await expect(choice).toHaveValue('wall');
  await choice.selectOption('session');
  await expect(page).not.toHaveURL(/clock=/);
});

test('a capture without steps and start time says so in the choice', async ({ page }) => {
  await withCounters(page, async () => {
    const choice = page.getByLabel('Times');
    await expect(choice.locator('option:disabled')).toHaveText([
      'within the step (no steps recorded)',
      'time of day (start time not recorded)',
    ]);
  });
});

/** Two GPUs with counters, one of them without a unit in its name. */
function counterTrace(): string {
  const events: object[] = [];
  for (const pid of [1, 2]) {
    events.push(
      { ph: 'M', pid, name: 'process_name', args: { name: `/device:GPU:${pid - 1}` } },
      { ph: 'M', pid, tid: 7, name: 'thread_name', args: { name: 'Stream #7(Compute)' } },
      { ph: 'X', pid, tid: 7, name: 'gemm', ts: 100, dur: 9_800 },
    );
    for (let ts = 0; ts < 10_000; ts += 100) {
      const values = { power_watts: 300 * pid + (ts % 700) / 10, widgets: -5 + (ts % 900) / 50 };
      for (const [name, value] of Object.entries(values)) {
        events.push({ ph: 'C', pid, name, ts, args: { value } });
      }
    }
  }
  return JSON.stringify({ traceEvents: events });
}

async function withCounters(page: Page, body: () => Promise<void>, query = ''): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'stepscope-scales-'));
  writeFileSync(path.join(folder, 'gpus.trace.json'), counterTrace());
  const server = await startServer(['view', 'gpus.trace.json', '--no-report', '--port', '0'], folder);
  try {
    await page.goto(`${server.url}#/s/gpus.trace.json/timeline${query}`);
    await settled(page);
    await body();
  } finally {
    server.process.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

test('counters have units, or say that they have none, and scales to choose', async ({ page }) => {
  await withCounters(page, async () => {
    const power = page.locator('.track-header', { hasText: 'power_watts' }).first();
    const widgets = page.locator('.track-header', { hasText: 'widgets' }).first();
    await expect(power.locator('.counter-scale')).toHaveText('W');
    await expect(widgets.locator('.counter-scale')).toHaveText('unknown unit');
    const at = (await power.boundingBox())!;
    const { box } = await canvasOf(page);
    await page.mouse.move(box.x + box.width / 2, at.y + at.height / 2);
    await expect(page.locator('.hover-card')).toContainText(/3\d\d(\.\d)? W/);
    await power.click({ button: 'right' });
    await page.getByRole('menuitemcheckbox', { name: /Shared scale/ }).click();
    await expect(power.locator('.counter-scale')).toHaveText('W · shared scale');
    await power.click({ button: 'right' });
    await page.getByRole('menuitemcheckbox', { name: /Logarithmic/ }).click();
    await expect(page.locator('.counter-scale', { hasText: 'log' })).toHaveCount(2);
    await expect(page).toHaveURL(/counters=\d+\.log\.shared/);
    await widgets.click({ button: 'right' });
    const log = page.getByRole('menuitemcheckbox', { name: /Logarithmic/ });
    await expect(log).toHaveAttribute('aria-disabled', 'true');
  });
});

test('rows move by drag, by key and back; compact rows are half as high', async ({ page, url }) => {
  await openTimeline(page, url, 'demo');
  const before = await names(page);
  expect(before.slice(0, 3)).toEqual(['CPU:0', 'Program runs', 'XLA Ops']);
  const ops = page.locator('.track-name', { hasText: 'XLA Ops' }).first();
  const runs = page.locator('.track-name', { hasText: 'Program runs' }).first();
  const [from, to] = [(await ops.boundingBox())!, (await runs.boundingBox())!];
  await page.mouse.move(from.x + 60, from.y + 9);
  await page.mouse.down();
  await page.mouse.move(from.x + 60, from.y - 5, { steps: 3 });
  await page.mouse.move(to.x + 60, to.y + 1, { steps: 3 });
  await expect(page.locator('.drop-line')).toHaveCount(1);
  await page.mouse.up();
  await expect.poll(async () => (await names(page)).slice(0, 3)).toEqual([
    'CPU:0',
    'XLA Ops',
    'Program runs',
  ]);
  // The drag neither folded nor unfolded it.
  expect(page.url()).not.toContain('fold=');
  await expect(page).toHaveURL(/order=\d+,\d+/);
  await page.reload();
  await settled(page);
  expect((await names(page)).slice(1, 3)).toEqual(['XLA Ops', 'Program runs']);
  await ops.focus();
  await page.keyboard.press('Alt+ArrowDown');
  await expect.poll(() => names(page)).toEqual(before);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(async () => (await names(page))[1]).toBe('XLA Ops');

  // A group goes with its tracks.
  await page.locator('.group-header', { hasText: 'CPU:0' }).focus();
  await page.keyboard.press('Alt+ArrowDown');
  await expect.poll(async () => (await names(page))[0]).toBe('CPU:1');
  await expect(page).toHaveURL(/groups=CPU:1;CPU:0/);

  const height = async () => (await runs.locator('..').boundingBox())!.height;
  const usual = await height();
  await page.keyboard.press('h');
  await expect.poll(height).toBeLessThan(usual * 0.7);
  await expect(page).toHaveURL(/rows=compact/);
});

test('only one step is shown, a chip says so and ends it', async ({ page, url }) => {
  await openTimeline(page, url, 'demo');
  await rulerMenu(page, 0.5);
  await page.getByRole('menuitemcheckbox', { name: /Only this step/ }).click();
  const chip = page.getByRole('button', { name: /^Only step \d+: show all/ });
  await expect(chip).toBeVisible();
  await expect(page).toHaveURL(/only=\d+/);
  await page.reload();
  await settled(page);
  await chip.click();
  await expect(chip).toHaveCount(0);
  await expect(page).not.toHaveURL(/only=/);
});

test('marks have texts, colors and arrows, are listed, and survive a reload', async ({
  page,
  url,
}) => {
  await openTimeline(page, url, 'demo');
  const { box } = await canvasOf(page);
  await page.mouse.move(box.x + box.width * 0.3, box.y + 200);
  await page.keyboard.press('t');
  const texts = page.getByLabel('Text of the mark');
  await expect(texts.first()).toBeFocused();
  await page.keyboard.type('<img src=x onerror=alert(1)> late, why?');
  await page.keyboard.press('Enter');
  await page.mouse.move(box.x + box.width * 0.6, box.y + 200);
  await page.keyboard.press('t');
  await expect(texts.nth(1)).toBeFocused();
  await page.keyboard.type('here');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'orange' }).first().click();
  await page.getByLabel('Arrow to another mark').first().selectOption({ label: 'here' });
  await expect(page).toHaveURL(/marks=[^&]*\*orange:1!/);
  await page.reload();
  await settled(page);
  await page.keyboard.press('q');
  await page.getByRole('tab', { name: /Marks/ }).click();
  await expect(texts.first()).toHaveValue('<img src=x onerror=alert(1)> late, why?');
  await expect(page.locator('main img')).toHaveCount(0);
  await page.getByRole('button', { name: 'Delete the mark' }).first().click();
  await expect(texts).toHaveCount(1);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(texts).toHaveCount(2);
  await expect(page).toHaveURL(/:1!/);
  // A click on its flag shows it in the list.
  await page.getByRole('tab', { name: /Slice/ }).click();
  const flag = await canvasOf(page);
  await page.mouse.click(flag.box.x + flag.box.width * 0.6 + 8, flag.box.y + 94);
  await expect(texts.nth(1)).toBeFocused();
});

test('a step is laid over another one', async ({ page, url }) => {
  await openTimeline(page, url, 'demo');
  await rulerMenu(page, 0.5);
  await page.getByRole('menuitem', { name: /Next step/ }).click();
  const chip = page.getByRole('group', { name: 'Step over step' });
  await expect(chip).toContainText(/over step \d+/);
  await expect(chip).toContainText(/[+−][\d.]+/);
  await settled(page);
  const { canvas } = await canvasOf(page);
  const picture = () => canvas.evaluate((one) => (one as HTMLCanvasElement).toDataURL());
  await page.mouse.move(2, 2);
  const over = await picture();
  const link = page.url();
  expect(link).toMatch(/over=\d+~\d+/);
  expect(windowIn(page)).not.toBeNull();
  await chip.getByRole('button', { name: 'Show one step only' }).click();
  await expect(chip).toHaveCount(0);
  await settled(page);
  await expect.poll(picture).not.toBe(over);
  await page.goto(link);
  await page.reload();
  await settled(page);
  await expect(chip).toBeVisible();
});

test('a step of the baseline is laid over one of the session', async ({ page, url }) => {
  const response = await page.request.get(`${url}api/sessions`);
  const { sessions } = (await response.json()) as { sessions: { key: string; name: string }[] };
  const baseline = sessions.find(({ name }) => name.includes('base'))!;
  await openTimeline(page, url, 'slower', `?baseline=${baseline.key}&split=off`);
  await expect(async () => {
    await rulerMenu(page, 0.5);
    await page.getByRole('menuitem', { name: /Step of the baseline/ }).click({ timeout: 1000 });
  }).toPass();
  await expect(page).toHaveURL(/over=\d+~b\d+/);
  const chip = page.getByRole('group', { name: 'Step over step' });
  await expect(chip).toContainText('Baseline step');
  await settled(page);
});

test('a saved report has the marks, whatever view opens first', async ({ page, url }) => {
  await openTimeline(page, url, 'demo', '?marks=149000000000*green!saved_with_me');
  await page.getByRole('button', { name: 'Share' }).click();
  await expect(page.getByLabel('Include marks')).toBeChecked();
  const href = await page.getByRole('link', { name: 'Save as HTML' }).getAttribute('href');
  const answer = await page.request.get(new URL(href!, url).href);
  const folder = mkdtempSync(path.join(tmpdir(), 'stepscope-marks-'));
  try {
    const file = path.join(folder, 'report.html');
    writeFileSync(file, await answer.body());
    await page.goto(pathToFileURL(file).href);
    await page.locator('.answer').first().waitFor();
    await page.getByRole('link', { name: 'Timeline', exact: true }).click();
    await page.locator('.timeline-canvas').waitFor();
    await page.keyboard.press('q');
    await page.getByRole('tab', { name: /Marks/ }).click();
    await expect(page.getByLabel('Text of the mark')).toHaveValue('saved with me');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
