/** Cut compared with a naive recomputation from the list of events, by timer and by event, live and from a tape. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CATALOG } from '../../src/domain/catalog/catalog.ts';
import type { Cut, IndicatorNeed, Observation } from '../../src/domain/market/cut.ts';
import type { FeedMessage } from '../../src/domain/market/market-event.ts';
import type { Quote, ReferencePrice } from '../../src/domain/market/quote.ts';
import { sessionAt } from '../../src/domain/market/session.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import { createIndicatorBoard } from '../../streams/indicator-board.ts';
import { createMarketView, type MarketView } from '../../streams/market-view.ts';
import { createCutter, type InstrumentRelations } from '../../streams/slot-cut.ts';
import { createVirtualClock, type VirtualClock } from '../../streams/clock/virtual-clock.ts';
import { heartbeat, liquidity, news, perpContext, quote, REGULAR, reference, status } from './events.ts';

const T = REGULAR;
const KEYS: readonly InstrumentKey[] = ['spotexchange:BTCUSDT', 'spotchain:AAPLx', 'spotchain:SPACEX', 'evmvenue:BTC'];
const INSTRUMENTS: readonly InstrumentRelations[] = KEYS.map((key) => {
  const entry = CATALOG.byKey(key);
  if (entry === undefined) throw new Error(`the catalog has no ${key}`);
  return entry;
});

function setUp(options: { needs?: readonly IndicatorNeed[]; periodMs?: number; onCut?: (cut: Cut) => void } = {}) {
  const clock = createVirtualClock(T);
  const view = createMarketView();
  const board = createIndicatorBoard();
  const cuts: Cut[] = [];
  const failures: unknown[] = [];
  const cutter = createCutter({
    clock,
    view,
    board,
    instruments: () => INSTRUMENTS,
    needs: () => options.needs ?? [],
    onCut: (cut) => {
      cuts.push(cut);
      options.onCut?.(cut);
    },
    onFailure: (error) => failures.push(error),
    periodMs: options.periodMs ?? 30_000,
  });
  return { clock, view, board, cuts, cutter, failures };
}

function of(cut: Cut | undefined, key: InstrumentKey): Observation {
  const observation = cut?.observations.get(key);
  if (observation === undefined) throw new Error(`no observation of ${key}`);
  return observation;
}

const price = fc.integer({ min: 900, max: 1_100 }).map((cents) => `${Math.floor(cents / 10)}.${cents % 10}`);
const event = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .record({ ask: price, sourceTime: fc.boolean(), back: fc.integer({ min: 0, max: 8_000 }) })
      .map((f) => (at: number) => quote(at, { ask: f.ask, sourceTime: f.sourceTime, observedAt: f.sourceTime ? at - f.back : at })),
  },
  {
    weight: 3,
    arbitrary: price.map(
      (ask) => (at: number) => quote(at, { venue: 'spotchain', instrument: 'AAPLx', source: 'jupiter:quote', ask, sourceTime: false }),
    ),
  },
  {
    weight: 1,
    arbitrary: price.map(
      (ask) => (at: number) => quote(at, { venue: 'spotchain', instrument: 'SPACEX', source: 'jupiter:quote', ask, bid: null }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(price, fc.integer({ min: 0, max: 9_000 })).map(
      ([referencePrice, back]) =>
        (at: number) =>
          reference(at, { referencePrice, feedUpdatedAt: at - back }),
    ),
  },
  {
    weight: 1,
    arbitrary: price.map(
      (referencePrice) => (at: number) =>
        reference(at, { instrument: 'SPACEX', source: 'issuer', referencePrice, feedUpdatedAt: at - 86_400_000 }),
    ),
  },
  { weight: 2, arbitrary: price.map((markPrice) => (at: number) => perpContext(at, { markPrice })) },
  { weight: 1, arbitrary: fc.constant((at: number) => liquidity(at)) },
  { weight: 2, arbitrary: fc.constant((at: number) => heartbeat(at)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('news:wire', 'news:filings').map((source) => (at: number) => heartbeat(at, { venue: 'reference', source })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('connected' as const, 'disconnected' as const).map((state) => (at: number) => status(at, state)),
  },
  { weight: 1, arbitrary: fc.constantFrom('n1', 'n2', 'n3').map((id) => (at: number) => news(at, id)) },
);
const sequence = fc.array(
  fc.tuple(
    fc.oneof(
      { weight: 4, arbitrary: fc.integer({ min: 0, max: 4_000 }) },
      { weight: 1, arbitrary: fc.integer({ min: 20_000, max: 90_000 }) },
    ),
    event,
  ),
  { maxLength: 60 },
);

/** Computes a slot by the specification, from the whole list of events, without intermediate state. */
function naive(events: readonly FeedMessage[], slot: number, key: InstrumentKey) {
  const received = events.filter((one) => one.receivedAt <= slot);
  const last = <K extends FeedMessage['kind']>(kind: K, venue: string, instrument: string) =>
    received.findLast((one) => one.kind === kind && one.venue === venue && 'instrument' in one && one.instrument === instrument) as
      | Extract<FeedMessage, { kind: K }>
      | undefined;
  const [venue, instrument] = key.split(':') as [string, string];
  const known = last('quote', venue, instrument);
  const benchmark = key === 'spotchain:AAPLx' ? 'AAPL' : key === 'spotchain:SPACEX' ? 'SPACEX' : null;
  const known2 = benchmark === null ? undefined : last('reference', 'reference', benchmark);

  const quoteState = (one: Quote): { quality: string; flags: string[] } => {
    const flags: string[] = [];
    const statuses = received.filter((other) => other.kind === 'feed_status' && other.venue === one.venue);
    const state = statuses.at(-1);
    const connectedAt = statuses.findLast((other) => other.kind === 'feed_status' && other.status === 'connected')?.receivedAt ?? -1;
    const ownTime = one.sourceTime ? one.observedAt : one.receivedAt;
    const changeOnly = one.venue === 'spotexchange' || one.venue === 'evmvenue';
    const vouched = changeOnly && one.receivedAt - ownTime <= 5_000 && one.receivedAt >= connectedAt;
    const signs = received.filter(
      (other) =>
        other.venue === one.venue &&
        (other.kind === 'heartbeat' || other.kind === 'quote' || (other.kind === 'feed_status' && other.status === 'connected')),
    );
    const evidence = vouched ? Math.max(ownTime, signs.at(-1)?.receivedAt ?? 0) : ownTime;
    if (slot - evidence > (one.venue === 'spotchain' ? 15_000 : 5_000)) flags.push('over_age');
    if (one.receivedAt < connectedAt) flags.push('resyncing');
    if (state?.kind === 'feed_status' && state.status === 'disconnected') flags.push('feed_down');
    const degraded = flags.some((flag) => flag !== 'over_age');
    return { quality: degraded ? 'degraded' : flags.length > 0 ? 'stale' : 'live', flags };
  };
  const referenceState = (one: ReferencePrice): { quality: string; flags: string[] } => {
    if (one.instrument === 'SPACEX') return { quality: 'live', flags: [] };
    if (one.receivedAt - one.feedUpdatedAt > 5_000) return { quality: 'stale', flags: ['carried_forward'] };
    return slot - one.feedUpdatedAt > 5_000 ? { quality: 'stale', flags: ['over_age'] } : { quality: 'live', flags: [] };
  };

  const mid = (one: Quote | undefined): number | null =>
    one === undefined || one.bid === null || one.ask === null ? null : (Number(one.bid) + Number(one.ask)) / 2;
  const above = (value: number | null, base: number | null): number | null =>
    value === null || base === null ? null : ((value - base) / base) * 100;
  const spot = last('quote', 'spotexchange', 'BTCUSDT');
  const crypto = key === 'spotexchange:BTCUSDT' || key === 'evmvenue:BTC';
  const context = crypto ? last('perp_context', 'evmvenue', 'BTC') : undefined;
  const fresh = context !== undefined && slot - context.observedAt <= 60_000 ? context : undefined;
  const pool = last('pool_liquidity', venue, instrument);
  const symbol = { 'spotchain:AAPLx': 'AAPL' }[key as string];
  const items = received.filter((one) => one.kind === 'news' && symbol !== undefined && one.symbols.includes(symbol));
  const newest = new Map(items.map((one) => [(one as { id: string }).id, one.receivedAt]));
  return {
    quote:
      known === undefined ? null : { ...quoteState(known), ageMs: slot - known.observedAt, receivedAt: known.receivedAt, mid: mid(known) },
    reference:
      known2 === undefined ? null : { ...referenceState(known2), ageMs: slot - known2.feedUpdatedAt, price: known2.referencePrice },
    premium: benchmark === 'AAPL' ? above(mid(known), known2 === undefined ? null : Number(known2.referencePrice)) : null,
    gap: benchmark === 'SPACEX' ? above(mid(known), known2 === undefined ? null : Number(known2.referencePrice)) : null,
    basis: above(
      fresh === undefined ? null : Number(fresh.markPrice),
      spot === undefined || quoteState(spot).quality !== 'live' ? null : mid(spot),
    ),
    funding: fresh?.hourlyFunding ?? null,
    liquidity: pool !== undefined && slot - pool.observedAt <= 300_000 ? pool.liquidityUsd : null,
    // Apple and SpaceX file with the regulator, so both sources must be received; Bitcoin needs only the wire.
    events: (crypto ? ['news:wire'] : ['news:wire', 'news:filings']).every((source) =>
      received.some((one) => one.kind === 'heartbeat' && one.source === source && slot - one.receivedAt <= 300_000),
    )
      ? [...newest].sort(([a, atA], [b, atB]) => atB - atA || (a < b ? -1 : 1)).map(([id]) => id)
      : null,
  };
}

