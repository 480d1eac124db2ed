// The protocol server of the command line in front of a service below a path of its host.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AnsweringServer, answering, json } from '../clients/typescript/fixture.ts';

let server: AnsweringServer;
let client: Client;
let folder: string;
beforeAll(async () => {
  server = await answering(json({ items: [], nextCursor: null }), (response) => void response.writeHead(307, { location: '/' }).end());
  folder = mkdtempSync(join(tmpdir(), 'mcp-command-'));
  const token = join(folder, 'a.token');
  writeFileSync(token, 'a-token\n');
  const args = ['src/boot/sevengate.mjs', 'mcp', '--url', `${server.url}/below/`, '--token-file', token];
  client = new Client({ name: 'test', version: '1' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env: process.env as Record<string, string> }));
});
afterAll(async () => {
  await client?.close();
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

test('it asks below the path, with the token, and follows no redirect', async () => {
  const found = await client.callTool({ name: 'listAgents', arguments: {} });
  expect(found.isError).toBeUndefined();
  expect(server.asked.map(({ url, headers }) => [url, headers.authorization])).toEqual([['/below/v1/agents', 'Bearer a-token']]);
  expect((await client.callTool({ name: 'listAgents', arguments: {} })).isError).toBe(true);
  expect(server.asked.length).toBe(2);
});
