/** Agents beside the pages: the Model Context Protocol over HTTP, with the token of the pages. */
import type { APIRequestContext } from '@playwright/test';

import { expect, startServer, test } from './server';

const TOKEN = 'a-token-of-the-test';
const TOOLS = ['sessions', 'report', 'ask', 'explain', 'compare', 'what_if', 'sql', 'picture'];
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

interface Answer {
  result: {
    protocolVersion?: string;
    supportedVersions?: string[];
    tools?: { name: string }[];
    structuredContent?: { open?: string };
    content?: { type: string; text: string; data?: string; mimeType?: string }[];
    isError?: boolean;
  };
}

/** Sends one request, in the newest version unless another one is given. */
async function ask(
  request: APIRequestContext,
  url: string,
  method: string,
  params: Record<string, unknown> = {},
  version = '2026-07-28',
  more: Record<string, string> = {},
) {
  const isNew = version === '2026-07-28';
  const name = isNew && typeof params['name'] === 'string' ? { 'mcp-name': params['name'] } : {};
  return request.post(`${url}mcp`, {
    headers: {
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${TOKEN}`,
      'mcp-protocol-version': version,
      ...(isNew ? { 'mcp-method': method } : {}),
      ...name,
      ...more,
    },
    data: { jsonrpc: '2.0', id: 1, method, params: isNew ? { ...params, _meta: META } : params },
  });
}

test('agents ask the tools in both versions, and links lead to these pages', async ({ request }) => {
  const line = ['view', 'fixtures/demo-gpt-cpu', '--no-report', '--port', '0'];
  const server = await startServer(line, undefined, { STEPSCOPE_TOKEN: TOKEN });
  const { url } = server;
  try {
    const hello = await ask(
      request,
      url,
      'initialize',
      {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      },
      '2025-11-25',
    );
    expect(((await hello.json()) as Answer).result.protocolVersion).toBe('2025-11-25');
    const found = (await (await ask(request, url, 'server/discover')).json()) as Answer;
    expect(found.result.supportedVersions).toEqual(
      expect.arrayContaining(['2026-07-28', '2025-11-25']),
    );
    for (const version of ['2026-07-28', '2025-11-25']) {
      const listed = await ask(request, url, 'tools/list', {}, version);
      const { tools } = ((await listed.json()) as Answer).result;
      expect(tools?.map(({ name }) => name)).toEqual(TOOLS);
      const told = await ask(request, url, 'tools/call', { name: 'report', arguments: {} }, version);
      const { result } = (await told.json()) as Answer;
      expect(result.isError).not.toBe(true);
      expect(result.content?.[0]?.text).toContain('of a step computing');
      expect(result.structuredContent?.open).toContain(`${url}#/s/`);
      expect(JSON.stringify(result)).not.toContain(TOKEN);
    }
  } finally {
    server.process.kill();
  }
});

test('without the token, and from pages of other sites, nothing is answered', async ({ request }) => {
  const line = ['view', 'fixtures/demo-gpt-cpu', '--no-report', '--port', '0'];
  const server = await startServer(line, undefined, { STEPSCOPE_TOKEN: TOKEN });
  try {
    const status = async (headers: Record<string, string>) =>
      (await ask(request, server.url, 'tools/list', {}, '2026-07-28', headers)).status();
    expect(await status({})).toBe(200);
    expect(await status({ authorization: 'Bearer wrong' })).toBe(401);
    expect(await status({ origin: 'http://evil.example' })).toBe(403);
    expect(await status({ 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await status({ 'content-type': 'text/plain' })).toBe(415);
    const headers = { authorization: `Bearer ${TOKEN}` };
    expect((await request.get(`${server.url}mcp`, { headers })).status()).toBe(405);
    expect((await request.delete(`${server.url}mcp`, { headers })).status()).toBe(405);
  } finally {
    server.process.kill();
  }
});

/** Width and height of a picture, as its header says. */
function size(png: Buffer): [number, number] {
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}

test('agents see views as people do, light and dark', async ({ request }) => {
  const line = ['view', 'fixtures/demo-gpt-cpu', '--no-report', '--port', '0'];
  const variables = { STEPSCOPE_TOKEN: TOKEN };
  const server = await startServer(line, undefined, variables);
  const picture = async (more: Record<string, unknown>) => {
    const given = { view: 'timeline', width_px: 1000, height_px: 700, ...more };
    const params = { name: 'picture', arguments: given };
    const told = await ask(request, server.url, 'tools/call', params);
    const { result } = (await told.json()) as Answer;
    expect(result.isError, JSON.stringify(result).slice(0, 500)).not.toBe(true);
    const image = result.content?.find(({ type }) => type === 'image');
    expect(image?.mimeType).toBe('image/png');
    return Buffer.from(image?.data ?? '', 'base64');
  };
  try {
    const whole = await picture({});
    expect(size(whole)).toEqual([1000, 700]);
    // A page that was not drawn yet is almost empty, and so is one that says it has no token.
    expect(whole.length).toBeGreaterThan(50_000);
    for (const other of [{ dark: true }, { options: { steps: '3..4' } }, { view: 'steps' }]) {
      const png = await picture(other);
      expect(png.length).toBeGreaterThan(20_000);
      expect(png.equals(whole)).toBe(false);
    }
  } finally {
    server.process.kill();
  }
});
