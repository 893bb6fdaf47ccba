/** The timeline with the real server: keyboard, pointer, and URL. */
import { type Page } from '@playwright/test';

import { expect, keepImage, test } from './server';
import { canvasOf, openTimeline, settled, stats, windowIn, type Probe } from './timeline-probe';

interface Report {
  start_ps: number;
  end_ps: number;
  slice_count: number;
  groups: {
    name: string;
    tracks: { track: number; name: string; role: string; lanes: number }[];
  }[];
  steps: { step: number; start_ps: number; duration_ps: number }[];
}

async function reportOf(page: Page, url: string): Promise<Report> {
  const session = /#\/s\/([^/]+)/.exec(page.url())![1];
  const response = await page.request.get(`${url}api/sessions/${session}/analyses/timeline`);
  return (await response.json()) as Report;
}

/** The longest of the first 50 slices that match a query. */
async function someSlice(page: Page, url: string, query: string) {
  const session = /#\/s\/([^/]+)/.exec(page.url())![1];
  const path = `${url}api/sessions/${session}/timeline/search`;
  const response = await page.request.get(`${path}?query=${encodeURIComponent(query)}&limit=50`);
  const { slices, match_count } = (await response.json()) as {
    match_count: number;
    slices: {
      slice: { track: number; lane: number; index: number };
      name: string;
      start_ps: number;
      duration_ps: number;
    }[];
  };
  expect(match_count).toBeGreaterThan(0);
  return slices.reduce((one, other) => (other.duration_ps > one.duration_ps ? other : one));
}

test('the tracks and slices of a session are loaded', async ({ page, url }) => {
  await openTimeline(page, url, 'demo');
  const report = await reportOf(page, url);
  await expect(page.locator('.group-header').first()).toContainText(report.groups[0]!.name);
  await expect(page.locator('.track-header').first()).toBeVisible();
  expect((await stats(page))!.glyphs).toBeGreaterThan(0);
  expect((await stats(page))!.tilesFailed).toBe(0);
  await expect(page.locator('.timeline-legend li').first()).toBeVisible();
  await keepImage(page, 'timeline');
});

test('keys zoom and pan, the URL follows, and Back returns', async ({ page, url }) => {
  await openTimeline(page, url, 'demo');
  expect(windowIn(page)).toBeNull();
  const { box } = await canvasOf(page);
  await page.mouse.move(box.x + box.width * 0.3, box.y + box.height * 0.5);
  await page.keyboard.press('w');
  await expect.poll(() => windowIn(page)).not.toBeNull();
  const zoomed = windowIn(page)!;
  await page.keyboard.press('d');
  await expect.poll(() => windowIn(page)!.start).toBeGreaterThan(zoomed.start);
  const panned = windowIn(page)!;
  expect(panned.end - panned.start).toBeCloseTo(zoomed.end - zoomed.start, -1);
  await page.keyboard.press('s');
  await page.keyboard.press('0');
  await expect.poll(() => windowIn(page)).toBeNull();
  await page.goBack();
  await expect.poll(() => windowIn(page)).not.toBeNull();
});

test('n and p move from step to step', async ({ page, url }) => {
  await openTimeline(page, url, '2026_11_21_08_46_58');
  const { steps } = await reportOf(page, url);
  test.skip(steps.length < 3, 'no steps');
  const middle = async () => {
    await settled(page);
    await expect.poll(() => windowIn(page)).not.toBeNull();
    const { start, end } = windowIn(page)!;
    return (start + end) / 2;
  };
  await page.keyboard.press('n');
  await page.waitForTimeout(900);
  const first = await middle();
  await page.keyboard.press('n');
  await page.waitForTimeout(400);
  expect(await middle()).toBeGreaterThan(first);
  await page.keyboard.press('p');
  await page.waitForTimeout(400);
  expect(await middle()).toBeCloseTo(first, -3);
});

