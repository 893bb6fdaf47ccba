/** What stands above charts and tables: legends in one line, fields as wide as their hints. */
import { type Page } from '@playwright/test';

import { expect, openView, test } from './server';

const legend = (page: Page) => page.getByRole('list', { name: 'Legend' });

for (const width of [1280, 1366, 1440, 1512]) {
  test(`legends stand in one line, and hints are readable at ${width} pixels`, async ({ page, url }) => {
    await page.setViewportSize({ width, height: 800 });
    // The roofline first: each view brings the styles of its legend.
    for (const [view, query] of [['roofline', ''], ['op_tree', '?color=category']] as const) {
      await openView(page, url, 'demo', view, query);
      const tops = await legend(page)
        .getByRole('listitem')
        .evaluateAll((all) => all.map((each) => Math.round(each.getBoundingClientRect().top)));
      expect(tops.length, view).toBeGreaterThan(2);
      expect(new Set(tops).size, `${view}: ${tops.join(', ')}`).toBe(1);
    }
    for (const view of ['regions', 'scopes', 'ops', 'roofline', 'graph', 'what_if']) {
      await openView(page, url, 'demo', view);
      const field = page.locator('.page input[placeholder]').first();
      await field.waitFor();
      const cut = await page.locator('.page input[placeholder]').evaluateAll((all) => {
        const pen = document.createElement('canvas').getContext('2d')!;
        return (all as HTMLInputElement[]).flatMap((input) => {
          const style = getComputedStyle(input);
          pen.font = style.font;
          const hint = pen.measureText(input.placeholder).width;
          const room = input.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
          return room > 0 && hint > room + 1 ? [`${input.placeholder}: ${hint} px in ${room}`] : [];
        });
      });
      expect(cut, view).toEqual([]);
    }
  });
}

test('what has no room in the line of a legend is behind a button', async ({ page, url }) => {
  await page.setViewportSize({ width: 390, height: 800 });
  await openView(page, url, 'demo', 'roofline');
  const whole = page.getByRole('button', { name: /^\+\d+$/ });
  const folded = Number((await whole.innerText()).slice(1));
  const shown = await legend(page).getByRole('listitem').count();
  await whole.click();
  const list = page.getByRole('dialog', { name: 'The whole legend' }).getByRole('listitem');
  await expect(list).toHaveCount(shown + folded);
  await expect(list.last()).toBeInViewport();
});
