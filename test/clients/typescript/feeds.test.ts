// Feeds of the client with the real ones: resumed after every cut without loss or repetition, ended at once, refused with a reason.
import { firstValueFrom, from, takeWhile, toArray } from 'rxjs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type ClientOptions, createClient } from '../../../clients/typescript/src/client.ts';
import { FeedError, NetworkError } from '../../../clients/typescript/src/errors.ts';
import type { Sql } from '../../../src/adapters/store/database.ts';
import { seededRandom } from '../../../src/domain/values/seeded-random.ts';
import { announce, OURS, openFixture, openFixtureDatabase, type Stage, THEIRS, testQuote } from '../../api/feeds/fixture.ts';
import { seedOfRun } from '../../harness/seed.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { type Answering, all, answering, events, frame, html, problem, refusal, silence, testTiming } from './fixture.ts';

let sql: Sql;
let fixture: Stage;
beforeAll(async () => {
  sql = await openFixtureDatabase();
  fixture = await openFixture(sql);
});
afterAll(async () => {
  // Node's fetch opens a spare connection after each aborted one.
  fixture?.app.server.closeAllConnections();
  await fixture?.close();
  await sql?.end();
});

const clientOf = (options: Partial<ClientOptions> = {}) =>
  createClient({ baseUrl: `http://127.0.0.1:${fixture.port}`, token: 'ours', timing: testTiming(), ...options });

/** Creates a `fetch` whose bodies break off after `afterBytes` bytes each time. */
function cutting(afterBytes: () => number): typeof fetch & { readonly cuts: () => number } {
  let cuts = 0;
  const cut: typeof fetch = async (url, init) => {
    const response = await fetch(url, init);
    let left = afterBytes();
    const breaking = new TransformStream<Uint8Array, Uint8Array>({
      transform(part, controller) {
        controller.enqueue(part.subarray(0, left));
        left -= part.length;
        if (left > 0) return;
        cuts++;
        controller.error(new TypeError('terminated'));
      },
    });
    return new Response(response.body?.pipeThrough(breaking) ?? null, response);
  };
  return Object.assign(cut, { cuts: () => cuts });
}

test('2,000 announcements over cuts at any byte: each exactly once, in order', async () => {
  const random = seededRandom(seedOfRun());
  const total = 2_000;
  const cut = cutting(() => 200 + Math.floor(random() * 20_000));
  const received: number[] = [];
  const reading = (async () => {
    for await (const { data } of clientOf({ fetch: cut }).feed('proposals', {}, { from: '0.0' })) {
      received.push((data as unknown as { n: number }).n);
      if (received.length === total) return;
    }
  })();
  for (let n = 0; n < total; n += 50) {
    const rows = Array.from({ length: 50 }, (_, k) => ({ channel: 'proposals', orgId: OURS, body: { n: n + k } }));
    await announce(sql, [...rows, { channel: 'proposals', orgId: THEIRS, body: { n: -1 } }]);
  }
  await reading;
  expect(received).toEqual(Array.from({ length: total }, (_, n) => n));
  expect(cut.cuts()).toBeGreaterThan(10);
});

test('a stored cursor resumes after its frame', async () => {
  await announce(
    sql,
    [1, 2, 3].map((n) => ({ channel: 'alerts', orgId: OURS, body: { n } })),
  );
  const numbers = async (cursor: string | null, count: number) => {
    const found: { n: number; cursor: string | null }[] = [];
    for await (const { data, cursor: at } of clientOf().feed('alerts', {}, { from: cursor })) {
      found.push({ n: (data as unknown as { n: number }).n, cursor: at });
      if (found.length === count) break;
    }
    return found;
  };
  const first = await numbers('0.0', 2);
  expect(first.map(({ n }) => n)).toEqual([1, 2]);
  expect((await numbers(first[1]?.cursor ?? null, 1)).map(({ n }) => n)).toEqual([3]);
});

