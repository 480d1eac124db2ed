// The five scenarios compared with numbers computed by hand, at their boundaries and by their laws.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Decimal } from '../../../src/domain/values/decimal.ts';
import { accountOfPerpAccount } from '../../../src/domain/portfolio/account.ts';
import { type PortfolioMaterial, computePortfolio } from '../../../src/domain/portfolio/portfolio.ts';
import { type ScenarioId, STANDARD_SCENARIOS } from '../../../src/domain/portfolio/standard-scenarios.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import type { PublicWallet } from '../../../src/domain/identity/wallet.ts';
import { bookOf, MANUAL, materialOf, quoteOf, SATURDAY, WIDE } from './portfolio-samples.ts';

/** Portfolio with every class: 1000 of each at the mark, and 5000 in cash. */
const EVERY: readonly (readonly [InstrumentKey, string])[] = [
  ['spotchain:AAPLx', '5'],
  ['spotchain:OPENAI', '20'],
  ['spotchain:HUNTER', '2000'],
  ['spotexchange:BTCUSDT', '0.01'],
  ['evmvenue:ETH', '0.4'],
];
const QUOTES = new Map([
  quoteOf('spotchain:AAPLx', '199', '201'),
  quoteOf('spotchain:OPENAI', '49.5', '50.5'),
  quoteOf('spotchain:HUNTER', '0.49', '0.51'),
  quoteOf('spotexchange:BTCUSDT', '99999', '100001'),
  quoteOf('evmvenue:ETH', '2499', '2501'),
]);
/** Depth at which no position is large for its pool. */
const DEEP = new Map(
  (['spotchain:AAPLx', 'spotchain:OPENAI', 'spotchain:HUNTER'] as const).map((key) => [
    key,
    { liquidityUsd: '1000000', observedAt: SATURDAY },
  ]),
);

const everything = (more: Partial<PortfolioMaterial> = {}) =>
  computePortfolio(materialOf({ books: [bookOf(MANUAL, '5000', EVERY)], quotes: QUOTES, pools: DEEP, ...more }), WIDE);
const scenario = (portfolio: ReturnType<typeof computePortfolio>, id: ScenarioId) => {
  const found = portfolio.scenarios.find((each) => each.id === id);
  if (found === undefined) throw new Error(`no ${id}`);
  return found;
};

test('the five scenarios are those of the specification, to the last percent', () => {
  expect(STANDARD_SCENARIOS.map(({ id, shocks }) => [id, shocks])).toEqual([
    ['equity_selloff', { public_equity: -10, pre_ipo: -20, agent_token: -35, crypto_spot: -15, perpetual: -15 }],
    ['private_mark_reset', { pre_ipo: -30 }],
    ['crypto_crash', { crypto_spot: -30, perpetual: -30, agent_token: -60, public_equity: -3 }],
    ['liquidity_freeze', { agent_token: -10, pre_ipo: -5, public_equity: -2 }],
    ['weekend_gap', { public_equity: -7 }],
  ]);
  expect(STANDARD_SCENARIOS.map(({ exitHaircutPct, against }) => [exitHaircutPct, against])).toEqual([
    [null, null],
    [null, null],
    [null, null],
    [-25, null],
    [null, 'next_regular_open'],
  ]);
});

// Of 1000 each: 100 + 200 + 350 + 150 + 150; 300; 30 + 600 + 300 + 300; 20 + 50 + 100; 70.
test.each([
  ['equity_selloff', '950', '9050', 9.5],
  ['private_mark_reset', '300', '9700', 3],
  ['crypto_crash', '1230', '8770', 12.3],
  ['liquidity_freeze', '170', '9830', 1.7],
  ['weekend_gap', '70', '9930', 0.7],
] as const)('%s takes %s of 10000', (id, lossUsd, afterUsd, lossPct) => {
  expect(scenario(everything(), id)).toMatchObject({ beforeUsd: '10000', lossUsd, afterUsd, lossPct, coverage: 'complete', leftOut: [] });
});

test('cash alone loses nothing in any of them', () => {
  const portfolio = computePortfolio(materialOf({ books: [bookOf(MANUAL, '123.45', [])] }), WIDE);
  for (const each of portfolio.scenarios) expect(each).toMatchObject({ beforeUsd: '123.45', afterUsd: '123.45', lossUsd: '0', lossPct: 0 });
});

