/** HTTP client of every venue: fixed host, limits, retries, budget. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { WeightBudget } from '../../../../src/adapters/venues/request-budget.ts';
import { createVenueHttp, retryAfterMs, type VenueHttp, type VenueHttpOptions } from '../../../../src/adapters/venues/venue-http.ts';
import { seededRandom } from '../../../../src/sandbox/faults.ts';
import { backoffMs } from '../../../../streams/backoff.ts';
import { createVirtualClock, type VirtualClock } from '../../../../streams/clock/virtual-clock.ts';
import { REFUSING_PORT } from '../../../harness/ports.ts';
import { drive, NOON, until } from './tiny-world.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

async function world(
  answer: http.RequestListener,
  options: Partial<VenueHttpOptions> = {},
): Promise<{ clock: VirtualClock; client: VenueHttp; base: string }> {
  const clock = createVirtualClock(NOON);
  const server = http.createServer(answer);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createVenueHttp({
    venue: 'spotexchange',
    baseUrl: base,
    clock,
    random: seededRandom(1),
    weightPerMinute: 1_000,
    ...options,
  });
  cleanups.push(() => {
    client.close();
    server.closeAllConnections();
    server.close();
  });
  return { clock, client, base };
}

/** Returns the outcome of a request while virtual time runs. */
async function outcome(clock: VirtualClock, request: Promise<unknown>): Promise<unknown> {
  let settled: { value: unknown } | null = null;
  const done = request.then(
    (value) => {
      settled = { value };
    },
    (error: unknown) => {
      settled = { value: error };
    },
  );
  await drive(clock, 'the request has an outcome', () => settled !== null, 10);
  await done;
  return (settled as unknown as { value: unknown }).value;
}

test('a redirect is refused and not followed', async () => {
  let asked = 0;
  const { clock, client } = await world((_request, response) => {
    asked++;
    response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
  });
  expect(await outcome(clock, client.get('/a', {}, 1))).toMatchObject({ code: 'redirect', status: 302 });
  expect(asked).toBe(1);
});

test('more than 5 MB is cut off', async () => {
  const { clock, client } = await world((_request, response) => {
    response.write(`["${'x'.repeat(6 * 1024 * 1024)}"]`);
    response.end();
  });
  expect(await outcome(clock, client.get('/a', {}, 1))).toMatchObject({ code: 'response_too_large' });
});

test('an answer that is not JSON is an error with its beginning', async () => {
  let asked = 0;
  const { clock, client } = await world((_request, response) => {
    asked++;
    response.end('<html>maintenance</html>');
  });
  expect(await outcome(clock, client.get('/a', {}, 1))).toMatchObject({
    code: 'not_json',
    message: expect.stringContaining('<html>maintenance'),
  });
  expect(asked).toBe(1);
});

test('silence ends after 10 s, three times', async () => {
  const { clock, client } = await world(() => {});
  expect(await outcome(clock, client.get('/a', {}, 1))).toMatchObject({ code: 'timeout', status: 0 });
  expect(clock.now() - NOON).toBeGreaterThanOrEqual(30_000);
});

test('a read with a total time asks a silent host once', async () => {
  let asked = 0;
  const { clock, client } = await world(() => void asked++, { totalMs: 2_500 });
  const read = client.get('/a', {}, 1);
  await until('the host is asked', () => asked === 1);
  clock.advanceTo(NOON + 2_500);
  await expect(read).rejects.toMatchObject({ code: 'timeout', status: 0 });
  expect([asked, clock.pending]).toEqual([1, 0]);
});

test('a read with a total time repeats quick failures while time is left', async () => {
  let asked = 0;
  const { clock, client } = await world((_request, response) => response.writeHead(++asked < 3 ? 503 : 200).end('{"n":1}'), {
    totalMs: 2_500,
  });
  let answer: unknown = null;
  const read = client.get('/a', {}, 1).then((value) => (answer = value));
  await until('the third attempt is answered', () => {
    // Only pauses pass; the time of a request does not.
    const next = clock.nextAt();
    if (next !== null && next - clock.now() <= 1_000) clock.advanceTo(next);
    return answer !== null;
  });
  expect(await read).toEqual({ n: 1 });
  expect(asked).toBe(3);
});

test('a read with a total time does not wait longer than that for its budget', async () => {
  const { client } = await world((_request, response) => response.end('{}'), { totalMs: 2_500, weightPerMinute: 10 });
  expect(await client.get('/a', {}, 10)).toEqual({});
  await expect(client.get('/a', {}, 1)).rejects.toMatchObject({ code: 'budget_exhausted' });
});

test('a server error is transient: the third attempt gets the answer', async () => {
  let asked = 0;
  const { clock, client } = await world((_request, response) => {
    asked++;
    response.writeHead(asked < 3 ? 503 : 200).end('{"n":1}');
  });
  expect(await outcome(clock, client.get('/a', {}, 1))).toEqual({ n: 1 });
  expect(asked).toBe(3);
});

