// "Why no trades?", reason by reason: the text of each, and which of two comes first.
import { expect, test } from 'vitest';
import { PAUSE_CAUSES } from '../../src/domain/agents/agent.ts';
import type { RiskAssessor } from '../../src/domain/agents/decide.ts';
import type { DecisionRecord } from '../../src/domain/agents/decision.ts';
import { PROPOSAL_STATES } from '../../src/domain/orders/execution.ts';
import { type EntryRule, entryRulesInWords, type TradingFacts, whyNoTrades } from '../../src/domain/agents/why-no-trades.ts';
import { whyNoTrades as whyNoneSimulated } from '../../src/simulation/backtest/backtest-previews.ts';
import { decided } from './decided.ts';
import { bookOf, HOUR, indicator, LIVE_QUOTE, LIVE_REFERENCE, observation, position } from './observations.ts';

const RSI = { 'rsi:14@1h': indicator(30, 40) };
/** Observation at which every entry rule holds, and one with too high a premium. */
const ASKING = observation({ premiumPct: -2, indicators: RSI });
const DEAR = observation({ premiumPct: 1, indicators: RSI });
/** Saturday: the reference is Friday's close, and the premium is too high for the rule. */
const SATURDAY = Date.parse('2026-07-18T15:00:00Z');
const CLOSED_MARKET = observation({
  slot: SATURDAY,
  session: 'CLOSED',
  premiumPct: 1,
  reference: { ...LIVE_REFERENCE, quality: 'stale', flags: ['session_closed', 'carried_forward'] },
  indicators: { 'rsi:14@1h': indicator(30, 40, SATURDAY - HOUR) },
});
const pass: RiskAssessor = () => ({ verdict: 'passed', rejections: [] });
const tooHeavy: RiskAssessor = () => ({
  verdict: 'blocked',
  rejections: [{ code: 'position_weight_breach', limit: '25 %', before: '20 %', after: '31 %', suggestion: 'buy 400 USD less' }],
});
const drawnDown: RiskAssessor = () => ({
  verdict: 'blocked',
  rejections: [{ code: 'daily_drawdown_breach', limit: '3 %', before: '3.4 %', after: null, suggestion: null }],
});
const missed = (reason: string): DecisionRecord => ({ ...decided(DEAR, 'policy_auto', pass), disposition: 'hold', reason, rules: [] });
const looks = (count: number, one: DecisionRecord): DecisionRecord[] => Array.from({ length: count }, () => one);
const facts = (over: Partial<TradingFacts>): TradingFacts => ({
  isQuarantined: false,
  pauseCause: null,
  autonomy: 'policy_auto',
  decisions: [],
  proposals: [],
  ...over,
});
const session = (sessions: readonly string[]) => ({ entryConditions: [{ type: 'session_in', sessions }], exitConditions: [] });

