/** Rows of the timeline: merged ops, strips of closed groups, gaps, and names that stay at their tracks. */
import { type Page } from '@playwright/test';

import { expect, test } from './server';
import { canvasOf, openTimeline, settled, windowIn } from './timeline-probe';

/** Names of the rows in sight, with their heights. */
const names = (page: Page) =>
  page.locator('.is-scrolled .header-name').evaluateAll((all) =>
    all.map((one) => one.textContent ?? ''),
  );

/** Whether pixels of the canvas in a row of the name column are not all of one color. */
async function isDrawn(page: Page, row: ReturnType<Page['locator']>): Promise<boolean> {
  const at = (await row.boundingBox())!;
  const { box } = await canvasOf(page);
  return page.locator('.timeline-canvas').evaluate(
    (canvas, { y, height }) => {
      const { width, clientHeight } = canvas as HTMLCanvasElement;
      const ratio = (canvas as HTMLCanvasElement).height / clientHeight;
      const context = (canvas as HTMLCanvasElement).getContext('2d')!;
      const { data } = context.getImageData(0, y * ratio, width, height * ratio);
      const colors = new Set<number>();
      for (let i = 0; i < data.length; i += 4) {
        const [red, green, blue] = [data[i]!, data[i + 1]!, data[i + 2]!];
        // Grays are grid lines and grounds.
        if (Math.max(red, green, blue) - Math.min(red, green, blue) > 40) {
          colors.add((red << 16) | (green << 8) | blue);
        }
      }
      return colors.size > 1;
    },
    { y: at.y - box.y, height: at.height - 2 },
  );
}

test('names stay at their tracks when the focus moves through them', async ({ page, url }) => {
  await openTimeline(page, url, 'demo', '?fold=16777217,16777225,16777233,16777240');
  await page.locator('.header-tools input').focus();
  for (let i = 0; i < 40; i++) await page.keyboard.press('Tab');
  const section = page.locator('.header-section.is-scrolled');
  expect(await section.evaluate((element) => element.scrollTop)).toBe(0);
  const focused = page.locator(':focus');
  const [name, whole] = [await focused.boundingBox(), await section.boundingBox()];
  expect(name!.y).toBeGreaterThanOrEqual(whole!.y - 1);
  expect(name!.y + name!.height).toBeLessThanOrEqual(whole!.y + whole!.height + 1);
});

test('the ops of a CPU device are one row, with its threads below', async ({ page, url }) => {
  await openTimeline(page, url, 'demo');
  expect((await names(page)).slice(0, 3)).toEqual(['CPU:0', 'Program runs', 'XLA Ops']);
  const merged = page.locator('.track-header', { hasText: 'XLA Ops' }).first();
  await expect.poll(() => isDrawn(page, merged)).toBe(true);
  await merged.locator('.track-name').click();
  await expect(page).toHaveURL(/fold=16777217/);
  await expect.poll(async () => (await names(page))[3]).toContain('tf_XLAEigen');
});

test('a slice on the merged row is the one of its thread', async ({ page, url }) => {
  await openTimeline(page, url, 'demo', '?window=60000000000..61000000000');
  const merged = page.locator('.track-header', { hasText: 'XLA Ops' }).first();
  const { box } = await canvasOf(page);
  const row = (await merged.boundingBox())!;
  for (let x = 0.3; x < 0.9 && !/slice=/.test(page.url()); x += 0.05) {
    await page.mouse.click(box.x + box.width * x, row.y + 8);
    await page.waitForTimeout(150);
  }
  // A track of the session, not the merged one.
  await expect(page).toHaveURL(/slice=[1-7]:0:\d+/);
  await expect(page.locator('.facts')).toContainText('tf_XLA');
  const first = /slice=([\d:]+)/.exec(page.url())![1];
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => /slice=([\d:]+)/.exec(page.url())?.[1]).not.toBe(first);
  // The link leads there without unfolding the threads.
  await page.reload();
  await settled(page);
  await expect(page.locator('.slice-name')).toBeVisible();
  expect(await names(page)).toContain('XLA Ops');
});

test('a closed group shows what runs in it', async ({ page, url }) => {
  await openTimeline(page, url, 'demo', '?closed=CPU:0;CPU:1');
  const closed = page.locator('.group-header', { hasText: 'CPU:1' });
  await expect(closed).toHaveAttribute('aria-expanded', 'false');
  await expect.poll(() => isDrawn(page, closed)).toBe(true);
  const open = page.locator('.group-header', { hasText: 'CPU:2' });
  expect(await isDrawn(page, open)).toBe(false);
});

