/** A price jump is not trusted until it is confirmed, and never while its own venue contradicts it. */
import { describe, expect, it } from 'vitest';
import type { FeedMessage } from '../../../src/domain/market/market-event.ts';
import type { Quote } from '../../../src/domain/market/quote.ts';
import { createFeedCounters } from '../../../streams/feed-counters.ts';
import { apart, priceJumpRule } from '../../../streams/operators/price-jump.ts';
import { runRules } from '../../../streams/operators/rule.ts';
import { perpContext, quote, REGULAR, reference } from '../events.ts';

/** Returns the quality of each price, one second apart. */
function assessed(prices: readonly number[], more: Partial<Quote> = {}, everyMs = 1_000): string[] {
  const rule = runRules([priceJumpRule()]);
  return prices.map((price, index) => {
    const at = REGULAR + index * everyMs;
    const kept = rule(quote(at, { bid: String(price), ask: String(price * 1.001), ...more })) as Quote;
    return kept.flags.includes('price_jump') ? 'jump' : kept.quality;
  });
}

describe('a jump', () => {
  it('of up to a fifth passes, of more does not, up or down', () => {
    expect(assessed([100, 119, 96, 120, 95, 113])).toEqual(['live', 'live', 'live', 'jump', 'live', 'live']);
  });
  it('is accepted once three prices over ten seconds agree', () => {
    const prices = [100, ...Array.from({ length: 12 }, () => 10_000)];
    expect(assessed(prices)).toEqual(['live', ...Array.from({ length: 10 }, () => 'jump'), 'live', 'live']);
    // Rare prices: three are still required.
    expect(assessed([100, 10_000, 10_000, 10_000, 10_000], {}, 30_000)).toEqual(['live', 'jump', 'jump', 'live', 'live']);
  });
  it('that reverts is never accepted', () => {
    const prices = Array.from({ length: 60 }, (_, index) => (index % 3 === 1 ? 10_000 : 100));
    expect(assessed(prices)).toEqual(prices.map((price) => (price === 100 ? 'live' : 'jump')));
  });
  it('to different prices each time is never accepted', () => {
    expect(new Set(assessed([100, ...Array.from({ length: 40 }, (_, index) => 1_000 * 2 ** (index % 7))]).slice(1))).toEqual(
      new Set(['jump']),
    );
  });
  it('of a prediction market is measured in dollars', () => {
    expect(assessed([0.01, 0.25, 0.7, 0.3], { venue: 'prediction' })).toEqual(['live', 'live', 'jump', 'live']);
  });
});

it('is never confirmed while its venue’s mark price supports the old one', () => {
  const counters = createFeedCounters();
  const rule = runRules([priceJumpRule({ counters })]);
  const say = (message: FeedMessage): FeedMessage => rule(message) as FeedMessage;
  say(quote(REGULAR, { venue: 'evmvenue', instrument: 'BTC', bid: '100', ask: '100.1' }));
  for (let second = 1; second < 60; second++) {
    const at = REGULAR + second * 1_000;
    say(perpContext(at, { markPrice: '101' }));
    const bent = say(quote(at, { venue: 'evmvenue', instrument: 'BTC', bid: '10000', ask: '10010' }));
    expect(bent).toMatchObject({ quality: 'degraded', flags: ['price_jump'] });
  }
  expect(counters.snapshot().evmvenue.counted.price_jump).toBe(59);
});

it('holds for reference prices', () => {
  const rule = runRules([priceJumpRule()]);
  expect(rule(reference(REGULAR, { referencePrice: '180' }))).toMatchObject({ quality: 'live' });
  expect(rule(reference(REGULAR + 1_000, { referencePrice: '18000' }))).toMatchObject({ quality: 'degraded', flags: ['price_jump'] });
  expect(rule(reference(REGULAR + 2_000, { referencePrice: '181' }))).toMatchObject({ quality: 'live' });
});

it('tells texts apart as numbers do, whichever way is taken', () => {
  for (const a of ['9.99', '10.00', '10.9', '99.99', '100.00', '109.9', '0.010', '1234.5', '12.345', '60000'])
    for (const b of ['9.01', '10.50', '10.00', '100.5', '0.0105', '1299.9', '12.9', '61000'])
      expect(apart('spotexchange', a, a, b, b, 0.2), `${a} ${b}`).toBe(Math.abs(Number(a) - Number(b)) > 0.2 * Number(b));
});
