/** Polling order of a venue's instruments. Those with live capital or open orders are polled more often. */
import { DATA_DEGRADATION_MS } from './venue-facts.ts';
import { MINUTE_MS } from '../values/time.ts';

/** Share of a plan's requests that polling may use. The rest is for orders and retries. */
const POLLING_SHARE = 0.8;
/** Requests per quote: a small buy, and the sale of its result. */
const REQUESTS_PER_QUOTE = 2;

/** Returns the milliseconds that this many requests take, spread evenly under a plan. */
export function pollingMs(requests: number, perMinute: number): number {
  return Math.ceil((requests * MINUTE_MS) / (perMinute * POLLING_SHARE));
}

/** Returns the milliseconds of a round of quotes. */
export function quotesMs(quotes: number, perMinute: number): number {
  return pollingMs(quotes * REQUESTS_PER_QUOTE, perMinute);
}

/**
 * Returns the polling order of a round. The first ones are polled again after at most five seconds, or as soon as one of the others was
 * polled. Without first ones each is polled once.
 */
export function askingOrder<One>(all: readonly One[], isFirst: (one: One) => boolean, perMinute: number): readonly One[] {
  const first = all.filter(isFirst);
  const others = all.filter((one) => !isFirst(one));
  if (first.length === 0 || others.length === 0) return all;
  const slots = Math.floor(DATA_DEGRADATION_MS / quotesMs(1, perMinute));
  const othersPerLap = Math.max(1, slots - first.length);
  const order: One[] = [];
  for (let from = 0; from < others.length; from += othersPerLap) order.push(...first, ...others.slice(from, from + othersPerLap));
  return order;
}

/** Maximum time between two requests of an unattended token, in milliseconds. Its quote is over age after fifteen seconds. */
const RESTING_MS = 12_000;

/**
 * Returns the order and length of a round while nothing has live capital. It takes the time of two rounds of `roundMs` milliseconds:
 * attended instruments are requested twice, the others once. Null if the plan has too few requests per minute for that.
 */
export function restingRound<One>(
  all: readonly One[],
  isAttended: (one: One) => boolean,
  perMinute: number,
  roundMs: number,
): { readonly order: readonly One[]; readonly lengthMs: number } | null {
  const attended = all.filter(isAttended);
  const others = all.filter((one) => !isAttended(one));
  const half = Math.ceil(others.length / 2);
  const order = [...attended, ...others.slice(0, half), ...attended, ...others.slice(half)];
  const lengthMs = Math.min(2 * roundMs, RESTING_MS);
  return lengthMs < roundMs || quotesMs(order.length, perMinute) > lengthMs ? null : { order, lengthMs };
}

/** Returns why this many instruments cannot carry live capital under a plan, or null if their round fits into five seconds. */
export function lateRound(instruments: number, perMinute: number): string | null {
  const roundMs = quotesMs(instruments, perMinute);
  if (roundMs <= DATA_DEGRADATION_MS) return null;
  return (
    `the aggregator allows ${perMinute} requests a minute, so that quotes of ${instruments} instruments with live capital take ` +
    `${Math.ceil(roundMs / 100) / 10} s a round, and silence has to be seen within ${DATA_DEGRADATION_MS / 1_000} s: ` +
    'raise budgets.aggregator in the catalog file to what your plan allows, or end live trading on another instrument'
  );
}
