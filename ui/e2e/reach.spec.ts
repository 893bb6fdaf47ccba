/** Everything is reachable: in narrow windows, and with the keyboard alone. */
import { expect, openView, test } from './server';

const VIEWS = [
  'overview',
  'timeline',
  'steps',
  'collectives',
  'hosts',
  'graph',
  'check',
  'scaling',
];

test('nothing overflows a narrow window', async ({ page, url }) => {
  await page.setViewportSize({ width: 900, height: 700 });
  for (const view of VIEWS) {
    await openView(page, url, 'mlp_dp', view);
    const outside = await page.evaluate(() =>
      [...document.querySelectorAll('header :is(a, button), .selection button, .segmented button')]
        .filter((element) => !element.closest('.table-scroll'))
        .filter((element) => {
          const { left, right } = element.getBoundingClientRect();
          return left < 0 || right > window.innerWidth;
        })
        .map((element) => element.textContent),
    );
    expect(outside, view).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth), view).toBe(900);
  }
  // Choosing a view does not move the links.
  await page.getByRole('button', { name: 'Unfold the navigation' }).click();
  const steps = page.getByRole('link', { name: 'Steps', exact: true });
  const place = async () => (await steps.boundingBox())?.x;
  await expect(steps).toBeVisible();
  const before = await place();
  const timeline = page.getByRole('link', { name: 'Timeline', exact: true });
  await timeline.click();
  await expect(timeline).toHaveAttribute('aria-current', 'page');
  await expect.poll(place).toBe(before);
});

test('on a phone, tables keep rows below tools that wrap, and no tool is cut', async ({ page, url }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const view of ['steps', 'regions', 'ops', 'critical_path', 'input', 'collectives', 'hosts']) {
    await openView(page, url, 'mlp_dp', view);
    const grid = page.locator('.card .table-scroll').first();
    await grid.scrollIntoViewIfNeeded();
    const rows = () =>
      grid.evaluate((element) => {
        const box = element.getBoundingClientRect();
        const card = element.closest('.card')?.getBoundingClientRect() ?? box;
        const foot = Math.min(box.bottom, card.bottom);
        const all = [...element.querySelectorAll('.table-row:not(.table-head)')];
        const seen = all.filter((row) => row.getBoundingClientRect().bottom <= foot + 1);
        return `${Math.min(seen.length, 4)} of ${Math.min(all.length, 4)}`;
      });
    await expect.poll(rows, view).toMatch(/^(\d) of \1$/);
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll('.table-tools > *')]
        .filter((element) => {
          const card = element.closest('.card');
          return card && element.getBoundingClientRect().right > card.getBoundingClientRect().right;
        })
        .map((element) => element.textContent),
    );
    expect(cut, view).toEqual([]);
  }
});

test('a dialog keeps the focus and returns it when closed', async ({ page, url }) => {
  await openView(page, url, 'demo', 'ops');
  const capture = page.getByRole('button', { name: 'Capture' });
  const dialog = page.getByRole('dialog', { name: 'Capture' });
  await capture.focus();
  await page.keyboard.press('Enter');
  await expect(dialog).toBeVisible();
  // More presses than the panel has tab stops.
  for (let stop = 0; stop < 20; stop += 1) {
    await page.keyboard.press(stop < 14 ? 'Tab' : 'Shift+Tab');
    expect(await dialog.evaluate((panel) => panel.contains(document.activeElement))).toBe(true);
  }
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(capture).toBeFocused();
  // Shortcuts of the page do nothing while the palette is open.
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog').getByRole('combobox')).toBeFocused();
  await page.keyboard.type('timel');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page).toHaveURL(/\/ops$/);
});

test('menus, rows and details work without a mouse', async ({ page, url }) => {
  await openView(page, url, 'demo', 'ops');
  await page.keyboard.press('Control+b');
  await page.getByRole('button', { name: 'Memory' }).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('link', { name: 'Buffers' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Memory' })).toBeFocused();
  await page.getByRole('grid', { name: 'ops' }).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const details = page.getByRole('complementary', { name: 'Op' });
  await expect(details).toBeVisible();
  await details.getByRole('button', { name: 'Close' }).focus();
  await page.keyboard.press('Escape');
  await expect(details).toHaveCount(0);
  await expect(page.getByRole('grid', { name: 'ops' })).toBeFocused();
});

test('a heat map cell opens its device in the timeline', async ({ page, url }) => {
  await openView(page, url, 'mlp_dp', 'hosts');
  await page.locator('.heat-map').focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown']) {
    await page.keyboard.press(key);
  }
  const name = (await page.locator('.heat-map .chart-readout-title span').first().innerText()).trim();
  expect(name).toMatch(/^host-2\//);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/timeline\?(.*&)?at=host-2\//);
  const top = page.locator('.group-header').first();
  await expect(top).toContainText(name.replace('/', ' / '));
});

test('charts work with the keyboard and show what is selected', async ({ page, url }) => {
  await openView(page, url, 'mlp_dp', 'steps');
  const chart = page.getByRole('application', { name: /steps stacked by part/ });
  await chart.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await expect(chart.locator('.chart-readout')).toContainText('Step 1');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/steps=1$/);
  await page.keyboard.press('Escape');
  await expect(chart.locator('.chart-readout')).toHaveCount(0);
});

test('tabs switch with the arrow keys and keep the focus', async ({ page, url }) => {
  await openView(page, url, 'mlp_dp', 'input');
  await page.getByRole('tab', { name: /^Steps/ }).focus();
  await page.keyboard.press('ArrowRight');
  const stages = page.getByRole('tab', { name: /^Stages/ });
  await expect(stages).toHaveAttribute('aria-selected', 'true');
  await expect(stages).toBeFocused();
  await expect(page.getByRole('tabpanel', { name: 'Stages' })).toBeVisible();
  await page.keyboard.press('Home');
  await expect(page.getByRole('tab', { name: /^Steps/ })).toBeFocused();
});

test('the tools above a table are one line from 1280 pixels on', async ({ page, url }) => {
  const views = ['kernels', 'kernels?tab=matrix', 'scopes', 'scopes?by=source', 'regions', 'ops'];
  for (const [session, all] of [
    ['gpt-off/run', views],
    ['demo', views.slice(2)],
  ] as const) {
    for (const view of all) {
      const [name = '', query] = view.split('?');
      await page.setViewportSize({ width: 1280, height: 800 });
      await openView(page, url, session, name, query ? `?${query}` : '');
      for (const width of [1280, 1440, 1920]) {
        await page.setViewportSize({ width, height: 800 });
        const lines = () =>
          page.locator('.table-tools').first().evaluate((tools) => {
            const boxes = [...tools.children].map((child) => child.getBoundingClientRect());
            const middles = boxes.filter(({ height }) => height > 0).map((box) => box.y + box.height / 2);
            return Math.max(...middles) - Math.min(...middles);
          });
        await expect.poll(lines, { message: `${session} ${view} at ${width}` }).toBeLessThan(12);
      }
    }
  }
});
