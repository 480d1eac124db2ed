/** Market on a tape while orders rest on it: the live tops of the books with resting orders, and of no others. */
import type { VenueFlows } from '../../actors/proposal/execution.ts';
import type { MarketView } from '../../streams/market-view.ts';
import type { DecimalString } from '../domain/values/decimal.ts';
import {
  copyQuoteDigits,
  digitsText,
  NO_ASK,
  NO_ASK_SIZE,
  NO_BID,
  NO_BID_SIZE,
  newQuoteDigits,
  type QuoteDigits,
} from '../domain/market/quote-digits.ts';
import type { FlowTop, MarketFlow } from '../domain/orders/resting-fill.ts';
import type { EpochMs } from '../domain/values/time.ts';
import { type ExecutableVenue, type InstrumentKey, instrumentKey, splitInstrumentKey } from '../domain/market/venue.ts';

export interface RestingFlows extends VenueFlows {
  /** An order begins to rest in an instrument; told again, it goes on. */
  begin(orderId: string, instrument: InstrumentKey): void;
  end(orderId: string, instrument: InstrumentKey): void;
  /** Returns what `between` resolves to, synchronously. */
  received(instrument: InstrumentKey, from: EpochMs, to: EpochMs): MarketFlow;
}

/** Tells of the quotes of an instrument that the view is not told of. Answers how to stop. */
export type FollowDigits = (instrument: InstrumentKey, listener: (quote: QuoteDigits) => void) => () => void;

interface Followed {
  /** Number of received tops at the start of each resting order. */
  readonly orders: Map<string, number>;
  /** Ordered by their time. */
  readonly tops: FlowTop[];
  readonly stop: () => void;
}

/**
 * Listens only while something rests: a replay without resting orders costs nothing.
 * @param follow where quotes are received in runs; of the last of a run both tell, and a top that is told twice says nothing more.
 */
export function createRestingFlows(view: Pick<MarketView, 'changed'>, follow: FollowDigits = () => () => {}): RestingFlows {
  const followed = new Map<InstrumentKey, Followed>();
  let listening: { unsubscribe(): void } | null = null;

  function listen(): void {
    listening ??= view.changed.subscribe((event) => {
      if (event.kind !== 'quote' || event.quality !== 'live') return;
      const { source, observedAt, bid, ask, bidSize, askSize, receivedAt: at } = event;
      followed.get(instrumentKey(event.venue, event.instrument))?.tops.push({ source, observedAt, bid, ask, bidSize, askSize, at });
    });
  }

  function begun(instrument: InstrumentKey): Followed {
    const tops: FlowTop[] = [];
    return { orders: new Map(), tops, stop: follow(instrument, (quote) => tops.push(new TopOfDigits(quote))) };
  }

  function received(instrument: InstrumentKey, from: EpochMs, to: EpochMs): MarketFlow {
    const tops = followed.get(instrument)?.tops ?? [];
    let first = tops.length;
    while (first > 0 && (tops[first - 1] as FlowTop).at > from) first--;
    let end = tops.length;
    while (end > first && (tops[end - 1] as FlowTop).at > to) end--;
    return { venue: splitInstrumentKey(instrument).venue as ExecutableVenue, source: 'tape', trades: [], tops: tops.slice(first, end) };
  }

  return {
    begin(orderId, instrument) {
      const known = followed.get(instrument) ?? begun(instrument);
      if (!known.orders.has(orderId)) known.orders.set(orderId, known.tops.length);
      followed.set(instrument, known);
      listen();
    },

    end(orderId, instrument) {
      const known = followed.get(instrument);
      if (known === undefined || !known.orders.delete(orderId)) return;
      if (known.orders.size > 0) {
        forgetOld(known);
        return;
      }
      known.stop();
      followed.delete(instrument);
      if (followed.size > 0) return;
      listening?.unsubscribe();
      listening = null;
    },

    received,
    between: async (instrument, from, to) => received(instrument, from, to),
  };
}

/** Number of unneeded tops after which they are discarded together. */
const FORGET_AT = 1_024;

/** Forgets the tops that were received before every order that rests now. */
function forgetOld({ orders, tops }: Followed): void {
  const first = Math.min(...orders.values());
  if (first < FORGET_AT) return;
  tops.splice(0, first);
  for (const [id, begunAt] of orders) orders.set(id, begunAt - first);
}

/** Top whose texts are created on access. For most of them only one price is read. */
class TopOfDigits implements FlowTop {
  readonly #digits: QuoteDigits;
  readonly at: EpochMs;

  constructor(quote: QuoteDigits) {
    this.#digits = newQuoteDigits(quote.origin);
    copyQuoteDigits(quote, this.#digits);
    this.at = quote.receivedAt;
  }

  get source(): string {
    return this.#digits.origin.source;
  }

  get observedAt(): EpochMs {
    return this.#digits.observedAt;
  }

  get bid(): DecimalString | null {
    return this.#text('bid', NO_BID);
  }

  get ask(): DecimalString | null {
    return this.#text('ask', NO_ASK);
  }

  get bidSize(): DecimalString | null {
    return this.#text('bidSize', NO_BID_SIZE);
  }

  get askSize(): DecimalString | null {
    return this.#text('askSize', NO_ASK_SIZE);
  }

  #text(side: 'bid' | 'ask' | 'bidSize' | 'askSize', missing: number): DecimalString | null {
    return (this.#digits.missing & missing) === 0 ? digitsText(this.#digits[side]) : null;
  }
}