test('the gap is measured against the next regular open, past a weekend and the change of clocks', () => {
  const portfolio = everything();
  // Monday 9 March 2026, 09:30 in New York on daylight time: 13:30 UTC.
  expect(scenario(portfolio, 'weekend_gap').opensAt).toBe(Date.UTC(2026, 2, 9, 13, 30));
  expect(portfolio.scenarios.filter(({ opensAt }) => opensAt !== null)).toHaveLength(1);
  expect(portfolio.inputs.find(({ id }) => id === 'calendar')?.what).toContain('2026-03-09T13:30:00.000Z');
  const beyond = everything({ at: Date.UTC(2031, 0, 4), quotes: new Map() });
  expect(scenario(beyond, 'weekend_gap').opensAt).toBeNull();
});

// The position is worth 1000: 5 % of 20000.
test.each([
  ['20000', 0, '20', 'at most 5 %'],
  ['20000.000001', 0, '20', 'at most 5 %'],
  ['19999.999999', -25, '270', 'larger than 5 %'],
  ['0', -25, '270', 'larger than 5 %'],
])('of a pool of %s the freeze takes a haircut of %d %%', (liquidityUsd, haircutPct, lossUsd, why) => {
  const pools = new Map([['spotchain:AAPLx', { liquidityUsd, observedAt: SATURDAY }] as const]);
  const portfolio = computePortfolio(materialOf({ books: [bookOf(MANUAL, '0', [['spotchain:AAPLx', '5']])], quotes: QUOTES, pools }), WIDE);
  const [effect] = scenario(portfolio, 'liquidity_freeze').effects;
  expect(effect).toMatchObject({ shockPct: -2, haircutPct, lossUsd });
  expect(effect?.why).toContain(why);
});

test('the haircut adds to the shock: an agent token falls by 35 percent of its price', () => {
  const pools = new Map([['spotchain:HUNTER', { liquidityUsd: '19000', observedAt: SATURDAY }] as const]);
  const portfolio = computePortfolio(
    materialOf({ books: [bookOf(MANUAL, '0', [['spotchain:HUNTER', '2000']])], quotes: QUOTES, pools }),
    WIDE,
  );
  expect(scenario(portfolio, 'liquidity_freeze')).toMatchObject({ lossUsd: '350', afterUsd: '650', lossPct: 35 });
});

test('a pool of unknown liquidity fails closed with the reason; order-book instruments have no pool', () => {
  const effects = scenario(everything({ pools: new Map() }), 'liquidity_freeze').effects;
  expect(effects.map(({ haircutPct }) => haircutPct)).toEqual([-25, -25, -25, 0, 0]);
  expect(effects[0]?.why).toMatch(/public_equity -2 %; exit haircut -25 %: its pool liquidity is unknown now/);
  expect(effects[3]?.why).toBe('crypto_spot keeps its price');
  expect(effects[0]?.inputs).toContain('pool:spotchain:AAPLx');
});

test('a position’s size is its total over all books', () => {
  const pools = new Map([['spotchain:AAPLx', { liquidityUsd: '20000', observedAt: SATURDAY }] as const]);
  const books = [
    bookOf(MANUAL, '0', [['spotchain:AAPLx', '3']]),
    bookOf(`agent:${'0'.repeat(8)}-0000-7000-8000-000000000001:live`, '0', [['spotchain:AAPLx', '2.5']]),
  ];
  const effects = scenario(computePortfolio(materialOf({ books, quotes: QUOTES, pools }), WIDE), 'liquidity_freeze').effects;
  expect(effects.map(({ haircutPct, lossUsd }) => [haircutPct, lossUsd])).toEqual([
    [-25, '162'],
    [-25, '135'],
  ]);
});

