/** Every view passes the checks of axe-core: of one session in light colors, of another in dark ones. */
import { violations } from './accessible';
import { expect, openView, test } from './server';

// All rules take a minute or two, those of colors a third.
for (const [session, colorScheme, rules] of [
  ['mlp_dp', 'light', 'all'],
  ['demo', 'dark', 'colors'],
] as const) {
  test(`axe finds nothing in any view of ${session}, ${colorScheme}, rules: ${rules}`, async ({ page, url }) => {
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
      found.push(...(await violations(page, view, rules)));
    }
    expect(found).toEqual([]);
  });
}

test('axe finds nothing in the list of sessions, the palette and the panels', async ({ page, url }) => {
  test.setTimeout(120_000);
  const found: string[] = [];
  const check = async (what: string) => found.push(...(await violations(page, what)));
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
