/** Sessions of many hosts: every answer takes long, so the figures of the overview come first. */
import { expect, openView, test } from './server';

test('the overview of many hosts asks for advice when its figures are there', async ({ page, url }) => {
  const asked: string[] = [];
  await page.route(/\/api\/sessions\/[^/]+$/, async (route) => {
    const response = await route.fetch();
    const summary = (await response.json()) as { hosts: string[] };
    const hosts = Array.from({ length: 100 }, (_, number) => `host-${number}`);
    await route.fulfill({ response, json: { ...summary, hosts } });
  });
  await page.route(/\/analyses\/(overview|advice|verdict)/, async (route) => {
    const analysis = /analyses\/(\w+)/.exec(route.request().url())?.[1] ?? '';
    asked.push(analysis);
    if (analysis === 'overview') {
      await new Promise((resolve) => setTimeout(resolve, 500));
      asked.push('figures');
    }
    await route.continue();
  });
  await openView(page, url, 'demo', 'overview');
  await expect(page.getByRole('heading', { name: 'Then' })).toBeVisible();
  expect(asked.slice(0, 2)).toEqual(['overview', 'figures']);
  expect(asked).toContain('advice');
  expect(asked).toContain('verdict');
});
