/** Links to the printed address in pages of other sites, such as a terminal in a browser. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect, startServer, test } from './server';

const TOKEN = 'a b&c';

test('a click in another site opens the page, and the token leaves the address', async ({ page }) => {
  const line = ['view', 'fixtures/demo-gpt-cpu', '--no-report', '--port', '0'];
  const server = await startServer(line, undefined, { STEPSCOPE_TOKEN: TOKEN });
  const target = `${server.url}?token=${encodeURIComponent(TOKEN)}#/s/demo/steps`;
  const other = http.createServer((_, answer) => {
    answer.setHeader('content-type', 'text/html');
    answer.end(`<a href="${target}">open</a>`);
  });
  await new Promise<void>((ready) => other.listen(0, 'localhost', ready));
  try {
    // 127.0.0.1 and localhost are different sites.
    await page.goto(`http://localhost:${(other.address() as AddressInfo).port}/`);
    await page.getByText('open').click();
    await expect(page.getByRole('heading', { level: 1, name: 'Steps' })).toBeVisible();
    await expect(page.locator('.answer').first()).toBeVisible();
    expect(page.url()).toBe(`${server.url}#/s/demo/steps`);
    // The cookie is there for the next time.
    await page.reload();
    await expect(page.getByRole('heading', { level: 1, name: 'Steps' })).toBeVisible();
  } finally {
    other.close();
    server.process.kill();
  }
});
