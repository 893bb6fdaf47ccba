/** A remote session: device views fetch only device data, all other views fetch everything. */
import { execFileSync } from 'node:child_process';
import { createReadStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, ROOT, startServer, test as base } from './server';

const PYTHON = path.join(path.dirname(process.env['STEPSCOPE_TENSORBOARD'] ?? ''), 'python');
const HOST_BYTES = 20 << 20;

/** A web server that supports range requests, counts the bytes requested, and can refuse requests. */
interface Web {
  url: string;
  askedBytes: () => number;
  refuse: (is: boolean) => void;
}

function serve(file: string): Promise<{ web: Web; server: Server }> {
  const size = statSync(file).size;
  let askedBytes = 0;
  let isRefusing = false;
  const server = createServer((request, response) => {
    if (isRefusing) return response.writeHead(403).end();
    if (request.url !== '/host.xplane.pb') return response.writeHead(404).end();
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    const start = Number(range?.[1] ?? 0);
    const end = Math.min(size - 1, Number(range?.[2] ?? size - 1));
    response.writeHead(range ? 206 : 200, {
      'content-length': end - start + 1,
      'content-range': `bytes ${start}-${end}/${size}`,
      etag: '"one"',
    });
    // For the whole file, only the headers are read: the client disconnects after them.
    if (range) askedBytes += end - start + 1;
    const bytes = createReadStream(file, { start, end });
    response.on('close', () => bytes.destroy());
    return bytes.pipe(response);
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      const url = `http://127.0.0.1:${port}/host.xplane.pb`;
      const refuse = (is: boolean) => void (isRefusing = is);
      const web = { url, askedBytes: () => askedBytes, refuse };
      resolve({ web, server });
    });
  });
}

const test = base.extend<{ web: Web; far: string }>({
  web: async ({}, use) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'stepscope-far-'));
    const file = path.join(folder, 'host.xplane.pb');
    const script =
      'import sys; from profiles import tpu_profile; ' +
      'open(sys.argv[1], "wb").write(tpu_profile(int(sys.argv[2])))';
    execFileSync(PYTHON, ['-c', script, file, String(HOST_BYTES)], {
      env: { ...process.env, PYTHONPATH: path.join(ROOT, 'python/tests_far') },
    });
    const { web, server } = await serve(file);
    await use(web);
    server.close();
    rmSync(folder, { recursive: true, force: true });
  },
  far: async ({ web }, use) => {
    const cache = mkdtempSync(path.join(tmpdir(), 'stepscope-cache-'));
    const line = ['view', web.url, '--no-report', '--port', '0'];
    const server = await startServer(line, ROOT, { STEPSCOPE_CACHE_DIR: cache });
    await use(server.url);
    server.process.kill();
    rmSync(cache, { recursive: true, force: true });
  },
});

test('a device view does not fetch host data; another view does', async ({
  page,
  far,
  web,
}) => {
  const list = await page.request.get(`${far}api/sessions`);
  const { sessions } = (await list.json()) as { sessions: { key: string; state: string }[] };
  expect(sessions[0]!.state).toBe('closed');
  await page.goto(`${far}#/s/${sessions[0]!.key}/ops`);
  const note = page.getByRole('note').filter({ hasText: 'need the host threads' });
  await expect(note).toBeVisible();
  await expect(page.getByRole('row', { name: /fusion\.1/ }).first()).toBeVisible();
  expect(web.askedBytes()).toBeLessThan(HOST_BYTES / 8);

  await page.goto(`${far}#/s/${sessions[0]!.key}/roofline`);
  await expect(page.locator('.answer').first()).toBeVisible();
  expect(web.askedBytes()).toBeLessThan(HOST_BYTES / 8);

  await page.goto(`${far}#/s/${sessions[0]!.key}/steps`);
  await expect(page.locator('.answer').first()).toBeVisible();
  expect(web.askedBytes()).toBeGreaterThan(HOST_BYTES);
  await page.goBack();
  await expect(page.locator('.answer').first()).toBeVisible();
  await expect(note).toBeHidden();
});

test('the rest is fetched on demand, and a refused request loses nothing already fetched', async ({
  page,
  far,
  web,
}) => {
  const list = await page.request.get(`${far}api/sessions`);
  const { sessions } = (await list.json()) as { sessions: { key: string }[] };
  await page.goto(`${far}#/s/${sessions[0]!.key}/ops`);
  await expect(page.getByRole('row', { name: /fusion\.1/ }).first()).toBeVisible();

  web.refuse(true);
  await page.goto(`${far}#/s/${sessions[0]!.key}/steps`);
  await expect(page.getByText('403')).toBeVisible();
  await page.goBack();
  await expect(page.getByRole('row', { name: /fusion\.1/ }).first()).toBeVisible();

  web.refuse(false);
  await page.waitForTimeout(2100);
  await page.getByRole('button', { name: 'Fetch the rest' }).click();
  await expect(page.getByRole('button', { name: 'Fetch the rest' })).toBeHidden();
  await expect(page.getByRole('row', { name: /fusion\.1/ }).first()).toBeVisible();
  expect(web.askedBytes()).toBeGreaterThan(HOST_BYTES);
});
