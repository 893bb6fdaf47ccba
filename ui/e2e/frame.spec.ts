/** The frame of the page: navigation, header, menus, dialogs, keys. What fits is measured, not guessed. */
import { type Page } from '@playwright/test';

import { expect, openView, test } from './server';

const LONG_NAME = 'unitary_grad_lcam';

/** What is cut, overlapped or outside the window in the navigation and the header. */
async function flaws(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const page = document.documentElement;
    if (page.scrollWidth > window.innerWidth) found.push(`the page is ${page.scrollWidth} px wide`);
    const shown = [
      ...document.querySelectorAll<HTMLElement>('.head :is(a, button, h1), .rail :is(a, button)'),
    ].filter((element) => element.checkVisibility() && element.getClientRects().length > 0);
    const called = (element: HTMLElement) =>
      element.getAttribute('aria-label') ?? element.textContent ?? element.tagName;
    const boxes = shown.map((element) => ({ element, box: element.getBoundingClientRect() }));
    for (const { element, box } of boxes) {
      if (box.left < 0 || box.right > window.innerWidth + 0.5) {
        found.push(`${called(element)} is outside: ${box.left} to ${box.right}`);
      }
      if (box.width < 8 || box.height < 8) found.push(`${called(element)} has no room`);
    }
    for (const one of boxes) {
      for (const other of boxes) {
        if (one === other || one.element.contains(other.element)) continue;
        if (other.element.contains(one.element)) continue;
        const width =
          Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
        const height =
          Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
        if (width > 1 && height > 1) found.push(`${called(one.element)} is over ${called(other.element)}`);
      }
    }
    for (const element of document.querySelectorAll<HTMLElement>('.page-title, .rail-link')) {
      if (element.scrollWidth > element.clientWidth + 1) found.push(`${called(element)} is cut`);
    }
    return found;
  });
}

const isCut = (page: Page, selector: string) =>
  page.locator(selector).evaluate((element) => element.scrollWidth > element.clientWidth);

/** Widths of common windows; half of them at twice the zoom; a phone. */
const WINDOWS = [
  ...[1280, 1366, 1440, 1512, 1536, 1728, 1920, 2560].map((width) => ({ width, zoom: 1 })),
  ...[1280, 1440, 1920].map((width) => ({ width, zoom: 2 })),
  { width: 390, zoom: 1 },
];

for (const { width, zoom } of WINDOWS) {
  test(`the frame holds at ${width} pixels and ${100 * zoom} %`, async ({ browser, url }) => {
    const page = await browser.newPage({
      viewport: { width: width / zoom, height: Math.round(800 / zoom) },
      deviceScaleFactor: zoom,
    });
    for (const [session, view] of [
      [LONG_NAME, 'requests'],
      [LONG_NAME, 'critical_path'],
      ['mlp_dp', 'timeline'],
    ] as const) {
      await openView(page, url, session, view);
      expect(await flaws(page), `${session} ${view}`).toEqual([]);
      expect(await page.locator('.page-title').count()).toBe(1);
    }
    await openView(page, url, LONG_NAME, 'overview');
    // The name is the last to shrink: with a mouse and a desk it is never cut.
    if (width / zoom >= 1280) expect(await isCut(page, '.session-picker .session-name')).toBe(false);
    await page.evaluate(async () => {
      const response = await fetch('api/sessions');
      const { sessions } = (await response.json()) as { sessions: { key: string; name: string }[] };
      const other = sessions.find(({ name }) => name.includes('unitary_grad_tad'))!;
      location.hash = `${location.hash.split('?')[0]}?baseline=${other.key}`;
    });
    await page.locator('.kpi-before').first().waitFor();
    expect(await flaws(page), 'with a baseline').toEqual([]);
    expect(await page.getByRole('button', { name: 'Swap with the baseline' }).isVisible()).toBe(true);
    await page.close();
  });
}

