/** Rankings on cuts: every row has a rank or a reason, scores are sums of their terms, and the order equals an independent computation. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { basisRow } from '../../../src/domain/basis/basis-row.ts';
import { CATALOG, type CatalogEntry } from '../../../src/domain/catalog/catalog.ts';
import type { Cut, Observation } from '../../../src/domain/market/cut.ts';
import { Decimal } from '../../../src/domain/values/decimal.ts';
import { DEFAULT_DEPTH_LIMITS, findDepth, searchDepth } from '../../../src/domain/ranking/depth-search.ts';
import { eventFactors, computeWeight } from '../../../src/domain/ranking/event-intensity.ts';
import { FAIR_VALUE_MODES, rankFairValue, slippageOfBuys } from '../../../src/domain/ranking/fair-value.ts';
import { computeMomentum } from '../../../src/domain/ranking/momentum.ts';
import { fitTerms } from '../../../src/domain/ranking/portfolio-fit.ts';
import { PRIVATE_MODES, rankPrivateMarkets } from '../../../src/domain/ranking/private-markets.ts';
import type { RankedRow } from '../../../src/domain/ranking/ranked-row.ts';
import { event, HOUR, LIVE_QUOTE, LIVE_REFERENCE, observation, SLOT } from '../observations.ts';

const EQUITIES = CATALOG.fixed.entries.filter(({ kind }) => kind === 'tokenized_equity');
const PRIVATE = CATALOG.fixed.entries.filter(({ kind }) => kind === 'pre_ipo');

function seenOf(entry: CatalogEntry, over: Partial<Observation>): Observation {
  return observation({ instrument: entry.key, ...over });
}

function cutOf(...seen: readonly Observation[]): Cut {
  return { slot: SLOT, observations: new Map(seen.map((one) => [one.instrument, one])) };
}

function rowOf(rows: readonly RankedRow[], symbol: string): RankedRow {
  const row = rows.find((one) => one.symbol === symbol);
  if (row === undefined) throw new Error(`no row of ${symbol}`);
  return row;
}

const request = (mode: (typeof FAIR_VALUE_MODES)[number]) => ({ mode, slippageBps: 50 });

describe('fair value', () => {
  const [first, second, third] = EQUITIES as [CatalogEntry, CatalogEntry, CatalogEntry];
  const cut = cutOf(
    seenOf(first, { premiumPct: -1.5, liquidityUsd: '400000' }),
    seenOf(second, { premiumPct: 2.25, liquidityUsd: '100000' }),
    seenOf(third, { premiumPct: -4, reference: { ...LIVE_REFERENCE, quality: 'live', flags: ['carried_forward'] }, liquidityUsd: null }),
  );

  it('lists every tokenized equity once, ranked from 1 or with its reasons', () => {
    for (const mode of FAIR_VALUE_MODES) {
      const rows = rankFairValue(CATALOG.fixed.entries, cut, request(mode));
      expect(rows.map(({ symbol }) => symbol).sort()).toEqual(EQUITIES.map(({ instrument }) => instrument).sort());
      const ranks = rows.flatMap(({ rank }) => (rank === null ? [] : [rank]));
      expect(ranks).toEqual(ranks.map((_, index) => index + 1));
      for (const row of rows) {
        expect(row.rank === null).toBe(row.reasons.length > 0);
        expect(row.score === null).toBe(row.rank === null);
        const sum = row.terms.reduce((total, { points }) => total.plus(points), new Decimal(0));
        if (row.score !== null) expect(sum.toFixed()).toBe(new Decimal(row.score).toFixed());
      }
    }
  });

  it('ranks the deepest discount first, and a carried-forward reference not at all', () => {
    const rows = rankFairValue(EQUITIES, cut, request('deepest_discount'));
    expect(rows.slice(0, 2).map(({ symbol, rank, score }) => ({ symbol, rank, score }))).toEqual([
      { symbol: first.instrument, rank: 1, score: '1.5' },
      { symbol: second.instrument, rank: 2, score: '-2.25' },
    ]);
    expect(rowOf(rows, third.instrument)).toMatchObject({ rank: null, reasons: ['stale_reference'], gapPct: -4 });
    expect(rowOf(rows, (EQUITIES[4] as CatalogEntry).instrument)).toMatchObject({ rank: null, reasons: ['not_observed'] });
    expect(rankFairValue(EQUITIES, cut, request('highest_premium'))[0]).toMatchObject({ symbol: second.instrument, score: '2.25' });
  });

  it('ranks by the last session’s price while the exchange is closed, flagged with its age', () => {
    const saturday = Date.parse('2026-07-18T15:00:00Z');
    const close = Date.parse('2026-07-17T20:00:00Z');
    const carried = (entry: CatalogEntry, premiumPct: number, over: Partial<typeof LIVE_REFERENCE> = {}) =>
      seenOf(entry, {
        slot: saturday,
        session: 'CLOSED',
        premiumPct,
        quote: { ...LIVE_QUOTE, observedAt: saturday - 500, receivedAt: saturday - 400 },
        reference: {
          ...LIVE_REFERENCE,
          feedUpdatedAt: close - 1_000,
          receivedAt: saturday - 1_000,
          ageMs: saturday - close + 1_000,
          quality: 'stale',
          flags: ['session_closed', 'carried_forward'],
          ...over,
        },
      });
    const closed: Cut = {
      ...cutOf(
        carried(first, -1),
        carried(second, -3, { flags: ['session_closed'] }),
        carried(third, -9, { flags: ['session_closed', 'feed_down'] }),
        carried(EQUITIES[3] as CatalogEntry, -9, { ageMs: saturday - close + 120_000 }),
      ),
      slot: saturday,
    };
    const rows = rankFairValue(EQUITIES, closed, request('deepest_discount'));
    expect(rows.slice(0, 2).map(({ symbol, rank, score, reasons, flags }) => ({ symbol, rank, score, reasons, flags }))).toEqual([
      { symbol: second.instrument, rank: 1, score: '3', reasons: [], flags: ['carried_reference'] },
      { symbol: first.instrument, rank: 2, score: '1', reasons: [], flags: ['carried_reference'] },
    ]);
    expect(rows[0]?.reference).toMatchObject({ ageMs: saturday - close + 1_000, quality: 'stale' });
    // A feed that is down and a price frozen before the close are faults, not closed sessions.
    for (const { instrument } of [third, EQUITIES[3] as CatalogEntry])
      expect(rowOf(rows, instrument)).toMatchObject({ rank: null, reasons: ['stale_reference'], flags: [] });
    expect(rankFairValue(EQUITIES, closed, request('highest_premium'))[0]).toMatchObject({ symbol: first.instrument, score: '-1' });
    expect(rankFairValue(EQUITIES, closed, request('liquidity'))[0]).toMatchObject({ rank: 1, flags: [] });
    const row = basisRow(second, closed, undefined, { notionalUsd: '1000', halfLife: { reference: null, perpetual: null } });
    expect(row.edges[0]).toMatchObject({ netEdgeBps: null, reasons: ['reference_carried_forward'] });
  });

  it('shows source, age and quality of both prices', () => {
    expect(rowOf(rankFairValue(EQUITIES, cut, request('deepest_discount')), first.instrument)).toMatchObject({
      session: 'REGULAR',
      tokenPrice: { price: '100', source: 'test', ageMs: 500, quality: 'live' },
      reference: { price: '102', ageMs: 900, quality: 'live' },
    });
  });

  it.each([
    [{ quote: null, premiumPct: null }, ['no_quote']],
    [{ quote: { ...LIVE_QUOTE, quality: 'stale' as const } }, ['quote_not_live']],
    [{ reference: null, premiumPct: null }, ['no_reference']],
    [
      { quote: { ...LIVE_QUOTE, quality: 'halted' as const }, reference: { ...LIVE_REFERENCE, quality: 'stale' as const } },
      ['quote_not_live', 'stale_reference'],
    ],
  ])('leaves incomparable rows without a rank: %j', (over, reasons) => {
    const rows = rankFairValue([first], cutOf(seenOf(first, over)), request('deepest_discount'));
    expect(rows).toMatchObject([{ rank: null, score: null, reasons }]);
  });

  it('ranks liquidity by the largest trade, and names instruments without a pool', () => {
    const rows = rankFairValue(EQUITIES, cut, request('liquidity'));
    expect(rows.slice(0, 2).map(({ symbol }) => symbol)).toEqual([first.instrument, second.instrument]);
    // With 400,000 in dollars and tokens alike, tokens worth 995.02 dollars leave for 1,000: 50 bps more.
    const [deepest] = rows as [RankedRow];
    expect(Number(deepest.score)).toBeLessThanOrEqual(995.03);
    expect(Number(deepest.score)).toBeGreaterThan(975);
    expect(rowOf(rows, third.instrument)).toMatchObject({ rank: null, reasons: ['no_pool'] });
  });

  it('weighs events by severity, age and corroboration, and distinguishes silence from missing news', () => {
    const events = [
      event({ id: 'a', severity: 'critical', observedAt: SLOT - 24 * HOUR }),
      event({ id: 'b', severity: 'low', rumor: true, observedAt: SLOT }),
    ];
    const rows = rankFairValue(
      [first, second, third],
      cutOf(seenOf(first, { events }), seenOf(second, { events: [] }), seenOf(third, { events: null })),
      request('event_intensity'),
    );
    expect(rows.map(({ symbol, score, reasons }) => [symbol, score, reasons])).toEqual([
      [first.instrument, '4.5', []],
      [second.instrument, '0', []],
      [third.instrument, null, ['events_unheard']],
    ]);
    expect(rows[0]?.inputs['events']).toMatchObject([
      { id: 'a', weight: '4' },
      { id: 'b', weight: '0.5' },
    ]);
    expect(computeWeight(eventFactors({ severity: 'high', rumor: false, observedAt: SLOT + HOUR }, SLOT))).toBe('4');
    expect(eventFactors({ severity: 'critical', rumor: true, observedAt: SLOT - 48 * HOUR }, SLOT)).toEqual({
      severity: '8',
      age: '0.25',
      corroboration: '0.5',
    });
  });

  it('is in the order that sorting the gaps gives, whatever they are', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -5_000, max: 5_000 }), { minLength: EQUITIES.length, maxLength: EQUITIES.length }), (gaps) => {
        const random = cutOf(...EQUITIES.map((entry, index) => seenOf(entry, { premiumPct: (gaps[index] as number) / 100 })));
        const rows = rankFairValue(EQUITIES, random, request('deepest_discount'));
        const expected = EQUITIES.map(({ instrument }, index) => ({ instrument, gap: gaps[index] as number }))
          .sort((a, b) => a.gap - b.gap || (a.instrument < b.instrument ? -1 : 1))
          .map(({ instrument }) => instrument);
        expect(rows.map(({ symbol }) => symbol)).toEqual(expected);
      }),
      { numRuns: 100, seed: 4 },
    );
  });
});

describe('the search for depth', () => {
  it('finds the bound of a pool within two percent, in at most 14 requests', () => {
    fc.assert(
      fc.property(fc.integer({ min: 50_000, max: 2_000_000_000 }), fc.integer({ min: 5, max: 500 }), (liquidity, budgetBps) => {
        const found = findDepth(slippageOfBuys(EQUITIES[0] as CatalogEntry, String(liquidity)), { ...DEFAULT_DEPTH_LIMITS, budgetBps });
        // Dollars paid into a pool of x y = k, and the previous value of the tokens received.
        const oneSide = liquidity / 2;
        const paid = (oneSide * budgetBps) / 10_000;
        const exact = oneSide - (oneSide * oneSide) / (oneSide + paid);
        expect(found.requests).toBeLessThanOrEqual(14);
        if (exact < 100) expect(found.maxUsd).toBeNull();
        else {
          expect(Number(found.maxUsd)).toBeLessThanOrEqual(exact * 1.000001);
          if (found.bound === 'slippage') expect(Number(found.maxUsd)).toBeGreaterThan(exact * 0.979);
        }
      }),
      { numRuns: 300, seed: 7 },
    );
  });

  it('stays below the smallest size that failed if routers are not monotonic', () => {
    // Expensive between 1,000 and 3,000, cheap again above.
    const cost = (size: string): number => (Number(size) > 1_000 && Number(size) < 3_000 ? 90 : Number(size) / 1_000);
    const asked: number[] = [];
    const found = findDepth(
      (size) => {
        asked.push(Number(size));
        return cost(size);
      },
      { ...DEFAULT_DEPTH_LIMITS, budgetBps: 50 },
    );
    const failed = asked.filter((size) => cost(String(size)) > 50);
    for (const size of failed) expect(Number(found.maxUsd)).toBeLessThan(size);
    expect(failed.length).toBeGreaterThan(0);
  });

  it('stops at once if the smallest size fails or has no route, and names the bound', () => {
    const limits = { ...DEFAULT_DEPTH_LIMITS, budgetBps: 50 };
    expect(findDepth(() => 51, limits)).toEqual({ maxUsd: null, costBps: null, requests: 1, bound: 'slippage' });
    expect(findDepth(() => null, limits)).toEqual({ maxUsd: null, costBps: null, requests: 1, bound: 'no_route' });
    expect(findDepth(() => 0, limits)).toMatchObject({ maxUsd: '100000000', bound: 'largest_size' });
    expect(findDepth(() => 0, { ...limits, maxRequests: 3 })).toMatchObject({ maxUsd: '1600', bound: 'requests', requests: 3 });
    const search = searchDepth(limits);
    expect(search.next().value).toEqual({ sizeUsd: '100' });
  });
});

describe('private markets', () => {
  const [first, second] = PRIVATE as [CatalogEntry, CatalogEntry];
  const bars = (closes: readonly [week: string, day: string, last: string]) =>
    [
      { openTime: SLOT - 169 * HOUR, close: closes[0] },
      { openTime: SLOT - 25 * HOUR, close: closes[1] },
      { openTime: SLOT - HOUR, close: closes[2] },
    ] as const;

  it('has all seven modes, each with a rank or a reason', () => {
    const cut = cutOf(seenOf(first, { premiumPct: null, gapToMarkPct: -20 }), seenOf(second, { premiumPct: null, gapToMarkPct: 30 }));
    const portfolio = { valueUsd: '100000', sectorWeights: new Map(), underlyingWeights: new Map() };
    for (const mode of PRIVATE_MODES) {
      const rows = rankPrivateMarkets(PRIVATE, cut, {
        mode,
        slippageBps: 50,
        bars: new Map([[first.key, bars(['100', '110', '121'])]]),
        portfolio,
      });
      expect(rows).toHaveLength(PRIVATE.length);
      expect(rows.filter(({ rank }) => rank !== null).length).toBe(mode === 'momentum' ? 1 : 2);
      for (const row of rows) expect(row.rank === null).toBe(row.reasons.length > 0);
    }
    const top = (mode: (typeof PRIVATE_MODES)[number]): string =>
      (rankPrivateMarkets(PRIVATE, cut, { mode, slippageBps: 50 })[0] as RankedRow).symbol;
    expect([top('gap_to_mark'), top('deepest_discount'), top('highest_premium')]).toEqual([
      second.instrument,
      first.instrument,
      second.instrument,
    ]);
  });

  it('computes momentum from existing bars only', () => {
    // 0.6 x 10 % + 0.4 x 21 %.
    const momentum = computeMomentum(bars(['100', '110', '121']), SLOT);
    expect(momentum?.terms.map(({ points }) => points)).toEqual(['6', '8.4']);
    expect(computeMomentum(bars(['100', '110', '121']).slice(1), SLOT)).toBeNull();
    expect(computeMomentum(bars(['100', '110', '121']), SLOT + 8 * HOUR)).toBeNull();
    // A forming bar does not count.
    expect(computeMomentum([...bars(['100', '110', '121']), { openTime: SLOT, close: '999' }], SLOT)?.bars.last).toBe(SLOT - HOUR);
  });

  it('does not count rumors as news', () => {
    const cut = cutOf(
      seenOf(first, { events: [event({ rumor: true })] }),
      seenOf(second, { events: [event({ severity: 'low', observedAt: SLOT })] }),
    );
    const rows = rankPrivateMarkets([first, second], cut, { mode: 'news_intensity', slippageBps: 50 });
    expect(rows.map(({ symbol, score }) => [symbol, score])).toEqual([
      [second.instrument, '1'],
      [first.instrument, '0'],
    ]);
  });

  it('penalises a sector and a name that are over-concentrated, and shows each term', () => {
    const token = { gapPct: -12, liquidityUsd: '50000', sector: 'aerospace', underlying: 'ANDURIL' };
    const empty = fitTerms(token, { valueUsd: '100000', sectorWeights: new Map(), underlyingWeights: new Map() });
    // 5 % of 100,000 is 5,000: log10(50,000 / 5,000) = 1, times 5.
    expect(empty.map(({ points }) => points)).toEqual(['12', '5', '0', '0']);
    const heavy = fitTerms(token, {
      valueUsd: '100000',
      sectorWeights: new Map([['aerospace', '40']]),
      underlyingWeights: new Map([['ANDURIL', '20']]),
    });
    // 40 x 0.95 + 5 - 25 = 18, times -2; 20 x 0.95 + 5 - 10 = 14, times -3.
    expect(heavy.map(({ points }) => points)).toEqual(['12', '5', '-36', '-42']);
    expect(
      rankPrivateMarkets([first], cutOf(seenOf(first, { gapToMarkPct: -5 })), {
        mode: 'portfolio_fit',
        slippageBps: 50,
        portfolio: null,
      })[0],
    ).toMatchObject({ rank: null, reasons: ['no_portfolio'] });
  });
});
