/** Explanations of decisions: true to the record, and without numbers that are not in it. */
import { describe, expect, test } from 'vitest';
import { AUTONOMY_LEVELS } from '../../src/domain/agents/agent.ts';
import { canonicalJson } from '../../src/domain/values/canonical-json.ts';
import { CATALOG } from '../../src/domain/catalog/catalog.ts';
import { type Observation, observationHash } from '../../src/domain/market/cut.ts';
import { type RiskAssessor } from '../../src/domain/agents/decide.ts';
import { EMPTY_BOOK } from '../../src/domain/agents/decision.ts';
import { explainDecision, explanationText } from '../../src/domain/agents/explain-decision.ts';
import { decided } from './decided.ts';
import { bookOf, indicator, LIVE_QUOTE, observation, position } from './observations.ts';

const RSI = { 'rsi:14@1h': indicator(30, 40) };
const entering = observation({ premiumPct: -2, indicators: RSI });
const pass: RiskAssessor = () => ({ verdict: 'passed', rejections: [] });
const weight: RiskAssessor = () => ({
  verdict: 'blocked',
  rejections: [{ code: 'position_weight_breach', limit: '25 %', before: '20 %', after: '31 %', suggestion: 'buy 400 USD less' }],
});

describe('a decision in words', () => {
  test('of an entry says what it proposed, that all rules passed and that risk allowed it', () => {
    const { summary, why, instruments, missing } = explainDecision(decided(entering, 'confirm', pass));
    expect(summary).toBe('At 2026-07-15T15:00:00.000Z the agent proposed to buy spotchain:AAPLx.');
    expect(why).toEqual(['Its book held no position.', 'Every entry rule held.', 'The pre-trade risk check passed.']);
    expect(instruments[0]?.seen).toBe(
      'bid 99, ask 101 from test, 500 ms old, live; reference 102 (AAPL), 900 ms old, live; premium -2 %; session REGULAR',
    );
    expect(instruments[0]?.entry[0]).toEqual({
      type: 'premium_below',
      passed: true,
      sentence:
        'premium_below: observed -2, threshold -1.5. The token price stands below this premium over the reference price. Needs a live quote and a live reference.',
    });
    expect(missing).toEqual([]);
  });

  test('names the session of exchange-listed instruments only', () => {
    const seenOf = (instrument: Observation['instrument']) =>
      explainDecision({
        ...decided(entering, 'confirm', pass),
        observed: { [instrument]: { ...entering, instrument, session: 'CLOSED' } },
      }).instruments.find((one) => one.instrument === instrument)?.seen;
    for (const { key, kind } of CATALOG.entries) {
      expect([key, seenOf(key)?.includes('session CLOSED')]).toEqual([key, kind === 'tokenized_equity']);
    }
  });

  test('of an exit names the rules that passed, which are alternatives', () => {
    const leaving = observation({ premiumPct: 1, indicators: { 'rsi:14@1h': indicator(50, 40) } });
    const { summary, why } = explainDecision(decided(leaving, 'confirm', pass, bookOf(position({ averageEntryPrice: '98' }))));
    expect(summary).toContain('proposed to sell its spotchain:AAPLx');
    expect(why).toContain('Exit rules are alternatives; premium_above held.');
    expect(why[0]).toMatch(/^Its book held .* spotchain:AAPLx bought at 98\.$/);
  });

  test('of a rejection names the limit, its use, the order’s effect and what would pass', () => {
    const { summary, why } = explainDecision(decided(entering, 'confirm', weight));
    expect(summary).toContain('was blocked from trading spotchain:AAPLx: position_weight_breach.');
    expect(why).toContain(
      'Rejected by the risk check (position_weight_breach): limit 25 %, before the order 20 %, after it 31 %; buy 400 USD less.',
    );
  });

  test('of a hold names the missing rules with their observations', () => {
    const seen = observation({ premiumPct: 0, indicators: {} });
    expect(explainDecision(decided(seen, 'confirm', pass)).missing).toEqual([
      'spotchain:AAPLx: premium_below (0 against -1.5), rsi_below (unknown against 35: the history of rsi:14@1h is missing)',
    ]);
  });

  test('of a hold for missing news says that events were unknown, not that there were none', () => {
    const of = (events: Observation['events']) => {
      // As a worker reads it, from the stored canonical text.
      const seen = JSON.parse(canonicalJson(observation({ events }) as never)) as Observation;
      expect(observationHash(seen)).toBe(observationHash(observation({ events })));
      const record = decided(seen, 'confirm', pass, EMPTY_BOOK, { entryConditions: [{ type: 'no_negative_event' }] });
      return { record, ...explainDecision(record) };
    };
    const quiet = of([]);
    expect(quiet.record.disposition).toBe('propose_entry');
    const deaf = of(null);
    expect(deaf.record.disposition).toBe('hold');
    expect(deaf.record.rules.map(({ type, passed, observed }) => [type, passed, observed])).toContainEqual([
      'no_negative_event',
      false,
      null,
    ]);
    expect(deaf.missing).toEqual(['spotchain:AAPLx: no_negative_event (unknown against high: a source of news is down)']);
    expect(deaf.instruments[0]?.seen).toContain('events unknown, because not all of their sources were received');
    expect(deaf.instruments[0]?.entry[0]?.sentence).toContain('no_negative_event: its input was unknown');
  });

  test('contains no number that is not in the record, at any autonomy and quality', () => {
    for (const autonomy of AUTONOMY_LEVELS) {
      for (const quality of ['live', 'stale', 'delayed'] as const) {
        const record = decided(observation({ premiumPct: -2, indicators: RSI, quote: { ...LIVE_QUOTE, quality } }), autonomy, weight);
        const known = JSON.stringify(record) + record.slot;
        const text = explanationText(explainDecision(record)).replace(/premium_\w+|rsi_\w+/g, '');
        for (const [number] of text.matchAll(/-?\d+(\.\d+)?/g)) expect(known, `${number} in: ${text}`).toContain(number);
      }
    }
  });
});
