/** Comparing two sessions: in every view, in the Compare view, and in timelines. */
import type { Page } from '@playwright/test';

import { expect, keepImage, openView, test } from './server';

interface SessionEntry {
  key: string;
  name: string;
  location: string;
}

async function keyOf(page: Page, url: string, name: string): Promise<string> {
  const response = await page.request.get(`${url}api/sessions`);
  const { sessions } = (await response.json()) as { sessions: SessionEntry[] };
  const found = sessions.find((session) => session.name.includes(name));
  if (!found) throw new Error(`no session ${name}`);
  return found.key;
}

/** Opens a view of a session with a baseline. */
async function openPair(
  page: Page,
  url: string,
  [baseline, session]: readonly [string, string],
  view: string,
  query = '',
): Promise<void> {
  const key = await keyOf(page, url, baseline);
  await openView(page, url, session, view, `?baseline=${key}${query}`);
}

interface Window {
  startPs: number;
  endPs: number;
}
interface Stats {
  isSettled: boolean;
  drawMedianMs: number;
  intervalMedianMs: number;
  intervals: number;
}
interface Probe {
  timeline?: { stats: () => Stats; reset: () => void };
  baseline?: { stats: () => Stats; window: () => Window };
}

const probe = <T>(page: Page, read: (probe: Probe) => T): Promise<T> =>
  page.evaluate(
    `(${read.toString()})(window.__stepscope ?? {})`,
  ) as Promise<T>;

async function timelinesSettled(page: Page): Promise<void> {
  await expect
    .poll(() =>
      probe(
        page,
        (now) => (now.timeline?.stats().isSettled && now.baseline?.stats().isSettled) ?? false,
      ),
    )
    .toBe(true);
}

test('a slower program is found, explained, and no request leaves the server', async ({
  page,
  url,
}) => {
  const elsewhere: string[] = [];
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  await page.route('**/*', (route) => {
    if (route.request().url().startsWith(url)) return route.continue();
    elsewhere.push(route.request().url());
    return route.abort();
  });
  await openPair(page, url, ['base', 'slower'], 'compare');
  await expect(page.locator('.compare-sentence')).toContainText('times as long as base');
  await expect(page.locator('.compare-big')).toHaveClass(/is-worse/);
  await expect(page.locator('.baseline-answer')).toContainText('+');
  await expect(page.locator('.distribution-plot')).toHaveCount(2);
  await expect(page.locator('.falls li')).not.toHaveCount(2);
  await expect(page.locator('.causes li').first()).not.toBeEmpty();
  await keepImage(page, 'compare');
  await page.locator('.fall-link').first().click();
  await expect(page.locator('.compare-op')).toBeVisible();
  await expect(page).toHaveURL(/op=[\w.-]+~/);
  expect(elsewhere).toEqual([]);
  expect(errors).toEqual([]);
});

test('an op that exists in only one session is marked', async ({ page, url }) => {
  await openPair(page, url, ['base', 'transpose'], 'compare');
  await page.getByRole('button', { name: /^Only here/ }).click();
  const rows = page.locator('#compare-ops .table-row:not(.table-head)');
  await expect(rows.first()).toContainText('transpose');
  await page.getByRole('button', { name: /^Swap/ }).first().click();
  await page.getByRole('button', { name: /^Only in the baseline/ }).click();
  await expect(rows.first()).toContainText('transpose');
  await expect(page.locator('.compare-program').first()).toContainText('transpose');
});

test('a baseline, once chosen, applies to every view', async ({ page, url }) => {
  await openView(page, url, 'slower', 'overview');
  await page.getByRole('button', { name: /^Baseline/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: /^base/ }).click();
  await expect(page).toHaveURL(/baseline=[\w~.-]+/);
  await expect(page.locator('.kpi-before').first()).toContainText('instead of');
  await expect(page.locator('.baseline-line')).toBeVisible();
  await keepImage(page, 'overview-baseline');
  await page.getByRole('link', { name: 'Ops', exact: true }).click();
  await expect(page).toHaveURL(/ops\?.*baseline=[\w~.-]+/);
  await expect(page.locator('.has-changes .change').first()).toBeVisible();
  await page.getByRole('button', { name: 'Clear the baseline' }).click();
  await expect(page.locator('.has-changes')).toHaveCount(0);
  await expect(page).not.toHaveURL(/baseline=/);
});

