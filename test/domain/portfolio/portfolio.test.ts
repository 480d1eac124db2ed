// Holdings and prices, sectors, duplicate exposure and pool exits, compared with numbers computed by hand.
import { expect, test } from 'vitest';
import { USDC_MINT } from '../../../src/domain/catalog/catalog.ts';
import { pooledPrice } from '../../../src/domain/orders/costs.ts';
import { accountOfChainWallet, accountOfPrimaryWallet } from '../../../src/domain/portfolio/account.ts';
import { type Portfolio, type PortfolioMaterial, computePortfolio } from '../../../src/domain/portfolio/portfolio.ts';
import { QUALIFIED_MAX_AGE_MS } from '../../../src/domain/portfolio/positions.ts';
import type { Quality, QualityFlag } from '../../../src/domain/market/quote.ts';
import { DEFAULT_PREFERENCES } from '../../../src/domain/risk/index.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import { bookOf, MANUAL, materialOf, quoteOf, SATURDAY, WIDE } from './portfolio-samples.ts';

const holding = (positions: readonly (readonly [InstrumentKey, string])[], more: Partial<PortfolioMaterial> = {}): Portfolio =>
  computePortfolio(materialOf({ books: [bookOf(MANUAL, '100', positions)], ...more }), WIDE);
const one = (quality: Quality, flags: readonly QualityFlag[], observedAt = SATURDAY - 60_000) =>
  holding([['spotchain:AAPLx', '2']], { quotes: new Map([quoteOf('spotchain:AAPLx', '99', '101', { quality, flags, observedAt })]) });

test('a live quote values a holding at its mid, with venue, time, age and quality', () => {
  expect(one('live', []).holdings).toEqual([
    {
      id: `${MANUAL}/spotchain:AAPLx`,
      place: MANUAL,
      instrument: 'spotchain:AAPLx',
      symbol: 'AAPLx',
      name: 'Apple xStock',
      assetClass: 'public_equity',
      sector: 'technology',
      underlying: 'AAPL',
      quantity: '2',
      costUsd: '0',
      pricing: 'live',
      mark: '100',
      valueUsd: '200',
      quote: { venue: 'spotchain', source: 'test:feed', observedAt: SATURDAY - 60_000, ageMs: 60_000, quality: 'live', flags: [] },
      why: '',
      margin: null,
      inputs: [`book:${MANUAL}`, `fills:${MANUAL}/spotchain:AAPLx`, 'quote:spotchain:AAPLx', 'catalog:spotchain:AAPLx'],
    },
  ]);
  expect(one('live', []).totals).toMatchObject({
    valueUsd: '300',
    cashUsd: '100',
    liveUsd: '200',
    qualifiedUsd: '0',
    coverage: 'complete',
  });
});

test.each<[Quality, QualityFlag[]]>([
  ['stale', ['over_age']],
  ['stale', ['over_age', 'feed_down']],
  ['delayed', []],
  ['halted', ['session_closed']],
  ['stale', ['carried_forward']],
])('a former price (%s %j) values it with the reason, in a sum of its own', (quality, flags) => {
  const { holdings, totals } = one(quality, flags);
  expect(holdings[0]).toMatchObject({ pricing: 'qualified', valueUsd: '200', why: `its quote is ${[quality, ...flags].join(', ')}` });
  expect(totals).toMatchObject({ valueUsd: '300', liveUsd: '0', qualifiedUsd: '200', coverage: 'complete' });
});

test.each<[Quality, QualityFlag[]]>([
  ['degraded', []],
  ['degraded', ['crossed']],
  ['degraded', ['over_age', 'price_jump']],
  ['degraded', ['resyncing']],
  ['degraded', ['wide_confidence']],
])('a doubtful price (%s %j) values nothing: it is named, and in no sum', (quality, flags) => {
  const { holdings, totals, scenarios, sectors } = one(quality, flags);
  expect(holdings[0]).toMatchObject({ pricing: 'unpriced', mark: null, valueUsd: null, quote: { quality, flags } });
  expect(holdings[0]?.why).toContain('unreliable');
  expect(totals).toMatchObject({ valueUsd: '100', coverage: 'partial' });
  expect(totals.includes).toContain('. Excludes 1 unpriced holding');
  expect(scenarios[0]).toMatchObject({ coverage: 'partial', leftOut: [`${MANUAL}/spotchain:AAPLx`], effects: [] });
  expect(sectors.map(({ sector }) => sector)).toEqual(['cash']);
});