const TABLE: readonly (readonly [reason: string, over: Partial<TradingFacts>, sentences: readonly string[]])[] = [
  [
    'in quarantine',
    { isQuarantined: true, pauseCause: 'quarantine', decisions: looks(3, decided(ASKING, 'research', pass)) },
    ['It is quarantined and makes no decisions. Repair the cause, then release it: POST /v1/agents/:id/release.'],
  ],
  [
    'paused',
    { pauseCause: 'operator', decisions: looks(3, decided(ASKING, 'research', pass)) },
    ['It makes no decisions: a member paused it. Resume it: POST /v1/agents/:id/resume.'],
  ],
  ['has decided nothing', {}, ['No decisions yet. A running agent decides at each full minute.']],
  [
    'at research',
    { autonomy: 'research', decisions: [...looks(2, decided(ASKING, 'research', pass)), decided(DEAR, 'research', pass)] },
    [
      'Its rules asked for a trade at 2 of its last 3 decisions, but at autonomy research it proposes nothing. Raise it: POST /v1/agents/:id/autonomy.',
    ],
  ],
  [
    'at suggest',
    { autonomy: 'suggest', decisions: looks(2, decided(ASKING, 'suggest', pass)) },
    [
      'It recommended an entry at 2 of its last 2 decisions, but at autonomy suggest it places no orders. Read them: GET /v1/recommendations.',
    ],
  ],
  [
    'at risk_only',
    { autonomy: 'risk_only', decisions: looks(2, decided(ASKING, 'risk_only', pass)) },
    ['Its rules asked to enter at 2 of its last 2 decisions, but at autonomy risk_only it can only reduce its positions.'],
  ],
  [
    'proposals wait, expire and fail, the most frequent end first',
    {
      autonomy: 'confirm',
      decisions: looks(5, decided(ASKING, 'confirm', pass)),
      proposals: [
        { state: 'failed', reason: 'limit_price_passed' },
        { state: 'pending_approval', reason: null },
        { state: 'expired', reason: 'approval_window_over' },
        { state: 'expired', reason: 'approval_window_over' },
      ],
    },
    [
      'One proposal waits for an approval: POST /v1/agent-orders/:id/approve.',
      'Of its last 4 proposals 2 ended in state expired (approval_window_over).',
      'Of its last 4 proposals 1 ended in state failed (limit_price_passed).',
    ],
  ],
  [
    'limits of risk, the most frequent first and each with its newest numbers',
    { decisions: [decided(ASKING, 'policy_auto', drawnDown), ...looks(2, decided(ASKING, 'policy_auto', tooHeavy))] },
    [
      'Its rules asked for a trade and were stopped at 2 of its last 3 decisions: rejected by the risk check (position_weight_breach): limit 25 %, before the order 20 %, after it 31 %; buy 400 USD less.',
      'Its rules asked for a trade and were stopped at 1 of its last 3 decisions: rejected by the risk check (daily_drawdown_breach): limit 3 %, before the order 3.4 %.',
    ],
  ],
  [
    'quality of the price',
    {
      decisions: [
        decided(
          observation({ premiumPct: -2, indicators: RSI, quote: { ...LIVE_QUOTE, quality: 'stale' } }),
          'policy_auto',
          pass,
          undefined,
          {
            entryConditions: [{ type: 'rsi_below', period: 14, value: 35 }],
          },
        ),
      ],
    },
    [
      'Its rules asked for a trade and were stopped at its last decision: the rules asked for a trade, but the quote is not live, and orders need a live quote.',
    ],
  ],
  [
    'slots that nobody looked at',
    { decisions: [missed('late_tick'), missed('late_tick'), missed('no_observation')] },
    [
      'At 2 of its last 3 decisions it was late, and an agent never trades on old market data.',
      'At 1 of its last 3 decisions no market data was received for at least one of its instruments, so it did not trade.',
    ],
  ],
  [
    'session',
    { decisions: looks(4, decided(observation({ session: 'CLOSED' }), 'policy_auto', pass, undefined, session(['REGULAR']))) },
    ['spotchain:AAPLx: session_in (REGULAR) was true at none of 4 decisions.'],
  ],
  [
    'history that is missing comes before a rule that never held',
    { decisions: looks(4, decided(observation({ premiumPct: 1, indicators: {} }), 'policy_auto', pass)) },
    [
      'spotchain:AAPLx: rsi_below (35) was unknown at all 4 decisions: the history of rsi:14@1h is missing.',
      'spotchain:AAPLx: premium_below (-1.5) was true at none of 4 decisions.',
    ],
  ],
  [
    'a closed market, which is no missing history; several causes with their counts',
    {
      decisions: [
        ...looks(3, decided(CLOSED_MARKET, 'policy_auto', pass)),
        decided(observation({ reference: null, premiumPct: null, indicators: RSI }), 'policy_auto', pass),
      ],
    },
    [
      'spotchain:AAPLx: premium_below (-1.5) was unknown at all 4 decisions: the market is closed until 2026-07-20T13:30:00.000Z (3 decisions), there is no reference price (one decision).',
    ],
  ],
  [
    'each rule held at times, never all: with the share of each, the one that stood alone in the way most often first',
    {
      decisions: [
        decided(observation({ premiumPct: -2, indicators: { 'rsi:14@1h': indicator(60, 61) } }), 'policy_auto', pass),
        decided(DEAR, 'policy_auto', pass),
        decided(DEAR, 'policy_auto', pass),
      ],
    },
    [
      'spotchain:AAPLx: each entry rule was true at times, but never all of them at once.',
      'spotchain:AAPLx: premium_below (-1.5) was true at 1 of 3 decisions (33.333 %), and was the only blocker at 2.',
      'spotchain:AAPLx: rsi_below (35) was true at 2 of 3 decisions (66.667 %), and was the only blocker at 1.',
      'spotchain:AAPLx: no_negative_event (high) was true at 3 of 3 decisions (100 %).',
    ],
  ],
  [
    'a single look, whose rule did not hold',
    { decisions: [decided(observation({ session: 'CLOSED' }), 'policy_auto', pass, undefined, session(['REGULAR']))] },
    ['spotchain:AAPLx: session_in (REGULAR) was false at its only decision.'],
  ],
  [
    'a single look at research, and a single proposal of before, which expired',
    {
      decisions: [decided(ASKING, 'research', pass)],
      autonomy: 'research',
      proposals: [{ state: 'expired', reason: 'approval_window_over' }],
    },
    [
      'Its rules asked for a trade at its last decision, but at autonomy research it proposes nothing. Raise it: POST /v1/agents/:id/autonomy.',
      'Its last proposal ended in state expired (approval_window_over).',
    ],
  ],
  [
    'a single look that was missed',
    { decisions: [missed('late_tick')] },
    ['At its last decision it was late, and an agent never trades on old market data.'],
  ],
  [
    'it holds what it may buy',
    {
      decisions: looks(
        2,
        decided(observation({ premiumPct: -1, indicators: {} }), 'policy_auto', pass, bookOf(position({ averageEntryPrice: '99' }))),
      ),
    },
    ['It holds spotchain:AAPLx, and no exit rule was true.'],
  ],
  [
    'an order was filled',
    { decisions: looks(2, decided(DEAR, 'policy_auto', pass)), proposals: [{ state: 'partially_filled', reason: null }] },
    [],
  ],
];

