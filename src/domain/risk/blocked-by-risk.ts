/** Turns rejections by risk into a refusal: one sentence with the codes. */
import type { DecimalString } from '../values/decimal.ts';
import type { RiskRejection } from '../agents/decision.ts';
import type { OrderQuote, OrderSide } from '../orders/order.ts';
import type { Outcome, refuse } from '../values/refusal.ts';
import { executablePrice } from '../market/valuation.ts';
import { type ExecutableVenue, type InstrumentKey, splitInstrumentKey } from '../market/venue.ts';

/** Refuses with `blocked_by_risk`, naming every limit. */
export function blockedByRisk(rejections: readonly RiskRejection[]): Outcome<never> {
  // An unknown value breaches no limit: its reason follows its code.
  const words = rejections.map(({ code, limit, suggestion }) => (limit === null && suggestion !== null ? `${code} (${suggestion})` : code));
  return blocked(rejections, words.join(', '));
}

/** Refuses with a single code that applies before anything is sized, and its reason. */
export function blockedBecause(rejection: RiskRejection, why: string): ReturnType<typeof refuse> {
  return blocked([rejection], `${rejection.code} (${why})`);
}

function blocked(rejections: readonly RiskRejection[], words: string): ReturnType<typeof refuse> {
  return { ok: false, refusal: { code: 'blocked_by_risk', detail: `rejected by the risk check: ${words}`, rejections } };
}

/** Refuses, like risk does, if a price is not live. */
export function notLive(why: string): Outcome<never> {
  const rejection = { code: 'quote_not_live', limit: null, before: null, after: null, suggestion: 'wait for a live quote' } as const;
  return blockedBecause(rejection, why);
}

/**
 * Returns the price at which an order of this side would trade. Refuses if the quote is another venue's, is not live, or lacks that side.
 */
export function liveTouch(
  instrument: InstrumentKey,
  side: OrderSide,
  quote: Omit<OrderQuote, 'observedAt'> | null,
): Outcome<DecimalString> {
  const { venue } = splitInstrumentKey(instrument);
  const price = quote === null ? null : executablePrice(quote, venue as ExecutableVenue, side);
  if (price?.ok === true) return { ok: true, value: price.executablePrice };
  if (price?.code === 'venue_mismatch') {
    const rejection = {
      code: price.code,
      limit: instrument,
      before: null,
      after: null,
      suggestion: `price it with a quote of ${venue}`,
    } as const;
    return blockedBecause(rejection, price.problem);
  }
  return notLive(`${instrument} has no live ${side === 'buy' ? 'ask' : 'bid'} now`);
}
