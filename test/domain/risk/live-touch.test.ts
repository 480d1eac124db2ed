// Price of a person's order: the live quote of its venue, or a refusal with the reason.
import { expect, test } from 'vitest';
import { liveTouch } from '../../../src/domain/risk/blocked-by-risk.ts';

const quote = { venue: 'spotchain', instrument: 'AAPLx', bid: '99.5', ask: '100.25', quality: 'live', flags: [] } as const;

test('the ask of a buy, the bid of a sell', () => {
  expect(liveTouch('spotchain:AAPLx', 'buy', quote)).toEqual({ ok: true, value: '100.25' });
  expect(liveTouch('spotchain:AAPLx', 'sell', quote)).toEqual({ ok: true, value: '99.5' });
});

test.each([
  ['nobody has received one', null],
  ['it is stale', { ...quote, quality: 'stale' as const }],
  ['it has no such side', { ...quote, ask: null }],
  ['its price is none', { ...quote, ask: '0' }],
])('where %s it is refused as not live', (_, given) => {
  expect(liveTouch('spotchain:AAPLx', 'buy', given)).toMatchObject({
    ok: false,
    refusal: { code: 'blocked_by_risk', detail: expect.stringContaining('no live ask'), rejections: [{ code: 'quote_not_live' }] },
  });
});

test("another venue's quote is refused, however live it is", () => {
  expect(liveTouch('spotexchange:AAPLx', 'buy', quote)).toMatchObject({
    ok: false,
    refusal: { code: 'blocked_by_risk', rejections: [{ code: 'venue_mismatch', limit: 'spotexchange:AAPLx' }] },
  });
});
