/**
 * Reports and `session.show()` in a real JupyterLab and a real marimo: the table, the live timeline
 * whose requests the kernel answers, no port, and what a saved notebook shows without a kernel.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import type { Frame, Page } from '@playwright/test';

import {
  listening,
  newFolder,
  removeFolder,
  run,
  type Running,
  startJupyterLab,
  startMarimo,
  stop,
} from './notebook-programs';
import { expect, ROOT, test as base } from './server';
import type { FrameRequest } from '../src/share/frame';
import type { Probe } from './timeline-probe';

declare global {
  interface Window {
    requestedByFrame: string[];
  }
}

const CAPTURE = JSON.stringify(path.join(ROOT, 'fixtures/demo-gpt-cpu'));
const OPEN = `import os, stepscope
session = stepscope.open(${CAPTURE})`;
const PROCESS = 'f"process {os.getpid()}"';
const SHOW = 'session.show("timeline", at="0ms..400ms", height=500)';
/** The page of a cell is larger than any answer of this session. */
const PAGE_BYTES = 300_000;

/** What a saved notebook has of an output. */
interface Saved {
  cells: { outputs: { data?: Record<string, string | string[]> }[] }[];
}

const test = base.extend<{ folder: string; lab: Running }>({
  folder: async ({}, use) => {
    const folder = newFolder();
    await use(folder);
    removeFolder(folder);
  },
  lab: async ({ folder }, use) => {
    const running = await startJupyterLab(folder);
    await use(running);
    await stop(running);
  },
});
// Two programs, a kernel and a browser start on what may be two busy processors.
test.describe.configure({ timeout: 180_000 });

function writeNotebook(file: string, cells: string[]): void {
  const code = (source: string, index: number) => ({
    cell_type: 'code',
    id: `cell-${index}`,
    execution_count: null,
    metadata: {},
    outputs: [],
    source,
  });
  const kernelspec = { display_name: 'Python 3', language: 'python', name: 'python3' };
  const notebook = { cells: cells.map(code), metadata: { kernelspec }, nbformat: 4, nbformat_minor: 5 };
  writeFileSync(file, JSON.stringify(notebook));
}

/** The frame of the live page, once it is drawn. */
async function liveFrame(page: Page): Promise<Frame> {
  const element = page.locator('iframe[title="Stepscope"]');
  await element.waitFor({ timeout: 60_000 });
  await element.scrollIntoViewIfNeeded();
  const frame = await (await element.elementHandle())!.contentFrame();
  await frame!.locator('.timeline-canvas').waitFor({ timeout: 60_000 });
  await settled(frame!);
  return frame!;
}

async function settled(frame: Frame): Promise<void> {
  const stats = () =>
    frame.evaluate(() => (window as unknown as { __stepscope?: Probe }).__stepscope?.timeline?.stats());
  const isAtRest = async () => {
    const now = await stats();
    return now !== undefined && now.isSettled && now.tilesLoaded > 0 && now.tilesFailed === 0;
  };
  await expect.poll(isAtRest, { timeout: 30_000 }).toBe(true);
}

/** What is drawn: how many different colors, and a digest of all pixels. */
function pixels(frame: Frame): Promise<{ colors: number; digest: number }> {
  return frame.locator('.timeline-canvas').evaluate((canvas: HTMLCanvasElement) => {
    const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
    const words = new Uint32Array(data.buffer);
    const colors = new Set(words);
    return { colors: colors.size, digest: words.reduce((sum, word) => (sum * 31 + word) >>> 0, 0) };
  });
}

/** Keeps the requests that a frame posts to the notebook. */
async function keepRequests(page: Page): Promise<void> {
  await page.addInitScript(() => {
    window.requestedByFrame = [];
    window.addEventListener('message', ({ data }: MessageEvent<Partial<FrameRequest>>) => {
      if (data.kind === 'stepscope-request') window.requestedByFrame.push(data.url!);
    });
  });
}

/** The time that the last requested tile covers, in ps: the page in a frame has no address. */
async function lastTile(page: Page): Promise<number> {
  const urls = await page.evaluate(() => window.requestedByFrame);
  const tile = urls.findLast((url) => url.includes('/timeline/tile?'));
  const query = new URLSearchParams(tile?.split('?')[1]);
  return Number(query.get('end_ps')) - Number(query.get('start_ps'));
}