test('tables sort by change and mark rows that exist in only one session', async ({ page, url }) => {
  await openPair(page, url, ['base', 'transpose'], 'ops');
  const rows = page.locator('.table-row:not(.table-head)');
  await expect(rows.filter({ hasText: 'transpose_copy_fusion' }).first()).toContainText('new');
  await page.getByRole('button', { name: 'By change' }).click();
  await expect(page).toHaveURL(/sort=self_ps\.change/);
  const first = await rows.first().locator('.change').first().innerText();
  expect(first).toMatch(/^\+/);
  await keepImage(page, 'ops-baseline');
  await openPair(page, url, ['transpose', 'base'], 'ops', '&q=transpose_copy');
  await expect(rows.first()).toContainText('gone');
});

test('sums are scaled when the step counts differ', async ({ page, url }) => {
  await openPair(page, url, ['base', 'slower'], 'ops', '&q=dot');
  const changes = page.locator('.change[data-tip]');
  await expect(changes.first()).toBeVisible();
  await expect(page.locator('.change[data-tip*="scaled by"]')).toHaveCount(0);
  // Ten steps compared with twenty.
  await openPair(page, url, ['mlp_dp', '2026_11_21_08_46_58'], 'ops');
  await expect(page.locator('.change[data-tip*="scaled by"]').first()).toBeVisible();
});

for (const [view, query] of [
  ['op_tree', ''],
  ['scopes', '&as=flame'],
] as const) {
  test(`${view} is colored by change`, async ({ page, url }) => {
    await openPair(page, url, ['base', 'slower'], view, query);
    await expect(page.getByRole('button', { name: 'Color by change' })).toHaveAttribute(
      'aria-pressed',
      'true',
    );
    await expect(page.locator('.change-legend')).toBeVisible();
    // The color for "worse" is on the canvas: most of this program got slower.
    await expect
      .poll(() =>
        page.locator('.flame-canvas').evaluate((element) => {
          const canvas = element as HTMLCanvasElement;
          const { data } = canvas
            .getContext('2d')!
            .getImageData(0, 0, canvas.width, Math.min(40, canvas.height));
          let count = 0;
          for (let at = 0; at < data.length; at += 4) {
            const [red = 0, , blue = 0] = [data[at], data[at + 1], data[at + 2]];
            if (red - blue > 60) count++;
          }
          return count;
        }),
      )
      .toBeGreaterThan(500);
    if (view === 'op_tree') await keepImage(page, 'op_tree-baseline');
  });
}

test('every view shows a pair without an error', async ({ page, url }) => {
  test.setTimeout(120_000);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  const response = await page.request.get(`${url}api/analyses`);
  for (const { name } of (await response.json()) as { name: string }[]) {
    await openPair(page, url, ['base', 'slower'], name);
    await expect(page.locator('main')).not.toBeEmpty();
    expect(errors, name).toEqual([]);
  }
});

