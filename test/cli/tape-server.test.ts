// Server of a tape: the real command in its own process, without a database, and clients that control the replay of a recorded day.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { isoTime } from '../../src/domain/values/time.ts';
import { bidAt, DAY_BEGIN, DAY_END, type RecordedDay, recordedDay, SILENCE } from '../harness/recorded-day.ts';
import { waitFor } from '../harness/wait-for.ts';

const MINUTE = 60_000;
const COMMAND = new URL('../../src/boot/sevengate.mjs', import.meta.url).pathname;

/** Untyped, as a client without our types reads answers. */
type Answer = ReturnType<typeof JSON.parse>;

let day: RecordedDay;
let served: { readonly url: string; readonly summary: Answer; stop(): Promise<number | null> };

function sevengate(...args: string[]) {
  const child = spawn(process.execPath, [COMMAND, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '' },
  });
  const said = { out: '', err: '' };
  child.stdout.on('data', (part) => (said.out += String(part)));
  child.stderr.on('data', (part) => (said.err += String(part)));
  return { child, said };
}

beforeAll(async () => {
  day = recordedDay();
  const { child, said } = sevengate('tape', 'serve', day.file, '--paused', '--speed', '10', '--port', '0', '--json');
  const summary = await waitFor(
    async () => {
      if (child.exitCode !== null) throw new Error(said.err);
      return said.out.includes('\n') ? JSON.parse(said.out) : null;
    },
    { what: 'the tape is served' },
  );
  served = {
    url: summary.url,
    summary,
    async stop() {
      if (child.exitCode === null) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      return child.exitCode;
    },
  };
});

afterAll(async () => {
  await served?.stop();
  day?.remove();
});

async function get(path: string) {
  const response = await fetch(`${served.url}${path}`);
  return { status: response.status, body: (await response.json()) as Answer };
}