/** Returns an account of the perpetuals venue with one position. */
function account(size: string, accountValue: string): PublicWallet {
  return {
    address: '0x00000000000000000000000000000000000000A1',
    observedAt: SATURDAY,
    fetchedAt: SATURDAY,
    accountValue,
    totalNotional: '0',
    totalMarginUsed: '0',
    withdrawable: '0',
    positions: [
      {
        coin: 'ETH',
        size,
        entryPrice: '2500',
        positionValue: new Decimal(size).abs().times(2500).toFixed(),
        unrealizedPnl: '0',
        liquidationPrice: null,
        marginUsed: '0',
        leverage: 10,
        marginMode: 'cross',
        fundingSinceOpen: null,
      },
    ],
    pnl: {} as never,
    coverage: {} as never,
  };
}
const perps = (size: string, accountValue: string) =>
  computePortfolio(
    materialOf({ mode: 'live', wallets: [accountOfPerpAccount(account(size, accountValue), WIDE, SATURDAY)], quotes: QUOTES }),
    WIDE,
  );

test('a short gains if the price falls, and leverage applies the notional to the equity', () => {
  const short = perps('-4', '1000');
  expect(short.totals).toMatchObject({ valueUsd: '1000', cashUsd: '11000', liveUsd: '-10000', grossExposureUsd: '10000', leverage: 10 });
  expect(scenario(short, 'crypto_crash')).toMatchObject({ lossUsd: '-3000', afterUsd: '4000', lossPct: -300 });
  const long = perps('4', '1000');
  expect(scenario(long, 'crypto_crash')).toMatchObject({ lossUsd: '3000', afterUsd: '-2000', lossPct: 300 });
});

const KEYS = EVERY.map(([key]) => key);
const quantities = fc.array(fc.integer({ min: 0, max: 2_000_000_000 }), { minLength: KEYS.length, maxLength: KEYS.length });
const held = (amounts: readonly number[], times = 1) =>
  KEYS.map((key, index) => [key, new Decimal(amounts[index] ?? 0).times(times).div('1000000').toFixed()] as const).filter(
    ([, quantity]) => quantity !== '0',
  );

test('the portfolio’s value after a scenario is the exact sum of its parts', () => {
  fc.assert(
    fc.property(quantities, fc.integer({ min: 0, max: 100_000_000 }), (amounts, cents) => {
      const cash = new Decimal(cents).div(100).toFixed();
      const portfolio = computePortfolio(materialOf({ books: [bookOf(MANUAL, cash, held(amounts))], quotes: QUOTES }), WIDE);
      const values = portfolio.holdings.reduce((sum, { valueUsd }) => sum.plus(valueUsd as string), new Decimal(cash));
      expect(portfolio.totals.valueUsd).toBe(values.toFixed());
      const net = portfolio.sectors.reduce((sum, { netUsd }) => sum.plus(netUsd), new Decimal(0));
      expect(net.toFixed()).toBe(portfolio.totals.valueUsd);
      for (const { afterUsd, lossUsd, effects } of portfolio.scenarios) {
        expect(effects.reduce((sum, each) => sum.plus(each.afterUsd), new Decimal(cash)).toFixed()).toBe(afterUsd);
        expect(new Decimal(portfolio.totals.valueUsd).minus(lossUsd).toFixed()).toBe(afterUsd);
      }
    }),
    { numRuns: 200 },
  );
});

test('ten times the positions and the pools lose ten times as much', () => {
  fc.assert(
    fc.property(quantities, fc.integer({ min: 1, max: 500_000_000 }), (amounts, liquidity) => {
      const losses = (times: number) => {
        const pools = new Map(
          KEYS.map((key) => [key, { liquidityUsd: new Decimal(liquidity).times(times).toFixed(), observedAt: SATURDAY }]),
        );
        return computePortfolio(
          materialOf({ books: [bookOf(MANUAL, '0', held(amounts, times))], quotes: QUOTES, pools }),
          WIDE,
        ).scenarios.map(({ lossUsd }) => lossUsd);
      };
      const once = losses(1);
      expect(losses(10)).toEqual(once.map((loss) => new Decimal(loss).times(10).toFixed()));
    }),
    { numRuns: 200 },
  );
});

test('a short loses exactly what the same long gains', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000_000 }), (micro) => {
      const size = new Decimal(micro).div(1_000_000).toFixed();
      const [long, short] = [perps(size, '5000'), perps(`-${size}`, '5000')];
      const losses = (portfolio: typeof long) => portfolio.scenarios.map(({ lossUsd }) => new Decimal(lossUsd));
      losses(long).forEach((loss, index) => expect(loss.plus(losses(short)[index] as Decimal).isZero()).toBe(true));
    }),
    { numRuns: 100 },
  );
});
