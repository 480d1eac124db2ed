/**
 * Order report of the exchange's websocket API: the order's state, and the trade that changed it. See
 * docs/reference/outside/spot-exchange.md.
 */
import { Decimal, type DecimalString, isPositive } from '../../../domain/values/decimal.ts';
import { knownFields } from '../known-fields.ts';
import { isCount, wireDecimal } from '../wire-decimal.ts';
import { hasEnded, restsAt, type SpotOrderState, type SpotTrade } from './order-answers.ts';

/** Documented members of reports of all kinds of orders. */
export const REPORT_FIELDS = knownFields('binance:executionReport', [
  'subscriptionId event',
  {
    event:
      'e E s c S o f q p P F g C x X r i l z L n N T t I w m M O Z Y Q W V d D j J v A B u U Cs pl pL pY b a k uS eR gP gOT gOV gp ' +
      'tradeGroupId preventedMatchId',
  },
]);

export interface ExecutionReport {
  readonly symbol: string;
  /** Client order id under which the order was placed. */
  readonly name: string;
  readonly state: SpotOrderState;
  /** Reported trade, or null. */
  readonly trade: SpotTrade | null;
}

/** Parses an `executionReport`; null if it lacks a required member. */
export function readExecutionReport(event: Readonly<Record<string, unknown>>): ExecutionReport | null {
  const { s, c, C, x, X, i, z, T, o, f, p, eR } = event;
  const executed = wireDecimal(z);
  if (typeof s !== 'string' || typeof c !== 'string' || typeof x !== 'string' || typeof X !== 'string') return null;
  if (!isCount(i) || !isCount(T) || executed === null || executed.startsWith('-')) return null;
  const state: SpotOrderState = {
    orderId: i,
    status: X,
    executed,
    expiryReason: typeof eR === 'string' ? eR : null,
    restingAt: restsAt({ type: o, timeInForce: f, price: p, status: X }),
    at: T,
  };
  // A cancel has its own id and names the order's original one in `C`.
  const name = x === 'CANCELED' && typeof C === 'string' && C !== '' ? C : c;
  const trade = x === 'TRADE' ? readTrade(event, T) : null;
  return x === 'TRADE' && trade === null ? null : { symbol: s, name, state, trade };
}

function readTrade({ t, l, L, n, N }: Readonly<Record<string, unknown>>, at: number): SpotTrade | null {
  const [quantity, price, commission] = [wireDecimal(l), wireDecimal(L), wireDecimal(n)];
  if (!isCount(t) || quantity === null || price === null || commission === null) return null;
  if (!isPositive(quantity) || !isPositive(price)) return null;
  // Without commission the asset is null.
  if (typeof N !== 'string' && isPositive(commission)) return null;
  return { id: t, price, quantity, commission, commissionAsset: typeof N === 'string' ? N : '', at };
}

/**
 * Compares a report with the booked trades of its order: `next` follows, `old` is already booked, `apart` misses an earlier one, so that
 * the venue must be queried.
 */
export function compareSequence({ state, trade }: ExecutionReport, booked: DecimalString): 'next' | 'old' | 'apart' {
  const before = new Decimal(state.executed).minus(trade?.quantity ?? 0);
  if (before.eq(booked)) return 'next';
  return new Decimal(state.executed).lte(booked) && !hasEnded(state) ? 'old' : 'apart';
}
