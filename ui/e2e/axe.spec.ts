/** Every view passes the checks of axe-core: of one session in light colors, of another in dark ones. */
import AxeBuilder from '@axe-core/playwright';

import { expect, openView, test } from './server';

// Each takes a minute, so not all four combinations run.
for (const [session, colorScheme] of [
  ['mlp_dp', 'light'],
  ['demo', 'dark'],
] as const) {
  test(`axe finds nothing in any view of ${session}, ${colorScheme}`, async ({ page, url }) => {
    test.setTimeout(600_000);
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const names: string[] = [];
    for (const list of ['analyses', 'comparisons']) {
      const entries = (await (await page.request.get(`${url}api/${list}`)).json()) as { name: string }[];
      names.push(...entries.map(({ name }) => name));
    }
    const found: string[] = [];
    for (const view of names) {
      await openView(page, url, session, view);
      await page.waitForTimeout(400);
      const { violations } = await new AxeBuilder({ page }).analyze();
      for (const { id, nodes } of violations) {
        found.push(
          ...nodes.slice(0, 3).map((node) => `${view}: ${id}: ${node.target.join(' ')}: ${node.html.slice(0, 160)}`),
        );
      }
    }
    expect(found).toEqual([]);
  });
}

test('axe finds nothing in the list of sessions, the palette and the panels', async ({ page, url }) => {
  test.setTimeout(120_000);
  const found: string[] = [];
  const check = async (what: string) => {
    const { violations } = await new AxeBuilder({ page }).analyze();
    for (const { id, nodes } of violations) {
      found.push(...nodes.slice(0, 3).map((node) => `${what}: ${id}: ${node.html.slice(0, 160)}`));
    }
  };
  await page.goto(`${url}#/`);
  await page.locator('.table-row').nth(1).waitFor();
  await check('sessions');
  await openView(page, url, 'mlp_dp', 'overview');
  for (const keys of ['Control+k', '?']) {
    await page.keyboard.press(keys);
    await page.getByRole('dialog').waitFor();
    await page.waitForTimeout(300);
    await check(keys);
    await page.keyboard.press('Escape');
  }
  await page.locator('.session-picker').click({ button: 'right' });
  await check('menu');
  expect(found).toEqual([]);
});
