// Prediction markets over HTTP: lists, one market, and research with numbers from both venues' simulators.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPredictionStore } from '../../src/adapters/store/predictions/prediction-store.ts';
import { createPredictionReads, type PredictionReads } from '../../src/adapters/venues/prediction/prediction-reads.ts';
import { Decimal } from '../../src/domain/values/decimal.ts';
import type { PredictionMarket } from '../../src/domain/prediction/market.ts';
import { matchQuestions } from '../../src/domain/prediction/question.ts';
import type { Quote } from '../../src/domain/market/quote.ts';
import { assessedBook } from '../../streams/quality/prediction-quality.ts';
import { sampleMarket, sampleTrade } from '../domain/prediction/samples.ts';
import { NOON, predictionFixture } from '../sandbox/prediction/fixture.ts';
import { type ApiUnderTest, apiUnderTest, NOW } from './api-under-test.ts';

let api: ApiUnderTest;
let token: string;
let fixture: Awaited<ReturnType<typeof predictionFixture>>;
let ours: readonly PredictionMarket[];
let theirs: readonly PredictionMarket[];
let pair: readonly [PredictionMarket, PredictionMarket];
beforeAll(async () => {
  fixture = await predictionFixture({ speed: 1 });
  api = await apiUnderTest(({ predictionMarkets }) => {
    let reads: PredictionReads = predictionMarkets;
    return {
      predictionMarkets: {
        list: (...query) => reads.list(...query),
        get: (id) => reads.get(id),
        counterparts: (market) => reads.counterparts(market),
        // The database exists once the API does; then the simulators answer for the venues.
        evidence: (market) => {
          reads = createPredictionReads({
            store: createPredictionStore(api.sql),
            venues: { polymarket: fixture.polymarketRest, kalshi: fixture.kalshiRest },
            clock: fixture.clock,
          });
          return reads.evidence(market);
        },
      },
    };
  });
  token = await api.token(['market:read']);
  const store = createPredictionStore(api.sql);
  ours = (await fixture.polymarketRest.list()).markets;
  theirs = (await fixture.kalshiRest.list()).markets;
  await store.saveMarkets([...ours, ...theirs]);
  const found = ours.flatMap((one) =>
    theirs.flatMap((other) => (matchQuestions(one, other).verdict === 'same' && one.underlying === 'BTC' ? [[one, other] as const] : [])),
  );
  // The most informative price is nearest to even.
  const middle = ([one]: readonly [PredictionMarket, PredictionMarket]): number => Math.abs(Number(one.outcomes[0].bid) - 0.5);
  pair = found.sort((a, b) => middle(a) - middle(b))[0] as readonly [PredictionMarket, PredictionMarket];
});
afterAll(async () => {
  await api.close();
  await fixture.close();
});
const get = (url: string) => api.call('GET', url, { token });
const path = (market: PredictionMarket, more = ''): string => `/v1/prediction-markets/${market.id}${more}`;

describe('the list', () => {
  test('pages through every market once, those that end last first', async () => {
    const seen: PredictionMarket[] = [];
    let cursor: string | null = null;
    do {
      const reply = await get(`/v1/prediction-markets?limit=13${cursor === null ? '' : `&cursor=${cursor}`}`);
      expect(reply.status, reply.text).toBe(200);
      seen.push(...reply.body.items);
      cursor = reply.body.nextCursor;
    } while (cursor !== null);
    expect(new Set(seen.map(({ id }) => id))).toEqual(new Set([...ours, ...theirs].map(({ id }) => id)));
    expect(seen).toHaveLength(ours.length + theirs.length);
    const ends = seen.map(({ closesAt }) => Date.parse(closesAt as never));
    expect(ends).toEqual([...ends].sort((a, b) => b - a));
  });

  test.each([
    ['provider=kalshi', (one: PredictionMarket) => one.provider === 'kalshi'],
    ['underlying=ETH', (one: PredictionMarket) => one.underlying === 'ETH'],
    ['symbol=AAPLx', (one: PredictionMarket) => one.underlying === 'AAPL'],
    [
      'status=open&provider=polymarket&underlying=BTC',
      (one: PredictionMarket) => one.provider === 'polymarket' && one.underlying === 'BTC',
    ],
    ['q=bitcoin', (one: PredictionMarket) => one.question.toLowerCase().includes('bitcoin')],
    ['q=%25', () => false],
    ['status=voided', () => false],
    ['symbol=AAPLx&underlying=BTC', () => false],
  ])('%s filters', async (query, keeps) => {
    const { items } = (await get(`/v1/prediction-markets?limit=200&${query}`)).body as { items: PredictionMarket[] };
    expect(new Set(items.map(({ id }) => id))).toEqual(new Set([...ours, ...theirs].filter(keeps).map(({ id }) => id)));
  });

  test('the markets of one event', async () => {
    const event = ours.find((one) => one.event?.mutuallyExclusive === true)?.event as { id: string };
    const { items } = (await get(`/v1/prediction-markets?event=${event.id}`)).body;
    expect(items).toHaveLength(3);
    expect(items.every((one: PredictionMarket) => one.event?.mutuallyExclusive === true && one.event.id === event.id)).toBe(true);
  });

  test.each(['provider=betfair', 'status=frozen', 'event=E1', 'symbol=NOPEx', 'cursor=bm9wZQ', 'limit=0', 'colour=red'])(
    '%s is refused',
    async (query) => {
      expect((await get(`/v1/prediction-markets?${query}`)).status).toBe(400);
    },
  );

  test('wants the permission to read the market', async () => {
    const other = await api.token(['agent:read']);
    expect((await api.call('GET', '/v1/prediction-markets', { token: other })).status).toBe(403);
  });
});

