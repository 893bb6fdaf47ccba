/**
 * Views of captures from real accelerators; requires the folder that STEPSCOPE_CORPUS names. Each
 * view must show no error and fit in the window. The documentation uses the screenshots.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { Page } from '@playwright/test';

import { expect, keepImage, openView, ROOT, startServer, test as base } from './server';

const CORPUS = path.resolve(ROOT, process.env['STEPSCOPE_CORPUS'] ?? '../shared/corpus');

const TPU = 'tpu-v6e-4chip-jax';
const AMD = 'mi300x-jax-conv';
const NVIDIA = 'v100-tensorflow';
const CAPTURES = [TPU, AMD, NVIDIA];

interface Picture {
  capture: string;
  view: string;
  name: string;
  query?: string;
  /** Runs before the screenshot is taken. */
  then?: (page: Page) => Promise<void>;
}

const PICTURES: readonly Picture[] = [
  { capture: TPU, view: 'overview', name: 'overview-tpu' },
  { capture: AMD, view: 'overview', name: 'overview-gpu' },
  { capture: TPU, view: 'advice', name: 'advice-tpu' },
  { capture: AMD, view: 'advice', name: 'advice-gpu' },
  { capture: NVIDIA, view: 'verdict', name: 'verdict-gpu' },
  { capture: TPU, view: 'steps', name: 'steps-tpu' },
  { capture: TPU, view: 'hosts', name: 'hosts-tpu' },
  { capture: TPU, view: 'timeline', name: 'timeline-tpu' },
  {
    capture: AMD,
    view: 'timeline',
    name: 'timeline-gpu',
    then: async (page) => {
      await page.mouse.click(482, 380);
      await expect(page.locator('.slice-name')).toHaveText('input_transpose_fusion');
    },
  },
  {
    capture: AMD,
    view: 'ops',
    name: 'ops-gpu',
    then: (page) => page.getByText('cudnn-conv.1.0').first().click(),
  },
  { capture: TPU, view: 'op_tree', name: 'op_tree-tpu' },
  { capture: AMD, view: 'op_tree', name: 'op_tree-gpu' },
  { capture: TPU, view: 'scopes', name: 'scopes-tpu' },
  { capture: TPU, view: 'roofline', name: 'roofline-tpu' },
  { capture: AMD, view: 'roofline', name: 'roofline-gpu', query: '?tab=steps' },
  { capture: TPU, view: 'graph', name: 'graph-tpu' },
  { capture: NVIDIA, view: 'kernels', name: 'kernels-gpu' },
  { capture: TPU, view: 'memory', name: 'memory-tpu' },
  { capture: AMD, view: 'memory', name: 'memory-gpu' },
  { capture: TPU, view: 'buffers', name: 'buffers-tpu' },
  { capture: AMD, view: 'idle', name: 'idle-gpu' },
  {
    capture: NVIDIA,
    view: 'input',
    name: 'input-gpu',
    then: (page) => page.getByRole('tab', { name: /^Stages/ }).click(),
  },
  { capture: TPU, view: 'compile', name: 'compile-tpu' },
  {
    capture: TPU,
    view: 'collectives',
    name: 'collectives-tpu',
    then: (page) => page.getByRole('tab', { name: /^Inputs and outputs/ }).click(),
  },
];

const test = base.extend<object, { corpus: string | null }>({
  corpus: [
    async ({}, use) => {
      const running = process.env['STEPSCOPE_CORPUS_URL'];
      if (running || !CAPTURES.every((capture) => existsSync(path.join(CORPUS, capture)))) {
        await use(running ?? null);
        return;
      }
      // A neutral folder, because screenshots show paths.
      const folder = mkdtempSync(path.join(tmpdir(), 'stepscope-'));
      mkdirSync(path.join(folder, 'logs'));
      for (const capture of CAPTURES) {
        symlinkSync(path.join(CORPUS, capture), path.join(folder, 'logs', capture));
      }
      const server = await startServer(['view', 'logs', '--no-report', '--port', '0'], folder);
      try {
        await use(server.url);
      } finally {
        server.process.kill();
        rmSync(folder, { recursive: true });
      }
    },
    { scope: 'worker', timeout: 60_000 },
  ],
});

for (const { capture, view, name, query, then } of PICTURES) {
  test(`${view} of ${capture}`, async ({ page, corpus }) => {
    if (corpus === null) {
      console.log(`skipped: no corpus in ${CORPUS}`);
      test.skip();
      return;
    }
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await openView(page, corpus, capture, view, query);
    if (view === 'timeline') await page.waitForTimeout(1500);
    await then?.(page);
    await expect(page.locator('main .empty')).toHaveCount(0);
    const widest = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(widest).toBeLessThanOrEqual(1280);
    expect(errors).toEqual([]);
    await keepImage(page, name);
  });
}

test('a page of idle time without gaps has no empty cards', async ({ page, corpus }) => {
  if (corpus === null) {
    console.log(`skipped: no corpus in ${CORPUS}`);
    test.skip();
    return;
  }
  await openView(page, corpus, 'tpu-v6e-4chip-jax', 'idle');
  await expect(page.getByRole('heading', { name: 'No gaps worth listing' })).toBeVisible();
  await expect(page.locator('.empty')).toContainText('4 devices observed for');
  await expect(page.locator('main .table-head')).toHaveCount(0);
  await page.getByRole('link', { name: 'What devices are busy with' }).click();
  await expect(page).toHaveURL(/\/ops/);
});

test('long names of ops show what tells them apart', async ({ page, corpus }) => {
  if (corpus === null) {
    console.log(`skipped: no corpus in ${CORPUS}`);
    test.skip();
    return;
  }
  await openView(page, corpus, NVIDIA, 'ops');
  const names = page.locator('.op-name .middle-head');
  await expect(names.nth(2)).toContainText(/^…\/layer_\d+\//);
  const layers = (await names.allTextContents()).flatMap((text) => /layer_\d+/.exec(text)?.[0] ?? []);
  expect(new Set(layers).size).toBeGreaterThan(5);
  await names.nth(2).hover();
  await expect(page.locator('.tooltip')).toContainText('bert_span_labeler/bert_encoder_1/transformer/');
});

test('without ops below the roof, the roofline says why', async ({ page, corpus }) => {
  if (corpus === null) {
    console.log(`skipped: no corpus in ${CORPUS}`);
    test.skip();
    return;
  }
  await openView(page, corpus, NVIDIA, 'roofline');
  await expect(page.locator('.one-only')).toContainText('No op has known FLOPs and bytes');
  await expect(page.locator('.roofline-chart')).toHaveCount(0);
  await page.locator('.one-only').getByRole('link', { name: 'Ops by time' }).click();
  await expect(page).toHaveURL(/\/ops/);
});

test('the overview says which devices its mean leaves out', async ({ page, corpus }) => {
  if (corpus === null) {
    console.log(`skipped: no corpus in ${CORPUS}`);
    test.skip();
    return;
  }
  await openView(page, corpus, AMD, 'overview');
  const card = page.locator('.card', { has: page.getByRole('heading', { name: 'Devices' }) });
  await expect(card.locator('header')).toContainText(/mean of 1.device 20\.1.% busy/);
  await expect(card.locator('.devices-note')).toContainText(/ran nothing of a step, .* GPU:0/);
  // Where all devices that worked are in the mean, there is nothing to say.
  await openView(page, corpus, TPU, 'overview');
  await expect(card.locator('header')).toContainText(/mean 100\.0.% busy/);
  await expect(card.locator('.devices-note')).toHaveCount(0);
});
