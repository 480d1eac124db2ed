/** Decisions of an agent: the combination of rules, the order of reasons, and the compiled form compared with a naive one. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AUTONOMY_LEVELS, type Autonomy } from '../../src/domain/agents/agent.ts';
import { agentBook, emptyBook } from '../../src/domain/books/book.ts';
import type { Cut, Observation } from '../../src/domain/market/cut.ts';
import { compileManifest, type Proposal, type RiskAssessor } from '../../src/domain/agents/decide.ts';
import { type AgentBook, EMPTY_BOOK, type RuleOutcome } from '../../src/domain/agents/decision.ts';
import type { Manifest, ManifestCondition } from '../../src/domain/manifest/manifest.ts';
import { readManifest } from '../../src/domain/manifest/reader.ts';
import { SEVERITIES } from '../../src/domain/market/market-event.ts';
import { QUALITIES, SESSIONS } from '../../src/domain/market/quote.ts';
import { timeframeMs } from '../../src/domain/values/time.ts';
import { condition, payload } from './authored.ts';
import { bookOf, cutOf, event, HOUR, indicator, LIVE_QUOTE, LIVE_REFERENCE, observation, position, SLOT } from './observations.ts';

function manifestOf(over: Record<string, unknown> = {}): Manifest {
  const result = readManifest(payload({ universe: ['AAPLx'], ...over }));
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.manifest;
}

const pass: RiskAssessor = () => ({ verdict: 'passed', rejections: [] });
const RSI = { 'rsi:14@1h': indicator(30, 40) };
const entering = observation({ premiumPct: -2, indicators: RSI });
const leaving = observation({ premiumPct: 1, indicators: { 'rsi:14@1h': indicator(50, 40) } });
const held = bookOf(position({ averageEntryPrice: '98' }));
const agent = compileManifest(manifestOf());

describe('dispositions', () => {
  test('all entry rules pass: an entry is proposed, with the risk result', () => {
    expect(agent.decide(cutOf(entering), EMPTY_BOOK, 'confirm', pass)).toEqual({
      disposition: 'propose_entry',
      reason: null,
      instrument: 'spotchain:AAPLx',
      outcome: '[[1,-2],[1,30],[1,"none"],[0,-2],[0,30],[0,null],[0,null]]',
      risk: { verdict: 'passed', rejections: [] },
    });
  });

  test('one entry rule fails: it holds, and every rule is still recorded', () => {
    const seen = observation({ premiumPct: 0, indicators: RSI, events: [event()] });
    expect(agent.decide(cutOf(seen), EMPTY_BOOK, 'confirm', pass)).toEqual({
      disposition: 'hold',
      reason: null,
      instrument: null,
      outcome: '[[0,0],[1,30],[0,"high"],[0,0],[0,30],[0,null],[0,null]]',
      risk: null,
    });
  });

  test('with a position, any one exit rule suffices', () => {
    expect(agent.decide(cutOf(leaving), held, 'confirm', pass)).toMatchObject({
      disposition: 'propose_exit',
      instrument: 'spotchain:AAPLx',
    });
  });

  test('with a position and no exit rule passing, it holds and does not add', () => {
    expect(agent.decide(cutOf(entering), held, 'confirm', pass)).toMatchObject({ disposition: 'hold', reason: null, risk: null });
  });

  test('leftover dust is not a position: the next entry is proposed', () => {
    const dust = { instrument: 'spotchain:AAPLx', quantity: '0.0000009', costUsd: '0.0001', openedAt: SLOT - HOUR } as const;
    const book = (quantity: string) => agentBook({ ...emptyBook('book', 'live', '1000'), holdings: [{ ...dust, quantity }] });
    expect(agent.decide(cutOf(entering), book('0.0000009'), 'confirm', pass)).toMatchObject({ disposition: 'propose_entry' });
    expect(agent.decide(cutOf(entering), book('0.000001'), 'confirm', pass)).toMatchObject({ disposition: 'hold' });
  });

  test.each([
    ['stop_loss', '103.2', -4.06976744],
    ['take_profit', '90', 10],
  ])('the guardrail %s exits by itself', (type, averageEntryPrice, observed) => {
    const verdict = agent.decide(
      cutOf(observation({ premiumPct: -1, indicators: RSI })),
      bookOf(position({ averageEntryPrice })),
      'confirm',
      pass,
    );
    expect(verdict.disposition).toBe('propose_exit');
    expect(agent.unpack(verdict.outcome).find((rule) => rule.type === type)).toMatchObject({ side: 'exit', passed: true, observed });
  });

  test('a manifest without entry rules never enters', () => {
    const idle = compileManifest(manifestOf({ entryConditions: [] }));
    expect(idle.decide(cutOf(entering), EMPTY_BOOK, 'autonomous', pass).disposition).toBe('hold');
  });

  test('without a risk engine nothing is proposed', () => {
    const verdict = agent.decide(cutOf(entering), EMPTY_BOOK, 'autonomous');
    expect(verdict).toMatchObject({ disposition: 'blocked_by_risk', reason: 'risk_engine_absent', instrument: 'spotchain:AAPLx' });
    expect(verdict.risk).toMatchObject({ verdict: 'blocked', rejections: [{ code: 'feature_disabled', limit: 'pre-trade risk engine' }] });
    expect(agent.decide(cutOf(leaving), held, 'autonomous').reason).toBe('risk_engine_absent');
  });

  test('a trade rejected by risk is blocked, with its first code as the reason and all of them kept', () => {
    const rejections = ['pool_liquidity_breach', 'notional_limit_breach'].map((code) => ({
      code,
      limit: '1',
      before: '0',
      after: '2',
      suggestion: 'less',
    }));
    const verdict = agent.decide(cutOf(entering), EMPTY_BOOK, 'confirm', () => ({ verdict: 'blocked', rejections }));
    expect(verdict).toMatchObject({ disposition: 'blocked_by_risk', reason: 'pool_liquidity_breach', risk: { rejections } });
  });

  test('risk assesses exactly the trade', () => {
    const asked: Proposal[] = [];
    const cut = cutOf(leaving);
    agent.decide(cut, held, 'confirm', (proposal) => {
      asked.push(proposal);
      return { verdict: 'passed', rejections: [] };
    });
    expect(asked).toEqual([
      {
        side: 'exit',
        manifest: agent.manifest,
        instrument: 'spotchain:AAPLx',
        observation: leaving,
        book: held,
        position: held.positions[0],
        readsReference: true,
      },
    ]);
  });
});

describe('autonomy', () => {
  test('research never proposes', () => {
    expect(agent.decide(cutOf(entering), EMPTY_BOOK, 'research', pass)).toMatchObject({
      disposition: 'hold',
      reason: 'research_only',
      risk: null,
    });
    expect(agent.decide(cutOf(leaving), held, 'research', pass)).toMatchObject({ disposition: 'hold', reason: 'research_only' });
  });

  test('risk_only exits but never enters', () => {
    expect(agent.decide(cutOf(entering), EMPTY_BOOK, 'risk_only', pass)).toMatchObject({ disposition: 'hold', reason: 'reduce_only' });
    expect(agent.decide(cutOf(leaving), held, 'risk_only', pass)).toMatchObject({ disposition: 'propose_exit' });
  });

  test.each(AUTONOMY_LEVELS)('%s: nothing to propose is a plain hold', (autonomy) => {
    expect(agent.decide(cutOf(observation()), EMPTY_BOOK, autonomy, pass)).toMatchObject({ disposition: 'hold', reason: null });
  });
});

describe('failing closed', () => {
  test('an instrument that was not observed fails every rule with null', () => {
    expect(agent.decide(cutOf(), EMPTY_BOOK, 'confirm', pass)).toEqual({
      disposition: 'hold',
      reason: 'no_observation',
      instrument: null,
      outcome: `[${Array(7).fill('[0,null]').join(',')}]`,
      risk: null,
    });
  });

  test.each(QUALITIES.filter((quality) => quality !== 'live'))(
    'an entry on a %s quote is blocked, and its price rule fails with null',
    (quality) => {
      const verdict = agent.decide(cutOf({ ...entering, quote: { ...LIVE_QUOTE, quality } }), EMPTY_BOOK, 'autonomous', pass);
      expect(verdict).toMatchObject({ disposition: 'blocked_by_risk', reason: 'quote_not_live', instrument: 'spotchain:AAPLx' });
      expect(verdict.risk?.rejections.map((rejection) => rejection.code)).toEqual(['quote_not_live']);
      expect(agent.unpack(verdict.outcome)[0]).toMatchObject({ type: 'premium_below', passed: false, observed: null });
    },
  );

  test('rules that do not read prices are blocked too if the quote is not live', () => {
    const byBars = compileManifest(manifestOf({ entryConditions: [{ type: 'rsi_below', period: 14, value: 35 }] }));
    for (const quote of [null, { ...LIVE_QUOTE, quality: 'degraded' as const }]) {
      expect(byBars.decide(cutOf({ ...entering, quote }), EMPTY_BOOK, 'confirm', pass)).toMatchObject({
        disposition: 'blocked_by_risk',
        reason: 'quote_not_live',
      });
    }
  });

  test('a carried-forward reference triggers no fair-value rule: one that would pass on it is blocked', () => {
    const reference = { ...LIVE_REFERENCE, flags: ['carried_forward' as const] };
    const entry = agent.decide(cutOf({ ...entering, reference }), EMPTY_BOOK, 'autonomous', pass);
    expect(entry).toMatchObject({ disposition: 'blocked_by_risk', reason: 'stale_reference_feed' });
    expect(entry.risk?.rejections[0]).toMatchObject({ code: 'stale_reference_feed', before: 'live, carried_forward, 900 ms old' });
    const exit = agent.decide(cutOf({ ...leaving, reference }), held, 'autonomous', pass);
    expect(exit).toMatchObject({ disposition: 'blocked_by_risk', reason: 'stale_reference_feed' });
  });

  test('a stale reference on which no rule would pass is a plain hold', () => {
    const reference = { ...LIVE_REFERENCE, quality: 'stale' as const };
    expect(agent.decide(cutOf({ ...entering, premiumPct: 0, reference }), EMPTY_BOOK, 'confirm', pass)).toMatchObject({
      disposition: 'hold',
      reason: null,
    });
    expect(agent.decide(cutOf({ ...entering, premiumPct: null, reference }), EMPTY_BOOK, 'confirm', pass)).toMatchObject({
      disposition: 'hold',
    });
  });

  test('if both apply both are named, the reference first', () => {
    const seen = {
      ...entering,
      reference: { ...LIVE_REFERENCE, quality: 'stale' as const },
      quote: { ...LIVE_QUOTE, quality: 'stale' as const },
    };
    const verdict = agent.decide(cutOf(seen), EMPTY_BOOK, 'confirm', pass);
    expect(verdict.reason).toBe('stale_reference_feed');
    expect(verdict.risk?.rejections.map((rejection) => rejection.code)).toEqual(['stale_reference_feed', 'quote_not_live']);
  });

  test('an exit that needs no reference is not blocked by a stale one', () => {
    const seen = observation({ premiumPct: null, reference: null, indicators: { 'rsi:14@1h': indicator(80, 60) } });
    expect(agent.decide(cutOf(seen), held, 'confirm', pass)).toMatchObject({ disposition: 'propose_exit' });
  });

  test('a stop-loss does not use a stale price', () => {
    const seen = observation({ premiumPct: -1, indicators: RSI, quote: { ...LIVE_QUOTE, bid: '50', quality: 'stale' } });
    expect(agent.decide(cutOf(seen), held, 'autonomous', pass)).toMatchObject({ disposition: 'blocked_by_risk', reason: 'quote_not_live' });
  });
});

describe('several instruments', () => {
  const two = compileManifest(manifestOf({ universe: ['TSLAx', 'AAPLx'] }));
  const tesla = (over: Partial<Observation> = {}) => ({ ...entering, instrument: 'spotchain:TSLAx' as const, ...over });

  test('the first instrument of the universe whose rules pass is proposed', () => {
    expect(two.decide(cutOf(entering, tesla()), EMPTY_BOOK, 'confirm', pass).instrument).toBe('spotchain:TSLAx');
    expect(two.decide(cutOf(entering, tesla({ premiumPct: 0 })), EMPTY_BOOK, 'confirm', pass).instrument).toBe('spotchain:AAPLx');
  });

  test('an exit comes before any entry', () => {
    expect(two.decide(cutOf(leaving, tesla()), held, 'confirm', pass)).toMatchObject({
      disposition: 'propose_exit',
      instrument: 'spotchain:AAPLx',
    });
  });

  test('a trade blocked by risk does not prevent the next from being proposed', () => {
    const assess: RiskAssessor = ({ instrument }) =>
      instrument === 'spotchain:TSLAx'
        ? { verdict: 'blocked', rejections: [{ code: 'halted', limit: null, before: null, after: null, suggestion: null }] }
        : pass({} as Proposal);
    expect(two.decide(cutOf(entering, tesla()), EMPTY_BOOK, 'confirm', assess)).toMatchObject({
      disposition: 'propose_entry',
      instrument: 'spotchain:AAPLx',
    });
    expect(two.decide(cutOf(tesla()), EMPTY_BOOK, 'confirm', assess)).toMatchObject({
      disposition: 'blocked_by_risk',
      reason: 'halted',
      instrument: 'spotchain:TSLAx',
    });
  });

  test('the matrix is in the universe’s order, whatever the order of the cut', () => {
    const verdict = two.decide(cutOf(entering, tesla()), EMPTY_BOOK, 'confirm', pass);
    expect(verdict.outcome).toBe(two.decide(cutOf(tesla(), entering), EMPTY_BOOK, 'confirm', pass).outcome);
    expect(two.unpack(verdict.outcome).map((rule) => rule.instrument)).toEqual([
      ...Array(7).fill('spotchain:TSLAx'),
      ...Array(7).fill('spotchain:AAPLx'),
    ]);
  });

  test('an indicator read by several rules is requested once', () => {
    expect(two.needs).toEqual([
      { instrument: 'spotchain:TSLAx', name: 'rsi', timeframe: '1h', period: 14 },
      { instrument: 'spotchain:AAPLx', name: 'rsi', timeframe: '1h', period: 14 },
    ]);
  });
});

test('unpacking refuses an outcome of another manifest', () => {
  expect(() => agent.unpack('[[1,2]]')).toThrow('has 7 cells, got 1');
  expect(() => agent.unpack('{}')).toThrow('has 7 cells');
});

/** Returns a price of at most two decimals in cents. */
function cents(decimal: string): bigint {
  const [whole, part = ''] = decimal.split('.');
  return BigInt(whole + part.padEnd(2, '0'));
}

