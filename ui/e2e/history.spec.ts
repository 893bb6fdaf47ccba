/** The History view: runs recorded by `check --history`, and the sessions of a folder. */
import { expect, keepImage, openView, test } from './server';

interface History {
  conclusion: string;
  runs: unknown[];
  rows: { metric: string; title: string; values: (number | null)[] }[];
  changes: { text: string }[];
}

/** The conclusion with metric names replaced by titles, as on the page. */
const titled = ({ conclusion, rows }: History) =>
  rows.reduce(
    (text, { metric, title }) => text.replace(new RegExp(`\\b${metric}\\b`), title.toLowerCase()),
    conclusion,
  );

test('a history in the folder is drawn run by run, with its changes', async ({ page, url }) => {
  await openView(page, url, 'demo', 'history', '?history=nightly.jsonl');
  const answer = (await (
    await page.request.get(`${url}api/comparisons/history?history=nightly.jsonl`)
  ).json()) as History;
  expect(answer.runs.length).toBe(36);
  await expect(page.locator('.history-answer')).toHaveText(titled(answer));
  await expect(page.locator('.history-changes li')).toHaveCount(answer.changes.length);
  const moving = answer.rows.filter((row) => new Set(row.values).size > 1);
  await expect(page.locator('.history-chart')).toHaveCount(moving.length);
  const first = page.locator('.history-chart').first();
  await expect(first.locator('circle')).toHaveCount(36);
  await expect(first.locator('.history-change')).toHaveCount(2);
  await expect(first.locator('.history-level')).toHaveCount(3);
  // All charts mark the run under the pointer; only the chart under the pointer names it.
  const box = (await first.boundingBox())!;
  await page.mouse.move(box.x + 50, box.y + box.height / 2);
  await expect(page.locator('.history-chart .chart-cursor')).toHaveCount(moving.length);
  await expect(page.locator('.history-series .is-pointed.number')).toHaveCount(moving.length);
  await expect(page.locator('.history-chart .chart-readout')).toHaveCount(1);
  await expect(page.locator('.history-chart .chart-readout')).toContainText('nightly-01');
  await page.mouse.move(2, 2);
  await expect(page.locator('.history-chart .chart-readout')).toHaveCount(0);
  await keepImage(page, 'history');
  await page.getByRole('button', { name: /sessions here$/ }).click();
  await expect(page).not.toHaveURL(/history=/);
  await expect(page.locator('.history-chart').first()).toBeVisible();
});
