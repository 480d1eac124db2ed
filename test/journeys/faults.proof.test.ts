// The whole service during external faults, and what its clients see: frozen venues, garbage, jumping prices, refused requests.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { PATIENCE, waitFor } from '../harness/wait-for.ts';
import { type FeedSocket, openSocket } from './feed-clients.ts';
import { expectPrompt, type Service, startService } from './running-service.ts';

/** Untyped, as a client without our types reads answers. */
type Json = ReturnType<typeof JSON.parse>;

let service: Service;
let control: string;
let trend: string;
let hunter: string;
let carry: string;
/** Open from the first test to the last. */
let socket: FeedSocket;

beforeAll(async () => {
  service = await startService();
  control = (JSON.parse(readFileSync(join(service.home, 'sandbox.json'), 'utf8')) as { control: string }).control;
  const { items } = (await service.get('/v1/agents')).body;
  const id = (name: string): string => items.find((one: Json) => one.name === name).id;
  [trend, hunter, carry] = [id('Crypto trend'), id('Discount hunter'), id('Perpetual carry')];
  socket = await openSocket(service.url, service.token('operator'));
});

afterAll(async () => {
  await service?.discard();
});

async function turn(simulator: string, settings: Json): Promise<Json> {
  const answer = await fetch(`${control}/faults/${simulator}`, { method: 'PUT', body: JSON.stringify(settings) });
  expect(answer.status).toBe(200);
  return answer.json();
}
const calm = (): Promise<Response> => fetch(`${control}/faults`, { method: 'DELETE' });
/** Clears faults, so that a failed test leaves none to the next one. After the last test there may be no service. */
afterEach(async () => void (await calm().catch(() => null)));
const bitcoin = async (): Promise<Json> => (await service.get('/v1/quotes?venue=spotexchange&instrument=BTCUSDT')).body.items[0];
const chartOf = async (id: string): Promise<Json> => (await service.get(`/v1/agents/${id}/chart`)).body.value;
const steps = async (id: string): Promise<Json[]> => (await service.get(`/v1/agents/${id}/history?limit=200`)).body.items;

/** Returns a metric's value, summed over the matching labels. */
async function metric(name: string, labels: Record<string, string> = {}): Promise<number> {
  const { text } = await service.get('/metrics', null);
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) => Object.entries(labels).every(([label, value]) => line.includes(`${label}="${value}"`)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}

test('the control listener lists its faults, and refuses unknown ones without a change', async () => {
  const all = (await (await fetch(`${control}/faults`)).json()) as Json;
  expect(Object.keys(all)).toEqual([
    'spotexchange',
    'evmvenue',
    'spotchain',
    'reference',
    'issuer',
    'news',
    'identity',
    'tvl',
    'macro',
    'filings',
    'social',
    'evmchain',
    'polymarket',
    'kalshi',
    'fallback',
    'signer',
    'onchain',
    'relay',
    'cctp',
    'model',
    'indexer',
    'agentlaunch',
    'primarychain',
  ]);
  expect(all.spotexchange).toMatchObject({ freeze: false, garbage: 0, clockOffsetMs: 0 });
  for (const [path, init, status, says] of [
    ['/faults/nasdaq', {}, 404, 'there are spotexchange'],
    ['/settings', {}, 404, '/faults'],
    ['/faults/news', { method: 'PUT', body: '{"frees":true}' }, 400, 'unknown fault "frees"'],
    ['/faults/news', { method: 'PUT', body: '{"freeze":true,"garbage":5}' }, 400, 'number from 0 to 1'],
    ['/faults/news', { method: 'PUT', body: 'freeze' }, 400, 'JSON object'],
    ['/faults/news', { method: 'PATCH', body: '{}' }, 405, 'PUT'],
    ['/faults', { method: 'PUT', body: '{}' }, 405, 'DELETE'],
    ['/faults/news', { method: 'PUT', body: 'x'.repeat(20_000) }, 413, '16384'],
  ] as const) {
    const answer = await fetch(`${control}${path}`, init);
    expect([path, answer.status]).toEqual([path, status]);
    expect(((await answer.json()) as Json).error).toContain(says);
  }
  expect(await (await fetch(`${control}/faults`)).json()).toEqual(all);
});