/** Computes (value - base) / base x 100 with integers, half to even at the eighth decimal. */
function percentOver(value: bigint, base: bigint): number {
  const scaled = (value - base) * 10n ** 10n;
  const size = scaled < 0n ? -scaled : scaled;
  const twice = (size % base) * 2n;
  const floor = size / base;
  const rounded = twice > base || (twice === base && floor % 2n === 1n) ? floor + 1n : floor;
  const number = Number(`${rounded / 10n ** 8n}.${String(rounded % 10n ** 8n).padStart(8, '0')}`);
  return scaled < 0n ? 0 - number : number;
}

/** Returns a decimal, plain or with an exponent, as a fraction of integers. */
function fraction(text: string): readonly [bigint, bigint] {
  const [digits = '0', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '0', part = ''] = digits.split('.');
  const shift = part.length - Number(exponent);
  return shift >= 0 ? [BigInt(whole + part), 10n ** BigInt(shift)] : [BigInt(whole + part) * 10n ** BigInt(-shift), 1n];
}

/**
 * Computes the net edge of buying at a discount after the costs of a round trip, in basis points to four decimals, with integer
 * fractions. Null if something is unknown or a pool's side does not hold the size. Venue fees count both ways.
 */
function naiveNetEdge(
  { instrument, quote, premiumPct, liquidityUsd }: Observation,
  notionalUsd: string,
  transferFeeBps: number,
): number | null {
  if (quote?.bid == null || quote.ask === null || quote.mid === null || premiumPct === null || liquidityUsd === null) return null;
  const [one, two, three] = [quote.bid, quote.ask, quote.mid].map(cents) as [bigint, bigint, bigint];
  const [liquidity, liquidityUnit] = fraction(liquidityUsd);
  const [notional, notionalUnit] = fraction(notionalUsd);
  // One side of the pools and the size, in one unit.
  const side = liquidity * notionalUnit;
  const size = notional * liquidityUnit * 2n;
  if (size >= side) return null;
  const [fee, feeUnit] = fraction(String(transferFeeBps));
  const [premium, premiumUnit] = fraction(String(premiumPct < 0 ? -premiumPct : 0));
  const terms: (readonly [bigint, bigint])[] = [
    [premium * 100n, premiumUnit],
    [-2n * (instrument.startsWith('spotchain:') ? 5n : 10n), 1n],
    [-2n * fee, feeUnit],
    [(one - two) * 10_000n, three],
    [-10_000n * side, side - size],
    [10_000n * side, side + size],
  ];
  const [sum, unit] = terms.reduce(([a, b], [c, d]) => [a * d + c * b, b * d]);
  const scaled = sum * 10_000n;
  const half = ((scaled < 0n ? -scaled : scaled) * 2n + unit) / (unit * 2n);
  return (Number(half) / 10_000) * (scaled < 0n && half !== 0n ? -1 : 1);
}

