/** Outside proposals in the pure decision: what the mandate allows, what is sold first, and what the record contains. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAssessor, untouchedBook } from '../../actors/agent/tick-risk.ts';
import type { Autonomy } from '../../src/domain/agents/agent.ts';
import { markBook } from '../../src/domain/books/book.ts';
import type { Observation } from '../../src/domain/market/cut.ts';
import { compileManifest, type RiskAssessor } from '../../src/domain/agents/decide.ts';
import { type AgentBook, EMPTY_BOOK, type Verdict } from '../../src/domain/agents/decision.ts';
import { manifestMetrics } from '../../src/domain/agents/evidence.ts';
import { type Manifest, manifestHash } from '../../src/domain/manifest/manifest.ts';
import { renderDeclarative } from '../../src/domain/manifest/declarative-form.ts';
import { renderPayload } from '../../src/domain/manifest/payload-form.ts';
import { draftProblems, readManifest } from '../../src/domain/manifest/reader.ts';
import { outsideState, type ProposedTrade, proposalIn, soldTooMuch, withHash } from '../../src/domain/outside/outside-proposal.ts';
import { DEFAULT_PREFERENCES, NO_OTHER_BOOKS } from '../../src/domain/risk/index.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import { payload } from './authored.ts';
import { bookOf, cutOf, LIVE_QUOTE, observation, position, SLOT } from './observations.ts';

const AGENT = '019a5b1e-7c00-7000-8000-000000000001';
const AAPL: InstrumentKey = 'spotchain:AAPLx';
const TSLA: InstrumentKey = 'spotchain:TSLAx';

function manifestOf(over: Record<string, unknown> = {}): Manifest {
  const read = readManifest(
    payload({ strategy: 'external', release: 'bot 1.4', entryConditions: undefined, exitConditions: undefined, ...over }),
  );
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.manifest;
}

const external = manifestOf();
const mandate = compileManifest(external);
const pass: RiskAssessor = () => ({ verdict: 'passed', rejections: [] });
const seen = (instrument = AAPL, over: Partial<Observation> = {}) => observation({ instrument, ...over });

const trade = (over: Partial<ProposedTrade> = {}): ProposedTrade => ({
  agentId: AGENT,
  clientId: 'one',
  side: 'buy',
  instrument: AAPL,
  notionalUsd: '1000',
  quantity: null,
  limitPrice: null,
  reason: 'the gap is wide',
  inputsHash: null,
  manifestHash: mandate.hash,
  ...over,
});

interface Case {
  readonly over?: Partial<ProposedTrade> | null;
  readonly book?: AgentBook;
  readonly autonomy?: Autonomy;
  readonly seen?: readonly Observation[];
  readonly assess?: RiskAssessor;
  readonly by?: typeof mandate;
}

function decide({ over = {}, book = EMPTY_BOOK, autonomy = 'confirm', seen: on = [seen()], assess = pass, by = mandate }: Case): Verdict {
  const outside = over === null ? null : withHash(trade({ manifestHash: by.hash, ...over }));
  return by.decide(cutOf(...on), book, autonomy, assess, undefined, outside);
}

describe('an external manifest', () => {
  test('is hashed with its release, and a manifest without one keeps its hash', () => {
    expect(external.strategy).toEqual({ kind: 'external', release: 'bot 1.4' });
    expect(external.entry).toEqual([]);
    const other = manifestHash(manifestOf({ release: 'bot 1.5' }));
    expect(other).not.toBe(mandate.hash);
    const own = readManifest(payload());
    expect(own.ok && manifestHash(own.manifest)).toBe('d5777943349460f56de0954958de9c5f41e92896ed9a61abbc754a2ea517fd2e');
  });

  test.each([
    ['payload', renderPayload(external)],
    ['declarative', renderDeclarative(external)],
  ])('reads back from the %s form under the same hash', (_, written) => {
    const again = readManifest(written);
    expect(again.ok && manifestHash(again.manifest)).toBe(mandate.hash);
  });

  test.each([
    [{ strategy: 'external', release: undefined }, '$.release'],
    [{ release: 'bot' }, '$.strategy'],
    [{ strategy: 'internal', release: 'bot' }, '$.strategy'],
    [{ strategy: 'external', release: 'bot\u202E1' }, '$.release'],
  ])('refuses %j', (over, path) => {
    const read = readManifest(payload(over));
    expect(read.ok ? [] : read.problems.map((problem) => problem.path)).toContain(path);
  });

  test('may leave draft without an entry condition, because its proposals replace it', () => {
    expect(draftProblems(external)).toEqual([]);
    expect(manifestMetrics(external)['entryConditions']).toBe(1);
  });
});

describe('a decision with an outside proposal', () => {
  test('is a hold with no_proposal without a proposal, even without market data', () => {
    expect(decide({ over: null })).toMatchObject({ disposition: 'hold', reason: 'no_proposal', risk: null });
    expect(decide({ over: null, seen: [] })).toMatchObject({ disposition: 'hold', reason: 'no_proposal' });
  });

  test('proposes the requested trade, and records every rule of the mandate as a row of the matrix', () => {
    const verdict = decide({});
    expect(verdict).toMatchObject({ disposition: 'propose_entry', reason: null, instrument: AAPL });
    const { hash } = withHash(trade());
    expect(proposalIn(verdict.outcome)).toBe(hash);
    expect(mandate.unpack(verdict.outcome).map(({ type, side, passed, observed }) => [type, side, passed, observed])).toEqual([
      ['stop_loss', 'exit', false, null],
      ['take_profit', 'exit', false, null],
      ['stop_loss', 'exit', false, null],
      ['take_profit', 'exit', false, null],
      ['outside_proposal', 'entry', true, hash],
      ['mandate_manifest', 'entry', true, mandate.hash],
      ['mandate_universe', 'entry', true, AAPL],
      ['mandate_trade_notional', 'entry', true, '1000'],
      ['mandate_slippage', 'entry', true, '101.404'],
      ['mandate_book', 'entry', true, '0'],
    ]);
    expect(outsideState(withHash(trade()), verdict)).toBe('proposed');
  });

  const held = bookOf(position({ averageEntryPrice: '98' }));
  const refused: readonly (readonly [string, Case, string])[] = [
    ['another instrument', { over: { instrument: 'spotexchange:BTCUSDT' }, seen: [seen()] }, 'outside_universe'],
    ['an old manifest', { over: { manifestHash: 'f'.repeat(64) } }, 'manifest_changed'],
    ['more dollars than one trade may have', { over: { notionalUsd: '2500.51' } }, 'notional_limit_breach'],
    ['a quantity worth more than one trade may have', { over: { notionalUsd: null, quantity: '24.8' } }, 'notional_limit_breach'],
    ['a limit price beyond the slippage budget', { over: { limitPrice: '101.405' } }, 'slippage_budget_breach'],
    ['a second purchase of what is held', { book: held }, 'position_open'],
    ['a sale of what is not held', { over: { side: 'sell' } }, 'insufficient_balance'],
    [
      'a sale of more than is held',
      { over: { side: 'sell', notionalUsd: null, quantity: '10.000001' }, book: held },
      'insufficient_balance',
    ],
  ];
  test.each(refused)('blocks %s by the name of its rule', (_, given, code) => {
    const verdict = decide(given);
    expect(verdict).toMatchObject({ disposition: 'blocked_by_risk', reason: code });
    expect(outsideState(withHash(trade(given.over ?? {})), verdict)).toBe('blocked');
  });

  test('names the position as a sale’s limit, and the requested amount as after it, at the slot as at receipt', () => {
    const over = { side: 'sell', notionalUsd: null, quantity: '10.000001' } as const;
    const rejection = { code: 'insufficient_balance', limit: '10', before: null, after: '10.000001' };
    expect(decide({ over, book: held }).risk?.rejections).toMatchObject([rejection]);
    expect(soldTooMuch(trade(over), held.positions[0] ?? null)).toMatchObject(rejection);
    expect(soldTooMuch(trade({ ...over, quantity: '10' }), held.positions[0] ?? null)).toBeNull();
    expect(soldTooMuch(trade({ side: 'sell' }), null)).toMatchObject({ ...rejection, limit: '0', after: null });
  });

  test('that was archived is not missing', () => {
    expect([outsideState(withHash(trade()), null), outsideState(withHash(trade()), null, true)]).toEqual(['missed', 'archived']);
  });

  test('sells a part of the position', () => {
    const asked: unknown[] = [];
    const verdict = decide({
      over: { side: 'sell', notionalUsd: '500' },
      book: held,
      assess: ({ outside }) => {
        asked.push(outside?.notionalUsd);
        return { verdict: 'passed', rejections: [] };
      },
    });
    expect([verdict.disposition, asked]).toEqual(['propose_exit', ['500']]);
  });

  test.each<[Autonomy, Partial<ProposedTrade>, string | null]>([
    ['research', {}, 'research_only'],
    ['risk_only', {}, 'reduce_only'],
    ['risk_only', { side: 'sell', notionalUsd: '500' }, null],
  ])('at %s follows the autonomy', (autonomy, over, reason) => {
    const verdict = decide({ autonomy, over, book: over.side === 'sell' ? held : EMPTY_BOOK });
    expect(verdict.reason).toBe(reason);
    expect(verdict.disposition).toBe(reason === null ? 'propose_exit' : 'hold');
  });

  test('with an unmet limit price waits only for its own slot', () => {
    expect(decide({ over: { limitPrice: '100.99' } })).toMatchObject({ disposition: 'hold', reason: 'limit_price_not_reached' });
    expect(decide({ over: { limitPrice: '101' } })).toMatchObject({ disposition: 'propose_entry' });
  });

  test('conditions only restrict purchases, and enter nothing by themselves', () => {
    const by = compileManifest(manifestOf({ entryConditions: [{ type: 'premium_below', pct: -1.5 }] }));
    const narrow = [seen(AAPL, { premiumPct: -1 })];
    expect(decide({ by, over: null })).toMatchObject({ reason: 'no_proposal' });
    expect(decide({ by })).toMatchObject({ disposition: 'propose_entry' });
    expect(decide({ by, seen: narrow })).toMatchObject({ disposition: 'hold', reason: 'fence_not_passed' });
  });

  test.each<[string, Case & { readonly over: Partial<ProposedTrade> }]>([
    ['a stop-loss of another instrument', { over: { instrument: TSLA }, seen: [seen(), seen(TSLA)] }],
    ['a stop-loss of the same instrument', { over: { side: 'sell', notionalUsd: '500' } }],
  ])('%s comes first, and the proposal is superseded', (_, given) => {
    const losing = bookOf(position({ averageEntryPrice: '110' }));
    const verdict = decide({ ...given, book: losing });
    expect(verdict).toMatchObject({ disposition: 'propose_exit', instrument: AAPL });
    expect(outsideState(withHash(trade(given.over)), verdict)).toBe('superseded');
  });

  test('a quote that is not live blocks any proposal', () => {
    const stale = [seen(AAPL, { quote: { ...LIVE_QUOTE, quality: 'stale' } })];
    for (const over of [{}, { notionalUsd: null, quantity: '9' }, { limitPrice: '101' }] as const)
      expect(decide({ over, seen: stale })).toMatchObject({ disposition: 'blocked_by_risk', reason: 'quote_not_live' });
    expect(decide({ seen: [] })).toMatchObject({ disposition: 'hold', reason: 'no_observation' });
  });
});

/** Returns the tick's risk function on an untouched book. */
function tickRisk(manifest: Manifest, autonomy: Autonomy): RiskAssessor {
  const agent = { id: AGENT, stage: 'draft', autonomy, manifest, manifestVersion: 1 } as const;
  return createAssessor(agent, markBook(untouchedBook(agent), new Map(), SLOT), {
    preferences: DEFAULT_PREFERENCES,
    others: NO_OTHER_BOOKS,
  });
}