/** The timeline is drawn, and keys zoom it: tiles of less time, and another picture. */
async function expectLive(page: Page, frame: Frame): Promise<void> {
  const before = await pixels(frame);
  expect(before.colors).toBeGreaterThan(20);
  const whole = await lastTile(page);
  const box = (await frame.locator('.timeline-canvas').boundingBox())!;
  await page.mouse.click(box.x + box.width / 2, box.y + 20);
  const zoomed = async () => {
    await page.keyboard.press('w');
    return lastTile(page);
  };
  await expect.poll(zoomed, { timeout: 30_000 }).toBeLessThan(whole);
  await settled(frame);
  const after = await pixels(frame);
  expect(after.colors).toBeGreaterThan(20);
  expect(after.digest).not.toBe(before.digest);
}

/** The process that a cell shows. */
async function printedProcess(page: Page): Promise<number> {
  const printed = page.getByText(/process \d+/).last();
  return Number(/\d+/.exec(await printed.innerText())![0]);
}

/** The static picture in a page without a kernel: the chart, the conclusion and the table. */
async function expectPicture(page: Page): Promise<void> {
  const report = page.locator('.stepscope-report').last();
  await expect(report.locator('svg[role="img"]').first()).toBeVisible();
  await expect(report).toContainText('of a step computing');
  await expect(report.getByRole('cell', { name: /68\.23 ms mean of 6 steps/ })).toBeVisible();
  expect(await report.locator('svg rect').count()).toBeGreaterThan(12);
}

async function runCell(page: Page, index: number): Promise<void> {
  const cell = page.locator('.jp-Notebook .jp-Cell').nth(index);
  await cell.locator('.cm-content').click();
  await page.keyboard.press('Control+Enter');
  await expect(cell.locator('.jp-OutputArea-output').first()).toBeAttached({ timeout: 60_000 });
}

/** Ends the kernels of a JupyterLab. */
async function endKernels(lab: Running): Promise<void> {
  const sessions = (await (await fetch(`${lab.origin}/api/sessions`)).json()) as { id: string }[];
  for (const { id } of sessions) {
    const ended = await fetch(`${lab.origin}/api/sessions/${id}`, { method: 'DELETE' });
    expect(ended.status).toBe(204);
  }
}

test('JupyterLab: a report, the live timeline without a port, and the saved notebook', async ({
  page,
  folder,
  lab,
}) => {
  const file = path.join(folder, 'run.ipynb');
  writeNotebook(file, [`${OPEN}\nprint(${PROCESS})\nsession.ops(limit=5)`, SHOW]);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  const received: number[] = [];
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => received.push(payload.length)),
  );
  await keepRequests(page);
  await page.goto(`${lab.origin}/lab/tree/run.ipynb?reset`);
  // Keys are ignored before the kernel answers.
  await expect(page.getByText(/\| Idle$/)).toBeVisible({ timeout: 60_000 });

  await runCell(page, 0);
  const table = page.locator('.jp-OutputArea-output table').filter({ hasText: 'Op' }).first();
  await expect(table.locator('tbody tr').first()).toBeVisible();
  await expect(page.locator('.jp-Notebook')).toContainText('5 of 268 rows');
  const kernel = await printedProcess(page);
  const ports = listening(kernel);

  await runCell(page, 1);
  const frame = await liveFrame(page);
  await expectLive(page, frame);
  expect(listening(kernel), 'the kernel opens no port').toEqual(ports);
  const elsewhere = asked.filter((url) => /^(https?|wss?):/.test(url) && !url.startsWith(lab.origin));
  expect(elsewhere, 'everything goes through JupyterLab').toEqual([]);

  // The code of other views comes when it is needed, and each part of it once for all cells.
  const code = () => received.filter((bytes) => bytes > PAGE_BYTES);
  expect(code().length).toBeGreaterThan(0);
  await runCell(page, 1);
  await expectLive(page, await liveFrame(page));
  const shown = await liveFrame(page);
  await shown.evaluate(() => (location.hash = location.hash.replace(/timeline.*/, 'ops')));
  await expect(shown.getByRole('grid', { name: 'ops' })).toContainText('all-reduce');
  await expect.poll(() => code().length).toBeGreaterThan(1);
  expect(new Set(code()).size, 'the window has the page').toBe(code().length);

  const picture = page.locator('[data-stepscope-picture] .stepscope-report');
  await expect(picture, 'it is there once the page asks for nothing').toBeAttached({ timeout: 30_000 });
  await expect(picture, 'the page replaces it').toBeHidden();
  await page.getByRole('menuitem', { name: 'File' }).click();
  await page.getByText('Save Notebook', { exact: true }).click();
  const html = () => {
    const text = readFileSync(file, 'utf8');
    if (!text) return ''; // it is being written
    const saved = (JSON.parse(text) as Saved).cells[1]!.outputs[0]?.data;
    return [saved?.['text/html'] ?? ''].flat().join('');
  };
  await expect.poll(html).toContain('<svg');
  expect(html()).not.toMatch(/<script|<iframe|stepscope-code/);
  expect(readFileSync(file).length, 'the page is not saved').toBeLessThan(200_000);

  // The next day: its author opens it again, and the kernel is another one.
  await endKernels(lab);
  await page.goto(`${lab.origin}/lab/tree/run.ipynb?reset`);
  await expect(page.getByText(/\| Idle$/)).toBeVisible({ timeout: 60_000 });
  await expectPicture(page);
  await expect(page.locator('iframe[title="Stepscope"]')).toHaveCount(0);

  run(folder, 'jupyter-nbconvert', '--to', 'html', 'run.ipynb');
  await page.context().setOffline(true);
  await page.goto(pathToFileURL(path.join(folder, 'run.html')).href);
  await expectPicture(page);
});