/** Evaluates one rule by the text of the decision notes, without the engine's conditions. */
function naiveRule(rule: ManifestCondition, seen: Observation | undefined, book: AgentBook): Pick<RuleOutcome, 'passed' | 'observed'> {
  const unknown = { passed: false, observed: null };
  if (seen === undefined) return unknown;
  const number = (name: string) => rule[name] as number;
  const quoteLive = seen.quote?.quality === 'live';
  const referenceLive = seen.reference?.quality === 'live' && !seen.reference.flags.includes('carried_forward');
  const compare = (observed: number | null | undefined, limit: number) =>
    observed == null ? unknown : { passed: rule.type.endsWith('_below') ? observed < limit : observed > limit, observed };
  const fresh = (name: string, period: number, timeframe: string) => {
    const found = seen.indicators[`${name}:${period}@${timeframe}`];
    const bar = timeframeMs(timeframe) as number;
    if (found?.barOpenTime == null || seen.slot - found.barOpenTime < bar || seen.slot - found.barOpenTime >= 3 * bar) return undefined;
    return found;
  };
  const held = book.positions.find((one) => one.instrument === seen.instrument);
  const profit = () => {
    if (held === undefined || !quoteLive) return null;
    const short = held.quantity.startsWith('-');
    const price = short ? seen.quote?.ask : seen.quote?.bid;
    if (price == null) return null;
    const gain = percentOver(cents(price), cents(held.averageEntryPrice));
    return short ? 0 - gain : gain;
  };
  switch (rule.type) {
    case 'premium_below':
    case 'premium_above':
      return quoteLive && referenceLive ? compare(seen.premiumPct, number('pct')) : unknown;
    case 'net_edge_above':
      return quoteLive && referenceLive
        ? compare(naiveNetEdge(seen, String(rule['notionalUsd']), number('transferFeeBps')), number('bps'))
        : unknown;
    case 'reference_lost':
      return quoteLive ? { passed: !referenceLive, observed: referenceLive ? 'live' : 'lost' } : unknown;
    case 'gap_to_mark_below':
    case 'gap_to_mark_above':
      return quoteLive && referenceLive ? compare(seen.gapToMarkPct, number('pct')) : unknown;
    case 'basis_below':
    case 'basis_above':
      return quoteLive ? compare(seen.basisPct, number('pct')) : unknown;
    case 'rsi_below':
    case 'rsi_above':
      return compare(fresh('rsi', number('period'), String(rule['timeframe']))?.value, number('value'));
    case 'volatility_below':
      return compare(fresh('volatility', number('period'), String(rule['timeframe']))?.value, number('pct'));
    case 'funding_percentile_below':
    case 'funding_percentile_above':
      return compare(fresh('funding_percentile', number('windowDays'), '1h')?.value, number('percentile'));
    case 'session_in':
      return { passed: (rule['sessions'] as string[]).includes(seen.session), observed: seen.session };
    case 'liquidity_above':
      return seen.liquidityUsd === null
        ? unknown
        : { passed: Number(seen.liquidityUsd) > Number(rule['usd']), observed: seen.liquidityUsd };
    case 'price_above':
    case 'price_below': {
      if (!quoteLive || seen.quote?.mid == null) return unknown;
      return { passed: compare(Number(seen.quote.mid), Number(rule['price'])).passed, observed: seen.quote.mid };
    }
    case 'no_negative_event':
    case 'negative_event': {
      if (seen.events === null) return unknown;
      const since = seen.slot - number('lookbackHours') * HOUR;
      const counted = seen.events.filter(
        (one) => one.negative && one.observedAt >= since && (rule['includeRumors'] === true || !one.rumor),
      );
      const ranks = counted.map((one) => SEVERITIES.indexOf(one.severity)).sort();
      const worst = ranks.at(-1);
      const bad = worst !== undefined && worst >= SEVERITIES.indexOf(rule['minSeverity'] as never);
      return {
        passed: rule.type === 'negative_event' ? bad : !bad,
        observed: worst === undefined ? 'none' : (SEVERITIES[worst] as string),
      };
    }
    case 'ema_cross_up':
    case 'ema_cross_down':
    case 'ema_above':
    case 'ema_below': {
      const fast = fresh('ema', number('fast'), String(rule['timeframe']));
      const slow = fresh('ema', number('slow'), String(rule['timeframe']));
      if (fast?.value == null || slow?.value == null || fast.previous === null || slow.previous === null) return unknown;
      if (fast.barOpenTime !== slow.barOpenTime) return unknown;
      const now = Math.sign(fast.value - slow.value);
      const before = Math.sign(fast.previous - slow.previous);
      const observed = now === 0 ? 'level' : now > 0 ? (before > 0 ? 'above' : 'crossed_up') : before < 0 ? 'below' : 'crossed_down';
      const passed = {
        ema_cross_up: now > 0 && before <= 0,
        ema_cross_down: now < 0 && before >= 0,
        ema_above: now > 0,
        ema_below: now < 0,
      }[rule.type];
      return { passed, observed };
    }
    case 'take_profit': {
      const observed = profit();
      return { passed: observed !== null && observed >= number('pct'), observed };
    }
    case 'stop_loss': {
      const observed = profit();
      return { passed: observed !== null && observed <= -number('pct'), observed };
    }
    case 'held_longer_than': {
      if (held === undefined) return unknown;
      const observed = Math.round(((seen.slot - held.openedAt) / HOUR) * 1e6) / 1e6;
      return { passed: observed > number('hours'), observed };
    }
    default:
      throw new Error(`no second opinion on ${rule.type}`);
  }
}