/** Returns the same view of an observation that `naive` gives. */
function seen(observation: Observation) {
  const { quote: q, reference: r } = observation;
  return {
    quote:
      q === null
        ? null
        : { quality: q.quality, flags: [...q.flags], ageMs: q.ageMs, receivedAt: q.receivedAt, mid: q.mid === null ? null : Number(q.mid) },
    reference: r === null ? null : { quality: r.quality, flags: [...r.flags], ageMs: r.ageMs, price: r.referencePrice },
    premium: observation.premiumPct,
    gap: observation.gapToMarkPct,
    basis: observation.basisPct,
    funding: observation.hourlyFunding,
    liquidity: observation.liquidityUsd,
    events: observation.events?.map((one) => one.id) ?? null,
  };
}

function close(actual: ReturnType<typeof seen>, expected: ReturnType<typeof naive>): void {
  for (const name of ['premium', 'gap', 'basis'] as const) {
    if (expected[name] === null) expect(actual[name], name).toBeNull();
    else expect(actual[name], name).toBeCloseTo(expected[name], 6);
  }
  const { premium: _p, gap: _g, basis: _b, ...rest } = actual;
  const { premium: _q, gap: _h, basis: _c, ...wanted } = expected;
  expect({ ...rest, quote: rest.quote === null ? null : { ...rest.quote, mid: null } }).toEqual({
    ...wanted,
    quote: wanted.quote === null ? null : { ...wanted.quote, mid: null },
  });
  if (wanted.quote?.mid !== null && wanted.quote?.mid !== undefined) expect(rest.quote?.mid).toBeCloseTo(wanted.quote.mid, 9);
  else expect(rest.quote?.mid ?? null).toBeNull();
}