test('a client cut off before its snapshot gets it with the next connection', async () => {
  const firstCut = [170];
  for await (const { type } of clientOf({ fetch: cutting(() => firstCut.shift() ?? Number.POSITIVE_INFINITY) }).feed('agents')) {
    expect(type).toBe('snapshot');
    break;
  }
  // The acknowledgement was received completely, and nothing after it.
  expect(firstCut).toEqual([]);
});

test.each([
  ['a place that was never reached', '999999999999.1'],
  ['a text that is no cursor', 'yesterday'],
])('%s ends the feed with invalid_cursor', async (_, cursor) => {
  const error = await all(clientOf().feed('proposals', {}, { from: cursor })).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(FeedError);
  expect(error).toMatchObject({ code: 'invalid_cursor', channel: 'proposals' });
});

test('quotes feed RxJS in one line, items of the snapshot first, and an unsubscribed feed ends at once', async () => {
  fixture.bus.publish(testQuote('BTCUSDT', '100.00', Date.now()));
  const quotes = clientOf()
    .feed('quotes', { instruments: ['spotexchange:BTCUSDT', 'spotexchange:ETHUSDT'] })
    .items();
  const both = firstValueFrom(
    from(quotes).pipe(
      takeWhile(({ instrument }) => instrument !== 'ETHUSDT', true),
      toArray(),
    ),
  );
  await waitFor(() => fixture.stats().connections === 1, { what: 'the connection' });
  fixture.bus.publish(testQuote('ETHUSDT', '50.00', Date.now()));
  expect([...new Set((await both).map(({ instrument }) => instrument))]).toEqual(['BTCUSDT', 'ETHUSDT']);
  await waitFor(() => fixture.stats().connections === 0, { what: 'the end of the connection' });

  // Unsubscribed while nothing arrives.
  const silent = from(clientOf().feed('takes')).subscribe();
  await waitFor(() => fixture.stats().connections === 1, { what: 'the connection' });
  silent.unsubscribe();
  await waitFor(() => fixture.stats().connections === 0, { what: 'the end of the connection' });
});

test('a waiting reader that leaves ends its connection, and an abort throws its reason', async () => {
  const frames = clientOf().feed('takes')[Symbol.asyncIterator]();
  const next = frames.next();
  await waitFor(() => fixture.stats().connections === 1, { what: 'the connection' });
  await frames.return?.();
  expect(await next).toEqual({ done: true, value: undefined });
  await waitFor(() => fixture.stats().connections === 0, { what: 'the end of the connection' });

  const abort = new AbortController();
  const aborted = all(clientOf().feed('takes', {}, { signal: abort.signal })).catch((thrown: unknown) => thrown);
  await waitFor(() => fixture.stats().connections === 1, { what: 'the connection' });
  abort.abort(new Error('enough'));
  expect(await aborted).toEqual(new Error('enough'));
  await waitFor(() => fixture.stats().connections === 0, { what: 'the end of the connection' });
});

test('a socket of the feed is opened with the token', async () => {
  const socket = await clientOf({ WebSocket }).openFeeds();
  const answers: unknown[] = [];
  socket.addEventListener('message', ({ data }) => answers.push(JSON.parse(String(data))));
  socket.addEventListener('open', () => socket.send('{"op":"ping","id":7}'));
  await waitFor(() => answers.length > 0, { what: 'the answer to the ping' });
  expect(answers[0]).toMatchObject({ type: 'pong', id: 7 });
  socket.close();
  await waitFor(() => fixture.stats().connections === 0, { what: 'the end of the connection' });
});

/** Reads a feed of a scripted server, until two frames came or it ended with an error. */
async function twoFrames(answers: readonly Answering[], options: Partial<ClientOptions> = {}) {
  const server = await answering(...answers);
  const timing = testTiming();
  const api = createClient({ baseUrl: server.url, token: 'a-token', timing, ...options });
  const seen: unknown[] = [];
  const ended = (async () => {
    for await (const { data } of api.feed('alerts')) if (seen.push(data) === 2) break;
  })().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return { server, timing, seen, ended };
}
const first = frame('alerts', 'update', '5.1', 'first');
const second = events([frame('alerts', 'update', '6.1', 'second')]);