test('rows are as high as the window needs', async ({ page, url }) => {
  await openTimeline(page, url, 'demo', '?fold=29');
  const height = async () => {
    await settled(page);
    const python = page.locator('.track-header', { hasText: 'python' });
    return (await python.boundingBox())!.height;
  };
  const whole = await height();
  expect(whole).toBeGreaterThan(150);
  // After the last step.
  await openTimeline(page, url, 'demo', '?fold=29&window=450000000000..450100000000');
  await page.reload();
  expect(await height()).toBeLessThan(whole);
});

test('a gap says why its device is idle, and a click selects it', async ({ page, url }) => {
  await openTimeline(page, url, 'demo');
  const merged = page.locator('.track-header', { hasText: 'XLA Ops' }).first();
  await expect.poll(() => isDrawn(page, merged)).toBe(true);
  const { box } = await canvasOf(page);
  const row = (await merged.boundingBox())!;
  const card = page.locator('.hover-card');
  // The widest gap: the fourth step waits for data.
  await expect(async () => {
    await page.mouse.move(box.x + box.width * 0.5, row.y + 7);
    await page.mouse.move(box.x + box.width * 0.5, row.y + 8);
    await expect(card).toContainText('CPU:0 idle: Data loading', { timeout: 500 });
  }).toPass();
  await expect(card).toContainText('load_batch');
  await page.mouse.click(box.x + box.width * 0.5, row.y + 8);
  await expect(page).toHaveURL(/area=\d+\.\.\d+/);
});

test('a hover card leaves with what it was about', async ({ page, url }) => {
  await openTimeline(page, url, 'demo');
  const program = page.locator('.track-header', { hasText: 'Program runs' }).first();
  const { box } = await canvasOf(page);
  const row = (await program.boundingBox())!;
  const card = page.locator('.hover-card');
  await page.mouse.move(box.x + box.width * 0.04, row.y + 8);
  await expect(card).toContainText('jit_train_step');
  const before = await card.textContent();
  await page.keyboard.press('n');
  await settled(page);
  await page.keyboard.press('n');
  await settled(page);
  await page.keyboard.press('n');
  await expect.poll(async () => ((await card.count()) ? card.textContent() : '')).not.toBe(before);
});

test('from the whole session, n begins at the first step and p at the last', async ({ page, url }) => {
  await openTimeline(page, url, 'demo');
  await page.keyboard.press('n');
  await settled(page);
  await expect.poll(() => windowIn(page)).not.toBeNull();
  const first = windowIn(page)!;
  expect(first.start).toBeLessThan(5_000_000_000);
  await page.keyboard.press('0');
  await settled(page);
  await expect.poll(() => windowIn(page)?.start ?? 0).not.toBe(first.start);
  await page.keyboard.press('p');
  await settled(page);
  await expect.poll(() => windowIn(page)?.start ?? 0).toBeGreaterThan(300_000_000_000);
});

test('Back restores the filter and how far rows are scrolled', async ({ page, url }) => {
  await openTimeline(page, url, 'demo', '?fold=16777217,16777225,30,31,32');
  await page.locator('.header-tools input').fill('CPU|tf_');
  await expect(page).toHaveURL(/tracks=CPU/);
  const { box } = await canvasOf(page);
  await page.mouse.move(box.x + 300, box.y + 400);
  await page.mouse.wheel(0, 150);
  await expect(page).toHaveURL(/top=/);
  await settled(page);
  const before = await names(page);
  await page.keyboard.press('Control+k');
  await page.goto(page.url().replace(/timeline.*/, 'ops'));
  await expect(page.locator('.answer, .empty').first()).toBeVisible();
  await page.goBack();
  await settled(page);
  await expect(page.locator('.header-tools input')).toHaveValue('CPU|tf_');
  await expect.poll(() => names(page)).toEqual(before);
});

test('an invalid filter is searched for as it is, and says so', async ({ page, url }) => {
  await openTimeline(page, url, 'demo');
  const field = page.locator('.header-tools input');
  await field.fill('tf_(');
  await expect(field).toHaveAttribute('aria-invalid', 'true');
  await expect(page.locator('.header-tools')).toContainText('Invalid regular expression: ');
  await expect(page.locator('.is-scrolled .track-header')).toHaveCount(0);
});

