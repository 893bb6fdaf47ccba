/** Tables and charts as people shape them: filters, columns, groups, keys, menus, what leaves them. */
import type { Page } from '@playwright/test';

import { expect, openView, test } from './server';

const rowsOf = (page: Page) => page.locator('.table-row:not(.table-head)');
const header = (page: Page, name: RegExp) => page.getByRole('columnheader', { name });
const titles = (page: Page) => page.locator('.table-head .table-title').allTextContents();

async function ops(page: Page, url: string) {
  const session = /#\/s\/([^/]+)/.exec(page.url())?.[1] ?? '';
  const response = await page.request.get(`${url}api/sessions/${session}/analyses/ops?limit=0`);
  const report = (await response.json()) as {
    rows: { name: string; category: string; self_ratio: number; self_ps: number }[];
  };
  return report.rows;
}

test('a filter compares figures with units, together with text', async ({ page, url }) => {
  await openView(page, url, 'demo', 'ops');
  const all = await ops(page, url);
  const filter = page.getByRole('searchbox', { name: 'Filter ops' });
  await filter.fill('share >= 3%');
  const large = all.filter((op) => op.self_ratio >= 0.03);
  expect(large.length).toBeGreaterThan(0);
  expect(large.length).toBeLessThan(all.length);
  await expect(page.locator('.table-count')).toContainText(`${large.length} of`);
  await expect(rowsOf(page)).toHaveCount(large.length);
  await filter.fill('self > 0.5ms fusion');
  const timed = all.filter((op) => op.self_ps > 0.5e9 && /fusion/.test(`${op.name} ${op.category}`));
  for (const op of timed.slice(0, 3)) await expect(rowsOf(page).getByText(op.name)).not.toHaveCount(0);
  // The filter is in the address.
  await expect(page).toHaveURL(/fusion/);
  await page.reload();
  await expect(filter).toHaveValue('self > 0.5ms fusion');
});

test('what is wrong with a filter is said in one line', async ({ page, url }) => {
  await openView(page, url, 'demo', 'ops');
  const filter = page.getByRole('searchbox', { name: 'Filter ops' });
  await filter.fill('slef > 1ms');
  await expect(page.locator('.search-error')).toContainText('Unknown column “slef”');
  await filter.fill('self > 1GB');
  await expect(page.locator('.search-error')).toContainText('“GB” is not a unit of Self');
  await filter.fill('jit(');
  await expect(page.locator('.search-error')).toContainText('Invalid regular expression');
  await expect(filter).toHaveAttribute('aria-invalid', 'true');
  await filter.fill('self > 0');
  await expect(page.locator('.search-error')).toHaveCount(0);
});

test('columns are hidden, moved and widened, and the link keeps it', async ({ page, url }) => {
  await openView(page, url, 'demo', 'ops');
  const before = await titles(page);
  await header(page, /^Category/).click({ button: 'right' });
  await page.getByRole('menuitem', { name: /^Hide/ }).click();
  await expect(header(page, /^Category/)).toHaveCount(0);
  await expect(page).toHaveURL(/cols=-category/);
  // A toast takes it back.
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(header(page, /^Category/)).toHaveCount(1);

  const from = await header(page, /^Count/).boundingBox();
  const to = await header(page, /^Self/).boundingBox();
  if (!from || !to) throw new Error('no headers');
  await page.mouse.move(from.x + 20, from.y + 10);
  await page.mouse.down();
  await page.mouse.move(to.x + 30, to.y + 10, { steps: 5 });
  await page.mouse.move(to.x + 10, to.y + 10, { steps: 5 });
  await page.mouse.up();
  await expect(page).toHaveURL(/occurrences~self_ps/);
  const after = await titles(page);
  expect(after.indexOf('Count')).toBe(after.indexOf('Self') - 1);
  expect(after).not.toEqual(before);
  // A drag does not sort.
  await expect(header(page, /^Self/)).toHaveAttribute('aria-sort', 'descending');

  const box = await header(page, /^Count/).boundingBox();
  if (!box) throw new Error('no header');
  await page.mouse.move(box.x + box.width - 2, box.y + 10);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width + 58, box.y + 10, { steps: 5 });
  await page.mouse.up();
  const wide = await header(page, /^Count/).boundingBox();
  expect(Math.round((wide?.width ?? 0) - box.width)).toBeGreaterThan(50);
  await page.reload();
  await expect.poll(() => titles(page)).toEqual(after);
  expect((await header(page, /^Count/).boundingBox())?.width).toBe(wide?.width);
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('button', { name: 'Reset columns' }).click();
  await page.keyboard.press('Escape');
  await expect.poll(() => titles(page)).toEqual(before);
});

