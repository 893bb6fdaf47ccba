/** Memory snapshots: the flame graph, the tables, and the growth between two snapshots. */
import { expect, keepImage, openView, test } from './server';

const ROOT = '<module>  capture_leak.py:68';

interface Heap {
  total_bytes: number;
  change_bytes: number | null;
  row_count: number;
  rows: { site: string; change_bytes: number | null }[];
  tree: { name: string; total_bytes: number }[];
}

async function heap(
  page: import('@playwright/test').Page,
  url: string,
  query = '',
): Promise<Heap> {
  const session = /#\/s\/([^/]+)/.exec(page.url())?.[1] ?? '0';
  const response = await page.request.get(`${url}api/sessions/${session}/analyses/heap${query}`);
  expect(response.ok()).toBe(true);
  return (await response.json()) as Heap;
}

test('a session with only snapshots opens in the Heap view', async ({ page, url }) => {
  await page.goto(url);
  const row = page.getByRole('row').filter({ hasText: 'leak-cpu' });
  await expect(row).toContainText('memory');
  await row.click();
  await expect(page).toHaveURL(/\/heap/);
  const answer = await heap(page, url);
  await expect(page.locator('[data-total-bytes]')).toHaveAttribute(
    'data-total-bytes',
    String(answer.total_bytes),
  );
  await expect(page.getByRole('tab', { name: /^Stacks/ })).toContainText(
    String(answer.row_count),
  );
});

test('two snapshots are compared, largest growth first', async ({ page, url }) => {
  await openView(page, url, 'leak-cpu', 'heap');
  await page.getByLabel('Compare with').selectOption('step_000001');
  await expect(page).toHaveURL(/against=step_000001/);
  const answer = await heap(page, url, '?against=step_000001');
  expect(answer.change_bytes).toBe(8_864_048 - 6_897_696);
  await expect(page.locator('.heap-totals')).toContainText('+1.875');
  const first = page.locator('.table-row:not(.table-head)').first();
  await expect(first).toContainText(answer.rows[0]!.site.split(' ')[0]!);
  await expect(first).toContainText('new');
  await expect(page.locator('.heap-legend').first()).toContainText('grown');
  const canvas = page.locator('.flame-canvas');
  await canvas.hover({ position: { x: 200, y: 30 } });
  await expect(page.locator('.flame-details')).toContainText('change');
  await keepImage(page, 'heap');
});

test('the flame graph zooms by mouse and keyboard', async ({ page, url }) => {
  await openView(page, url, 'leak-cpu', 'heap');
  const canvas = page.locator('.flame-canvas');
  await canvas.click({ position: { x: 300, y: 30 } });
  await expect(page).toHaveURL(/zoom=main-/);
  await expect(page.locator('.flame-path')).toContainText('main');
  await page.locator('.flame-scroller').focus();
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/zoom=module-/);
  await page.keyboard.press('Home');
  await expect(page).not.toHaveURL(/zoom=/);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await expect(page.locator('.flame-said')).toHaveText(ROOT);
  await page.keyboard.press('ArrowDown');
  await expect(page.locator('.flame-said')).toContainText('main');
  await expect(page.locator('.flame-details')).toContainText('with callees');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/zoom=main-/);
});

test('search counts its matches, and device and frames can be chosen', async ({ page, url }) => {
  await openView(page, url, 'leak-cpu', 'heap');
  await page.keyboard.press('/');
  await page.keyboard.type('load_batch');
  await expect(page.locator('.heap-flame-bar')).toContainText('1\u00a0frame');
  const whole = await heap(page, url);
  await page.getByLabel('Device').selectOption('cpu:2');
  await expect(page).toHaveURL(/device=cpu/);
  const part = await heap(page, url, '?device=cpu:2');
  expect(part.total_bytes * 4).toBe(whole.total_bytes);
  await expect(page.locator('[data-total-bytes]')).toHaveAttribute(
    'data-total-bytes',
    String(part.total_bytes),
  );
  await page.getByLabel('JAX frames').check();
  await expect(page.locator('.heap-flame-bar')).toContainText('JAX, libraries');
});

test('a session without snapshots says how to take one', async ({ page, url }) => {
  await openView(page, url, 'mlp_dp', 'heap');
  await expect(page.locator('.empty')).toContainText('save_device_memory_profile');
});

test('other views of snapshots say that there are no events', async ({ page, url }) => {
  await openView(page, url, 'leak-cpu', 'ops');
  await expect(page.locator('.empty')).toContainText('needs recorded events');
  await expect(page.locator('.empty')).toContainText('Heap');
});