test('a quote up to a day old still values, and not a millisecond longer', () => {
  expect(one('stale', ['over_age'], SATURDAY - QUALIFIED_MAX_AGE_MS).holdings[0]?.pricing).toBe('qualified');
  expect(one('stale', ['over_age'], SATURDAY - QUALIFIED_MAX_AGE_MS - 1).holdings[0]).toMatchObject({
    pricing: 'unpriced',
    valueUsd: null,
  });
});

test.each([
  [null, '101', 'its quote has no bid'],
  ['99', null, 'its quote has no ask'],
  ['0', '0', 'its quote has no price above zero'],
])('bid %s and ask %s are no price', (bid, ask, why) => {
  const portfolio = holding([['spotchain:AAPLx', '2']], { quotes: new Map([quoteOf('spotchain:AAPLx', bid, ask)]) });
  expect(portfolio.holdings[0]).toMatchObject({ pricing: 'unpriced', why });
});

test("another venue's quote of the same underlying values nothing", () => {
  const portfolio = holding([['spotexchange:BTCUSDT', '1']], { quotes: new Map([quoteOf('evmvenue:BTC', '99', '101')]) });
  expect(portfolio.holdings[0]).toMatchObject({ pricing: 'unpriced', why: 'no quote received for spotexchange:BTCUSDT', quote: null });
});

test('a retired mint has no value, whatever is quoted', () => {
  const at = Date.UTC(2027, 2, 12);
  const portfolio = holding([['spotchain:SPACEX', '1']], {
    at,
    quotes: new Map([quoteOf('spotchain:SPACEX', '99', '101', { observedAt: at })]),
  });
  expect(portfolio.holdings[0]).toMatchObject({
    pricing: 'unpriced',
    why: 'its mint is not valid now, so it is not quoted',
  });
});

test('an unquoted contract is valued by its market’s known data, or else not', () => {
  const key: InstrumentKey = 'prediction:pm-000000000000000000000001.yes';
  const fact = {
    name: 'yes: Will it?',
    underlying: 'prediction:event',
    mark: '0.4',
    why: 'the bid of its listing',
    source: 'kalshi',
    observedAt: SATURDAY,
  };
  const listed = holding([[key, '10']], { outcomes: new Map([[key, fact]]) });
  expect(listed.holdings[0]).toMatchObject({
    assetClass: 'prediction',
    pricing: 'qualified',
    valueUsd: '4',
    underlying: 'prediction:event',
  });
  for (const { lossUsd } of listed.scenarios) expect(lossUsd).toBe('0');
  const unlisted = holding([[key, '10']], { outcomes: new Map([[key, { ...fact, mark: null, why: 'its market is closed' }]]) });
  expect(unlisted.holdings[0]).toMatchObject({ pricing: 'unpriced', why: `no quote received for ${key}; its market is closed` });
});

const MIXED = [
  ['spotchain:AAPLx', '10'],
  ['evmvenue:AAPL', '5'],
  ['spotchain:HUNTER', '400'],
  ['spotchain:MSFTx', '1'],
] as const;
const PRICES = new Map([
  quoteOf('spotchain:AAPLx', '199', '201'),
  quoteOf('evmvenue:AAPL', '199', '201'),
  quoteOf('spotchain:HUNTER', '0.9', '1.1'),
  quoteOf('spotchain:MSFTx', '399', '401'),
]);

test('sectors are those of the catalog, largest first, and sum with cash to the total', () => {
  const { sectors, totals } = holding(MIXED, { quotes: PRICES });
  expect(totals.valueUsd).toBe('3900');
  expect(sectors.map(({ sector, netUsd, weightPct }) => [sector, netUsd, weightPct])).toEqual([
    ['technology', '3400', 87.17948718],
    ['agent_tokens', '400', 10.25641026],
    ['cash', '100', 2.56410256],
  ]);
});

test('a share token, a perpetual on it and an agent token paired with it are one underlying, each with its relation', () => {
  const mandate = { version: 4, preferences: { ...DEFAULT_PREFERENCES, maxUnderlyingWeightPct: 75, maxPositionWeightPct: 51.2 } };
  const { duplicates, instruments } = holding(MIXED, { quotes: PRICES, mandate });
  expect(duplicates).toMatchObject([
    {
      underlying: 'AAPL',
      members: [
        { instrument: 'spotchain:AAPLx', relation: 'same_underlying', valueUsd: '2000' },
        { instrument: 'evmvenue:AAPL', relation: 'same_underlying', valueUsd: '1000' },
        { instrument: 'spotchain:HUNTER', relation: 'paired_stock', valueUsd: '400' },
      ],
      sameUnderlyingUsd: '3000',
      pairedUsd: '400',
      weightPct: 87.17948718,
      limitPct: 75,
      exceedsLimit: true,
    },
  ]);
  // 2000 of 3900 is 51.28 %.
  expect(instruments.map(({ instrument, exceedsLimit }) => [instrument, exceedsLimit])).toEqual([
    ['spotchain:AAPLx', true],
    ['evmvenue:AAPL', false],
    ['spotchain:HUNTER', false],
    ['spotchain:MSFTx', false],
  ]);
});