test('a refusal of the request itself is final and has the venue’s code', async () => {
  let asked = 0;
  const { clock, client } = await world(
    (_request, response) => {
      asked++;
      response.writeHead(400).end('{"code":-1121,"msg":"Invalid symbol."}');
    },
    { readError: (body) => ({ code: String((body as { code: number }).code), message: (body as { msg: string }).msg }) },
  );
  expect(await outcome(clock, client.get('/a', {}, 1))).toMatchObject({ code: '-1121', message: 'Invalid symbol.', status: 400 });
  expect(asked).toBe(1);
});

test('an unreachable host is an error, not a hang', async () => {
  const { clock, client } = await world(() => {}, { baseUrl: `http://127.0.0.1:${REFUSING_PORT}` });
  expect(await outcome(clock, client.get('/a', {}, 1))).toMatchObject({ code: 'connection_failed', status: 0 });
});

test.each(['//evil.example/a', '/../etc', 'a', '/a?b=c', '/a#b', '/a b', 'http://evil.example/'])(
  'the path %j cannot leave the host',
  async (path) => {
    const { client } = await world((_request, response) => response.end('{}'));
    await expect(client.get(path, {}, 1)).rejects.toBeInstanceOf(TypeError);
  },
);

test('parameters are encoded, undefined ones left out', async () => {
  const urls: string[] = [];
  const { clock, client } = await world((request, response) => {
    urls.push(request.url as string);
    response.end('{}');
  });
  await outcome(clock, client.get('/a/b', { symbol: 'A&B=C', limit: 5, from: undefined }, 1));
  expect(urls).toEqual(['/a/b?symbol=A%26B%3DC&limit=5']);
});

test('an invalid base URL says what would be right', () => {
  expect(() =>
    createVenueHttp({ venue: 'spotexchange', baseUrl: 'ftp://x', clock: createVirtualClock(0), random: () => 0, weightPerMinute: 1 }),
  ).toThrow(/http/);
  expect(() =>
    createVenueHttp({ venue: 'spotexchange', baseUrl: 'nonsense', clock: createVirtualClock(0), random: () => 0, weightPerMinute: 1 }),
  ).toThrow(/looks like https/);
});

test('clients of one host share a given budget, and neither can use what the other has used', async () => {
  const budget = new WeightBudget(100);
  const one = await world((_request, response) => response.end('{}'), { budget, maxWaitMs: 0 });
  expect(await outcome(one.clock, one.client.get('/a', {}, 90))).toEqual({});
  const other = createVenueHttp({
    venue: 'spotexchange',
    baseUrl: one.base,
    clock: one.clock,
    random: seededRandom(1),
    weightPerMinute: 1_000,
    budget,
    maxWaitMs: 0,
  });
  cleanups.push(() => other.close());
  expect(await outcome(one.clock, other.get('/a', {}, 20))).toMatchObject({ code: 'budget_exhausted' });
  expect(await outcome(one.clock, other.get('/a', {}, 10))).toEqual({});
});

describe('the weight budget', () => {
  test('allows no more than its limit in any 60 s', () => {
    const random = seededRandom(4);
    const budget = new WeightBudget(100);
    const taken: { at: number; weight: number }[] = [];
    for (let now = 0; now < 600_000; now += Math.floor(random() * 400)) {
      const weight = 1 + Math.floor(random() * 30);
      if (budget.take(weight, now) === 0) taken.push({ at: now, weight });
    }
    for (const { at } of taken) {
      const sum = taken.filter((entry) => entry.at >= at && entry.at < at + 60_000).reduce((total, entry) => total + entry.weight, 0);
      expect(sum).toBeLessThanOrEqual(100);
    }
    expect(taken.reduce((total, entry) => total + entry.weight, 0)).toBeGreaterThan(900);
  });

  test('says how long to wait, and that wait is enough', () => {
    const budget = new WeightBudget(100);
    budget.take(60, 0);
    budget.take(40, 10_000);
    expect(budget.take(50, 20_000)).toBe(40_000);
    expect(budget.take(50, 60_000)).toBe(0);
  });

  test('adopts the venue’s higher count, and waits as told', () => {
    const budget = new WeightBudget(100);
    budget.take(10, 0);
    budget.observeUsed(95, 1_000);
    expect(budget.take(10, 2_000)).toBeGreaterThan(0);
    budget.block(500_000);
    expect(budget.take(1, 400_000)).toBe(100_000);
  });
});

test.each([
  [undefined, null],
  ['7', 7_000],
  ['Fri, 20 Nov 2026 12:00:30 GMT', 30_000],
  ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
  ['soon', null],
  // Longest known ban of a venue; a wrong value of the venue must not lock its client out for years.
  ['999999999', 259_200_000],
  ['Fri, 20 Nov 2099 12:00:00 GMT', 259_200_000],
])('Retry-After %j is %j ms', (header, ms) => {
  expect(retryAfterMs(header, NOON)).toBe(ms);
});

test('the backoff doubles from half a second to thirty, half of it random', () => {
  expect([1, 2, 3, 7, 8, 100].map((attempt) => backoffMs(attempt, () => 0))).toEqual([250, 500, 1_000, 15_000, 15_000, 15_000]);
  expect([1, 2, 3, 7, 8, 100].map((attempt) => backoffMs(attempt, () => 1))).toEqual([500, 1_000, 2_000, 30_000, 30_000, 30_000]);
});
