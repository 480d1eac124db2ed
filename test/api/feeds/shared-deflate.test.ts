// Messages compressed once for all clients: every client can decompress them, and they are much smaller than the texts.
import { createHash } from 'node:crypto';
import { constants, createInflateRaw } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { deflatedBytes, offeredWindowBits } from '../../../api/feeds/shared-deflate.ts';
import type { Sql } from '../../../src/adapters/store/database.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { announce, connect, OURS, openFixture, openFixtureDatabase, type Stage, type TestClient } from './fixture.ts';

let sql: Sql;
let fixture: Stage;
beforeAll(async () => {
  sql = await openFixtureDatabase();
  // A heartbeat of one client would count among its bytes.
  fixture = await openFixture(sql, { feeds: { connectionsPerSubject: 40, heartbeatMs: 3_600_000 } });
});
afterAll(async () => {
  await fixture?.close();
  await sql?.end();
});

const AGENT = '00000000-0000-7000-8000-000000000001';
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
/** Returns messages like decisions: long, nearly equal, and with two hashes each. */
const news = (round: string) =>
  Array.from({ length: 30 }, (_, n) => ({
    channel: 'agents',
    orgId: OURS,
    actorId: AGENT,
    body: {
      agentId: AGENT,
      n,
      before: hashOf(`${round} ${n}`),
      hash: hashOf(`${n} ${round}`),
      rules: 'premium_below rsi_below '.repeat(60),
    },
  }));

/** Decompresses frames with no more state than a client has. */
async function unpacked(bytes: Buffer, windowBits: number): Promise<string[]> {
  const inflate = createInflateRaw({ windowBits });
  const texts: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    expect(bytes[at], 'a whole compressed text').toBe(0xc1);
    const short = bytes[at + 1] as number;
    const head = short < 126 ? 2 : short === 126 ? 4 : 10;
    const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2));
    const parts: Buffer[] = [];
    inflate.on('data', (part: Buffer) => parts.push(part));
    inflate.write(bytes.subarray(at + head, at + head + length));
    inflate.write(Buffer.from([0, 0, 0xff, 0xff]));
    await new Promise<void>((flushed) => inflate.flush(constants.Z_SYNC_FLUSH, flushed));
    inflate.removeAllListeners('data');
    texts.push(Buffer.concat(parts).toString());
    at += head + length;
  }
  inflate.close();
  return texts;
}

test('any messages decompress to their texts in order, whatever came before', async () => {
  const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('a'.repeat(70_000), '{"n":1}', 'xyz'.repeat(3_000)));
  await fc.assert(
    fc.asyncProperty(
      fc.array(text, { minLength: 1, maxLength: 8 }),
      fc.array(text, { maxLength: 4 }),
      fc.integer({ min: 9, max: 15 }),
      async (texts, others, bits) => {
        const both = Buffer.concat([deflatedBytes(others, bits), deflatedBytes(texts, bits)]);
        expect(await unpacked(both, bits)).toEqual([...others, ...texts]);
      },
    ),
    { numRuns: 60 },
  );
});

const OFFERS: readonly (readonly [string | undefined, number | null])[] = [
  [undefined, null],
  ['', null],
  ['permessage-deflate', null],
  ['permessage-deflate; client_max_window_bits', 15],
  ['permessage-deflate; server_max_window_bits=12; client_max_window_bits=12', 12],
  ['permessage-deflate; client_max_window_bits="11"; server_max_window_bits="9"', 9],
  ['permessage-deflate; client_no_context_takeover; client_max_window_bits', 15],
  ['permessage-deflate; server_no_context_takeover; client_max_window_bits', null],
  ['permessage-deflate; server_no_context_takeover; client_max_window_bits, permessage-deflate; client_max_window_bits', 15],
  ['permessage-deflate; client_max_window_bits=9', null],
  ['permessage-deflate; client_max_window_bits=x', null],
  ['permessage-deflate; server_max_window_bits=8; client_max_window_bits', null],
  ['permessage-deflate; server_max_window_bits; client_max_window_bits', null],
  ['permessage-deflate; client_max_window_bits; mux=1', null],
  ['x-webkit-deflate-frame; client_max_window_bits', null],
];
test.each(OFFERS)('an offer of %s results in a window of %s', (header, bits) => {
  expect(offeredWindowBits(header)).toBe(bits);
});