describe('the cut', () => {
  it('equals a naive recomputation from the list of events, whether timers or events close the slots', () => {
    fc.assert(
      fc.property(sequence, (steps) => {
        let at = T;
        const events = steps.map(([advance, make]) => {
          at += advance;
          return make(at);
        });
        const end = at + 65_000;
        const run = (advance: (clock: VirtualClock, to: number) => void, timers: boolean): Cut[] => {
          const { clock, cutter, cuts, failures } = setUp();
          if (timers) cutter.start();
          for (const one of events) {
            advance(clock, one.receivedAt);
            cutter.take(one);
          }
          if (timers) clock.advanceTo(end);
          else cutter.take(heartbeat(end, { venue: 'prediction', source: 'polymarket' }));
          cutter.stop();
          expect(failures).toEqual([]);
          return cuts;
        };
        const live = run((clock, to) => clock.advanceTo(to), true);
        const tape = run(() => {}, false);
        expect(live.map((cut) => cut.slot)).toEqual(tape.map((cut) => cut.slot));
        expect(live).toEqual(tape);
        expect(live[0]?.slot).toBe(T);
        live.forEach((cut, index) => {
          expect(cut.slot).toBe(T + index * 30_000);
          for (const key of KEYS) close(seen(of(cut, key)), naive(events, cut.slot, key));
        });
        expect(live.at(-1)?.slot).toBe(Math.ceil((end - T) / 30_000) * 30_000 + T - 30_000);
      }),
      { numRuns: 150 },
    );
  });

  it('includes a quote received exactly at the slot and not one a millisecond later', () => {
    const { clock, cutter, cuts } = setUp();
    cutter.start();
    clock.advanceTo(T + 30_000);
    cutter.take(quote(T + 30_000, { bid: '10', ask: '12' }));
    clock.advanceTo(T + 30_001);
    cutter.take(quote(T + 30_001, { bid: '20', ask: '22' }));
    clock.advanceTo(T + 60_001);
    const at = (slot: number) =>
      of(
        cuts.find((cut) => cut.slot === slot),
        'spotexchange:BTCUSDT',
      ).quote?.mid;
    expect(at(T + 30_000)).toBe('11');
    expect(at(T + 60_000)).toBe('21');
  });

  it('measures a token’s premium exactly, with its reference and the session', () => {
    const { clock, cutter, cuts } = setUp();
    cutter.start();
    clock.advanceTo(T + 29_000);
    cutter.take(reference(T + 29_000, { referencePrice: '200' }));
    cutter.take(quote(T + 29_000, { venue: 'spotchain', instrument: 'AAPLx', source: 'jupiter:quote', bid: '197.9', ask: '198.1' }));
    clock.advanceTo(T + 31_000);
    const observation = of(cuts[1], 'spotchain:AAPLx');
    expect(observation.premiumPct).toBe(-1);
    expect(observation.session).toBe(sessionAt(T + 30_000));
    expect(observation.session).toBe('REGULAR');
    expect(observation.reference).toMatchObject({ instrument: 'AAPL', ageMs: 1_000, quality: 'live' });
    expect(observation.gapToMarkPct).toBeNull();
  });

  it('drops a perpetual context and pool liquidity over their age: unknown, not old', () => {
    const { clock, cutter, cuts } = setUp();
    cutter.start();
    cutter.take(perpContext(T));
    cutter.take(liquidity(T));
    clock.advanceTo(T + 330_001);
    const known = (slot: number) => {
      const cut = cuts.find((one) => one.slot === T + slot);
      return [of(cut, 'evmvenue:BTC').markPrice, of(cut, 'spotchain:AAPLx').liquidityUsd];
    };
    expect(known(60_000)).toEqual(['102', '250000']);
    expect(known(90_000)).toEqual([null, '250000']);
    expect(known(330_000)).toEqual([null, null]);
  });

  it('continues with the next slot when a consumer throws, and counts messages after their slot', () => {
    const { clock, cutter, cuts, failures, view } = setUp({
      onCut: (cut) => {
        if (cut.slot === T + 30_000) throw new Error('no room');
      },
    });
    cutter.start();
    clock.advanceTo(T + 65_000);
    cutter.take(quote(T + 60_000));
    expect(cuts.map((cut) => cut.slot - T)).toEqual([0, 30_000, 60_000]);
    expect(failures).toEqual([new Error('no room')]);
    expect(view.counters.snapshot().spotexchange.counted.late).toBe(1);
  });

  it('carries indicators from closed bars only, and a funding percentile of the paired perpetual', () => {
    const needs: IndicatorNeed[] = [
      { instrument: 'spotexchange:BTCUSDT', name: 'ema', timeframe: '1m', period: 2 },
      { instrument: 'spotexchange:BTCUSDT', name: 'funding_percentile', timeframe: '1h', period: 1 },
    ];
    const { clock, cutter, cuts } = setUp({ needs });
    cutter.start();
    const bar = (minute: number, close: string) => ({
      openTime: T + minute * 60_000,
      open: close,
      high: close,
      low: close,
      close,
      volume: '1',
    });
    const candles = { kind: 'candles', venue: 'spotexchange', instrument: 'BTCUSDT', timeframe: '1m', source: 'test' } as const;
    const rates = Array.from({ length: 24 }, (_, hour) => {
      const rate = `0.0000${10 + hour}`;
      return { openTime: T - (24 - hour) * 3_600_000, open: rate, high: rate, low: rate, close: rate, volume: '0' };
    });
    cutter.take({
      kind: 'candles',
      venue: 'evmvenue',
      instrument: 'BTC',
      timeframe: '1h',
      source: 'hyperliquid:fundingHistory',
      receivedAt: T,
      candles: rates,
    });
    clock.advanceTo(T + 62_000);
    cutter.take({ ...candles, receivedAt: T + 62_000, candles: [bar(-1, '10'), bar(0, '20'), bar(1, '99')] });
    clock.advanceTo(T + 122_000);
    cutter.take({ ...candles, receivedAt: T + 122_000, candles: [bar(1, '30')] });
    clock.advanceTo(T + 150_001);
    const at = (slot: number) =>
      of(
        cuts.find((cut) => cut.slot === T + slot),
        'spotexchange:BTCUSDT',
      ).indicators;
    expect(at(60_000)['ema:2@1m']).toEqual({ value: null, previous: null, barOpenTime: null });
    expect(at(90_000)['ema:2@1m']).toEqual({ value: 15, previous: null, barOpenTime: T });
    expect(at(120_000)['ema:2@1m']).toEqual({ value: 15, previous: null, barOpenTime: T });
    expect(at(150_000)['ema:2@1m']).toEqual({ value: 25, previous: 15, barOpenTime: T + 60_000 });
    expect(at(150_000)['funding_percentile:1@1h']?.value).toBeCloseTo((23.5 / 24) * 100, 9);
    expect(of(cuts.at(-1), 'evmvenue:BTC').indicators).toEqual({});
  });
});

