/** Polling order of a venue's instruments: those with live capital or open orders come back first. */
import { DATA_DEGRADATION_MS } from './venue-facts.ts';

/** The share of a plan that polling may use. The rest is for orders and retries. */
const POLLING_SHARE = 0.8;
/** A quote is a small buy and the sale of what it bought. */
const REQUESTS_PER_QUOTE = 2;

/** Returns the time of this many requests spread evenly under a plan, in milliseconds. */
export function pollingMs(requests: number, perMinute: number): number {
  return Math.ceil((requests * 60_000) / (perMinute * POLLING_SHARE));
}

/** Returns the time of a round of quotes, in milliseconds. */
export function quotesMs(quotes: number, perMinute: number): number {
  return pollingMs(quotes * REQUESTS_PER_QUOTE, perMinute);
}

/**
 * The order in which a round asks. The first ones are asked again after at most five seconds, or as soon as one of the others
 * has had its turn. Without first ones each is asked once.
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

/** Says why so many instruments cannot carry live capital under a plan, or null if their round fits into five seconds. */
export function lateRound(instruments: number, perMinute: number): string | null {
  const roundMs = quotesMs(instruments, perMinute);
  if (roundMs <= DATA_DEGRADATION_MS) return null;
  return (
    `the aggregator allows ${perMinute} requests a minute, so that quotes of ${instruments} instruments with live capital take ` +
    `${Math.ceil(roundMs / 100) / 10} s a round, and silence has to be seen within ${DATA_DEGRADATION_MS / 1_000} s: ` +
    'raise budgets.aggregator in the catalog file to what your plan allows, or end live trading on another instrument'
  );
}
