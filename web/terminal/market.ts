/** Market data of the feed: newest quotes, day changes and the connection. */
import { useCallback, useSyncExternalStore } from 'react';
import { agedQuality } from '../aged-quality.js';
import { createFeed, type FeedStatus } from '../feed.js';
import { api, type DayTicker, isSignedOut, type Quote, signedOut } from './api.ts';
import { createStore, useStore, useTicking } from './kit/store.ts';
import { onJump, tapeTime } from './replay/control.ts';
import { IS_REPLAY } from './replay/mode.ts';

/** Minimum interval between renderings of quotes. */
const DRAWN_EVERY_MS = 100;

export const connection = createStore<FeedStatus>({ state: 'connecting', retryAt: 0, since: 0, lateS: 0 });

export const feed = createFeed({
  ...(IS_REPLAY ? { time: tapeTime } : {}),
  address: () => `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/v1/feeds`,
  onStatus: (status) => connection.set(status),
  signedIn: async () => {
    try {
      await api.getMe();
      return true;
    } catch (error) {
      return !isSignedOut(error);
    }
  },
  onSignedOut: () => signedOut.set(true),
});

/** Newest values by key. Subscribers are notified together a few times a second. */
class Newest<Value> {
  readonly #values = new Map<string, Value>();
  readonly #listeners = new Map<string, Set<() => void>>();
  #changed = new Set<string>();
  #isDue = false;

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: Value): void {
    this.#values.set(key, value);
    this.#changed.add(key);
    if (this.#isDue) return;
    this.#isDue = true;
    setTimeout(() => this.#tell(), DRAWN_EVERY_MS);
  }

  subscribe(key: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  clear(): void {
    const keys = [...this.#values.keys()];
    this.#values.clear();
    for (const key of keys) for (const listener of this.#listeners.get(key) ?? []) listener();
  }

  #tell(): void {
    this.#isDue = false;
    const changed = this.#changed;
    this.#changed = new Set();
    for (const key of changed) for (const listener of this.#listeners.get(key) ?? []) listener();
  }
}

const quotes = new Newest<Quote>();
const tickers = new Newest<DayTicker>();

if (IS_REPLAY)
  onJump(() => {
    quotes.clear();
    tickers.clear();
  });

/** Receives the market until the returned function is called. */
export function followMarket(): () => void {
  const toKey = ({ venue, instrument }: { readonly venue: string; readonly instrument: string }): string => `${venue}:${instrument}`;
  const stops = [
    feed.subscribe({ channel: 'quotes', receive: ({ data }) => [data].flat().forEach((quote) => quotes.set(toKey(quote), quote)) }),
    ...(IS_REPLAY
      ? []
      : [
          feed.subscribe({
            channel: 'tickers',
            receive: ({ data }) => [data].flat().forEach((ticker) => tickers.set(toKey(ticker), ticker)),
          }),
        ]),
  ];
  feed.connect();
  return () => {
    stops.forEach((stop) => stop());
    feed.end();
  };
}

function useNewest<Value>(all: Newest<Value>, key: string): Value | undefined {
  const subscribe = useCallback((listener: () => void) => all.subscribe(key, listener), [all, key]);
  return useSyncExternalStore(subscribe, () => all.get(key));
}

export const useQuote = (key: string): Quote | undefined => useNewest(quotes, key);
export const quoteNow = (key: string): Quote | undefined => quotes.get(key);

/** Returns the price of a quote: its mid, or a reference's price. */
export const readQuotePrice = (quote: Quote | undefined): string | null =>
  quote?.mid ?? quote?.referencePrice ?? quote?.bid ?? quote?.ask ?? null;

/** Returns the premium of a price over its reference in percent, or null if one of them is unknown. */
export const premiumPct = (price: string | null, reference: string | null): number | null =>
  price === null || reference === null ? null : (Number(price) / Number(reference) - 1) * 100;

/** Qualities of day statistics that are no longer those of the last 24 hours. */
const OUTDATED: readonly string[] = ['stale', 'degraded', 'halted'];

/** Returns the day statistics of an instrument, null once they are outdated, or undefined if its venue has none. */
export function dayNow(key: string): DayTicker | null | undefined {
  const ticker = tickers.get(key);
  if (ticker === undefined) return undefined;
  // A ticker has the limit of its venue's quotes, and names none itself.
  const maxAgeMs = quotes.get(key)?.maxAgeMs;
  return OUTDATED.includes(agedQuality({ ...ticker, ...(maxAgeMs === undefined ? {} : { maxAgeMs }) }, feed)) ? null : ticker;
}

/** Day statistics of an instrument, updated as they age. */
export function useDay(key: string): DayTicker | null | undefined {
  useTicking();
  useStore(connection);
  useNewest(tickers, key);
  return dayNow(key);
}

/** Quality of a quote, updated as it ages. */
export function useQuality(row: Parameters<typeof agedQuality>[0] | undefined): string | null {
  useTicking();
  useStore(connection);
  return row === undefined ? null : agedQuality(row, feed);
}