async function post(path: string, body?: object) {
  const response = await fetch(`${served.url}${path}`, {
    method: 'POST',
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  return { status: response.status, body: (await response.json()) as Answer };
}

const seek = (at: number) => post('/v1/replay/seek', { at: isoTime(at) });

async function listen(...operations: object[]) {
  const socket = new WebSocket(`${served.url.replace('http', 'ws')}/v1/feeds`);
  const frames: Answer[] = [];
  socket.on('message', (data) => frames.push(JSON.parse(String(data))));
  await once(socket, 'open');
  for (const operation of operations) socket.send(JSON.stringify({ op: 'subscribe', ...operation }));
  return { frames, close: () => socket.close(), ofType: (type: string) => frames.filter((frame) => frame.type === type) };
}

test('says what it serves, and stands at the beginning until it is let run', async () => {
  expect(served.summary).toMatchObject({ tape: day.file, from: isoTime(DAY_BEGIN), to: isoTime(DAY_END), speed: 10 });
  const { body } = await get('/v1/replay');
  expect(body).toMatchObject({ tape: 'day.tape.ndjson', mode: 'paused', at: isoTime(DAY_BEGIN), speed: 10, loop: false, failure: null });
  expect(body.instruments).toEqual(['evmvenue:BTC', 'spotchain:AAPLx', 'spotexchange:BTCUSDT']);
});

test('reads answer as of the replayed time, to the cent and without a look ahead', async () => {
  const at = DAY_BEGIN + 2.5 * MINUTE;
  expect((await seek(at)).body).toMatchObject({ at: isoTime(at) });
  const quotes = await get('/v1/quotes?venue=spotexchange');
  expect(quotes.body.items).toMatchObject([{ instrument: 'BTCUSDT', bid: bidAt(at), receivedAt: isoTime(at), quality: 'live' }]);
  const candles = await get(`/v1/candles?venue=spotexchange&instrument=BTCUSDT&timeframe=1m&from=${DAY_BEGIN - MINUTE}`);
  // Two minutes have closed. The mid is a dollar above the bid, which rises by one a second.
  expect(candles.body.items).toEqual(
    [0, 1].map((minute) => ({
      openTime: isoTime(DAY_BEGIN + minute * MINUTE),
      open: String(63_001 + minute * 60),
      high: String(63_060 + minute * 60),
      low: String(63_001 + minute * 60),
      close: String(63_060 + minute * 60),
      volume: '0',
      source: 'tape:quotes',
      simulated: null,
    })),
  );
  expect(candles.body.coverage.gaps).toEqual([
    { from: isoTime(DAY_BEGIN - MINUTE), to: isoTime(DAY_BEGIN), missing: 1, reason: 'out_of_reach' },
  ]);
  const heldByTape = await get('/v1/candles?venue=spotexchange&instrument=BTCUSDT&timeframe=5m&limit=1');
  expect(heldByTape.body.items).toMatchObject([{ close: '63000', volume: '12.5', source: 'binance:klines' }]);
  expect((await get('/v1/perps')).body.items).toMatchObject([{ instrument: 'BTC', markPrice: bidAt(at) }]);
  const venues = await get('/v1/venues');
  expect(venues.body.items.find(({ venue }: Answer) => venue === 'spotexchange')).toMatchObject({ hearing: 'live' });
});

test('the silence of a venue is replayed as what it was', async () => {
  await seek(SILENCE + 15_000);
  const { body } = await get('/v1/quotes?instrument=BTCUSDT');
  expect(body.items).toMatchObject([{ bid: bidAt(SILENCE - 1_000), quality: 'stale', flags: ['over_age'] }]);
  await seek(SILENCE + 21_000);
  expect((await get('/v1/quotes?instrument=BTCUSDT')).body.items).toMatchObject([{ quality: 'live' }]);
});

test('several clients receive the same; a step brings the next price and a jump a snapshot', async () => {
  await seek(DAY_BEGIN + MINUTE);
  const wanted = { channel: 'quotes', params: { venue: 'spotexchange' } };
  const clients = await Promise.all([listen({ id: 1, ...wanted }), listen({ id: 'b', ...wanted })]);
  await waitFor(() => clients.every(({ ofType }) => ofType('snapshot').length === 1), { what: 'both receive all of it first' });
  const stepped = await post('/v1/replay/step', { steps: 2 });
  expect(stepped.body).toMatchObject({ mode: 'paused', at: isoTime(DAY_BEGIN + MINUTE + 2_000) });
  const bids = ({ ofType }: (typeof clients)[0]) => ofType('update').map(({ data }) => data.bid);
  await waitFor(() => clients.every((client) => bids(client).at(-1) === bidAt(DAY_BEGIN + MINUTE + 2_000)), {
    what: 'both receive the step',
  });
  await seek(DAY_BEGIN + 10_000);
  await waitFor(() => clients.every(({ ofType }) => ofType('snapshot').length === 2), { what: 'both are shown where it jumped to' });
  for (const { ofType, frames, close } of clients) {
    expect(ofType('snapshot')[1]).toMatchObject({ at: isoTime(DAY_BEGIN + 10_000), data: [{ bid: bidAt(DAY_BEGIN + 10_000) }] });
    const numbered = frames.filter(({ channel, seq }) => channel === 'quotes' && seq > 0).map(({ seq }) => seq);
    expect(numbered).toEqual(numbered.map((_, index) => index + 1));
    close();
  }
});

test('runs as fast as it is told, bars close on the feed, and it ends where the tape ends', async () => {
  await seek(DAY_BEGIN + 30_000);
  const client = await listen({ id: 1, channel: 'candles', params: { venue: 'spotexchange', instrument: 'BTCUSDT', timeframe: '1m' } });
  await waitFor(() => client.ofType('snapshot')[0], { what: 'the bars so far' });
  expect((await post('/v1/replay/speed', { speed: 200 })).body).toMatchObject({ speed: 200 });
  expect((await post('/v1/replay/play')).body).toMatchObject({ mode: 'playing' });
  const ended = await waitFor(
    async () => {
      const { body } = await get('/v1/replay');
      return body.mode === 'ended' ? body : null;
    },
    { what: 'the end of the tape' },
  );
  expect(ended.at).toBe(isoTime(DAY_END));
  await waitFor(() => client.ofType('update').length >= 5, { what: 'every closed bar' });
  expect(client.ofType('update').map(({ data }) => [data.openTime, data.close])).toEqual(
    // The fourth minute ends in the silence, which no bar fills.
    [0, 1, 2, 3, 4].map((minute) => [isoTime(DAY_BEGIN + minute * MINUTE), String(63_060 + minute * 60)]),
  );
  client.close();
});

test('what a tape cannot answer is refused, never an empty answer', async () => {
  const refusals = await Promise.all([
    get('/v1/agents'),
    get('/v1/portfolio'),
    post('/v1/market-orders/paper', {}),
    get('/v1/feeds/sse?channel=decisions'),
    get('/v1/feeds/inspector'),
  ]);
  for (const { status, body } of refusals) expect(body).toMatchObject({ status, code: 'feature_disabled' });
  for (const path of ['/v1/quotes?instrument=ETHUSDT', '/v1/candles?venue=spotexchange&instrument=ETHUSDT&timeframe=1m'])
    expect((await get(path)).body).toMatchObject({ code: 'not_found', detail: expect.stringContaining('spotexchange:BTCUSDT') });
  const client = await listen(
    { id: 1, channel: 'agents' },
    { id: 2, channel: 'order_book', params: { venue: 'spotexchange', instrument: 'BTCUSDT' } },
    { id: 3, channel: 'quotes', params: { venue: 'spotexchange', instrument: 'ETHUSDT' } },
  );
  await waitFor(() => client.ofType('error').length === 3, { what: 'three refusals' });
  expect(client.ofType('error').map(({ id, code }) => [id, code])).toEqual([1, 2, 3].map((id) => [id, 'unavailable']));
  client.close();
  expect((await post('/v1/replay/seek', { at: 'noon' })).body).toMatchObject({ code: 'malformed' });
  expect((await post('/v1/replay/speed', { speed: 0 })).body).toMatchObject({ code: 'malformed' });
  const foreign = await fetch(`${served.url}/v1/replay/play`, { method: 'POST', headers: { origin: 'https://elsewhere.example' } });
  expect(foreign.status).toBe(403);
});

test('another tape of the folder is loaded, and nothing outside of it', async () => {
  expect((await get('/v1/replay/tapes')).body.items.map(({ name }: Answer) => name)).toEqual([
    'broken.tape.ndjson',
    'day.tape.ndjson',
    'minute.tape.ndjson',
  ]);
  expect((await post('/v1/replay/load', { tape: '../day.tape.ndjson' })).body).toMatchObject({ code: 'not_found' });
  expect((await post('/v1/replay/load', { tape: 'broken.tape.ndjson' })).body).toMatchObject({ code: 'malformed' });
  expect((await post('/v1/replay/load', { tape: 'minute.tape.ndjson' })).body).toMatchObject({
    tape: 'minute.tape.ndjson',
    mode: 'paused',
    at: isoTime(DAY_BEGIN),
    to: isoTime(DAY_BEGIN + MINUTE),
  });
  expect((await get('/v1/quotes?venue=spotexchange')).body.items).toMatchObject([{ bid: bidAt(DAY_BEGIN) }]);
  await post('/v1/replay/load', { tape: 'day.tape.ndjson' });
});

test('wrong words on the command line are refused in one sentence, and an interrupt ends it', async () => {
  const refusals: readonly (readonly [readonly string[], RegExp])[] = [
    [[join(day.folder, 'none.tape.ndjson')], /there is no such file/],
    [[day.file, '--from', '2020-01-01T00:00:00Z'], /is outside the tape, which runs from 2026-03-02T14:30:00.000Z/],
    [[day.file, '--speed', '0'], /"0" is out of range. Needed: a number from 0.01 to 100000/],
  ];
  await Promise.all(
    refusals.map(async ([args, sentence]) => {
      const { child, said } = sevengate('tape', 'serve', ...args);
      const [code] = await once(child, 'exit');
      expect(code).not.toBe(0);
      expect(said.err).toMatch(sentence);
    }),
  );
  expect(await served.stop()).toBe(0);
});
