/** A carried-forward reference: used where a manifest's session rule lets rules read it, and nowhere else. */
import { describe, expect, test } from 'vitest';
import { emptyBook, markBook } from '../../src/domain/books/book.ts';
import { carriedIn, isOfLastSession, isReadableCarried } from '../../src/domain/conditions/carried-reference.ts';
import { compileManifest, type RiskAssessor } from '../../src/domain/agents/decide.ts';
import { EMPTY_BOOK } from '../../src/domain/agents/decision.ts';
import type { Manifest } from '../../src/domain/manifest/manifest.ts';
import { manifestHash } from '../../src/domain/manifest/manifest.ts';
import { readManifest } from '../../src/domain/manifest/reader.ts';
import type { QualityFlag } from '../../src/domain/market/quote.ts';
import { DEFAULT_PREFERENCES } from '../../src/domain/risk/index.ts';
import { orderContext } from '../../src/domain/risk/order-context.ts';
import { sizeIndependentBreaches } from '../../src/domain/risk/size-independent.ts';
import { lastRegularClose, sessionAt } from '../../src/domain/market/session.ts';
import { payload } from './authored.ts';
import { bookOf, cutOf, LIVE_QUOTE, LIVE_REFERENCE, observation, position } from './observations.ts';

/** Friday's close of the regular session, and noon of the following Saturday. */
const CLOSE = Date.parse('2026-07-17T20:00:00Z');
const SATURDAY = Date.parse('2026-07-18T16:00:00Z');

function manifestOf(entry: Record<string, unknown>[], over: Record<string, unknown> = {}): Manifest {
  const read = readManifest(
    payload({
      universe: ['AAPLx'],
      entryConditions: [{ type: 'premium_below', pct: -1 }, ...entry],
      exitConditions: [{ type: 'premium_above', pct: 1 }, { type: 'reference_lost' }],
      stopLossPct: 0,
      takeProfitPct: 0,
      ...over,
    }),
  );
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.manifest;
}

const weekend = (carriedReference?: boolean) => ({
  type: 'session_in',
  sessions: ['CLOSED'],
  ...(carriedReference === undefined ? {} : { carriedReference }),
});
const pass: RiskAssessor = () => ({ verdict: 'passed', rejections: [] });

/** Returns an observation on Saturday: a live quote, and a reference published at `publishedAt`. */
function seenAt(
  at: number,
  premiumPct: number,
  publishedAt = CLOSE - 2_000,
  flags: readonly QualityFlag[] = ['session_closed', 'carried_forward'],
) {
  return observation({
    slot: at,
    session: sessionAt(at),
    quote: { ...LIVE_QUOTE, observedAt: at - 500, receivedAt: at - 400 },
    reference: { ...LIVE_REFERENCE, feedUpdatedAt: publishedAt, receivedAt: publishedAt, ageMs: at - publishedAt, quality: 'stale', flags },
    premiumPct,
  });
}

describe('an agent on a Saturday, at two percent below Friday’s close', () => {
  const allowed = compileManifest(manifestOf([weekend(true)]));

  test('enters and exits by the carried price if its session rule allows it', () => {
    expect(allowed.decide(cutOf(seenAt(SATURDAY, -2)), EMPTY_BOOK, 'autonomous', pass)).toMatchObject({ disposition: 'propose_entry' });
    const held = bookOf(position({ averageEntryPrice: '98' }));
    expect(allowed.decide(cutOf(seenAt(SATURDAY, 2)), held, 'autonomous', pass)).toMatchObject({ disposition: 'propose_exit' });
    // A readable price is not lost.
    expect(allowed.decide(cutOf(seenAt(SATURDAY, 0)), held, 'autonomous', pass)).toMatchObject({ disposition: 'hold' });
  });

  test.each<[string, Record<string, unknown>[]]>([
    ['has no session rule', []],
    ['names the session and says nothing of the reference', [weekend()]],
    ['says no', [weekend(false)]],
    ['allows it in another session', [{ type: 'session_in', sessions: ['PRE_MARKET', 'REGULAR'], carriedReference: true }]],
  ])('does not if its manifest %s', (_, entry) => {
    const verdict = compileManifest(manifestOf(entry)).decide(cutOf(seenAt(SATURDAY, -2)), EMPTY_BOOK, 'autonomous', pass);
    expect(verdict.disposition).not.toBe('propose_entry');
  });

  test.each<[string, ReturnType<typeof seenAt>]>([
    ['the feed is down', seenAt(SATURDAY, -2, CLOSE - 2_000, ['session_closed', 'carried_forward', 'feed_down'])],
    ['it doubts itself', seenAt(SATURDAY, -2, CLOSE - 2_000, ['carried_forward', 'wide_confidence'])],
    ['it is only too old', seenAt(SATURDAY, -2, CLOSE - 2_000, ['over_age'])],
    ['it stood still before the close', seenAt(SATURDAY, -2, CLOSE - 120_000)],
    ['it is of the day before', seenAt(SATURDAY, -2, CLOSE - 24 * 3_600_000)],
  ])('nor if %s', (_, seen) => {
    expect(allowed.decide(cutOf(seen), EMPTY_BOOK, 'autonomous', pass)).toMatchObject({
      disposition: 'blocked_by_risk',
      reason: 'stale_reference_feed',
    });
  });

  test('in the regular session a price that does not move is a fault, whatever the manifest allows', () => {
    const everywhere = [{ type: 'session_in', sessions: ['PRE_MARKET', 'REGULAR', 'POST_MARKET', 'CLOSED'], carriedReference: true }];
    const monday = Date.parse('2026-07-20T15:00:00Z');
    const verdict = compileManifest(manifestOf(everywhere)).decide(
      cutOf(seenAt(monday, -2, CLOSE, ['carried_forward'])),
      EMPTY_BOOK,
      'autonomous',
      pass,
    );
    expect(verdict).toMatchObject({ disposition: 'blocked_by_risk', reason: 'stale_reference_feed' });
  });
});