const UNIVERSE = ['AAPLx', 'BTCUSDT', 'SPACEX'];
const KEYS = ['spotchain:AAPLx', 'spotexchange:BTCUSDT', 'spotchain:SPACEX'] as const;
const percent = fc.option(fc.integer({ min: -4000, max: 4000 }).map((value) => value / 100));
const price = fc.integer({ min: 1, max: 40_000 }).map((value) => String(value / 100));

/** Observations with most inputs of the manifest's rules, sometimes missing, stale or of another bar. */
function anyObservation(instrument: Observation['instrument'], manifest: Manifest): fc.Arbitrary<Observation> {
  const needs = compileManifest(manifest).needs.filter((need) => need.instrument === instrument);
  const indicators = fc.record(
    Object.fromEntries(
      needs.map((need) => [
        `${need.name}:${need.period}@${need.timeframe}`,
        fc.record({
          value: fc.option(fc.integer({ min: 0, max: 100 })),
          previous: fc.option(fc.integer({ min: 0, max: 100 })),
          barOpenTime: fc.option(fc.constantFrom(0.5, 1, 1, 1, 2, 3).map((bars) => SLOT - bars * (timeframeMs(need.timeframe) as number))),
        }),
      ]),
    ),
    { requiredKeys: [] },
  );
  const quality = fc.oneof({ weight: 4, arbitrary: fc.constant('live' as const) }, fc.constantFrom(...QUALITIES));
  return fc.record({
    slot: fc.constant(SLOT),
    instrument: fc.constant(instrument),
    session: fc.constantFrom(...SESSIONS),
    quote: fc.option(
      fc
        .record({ bid: fc.option(price), ask: fc.option(price), mid: fc.option(price), quality })
        .map((over) => ({ ...LIVE_QUOTE, ...over })),
      { freq: 10 },
    ),
    reference: fc.option(
      fc.record({ quality, flags: fc.constantFrom([], [], ['carried_forward' as const]) }).map((over) => ({ ...LIVE_REFERENCE, ...over })),
      { freq: 10 },
    ),
    premiumPct: percent,
    gapToMarkPct: percent,
    basisPct: percent,
    hourlyFunding: fc.constant(null),
    markPrice: fc.constant(null),
    liquidityUsd: fc.option(price),
    indicators: indicators as fc.Arbitrary<Observation['indicators']>,
    events: fc.array(
      fc
        .record({
          severity: fc.constantFrom(...SEVERITIES),
          negative: fc.boolean(),
          rumor: fc.boolean(),
          observedAt: fc.integer({ min: 0, max: 60 }).map((hours) => SLOT - hours * HOUR),
        })
        .map((over) => event(over)),
      { maxLength: 3 },
    ),
  });
}

