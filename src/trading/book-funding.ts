/**
 * Books the funding of perpetuals from the venue's own history. An hour with an unknown rate or price is not zero: it waits, and is
 * reported.
 */
import type { ContainedLoop } from '../../actors/runtime/containment.ts';
import type { CandleHistory } from '../../streams/candle-keeper.ts';
import { computeFundingPayment, type HeldHour, heldHours, type HourlyTerms, lastHour } from '../domain/orders/funding.ts';
import { type EpochMs, HOUR_MS, MINUTE_MS, isoTime } from '../domain/values/time.ts';
import { splitInstrumentKey } from '../domain/market/venue.ts';
import type { FundingStore } from '../adapters/store/books/funding-store.ts';

/** Interval in milliseconds at which books are checked for ended hours. */
export const FUNDING_MS = MINUTE_MS;
/** Milliseconds after the end of an hour by which its fills are on record. */
const COMMIT_MS = MINUTE_MS;
/** Milliseconds after an hour's end by which the venue reports its rate. A younger hour without a rate is no failure. */
const SETTLE_MS = 600_000;
/** Maximum hours per booking, so that a long outage is caught up step by step. */
const MOST_HOURS = 500;

/** Rates and hourly bars from the venue. */
export type PerpHistory = Pick<CandleHistory, 'fetchCandles'> & Required<Pick<CandleHistory, 'fetchFunding'>>;

/** Books every known hour. Returns the number of hours booked. */
export async function bookFunding(deps: {
  readonly store: FundingStore;
  readonly history: PerpHistory;
  readonly clock: { now(): EpochMs };
  readonly contained: ContainedLoop;
  /** Time before which every fill is on record. Default: one minute ago. */
  readonly recordedUntil?: EpochMs;
}): Promise<number> {
  const { store, history, clock, contained } = deps;
  const hour = lastHour(deps.recordedUntil ?? clock.now() - COMMIT_MS);
  const askOnce = remembered(history);
  let booked = 0;
  await contained.each(
    await store.owing(hour),
    ({ id, orgId }) => ({ id, orgId }),
    async (book) => {
      const held = heldHours(await store.fills(book.id), book.fundedUntil, hour).sort((a, b) => a.hour - b.hour);
      const due = held.slice(0, MOST_HOURS);
      const terms = await readTerms(askOnce, due);
      const unknown = due.filter((each) => !terms.has(termsKey(each)));
      const payments = due.flatMap((each) => {
        const known = terms.get(termsKey(each));
        return known === undefined ? [] : [computeFundingPayment(each, known)];
      });
      const end = due.length < held.length ? (due.at(-1) as HeldHour).hour - HOUR_MS : hour;
      const [first] = unknown;
      booked += await store.book(book, payments, first === undefined ? end : first.hour - HOUR_MS, clock.now());
      if (first !== undefined && first.hour < clock.now() - SETTLE_MS)
        throw new Error(
          `the rate or the price of ${unknown.length} hours is unknown, the first is ${first.instrument} at ${isoTime(first.hour)}`,
        );
    },
  );
  return booked;
}

function termsKey({ instrument, hour }: Pick<HeldHour, 'instrument' | 'hour'>): string {
  return `${instrument} ${hour}`;
}

/** Caches the venue's answers during one pass, so that books with the same perpetual share them. */
function remembered(history: PerpHistory): PerpHistory {
  const answers = new Map<string, Promise<unknown>>();
  const once = <Answer>(key: string, ask: () => Promise<Answer>): Promise<Answer> => {
    const known = answers.get(key) ?? ask();
    answers.set(key, known);
    return known as Promise<Answer>;
  };
  return {
    fetchFunding: (...query) => once(`rates ${query.join(' ')}`, () => history.fetchFunding(...query)),
    fetchCandles: (...query) => once(`bars ${query.join(' ')}`, () => history.fetchCandles(...query)),
  };
}

/** Returns the known terms of held hours: the rate of the hour and the close of its bar. */
async function readTerms(history: PerpHistory, hours: readonly HeldHour[]): Promise<ReadonlyMap<string, HourlyTerms>> {
  const terms = new Map<string, HourlyTerms>();
  for (const key of new Set(hours.map(({ instrument }) => instrument))) {
    const own = hours.filter(({ instrument }) => instrument === key);
    const [from, to] = [(own[0] as HeldHour).hour - HOUR_MS, (own.at(-1) as HeldHour).hour];
    const { instrument } = splitInstrumentKey(key);
    // The venue stamps a payment some moments after its hour.
    const rates = await history.fetchFunding(instrument, from, to + HOUR_MS / 2);
    const bars = await history.fetchCandles(instrument, '1h', from, to);
    const closes = new Map(bars.map(({ openTime, close }) => [openTime + HOUR_MS, close]));
    for (const { at, hourlyFunding } of rates) {
      const hour = Math.round(at / HOUR_MS) * HOUR_MS;
      const price = closes.get(hour);
      if (price !== undefined) terms.set(termsKey({ instrument: key, hour }), { hourlyRate: hourlyFunding, price });
    }
  }
  return terms;
}