test('clicking a slice selects it and shows its details', async ({ page, url }) => {
  await openTimeline(page, url, 'demo');
  const slice = await someSlice(page, url, 'fusion|dot|wrapped');
  const air = slice.duration_ps * 2;
  const range = `${Math.round(slice.start_ps - air)}..${Math.round(slice.start_ps + slice.duration_ps + air)}`;
  // The URL moves the slice to the middle of the canvas and pins its track to the top.
  await page.goto(`${page.url().split('?')[0]}?window=${range}&pin=${slice.slice.track}`);
  await page.reload();
  await settled(page);
  const { box } = await canvasOf(page);
  const pinned = (await page.locator('.header-section.is-pinned').boundingBox())!;
  const y = pinned.y + 10 + slice.slice.lane * 19;
  await page.mouse.move(box.x + box.width / 2, y);
  await expect(page.locator('.hover-card')).toContainText(slice.name);
  await page.mouse.click(box.x + box.width / 2, y);
  await expect(page.locator('.slice-name')).toHaveText(slice.name);
  await expect(page.locator('.facts')).toContainText('Duration');
  await expect(page).toHaveURL(new RegExp(`slice=${slice.slice.track}:${slice.slice.lane}:`));
  await keepImage(page, 'timeline-slice');
  await page.keyboard.press('ArrowRight');
  await expect(page).toHaveURL(
    new RegExp(`slice=${slice.slice.track}:${slice.slice.lane}:${slice.slice.index + 1}\\b`),
  );
  // First the details close, and keys still reach the timeline; then the selection is cleared.
  await page.getByRole('tab', { name: 'Slice' }).click();
  await page.keyboard.press('Escape');
  const details = page.getByRole('region', { name: 'Details' });
  await expect(details).toHaveCount(0);
  await expect(page).toHaveURL(/slice=/);
  expect(await page.evaluate(() => document.activeElement !== document.body)).toBe(true);
  await page.keyboard.press('q');
  await expect(details).toBeVisible();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await expect(page).not.toHaveURL(/slice=/);
  await page.goBack();
  await expect(page).toHaveURL(/slice=/);
  await expect(page.locator('.slice-name')).toBeVisible();
});

test('search lists matches, and Enter moves through them', async ({ page, url }) => {
  await openTimeline(page, url, 'demo');
  await page.keyboard.press('/');
  await expect(page.locator('.timeline-search input')).toBeFocused();
  await page.keyboard.type('fusion');
  await expect(page.locator('.match-count')).toContainText(/\d/);
  await expect(page).toHaveURL(/search=fusion/);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/slice=/);
  const first = page.url();
  await expect(page.locator('.search-row.is-current')).toHaveCount(1);
  await page.keyboard.press('Enter');
  await expect.poll(() => page.url()).not.toBe(first);
  await page.keyboard.press('Shift+Enter');
  await expect
    .poll(() => /slice=[\d:]+/.exec(page.url())?.[0])
    .toBe(/slice=[\d:]+/.exec(first)![0]);
  await keepImage(page, 'timeline-search');
});

test('a search that matches nothing says so', async ({ page, url }) => {
  await openTimeline(page, url, 'demo', '?search=nothing_is_called_like_this');
  await expect(page.locator('.match-count')).toHaveText('no matches');
});

test('an invalid pattern replaces the matches of the search before', async ({ page, url }) => {
  await openTimeline(page, url, 'demo', '?search=all-reduce');
  const search = page.locator('.timeline-search input');
  await search.press('Enter');
  const matches = page.getByRole('tab', { name: /^Matches/ });
  await expect(matches).toHaveText(/\d/);
  await search.fill('a([');
  await expect(page.locator('.timeline-search')).toContainText('Invalid regular expression: ');
  await expect(matches).toHaveText('Matches');
  await expect(page.locator('.search-panel')).toHaveCount(0);
});

test('dragging an area shows its table, by name and by class', async ({ page, url }) => {
  await openTimeline(page, url, 'demo');
  const { box } = await canvasOf(page);
  await page.mouse.move(box.x + box.width * 0.2, box.y + 110);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.7, box.y + 300, { steps: 5 });
  await page.mouse.up();
  await expect(page).toHaveURL(/area=\d+\.\.\d+/);
  const rows = page.locator('.area-panel .table-row:not(.table-head)');
  await expect(rows.first()).toBeVisible();
  await expect(page.locator('.area-panel .table-head')).toContainText('p95');
  await page.getByRole('button', { name: 'Class', exact: true }).click();
  await expect(page.locator('.area-panel .table-head')).toContainText('Class');
  await keepImage(page, 'timeline-area');
  await page.keyboard.press('Escape');
  await expect(page.locator('.area-panel')).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(page).not.toHaveURL(/area=/);
});

