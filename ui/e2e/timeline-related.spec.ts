/** What belongs to a slice or an area: nesting, participants of collectives, merged stacks, causes. */
import { type Page } from '@playwright/test';

import { expect, openView, test } from './server';
import { openTimeline, settled } from './timeline-probe';

interface Ref {
  track: number;
  lane: number;
  index: number;
}

const addressOf = ({ track, lane, index }: Ref) => `${track}:${lane}:${index}`;

async function api<T>(page: Page, url: string, path: string): Promise<T> {
  const session = /#\/s\/([^/]+)/.exec(page.url())![1];
  return (await (await page.request.get(`${url}api/sessions/${session}/${path}`)).json()) as T;
}

/** The first slice that a search finds. */
async function find(page: Page, url: string, query: string) {
  const { slices } = await api<{ slices: { slice: Ref; name: string; start_ps: number; duration_ps: number }[] }>(
    page,
    url,
    `timeline/search?query=${encodeURIComponent(query)}&limit=1`,
  );
  return slices[0]!;
}

/** Opens the timeline of a session at the first slice that a search finds. */
async function openAt(page: Page, url: string, session: string, query: string) {
  await openTimeline(page, url, session);
  const slice = await find(page, url, query);
  await page.goto(`${page.url().split('?')[0]}?slice=${addressOf(slice.slice)}`);
  await expect(page.locator('.slice-name')).toHaveText(slice.name);
  await settled(page);
  return slice;
}

test('what is around a slice and within it leads there', async ({ page, url }) => {
  await openAt(page, url, 'demo', 'name:load_batch');
  await page.getByRole('tab', { name: 'Nesting' }).click();
  const around = page.getByRole('region', { name: 'Enclosing slices' });
  const chain = around.getByRole('button');
  await expect(chain.first()).toBeVisible();
  const outermost = await chain.first().locator('.flow-name').textContent();
  await expect(chain.last()).toContainText('%');
  await chain.first().click();
  // The list stays open and is about the slice that was chosen.
  await expect(around).toContainText('outermost slice of its track');
  await expect(page.getByRole('tab', { name: 'Nesting' })).toHaveAttribute('aria-selected', 'true');
  const within = page.getByRole('region', { name: 'Slices within' });
  await within.locator('input').first().fill('load_batch');
  const row = within.locator('.table-row', { hasText: 'load_batch' }).first();
  await expect(row).toBeVisible();
  await row.click();
  await page.getByRole('tab', { name: 'Slice', exact: true }).click();
  await expect(page.locator('.slice-name')).toContainText('load_batch');
  expect(outermost).not.toContain('load_batch');
});

test('a collective lists its participants on all devices and hosts', async ({ page, url }) => {
  const slice = await openAt(page, url, 'mlp_dp', 'kind:collective');
  const { rows } = await api<{ rows: { device: string; is_last: boolean; slice: Ref }[] }>(
    page,
    url,
    `timeline/participants?track=${slice.slice.track}&lane=${slice.slice.lane}&index=${slice.slice.index}`,
  );
  expect(rows.length).toBeGreaterThan(2);
  const list = page.getByRole('region', { name: 'Participants' });
  await expect(list.locator('.table-row.is-clickable')).toHaveCount(rows.length);
  const last = rows.find((row) => row.is_last)!;
  await expect(list.locator('.table-row', { has: page.locator('.participant-last') })).toContainText(
    last.device,
  );
  await expect(list).toContainText(`arrived within`);
  await list.locator('.table-row.is-clickable', { hasText: rows[0]!.device }).first().click();
  await expect(page).toHaveURL(new RegExp(`slice=${addressOf(rows[0]!.slice)}\\b`));
  await expect(list.locator('.table-row.is-clickable')).toHaveCount(rows.length);
});

