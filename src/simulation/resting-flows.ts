/** Market flow on a tape while orders rest on it: the live tops of the books that have resting orders. */
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

export type RestingFlows = ReturnType<typeof createRestingFlows>;

/** Reports the quotes of an instrument that the view does not receive. Returns a function that stops it. */
export type FollowDigits = (instrument: InstrumentKey, listener: (quote: QuoteDigits) => void) => () => void;

interface Followed {
  /** Number of tops received before each resting order began. */
  readonly orders: Map<string, number>;
  /** Tops in order of time. */
  readonly tops: FlowTop[];
  readonly stop: () => void;
}

/**
 * Creates the flows, which listen only while orders rest.
 * @param follow source of quotes received in runs. The last one of a run also comes from the view; a repeated top changes nothing.
 */
export function createRestingFlows(view: Pick<MarketView, 'changed'>, follow: FollowDigits = () => () => {}) {
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

  /** Returns the result of `between` synchronously. */
  function received(instrument: InstrumentKey, from: EpochMs, to: EpochMs): MarketFlow {
    const tops = followed.get(instrument)?.tops ?? [];
    let first = tops.length;
    while (first > 0 && (tops[first - 1] as FlowTop).at > from) first--;
    let end = tops.length;
    while (end > first && (tops[end - 1] as FlowTop).at > to) end--;
    return { venue: splitInstrumentKey(instrument).venue as ExecutableVenue, source: 'tape', trades: [], tops: tops.slice(first, end) };
  }

  return {
    /** Starts or continues the rest of an order in an instrument. */
    begin(orderId: string, instrument: InstrumentKey) {
      const known = followed.get(instrument) ?? begun(instrument);
      if (!known.orders.has(orderId)) known.orders.set(orderId, known.tops.length);
      followed.set(instrument, known);
      listen();
    },

    end(orderId: string, instrument: InstrumentKey) {
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
    between: async (instrument: InstrumentKey, from: EpochMs, to: EpochMs) => received(instrument, from, to),
  };
}

/** Number of unneeded tops that are discarded together. */
const FORGET_AT = 1_024;

/** Discards the tops received before every current resting order. */
function forgetOld({ orders, tops }: Followed): void {
  const first = Math.min(...orders.values());
  if (first < FORGET_AT) return;
  tops.splice(0, first);
  for (const [id, begunAt] of orders) orders.set(id, begunAt - first);
}

/** Top whose texts are created on access. Most tops need only one price. */
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
