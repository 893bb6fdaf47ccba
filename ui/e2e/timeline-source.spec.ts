/** Source lines of a slice open in the reader's editor. */
import { expect, test } from './server';

import { openTimeline } from './timeline-probe';
test('source lines and stack frames are links to the editor', async ({ page, url }) => {
  await openTimeline(page, url, 'demo', '?slice=1:0:3');
  await expect(page.locator('.facts')).toBeVisible();
  const fact = page.locator('.facts .source-text a');
  await expect(fact).toHaveAttribute('href', /^vscode:\/\/file\/.*:\d+$/);
  const frame = page.locator('.frames .source-text a').first();
  await expect(frame).toHaveAttribute('href', /^vscode:\/\/file\/.*\.py:\d+$/);
  await expect(page.locator('.slice-links .source-lines summary')).toBeVisible();
});
