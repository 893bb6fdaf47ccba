/** The views show what the server reports. */
import { readFileSync } from 'node:fs';

import { expect, keepImage, openView, test } from './server';

/** A report from the server; the page must agree with it. */
async function report<T>(
  page: import('@playwright/test').Page,
  url: string,
  name: string,
  query = '',
): Promise<T> {
  const session = /#\/s\/([^/]+)/.exec(page.url())?.[1] ?? '0';
  const response = await page.request.get(`${url}api/sessions/${session}/analyses/${name}${query}`);
  expect(response.ok()).toBe(true);
  return (await response.json()) as T;
}

interface Overview {
  step_time_ps: { mean: number; count: number };
  step_parts: { part: string; mean_ps: number }[];
  devices: { device: string }[];
  top_ops: { name: string }[];
  verdicts: { key: string; title: string; value: number | null; verdict: string }[];
}

test('the overview shows step time, parts, devices, top ops and verdicts', async ({
  page,
  url,
}) => {
  await openView(page, url, '2026_11_21_08_46_58', 'overview');
  const answer = await report<Overview>(page, url, 'overview');
  expect(answer.step_time_ps.count).toBe(20);
  const milliseconds = (answer.step_time_ps.mean / 1e9).toPrecision(4);
  await expect(page.locator('.headline')).toContainText(milliseconds);
  await expect(page.locator('.headline')).toContainText('20\u00a0steps');
  // The whole answer in one sentence, and what to do first.
  await expect(page.locator('.headline-sentence')).toContainText(/of a step computing/);
  await expect(page.locator('.headline').getByRole('link', { name: 'What to do' })).toBeVisible();
  // The time of the largest op per step is on its card.
  await expect(page.locator('.kpi', { hasText: 'Largest op' })).toContainText('per step');
  for (const verdict of answer.verdicts.filter(({ key }) => key !== 'top_op_ps')) {
    // Unknown figures and costs of zero are on one line, with separators.
    const isFolded = verdict.value === null || (verdict.value === 0 && verdict.verdict === 'good');
    const hasText = isFolded ? verdict.title : new RegExp(`^${verdict.title}$`);
    const title = page.locator('.kpi-title', { hasText });
    await expect(title).toBeVisible();
  }
  const rows = answer.step_parts.filter((part) => part.mean_ps > 0);
  await expect(page.locator('.parts li')).toHaveCount(rows.length);
  // Of a single device, the figures say how busy it was.
  const devices = answer.devices.length === 1 ? 0 : answer.devices.length;
  await expect(page.locator('.device')).toHaveCount(devices);
  await expect(page.locator('.op-name')).toHaveCount(answer.top_ops.length);
  await expect(page.getByRole('heading', { name: 'Environment' })).toBeVisible();
});

test('findings on the overview say why, also if what shows hints arrives last', async ({
  page,
  url,
}) => {
  await page.route('**/assets/hint*', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 400));
    await route.continue();
  });
  await openView(page, url, 'serving', 'overview');
  const { findings } = await report<{ findings: { why: string }[] }>(page, url, 'verdict');
  expect(findings.length).toBeGreaterThan(0);
  await page.waitForTimeout(800);
  for (const { why } of findings) {
    await expect(page.locator('.findings').getByText(why).first()).toBeVisible();
  }
});

test('clicking a bar selects its step, clicking it again clears the selection', async ({ page, url }) => {
  await openView(page, url, 'mlp_dp', 'overview');
  const chart = page.locator('.step-chart canvas');
  const box = (await chart.boundingBox())!;
  await chart.click({ position: { x: box.width * 0.5, y: box.height * 0.6 } });
  await expect(page).toHaveURL(/steps=\d+$/);
  await expect(page.locator('.headline')).toContainText('1\u00a0step');
  await page.mouse.move(0, 0);
  await chart.click({ position: { x: box.width * 0.5, y: box.height * 0.6 } });
  await expect(page).not.toHaveURL(/steps=/);
});

test('ops sort by any column, largest first, then reversed', async ({ page, url }) => {
  await openView(page, url, 'demo', 'ops');
  const answer = await report<{
    rows: { name: string; self_ps: number; occurrences: number }[];
    row_count: number;
  }>(page, url, 'ops', '?limit=0');
  await expect(page.locator('.table-count')).toContainText(answer.row_count.toLocaleString('en'));
  const first = page.locator('.table-row').nth(1);
  const bySelf = [...answer.rows].sort((one, other) => other.self_ps - one.self_ps);
  await expect(first).toContainText(bySelf[0]!.name.slice(0, 12));
  await page.getByRole('columnheader', { name: /^Count/ }).click();
  await expect(page).toHaveURL(/sort=occurrences/);
  const most = Math.max(...answer.rows.map((row) => row.occurrences));
  await expect(first).toContainText(most.toLocaleString('en'));
  await page.getByRole('columnheader', { name: /^Count/ }).click();
  await expect(page).toHaveURL(/sort=-occurrences/);
  await expect(page.getByRole('columnheader', { name: /^Count/ })).toHaveAttribute(
    'aria-sort',
    'ascending',
  );
  await page.goBack();
  await expect(page.getByRole('columnheader', { name: /^Count/ })).toHaveAttribute(
    'aria-sort',
    'descending',
  );
  await keepImage(page, 'ops');
});