test('nbconvert --execute: the picture, and no empty frame', async ({ page, folder }) => {
  writeNotebook(path.join(folder, 'run.ipynb'), [OPEN, SHOW]);
  run(folder, 'jupyter-nbconvert', '--to', 'html', '--execute', 'run.ipynb');
  await page.context().setOffline(true);
  await page.goto(pathToFileURL(path.join(folder, 'run.html')).href);
  await expectPicture(page);
  await expect(page.locator('iframe[title="Stepscope"]:visible')).toHaveCount(0);
});

test('JupyterLab over plain HTTP from a server: the live timeline', async ({
  playwright,
  launchOptions,
  folder,
  lab,
}) => {
  // Not a secure context, unlike localhost: some functions of browsers are missing.
  const host = 'jupyter.test';
  const resolves = `--host-resolver-rules=MAP ${host} 127.0.0.1`;
  const args = [...(launchOptions.args ?? []), resolves];
  const browser = await playwright.chromium.launch({ ...launchOptions, args });
  try {
    // JupyterLab is light unless told otherwise.
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: 'dark' });
    writeNotebook(path.join(folder, 'run.ipynb'), [`${OPEN}\nprint(${PROCESS})`, SHOW]);
    await keepRequests(page);
    await page.goto(`http://${host}:${lab.port}/lab/tree/run.ipynb?reset`);
    expect(await page.evaluate(() => window.isSecureContext)).toBe(false);
    await expect(page.getByText(/\| Idle$/)).toBeVisible({ timeout: 60_000 });
    await runCell(page, 0);
    await runCell(page, 1);
    const frame = await liveFrame(page);
    await expectLive(page, frame);
    await expect(frame.locator('html'), 'as the notebook').toHaveAttribute('data-theme', 'light');
  } finally {
    await browser.close();
  }
});

test('marimo: a report, and the live timeline without a port', async ({ page, folder }) => {
  const cell = (source: string) => `@app.cell\ndef _(${source}\n\n`;
  const indent = (text: string) => text.replace(/^/gm, '    ');
  const first = `):\n${indent(`${OPEN}\nsession.ops(limit=5)`)}\n    return os, session\n`;
  const second = `session):\n${indent(SHOW)}\n    return\n`;
  // What is printed does not appear in a running app.
  const third = `os):\n${indent(PROCESS)}\n    return\n`;
  const head = 'import marimo\n\napp = marimo.App()\n\n\n';
  const foot = 'if __name__ == "__main__":\n    app.run()\n';
  writeFileSync(path.join(folder, 'run.py'), head + [first, second, third].map(cell).join('') + foot);
  const asked: string[] = [];
  const marimo = await startMarimo(folder, 'run.py');
  try {
    page.on('request', (request) => asked.push(request.url()));
    await keepRequests(page);
    await page.goto(marimo.origin);
    const table = page.locator('.stepscope-report table').filter({ hasText: 'Op' }).first();
    await expect(table.locator('tbody tr').first()).toBeVisible({ timeout: 60_000 });
    await expect(page.locator('.stepscope-report').first()).toContainText('5 of 268 rows');

    const frame = await liveFrame(page);
    await expectLive(page, frame);
    const kernel = await printedProcess(page);
    const ports = kernel === marimo.process.pid ? [marimo.port] : [];
    expect(listening(kernel), 'the kernel opens no port').toEqual(ports);
    const elsewhere = asked.filter((url) => /^(https?|wss?):/.test(url) && !url.startsWith(marimo.origin));
    expect(elsewhere, 'everything goes through marimo').toEqual([]);
  } finally {
    await stop(marimo);
  }
});
