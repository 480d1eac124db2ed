// How the console asks for changes: one key for one change, whatever becomes of the connection on the way.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';

interface Http {
  change(method: 'POST', path: string): Promise<unknown>;
}
const { change } = (await import(new URL('../../web/http.js', import.meta.url).href)) as Http;

test('a change whose first sending is still under way is asked for again under its key, and its answer is that of the first', async () => {
  const keys: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    const isFirst = keys.push(request.headers['idempotency-key'] as string | undefined) === 1;
    response.writeHead(isFirst ? 409 : 200, { 'content-type': isFirst ? 'application/problem+json' : 'application/json' });
    response.end(JSON.stringify(isFirst ? { code: 'idempotency_in_flight', detail: 'ask again in a moment' } : { stage: 'backtest' }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  try {
    const { port } = server.address() as AddressInfo;
    expect(await change('POST', `http://127.0.0.1:${port}/promote`)).toEqual({ stage: 'backtest' });
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(keys).toEqual([keys[0], keys[0]]);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

test('another refusal is told at once', async () => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked++;
    response.writeHead(409, { 'content-type': 'application/problem+json' });
    response.end(JSON.stringify({ code: 'gate_shut', detail: 'nothing on record opens the gate' }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  try {
    const { port } = server.address() as AddressInfo;
    await expect(change('POST', `http://127.0.0.1:${port}/promote`)).rejects.toMatchObject({ status: 409, code: 'gate_shut' });
    expect(asked).toBe(1);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
