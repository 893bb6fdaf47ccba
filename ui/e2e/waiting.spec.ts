/** What steps wait for: the critical path and its lane, changes, layers, communication by group. */
import { expect, openView, test } from './server';

test('the timeline shows the critical path as a lane, and links keep it', async ({ page, url }) => {
  await openView(page, url, 'mlp_dp', 'timeline');
  const toggle = page.getByRole('button', { name: 'Critical path', exact: true });
  await expect(toggle).toHaveAttribute('aria-pressed', 'false');
  const asked = page.waitForResponse((response) => response.url().includes('critical_path'));
  await toggle.click();
  await expect(page).toHaveURL(/path=1/);
  const report = (await (await asked).json()) as { rows: { kind: string; step: number }[] };
  expect(new Set(report.rows.map((row) => row.step)).size).toBe(10);
  // Under the minimap, the time ruler and the step ruler.
  const box = (await page.locator('.timeline-canvas').boundingBox())!;
  const y = box.y + 42 + 22 + 18 + 9;
  await expect(async () => {
    await page.mouse.move(box.x + box.width / 2, y - 40);
    await page.mouse.move(box.x + box.width / 2, y);
    await expect(page.locator('.hover-card')).toContainText(/of step \d/, { timeout: 500 });
  }).toPass();
  await page.keyboard.press('c');
  await expect(page).not.toHaveURL(/path=1/);
  await expect(toggle).toHaveAttribute('aria-pressed', 'false');
});

test('a slice says why it started now', async ({ page, url }) => {
  await openView(page, url, 'mlp_dp', 'timeline');
  const session = /#\/s\/([^/]+)/.exec(page.url())![1];
  const path = `${url}api/sessions/${session}/analyses/critical_path?limit=0`;
  const report = (await (await page.request.get(path)).json()) as {
    rows: { kind: string; slice: { track: number; lane: number; index: number } | null }[];
  };
  const row = report.rows.find((row) => row.kind === 'compute' && row.slice !== null)!;
  const { track, lane, index } = row.slice!;
  await openView(page, url, 'mlp_dp', 'timeline', `?slice=${track}:${lane}:${index}`);
  await page.getByRole('button', { name: 'Why did it start now?' }).click();
  await expect(page.locator('.slice-why')).toContainText(/It waited for .+ before\./);
  await expect(page.getByRole('list', { name: 'What it waited for' })).toContainText('last');
});

test('layers are folded into one and listed one by one', async ({ page, url }) => {
  await openView(page, url, 'mlp_dp', 'scopes');
  await page.getByRole('button', { name: 'Layers', exact: true }).click();
  await expect(page).toHaveURL(/as=layers/);
  await expect(page.locator('main')).toContainText('layer_*');
  await page.getByRole('tab', { name: /Layer by layer/ }).click();
  await expect(page.locator('main')).toContainText('layer_3');
});

test('communication is summed by what the reader chooses', async ({ page, url }) => {
  await openView(page, url, 'mlp_dp', 'collectives');
  await page.getByRole('tab', { name: /By axis, line, kind/ }).click();
  await page.getByRole('button', { name: 'Kind', exact: true }).click();
  await expect(page).toHaveURL(/by=kind/);
  await expect(page.locator('.collectives-more')).toContainText('all-reduce');
});

test('only changes that help are offered', async ({ page, url }) => {
  const offers = page.locator('.what-if-changes button', { hasText: '+ ' });
  await openView(page, url, 'gpt-off/run', 'what_if');
  await expect(offers.filter({ hasText: 'No input wait' })).toBeVisible();
  // One device: it has no collectives.
  await expect(offers.filter({ hasText: /collectives|Network|Devices arrive/ })).toHaveCount(0);
  await openView(page, url, 'demo', 'what_if');
  await expect(offers.filter({ hasText: 'Hide collectives' })).toBeVisible();
});

test('a slider tries another factor', async ({ page, url }) => {
  await openView(page, url, 'mlp_dp', 'what_if', '?change=network:2');
  const slider = page.getByRole('slider', { name: 'Factor of: Network 2× as fast' });
  await slider.focus();
  await page.keyboard.press('ArrowRight');
  await expect(page).toHaveURL(/network(:|%3A)3/);
  await expect(page.locator('.kpi-row')).toContainText('Gain');
});

test('the step before and after a change is drawn on one scale', async ({ page, url }) => {
  await openView(page, url, 'demo', 'what_if', '?change=remove%3Acollectives');
  const picture = page.locator('.what-if-picture');
  await expect(picture.locator('figcaption')).toContainText(/Step \d+: .+ as recorded, .+ with the changes/);
  const [before, after] = [
    picture.getByRole('group', { name: 'Recorded' }),
    picture.getByRole('group', { name: 'Changed' }),
  ];
  // Four devices, each with work and communication, which are told to those who do not see them.
  await expect(before.getByRole('img')).toHaveCount(8);
  await expect(before.getByRole('img', { name: /communication, recorded/ }).first()).toBeVisible();
  await expect(before.locator('.is-removed').first()).toBeAttached();
  await expect(after.locator('.is-removed')).toHaveCount(0);
  const [first, second] = [
    (await before.locator('.what-if-lane').first().boundingBox())!,
    (await after.locator('.what-if-lane').first().boundingBox())!,
  ];
  expect([second.x, second.width]).toEqual([first.x, first.width]);
  // The same as a table.
  await page.getByRole('tab', { name: /Devices/ }).click();
  await expect(page.locator('main')).toContainText('Busy, recorded');
  // The link holds the scenario.
  await page.reload();
  await expect(page.locator('.what-if-picture')).toBeVisible();
});

test('short gaps of a path are one row', async ({ page, url }) => {
  await openView(page, url, 'demo', 'critical_path');
  const rows = page.locator('main').getByText(/gaps below 1 µs between pieces of work/);
  await expect(rows.first()).toBeVisible();
});
