// Catalog over HTTP: token facts, exact valuations, references, filters, sessions and the history of marks.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createIssuerMarkStore } from '../../src/adapters/store/catalog/issuer-mark-store.ts';
import { CATALOG } from '../../src/domain/catalog/catalog.ts';
import type { IssuerMarkState } from '../../src/domain/catalog/issuer-mark.ts';
import { completeCatalog } from '../../src/domain/catalog/listed-token.ts';
import { marketStateKey } from '../../src/domain/market/market-state.ts';
import type { Quote, ReferencePrice } from '../../src/domain/market/quote.ts';
import { SANDBOX_AGENT_TOKENS } from '../../src/sandbox/agent-tokens.ts';
import { type ApiUnderTest, apiUnderTest, createdAgent, NOW } from './api-under-test.ts';

let api: ApiUnderTest;
let token: string;
beforeAll(async () => {
  api = await apiUnderTest();
  token = await api.token(['market:read']);
});
afterEach(() => {
  CATALOG.list([]);
  api.market.clear();
  api.states.clear();
});
afterAll(() => api.close());
const get = (url: string) => api.call('GET', url, { token });
const entryOf = async (symbol: string) =>
  (await get('/v1/catalog?limit=200')).body.items.find(({ instrument }: { instrument: string }) => instrument === symbol);
const keysOf = async (query: string): Promise<string[]> =>
  (await get(`/v1/catalog?limit=200&${query}`)).body.items.map(({ key }: { key: string }) => key);

const MINT = CATALOG.bySymbol('OPENAI')?.token?.mint as string;
function receiveQuote(instrument: string, bid: string, ask: string): void {
  const quote: Quote = {
    kind: 'quote',
    venue: 'spotchain',
    instrument,
    source: 'jupiter:quote',
    observedAt: NOW - 100,
    receivedAt: NOW - 100,
    sourceTime: false,
    bid,
    ask,
    bidSize: '1',
    askSize: '1',
    sequence: 1,
    quality: 'live',
    flags: [],
  };
  api.market.set(`spotchain:${instrument}`, quote);
}
function receiveReference(instrument: string, referencePrice: string, over: Partial<ReferencePrice> = {}): void {
  api.market.set(`reference:${instrument}`, {
    kind: 'reference',
    venue: 'reference',
    instrument,
    source: 'pyth:hermes',
    observedAt: NOW - 900,
    receivedAt: NOW - 800,
    feedUpdatedAt: NOW - 1_000,
    referencePrice,
    confidence: '0',
    publisherSession: null,
    quality: 'live',
    flags: [],
    ...over,
  });
}
function receiveMark(over: Partial<IssuerMarkState> = {}): void {
  const state: IssuerMarkState = {
    kind: 'issuer_mark',
    venue: 'reference',
    instrument: 'OPENAI',
    issuer: 'prestocks',
    source: 'prestocks:mark',
    mint: MINT,
    mintVerified: true,
    markPrice: '1007.05683324',
    markValuation: '1649903811610',
    supply: '7381.972255745',
    firstSeenAt: NOW - 3_000_000,
    changedAt: NOW - 2_000_000,
    observedAt: NOW - 5_000,
    receivedAt: NOW - 5_000,
    ...over,
  };
  api.states.set(marketStateKey(state), state);
}

/** Computes floor(a x b x 10^8 / c) of plain decimals with integers. */
function scaledRatio(a: string, b: string, c: string): bigint {
  const whole = (text: string): readonly [bigint, number] => {
    const [before = '', after = ''] = text.split('.');
    return [BigInt(before + after), after.length];
  };
  const [[x, xd], [y, yd], [z, zd]] = [whole(a), whole(b), whole(c)];
  return (x * y * 10n ** BigInt(8 + zd)) / (z * 10n ** BigInt(xd + yd));
}

