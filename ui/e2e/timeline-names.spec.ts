/** Long C++ names of kernels are short on the timeline, and full where there is room. */
import { expect, test } from './server';
import { openTimeline } from './timeline-probe';

test('a kernel has a short name, and its details the whole one', async ({ page, url }) => {
  await openTimeline(page, url, 'sorting', '?search=RadixSort');
  await page.locator('.timeline-search input').press('Enter');
  await expect(page).toHaveURL(/slice=/);
  await page.getByRole('tab', { name: 'Slice' }).click();
  const name = page.locator('.slice-name');
  await expect(name).toHaveText(/^DeviceSegmentedRadixSortKernel<.*>$/);
  expect((await name.textContent())!.length).toBeLessThan(80);
  await expect(page.locator('.slice-full-name')).toContainText('void cub::');
});
