/**
 * JupyterLab and marimo for tests, each in a folder of its own with the home of nobody.
 * `STEPSCOPE_NOTEBOOKS` names the scripts of the environment in which they and the wheel are.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { freePort } from './ports';

const SCRIPTS = process.env['STEPSCOPE_NOTEBOOKS'] ?? '';
const START_MS = 120_000;
/** JupyterLab would ask whether it may fetch news. */
const PAGE_CONFIG = { disabledExtensions: { '@jupyterlab/apputils-extension:announcements': true } };
/** The state of a socket that listens, as /proc/net/tcp has it. */
const LISTENS = '0A';

/** A notebook program that runs. */
export interface Running {
  origin: string;
  port: number;
  process: ChildProcess;
}

/** A folder for notebooks, which is also the home of the programs that run in it. */
export function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'stepscope-notebooks-'));
  const config = path.join(folder, '.jupyter/labconfig');
  mkdirSync(config, { recursive: true });
  writeFileSync(path.join(config, 'page_config.json'), JSON.stringify(PAGE_CONFIG));
  return folder;
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** The environment of a program: no settings of the person who runs the tests. */
function environment(home: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(JUPYTER|IPYTHON|MARIMO|PYTHON|XDG_|VIRTUAL_ENV)/.test(name),
  );
  const searched = [SCRIPTS, process.env['PATH']].join(path.delimiter);
  return { ...Object.fromEntries(kept), HOME: home, PATH: searched };
}

/** Runs a script of the environment to its end. */
export function run(folder: string, script: string, ...line: string[]): void {
  const options = { cwd: folder, env: environment(folder), stdio: 'pipe' as const };
  execFileSync(path.join(SCRIPTS, script), line, options);
}

async function start(folder: string, script: string, line: string[], port: number): Promise<Running> {
  const program = path.join(SCRIPTS, script);
  const options = { cwd: folder, env: environment(folder), stdio: 'ignore' as const };
  const child = spawn(program, line, options);
  const failed = new Promise<never>((_, reject) => child.once('error', reject));
  const origin = `http://127.0.0.1:${port}`;
  const until = Date.now() + START_MS;
  while (Date.now() < until) {
    if (child.exitCode !== null) throw new Error(`${program} exited with ${child.exitCode}`);
    const answers = fetch(origin).then(() => true, () => false);
    if (await Promise.race([answers, failed])) return { origin, port, process: child };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  child.kill();
  throw new Error(`${program} does not answer`);
}

export async function startJupyterLab(folder: string): Promise<Running> {
  const port = await freePort();
  const line = ['--no-browser', '--allow-root', '--ip=127.0.0.1', `--port=${port}`];
  const open = ['--ServerApp.port_retries=0', '--IdentityProvider.token='];
  // Under other names of this machine, and from tests, which have no cookie.
  open.push('--ServerApp.allow_remote_access=True', '--ServerApp.disable_check_xsrf=True');
  return start(folder, 'jupyter-lab', [...line, ...open, `--ServerApp.root_dir=${folder}`], port);
}

/** Serves a marimo notebook, whose cells run when a browser opens it. */
export async function startMarimo(folder: string, notebook: string): Promise<Running> {
  const port = await freePort();
  const line = ['-y', 'run', notebook, '--headless', '--no-token', '--host', '127.0.0.1'];
  return start(folder, 'marimo', [...line, '--port', String(port)], port);
}

/** Ends a program and waits for it: its kernels end with it. */
export async function stop(running: Running): Promise<void> {
  if (running.process.exitCode !== null) return;
  const ended = new Promise((resolve) => running.process.once('exit', resolve));
  running.process.kill('SIGTERM');
  await ended;
}

/** The TCP ports on which a process listens, in order. */
export function listening(pid: number): number[] {
  const links = readdirSync(`/proc/${pid}/fd`).map((name) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`);
    } catch {
      return '';
    }
  });
  const own = new Set(links.map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1]));
  const lines = ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8').trim().split('\n').slice(1),
  );
  const sockets = lines.map((line) => line.trim().split(/\s+/));
  return sockets
    .filter((fields) => fields[3] === LISTENS && own.has(fields[9]))
    .map((fields) => parseInt(fields[1]!.split(':').at(-1)!, 16))
    .sort((one, other) => one - other);
}