describe('a pre-IPO token', () => {
  test('has the verified mint, the live price, the mark with its valuation, the implied valuation and the gap', async () => {
    receiveQuote('OPENAI', '956.7206391833798', '956.7206391833798');
    receiveReference('OPENAI', '1007.05683324', { source: 'prestocks:mark', feedUpdatedAt: NOW - 2_000_000 });
    receiveMark();
    const entry = await entryOf('OPENAI');
    expect(entry).toMatchObject({
      mint: MINT,
      mintVerified: true,
      livePrice: '956.7206391833798',
      issuerMark: '1007.05683324',
      issuerMarkValuation: '1649903811610',
      issuerMarkQuality: 'live',
      issuerMarkSource: 'prestocks:mark',
      issuerMarkFirstSeenAt: new Date(NOW - 3_000_000).toISOString(),
      issuerMarkChangedAt: new Date(NOW - 2_000_000).toISOString(),
      issuerMarkConfirmedAt: new Date(NOW - 5_000).toISOString(),
      supply: '7381.972255745',
      referencePrice: null,
    });
    // The issuer's own figure of that day, to the dollar.
    expect(Math.round(Number(entry.impliedValuation))).toBe(1_567_435_895_506);
    const exact = scaledRatio('956.7206391833798', '1649903811610', '1007.05683324');
    const shown = BigInt(entry.impliedValuation.replace('.', '').padEnd(entry.impliedValuation.indexOf('.') + 8, '0'));
    expect(shown - exact >= 0n && shown - exact <= 1n).toBe(true);
    // The displayed gap is (implied - mark) / mark of the valuations.
    expect(entry.gapPct).toBeCloseTo(((Number(entry.impliedValuation) - 1_649_903_811_610) / 1_649_903_811_610) * 100, 8);
  });

  test('shows only the valuation of the mark whose price it shows', async () => {
    receiveQuote('OPENAI', '900', '902');
    receiveReference('OPENAI', '1100', { source: 'prestocks:mark' });
    receiveMark();
    expect(await entryOf('OPENAI')).toMatchObject({
      issuerMark: '1100',
      issuerMarkValuation: null,
      impliedValuation: null,
      mintVerified: true,
    });
  });

  test('without a live price has no implied valuation, and says if its mint is unverified', async () => {
    receiveMark({ mintVerified: false });
    expect(await entryOf('OPENAI')).toMatchObject({
      livePrice: null,
      issuerMark: '1007.05683324',
      impliedValuation: null,
      gapPct: null,
      mintVerified: false,
    });
    expect(await entryOf('KALSHI')).toMatchObject({ issuerMark: null, issuerMarkValuation: null, mintVerified: null });
  });
});

describe('a tokenized share', () => {
  test('names its reference price with quality and age', async () => {
    receiveQuote('AAPLx', '197', '199');
    receiveReference('AAPL', '200', { source: 'finnhub:quote', quality: 'delayed', feedUpdatedAt: NOW - 61_000 });
    expect(await entryOf('AAPLx')).toMatchObject({
      livePrice: '198',
      referencePrice: '200',
      referenceSource: 'finnhub:quote',
      referenceQuality: 'delayed',
      referenceUpdatedAt: new Date(NOW - 61_000).toISOString(),
      referenceAgeMs: 61_000,
      gapPct: -1,
      issuerMark: null,
      mintVerified: null,
    });
  });

  test('shows the present multiplier, and the next one before it takes effect', async () => {
    expect((await entryOf('SPYx')).token).toMatchObject({
      multiplier: '1.0039092',
      nextMultiplier: '1.0057146',
      nextMultiplierAt: '2026-06-18T00:00:00.000Z',
      decimals: 8,
      program: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
      lifecycle: 'active',
      validTo: null,
      successor: null,
    });
    expect((await entryOf('BTC')).token).toBeNull();
  });

  test('that converts names its successor and its end', async () => {
    expect((await entryOf('SPACEX')).token).toMatchObject({
      lifecycle: 'active',
      validTo: '2027-03-12T00:00:00.000Z',
      successor: {
        symbol: 'SPCXx',
        mint: 'Xs3oZwbHvqis4NYcf4YKWmEia2eC84wSiVrcYcTqpH8',
        convertsFrom: '2026-06-10T04:30:00.000Z',
      },
    });
  });
});

describe('agent tokens', () => {
  test('are in the catalog with their share, and an agent may name them', async () => {
    completeCatalog(SANDBOX_AGENT_TOKENS.map((one) => ({ ...one, delistedAt: null })));
    receiveQuote('ORCHARD', '0.0184', '0.0186');
    expect(await entryOf('ORCHARD')).toMatchObject({
      kind: 'agent_token',
      classification: 'agenttoken-solana',
      pairedStock: 'spotchain:AAPLx',
      livePrice: '0.0185',
      benchmark: null,
      gapPct: null,
    });
    const author = await api.token(['trade:execute', 'agent:read']);
    const id = await createdAgent(api, author, {
      universe: ['ORCHARD', 'VOLTAGE'],
      entryConditions: [{ type: 'price_below', price: '1' }],
      exitConditions: [{ type: 'price_above', price: '2' }],
    });
    expect((await api.call('GET', `/v1/agents/${id}`, { token: author })).status).toBe(200);
  });
});