test('timelines are stacked, aligned by step, and move together', async ({
  page,
  url,
}) => {
  await openPair(page, url, ['base', 'transpose'], 'timeline');
  await expect(page.locator('.timeline-canvas')).toHaveCount(2);
  await timelinesSettled(page);
  await page.keyboard.press('n');
  await timelinesSettled(page);
  await page.keyboard.press('n');
  await timelinesSettled(page);
  const shown = await probe(page, (now) => now.baseline!.window());
  const text = /window=(-?\d+)\.\.(-?\d+)/.exec(page.url());
  const upper = { startPs: Number(text?.[1]), endPs: Number(text?.[2]) };
  // One scale for both, and the same step starts at the same position.
  expect(shown.endPs - shown.startPs).toBeCloseTo(upper.endPs - upper.startPs, -3);
  const steps = async (name: string) => {
    const key = await keyOf(page, url, name);
    const answer = await page.request.get(`${url}api/sessions/${key}/analyses/timeline`);
    const report = (await answer.json()) as { steps: { step: number; start_ps: number }[] };
    return report.steps;
  };
  const own = (await steps('transpose')).find((step) => step.start_ps >= upper.startPs)!;
  const other = (await steps('base')).find((step) => step.step === own.step)!;
  expect(other.start_ps - shown.startPs).toBeCloseTo(own.start_ps - upper.startPs, -6);

  // The other direction: zooming in the baseline zooms both.
  const before = page.url();
  const box = (await page.locator('.timeline-canvas').last().boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + 160);
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -200);
  await page.keyboard.up('Control');
  await expect.poll(() => page.url()).not.toBe(before);
  await keepImage(page, 'timeline-baseline');

  await page.getByRole('button', { name: 'Baseline below' }).click();
  await expect(page.locator('.timeline-canvas')).toHaveCount(1);
  await expect(page).toHaveURL(/split=off/);
});

test('a slice shows its counterpart in the other session', async ({ page, url }) => {
  await openPair(page, url, ['base', 'transpose'], 'timeline', '&search=%5Edot.1%24');
  await timelinesSettled(page);
  await page.locator('.timeline-search input').press('Enter');
  await page.getByRole('tab', { name: 'Slice' }).click();
  await expect(page.locator('.slice-counterpart')).toContainText('In the baseline');
  await expect(page.locator('.slice-counterpart')).toContainText(/dot/);
});

test('two timelines together run at 60 frames per second', { tag: '@timed' }, async ({ page, url }) => {
  await openPair(page, url, ['base', 'slower'], 'timeline');
  await timelinesSettled(page);
  await probe(page, (now) => now.timeline!.reset());
  await page.keyboard.down('w');
  await page.waitForTimeout(700);
  await page.keyboard.up('w');
  await page.keyboard.down('d');
  await page.waitForTimeout(700);
  await page.keyboard.up('d');
  const [upper, lower] = await probe(page, (each) => [
    each.timeline!.stats(),
    each.baseline!.stats(),
  ]);
  console.log(
    `two timelines: draw ${upper!.drawMedianMs.toFixed(1)} + ${lower!.drawMedianMs.toFixed(1)} ms, ` +
      `frame to frame ${upper!.intervalMedianMs.toFixed(1)} ms`,
  );
  expect(upper!.intervals).toBeGreaterThan(20);
  expect(upper!.drawMedianMs + lower!.drawMedianMs).toBeLessThan(16.7);
});

test('sessions checked in the list are compared, three or more as small multiples', async ({
  page,
  url,
}) => {
  await page.goto(`${url}#/`);
  for (const name of ['base', 'slower', 'batch']) {
    await page.getByRole('checkbox', { name: `Compare ${name}`, exact: true }).check();
  }
  await page.getByRole('button', { name: 'Compare 3 sessions' }).click();
  await expect(page).toHaveURL(/compare\?also=[\w~.-]+&baseline=[\w~.-]+/);
  await expect(page.locator('.compare-answer')).toHaveCount(2);
  await expect(page.locator('.step-multiples figure')).toHaveCount(3);
  await expect(page.locator('.compare-figures th')).toHaveCount(4);
  await keepImage(page, 'compare-three');
  const command = page.locator('.command');
  await expect(command).toContainText('stepscope compare');
  expect((await command.innerText()).trim().split(' ')).toHaveLength(5);
});

test('without a baseline the view says what to do', async ({ page, url }) => {
  await openView(page, url, 'slower', 'compare');
  await expect(page.locator('.empty')).toContainText('Which session is the baseline?');
  await page.locator('.baseline-list .session-name', { hasText: /^base$/ }).click();
  await expect(page.locator('.compare-sentence')).toBeVisible();
});