test('a frozen exchange: its quotes become stale within five seconds, its agents lose it, and get it back', async () => {
  await waitFor(async () => (await bitcoin())?.quality === 'live', { what: 'a live quote before' });
  // Agents learn the state of their venues two seconds after the start.
  const { version } = await waitFor(async () => (await steps(trend))[0] ?? null, { what: 'the first step' });
  await turn('spotexchange', { freeze: true });
  await waitFor(async () => (await bitcoin()).quality !== 'live', { what: 'a quote that is not live', deadlineMs: 8_000 });
  const old = await bitcoin();
  expect(['stale', 'degraded']).toContain(old.quality);
  expect(
    old.flags.some((flag: string) => ['over_age', 'feed_down'].includes(flag)),
    JSON.stringify(old.flags),
  ).toBe(true);
  // It was degraded in between, as the steps below show; polling may miss that.
  await waitFor(async () => (await chartOf(trend)).feed === 'lost', { what: 'lost', deadlineMs: 18_000 });
  // No other agent is affected: this one uses another venue and hears nothing of this silence.
  const told = (await steps(hunter)).map(({ event }) => String(event.venue ?? ''));
  expect(told.filter((venue) => venue.startsWith('spotexchange'))).toEqual([]);
  expect((await chartOf(trend)).duty).toBe('active');
  // The order book is read from the venue, which does not answer: the caller gets a prompt refusal.
  const book = await service.get('/v1/order-book?venue=spotexchange&instrument=BTCUSDT');
  expect([book.status, book.body.code], book.text).toEqual([503, 'unavailable']);
  expect(Number(book.headers.get('retry-after'))).toBeGreaterThan(0);
  await calm();
  await waitFor(async () => (await chartOf(trend)).feed === 'live', { what: 'live again', deadlineMs: 20_000 });
  await waitFor(async () => (await bitcoin()).quality === 'live', { what: 'a live quote after', deadlineMs: 10_000 });
  const changes = (await steps(trend)).filter((step) => step.version > version && step.from?.feed !== step.to.feed).reverse();
  const [degraded, lost, restored] = changes.slice(changes.findIndex(({ to }) => to.feed === 'lost') - 1);
  expect(degraded).toMatchObject({
    event: { type: 'feed.degraded', venue: 'spotexchange' },
    from: { feed: 'live' },
    to: { feed: 'degraded' },
  });
  expect(lost).toMatchObject({ from: { feed: 'degraded' }, to: { feed: 'lost' }, cause: 'timer' });
  expect(restored).toMatchObject({ event: { type: 'feed.restored', venue: 'spotexchange' }, from: { feed: 'lost' }, to: { feed: 'live' } });
  // Five seconds count from the last good message, however late the silence was reported.
  const silentMs = Date.parse(lost.at) - Date.parse(old.receivedAt);
  expect(silentMs, JSON.stringify({ old, changes })).toBeGreaterThanOrEqual(5_000);
  expect(silentMs).toBeLessThan(PATIENCE * 5_000);
});

test('garbage between good frames is counted and refused, and good quotes continue', async () => {
  const before = await metric('sevengate_feed_messages', { venue: 'spotexchange', what: 'received' });
  const refusedBefore = (await metric('sevengate_feed_messages', { venue: 'spotexchange' })) - before;
  for (const venue of ['spotexchange', 'evmvenue']) await turn(venue, { garbage: 0.05 });
  await waitFor(
    async () => {
      const received = await metric('sevengate_feed_messages', { venue: 'spotexchange', what: 'received' });
      const refused = (await metric('sevengate_feed_messages', { venue: 'spotexchange' })) - received;
      return received > before + 100 && refused > refusedBefore;
    },
    { what: 'a hundred messages with some garbage among them', deadlineMs: 20_000 },
  );
  const first = await bitcoin();
  expect(first.quality).toBe('live');
  await waitFor(async () => (await bitcoin()).sequence !== first.sequence, { what: 'the next good quote' });
  await calm();
});

