/** Basis rows: legs, costs and edges compared with manual arithmetic, half-lives with series of known half-life. */
import { describe, expect, it } from 'vitest';
import { basisRow } from '../../../src/domain/basis/basis-row.ts';
import { alignedSpreads, fitHalfLife } from '../../../src/domain/basis/half-life.ts';
import { CATALOG, type CatalogEntry } from '../../../src/domain/catalog/catalog.ts';
import type { Cut, Observation } from '../../../src/domain/market/cut.ts';
import { HOUR, LIVE_QUOTE, LIVE_REFERENCE, observation, SLOT } from '../observations.ts';

const ENTRY = CATALOG.bySymbol('AAPLx') as CatalogEntry;
const UNPAIRED: CatalogEntry = { ...ENTRY, pairedPerp: null };
const NO_HALF_LIFE = { reference: null, perpetual: null };

function cutOf(seen: Observation | null): Cut {
  return { slot: SLOT, observations: new Map(seen === null ? [] : [[ENTRY.key, seen]]) };
}

/** Returns an AR(1) series around zero whose deviations shrink by `keep` each bar, with deterministic shocks. */
function series(keep: number, bars: number): { at: number; pct: number }[] {
  let level = 2;
  let state = 42;
  return Array.from({ length: bars }, (_, index) => {
    // Mulberry32.
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    level = keep * level + (((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32 - 0.5) * 0.5;
    return { at: index * HOUR, pct: level };
  });
}

describe('half-life', () => {
  it('finds the half-life of a series with a known one', () => {
    for (const keep of [0.5, 0.8, 0.95]) {
      const fitted = fitHalfLife(series(keep, 6_000), HOUR);
      const exact = Math.log(2) / -Math.log(keep);
      expect(fitted.why).toBe('fitted');
      expect(Math.abs((fitted.hours as number) - exact) / exact).toBeLessThan(0.2);
    }
  });

  it('has no half-life for a trend, a constant, too few bars, and bars with gaps', () => {
    const ramp = Array.from({ length: 100 }, (_, index) => ({ at: index * HOUR, pct: 1.05 ** index }));
    expect(fitHalfLife(ramp, HOUR)).toMatchObject({ hours: null, why: 'no_reversion' });
    expect(
      fitHalfLife(
        ramp.map(({ at }) => ({ at, pct: 3 })),
        HOUR,
      ),
    ).toMatchObject({ hours: null, why: 'no_variation' });
    expect(fitHalfLife(series(0.5, 20), HOUR)).toMatchObject({ hours: null, why: 'too_few_bars', samples: 19 });
    expect(
      fitHalfLife(
        series(0.5, 200).map(({ at, pct }) => ({ at: at * 2, pct })),
        HOUR,
      ),
    ).toMatchObject({ samples: 0 });
  });

  it('compares only bars of both legs', () => {
    const token = [1, 2, 4].map((hour) => ({ openTime: hour * HOUR, close: '101' }));
    const base = [2, 3, 4].map((hour) => ({ openTime: hour * HOUR, close: '100' }));
    expect(alignedSpreads(token, base)).toEqual([
      { at: 2 * HOUR, pct: 1 },
      { at: 4 * HOUR, pct: 1 },
    ]);
  });
});

describe('a row', () => {
  const seen = observation({ instrument: ENTRY.key, liquidityUsd: '1000000' });

  it('has the spread, every cost of a round trip and the net edge', () => {
    const [edge] = basisRow(ENTRY, cutOf(seen), undefined, { notionalUsd: '1000', halfLife: NO_HALF_LIFE }).edges;
    expect(edge?.spreadBps).toBe('-196.078431');
    // Fees 5 + 5; the quote is 99 / 101 around 100; a buy of 1,000 out of 500,000 moves 0.2004 %, a sell 0.1996 %.
    expect(edge?.costs.map(({ name, bps }) => [name, Number(bps)])).toEqual([
      ['venue fees, both ways', 10],
      ['spread of the token', 200],
      ['impact, both ways', 40.0002],
      ['transfer fee of the mint, both ways', 0],
    ]);
    expect(Number(edge?.netEdgeBps)).toBeCloseTo(196.0784 - 250.0002, 2);
    expect(edge?.reasons).toEqual([]);
  });

  it('gives no edge if a leg is not live, and names it', () => {
    const edges = (over: Partial<Observation>) =>
      basisRow(ENTRY, cutOf({ ...seen, ...over }), undefined, { notionalUsd: '1000', halfLife: NO_HALF_LIFE }).edges[0];
    expect(edges({ quote: { ...LIVE_QUOTE, quality: 'stale' } })).toMatchObject({ netEdgeBps: null, reasons: ['token_not_live'] });
    expect(edges({ reference: { ...LIVE_REFERENCE, quality: 'stale' } })).toMatchObject({
      netEdgeBps: null,
      reasons: ['reference_not_live'],
    });
    expect(edges({ reference: { ...LIVE_REFERENCE, flags: ['carried_forward'] } })).toMatchObject({
      netEdgeBps: null,
      reasons: ['reference_carried_forward'],
    });
    expect(edges({ liquidityUsd: null })).toMatchObject({ netEdgeBps: null, reasons: ['no_pool'] });
    expect(basisRow(ENTRY, cutOf(null), undefined, { notionalUsd: '1000', halfLife: NO_HALF_LIFE }).edges[0]).toMatchObject({
      netEdgeBps: null,
      spreadBps: null,
      reasons: ['not_observed'],
    });
  });

  it('counts fees and funding until the half-life on the perpetual’s leg', () => {
    const quote = { ...LIVE_QUOTE, bid: '102.99', ask: '103.01', mid: '103' };
    const perp = observation({ instrument: 'evmvenue:xyz:AAPL', hourlyFunding: '-0.00005', quote });
    const halfLife = { reference: null, perpetual: { hours: 10, samples: 100, slope: -0.1, why: 'fitted' as const } };
    const inputs = { notionalUsd: '1000', halfLife };
    const edgeOf = (entry: CatalogEntry, leg: Observation | undefined, over: Partial<typeof inputs> = {}) =>
      basisRow(entry, cutOf(seen), leg, { ...inputs, ...over }).edges[1];
    const edge = edgeOf(ENTRY, perp);
    expect(edge).toMatchObject({ against: 'perpetual', reasons: [], halfLifeHours: 10 });
    // Twice the builder's 9; 0.02 around 103; 1,000 into 500,000 a percent, both ways; 10 hours of 0.5 basis points.
    expect(edge?.costs.slice(4)).toEqual([
      { name: 'fees of the perpetual, both ways', bps: '18' },
      { name: 'spread of the perpetual', bps: '1.9417' },
      { name: 'impact on the perpetual, both ways', bps: '0.2' },
      { name: 'funding until the mean half-life', bps: '5' },
    ]);
    const costs = (edge?.costs ?? []).reduce((sum, { bps }) => sum + Number(bps), 0);
    expect(Number(edge?.netEdgeBps)).toBeCloseTo(Math.abs(Number(edge?.spreadBps)) - costs, 2);
    expect(edgeOf(UNPAIRED, undefined, { halfLife: NO_HALF_LIFE } as never)?.reasons).toEqual(['no_perpetual']);
    expect(edgeOf(ENTRY, { ...perp, quote: { ...quote, quality: 'stale' } })).toMatchObject({
      netEdgeBps: null,
      reasons: ['perpetual_not_live'],
    });
    expect(edgeOf(ENTRY, { ...perp, hourlyFunding: null })).toMatchObject({ netEdgeBps: null, reasons: ['no_funding'] });
    expect(edgeOf(ENTRY, perp, { halfLife: NO_HALF_LIFE } as never)).toMatchObject({ netEdgeBps: null, reasons: ['no_half_life'] });
    expect(edgeOf(ENTRY, undefined)).toMatchObject({ netEdgeBps: null, spreadBps: null, reasons: ['perpetual_not_live', 'no_funding'] });
  });

  it('shows the age and the quality of each leg', () => {
    const quote = { ...LIVE_QUOTE, quality: 'stale' as const, ageMs: 7_000, source: 'hyperliquid:bbo' };
    const { legs } = basisRow(ENTRY, cutOf(seen), observation({ instrument: 'evmvenue:xyz:AAPL', quote }), {
      notionalUsd: '1000',
      halfLife: NO_HALF_LIFE,
    });
    expect(legs.perpetual).toMatchObject({ source: 'hyperliquid:bbo', ageMs: 7_000, quality: 'stale' });
    expect(legs.token).toMatchObject({ quality: 'live' });
    expect(legs.reference?.ageMs).toEqual(expect.any(Number));
  });
});