test('one instrument in two books is no duplicate; an unpriced member is named and fails the limit', () => {
  const books = [bookOf(MANUAL, '0', [['spotchain:AAPLx', '1']]), bookOf(`${MANUAL}:live`, '0', [['spotchain:AAPLx', '1']])];
  expect(computePortfolio(materialOf({ books, quotes: PRICES }), WIDE).duplicates).toEqual([]);
  const quotes = new Map([...PRICES].filter(([key]) => key !== 'evmvenue:AAPL'));
  const [found] = holding(MIXED.slice(0, 2), { quotes }).duplicates;
  expect(found).toMatchObject({ weightPct: null, exceedsLimit: true, sameUnderlyingUsd: '2000' });
  expect(found?.members[1]).toMatchObject({ instrument: 'evmvenue:AAPL', valueUsd: null });
});

test('an exit states its share of the pool, its slippage and the amount within the budget', () => {
  const mandate = { version: 0, preferences: { ...DEFAULT_PREFERENCES, maxPoolSharePct: 3, maxSlippageBps: 50 } };
  const pools = new Map([['spotchain:AAPLx', { liquidityUsd: '50000', observedAt: SATURDAY }] as const]);
  const { exits } = holding(MIXED.slice(0, 2), { quotes: PRICES, pools, mandate });
  // 2000 into a side of 25000: 2000 / 27000 below the mark; within 50 bps: 25000 x 0.005 / 0.995.
  expect(exits).toMatchObject([
    {
      instrument: 'spotchain:AAPLx',
      quantity: '10',
      positionUsd: '2000',
      liquidityUsd: '50000',
      sharePct: 4,
      largeAboveUsd: '2500',
      large: false,
      limitSharePct: 3,
      exceedsLimit: true,
      exitSlippageBps: 740.7407,
      exitableUsd: '125.62814',
      exitablePct: 6.281407,
    },
  ]);
  // The pool that fills orders agrees: an average of 200 x 25000 / 27000.
  const average = pooledPrice('sell', '200', '10', '50000');
  expect(average.div(200).minus(1).times(-10_000).toDecimalPlaces(4).toNumber()).toBe(740.7407);
});

const ADDRESS = '0xaf88d065e77c8cC2239327C5EDb3A432268e5831';

test('a wallet of the EVM chain holds stablecoins as cash, coins at the price of the spot exchange, and the rest unpriced', () => {
  const token = (symbol: string, amount: string) => ({ symbol, contract: `0x${symbol}`, decimals: 6, balance: '0', amount });
  const wallet = {
    address: ADDRESS,
    chainId: 42_161,
    kind: 'account',
    nonce: 1,
    block: { number: '77', hash: '0x', at: SATURDAY - 2_000 },
    fetchedAt: SATURDAY,
    native: { symbol: 'ETH', contract: null, decimals: 18, balance: '0', amount: '0.5' },
    tokens: [token('USDC', '100.25'), token('USDT', '9.75'), token('WETH', '0.5'), token('PEPE', '7'), token('ZERO', '0')],
    unread: [],
  } as const;
  const portfolio = computePortfolio(
    materialOf({
      mode: 'live',
      wallets: [accountOfChainWallet(wallet, SATURDAY)],
      quotes: new Map([quoteOf('spotexchange:ETHUSDT', '2499', '2501')]),
    }),
    WIDE,
  );
  expect(portfolio.totals).toMatchObject({ cashUsd: '110', qualifiedUsd: '2500', valueUsd: '2610', coverage: 'partial' });
  expect(portfolio.holdings.map(({ symbol, pricing, valueUsd }) => [symbol, pricing, valueUsd])).toEqual([
    ['ETH', 'qualified', '1250'],
    ['WETH', 'qualified', '1250'],
    ['PEPE', 'unpriced', null],
  ]);
  expect(portfolio.holdings[0]?.why).toBe('it is held on a chain and valued at the price of the spot exchange');
  expect(portfolio.inputs.find(({ kind }) => kind === 'wallet')).toMatchObject({
    observedAt: SATURDAY - 2_000,
    ageMs: 2_000,
    what: 'balances at block 77',
  });
});