test('the filter narrows ops and can become the selection, and the CSV has the rows shown', async ({
  page,
  url,
}) => {
  await openView(page, url, 'demo', 'ops');
  const answer = await report<{
    rows: { name: string; category: string; scope: string; source: string; program: string }[];
  }>(page, url, 'ops', '?limit=0');
  const wanted = answer.rows.filter((row) => /^dot/.test(row.name)).length;
  expect(wanted).toBeGreaterThan(0);
  await page.keyboard.press('/');
  await page.keyboard.type('^dot');
  const shown = page.locator('.table-count');
  await expect(page).toHaveURL(/q=%5Edot/);
  await expect(shown).toContainText(' of ');
  const count = Number((await shown.innerText()).split(' ')[0]!.replace(',', ''));
  expect(count).toBeGreaterThanOrEqual(wanted);
  expect(count).toBeLessThan(answer.rows.length);

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV' }).click(),
  ]);
  const lines = readFileSync(await download.path(), 'utf8')
    .trim()
    .split('\n');
  expect(lines).toHaveLength(count + 1);
  expect(lines[0]).toContain('self_ps');

  await page.getByRole('button', { name: 'Use in all views' }).click();
  await expect(page).toHaveURL(/match=%5Edot/);
  await expect(page.locator('.chip.is-set')).toContainText('^dot');
});

test('clicking an op shows its details', async ({ page, url }) => {
  await openView(page, url, 'demo', 'ops');
  await page.locator('.table-row').nth(1).click();
  const details = page.getByRole('complementary', { name: 'Op' });
  await expect(details).toContainText('Self');
  await expect(details).toContainText('Source');
  await details.getByRole('button', { name: 'Close' }).click();
  await expect(details).toHaveCount(0);
});

test('the arrow keys move through a table and Enter opens a row', async ({ page, url }) => {
  await openView(page, url, 'demo', 'ops');
  await page.getByRole('grid').focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp'])
    await page.keyboard.press(key);
  const active = page.locator('.table-row.is-active');
  await expect(active).toHaveAttribute('aria-rowindex', '3');
  const name = await active.locator('.op-name').innerText();
  await page.keyboard.press('Enter');
  await expect(page.locator('.op-details-name')).toHaveText(name.replace(/\s/g, ''));
  await page.keyboard.press('End');
  const count = Number(
    (await page.locator('.table-count').innerText()).split(/\s/)[0]!.replace(',', ''),
  );
  await expect(active).toHaveAttribute('aria-rowindex', String(count + 1));
  await expect(active).toBeInViewport();
});

test('an op links to its slices in the timeline', async ({ page, url }) => {
  await openView(page, url, 'demo', 'ops');
  await page.locator('.table-row').nth(1).click();
  await page.getByRole('button', { name: 'Show in timeline' }).click();
  await expect(page).toHaveURL(/\/timeline\?.*search=/);
  await page.locator('canvas').first().waitFor();
});

test('scopes fold and unfold, and switch to source lines', async ({ page, url }) => {
  await openView(page, url, 'demo', 'scopes');
  const rows = page.locator('.table-row:not(.table-head)');
  await page.getByRole('button', { name: 'Fold all', exact: true }).click();
  const roots = await rows.count();
  await rows
    .filter({ has: page.locator('.scope-fold:not(.is-leaf)') })
    .first()
    .click();
  await expect.poll(() => rows.count()).toBeGreaterThan(roots);
  await page.getByRole('button', { name: 'Unfold all' }).click();
  await expect(page.locator('.table-count')).not.toContainText(' of ');
  await page.getByRole('button', { name: 'By source' }).click();
  await expect(page).toHaveURL(/by=source/);
  await expect(rows.first()).toBeVisible();
  await page.goBack();
  await expect(page.getByRole('button', { name: 'By scope' })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
});

test('steps: a row per step and device, the straggling host visible', async ({ page, url }) => {
  await openView(page, url, 'mlp_dp', 'steps');
  const answer = await report<{ rows: unknown[] }>(page, url, 'steps', '?limit=0');
  await expect(page.locator('.table-count')).toContainText(String(answer.rows.length));
  await expect(page.locator('.step-chart canvas')).toBeVisible();
  await keepImage(page, 'steps');
});

test('kernels: a profile without a GPU says so', async ({ page, url }) => {
  await openView(page, url, 'demo', 'kernels');
  await expect(page.locator('.empty')).toContainText('GPU');
});

test('every header explains its figure', async ({ page, url }) => {
  await openView(page, url, 'demo', 'ops');
  await page.getByRole('columnheader', { name: /^Self/ }).hover();
  await expect(page.getByRole('tooltip')).toContainText('nested');
});

test('nothing is cut off at 1280 pixels', async ({ page, url }) => {
  for (const view of ['overview', 'steps', 'ops', 'scopes']) {
    await openView(page, url, 'demo', view);
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - window.innerWidth,
    );
    expect(overflow, view).toBeLessThanOrEqual(0);
  }
  await openView(page, url, 'demo', 'overview');
  await keepImage(page, 'overview-light');
  await openView(page, url, 'demo', 'scopes');
  await keepImage(page, 'scopes');
});