test('tracks fold, pin, hide and are filtered', async ({ page, url }) => {
  await openTimeline(page, url, 'demo');
  const header = page.locator('.is-scrolled .track-header').first();
  const name = (await header.locator('.header-name').textContent())!;
  await header.hover();
  await header.getByRole('button', { name: 'Pin to the top' }).click();
  await expect(page.locator('.is-pinned .track-header')).toContainText(name);
  await expect(page).toHaveURL(/pin=\d+/);
  await header.hover();
  await header.getByRole('button', { name: 'Hide' }).click();
  await expect(page.getByRole('button', { name: '1 hidden' })).toBeVisible();
  await page.getByRole('button', { name: '1 hidden' }).click();
  await page.getByRole('button', { name: 'Show all 1 track' }).click();
  await expect(page).not.toHaveURL(/hide=/);
  await page.locator('.header-tools input').fill('no track is called this');
  await expect(page.locator('.is-scrolled .track-header')).toHaveCount(0);
  await page.locator('.header-tools input').fill('');
  const groups = await page.locator('.group-header').count();
  await page.getByRole('button', { name: 'Close all' }).click();
  await expect(page.locator('.is-scrolled .track-header')).toHaveCount(0);
  expect(await page.locator('.group-header').count()).toBeGreaterThanOrEqual(groups);
});

test('marks, areas from a selection, measuring', async ({ page, url }) => {
  await openTimeline(page, url, 'demo');
  const slice = await someSlice(page, url, 'fusion|dot|wrapped');
  const { track, lane, index } = slice.slice;
  await page.goto(`${page.url().split('?')[0]}?slice=${track}:${lane}:${index}`);
  await page.reload();
  await expect(page.locator('.slice-name')).toHaveText(slice.name);
  await page.keyboard.press('Shift+m');
  await expect(page).toHaveURL(/marks=\d+\.\.\d+/);
  await page.keyboard.press('r');
  await expect(page).toHaveURL(new RegExp(`area=${slice.start_ps}\\.\\.`));
  await page.keyboard.press('4');
  await expect(page.getByRole('button', { name: /^Measure/ })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
});

test('a reload restores everything in the URL', async ({ page, url }) => {
  await openTimeline(page, url, 'demo');
  const { start_ps, end_ps } = await reportOf(page, url);
  const quarter = Math.round((end_ps - start_ps) / 4);
  const range = `${start_ps + quarter}..${end_ps - quarter}`;
  const query = `?area=${range}&pin=0&search=fusion&window=${range}`;
  await page.goto(`${page.url().split('?')[0]}${query}`);
  await page.reload();
  await settled(page);
  await expect(page.locator('.is-pinned .track-header')).toHaveCount(1);
  await expect(page.locator('.timeline-search input')).toHaveValue('fusion');
  await expect(page.locator('.area-summary')).toBeVisible();
  expect(page.url().endsWith(query)).toBe(true);
});

test('panning with a held key draws each frame in time', { tag: '@timed' }, async ({ page, url }) => {
  await openTimeline(page, url, '2026_11_21_08_46_58');
  const { start_ps, end_ps } = await reportOf(page, url);
  const third = Math.round((end_ps - start_ps) / 3);
  await page.goto(`${page.url().split('?')[0]}?window=${start_ps + third}..${end_ps - third}`);
  await settled(page);
  await page.evaluate(() =>
    (window as unknown as { __stepscope: Required<Probe> }).__stepscope.timeline.reset(),
  );
  for (let i = 0; i < 45; i++) {
    await page.keyboard.down(i < 22 ? 'd' : 'a');
    if (i === 22) await page.keyboard.up('d');
    await page.waitForTimeout(33);
  }
  await page.keyboard.up('a');
  const now = (await stats(page))!;
  console.log(
    `timeline: ${now.frames} frames, draw median ${now.drawMedianMs.toFixed(1)} ms, ` +
      `frame to frame ${now.intervalMedianMs.toFixed(1)} ms`,
  );
  expect(now.intervals).toBeGreaterThan(20);
  expect(now.drawMedianMs).toBeLessThan(16.7);
});
