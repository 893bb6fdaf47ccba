/** Pages that have nothing to show yet say what to do next, and do it. */
import { expect, openView, test } from './server';

test('without a baseline, a check begins with the figures of the session', async ({ page, url }) => {
  await openView(page, url, 'demo', 'check');
  const start = page.getByRole('region', { name: 'Without a baseline' });
  await expect(start).toContainText(/step_time<=[\d.]+ms, memory_peak<=[\d.]+[KMG]?i?B, compilation_count<=0/);
  await start.getByRole('button', { name: 'Limit to these figures' }).click();
  await expect(page).toHaveURL(/budget=step_time/);
  await expect(page.getByRole('region', { name: 'Answer' })).toContainText('meets its 3 budgets');
  await expect(start).toHaveCount(0);
});

test('where no memory use was recorded, the page names what is known of memory', async ({ page, url }) => {
  await openView(page, url, 'demo', 'memory');
  await page.getByRole('link', { name: 'What each program needs, in Buffers' }).click();
  await expect(page).toHaveURL(/\/buffers/);
  await expect(page.getByText('Peak of memory')).toBeVisible();
});