test.each([
  ['ends', events([first])],
  ['ends in the middle of an event', events([first, 'id: 6.1\ndata: {"chan'])],
  ['is torn', events([first], (response) => void response.socket?.destroy())],
  ['says that it is not available', events([first, refusal('alerts', 'unavailable')])],
  ['says that the reader fell behind', events([first, frame('alerts', 'lagged', '5.1', { from: '5.1', to: '9.1' })])],
])('a stream that %s is resumed from the last cursor', async (_, failing) => {
  const { server, seen, ended } = await twoFrames([failing, second]);
  expect(await ended).toBe(null);
  expect(seen).toEqual(['first', 'second']);
  expect(server.asked.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '5.1']);
  await server.close();
});

test('an unavailable service is reconnected as late as it asks', async () => {
  const { server, timing, seen, ended } = await twoFrames([
    events([first]),
    html(502),
    problem(503, 'unavailable', { 'retry-after': '9' }),
    second,
  ]);
  expect(await ended).toBe(null);
  expect(seen).toEqual(['first', 'second']);
  expect(timing.pauses).toEqual([400, 800, 9_000]);
  await server.close();
});

test('a service that refuses at once, connection after connection, is asked less and less often', async () => {
  const { server, timing, seen, ended } = await twoFrames([
    events([first, refusal('alerts', 'unavailable')]),
    events([refusal('alerts', 'unavailable')]),
    events([refusal('alerts', 'unavailable')]),
    second,
  ]);
  expect(await ended).toBe(null);
  expect(seen).toEqual(['first', 'second']);
  expect(timing.pauses).toEqual([400, 800, 1_600]);
  await server.close();
});

test('a stream without heartbeats is given up and resumed', async () => {
  const { server, timing, seen, ended } = await twoFrames([events([first], silence), second]);
  await waitFor(() => seen.length === 1, { what: 'the first frame' });
  timing.expire();
  expect(await ended).toBe(null);
  expect(server.asked).toHaveLength(2);
  await server.close();
});

test('a service that restarts is given the same token', async () => {
  let given = 0;
  const restarting = events([first, refusal('alerts', 'unavailable')]);
  const { server, ended } = await twoFrames([restarting, second], { token: () => `token-${++given}` });
  expect(await ended).toBe(null);
  expect(server.asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-1']);
  await server.close();
});

test('a token that expires midway is requested again', async () => {
  let given = 0;
  const expired = events([first, refusal('alerts', 'token_expired')]);
  const { server, ended } = await twoFrames([expired, second], { token: () => `token-${++given}` });
  expect(await ended).toBe(null);
  expect(server.asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-2']);
  await server.close();
});

test.each([
  ['a permission that was withdrawn', events([refusal('alerts', 'permission_missing')]), { code: 'permission_missing' }],
  ['a token that stays refused', problem(401, 'unauthenticated'), { code: 'unauthenticated', status: 401 }],
  ['a channel that is refused', problem(422, 'feature_disabled'), { code: 'feature_disabled' }],
  ['a page in place of events', html(200), { failure: 'foreign' }],
  ['an event that is not JSON', events(['data: <h1>\n\n']), { failure: 'foreign' }],
])('%s ends the feed with its reason', async (_, answer, reason) => {
  const { server, ended } = await twoFrames([answer]);
  expect(await ended).toMatchObject(reason);
  expect(server.asked).toHaveLength(1);
  await server.close();
});

test('a network error of a feed is retried, not thrown', async () => {
  const { server, seen, ended } = await twoFrames([(response) => void response.socket?.destroy(), events([first]), second]);
  expect(await ended).not.toBeInstanceOf(NetworkError);
  expect(seen).toEqual(['first', 'second']);
  await server.close();
});
