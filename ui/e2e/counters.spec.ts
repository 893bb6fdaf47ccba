/** Counters over time, from a synthetic trace, because no available capture contains any. */
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, keepImage, startServer, test } from './server';

const STEPS = 6;
const STEP_US = 10_000;
const SAMPLE_US = 200;

/** A GPU that computes, waits for the host, and is slowed down at the start of each step. */
function drawnTrace(): string {
  const events: object[] = [
    { ph: 'M', pid: 1, name: 'process_name', args: { name: '/device:GPU:0' } },
    { ph: 'M', pid: 1, tid: 7, name: 'thread_name', args: { name: 'Stream #7(Compute)' } },
  ];
  for (let step = 0; step < STEPS; step++) {
    events.push({ ph: 'X', pid: 1, tid: 7, name: 'gemm', ts: step * STEP_US + 500, dur: 7800 });
  }
  for (let ts = 0; ts < STEPS * STEP_US; ts += SAMPLE_US) {
    const at = ts % STEP_US;
    const isBusy = at >= 500 && at < 8300;
    const isSlowed = isBusy && at < 2200;
    const wave = Math.cos((ts + at) / 3500);
    const values = {
      power_watts: isBusy ? 560 + 80 * wave : 360,
      sm_clock_mhz: isSlowed ? 1755 : 1980,
      'dram__bytes.sum.per_second': isBusy ? 2.4e12 : 1e10,
      'sm__cycles_active.avg.pct_of_peak_sustained_elapsed': isBusy ? 78 + 14 * wave : 3,
      'sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed': isBusy ? 44 + 11 * wave : 0,
      throttle_reasons: isSlowed ? 4 : 0,
    };
    for (const [name, value] of Object.entries(values)) {
      events.push({ ph: 'C', pid: 1, name, ts, args: { value } });
    }
  }
  return JSON.stringify({ traceEvents: events });
}

test('every counter has a chart, and the table has its figures', async ({ page }) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'stepscope-counters-'));
  writeFileSync(path.join(folder, 'h100.trace.json'), drawnTrace());
  let server: { url: string; process: ChildProcess } | undefined;
  try {
    // Started in the folder, so that the screenshot shows no path of this machine.
    server = await startServer(['view', 'h100.trace.json', '--no-report', '--port', '0'], folder);
    await page.goto(`${server.url}#/s/h100.trace.json/counters`);
    await expect(page.locator('main svg, main canvas').nth(5)).toBeVisible();
    await expect(page.locator('main')).toContainText('power_watts');
    await expect(page.locator('main')).toContainText('2.4 TB/s');
    await keepImage(page, 'counters');
    await page.getByRole('tab', { name: 'Counters 6' }).click();
    // Six counters and the header.
    await expect(page.locator('.table-row')).toHaveCount(7);
  } finally {
    server?.process.kill();
    rmSync(folder, { recursive: true, force: true });
  }
});
