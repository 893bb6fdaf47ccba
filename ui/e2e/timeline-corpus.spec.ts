/** Arrows on captures of real accelerators; needs the folder that STEPSCOPE_CORPUS names. */
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
      console.log(`skipped: there is no ${capture} in the corpus`);
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
      console.log(`skipped: no arrow at the first ${slices.length} matches in ${capture}`);
      test.skip();
      return;
    }
    await page.goto(`${url}#/s/0/timeline?slice=${start.address}`);
    await expect(page.locator('.slice-name')).toHaveText(start.details.name);
    await expect(page.locator('.flow')).toHaveCount(start.details.flows.length);
    const flow = start.details.flows[0]!;
    await page.keyboard.press(flow.is_outgoing ? ']' : '[');
    await expect(page).not.toHaveURL(new RegExp(`slice=${start.address}\\b`));
    await expect(page.locator('.slice-name')).toBeVisible();
    // The arrow leads back as well.
    await page.keyboard.press(flow.is_outgoing ? '[' : ']');
    await expect(page.locator('.flow').first()).toBeVisible();
  });
}

function serve(folder: string): Promise<string> {
  const child = spawn(BINARY, ['view', folder, '--port', '0'], {
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
