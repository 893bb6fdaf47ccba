/**
 * How a capture of any size behaves in a browser: opening, tiles, and for every view the time until
 * it is done and the longest task of the main thread; the timeline is zoomed with the wheel.
 *
 *     node bench/pages.mjs PATH [VIEW...]      STEPSCOPE_BIN=../target/release/stepscope
 *
 * A view with a task above 200 ms of the processor, however often it is opened, makes it fail.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

import { chromium } from '@playwright/test';

const [capture, ...asked] = process.argv.slice(2);
const binary = process.env.STEPSCOPE_BIN ?? '../target/release/stepscope';
const port = Number(process.env.STEPSCOPE_PORT ?? 7811);
const base = `http://localhost:${port}`;
/** Longer tasks are felt. */
const LONGEST_TASK_MS = 200;
/** Only a view that is slow every time is slow. */
const ATTEMPTS = 3;
/** Some analyses of a large capture take a while, more so in a debug build. */
const SLOWEST_VIEW_MS = 180_000;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const json = async (path) => (await fetch(base + path)).json();

/** Milliseconds that something takes, and what it gives. */
async function timed(work) {
  const begin = performance.now();
  const result = await work();
  return [performance.now() - begin, result];
}

/** The value at a share of sorted numbers. */
function quantile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(1);
}

/** The server's part: opening, a tile of everything, and of windows down to 1/2048 of it. */
async function askServer(session, pid) {
  const [opening, answer] = await timed(() => json(`/api/sessions/${session}/analyses/timeline`));
  const { start_ps: start, end_ps: end } = answer.report ?? answer;
  const tile = (from, to) => async () => {
    const query = `start_ps=${Math.floor(from)}&end_ps=${Math.floor(to)}&width_px=1600`;
    const response = await fetch(`${base}/api/sessions/${session}/timeline/tile?${query}`);
    return (await response.arrayBuffer()).byteLength;
  };
  const [whole, bytes] = await timed(tile(start, end));
  const windows = [];
  for (let number = 0; number < 60; number += 1) {
    const width = (end - start) / 2 ** (number % 12);
    const from = start + ((number * 0.618) % 1) * (end - start - width);
    windows.push((await timed(tile(from, from + width)))[0]);
  }
  windows.sort((a, b) => a - b);
  const [, peak] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  console.log(`opening ${opening.toFixed(0)} ms, tile of everything ${whole.toFixed(0)} ms (${bytes} bytes)`);
  console.log(`60 tiles: median ${quantile(windows, 0.5)} ms, p95 ${quantile(windows, 0.95)} ms`);
  console.log(`peak memory ${(Number(peak) / 1e6).toFixed(2)} GB, mapped file included`);
}

/** Zooms in and out at the middle of the timeline; frame times in milliseconds. */
async function zoom(page) {
  const box = await page.locator('canvas').first().boundingBox();
  await page.evaluate(() => {
    window.frames_ms = [];
    let last = performance.now();
    const frame = (now) => {
      window.frames_ms.push(now - last);
      last = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  await page.mouse.move(box.x + box.width / 2, box.y + Math.min(200, box.height / 2));
  await page.keyboard.down('Control');
  for (let turn = 0; turn < 60; turn += 1) {
    await page.mouse.wheel(0, turn < 40 ? -120 : 120);
    await pause(16);
  }
  await page.keyboard.up('Control');
  await pause(500);
  const frames = (await page.evaluate(() => window.frames_ms)).slice(2).sort((a, b) => a - b);
  const [median, p95, max] = [0.5, 0.95, 1].map((share) => quantile(frames, share));
  console.log(`  zooming: ${frames.length} frames, median ${median} ms, p95 ${p95} ms, longest ${max} ms`);
}

/**
 * The longest task of the page's main thread in milliseconds, and the one with the most processor
 * time: on a machine that does other work, tasks wait for a processor, which is not the page's fault.
 */
function longestTask(trace) {
  const { traceEvents } = JSON.parse(trace.toString());
  const threads = traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain');
  const mains = new Set(threads.map(({ pid, tid }) => `${pid}:${tid}`));
  const tasks = traceEvents.filter(({ name, pid, tid }) => name.endsWith('RunTask') && mains.has(`${pid}:${tid}`));
  const most = (of) => Math.max(0, ...tasks.map(of)) / 1000;
  return { wall: most(({ dur }) => dur ?? 0), processor: most(({ tdur, dur }) => tdur ?? dur ?? 0) };
}

/** Opens a view; the milliseconds of processor time of its longest task. */
async function lookAt(browser, page, session, view) {
  const tiles = [];
  page.removeAllListeners('response');
  await page.goto('about:blank');
  await browser.startTracing(page, { categories: ['toplevel', '__metadata'] });
  const begin = performance.now();
  page.on('response', (response) => {
    if (response.url().includes('/timeline/tile')) tiles.push(performance.now() - begin);
  });
  await page.goto(`${base}/#/s/${encodeURIComponent(session)}/${view}`);
  await page.waitForLoadState('networkidle', { timeout: SLOWEST_VIEW_MS });
  // The state is reached half a second after the last request.
  const done = performance.now() - begin - 500;
  const { wall, processor } = longestTask(await browser.stopTracing());
  const first = tiles.length > 0 ? `, first tile ${tiles[0].toFixed(0)} ms` : '';
  console.log(
    `${view.padEnd(14)} ${done.toFixed(0)} ms${first}, longest task ${wall.toFixed(0)} ms, ` +
      `${processor.toFixed(0)} ms of the processor`,
  );
  return processor;
}

/** The views that are slow at every attempt. */
async function slowAmong(browser, page, session, views) {
  const slow = [];
  for (const view of views) {
    let longest = Infinity;
    for (let attempt = 0; attempt < ATTEMPTS && longest > LONGEST_TASK_MS; attempt += 1) {
      longest = Math.min(longest, await lookAt(browser, page, session, view));
    }
    if (longest > LONGEST_TASK_MS) slow.push(view);
    if (view === 'timeline') await zoom(page);
  }
  return slow;
}

const server = spawn(binary, ['view', capture, '--port', `${port}`, '--no-report', '--no-token'], {
  stdio: 'ignore',
});
try {
  while (!(await fetch(`${base}/api/sessions`).then((answer) => answer.ok, () => false))) await pause(20);
  const { key } = (await json('/api/sessions')).sessions[0];
  await askServer(key, server.pid);
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const views = asked.length > 0 ? asked : (await json('/api/analyses')).map((entry) => entry.name);
  const slow = await slowAmong(browser, page, key, views);
  await browser.close();
  if (slow.length > 0) {
    console.error(`tasks above ${LONGEST_TASK_MS} ms: ${slow.join(', ')}`);
    process.exitCode = 1;
  }
} finally {
  server.kill();
}
