/** Checks an order against its mandate at the newest quote signed by the feed. Statements of its sender do not count. */
import type { Observation } from '../market/cut.ts';
import { Decimal } from '../values/decimal.ts';
import { computeLimitPrice, type Order } from './order.ts';
import { observedOrderQuote } from '../risk/context.ts';
import { liveTouch } from '../risk/blocked-by-risk.ts';
import type { EpochMs } from '../values/time.ts';
import { ageInWords } from '../values/words.ts';

/** Time in milliseconds after the slot of its cut for which a signed quote is valid: three slots. */
export const SIGNED_QUOTE_MS = 90_000;

/** Reason why an order must not be signed at a quote. */
interface QuoteObjection {
  /** `quote_stale`: too old, of another time or not live. `price_refused`: the price is worse than the mandate allows. */
  readonly code: 'quote_stale' | 'price_refused';
  readonly detail: string;
}

/**
 * Returns the objection, or null if the order's limit price is within the slippage budget of the observed quote and the quote is from the
 * last `SIGNED_QUOTE_MS` before `now`. @param observation Of the order's instrument, or null if the cut has none. @param maxSlippageBps
 * Budget of the mandate, in basis points of the quote's executable price.
 */
export function signedQuoteObjection(
  order: Pick<Order, 'instrument' | 'side' | 'limitPrice'>,
  observation: Pick<Observation, 'slot' | 'instrument' | 'quote'> | null,
  { now, maxSlippageBps }: { readonly now: EpochMs; readonly maxSlippageBps: number },
): QuoteObjection | null {
  const { instrument, side, limitPrice } = order;
  if (observation === null || observation.instrument !== instrument)
    return { code: 'quote_stale', detail: `the newest cut that the feed signed does not contain ${instrument}` };
  const age = now - observation.slot;
  if (age < 0 || age > SIGNED_QUOTE_MS)
    return {
      code: 'quote_stale',
      detail: `the newest quote of ${instrument} that the feed signed is ${ageInWords(age)} old (max ${ageInWords(SIGNED_QUOTE_MS)})`,
    };
  const touch = liveTouch(instrument, side, observedOrderQuote(observation));
  if (!touch.ok) return { code: 'quote_stale', detail: `the feed signed no live quote of ${instrument}: ${touch.refusal.detail}` };
  const worst = computeLimitPrice(instrument, side, touch.value, maxSlippageBps);
  const beyond = side === 'buy' ? new Decimal(limitPrice).gt(worst) : new Decimal(limitPrice).lt(worst);
  return beyond
    ? {
        code: 'price_refused',
        detail: `a ${side} at ${limitPrice} is worse than ${worst}, the limit at ${maxSlippageBps} basis points of slippage from the feed's ${touch.value}`,
      }
    : null;
}
