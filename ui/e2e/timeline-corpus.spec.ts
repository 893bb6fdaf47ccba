/** Arrows in captures from real accelerators; requires the folder that STEPSCOPE_CORPUS names. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from '@playwright/test';

const UI = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const BINARY = path.resolve(UI, process.env['STEPSCOPE_BIN'] ?? '../target/release/stepscope');
const CORPUS = path.resolve(UI, '..', process.env['STEPSCOPE_CORPUS'] ?? '../shared/corpus');

interface Details {
  name: string;
  flows: { is_outgoing: boolean; other_name: string }[];
}

let server: ChildProcess | undefined;
test.afterEach(() => server?.kill());

for (const { capture, query } of [
  { capture: 'mi300x-jax-gemm', query: 'Cijk|gemm|fusion|dot' },
  { capture: 'tpu-v6e-4chip-jax', query: 'fusion|dot|jit_' },
]) {
  test(`arrows can be followed in ${capture}`, async ({ page }) => {
    const folder = path.join(CORPUS, capture);
    if (!existsSync(folder)) {
      console.log(`skipped: ${capture} is not in the corpus`);
      test.skip();
    }
    const url = await serve(folder);
    const api = `${url}api/sessions/0/timeline/`;
    const found = await page.request.get(
      `${api}search?query=${encodeURIComponent(query)}&limit=300`,
    );
    const { slices } = (await found.json()) as {
      slices: { slice: { track: number; lane: number; index: number } }[];
    };
    let start: { address: string; details: Details } | undefined;
    for (const { slice } of slices) {
      const { track, lane, index } = slice;
      const answer = await page.request.get(
        `${api}slice?track=${track}&lane=${lane}&index=${index}`,
      );
      const details = (await answer.json()) as Details;
      if (details.flows.length > 0) {
        start = { address: `${track}:${lane}:${index}`, details };
        break;
      }
    }
    if (!start) {
      console.log(`skipped: no arrows at the first ${slices.length} matches in ${capture}`);
      test.skip();
      return;
    }
    const listed = await page.request.get(`${url}api/sessions`);
    const { sessions } = (await listed.json()) as { sessions: { key: string }[] };
    await page.goto(`${url}#/s/${sessions[0]!.key}/timeline?slice=${start.address}`);
    await expect(page.locator('.slice-name')).toHaveText(start.details.name);
    // The slice itself, its own arrows, and those beyond them.
    const list = page.locator('.chain .flow');
    await expect(list.first()).toBeVisible();
    expect(await list.count()).toBeGreaterThan(start.details.flows.length);
    await expect(page.locator('.chain [aria-current]')).toContainText(start.details.name);
    const flow = start.details.flows[0]!;
    await page.keyboard.press(flow.is_outgoing ? ']' : '[');
    await expect(page).not.toHaveURL(new RegExp(`slice=${start.address}\\b`));
    await expect(page.locator('.slice-name')).toBeVisible();
    // The arrow also leads back.
    await page.keyboard.press(flow.is_outgoing ? '[' : ']');
    await expect(page.locator('.flow').first()).toBeVisible();
  });
}

test('the ruler shows steps as `steps` lists them, for the chosen device', async ({
  page,
}) => {
  const folder = path.join(CORPUS, 'v100-tensorflow');
  if (!existsSync(folder)) {
    console.log('skipped: v100-tensorflow is not in the corpus');
    test.skip();
  }
  const url = await serve(folder);
  const api = `${url}api/sessions/0/analyses`;
  const { steps } = (await (await page.request.get(`${api}/timeline`)).json()) as {
    steps: { device: string; duration_ps: number }[];
  };
  const { rows } = (await (await page.request.get(`${api}/steps?limit=0`)).json()) as {
    rows: { device: string; duration_ps: number }[];
  };
  const told = (all: typeof rows) => all.map((one) => `${one.device} ${one.duration_ps}`).sort();
  expect(told(steps)).toEqual(told(rows));
  // The two devices run one after the other; no step on the ruler may span both.
  expect(Math.max(...steps.map((step) => step.duration_ps))).toBeLessThan(25e9);
  const { sessions } = (await (await page.request.get(`${url}api/sessions`)).json()) as {
    sessions: { key: string }[];
  };
  await page.goto(`${url}#/s/${sessions[0]!.key}/timeline`);
  const choice = page.getByLabel('Steps on the ruler');
  await expect(choice).toHaveValue('GPU:4');
  await choice.selectOption('GPU:6');
  await expect(page).toHaveURL(/ruler=GPU:6/);
  await page.reload();
  await expect(choice).toHaveValue('GPU:6');
});

function serve(folder: string): Promise<string> {
  const child = spawn(BINARY, ['view', folder, '--no-token', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  server = child;
  return new Promise((resolve, reject) => {
    let printed = '';
    const read = (chunk: Buffer) => {
      printed += chunk.toString();
      const match = /http:\/\/127\.0\.0\.1:\d+\/?/.exec(printed);
      if (match) resolve(match[0].endsWith('/') ? match[0] : `${match[0]}/`);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`${BINARY} ended with ${code}:\n${printed}`)));
  });
}

test('a gap without a cause on a thread is selected on its device', async ({ page }) => {
  const folder = path.join(CORPUS, 'tpu-v6e-4chip-jax');
  if (!existsSync(folder)) {
    console.log('skipped: tpu-v6e-4chip-jax is not in the corpus');
    test.skip();
  }
  const url = await serve(folder);
  const api = `${url}api/sessions`;
  const { sessions } = (await (await page.request.get(api)).json()) as {
    sessions: { key: string }[];
  };
  const key = sessions[0]!.key;
  // Between its steps the capture has no gaps; before them it has.
  const time = 'time=..4s';
  const report = await page.request.get(
    `${api}/${key}/analyses/idle?sort=-duration_ps&limit=1&${time}`,
  );
  const { rows } = (await report.json()) as { rows: { device: string; slice: unknown }[] };
  expect(rows[0]!.slice).toBeNull();
  await page.goto(`${url}#/s/${key}/idle?${time}`);
  await page.locator('.table-row:not(.table-head)').first().click();
  await expect(page).toHaveURL(/area=\d+\.\.\d+@[\d,]+/);
  // The rows of the device, and no others; they are in sight above the details.
  await expect(page.locator('.area-summary')).toContainText(/on \d+\stracks/);
  const name = page.locator('.group-header', { hasText: rows[0]!.device });
  await expect(name).toBeInViewport();
});