test('a right click on a slice, a track and a group opens its menu', async ({ page, url }) => {
  await openTimeline(page, url, 'demo');
  const program = page.locator('.track-header', { hasText: 'Program runs' }).first();
  const { box } = await canvasOf(page);
  const row = (await program.boundingBox())!;
  await page.mouse.click(box.x + box.width * 0.04, row.y + 8, { button: 'right' });
  const menu = page.locator('[role=menu]');
  await expect(menu).toContainText('jit_train_step');
  await menu.getByRole('menuitem', { name: 'Find all' }).click();
  await expect(page).toHaveURL(/search=/);
  await page.locator('.group-header').nth(1).click({ button: 'right' });
  await menu.getByRole('menuitem', { name: 'Close others' }).click();
  await expect(page).toHaveURL(/closed=CPU:0;CPU:2;CPU:3;threads/);
  await program.click({ button: 'right' });
  await menu.getByRole('menuitem', { name: 'Hide', exact: true }).click();
  await expect(page).toHaveURL(/hide=\d+/);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page).not.toHaveURL(/hide=/);
});

test('a click on the legend isolates, and the link keeps it', async ({ page, url }) => {
  await openTimeline(page, url, 'demo');
  await page.getByRole('button', { name: 'Matmul', exact: true }).click();
  await expect(page).toHaveURL(/color=class;matmul/);
  await page.reload();
  await settled(page);
  const entry = page.getByRole('button', { name: 'Matmul', exact: true });
  await expect(entry).toHaveAttribute('aria-pressed', 'true');
  await page.getByRole('button', { name: 'Show all' }).click();
  await expect(page).not.toHaveURL(/color=/);
  await page.getByLabel('Color by').selectOption('duration');
  await expect(page).toHaveURL(/color=duration/);
  await expect(page.locator('.timeline-legend')).toContainText('≥ 1.000 ms');
});

test('colors without room in the legend are in a list with a filter', async ({ page, url }) => {
  await openTimeline(page, url, 'demo', '?color=name');
  // No color is cut: those in the line are all visible, and the button counts the others.
  const cut = page.locator('.timeline-legend li.is-cut');
  await expect.poll(() => cut.count()).toBeGreaterThan(0);
  const more = page.locator('.legend-more');
  await expect(more).toHaveText(/^\+\d+ more$/);
  await more.click();
  const list = page.getByRole('dialog', { name: /^All \d+ colors$/ });
  const field = list.getByRole('searchbox', { name: 'Filter the colors' });
  await expect(field).toBeFocused();
  const entries = list.getByRole('list', { name: 'All colors' }).getByRole('button');
  const all = await entries.count();
  expect(all).toBeGreaterThan(10);
  await field.fill('dot');
  await expect.poll(() => entries.count()).toBeLessThan(all);
  const name = (await entries.first().textContent())!;
  expect(name.toLowerCase()).toContain('dot');
  await entries.first().click();
  await expect(page).toHaveURL(/color=name;/);
  await expect(entries.first()).toHaveAttribute('aria-pressed', 'true');
  await expect(entries.first()).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(list).toHaveCount(0);
  await expect(more).toBeFocused();
  await page.getByRole('button', { name: 'Show all' }).click();
  await expect(page).not.toHaveURL(/color=name;/);
});

test('all slices of a name are listed with this one, and the next is a key away', async ({
  page,
  url,
}) => {
  await openTimeline(page, url, 'demo', '?window=60000000000..61000000000');
  const merged = page.locator('.track-header', { hasText: 'XLA Ops' }).first();
  const { box } = await canvasOf(page);
  const row = (await merged.boundingBox())!;
  await page.mouse.click(box.x + box.width * 0.4, row.y + 8);
  await expect(page).toHaveURL(/slice=/);
  const name = (await page.locator('.slice-name').textContent())!;
  await page.getByRole('tab', { name: 'Same name' }).click();
  await expect(page.locator('.occurrences .area-summary')).toContainText(`named ${name}`);
  await expect(page.locator('.occurrence-bar.is-marked')).toHaveCount(1);
  const first = /slice=([\d:]+)/.exec(page.url())![1];
  await page.locator('.occurrences').getByRole('button', { name: 'Next' }).click();
  await expect.poll(() => /slice=([\d:]+)/.exec(page.url())?.[1]).not.toBe(first);
  await expect(page.locator('.occurrences .area-summary')).toContainText(`named ${name}`);
});