test.each(TABLE)('why no trades: %s', (_, over, sentences) => {
  expect(whyNoTrades(facts(over))).toEqual(sentences);
});

test('with every reason at once the order is: quarantine, pause, autonomy, proposals, risk, missed slots; rules only without them', () => {
  const all = facts({
    isQuarantined: true,
    pauseCause: 'operator',
    autonomy: 'research',
    decisions: [
      decided(ASKING, 'research', pass),
      decided(ASKING, 'policy_auto', tooHeavy),
      missed('late_tick'),
      decided(DEAR, 'policy_auto', pass),
    ],
    proposals: [{ state: 'expired', reason: 'approval_window_over' }],
  });
  const beginnings = (over: Partial<TradingFacts>) => whyNoTrades({ ...all, ...over }).map((sentence) => sentence.slice(0, 22));
  expect(beginnings({})).toEqual(['It is quarantined and ']);
  expect(beginnings({ isQuarantined: false })).toEqual(['It makes no decisions:']);
  const onDuty = { isQuarantined: false, pauseCause: null } as const;
  expect(beginnings(onDuty)).toEqual([
    'Its rules asked for a ',
    'Its last proposal ende',
    'Its rules asked for a ',
    'At 1 of its last 4 dec',
  ]);
  const { decisions } = all;
  expect(beginnings({ ...onDuty, proposals: [], decisions: decisions.slice(2) })).toEqual([
    'At 1 of its last 4 dec'.replace('4', '2'),
    'spotchain:AAPLx: premi',
  ]);
});