test('rows are grouped by a column, with sums', async ({ page, url }) => {
  await openView(page, url, 'demo', 'ops');
  const all = await ops(page, url);
  const categories = new Set(all.map((op) => op.category));
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('combobox', { name: 'Group by' }).selectOption('category');
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/group=category/);
  await expect(page.locator('.table-row.is-group')).toHaveCount(categories.size);
  const first = page.locator('.table-row.is-group').first();
  const name = (await first.locator('.table-group-name').textContent()) ?? '';
  const own = all.filter((op) => op.category === name);
  const sums = [...categories].map((category) =>
    all.filter((op) => op.category === category).reduce((sum, op) => sum + op.self_ps, 0),
  );
  // Sorted by self time: the first group has the largest sum.
  expect(own.reduce((sum, op) => sum + op.self_ps, 0)).toBe(Math.max(...sums));
  await first.click();
  await expect(first).toHaveAttribute('aria-expanded', 'true');
  // The header, the groups, and the rows of the open one; only those in sight are elements.
  const lines = 1 + categories.size + own.length;
  await expect(page.getByRole('grid', { name: 'ops' })).toHaveAttribute('aria-rowcount', String(lines));
});

test('keys move a current cell that screen readers are told of', async ({ page, url }) => {
  await openView(page, url, 'demo', 'ops');
  const grid = page.getByRole('grid', { name: 'ops' });
  await grid.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  const id = await grid.getAttribute('aria-activedescendant');
  expect(id).toMatch(/-1-1$/);
  await expect(page.locator(`[id="${id}"]`)).toHaveClass(/is-current/);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/op=/);
  // From the header, Enter sorts.
  await grid.focus();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await expect(page.locator('[aria-sort="ascending"]')).toHaveCount(1);
  await page.keyboard.press('Shift+F10');
  await expect(page.getByRole('menu')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(grid).toBeFocused();
});