describe('one market', () => {
  test('shows streamed prices if received, and says stale if the listing is old', async () => {
    const market = sampleMarket('kalshi', 'KXONE', { receivedAt: NOW - 1_000, observedAt: NOW - 1_000 });
    const old = sampleMarket('kalshi', 'KXOLD', { receivedAt: NOW - 61_000, observedAt: NOW - 61_000 });
    await createPredictionStore(api.sql).saveMarkets([market, old]);
    const [yes] = market.outcomes;
    const quote = {
      kind: 'quote',
      venue: 'prediction',
      instrument: yes.instrument,
      source: 'kalshi:orderbook',
      observedAt: NOW - 20,
      receivedAt: NOW - 10,
      sourceTime: true,
    } as const;
    const received: Quote = {
      ...quote,
      bid: '0.52',
      ask: '0.55',
      bidSize: '310',
      askSize: '42.5',
      sequence: 7,
      quality: 'live',
      flags: [],
    };
    api.market.set(`prediction:${yes.instrument}`, received);
    const { body } = await get(path(market));
    expect(body.outcomes).toMatchObject([
      {
        side: 'yes',
        bid: '0.52',
        ask: '0.55',
        bidSize: '310',
        source: 'kalshi:orderbook',
        quality: 'live',
        observedAt: new Date(NOW - 20).toISOString(),
      },
      { side: 'no', bid: null, source: 'kalshi:markets', quality: 'live' },
    ]);
    expect(body).toMatchObject({
      id: market.id,
      status: 'open',
      asks: { comparator: 'above', resolvesAt: '2026-11-22T17:00:00.000Z' },
      quality: 'live',
    });
    expect((await get(path(old))).body).toMatchObject({ quality: 'stale', flags: ['over_age'], outcomes: [{ quality: 'stale' }, {}] });
    const quotes = (await get(`/v1/quotes?venue=prediction&instrument=${yes.instrument}`)).body.items;
    expect(quotes).toMatchObject([{ venue: 'prediction', bid: '0.52', mid: '0.535' }]);
  });

  test('an older message changes nothing, a newer one does, and each change of status is kept', async () => {
    const store = createPredictionStore(api.sql);
    const market = sampleMarket('kalshi', 'KXLIFE', { receivedAt: 1_000 });
    await store.saveMarkets([market]);
    await store.saveMarkets([{ ...market, status: 'closed', receivedAt: 999 }]);
    expect((await store.get(market.id))?.status).toBe('open');
    await store.saveMarkets([{ ...market, status: 'closed', providerStatus: 'closed', receivedAt: 2_000 }]);
    await store.saveMarkets([{ ...market, status: 'resolved', providerStatus: 'finalized', receivedAt: 3_000 }]);
    const changes =
      await api.sql`select status, provider_status, received_at from prediction_status_changes where market_id = ${market.id} order by received_at`;
    expect(changes.map((row) => [row['status'], row['provider_status'], row['received_at']])).toEqual([
      ['open', 'active', 1_000],
      ['closed', 'closed', 2_000],
      ['resolved', 'finalized', 3_000],
    ]);
    await expect(api.sql`delete from prediction_status_changes`).rejects.toThrow();
  });

  test.each(['pm-000000000000000000000000', 'nope', 'pm-XYZ'])('%s does not exist', async (id) => {
    for (const more of ['', '/research']) {
      const reply = await get(`/v1/prediction-markets/${id}${more}`);
      expect([reply.status, reply.body.code]).toEqual([404, 'not_found']);
    }
  });
});

interface Number {
  readonly id: string;
  readonly value: string | null;
  readonly inputs: readonly string[];
}