/** Returns a valued wallet of the primary chain. */
function primary(tokens: readonly { mint: string; amount: bigint; decimals: number; multiplier?: number; frozen?: boolean }[]) {
  const at = Date.UTC(2026, 6, 1);
  const wallet = {
    address: mint('AAPLx'),
    slot: 9,
    fetchedAt: at,
    lamports: 2_000_000_000n,
    tokens: tokens.map((token) => ({ multiplier: 1, frozen: false, ...token })),
  };
  const quotes = new Map([
    quoteOf('spotchain:SPACEX', '9', '11', { observedAt: at }),
    quoteOf('spotexchange:SOLUSDT', '149', '151', { observedAt: at }),
  ]);
  return computePortfolio(materialOf({ at, mode: 'live', wallets: [accountOfPrimaryWallet(wallet, WIDE, at)], quotes }), WIDE);
}
const mint = (symbol: string) => WIDE.bySymbol(symbol)?.token?.mint as string;

test('a wallet of the primary chain holds raw units, which the multiplier of the mint turns into what is quoted', () => {
  const { holdings, totals } = primary([
    { mint: USDC_MINT, amount: 1_500_000n, decimals: 6 },
    // Five for one: three raw tokens are fifteen.
    { mint: mint('SPACEX'), amount: 3_000_000_000n, decimals: 9, multiplier: 5 },
    { mint: 'unknown', amount: 5n, decimals: 0 },
  ]);
  expect(holdings.map(({ symbol, quantity, valueUsd, pricing }) => [symbol, quantity, valueUsd, pricing])).toEqual([
    ['SOL', '2', '300', 'qualified'],
    ['SPACEX', '15', '150', 'live'],
    ['unknown', '5', null, 'unpriced'],
  ]);
  expect(totals).toMatchObject({ cashUsd: '1.5', valueUsd: '451.5' });
});

test('assets frozen by the issuer are qualified, and frozen dollars are no cash', () => {
  const { holdings, totals } = primary([
    { mint: USDC_MINT, amount: 1_500_000n, decimals: 6, frozen: true },
    { mint: mint('SPACEX'), amount: 1_000_000_000n, decimals: 9, frozen: true },
  ]);
  expect(holdings.map(({ symbol, pricing, why }) => [symbol, pricing, why])).toEqual([
    ['SOL', 'qualified', 'it is held on a chain and valued at the price of the spot exchange'],
    ['USDC', 'unpriced', 'the catalog does not list it, so it has no price; it is frozen and cannot be moved'],
    ['SPACEX', 'qualified', 'it is frozen and cannot be moved'],
  ]);
  expect(totals.cashUsd).toBe('0');
});

test('of unsolicited tokens a hundred are named and the rest counted', () => {
  const { holdings, inputs } = primary(Array.from({ length: 130 }, (_, index) => ({ mint: `spam${index}`, amount: 1n, decimals: 0 })));
  expect(holdings).toHaveLength(101);
  expect(inputs.find(({ kind }) => kind === 'wallet')?.what).toBe('balances at slot 9; 30 more tokens that the catalog does not list');
});

test('a wallet that did not answer makes the total partial', () => {
  const unread = [{ address: ADDRESS, asked: 'evmvenue', why: 'nobody answers' }];
  const { totals } = holding([], { unread });
  expect(totals).toMatchObject({ valueUsd: '100', coverage: 'partial' });
  expect(totals.includes).toContain('1 unread wallet');
});

test('every id referenced by a number is an input, a holding or a place of the same answer', () => {
  const pools = new Map([['spotchain:AAPLx', { liquidityUsd: '50000', observedAt: SATURDAY }] as const]);
  const portfolio = holding(MIXED, { quotes: PRICES, pools });
  const known = new Set([...portfolio.inputs, ...portfolio.holdings, ...portfolio.places].map(({ id }) => id));
  const { totals, holdings, instruments, sectors, duplicates, exits, scenarios, places } = portfolio;
  const named = [
    totals,
    ...places,
    ...holdings,
    ...instruments,
    ...sectors,
    ...duplicates,
    ...exits,
    ...scenarios,
    ...scenarios.flatMap(({ effects }) => effects),
  ];
  expect(named.flatMap(({ inputs }) => inputs.filter((id) => !known.has(id)))).toEqual([]);
  expect(named.every(({ inputs }) => inputs.length > 0)).toBe(true);
  expect(new Set(portfolio.inputs.map(({ id }) => id)).size).toBe(portfolio.inputs.length);
  expect(portfolio.inputs.find(({ kind }) => kind === 'fills')).toMatchObject({ refers: ['fill of spotchain:AAPLx'] });
});
