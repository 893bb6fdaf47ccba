/** The pages behind a real reverse proxy (nginx), under a path prefix that it strips or passes on. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { Page } from '@playwright/test';

import { freePort } from './ports';
import { expect, ROOT, startServer, test as base } from './server';

const NGINX = ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/usr/local/bin/nginx', '/usr/bin/nginx'];
const CUT = '/lab/stepscope';
const KEPT = '/user/me/pages';

interface Proxy {
  origin: string;
  token: string;
}

const test = base.extend<object, { behind: Proxy }>({
  behind: [
    async ({}, use) => {
      const folder = mkdtempSync(path.join(tmpdir(), 'stepscope-proxy-'));
      const free = await startServer(['view', 'fixtures', '--no-report', '--port', '0']);
      const named = ['view', 'fixtures', '--no-report', '--path-prefix', KEPT, '--port', '0'];
      const guarded = await startServer(named, ROOT, { STEPSCOPE_TOKEN: '5ecre7' });
      const port = await freePort();
      writeFileSync(
        path.join(folder, 'nginx.conf'),
        configuration(folder, port, new URL(free.url).origin, new URL(guarded.url).origin),
      );
      const nginx = startNginx(folder);
      const origin = `http://127.0.0.1:${port}`;
      try {
        await answers(origin);
        await use({ origin, token: '5ecre7' });
      } finally {
        for (const process of [nginx, free.process, guarded.process]) process.kill();
        rmSync(folder, { recursive: true, force: true });
      }
    },
    { scope: 'worker', timeout: 60_000 },
  ],
});

function configuration(folder: string, port: number, free: string, guarded: string): string {
  return `
daemon off;
pid ${folder}/pid;
error_log ${folder}/error.log;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port};
    location = ${CUT} { proxy_set_header X-Forwarded-Prefix ${CUT}; proxy_pass ${free}/; }
    location ${CUT}/ { proxy_set_header X-Forwarded-Prefix ${CUT}; proxy_pass ${free}/; }
    location ${KEPT} { proxy_set_header Host $http_host; proxy_pass ${guarded}; }
    location = / { return 204; }
  }
}
`;
}

function startNginx(folder: string): ChildProcess {
  const program = NGINX.find((candidate) => existsSync(candidate));
  if (!program) throw new Error('nginx is not installed; on Debian, it is in the package nginx-light');
  return spawn(program, ['-p', folder, '-c', path.join(folder, 'nginx.conf')], { stdio: 'inherit' });
}

async function answers(url: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    try {
      await fetch(url);
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  throw new Error(`the proxy does not answer at ${url}`);
}

/** Records every request that the page makes from now on, and every error. */
function watch(page: Page): { asked: string[]; failed: string[] } {
  const seen = { asked: [] as string[], failed: [] as string[] };
  page.on('request', (request) => seen.asked.push(request.url()));
  page.on('response', (response) => {
    if (response.status() >= 400) seen.failed.push(`${response.status()} ${response.url()}`);
  });
  page.on('pageerror', (error) => seen.failed.push(error.message));
  return seen;
}

/** Goes from the list of sessions to a figure and to a rendered timeline. */
async function lookAround(page: Page): Promise<void> {
  await page.getByRole('row').filter({ hasText: 'mlp_dp' }).click();
  await expect(page.getByText('Step time').first()).toBeVisible();
  await page.getByRole('link', { name: /^Timeline/ }).click();
  await expect(page.locator('canvas').first()).toBeVisible();
  await page.reload();
  await expect(page.locator('canvas').first()).toBeVisible();
}

for (const start of [`${CUT}/`, CUT]) {
  test(`under a prefix that the proxy strips, from ${start}`, async ({ page, behind }) => {
    const seen = watch(page);
    await page.goto(`${behind.origin}${start}#/`);
    await lookAround(page);
    expect(seen.failed).toEqual([]);
    const inside = (url: string) => url.startsWith(`${behind.origin}${CUT}`) || /^(data|blob):/.test(url);
    expect(seen.asked.filter((url) => !inside(url))).toEqual([]);
  });
}

test('under a prefix that the proxy passes on, with a token', async ({ page, behind }) => {
  const refused = await page.request.get(`${behind.origin}${KEPT}/api/sessions`);
  expect(refused.status()).toBe(401);
  const seen = watch(page);
  await page.goto(`${behind.origin}${KEPT}/?token=${behind.token}`);
  await expect(page).toHaveURL((url) => !url.search.includes('token'));
  await page.goto(`${behind.origin}${KEPT}#/`);
  await lookAround(page);
  expect(seen.failed).toEqual([]);
});
