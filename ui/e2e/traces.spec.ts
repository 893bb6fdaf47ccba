/** Traces of other profilers open like captures. */
import { expect, openView, test } from './server';

const SESSION = 'kineto';

test('a PyTorch trace shows its steps, kernels and streams', async ({ page, url }) => {
  await openView(page, url, SESSION, 'overview');
  await expect(page.locator('body')).toContainText('NVIDIA H100');
  await expect(page.locator('body')).toContainText('9.8');
  await openView(page, url, SESSION, 'kernels');
  await expect(page.locator('body')).toContainText('sm90_xmma_gemm');
  await expect(page.locator('body')).toContainText('aten::mm');
  await openView(page, url, SESSION, 'timeline');
  await expect(page.locator('.timeline-canvas')).toBeVisible();
  const id = /#\/s\/([^/]+)/.exec(page.url())?.[1] ?? '';
  const response = await page.request.get(`${url}api/sessions/${id}/analyses/timeline`);
  const report = (await response.json()) as {
    groups: { name: string; tracks: { name: string }[] }[];
  };
  const device = report.groups.find((group) => group.name.includes('GPU:0'));
  const rows = device?.tracks.map((track) => track.name) ?? [];
  expect(rows).toContain('Stream #7');
  expect(rows).toContain('Stream #20');
});