test('the risk function reads the manifest itself, and a preference for live references still applies', () => {
  const [yes, no] = [manifestOf([weekend(true)]), manifestOf([weekend()])];
  const { reference, quote } = seenAt(SATURDAY, -2);
  const breached = (manifest: Manifest, reads = true) => {
    const context = orderContext(
      { instrument: 'spotchain:AAPLx', mode: 'paper', side: 'buy' },
      {
        market: { at: SATURDAY, quote: quote && { ...quote, venue: 'spotchain', instrument: 'AAPLx' }, reference, liquidityUsd: '1000000' },
        readsReference: reads,
        agent: { manifest, stage: 'paper', autonomy: 'autonomous' },
        preferences: DEFAULT_PREFERENCES,
        book: markBook(emptyBook('book', 'paper', '10000'), new Map(), SATURDAY),
        others: { equityUsd: '0', exposures: [] },
        control: { halt: 'none', disabled: {} },
      },
    );
    return sizeIndependentBreaches('spotchain:AAPLx', 'spotchain', context);
  };
  expect(breached(no)).not.toBe(0);
  expect(breached(yes)).toBe(breached(no, false));
});

test('the sessions are those named by every session rule of the entry; without one a manifest’s hash is unchanged', () => {
  expect(carriedIn(manifestOf([weekend(true)]))).toEqual(['CLOSED']);
  const both = [
    { type: 'session_in', sessions: ['CLOSED', 'PRE_MARKET', 'REGULAR'], carriedReference: true },
    { type: 'session_in', sessions: ['PRE_MARKET', 'REGULAR'] },
  ];
  expect(carriedIn(manifestOf(both))).toEqual(['PRE_MARKET']);
  expect(carriedIn(manifestOf([weekend()]))).toEqual([]);
  expect(JSON.stringify(manifestOf([weekend()]))).not.toContain('carriedReference');
  expect(manifestHash(manifestOf([weekend(true)]))).not.toBe(manifestHash(manifestOf([weekend()])));
});

test('the last close is that of the last trading day, half days and holidays with it', () => {
  // Saturday; Monday before the open; the Friday after Thanksgiving, which closes at one; a year without a calendar.
  expect(lastRegularClose(SATURDAY)).toBe(CLOSE);
  expect(lastRegularClose(Date.parse('2026-07-20T13:00:00Z'))).toBe(CLOSE);
  expect(lastRegularClose(Date.parse('2026-11-28T12:00:00Z'))).toBe(Date.parse('2026-11-27T18:00:00Z'));
  expect(isOfLastSession(CLOSE, SATURDAY)).toBe(true);
  expect(isOfLastSession(SATURDAY + 1, SATURDAY)).toBe(false);
  expect(isOfLastSession(Date.parse('2050-01-01T00:00:00Z'), Date.parse('2050-01-01T00:00:00Z'))).toBe(false);
  expect(isReadableCarried(null, SATURDAY, ['CLOSED'])).toBe(false);
});