describe('the filters', () => {
  test.each([
    ['classification=preipo-solana', 8],
    ['classification=tokenequity-solana', 11],
    ['classification=agenttoken-solana', 0],
    ['underlying=BTC', 2],
    ['underlying=btc', 0],
    ['q=aaplX', 1],
    ['q=apple', 2],
    ['q=BTC-PERP', 1],
    ['q=pren1fvf', 1],
    ['q=bitcoin&venue=evmvenue', 1],
    ['q=x&kind=perp&classification=preipo-solana', 0],
    ['q=%25', 0],
  ])('%s finds %i', async (query, count) => {
    const keys = await keysOf(query);
    expect(keys).toHaveLength(count);
    expect(keys).toEqual([...keys].sort());
  });

  test.each(['classification=equity', 'q=', 'underlying=', `q=${'x'.repeat(65)}`, 'symbol=BTC'])('%s is refused', async (query) => {
    expect((await get(`/v1/catalog?${query}`)).body).toMatchObject({ status: 400, code: 'malformed' });
  });

  test('page through the same order as without pages', async () => {
    const all = await keysOf('q=o');
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await get(`/v1/catalog?q=o&limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...body.items.map(({ key }: { key: string }) => key));
      cursor = body.nextCursor;
    }
    expect(seen).toEqual(all);
    expect(all.length).toBeGreaterThan(3);
  });
});

describe('the sessions', () => {
  const days = async (query: string) => (await get(`/v1/catalog/sessions?limit=200&${query}`)).body.items;

  test('of the week of Thanksgiving: three full days, a holiday, a half day, no weekend', async () => {
    expect(await days('from=2026-11-21&to=2026-11-29')).toEqual([
      ...['2026-11-23', '2026-11-24', '2026-11-25'].map((date) => ({
        date,
        kind: 'full_day',
        occasion: null,
        preMarketAt: `${date}T09:00:00.000Z`,
        regularAt: `${date}T14:30:00.000Z`,
        postMarketAt: `${date}T21:00:00.000Z`,
        closedAt: `${date.slice(0, 8)}${Number(date.slice(8)) + 1}T01:00:00.000Z`,
      })),
      {
        date: '2026-11-26',
        kind: 'holiday',
        occasion: 'Thanksgiving Day',
        preMarketAt: null,
        regularAt: null,
        postMarketAt: null,
        closedAt: null,
      },
      {
        date: '2026-11-27',
        kind: 'half_day',
        occasion: 'Day after Thanksgiving',
        preMarketAt: '2026-11-27T09:00:00.000Z',
        regularAt: '2026-11-27T14:30:00.000Z',
        postMarketAt: '2026-11-27T18:00:00.000Z',
        closedAt: '2026-11-27T22:00:00.000Z',
      },
    ]);
  });

  test('start today in New York and reach to the end of the calendar, page by page', async () => {
    expect((await days(''))[0].date).toBe('2026-03-02');
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await get(`/v1/catalog/sessions?from=2027-01-01&to=2027-12-31&limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...body.items.map(({ date }: { date: string }) => date));
      cursor = body.nextCursor;
    }
    expect(seen).toHaveLength(261);
    expect([...seen].sort()).toEqual(seen);
    expect(new Set(seen).size).toBe(261);
    expect((await days('from=2027-12-20')).at(-1).date).toBe('2027-12-31');
  });

  test.each(['from=2028-01-03', 'to=2019-12-31', 'from=2026-02-30', 'from=2026-05-02&to=2026-05-01', 'from=tomorrow', 'day=2026-01-05'])(
    '%s is refused rather than called closed',
    async (query) => {
      expect((await get(`/v1/catalog/sessions?${query}`)).body).toMatchObject({ status: 400, code: 'malformed' });
    },
  );
});

test('the history of marks is paged newest first and names what changed', async () => {
  const store = createIssuerMarkStore(api.sql);
  for (const [markPrice, markValuation, receivedAt] of [
    ['100', '1000000000000', NOW - 30],
    ['110', '1100000000000', NOW - 20],
    ['99', '990000000000', NOW - 10],
  ] as const)
    await store.append([
      {
        symbol: 'OPENAI',
        mint: MINT,
        markPrice,
        markValuation,
        tokenPrice: '101.5',
        impliedValuation: null,
        supply: null,
        receivedAt,
        issuer: 'prestocks',
        source: 'prestocks:mark',
      },
    ]);
  const first = await get('/v1/catalog/marks?instrument=OPENAI&limit=2');
  expect(first.body.items).toEqual([
    {
      instrument: 'OPENAI',
      issuer: 'prestocks',
      source: 'prestocks:mark',
      mint: MINT,
      seenAt: new Date(NOW - 10).toISOString(),
      markPrice: '99',
      markValuation: '990000000000',
      previousMarkPrice: '110',
      previousMarkValuation: '1100000000000',
      changePct: -10,
      supply: null,
      issuerTokenPrice: '101.5',
      issuerImpliedValuation: null,
    },
    expect.objectContaining({ markPrice: '110', previousMarkPrice: '100', changePct: 10 }),
  ]);
  const { body } = await get(`/v1/catalog/marks?instrument=OPENAI&limit=2&cursor=${first.body.nextCursor}`);
  expect(body).toMatchObject({ items: [{ markPrice: '100', previousMarkPrice: null, changePct: null }], nextCursor: null });
  expect((await get('/v1/catalog/marks?instrument=NOPE')).body).toEqual({ items: [], nextCursor: null });
});