describe('a research', () => {
  test('compares the same question on both venues, and every number can be recomputed from its inputs', async () => {
    const reply = await get(path(pair[0], '/research'));
    expect(reply.status, reply.text).toBe(200);
    const { body } = reply;
    expect(body.same).toMatchObject([{ marketId: pair[1].id, provider: 'kalshi' }]);
    expect(body.same[0].reasons).toContain('both ask for above');
    expect(new Set(body.inputs.map(({ provider }: { provider: string }) => provider))).toEqual(new Set(['polymarket', 'kalshi']));
    const inputs = new Map<string, { value: string; size: string; kind: string; counts: boolean }>(
      body.inputs.map((one: { id: string }) => [one.id, one]),
    );
    const derived = new Map<string, Number>(body.derived.map((one: Number) => [one.id, one]));
    for (const number of derived.values()) for (const id of number.inputs) expect(inputs.has(id) || derived.has(id)).toBe(true);
    // Independent computation of the two numbers that matter.
    const mids = (['polymarket', 'kalshi'] as const).map((provider) => {
      const side = (kind: string) => [...inputs].filter(([id]) => id.startsWith(`${provider}.${kind}.`)).map(([, one]) => one);
      const depth = (kind: string) => side(kind).reduce((sum, { size }) => sum.plus(size), new Decimal(0));
      const [bid, ask] = [side('bid')[0]?.value as string, side('ask')[0]?.value as string];
      const mid = depth('ask')
        .times(bid)
        .plus(depth('bid').times(ask))
        .div(depth('bid').plus(depth('ask')))
        .toDecimalPlaces(8);
      expect(derived.get(`${provider}.depthMid`)?.value).toBe(mid.toFixed());
      return { mid, depth: Decimal.min(depth('bid'), depth('ask')) };
    });
    if (body.corroboration === 'corroborated') {
      const [a, b] = mids as [(typeof mids)[0], (typeof mids)[0]];
      const mean = a.mid.times(a.depth).plus(b.mid.times(b.depth)).div(a.depth.plus(b.depth)).toDecimalPlaces(8);
      expect(new Decimal(body.probability.value).minus(mean).abs().lt('0.0000001')).toBe(true);
    } else expect([body.corroboration, body.probability.value]).toEqual(['disputed', null]);
    expect([...inputs.values()].some(({ kind, counts }) => kind === 'trade' && counts)).toBe(true);
    expect(derived.get('kalshi.vwap')?.value).toMatch(/^0\.\d+$/);
  });

  test('parses the criteria and names the differences between the venues', async () => {
    const { body } = await get(path(pair[0], '/research'));
    expect(body.criteria.map(({ provider }: { provider: string }) => provider)).toEqual(['polymarket', 'kalshi']);
    expect(body.criteria[0].criteria.map(({ aspect }: { aspect: string }) => aspect)).toEqual([
      'condition',
      'fallback',
      'source',
      'fallback',
    ]);
    expect(body.differences.find(({ aspect }: { aspect: string }) => aspect === 'sources')).toMatchObject({
      ours: expect.stringContaining('Binance'),
      theirs: expect.stringContaining('CF Benchmarks'),
      material: true,
    });
    expect(body.disagreement.riskless).toBe(false);
  });

  test('never merges merely related questions', async () => {
    const sol = ours.find(({ underlying }) => underlying === 'SOL') as PredictionMarket;
    const { body } = await get(path(sol, '/research'));
    expect([body.same, body.corroboration]).toEqual([[], 'single_source']);
    expect(body.related.length).toBeGreaterThan(2);
    expect(body.related[0].reasons.join(' ')).toMatch(/at_or_above/);
    expect(body.notes).toContain('the other venue lists no market that asks the same');
    expect(body.disagreement).toMatchObject({ verdict: 'not_comparable', riskless: null });
  });

  test('a silent venue leaves one source, whose received trades are used', async () => {
    await createPredictionStore(api.sql).saveTrades([sampleTrade(pair[1], 'yes', '0.5', '10', fixture.clock.now() - 60_000)]);
    fixture.kalshi.faults.set({ status429: 1 });
    try {
      const { body } = await get(path(pair[0], '/research'));
      expect(body.corroboration).toBe('single_source');
      expect(body.notes.join(' ')).toMatch(/kalshi is not counted: the venue gave no order book/);
      expect(
        body.inputs.filter(({ provider, kind }: { provider: string; kind: string }) => provider === 'kalshi' && kind === 'trade'),
      ).toMatchObject([{ value: '0.5', size: '10' }]);
    } finally {
      fixture.kalshi.faults.reset();
    }
  });

  test.each([
    [{ crossed: 1 }, /degraded \(crossed\)/],
    [{ clockOffsetMs: -120_000 }, /stale \(over_age\)/],
    [{ nanPrice: 1 }, /not a plain decimal/],
  ])('a book with %j does not count, and is reported', async (fault, why) => {
    fixture.polymarket.faults.set(fault);
    try {
      const { body } = await get(path(pair[0], '/research'));
      expect(body.corroboration).toBe('single_source');
      expect(body.notes.join(' ')).toMatch(why);
    } finally {
      fixture.polymarket.faults.reset();
    }
  });
});

test('a book from the future does not count either', () => {
  const book = {
    marketId: 'x',
    provider: 'kalshi',
    source: 'kalshi:orderbook',
    observedAt: NOON + 2_001,
    receivedAt: NOON,
    bids: [],
    asks: [],
  } as const;
  expect(assessedBook(book, NOON)).toMatchObject({ quality: 'degraded', flags: expect.arrayContaining(['one_sided', 'clock_skew']) });
});