test('the navigation shows every view and folds; the choice is kept', async ({ page, url }) => {
  await openView(page, url, 'mlp_dp', 'overview');
  const rail = page.getByRole('navigation', { name: 'Views' });
  const names = await rail.getByRole('link').allInnerTexts();
  for (const list of ['analyses', 'comparisons']) {
    const entries = (await (await page.request.get(`${url}api/${list}`)).json()) as { name: string }[];
    for (const { name } of entries) {
      const title = name.replace(/_/g, ' ');
      expect(names.map((each) => each.toLowerCase())).toContain(title);
    }
  }
  await page.evaluate(() => document.querySelector('.rail-groups')!.scrollTo(0, 0));
  await expect(rail.getByRole('link', { name: 'History' })).toBeInViewport();
  await rail.getByRole('link', { name: 'Ops', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Ops');
  // The names of groups never change.
  await expect(rail.getByText('Compute', { exact: true })).toBeVisible();
  await page.keyboard.press('Control+b');
  await expect(rail.getByRole('link', { name: 'Ops', exact: true })).toHaveCount(0);
  await page.reload();
  await page.locator('.table-row').nth(1).waitFor();
  expect((await rail.boundingBox())!.width).toBeLessThan(60);
  await rail.getByRole('button', { name: 'Waiting' }).click();
  await rail.getByRole('link', { name: 'Idle' }).click();
  await expect(page).toHaveURL(/\/idle/);
  await expect(rail.getByRole('button', { name: 'Waiting' })).toHaveClass(/is-current/);
  await page.getByRole('button', { name: 'Unfold the navigation' }).click();
  await expect(rail.getByRole('link', { name: 'Idle' })).toHaveAttribute('aria-current', 'page');
});

test('on a phone the navigation is a drawer', async ({ page, url }) => {
  await page.setViewportSize({ width: 390, height: 800 });
  await openView(page, url, 'mlp_dp', 'overview');
  await page.getByRole('button', { name: 'Views' }).click();
  const drawer = page.getByRole('dialog', { name: 'Views' });
  await drawer.getByRole('link', { name: 'Steps', exact: true }).click();
  await expect(page).toHaveURL(/\/steps/);
  await expect(drawer).toHaveCount(0);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Dark colors' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  for (const view of ['overview', 'steps', 'ops', 'idle', 'input', 'verdict', 'advice', 'hosts']) {
    await openView(page, url, 'mlp_dp', view);
    expect(await flaws(page), view).toEqual([]);
  }
});

test('a panel keeps the focus wherever Tab goes, and Escape closes only what is in front', async ({
  page,
  url,
}) => {
  await openView(page, url, 'demo', 'ops');
  // Something behind that Escape would close.
  await page.getByRole('grid', { name: 'ops' }).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const details = page.getByRole('complementary', { name: 'Op' });
  await expect(details).toBeVisible();
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  await page.keyboard.press('Control+k');
  for (let stop = 0; stop < 5; stop += 1) {
    await page.keyboard.press('Tab');
    expect(await palette.evaluate((panel) => panel.contains(document.activeElement))).toBe(true);
  }
  // Even with the focus nowhere, as after a click on the page's own background.
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.keyboard.press('Escape');
  await expect(palette).toHaveCount(0);
  await expect(details).toBeVisible();
  // The palette above another panel: one Escape each.
  await page.keyboard.press('?');
  const shortcuts = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(shortcuts).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.keyboard.press('Escape');
  await expect(palette).toHaveCount(0);
  await expect(shortcuts).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(shortcuts).toHaveCount(0);
  await expect(details).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(details).toHaveCount(0);
});

test('the palette finds names of other programs, commands, ops, scopes and source lines', async ({
  page,
  url,
}) => {
  await openView(page, url, 'demo', 'timeline');
  const field = page.getByRole('combobox', { name: 'Command' });
  const options = page.getByRole('dialog', { name: 'Command palette' }).getByRole('option');
  const first = options.first();
  await page.keyboard.press('Control+k');
  await field.fill('memory_viewer');
  await expect(first).toContainText('Buffers');
  await expect(first).toContainText('also called memory_viewer');
  await field.fill('whole session');
  await expect(first).toContainText('Show the whole session');
  await expect(first.locator('kbd')).toHaveText('0');
  await field.fill('zoom out');
  await expect(first).toContainText('Zoom out');
  await field.fill('single html');
  await expect(first).toContainText('Save as a single HTML file');
  await field.fill('color by scope');
  await first.click();
  await expect(page).toHaveURL(/color=scope/);
  await page.keyboard.press('Control+k');
  await page.keyboard.press('Escape');
  const { rows } = (await (
    await page.request.get(`${url}api/sessions/demo-gpt-cpu~demo/analyses/ops`)
  ).json()) as { rows: { name: string; source: string }[] };
  const op = rows.find(({ source }) => source !== '')!;
  await page.keyboard.press('Control+k');
  await field.fill(op.source);
  await expect(options.filter({ hasText: 'Source' }).first()).toContainText(op.source);
  await field.fill(op.name);
  await options
    .filter({ has: page.locator('.palette-group', { hasText: /^Op$/ }) })
    .first()
    .click();
  await expect(page).toHaveURL(/\/ops\?q=/);
});

/** Those with more than one column in wide windows. */
const NARROW_VIEWS = [
  'overview',
  'advice',
  'verdict',
  'graph',
  'buffers',
  'hosts',
  'input',
  'idle',
  'compile',
  'scaling',
  'collectives',
  'critical_path',
];

test('no view reaches beyond a narrow window, but for what scrolls', async ({ page, url }) => {
  test.slow();
  await page.setViewportSize({ width: 390, height: 800 });
  for (const view of NARROW_VIEWS) {
    await openView(page, url, 'demo', view);
    const outside = await page.evaluate(() => {
      const main = document.querySelector('main')!;
      const isCut = (element: Element): boolean => {
        const parent = element.parentElement;
        if (!parent || parent === main) return false;
        return getComputedStyle(parent).overflowX !== 'visible' || isCut(parent);
      };
      return [...main.querySelectorAll('*')]
        .filter((element) => {
          const { width, right } = element.getBoundingClientRect();
          return width > 0 && right > window.innerWidth + 1 && !isCut(element);
        })
        .map((element) => `${element.tagName} ${element.className}`);
    });
    expect(outside, view).toEqual([]);
  }
});

test('the palette pins, hides and shows tracks, and exports tables', async ({ page, url }) => {
  await openView(page, url, 'demo', 'timeline');
  const field = page.getByRole('combobox', { name: 'Command' });
  const options = page.getByRole('dialog', { name: 'Command palette' }).getByRole('option');
  const run = async (text: string, title: string | RegExp) => {
    await page.keyboard.press('Control+k');
    await field.fill(text);
    await options.filter({ hasText: title }).first().click();
    await expect(field).toHaveCount(0);
  };
  await run('pin xla ops cpu:1', 'Pin XLA Ops');
  await expect(page).toHaveURL(/pin=\d+/);
  await expect(page.locator('.is-pinned .track-header')).toContainText('XLA Ops');
  await run('unpin xla', 'Unpin XLA Ops');
  await expect(page).not.toHaveURL(/pin=/);
  await run('hide cpu:2', /^Hide CPU:2/);
  await expect(page).toHaveURL(/hide=/);
  await expect(page.locator('.group-header', { hasText: 'CPU:2' })).toHaveCount(0);
  await run('show hidden', 'Show hidden tracks');
  await expect(page).not.toHaveURL(/hide=/);
  await expect(page.locator('.group-header', { hasText: 'CPU:2' })).toHaveCount(1);
  await run('within the step', 'Times within the step');
  await expect(page).toHaveURL(/clock=step/);
  await openView(page, url, 'demo', 'ops');
  const saved = page.waitForEvent('download');
  await run('csv', 'Save the ops as CSV');
  expect((await saved).suggestedFilename()).toMatch(/ops\.csv$/);
});

test('a right click opens a menu that works with the keyboard, and clearing can be undone', async ({
  page,
  url,
}) => {
  await openView(page, url, 'mlp_dp', 'steps', '?steps=2..5&device=1');
  const chip = page.locator('.chip.is-set').filter({ hasText: 'Steps' });
  await chip.click({ button: 'right' });
  const menu = page.getByRole('menu');
  await expect(menu.getByRole('menuitem', { name: /Copy as an option/ })).toContainText('--steps 2..5');
  const box = (await menu.boundingBox())!;
  expect(box.x + box.width).toBeLessThanOrEqual(1280);
  await page.keyboard.press('Escape');
  await expect(menu).toHaveCount(0);
  await expect(page).toHaveURL(/steps=2\.\.5/);
  await chip.click({ button: 'right' });
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page).not.toHaveURL(/steps=|device=/);
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await expect(page).toHaveURL(/device=1/);
  await expect(page).toHaveURL(/steps=2\.\.5/);
});

