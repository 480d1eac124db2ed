/** Books the funding of perpetuals by the venue's own history. An hour whose rate or price is unknown is not zero: it waits, and is named. */
import type { ContainedLoop } from '../../actors/runtime/containment.ts';
import type { CandleHistory } from '../../streams/candle-keeper.ts';
import type { Fill } from '../domain/books/book.ts';
import { type FundingPayment, fundingPaymentOf, type HeldHour, heldHours, type HourlyTerms, lastHour } from '../domain/orders/funding.ts';
import { type EpochMs, HOUR_MS, isoTime } from '../domain/values/time.ts';
import { splitInstrumentKey } from '../domain/market/venue.ts';

/** Interval at which books are looked through for hours that have ended. Milliseconds. */
export const FUNDING_MS = 60_000;
/** A fill from before the end of an hour is on record by so long after it. */
const COMMIT_MS = 60_000;
/** The venue tells a rate some moments after its hour: a younger hour without one is waited for, and blames nothing. */
const SETTLE_MS = 600_000;
/** Hours of one booking, so that a long outage is caught up step by step. */
const MOST_HOURS = 500;

/** A book that may owe funding of hours after `fundedUntil`. */
export interface OwingBook {
  readonly id: string;
  readonly orgId: string;
  /** Every held hour up to here is booked; 0 before the first. */
  readonly fundedUntil: EpochMs;
}

export interface FundingStore {
  /** Books with perpetuals that may owe funding of an hour up to `hour`. */
  owing(hour: EpochMs): Promise<readonly OwingBook[]>;
  /** Fills of perpetuals, ascending. */
  fills(bookId: string): Promise<readonly Pick<Fill, 'instrument' | 'side' | 'quantity' | 'at'>[]>;
  /** Books payments that are not booked yet, each once. @returns how many were booked. */
  book(book: Pick<OwingBook, 'id' | 'orgId'>, payments: readonly FundingPayment[], fundedUntil: EpochMs, at: EpochMs): Promise<number>;
}

/** Rates and hourly bars as the venue tells them. */
export type PerpHistory = Pick<CandleHistory, 'fetchCandles'> & Required<Pick<CandleHistory, 'fetchFunding'>>;

/** Books every hour that is known by now. @returns how many hours were booked. */
export async function bookFunding(deps: {
  readonly store: FundingStore;
  readonly history: PerpHistory;
  readonly clock: { now(): EpochMs };
  readonly contained: ContainedLoop;
  /** Every fill from before this instant is on record; a minute ago if not given. */
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
      const terms = await termsOf(askOnce, due);
      const unknown = due.filter((each) => !terms.has(termsKey(each)));
      const payments = due.flatMap((each) => {
        const known = terms.get(termsKey(each));
        return known === undefined ? [] : [fundingPaymentOf(each, known)];
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

/** The venue's answers of one pass: books that hold the same perpetual ask once. */
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

/** Terms of held hours, as far as the venue tells them: the rate of the hour and the close of its bar. */
async function termsOf(history: PerpHistory, hours: readonly HeldHour[]): Promise<ReadonlyMap<string, HourlyTerms>> {
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
