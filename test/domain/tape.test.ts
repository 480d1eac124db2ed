// Valid contents of a tape, and their encoding.
import { describe, expect, test } from 'vitest';
import { NO_FLAGS } from '../../src/domain/market/quote.ts';
import { TAPE_KINDS, type TapeEvent, tapeEventProblem, tapeHeaderProblem, tapeLine } from '../../src/domain/tape/tape.ts';

const AT = 1_760_000_000_000;
const QUOTE: TapeEvent = {
  kind: 'quote',
  venue: 'spotexchange',
  instrument: 'BTCUSDT',
  source: 'binance:bookTicker',
  observedAt: AT - 12,
  receivedAt: AT,
  sourceTime: true,
  bid: '65000.10',
  ask: '65000.11',
  bidSize: '0.5',
  askSize: null,
  sequence: 42,
  quality: 'live',
  flags: NO_FLAGS,
};
const parsed = (change: Record<string, unknown>): unknown => ({ ...QUOTE, ...change });

test('a quote is spelled as JSON.stringify spells it, members in one order', () => {
  expect(tapeLine(QUOTE)).toBe(JSON.stringify(QUOTE));
  const shuffled = Object.fromEntries(Object.entries(QUOTE).reverse()) as unknown as TapeEvent;
  expect(tapeLine(shuffled)).toBe(tapeLine(QUOTE));
  const strange: TapeEvent = { ...QUOTE, instrument: 'a"\\\n\u00e9\ud800', source: '\u0000', flags: ['gap', 'crossed'] };
  expect(tapeLine(strange)).toBe(JSON.stringify(strange));
});

test('an event of every kind is accepted as it is, and spelled so that it reads back the same', () => {
  const common = { source: 'x:y', receivedAt: AT };
  const agent = {
    id: '00000000-0000-7000-8000-000000000001',
    orgId: '00000000-0000-7000-8000-000000000002',
    manifest: {},
    manifestVersion: 1,
    autonomy: 'confirm',
    stage: 'draft',
    tickFrom: null,
    tickUntil: null,
    previousHash: '0'.repeat(64),
    snapshot: null,
  };
  const events = [
    QUOTE,
    {
      kind: 'reference',
      venue: 'reference',
      instrument: 'AAPL',
      ...common,
      observedAt: AT,
      feedUpdatedAt: AT,
      referencePrice: '1',
      confidence: '0',
      publisherSession: 'REGULAR',
      quality: 'live',
      flags: [],
    },
    {
      kind: 'perp_context',
      venue: 'evmvenue',
      instrument: 'BTC',
      ...common,
      observedAt: AT,
      markPrice: '1',
      oraclePrice: '1',
      hourlyFunding: '-0.0000125',
      openInterest: '2',
      dayNotional: '3',
    },
    { kind: 'pool_liquidity', venue: 'spotchain', instrument: 'AAPLx', ...common, observedAt: AT, liquidityUsd: '1' },
    { kind: 'token_multiplier', venue: 'spotchain', instrument: 'AAPLx', ...common, observedAt: AT, multiplier: '5', previous: '1' },
    {
      kind: 'candles',
      venue: 'evmvenue',
      instrument: 'BTC',
      timeframe: '1h',
      ...common,
      candles: [{ openTime: 1, open: '-1', high: '1', low: '-1', close: '0', volume: '0' }],
      covers: { from: 1, to: 2 },
    },
    { kind: 'feed_status', venue: 'evmvenue', ...common, status: 'connected', epoch: 1, detail: '' },
    { kind: 'heartbeat', venue: 'evmvenue', ...common },
    {
      kind: 'news',
      venue: 'reference',
      id: 'n',
      ...common,
      observedAt: AT,
      symbols: ['AAPL'],
      severity: 'high',
      negative: true,
      rumor: false,
      headline: 'h',
    },
    { kind: 'command', receivedAt: AT, actorId: agent.id, event: { type: 'joined' }, agent },
    {
      kind: 'cut',
      receivedAt: AT,
      source: 'streams',
      instruments: ['spotexchange:BTCUSDT'],
      needs: [{ instrument: 'spotexchange:BTCUSDT', name: 'rsi', timeframe: '1h', period: 14 }],
    },
    { kind: 'inputs', receivedAt: AT, actorId: agent.id, inputs: '{"epoch":0}' },
  ] as unknown as TapeEvent[];
  expect(new Set(events.map(({ kind }) => kind))).toEqual(new Set(TAPE_KINDS));
  for (const event of events) {
    expect(tapeEventProblem(event, AT), event.kind).toBeNull();
    expect(JSON.parse(tapeLine(event))).toEqual(JSON.parse(JSON.stringify(event)));
  }
});