const anyCase: fc.Arbitrary<{ manifest: Manifest; cut: Cut; book: AgentBook; autonomy: Autonomy }> = fc
  .record({
    universe: fc.subarray(UNIVERSE, { minLength: 1 }),
    entryConditions: fc.array(condition('entry'), { maxLength: 4 }),
    exitConditions: fc.array(condition('exit'), { maxLength: 4 }),
    stopLossPct: fc.constantFrom(0, 2, 20),
    takeProfitPct: fc.constantFrom(0, 2, 20),
  })
  .map((over) => manifestOf(over))
  .chain((manifest) =>
    fc.record({
      manifest: fc.constant(manifest),
      cut: fc
        .tuple(...manifest.universe.map((entry) => fc.option(anyObservation(entry.key, manifest), { freq: 10 })))
        .map((seen) => cutOf(...seen.filter((one) => one !== null))),
      book: fc
        .subarray([...KEYS])
        .chain((keys) =>
          fc.tuple(
            ...keys.map((instrument) =>
              fc
                .record({
                  quantity: fc.constantFrom('3', '-3'),
                  averageEntryPrice: price,
                  openedAt: fc.integer({ min: 0, max: 100 }).map((h) => SLOT - h * HOUR),
                })
                .map((over) => position({ instrument, ...over })),
            ),
          ),
        )
        .map((positions) => bookOf(...positions)),
      autonomy: fc.constantFrom(...AUTONOMY_LEVELS),
    }),
  );