describe('the market view', () => {
  it('refuses instruments beyond its capacity and keeps those it has', () => {
    const view = createMarketView({ maxInstruments: 2 });
    for (const instrument of ['A', 'B', 'C', 'A']) view.apply(quote(T, { instrument }));
    expect(view.snapshot(T).quotes.map((one) => one.instrument)).toEqual(['A', 'B']);
    expect(view.snapshot(T).counts.spotexchange).toMatchObject({ received: 4, counted: { over_capacity: 1 } });
  });

  it('does not let another source with an older time replace a newer quote, unless that was from the future', () => {
    const view = createMarketView();
    view.apply(quote(T, { observedAt: T }));
    expect(view.apply(quote(T + 1, { source: 'binance:rest', observedAt: T - 100 }))).toBe(false);
    expect(view.quoteAt('spotexchange:BTCUSDT', T + 1)?.source).toBe('binance:bookTicker');
    view.apply(quote(T + 2, { observedAt: T + 9_000, quality: 'degraded', flags: ['clock_skew'] }));
    expect(view.apply(quote(T + 3, { source: 'binance:rest', observedAt: T + 3 }))).toBe(true);
  });

  const hour = 3_600_000;
  const roundEnded = (view: MarketView, at: number, sources = ['news:wire', 'news:filings']): void => {
    for (const source of sources) view.apply(heartbeat(at, { venue: 'reference', source }));
  };
  const idsOf = (view: MarketView, symbol: string, at: number) => view.newsOf(symbol, at)?.map((one) => one.id) ?? null;

  it('keeps negative events for 720 hours and others for 168, and the newest version of each', () => {
    const view = createMarketView();
    view.apply(news(T, 'a', { rumor: true }));
    view.apply(news(T + hour, 'b', { symbols: ['TSLA', 'AAPL'], negative: false }));
    view.apply(news(T + 2 * hour, 'a', { observedAt: T, rumor: false }));
    roundEnded(view, T + 2 * hour);
    expect(view.newsOf('AAPL', T + 2 * hour)?.map((one) => [one.id, one.rumor])).toEqual([
      ['b', false],
      ['a', false],
    ]);
    const after = (hours: number) => {
      roundEnded(view, T + hours * hour);
      return idsOf(view, 'AAPL', T + hours * hour);
    };
    expect([after(169), after(170), after(720), after(721)]).toEqual([['b', 'a'], ['a'], ['a'], []]);
    view.apply(news(T + 723 * hour, 'f', { symbols: ['TSLA'] }));
    roundEnded(view, T + 723 * hour);
    expect(view.newsOf('TSLA', T + 723 * hour)?.map((one) => one.id)).toEqual(['f']);
  });

  it('calls a symbol unknown while one of its events was evicted', () => {
    const view = createMarketView({ maxNews: 2 });
    view.apply(news(T, 'a', { symbols: ['TSLA'] }));
    for (const id of ['b', 'c']) view.apply(news(T + 1, id));
    roundEnded(view, T + 1);
    expect([idsOf(view, 'TSLA', T + 1), idsOf(view, 'AAPL', T + 1)]).toEqual([null, ['b', 'c']]);
    roundEnded(view, T + 720 * hour + 1);
    expect(idsOf(view, 'TSLA', T + 720 * hour + 1)).toEqual([]);
  });

  it('knows that there is no event only if every source was recently read to its end, and a status alone does not suffice', () => {
    const view = createMarketView();
    const seen = (at: number) => ['BTC', 'AAPL'].map((symbol) => idsOf(view, symbol, at));
    view.apply(status(T, 'connected', { venue: 'reference', source: 'news:wire' }));
    expect(seen(T)).toEqual([null, null]);
    roundEnded(view, T, ['news:macro', 'news:social']);
    expect(seen(T)).toEqual([null, null]);
    roundEnded(view, T, ['news:wire']);
    expect(seen(T)).toEqual([[], null]);
    roundEnded(view, T + 1_000, ['news:filings']);
    expect(seen(T + 1_000)).toEqual([[], []]);
    // An outage bridged by retries changes nothing.
    view.apply(status(T + 2_000, 'disconnected', { venue: 'reference', source: 'news:wire' }));
    expect(seen(T + 300_000)).toEqual([[], []]);
    expect(seen(T + 300_001)).toEqual([null, null]);
    roundEnded(view, T + 300_002, ['news:wire']);
    expect(seen(T + 301_001)).toEqual([[], null]);
  });

  it('counts rejections by reason and reports every changed quote', () => {
    const view = createMarketView();
    const changed: unknown[] = [];
    view.changed.subscribe({ next: (one) => changed.push(one) });
    view.apply({ kind: 'rejection', venue: 'prediction', source: 'kalshi', receivedAt: T, reason: 'not_json', detail: '', sample: '{' });
    const one = quote(T);
    view.apply(one);
    view.apply(heartbeat(T));
    expect(changed).toEqual([one]);
    expect(view.snapshot(T).counts.prediction.rejected).toEqual({ not_json: 1 });
    expect(view.feeds()).toEqual([{ venue: 'spotexchange', provider: 'binance', connected: null, heardAt: T, detail: '' }]);
  });
});