describe('what is not sound is refused with what was wrong and what would be right', () => {
  test.each<[string, unknown, RegExp]>([
    ['a time before the last', parsed({ receivedAt: AT - 1 }), /receivedAt 1759999999999, which is before the 1760000000000 .* ascends/],
    ['a time that is not a number', parsed({ receivedAt: null }), /receivedAt null; it should be whole milliseconds/],
    ['an infinite time', parsed({ receivedAt: JSON.parse('1e999') }), /receivedAt Infinity/],
    ['a fraction of a millisecond', parsed({ observedAt: 1.5 }), /observedAt 1.5; it should be whole milliseconds/],
    ['a price that is a number', parsed({ bid: 65000.1 }), /bid 65000.1; it should be a plain decimal in quotation marks, or null/],
    ['a price with an exponent', parsed({ ask: '6.5e4' }), /ask "6.5e4"/],
    ['a price that is NaN', parsed({ ask: 'NaN' }), /ask "NaN"/],
    ['a missing member', (({ sequence: _, ...rest }) => rest)(QUOTE), /lacks sequence; it should be a whole number from 0 on, or null/],
    ['an unknown member', parsed({ price: '1' }), /a member "price" that quote events lack/],
    ['an unknown kind', parsed({ kind: 'qoute' }), /kind "qoute"; it should be one of quote, .*did you mean quote\?/],
    ['a kind of the prototype', parsed({ kind: 'constructor' }), /kind "constructor"/],
    ['the reference venue as a quote', parsed({ venue: 'reference' }), /venue "reference"; it should be one of spotchain/],
    ['an unknown flag', parsed({ flags: ['late'] }), /flags \["late"\]; it should be a list of: one of gap/],
    ['a second header', { tape: 1 }, /second header/],
    ['a list', [], /an event is an object/],
    [
      'a creation without its agent',
      { kind: 'command', receivedAt: AT, actorId: '00000000-0000-7000-8000-000000000001', event: { type: 'started' } },
      /without its agent/,
    ],
    [
      'a candle that is not a candle',
      { kind: 'candles', venue: 'evmvenue', instrument: 'BTC', timeframe: '1h', source: 's', receivedAt: AT, candles: [{ openTime: 1 }] },
      /candles whose open is a plain decimal/,
    ],
  ])('%s', (_, event, sentence) => {
    expect(tapeEventProblem(event, AT)).toMatch(sentence);
  });
});

test('a header needs its version and nothing else; what it says has to be sound', () => {
  expect(tapeHeaderProblem({ tape: 1 })).toBeNull();
  expect(tapeHeaderProblem({ tape: 1, somebodyElses: true, venues: ['reference'] })).toBeNull();
  expect(tapeHeaderProblem({ tape: 2 })).toMatch(/version 2; this release reads version 1/);
  expect(tapeHeaderProblem({ kind: 'quote' })).toMatch(/first line should be \{"tape":1/);
  expect(tapeHeaderProblem({ tape: 1, venues: ['nasdaq'] })).toMatch(/venues \["nasdaq"\]; it should be a list of: one of/);
});