test('every cause of a pause and every end of a proposal has its sentence', () => {
  for (const pauseCause of PAUSE_CAUSES) expect(whyNoTrades(facts({ pauseCause }))[0]).toMatch(/^It makes no decisions: (?!undefined)/);
  const decisions = looks(1, decided(ASKING, 'confirm', pass));
  const of = (state: (typeof PROPOSAL_STATES)[number]) => whyNoTrades(facts({ decisions, proposals: [{ state, reason: null }] }));
  expect(Object.fromEntries(PROPOSAL_STATES.map((state) => [state, of(state)]))).toEqual({
    pending_approval: ['One proposal waits for an approval: POST /v1/agent-orders/:id/approve.'],
    ...Object.fromEntries((['approved', 'executing', 'unknown'] as const).map((state) => [state, ['An order is being executed.']])),
    filled: [],
    partially_filled: [],
    ...Object.fromEntries(
      (['failed', 'expired', 'cancelled', 'declined', 'blocked_by_risk'] as const).map((state) => [
        state,
        [`Its last proposal ended in state ${state}.`],
      ]),
    ),
  });
});

const rule = (over: Partial<EntryRule> & { side?: 'entry' | 'exit' }) => ({
  side: 'entry' as const,
  instrument: null,
  type: 'rsi_below',
  threshold: 30,
  evaluated: 200,
  passed: 0,
  blocked: 0,
  unknown: 0,
  causes: new Map<string, number>(),
  lastToFail: 0,
  closed: 0,
  ...over,
});
const SIMULATED: readonly (readonly [string, Parameters<typeof whyNoneSimulated>[0], readonly string[]])[] = [
  ['a trade', { trades: { closed: 0, open: 1 }, conditions: [rule({})], blocked: {}, missed: {} } as never, []],
  [
    'no entry rule',
    { trades: { closed: 0, open: 0 }, conditions: [rule({ side: 'exit' })], blocked: {}, missed: {} } as never,
    ['It has no entry rule.'],
  ],
  [
    'no history of one rule, part of another',
    {
      trades: { closed: 0, open: 0 },
      conditions: [rule({ unknown: 50 }), rule({ type: 'gap_to_mark_below', unknown: 200 })],
      blocked: {},
      missed: {},
    } as never,
    [
      'gap_to_mark_below (30) was unknown at all 200 decisions: its input was not live, or stored history is missing.',
      'rsi_below (30) was true at none of 200 decisions; it was unknown at 25 % of them.',
    ],
  ],
  [
    'rules that held, and were stopped by risk and for want of an order',
    {
      trades: { closed: 0, open: 0 },
      conditions: [rule({ passed: 9 })],
      blocked: { pool_liquidity_breach: 2, position_weight_breach: 5 },
      missed: { too_small: 1 },
    } as never,
    [
      'The rules asked to enter, and risk refused at 5 looks: position_weight_breach.',
      'The rules asked to enter, and risk refused at 2 looks: pool_liquidity_breach.',
      'The rules asked to enter, and no order came about at one look: too_small.',
    ],
  ],
];

test.each(SIMULATED)('why a simulated stretch holds no trade: %s', (_, result, sentences) => {
  expect(whyNoneSimulated(result)).toEqual(sentences);
});

test('of several instruments each has its reason', () => {
  expect(
    entryRulesInWords([
      rule({ instrument: 'spotexchange:BTCUSDT' }),
      rule({ instrument: 'spotexchange:ETHUSDT', passed: 20, lastToFail: 180 }),
    ]),
  ).toEqual([
    'spotexchange:BTCUSDT: rsi_below (30) was true at none of 200 decisions.',
    'spotexchange:ETHUSDT: each entry rule was true at times, but never all of them at once.',
    'spotexchange:ETHUSDT: rsi_below (30) was true at 20 of 200 decisions (10 %), and was the only blocker at 180.',
  ]);
});
