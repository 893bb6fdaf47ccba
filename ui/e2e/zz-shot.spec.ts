import { test, startServer } from './server';
test('x', async ({ page }) => {
  test.setTimeout(100000);
  const server = await startServer(['view', '/tmp/pages/inc/profiles', '--no-report', '--port', '0']);
  try {
    await page.goto(server.url); await page.waitForTimeout(4000);
    await page.screenshot({ path: '/tmp/pages/s0.png' });
    await page.goto(server.url + '#/incidents'); await page.locator('.incident-mark').first().waitFor(); await page.waitForTimeout(500);
    const box = (await page.locator('.incident-mark circle').first().boundingBox())!;
    await page.mouse.move(box.x+4, box.y+4); await page.waitForTimeout(500);
    await page.screenshot({ path: '/tmp/pages/s1.png', fullPage: true });
    await page.emulateMedia({ colorScheme: 'dark' }); await page.mouse.move(2,2);
    await page.getByText('Where each rank was').first().click(); await page.waitForTimeout(500);
    await page.screenshot({ path: '/tmp/pages/s2.png', fullPage: true });
    await page.setViewportSize({ width: 390, height: 800 }); await page.waitForTimeout(500);
    await page.screenshot({ path: '/tmp/pages/s3.png', fullPage: true });
  } finally { server.process.kill(); }
});