test('the table is copied as Markdown, the chart as figures', async ({ page, url, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openView(page, url, 'demo', 'ops', '?q=share+%3E=+3%25');
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await expect(page.getByText('Table as Markdown copied')).toBeVisible();
  const markdown = await page.evaluate(() => navigator.clipboard.readText());
  const lines = markdown.trim().split('\n');
  expect(lines[0]).toMatch(/^\| Op \| Self.* \| Of ops, % \|/);
  expect(lines[1]).toMatch(/^\|---\|---:\|/);
  expect(lines).toHaveLength(2 + (await rowsOf(page).count()));

  await openView(page, url, 'demo', 'steps');
  await page.locator('.step-chart .chart').click({ button: 'right', position: { x: 200, y: 60 } });
  await page.getByRole('menuitem', { name: 'Copy figures as CSV' }).click();
  await expect(page.getByText('Figures copied')).toBeVisible();
  const csv = await page.evaluate(() => navigator.clipboard.readText());
  expect(csv.split('\n')[0]).toMatch(/^first_step,last_step,mean_ps,/);
  await page.locator('.step-chart .chart').click({ button: 'right', position: { x: 200, y: 60 } });
  await page.getByRole('menuitem', { name: 'Copy as SVG' }).click();
  await expect(page.getByText('Chart as SVG copied')).toBeVisible();
  const svg = await page.evaluate(() => navigator.clipboard.readText());
  expect(svg).toMatch(/^<svg /);
  expect(svg).toContain('data:image/png');
});

test('a column shows its distribution, and a bin filters', async ({ page, url }) => {
  await openView(page, url, 'demo', 'ops');
  await header(page, /^Self/).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Distribution', exact: true }).click();
  const panel = page.getByRole('dialog', { name: 'Distribution of Self' });
  await expect(panel).toContainText('Median');
  await panel.locator('.table-histogram g').last().click();
  await expect(page.getByRole('searchbox', { name: 'Filter ops' })).toHaveValue(/^self_ps >= /);
  await expect(page.locator('.table-count')).toContainText(' of ');
});

test('a line drawn around ops of the roofline keeps the ops in it', async ({ page, url }) => {
  await openView(page, url, 'demo', 'roofline');
  const all = await rowsOf(page).count();
  const around = await roundFirstPoint(page);
  await page.mouse.move(around[0]!.x, around[0]!.y);
  await page.mouse.down();
  for (const { x, y } of around.slice(1)) await page.mouse.move(x, y, { steps: 4 });
  await expect(page.locator('polygon.chart-drag')).toBeVisible();
  await page.mouse.up();
  await expect(page).toHaveURL(/lasso=/);
  await expect(page.locator('.roofline-region')).toBeVisible();
  await expect.poll(() => rowsOf(page).count()).toBeLessThan(all);
  const within = await rowsOf(page).count();
  expect(within).toBeGreaterThan(0);
  // The link keeps it.
  await page.reload();
  await expect(rowsOf(page)).toHaveCount(within);
  await page.getByRole('button', { name: /Only in the lasso/ }).click();
  await expect(page).not.toHaveURL(/lasso=/);
  await expect(rowsOf(page)).toHaveCount(all);
});

test('the name of the ridge covers no point', async ({ page, url }) => {
  await openView(page, url, 'gpt-off/run', 'roofline');
  const chart = page.getByRole('application').first();
  await chart.locator('.roofline-mark').first().waitFor();
  const [all, covered] = await chart.evaluate((plot) => {
    const texts = [...plot.querySelectorAll('text')];
    const name = texts.find((text) => text.textContent?.startsWith('ridge'))!.getBoundingClientRect();
    const points = [...plot.querySelectorAll('.roofline-point, .roofline-mark')];
    const isCovered = (point: Element) => {
      const box = point.getBoundingClientRect();
      const isBeside = box.left > name.right || box.right < name.left;
      return !isBeside && box.bottom > name.top && box.top < name.bottom;
    };
    return [points.length, points.filter(isCovered).length] as const;
  });
  expect(all).toBeGreaterThan(10);
  expect(covered).toBe(0);
});

test('with Shift, a drag over the roofline is a rectangle', async ({ page, url }) => {
  await openView(page, url, 'demo', 'roofline');
  const around = await roundFirstPoint(page);
  await page.keyboard.down('Shift');
  await page.mouse.move(around[0]!.x, around[0]!.y);
  await page.mouse.down();
  await page.mouse.move(around[2]!.x, around[2]!.y, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await expect(page).toHaveURL(/box=/);
  await expect(page).not.toHaveURL(/lasso=/);
  await page.getByRole('button', { name: /Only in the rectangle/ }).click();
  await expect(page).not.toHaveURL(/box=/);
});

/** The corners of a square around the largest point of the roofline. */
async function roundFirstPoint(page: Page): Promise<{ x: number; y: number }[]> {
  const box = (await page.locator('.roofline-point').first().boundingBox())!;
  const [left, top] = [box.x - 5, box.y - 5];
  const [right, bottom] = [box.x + box.width + 5, box.y + box.height + 5];
  return [
    { x: left, y: top },
    { x: right, y: top },
    { x: right, y: bottom },
    { x: left, y: bottom },
  ];
}

test('the FLOPs of the model can be stated as a product, and other views count them', async ({
  page,
  url,
}) => {
  await openView(page, url, 'demo', 'roofline');
  const field = page.getByLabel('Model FLOPs');
  await field.fill('6*lots');
  await field.press('Enter');
  await expect(page).not.toHaveURL(/model-flops/);
  await field.fill('6 * 1M * 2^10');
  await field.press('Enter');
  await expect(page).toHaveURL(/model-flops=/);
  const asked = page.waitForResponse(/analyses\/overview\?.*model-flops=6/);
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  expect((await asked).status()).toBe(200);
  await page.goBack();
  await expect(field).toHaveValue('6 * 1M * 2^10');
});

test('the bar of the graph is one line on a laptop', async ({ page, url }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await openView(page, url, 'demo', 'graph');
  await expect(page.getByRole('combobox', { name: 'Download' })).toBeInViewport({ ratio: 1 });
  const tops = await page
    .locator('.graph-bar > :not(.spacer)')
    .evaluateAll((all) => all.map((each) => each.getBoundingClientRect()).map((box) => box.top + box.height / 2));
  expect(Math.max(...tops) - Math.min(...tops)).toBeLessThan(6);
});

test('graph search lists names first', async ({ page, url }) => {
  await openView(page, url, 'demo', 'graph');
  await page.getByRole('combobox', { name: 'Find an instruction' }).fill('add');
  const names = page.locator('.graph-matches li b');
  await expect(names.first()).toBeVisible();
  expect((await names.first().textContent())?.startsWith('add')).toBe(true);
});

test('cells show on demand where they are in the distribution of their column', async ({
  page,
  url,
}) => {
  await openView(page, url, 'demo', 'ops');
  const strips = page.locator('.table-strip');
  await expect(strips).toHaveCount(0);
  await header(page, /^Self/).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Show distribution in cells' }).click();
  await expect(strips.first()).toBeVisible();
  await expect(page).toHaveURL(/cols=self_ps(!|%21)/);
  // Sorted by self time, the first cell is the largest and so at the right end.
  const dot = (await strips.first().locator('.table-strip-dot').boundingBox())!;
  const strip = (await strips.first().boundingBox())!;
  expect(Math.abs(dot.x + dot.width / 2 - (strip.x + strip.width))).toBeLessThan(2);
  await page.reload();
  await expect(strips.first()).toBeVisible();
  await header(page, /^Self/).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Hide distribution in cells' }).click();
  await expect(strips).toHaveCount(0);
});

test('the curve of memory and the layout of the heap below it zoom together', async ({
  page,
  url,
}) => {
  await openView(page, url, 'demo', 'buffers');
  const blocks = page.locator('.buffers-blocks svg rect:not(.buffers-heap)');
  const widest = () =>
    blocks.evaluateAll((all) => Math.max(...all.map((one) => Number(one.getAttribute('width')))));
  await expect(blocks.first()).toBeAttached();
  const before = await widest();
  await page.locator('.buffers-blocks').scrollIntoViewIfNeeded();
  const plot = (await page.locator('.buffers-blocks svg').first().boundingBox())!;
  const y = plot.y + plot.height / 2;
  await page.mouse.move(plot.x + plot.width * 0.4, y);
  await page.mouse.down();
  await page.mouse.move(plot.x + plot.width * 0.6, y, { steps: 4 });
  await page.mouse.up();
  await expect(page).toHaveURL(/span=/);
  await expect.poll(widest).toBeGreaterThan(before);
  await page.reload();
  await expect.poll(widest).toBeGreaterThan(before);
});

test('tables below a tab keep their order and their filter', async ({ page, url }) => {
  await openView(page, url, 'causes-h100/train-and-eval', 'kernels', '?tab=matrix');
  const all = await rowsOf(page).count();
  expect(all).toBeGreaterThan(5);
  const total = header(page, /^Total/);
  await expect(total).toHaveAttribute('aria-sort', 'descending');
  const firstName = await rowsOf(page).first().locator('.table-cell').first().textContent();
  const name = (firstName ?? '').trim();
  await total.click();
  await expect(total).toHaveAttribute('aria-sort', 'ascending');
  await expect(rowsOf(page).last()).toContainText(name);
  const filter = page.getByRole('searchbox', { name: 'Filter ops' });
  await filter.fill(`^${name}$`);
  await expect.poll(() => rowsOf(page).count()).toBeLessThan(all);
  await expect(rowsOf(page).first()).toContainText(name);
});

test('a printed table has all its rows, not only those in sight', async ({ page, url }) => {
  await openView(page, url, 'demo', 'ops');
  const all = Number(await page.getByRole('grid', { name: 'ops' }).getAttribute('aria-rowcount')) - 1;
  const inSight = await rowsOf(page).count();
  expect(inSight).toBeLessThan(all);
  await page.evaluate(() => {
    window.addEventListener('beforeprint', () => {
      const rows = document.querySelectorAll('.table-row:not(.table-head)').length;
      document.body.dataset['printed'] = String(rows);
    });
  });
  const paper = await page.pdf({ format: 'A4', landscape: true });
  expect(await page.locator('body').getAttribute('data-printed')).toBe(String(all));
  // Many rows need several pages.
  const pages = paper.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
  expect(pages).toBeGreaterThan(Math.floor(all / 60));
  // Afterwards only the rows in sight are elements again.
  await expect(rowsOf(page)).toHaveCount(inSight);
});

test('the graph search moves by arrow keys, and says when it failed', async ({ page, url }) => {
  await openView(page, url, 'demo', 'graph');
  const field = page.getByRole('combobox', { name: 'Find an instruction' });
  await field.fill('add');
  const options = page.getByRole('listbox').getByRole('option');
  await expect(options.first()).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(options.nth(1)).toHaveAttribute('aria-selected', 'true');
  const id = await options.nth(1).getAttribute('id');
  await expect(field).toHaveAttribute('aria-activedescendant', id!);
  const name = (await options.nth(1).locator('b').textContent())!;
  await page.keyboard.press('Enter');
  await expect(page.locator('.graph-name')).toHaveText(name);
  await field.fill('add');
  await expect(options.first()).toBeVisible();
  await page.route(/search=addx/, (route) =>
    route.fulfill({ status: 500, json: { error: 'The index is damaged.', hint: 'Open it again.' } }),
  );
  await field.fill('addx');
  await expect(page.locator('.graph-search .search-error')).toContainText('damaged');
  await expect(options).toHaveCount(0);
});