describe('on the feed', () => {
  const open: TestClient[] = [];
  const receivedOf = (client: TestClient): number => (client.net() as { bytesRead: number }).bytesRead;

  test('clients with every offer receive the same, those with compression a fraction of the bytes', async () => {
    for (let n = 0; n < 20; n++) open.push(await connect(fixture));
    // A client that offers no compression, and one that requires a context per message, which the server declines.
    const plain = await connect(fixture, 'ours', {}, { perMessageDeflate: false });
    const forgetful = await connect(fixture, 'ours', {}, { perMessageDeflate: { serverNoContextTakeover: true } });
    const narrow = await connect(fixture, 'ours', {}, { perMessageDeflate: { serverMaxWindowBits: 12, clientMaxWindowBits: 12 } });
    const clients = [...open, plain, forgetful, narrow];
    expect([plain, forgetful, narrow, open[0] as TestClient].map(({ socket }) => socket.extensions !== '')).toEqual([
      false,
      false,
      true,
      true,
    ]);
    for (const client of clients) await client.ask({ op: 'subscribe', id: 1, channel: 'agents' });
    for (const client of clients) await client.wait('the snapshot', ({ type }) => type === 'snapshot');
    const before = clients.map(receivedOf);
    await announce(sql, news('first'));
    for (const client of clients) await waitFor(() => client.updates('agents').length === 30, { what: 'all of them' });
    for (const client of clients) expect(client.updates('agents')).toEqual(plain.updates('agents'));
    const took = (client: TestClient): number => receivedOf(client) - (before[clients.indexOf(client)] as number);
    expect(took(forgetful)).toBe(took(plain));
    for (const client of [narrow, ...open]) expect(took(client)).toBeLessThan(took(plain) / 5);
    // Compressed operations of a client are read like others, and their decompressed size is bounded.
    const [one] = open as [TestClient];
    one.send(`${' '.repeat(5_000)}${JSON.stringify({ op: 'ping', id: 7 })}`);
    await one.wait('the answer', ({ type }) => type === 'pong');
    const bomb = open.pop() as TestClient;
    bomb.send(JSON.stringify({ op: 'ping', id: 'x'.repeat(2_000_000) }));
    expect((await bomb.closed).code).toBe(1009);
    for (const client of clients) client.socket.terminate();
  });

  test('a client that resumes in the middle continues with the shared compression', async () => {
    const clients: TestClient[] = [];
    for (let n = 0; n < 17; n++) clients.push(await connect(fixture));
    for (const client of clients) await client.ask({ op: 'subscribe', id: 1, channel: 'agents' });
    for (const client of clients) await client.wait('the snapshot', ({ type }) => type === 'snapshot');
    await announce(sql, news('second'));
    const [one] = clients as [TestClient];
    await waitFor(() => one.updates('agents').length === 30, { what: 'all of them' });
    const late = await connect(fixture);
    await late.ask({ op: 'subscribe', id: 1, channel: 'agents', from: one.updates('agents')[9]?.cursor });
    await waitFor(() => late.updates('agents').length === 20, { what: 'the rest' });
    await announce(sql, news('third'));
    await waitFor(() => late.updates('agents').length === 50 && one.updates('agents').length === 60, { what: 'what is new' });
    const told = (client: TestClient) => client.updates('agents').map(({ cursor, data }) => ({ cursor, data }));
    expect(told(late)).toEqual(told(one).slice(10));
    const numbers = late.updates('agents').map(({ seq }) => seq as number);
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] as number) + index));
    for (const client of [...clients, late]) client.socket.terminate();
  });

  test('the inspector declines compression, which would be separate for each client', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${fixture.port}/v1/feeds/inspector`, {
      headers: { authorization: 'Bearer ours' },
    });
    const asked = await new Promise<string>((answered) => {
      socket.on('upgrade', ({ headers }) => answered(String(headers['sec-websocket-extensions'])));
      socket.on('unexpected-response', (_, answer) => answered(`${answer.statusCode}`));
      socket.on('error', () => {});
    });
    expect(asked).toBe('undefined');
    socket.terminate();
  });
});