describe('the risk function', () => {
  const inside = readManifest(payload({ entryConditions: [{ type: 'premium_below', pct: -1.5 }], exitConditions: [] }));
  if (!inside.ok) throw new Error('the payload is not read');
  const own = compileManifest(inside.manifest);

  test("an outside agent's decision equals the inside agent's for the same trade", () => {
    const most = String(external.maxTradeNotionalUsd);
    const wanted = own.decide(cutOf(seen()), EMPTY_BOOK, 'confirm', tickRisk(inside.manifest, 'confirm'));
    const got = decide({ over: { notionalUsd: most }, assess: tickRisk(external, 'confirm') });
    expect(wanted.disposition).toBe('propose_entry');
    expect({ ...got, outcome: '' }).toEqual({ ...wanted, outcome: '' });
  });

  test('no proposal buys more than the mandate allows, at a higher price, or another instrument', () => {
    fc.assert(
      fc.property(
        fc.record({
          notionalUsd: fc.constantFrom('0.01', '1', '2500.5', '2500.50001', '2501', '50000', '1e9', '999999999999'),
          byQuantity: fc.boolean(),
          quantity: fc.constantFrom('0.000001', '1', '24.757', '24.76', '1000'),
          limitPrice: fc.constantFrom(null, '0.01', '100', '101', '101.404', '101.41', '1000000'),
          instrument: fc.constantFrom<InstrumentKey>(AAPL, TSLA, 'spotexchange:BTCUSDT'),
          side: fc.constantFrom('buy' as const, 'sell' as const),
          autonomy: fc.constantFrom<Autonomy>('research', 'suggest', 'confirm', 'policy_auto', 'autonomous', 'risk_only'),
        }),
        ({ byQuantity, autonomy, quantity, notionalUsd, ...rest }) => {
          const over = byQuantity ? { ...rest, quantity, notionalUsd: null } : { ...rest, notionalUsd };
          const verdict = decide({ over, autonomy, assess: tickRisk(external, autonomy), seen: [seen(), seen(TSLA)] });
          if (verdict.disposition === 'hold' || verdict.disposition === 'blocked_by_risk') return;
          const { order } = verdict.risk as { order: { side: string; quantity: string; limitPrice: string; notionalUsd: string } };
          expect(verdict.disposition).toBe('propose_entry');
          expect(external.universe.map(({ key }) => key)).toContain(verdict.instrument);
          expect(Number(order.notionalUsd)).toBeLessThanOrEqual(Number(external.maxTradeNotionalUsd));
          expect(Number(order.limitPrice)).toBeLessThanOrEqual(101.404);
          expect(['research', 'risk_only']).not.toContain(autonomy);
        },
      ),
      { numRuns: 500 },
    );
  });
});
