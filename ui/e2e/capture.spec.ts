/** The capture dialog against a profiler service on real sockets. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test as base } from '@playwright/test';

import { keepImage } from './server';

const UI = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const ROOT = path.resolve(UI, '..');
const BINARY = path.resolve(UI, process.env['STEPSCOPE_BIN'] ?? '../target/release/stepscope');
const PROFILE = 'fixtures/demo-gpt-cpu/plugins/profile/demo/vm.xplane.pb.gz';
const TARGET = path.resolve(ROOT, process.env['CARGO_TARGET_DIR'] ?? 'target');
const JOB = path.join(TARGET, 'debug/examples/profiler_server');

/** A job to capture, and a separate server whose log directory receives the captures. */
const test = base.extend<object, { place: { url: string; job: string } }>({
  place: [
    async ({}, use) => {
      // A relative path, as people type it; a screenshot shows it.
      const folder = mkdtempSync(path.join(tmpdir(), 'stepscope-capture-'));
      const logdir = path.join(folder, 'logs');
      cpSync(path.join(ROOT, 'fixtures/mlp-cpu'), logdir, { recursive: true });
      // `cargo test` builds it; without `cargo test`, build it here.
      if (!existsSync(JOB)) {
        const build = ['build', '-p', 'stepscope-capture', '--example', 'profiler_server'];
        spawnSync('cargo', build, { cwd: ROOT, stdio: 'inherit' });
      }
      const job = spawn(JOB, [path.join(ROOT, PROFILE)]);
      const server = spawn(BINARY, ['view', 'logs', '--no-report', '--no-token', '--port', '0'], {
        cwd: folder,
      });
      try {
        const listening = await printed(job, /listening at (\S+)/);
        const url = await printed(server, /(http:\/\/127\.0\.0\.1:\d+)/);
        await use({ url: `${url}/`, job: listening });
      } finally {
        server.kill();
        job.kill();
        rmSync(folder, { recursive: true });
      }
    },
    { scope: 'worker', timeout: 300_000 },
  ],
});

function printed(process: ChildProcess, wanted: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const read = (chunk: Buffer) => {
      text += chunk.toString();
      const match = wanted.exec(text);
      if (match?.[1]) resolve(match[1]);
    };
    process.stdout?.on('data', read);
    process.stderr?.on('data', read);
    process.on('error', reject);
    process.on('exit', (code) => reject(new Error(`exited with ${code}:\n${text}`)));
  });
}

test('the dialog shows the progress of a capture and opens it when complete', async ({ page, place }) => {
  await page.goto(`${place.url}#/`);
  await page.getByRole('banner').getByRole('button', { name: 'Capture' }).click();
  const dialog = page.getByRole('dialog', { name: 'Capture' });
  await dialog.getByLabel('Addresses').fill(place.job);
  await dialog.getByLabel('Seconds').fill('1.5');
  await dialog.getByLabel('Name').fill('from the page');
  await keepImage(page, 'capture');
  await dialog.getByRole('button', { name: 'Capture', exact: true }).click();
  await expect(dialog).toContainText(/Recording \d\.\d s of 1\.5 s/);
  await expect(page).toHaveURL(/#\/s\/[^/]+\/overview/, { timeout: 20_000 });
  await expect(page.getByText('Step time').first()).toBeVisible();
  await expect(page.locator('.topbar .session-name').first()).toContainText('from_the_page');
  // Addresses are remembered.
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Command' }).fill('capture a running');
  await page.keyboard.press('Enter');
  await expect(dialog.getByLabel('Addresses')).toHaveValue(place.job);
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
});

test('a partial capture names the missing host and can be opened', async ({ page, place }) => {
  await page.goto(`${place.url}#/`);
  await page.getByRole('banner').getByRole('button', { name: 'Capture' }).click();
  const dialog = page.getByRole('dialog', { name: 'Capture' });
  await dialog.getByLabel('Addresses').fill(`${place.job}, 127.0.0.1:1`);
  await dialog.getByLabel('Seconds').fill('0.2');
  await dialog.getByRole('button', { name: 'Capture', exact: true }).click();
  await expect(dialog).toContainText('Partially captured');
  await expect(dialog.getByRole('alert')).toContainText('onnection refused');
  await expect(dialog.getByRole('alert')).toContainText('start_server');
  await dialog.getByRole('button', { name: 'Open capture' }).click();
  await expect(page).toHaveURL(/#\/s\/[^/]+\/overview/);
});

test('a canceled capture keeps what was recorded', async ({ page, place }) => {
  await page.goto(`${place.url}#/`);
  await page.getByRole('banner').getByRole('button', { name: 'Capture' }).click();
  const dialog = page.getByRole('dialog', { name: 'Capture' });
  await dialog.getByLabel('Addresses').fill(place.job);
  await dialog.getByLabel('Seconds').fill('600');
  await dialog.getByRole('button', { name: 'Capture', exact: true }).click();
  await expect(dialog).toContainText('Recording');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(page).toHaveURL(/#\/s\/[^/]+\/overview/, { timeout: 20_000 });
});

test('an invalid form is rejected before anything is sent', async ({ page, place }) => {
  await page.goto(`${place.url}#/`);
  await page.getByRole('banner').getByRole('button', { name: 'Capture' }).click();
  const dialog = page.getByRole('dialog', { name: 'Capture' });
  await dialog.getByLabel('Addresses').fill('localhost');
  await dialog.getByRole('button', { name: 'Capture', exact: true }).click();
  await expect(dialog.getByRole('alert')).toContainText('HOST:PORT');
});

test('a page of another site cannot start a capture', async ({ page, place }) => {
  const seen: string[] = [];
  page.on('requestfinished', (request) => seen.push(request.url()));
  await page.route('http://evil.test/', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<title>evil</title>' }),
  );
  await page.goto('http://evil.test/');
  const before = await (await page.request.get(`${place.url}api/sessions`)).json();
  const outcome = await page.evaluate(
    async ({ url, job }) => {
      const body = JSON.stringify({ addresses: job, duration_seconds: 0.1 });
      const kinds = ['application/json', 'text/plain'];
      const sent = kinds.map((kind) =>
        fetch(`${url}api/capture`, {
          method: 'POST',
          mode: kind === 'text/plain' ? 'no-cors' : 'cors',
          headers: { 'content-type': kind },
          body,
        }).then(
          (response) => response.status,
          () => -1,
        ),
      );
      return Promise.all(sent);
    },
    { url: place.url, job: place.job },
  );
  // Neither answer can be read: one was never sent, the other was rejected.
  expect(outcome.every((status) => status <= 0)).toBe(true);
  await page.waitForTimeout(800);
  const after = await (await page.request.get(`${place.url}api/sessions`)).json();
  expect(after.sessions.length).toBe(before.sessions.length);
});