test('a slice that is no collective has no participants', async ({ page, url }) => {
  await openTimeline(page, url, 'demo');
  const slice = await find(page, url, 'kind:matmul');
  await page.goto(`${page.url().split('?')[0]}?slice=${addressOf(slice.slice)}`);
  await expect(page.locator('.slice-name')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Participants' })).toHaveCount(0);
});

test('an area has a flame graph, its callers, and both as text', async ({ page, url }) => {
  await openTimeline(page, url, 'demo');
  const step = await find(page, url, 'name:^train');
  const area = `${step.start_ps}..${step.start_ps + step.duration_ps}`;
  await page.goto(`${page.url().split('?')[0]}?area=${area}`);
  await expect(page.locator('.area-note')).toContainText('are of whole slices');
  await page.getByRole('button', { name: 'Flame graph' }).click();
  const graph = page.getByRole('application', { name: /^Flame graph of/ });
  await graph.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  const details = page.locator('.flame-details');
  await expect(details).toContainText('of all');
  const frame = (await details.locator('strong').textContent())!;
  await page.keyboard.press('Enter');
  const path = page.getByRole('navigation', { name: 'Zoomed to' });
  await expect(path).toContainText(frame);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Table', exact: true }).click();
  const rows = page.locator('.area-panel .table-row.is-clickable');
  await expect(rows.first()).toBeVisible();
  const outermost = await rows.first().locator('.area-frame-name').textContent();
  await page.getByRole('button', { name: 'Callers' }).click();
  await expect(page).toHaveURL(/stacks=callers/);
  await expect(rows.first().locator('.area-frame-name')).not.toHaveText(outermost!);
  await page.reload();
  await expect(rows.first()).toBeVisible();
});

test('an area is divided in two directions', async ({ page, url }) => {
  await openTimeline(page, url, 'demo', '?area=0..900000000000');
  await page.getByRole('button', { name: 'Pivot' }).click();
  const head = page.locator('.area-panel .table-head');
  await expect(head).toContainText('step');
  await page.getByRole('combobox', { name: 'Rows' }).selectOption('class');
  await page.getByRole('combobox', { name: 'Columns' }).selectOption('device');
  await expect(head).toContainText('CPU:0');
  await expect(page.locator('.area-panel .table-row.is-clickable, .area-panel .table-row').nth(1)).toBeVisible();
  await page.getByRole('group', { name: 'Cells' }).getByRole('button', { name: 'Share' }).click();
  await expect(page).toHaveURL(/cells=share/);
  await page.reload();
  await expect(head).toContainText('CPU:0');
});

test('a gap leads to the slice that caused it, on its thread', async ({ page, url }) => {
  await openView(page, url, 'mlp_dp', 'idle');
  const row = page.locator('.table-row.is-clickable', { hasText: 'Data loading' }).first();
  const what = (await row.locator('.table-cell').first().textContent())!;
  await row.click();
  await expect(page).toHaveURL(/\/timeline\?/);
  await expect(page).toHaveURL(/slice=\d+:\d+:\d+/);
  await expect(page.locator('.slice-name')).toContainText(what.trim());
  // Its thread is in sight, whatever was closed.
  const [, track, lane, index] = /slice=(\d+):(\d+):(\d+)/.exec(page.url())!;
  const { track_name } = await api<{ track_name: string }>(
    page,
    url,
    `timeline/slice?track=${track}&lane=${lane}&index=${index}`,
  );
  const name = track_name.split(' / ').at(-1)!;
  await expect(page.locator('.track-header', { hasText: name }).first()).toBeInViewport();
});

test('input leads to the slice that the device waited for', async ({ page, url }) => {
  await openView(page, url, 'mlp_dp', 'input');
  await page.locator('.table-row.is-clickable').first().click();
  await expect(page).toHaveURL(/\/timeline\?/);
  await expect(page).toHaveURL(/slice=\d+:\d+:\d+/);
  await expect(page).not.toHaveURL(/cause=/);
  await expect(page.locator('.slice-name')).toBeVisible();
  await page.goBack();
  await expect(page).not.toHaveURL(/slice=/);
});