test('keys can be changed, are kept, and conflicts are reported', async ({ page, url }) => {
  await openView(page, url, 'demo', 'timeline');
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await dialog.getByRole('button', { name: 'Change the key of: Show the whole session' }).click();
  await page.keyboard.press('q');
  await expect(dialog.getByRole('alert').first()).toContainText('Same key as: ');
  await dialog.getByRole('button', { name: 'Change the key of: Show the whole session' }).click();
  await page.keyboard.press('Shift+Z');
  await expect(dialog.getByRole('alert')).toHaveCount(0);
  await page.keyboard.press('Escape');
  await page.reload();
  await page.locator('.timeline-canvas').first().waitFor();
  await page.keyboard.press('w');
  await expect(page).toHaveURL(/window=/);
  await page.keyboard.press('0');
  await page.waitForTimeout(400);
  await expect(page).toHaveURL(/window=/);
  await page.keyboard.press('Shift+Z');
  await expect(page).not.toHaveURL(/window=/);
  await page.keyboard.press('?');
  await dialog.getByRole('button', { name: 'Reset all' }).click();
  await page.keyboard.press('Escape');
  await page.keyboard.press('w');
  await expect(page).toHaveURL(/window=/);
  await page.keyboard.press('0');
  await expect(page).not.toHaveURL(/window=/);
});

