/**
 * The test fixture `url`: the real binary, serving `fixtures/` on a free port, one per worker.
 * `STEPSCOPE_BIN` names the binary, `STEPSCOPE_URL` a server that is already running.
 */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { test as base, type Page } from '@playwright/test';

const UI = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
export const ROOT = path.resolve(UI, '..');
export const BINARY = path.resolve(UI, process.env['STEPSCOPE_BIN'] ?? '../target/release/stepscope');
const START_MS = 60_000;

export const test = base.extend<object, { url: string }>({
  url: [
    async ({}, use) => {
      const running = process.env['STEPSCOPE_URL'];
      if (running) {
        await use(running);
        return;
      }
      // A relative path, as people type it; screenshots show it.
      const server = await startServer(['view', 'fixtures', '--no-report', '--port', '0']);
      try {
        await use(server.url);
      } finally {
        server.process.kill();
      }
    },
    { scope: 'worker', timeout: START_MS },
  ],
});

/**
 * Starts the binary, by default in the root of the repository, and waits for its address. Without a
 * token, unless `variables` has one.
 */
export async function startServer(
  line: string[],
  folder = ROOT,
  variables: Record<string, string> = {},
): Promise<{ url: string; process: ChildProcess }> {
  const env = { ...process.env, ...variables };
  const access = 'STEPSCOPE_TOKEN' in variables ? [] : ['--no-token'];
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe'];
  const server = spawn(BINARY, [...line, ...access], { cwd: folder, env, stdio });
  try {
    return { url: await printedUrl(server), process: server };
  } catch (error) {
    server.kill();
    throw error;
  }
}

export { expect } from '@playwright/test';

/** Opens a view of the session with this name and waits for its content. */
export async function openView(
  page: Page,
  url: string,
  session: string,
  view: string,
  query = '',
): Promise<void> {
  const response = await page.request.get(`${url}api/sessions`);
  const { sessions } = (await response.json()) as { sessions: { key: string; name: string }[] };
  const found =
    sessions.find((candidate) => candidate.name === session) ??
    sessions.find((candidate) => candidate.name.includes(session));
  if (!found)
    throw new Error(`no session ${session} among ${sessions.map(({ name }) => name).join(', ')}`);
  await page.goto(`${url}#/s/${found.key}/${view}${query}`);
  await page.locator('.answer, .empty, .timeline-canvas').first().waitFor();
}

/** Saves a screenshot for the documentation if `UPDATE_IMAGES` is 1. */
export async function keepImage(page: Page, name: string): Promise<void> {
  if (process.env['UPDATE_IMAGES'] !== '1') return;
  const folder = path.join(ROOT, 'docs/images');
  mkdirSync(folder, { recursive: true });
  await page.mouse.move(2, 2);
  await page.waitForTimeout(600);
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
}

function printedUrl(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    const read = (chunk: Buffer) => {
      printed += chunk.toString();
      const match = /http:\/\/127\.0\.0\.1:\d+\/?/.exec(printed);
      if (match) resolve(match[0].endsWith('/') ? match[0] : `${match[0]}/`);
    };
    server.stdout?.on('data', read);
    server.stderr?.on('data', read);
    server.on('error', (error) => reject(new Error(`cannot start ${BINARY}: ${error.message}`)));
    server.on('exit', (code) => reject(new Error(`${BINARY} exited with ${code}:\n${printed}`)));
  });
}