test('crossed, zero, negative and absurd prices, lost, doubled and swapped frames and a wrong clock never become a live quote that is wrong, and never crash', async () => {
  const { mid } = await bitcoin();
  for (const simulator of ['spotexchange', 'evmvenue', 'spotchain', 'reference']) {
    await turn(simulator, {
      crossed: 0.1,
      zeroPrice: 0.1,
      negativePrice: 0.1,
      nanPrice: 0.1,
      priceJump: 0.1,
      gap: 0.1,
      duplicate: 0.1,
      reorder: 0.1,
      garbage: 0.1,
      status429: 0.2,
      status5xx: 0.2,
    });
  }
  const seen: Json[] = [];
  const until = Date.now() + 6_000;
  await waitFor(
    async () => {
      seen.push(...(await service.get('/v1/quotes?limit=200')).body.items.filter((one: Json) => one.kind === 'quote'));
      return Date.now() > until;
    },
    { what: 'six seconds of nonsense', deadlineMs: 10_000 },
  );
  expect(seen.length).toBeGreaterThan(100);
  for (const quote of seen.filter(({ quality }) => quality === 'live')) {
    expect(Number(quote.bid), JSON.stringify(quote)).toBeGreaterThan(0);
    expect(Number(quote.ask), JSON.stringify(quote)).toBeGreaterThanOrEqual(Number(quote.bid));
  }
  await turn('spotexchange', { clockOffsetMs: 3_600_000 });
  await turn('evmvenue', { disconnectLoop: true });
  await waitFor(async () => (await service.get('/v1/quotes?venue=evmvenue&instrument=BTC')).body.items[0].quality !== 'live', {
    what: 'a perpetual whose venue hangs up',
    deadlineMs: 10_000,
  });
  await calm();
  await waitFor(
    async () => {
      const now = await bitcoin();
      return now.quality === 'live' && Math.abs(Number(now.mid) / Number(mid) - 1) < 0.2;
    },
    { what: 'calm', deadlineMs: 30_000 },
  );
  expect((await service.get('/healthz', null)).status).toBe(200);
  const ready = await service.get('/readyz', null);
  expect(ready.status, ready.text).toBe(200);
});

test('a venue that is silent for more than five seconds raises an alert for every agent that needs it', async () => {
  socket.send({ op: 'subscribe', id: 1, channel: 'alerts' });
  await socket.frame('the answer', ({ id }) => id === 1);
  await waitFor(async () => (await chartOf(carry)).feed === 'live', { what: 'the perpetuals venue to be live', deadlineMs: 30_000 });
  const told = socket.updates('alerts').length;
  await turn('evmvenue', { freeze: true });
  const alert = await waitFor(
    () =>
      socket
        .updates('alerts')
        .slice(told)
        .find(({ data }) => data.agentId === carry) ?? null,
    { what: 'an alert', deadlineMs: 20_000 },
  );
  await calm();
  expect(alert.data).toMatchObject({ what: 'data_degraded', agentId: carry, feed: 'lost', duty: 'active' });
});

test('states of a missing venue lose their value, and the channel says so', async () => {
  socket.send({ op: 'subscribe', id: 2, channel: 'order_book', params: { venue: 'spotexchange', instrument: 'BTCUSDT', depth: 7 } });
  await socket.frame('a book', ({ channel, type }) => channel === 'order_book' && type === 'snapshot');
  await waitFor(async () => (await service.get('/v1/perps/BTC')).body.quality === 'live', { what: 'a live perpetual', deadlineMs: 30_000 });
  await waitFor(async () => (await service.get('/v1/tickers?instrument=BTCUSDT')).body.items[0]?.quality === 'live', {
    what: 'a live ticker',
  });
  const seen = socket.updates('order_book').length;
  await turn('spotexchange', { disconnectLoop: true });
  const lost = await waitFor(
    () =>
      socket
        .updates('order_book')
        .slice(seen)
        .find(({ data }) => data.flags.includes('feed_down') && data.resyncing) ?? null,
    { what: 'a book that is being repaired', deadlineMs: 20_000 },
  );
  expect(lost.data).toMatchObject({ quality: 'degraded' });
  await waitFor(async () => (await service.get('/v1/tickers?instrument=BTCUSDT')).body.items[0].quality !== 'live', {
    what: 'a ticker that is not live',
  });
  // Data of one venue never fills a gap of another.
  expect((await service.get('/v1/perps/BTC')).body.quality).toBe('live');
});

test('without the identity provider’s keys known tokens keep working for a while, and unknown ones are refused', async () => {
  await turn('identity', { freeze: true });
  expect((await service.get('/v1/me')).status).toBe(200);
  const [, body, signature] = service.token('operator').split('.');
  const header = Buffer.from('{"alg":"ES256","kid":"another","typ":"at+jwt"}').toString('base64url');
  expect([401, 503]).toContain((await service.get('/v1/me', `${header}.${body}.${signature}`)).status);
  await calm();
});

test('through all of it there was no defect, and the service stops as promised and tells every client to come back', async () => {
  const ended = await service.stop('SIGTERM');
  expect(ended).toMatchObject({ code: 0, left: [] });
  expectPrompt(ended);
  expect(await socket.closed()).toEqual([1012, 'the service restarts']);
  expect(service.log().filter(({ level }) => level >= 50)).toEqual([]);
});