test('a reader inside a session is told when a new capture lands', async ({ page, url }) => {
  const { sessions } = (await (await page.request.get(`${url}api/sessions`)).json()) as {
    sessions: { key: string; name: string }[];
  };
  const late = sessions.find(({ name }) => name === 'leak-cpu')!;
  let hasLanded = false;
  await page.route('**/api/sessions', async (route) => {
    const response = await route.fetch();
    const report = (await response.json()) as { sessions: { key: string }[] };
    if (!hasLanded) report.sessions = report.sessions.filter(({ key }) => key !== late.key);
    await route.fulfill({ response, json: report });
  });
  await page.clock.install();
  await openView(page, url, 'mlp_dp', 'overview');
  await expect(page.locator('.headline')).toBeVisible();
  await page.clock.fastForward(11_000);
  await expect(page.locator('.toast')).toHaveCount(0);
  hasLanded = true;
  await page.clock.fastForward(11_000);
  await expect(page.locator('.toast')).toContainText('New capture: leak-cpu');
  await page.locator('.toast').getByRole('button', { name: 'Open' }).click();
  await expect(page).toHaveURL(new RegExp(`/s/${late.key}/heap`));
});

test('source lines open in the editor that the reader chose', async ({ page, url }) => {
  await openView(page, url, 'mlp_dp', 'overview');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Command' }).fill('editor');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Source lines' });
  const address = dialog.getByRole('textbox', { name: 'Address' });
  await address.fill('javascript://{path}');
  await expect(dialog.getByRole('button', { name: 'Save' })).toBeDisabled();
  await dialog.getByRole('button', { name: 'Cursor' }).click();
  await dialog.getByRole('textbox', { name: /^Paths/ }).fill('/ => /home/me\n => /home/me/project');
  await dialog.getByRole('button', { name: 'Save' }).click();
  const link = page.locator('a.middle[href^="cursor://"]').first();
  await expect(link).toHaveAttribute('href', /^cursor:\/\/file\/home\/me\/.*capture_multihost\.py:\d+$/);
  await page.reload();
  await expect(link).toBeVisible();
  await link.click({ button: 'right' });
  await expect(page.getByRole('menuitem', { name: 'Open in the editor' })).toBeVisible();
});

test('what a click puts under the resting pointer has no tooltip before the pointer moves', async ({
  page,
  url,
}) => {
  await openView(page, url, 'mlp_dp', 'ops');
  // Sorting replaces the header that was clicked.
  await page.getByRole('columnheader', { name: 'Count' }).click();
  await page.waitForTimeout(700);
  await expect(page.getByRole('tooltip')).toHaveCount(0);
  await page.getByRole('columnheader', { name: 'Total' }).hover();
  await expect(page.getByRole('tooltip')).toBeVisible();
});

test('a tooltip comes late, lies beside its element, and stays away after a click', async ({
  page,
  url,
}) => {
  await openView(page, url, 'mlp_dp', 'overview');
  const card = page.locator('.kpi').first();
  await card.hover();
  const tooltip = page.getByRole('tooltip');
  await expect(tooltip).toContainText('Judged by: good');
  const [one, other] = [(await card.boundingBox())!, (await tooltip.boundingBox())!];
  const isApart =
    other.y >= one.y + one.height ||
    other.y + other.height <= one.y ||
    other.x >= one.x + one.width ||
    other.x + other.width <= one.x;
  expect(isApart).toBe(true);
  await page.mouse.down();
  await page.mouse.up();
  await expect(tooltip).toHaveCount(0);
  await page.mouse.move(one.x + 10, one.y + 10);
  await page.mouse.move(one.x + 40, one.y + 20);
  await page.waitForTimeout(600);
  await expect(tooltip).toHaveCount(0);
});

test('a tooltip does not come with focus that nobody moved, and goes with its element', async ({
  page,
  url,
}) => {
  await openView(page, url, 'demo', 'timeline');
  const tooltip = page.getByRole('tooltip');
  await page.keyboard.press('/');
  await expect(page.getByRole('searchbox', { name: /Search all slices/ })).toBeFocused();
  await page.waitForTimeout(600);
  await expect(tooltip).toHaveCount(0);
  await page.keyboard.press('Shift+Tab');
  await expect(tooltip).toHaveText('Next step (n)');
  await page.keyboard.press('/');
  await page.keyboard.type('dot');
  await expect(tooltip).toHaveCount(0);
  // The palette gives the focus back.
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Command' }).fill('1..=3');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/steps=1/);
  await page.waitForTimeout(600);
  await expect(tooltip).toHaveCount(0);
  await openView(page, url, 'demo', 'ops');
  await page.getByRole('columnheader', { name: 'Total' }).hover();
  await expect(tooltip).toBeVisible();
  await page.goBack();
  await expect(tooltip).toHaveCount(0);
});