describe('any manifest on any cut', () => {
  test('the unpacked outcome equals the matrix of the naive evaluation', () => {
    let passed = 0;
    let cells = 0;
    fc.assert(
      fc.property(anyCase, ({ manifest, cut, book, autonomy }) => {
        const compiled = compileManifest(manifest);
        const rules = compiled.unpack(compiled.decide(cut, book, autonomy, pass).outcome);
        const guardrails: ManifestCondition[] = [];
        if (manifest.stopLossPct > 0) guardrails.push({ type: 'stop_loss', pct: manifest.stopLossPct });
        if (manifest.takeProfitPct > 0) guardrails.push({ type: 'take_profit', pct: manifest.takeProfitPct });
        const expected = manifest.universe.flatMap(({ key }) =>
          [...manifest.entry, ...manifest.exit, ...guardrails].map((rule, index) => ({
            instrument: key,
            side: index < manifest.entry.length ? 'entry' : 'exit',
            type: rule.type,
            ...naiveRule(rule, cut.observations.get(key), book),
          })),
        );
        expect(rules.map(({ threshold: _, ...rule }) => rule)).toEqual(expected);
        cells += rules.length;
        passed += rules.filter((rule) => rule.passed).length;
      }),
      { numRuns: 1_500 },
    );
    // The cases are meaningful only if some rules pass.
    expect(passed).toBeGreaterThan(cells / 20);
  });

  test('a proposal has passed the rules, a live quote and the autonomy that it needs', () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(anyCase, ({ manifest, cut, book, autonomy }) => {
        const compiled = compileManifest(manifest);
        const verdict = compiled.decide(cut, book, autonomy, pass);
        seen.set(verdict.disposition, (seen.get(verdict.disposition) ?? 0) + 1);
        if (verdict.disposition === 'hold') expect(verdict.instrument).toBeNull();
        if (!verdict.disposition.startsWith('propose')) return;
        expect(autonomy).not.toBe('research');
        const mine = compiled.unpack(verdict.outcome).filter((rule) => rule.instrument === verdict.instrument);
        const open = book.positions.some((one) => one.instrument === verdict.instrument);
        expect(cut.observations.get(verdict.instrument as never)?.quote?.quality).toBe('live');
        if (verdict.disposition === 'propose_entry') {
          expect(autonomy).not.toBe('risk_only');
          expect(open).toBe(false);
          const entry = mine.filter((rule) => rule.side === 'entry');
          expect(entry.length > 0 && entry.every((rule) => rule.passed)).toBe(true);
        } else {
          expect(open).toBe(true);
          expect(mine.some((rule) => rule.side === 'exit' && rule.passed)).toBe(true);
        }
      }),
      { numRuns: 1_500 },
    );
    for (const disposition of ['hold', 'propose_entry', 'propose_exit', 'blocked_by_risk'])
      expect(seen.get(disposition) ?? 0, disposition).toBeGreaterThan(5);
  });

  test('deciding is pure: repeated, compiled anew and on frozen input, it gives the same', () => {
    const freeze = <T>(value: T): T => {
      if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
        Object.freeze(value);
        for (const member of value instanceof Map ? value.values() : Object.values(value)) freeze(member);
      }
      return value;
    };
    fc.assert(
      fc.property(anyCase, ({ manifest, cut, book, autonomy }) => {
        freeze([manifest, cut, book]);
        const compiled = compileManifest(manifest);
        const first = compiled.decide(cut, book, autonomy, pass);
        expect(compiled.decide(cut, book, autonomy, pass)).toEqual(first);
        const copy = JSON.parse(JSON.stringify(manifest)) as Manifest;
        const observations = [...cut.observations.values()].map((seen) => JSON.parse(JSON.stringify(seen)) as Observation);
        const again = compileManifest(copy).decide(cutOf(...observations), JSON.parse(JSON.stringify(book)) as AgentBook, autonomy, pass);
        expect(again).toEqual(first);
        expect(JSON.stringify(JSON.parse(first.outcome))).toBe(first.outcome);
      }),
      { numRuns: 500 },
    );
  });
});
