/** Market that replays a recording, with a seeded market for everything that the recording does not price. */
import type { Candle } from '../../domain/candles/candle.ts';
import { CATALOG } from '../../domain/catalog/catalog.ts';
import { Decimal, plainDecimal } from '../../domain/values/decimal.ts';
import type { TapeEvent } from '../../domain/tape/tape.ts';
import { type EpochMs, MINUTE_MS } from '../../domain/values/time.ts';
import type { Venue } from '../../domain/market/venue.ts';
import { createLayeredMarket } from './combined-market.ts';
import type { Market, MarketAsset } from './market.ts';
import { createTapeMarket, type TapeSeries } from './tape-market.ts';

/** Price of an asset by venue. */
const FACES: Readonly<Partial<Record<Venue, TapeSeries['face']>>> = {
  spotexchange: 'spot',
  evmvenue: 'perp',
  spotchain: 'token',
  reference: 'reference',
};

/** Creates a market that replays the events from `now` on, or returns null if they price no asset of the seeded market. */
export async function recordedMarket(events: AsyncIterable<readonly TapeEvent[]>, seeded: Market, now: EpochMs): Promise<Market | null> {
  const series = await minuteSeries(events, new Map(seeded.assets.map((asset) => [asset.symbol, asset])));
  if (series.length === 0) return null;
  const first = Math.min(...series.map(({ candles }) => candles[0]?.openTime ?? now));
  // Shifts by whole minutes, so that bars stay aligned.
  const shiftMs = Math.ceil((now - first) / MINUTE_MS) * MINUTE_MS;
  return createLayeredMarket(createTapeMarket({ series, shiftMs }), seeded, first + shiftMs);
}

/** Builds one-minute bars of every price on the tape. */
async function minuteSeries(events: AsyncIterable<readonly TapeEvent[]>, assets: ReadonlyMap<string, MarketAsset>): Promise<TapeSeries[]> {
  const bars = new Map<
    string,
    { readonly asset: MarketAsset; readonly face: TapeSeries['face']; readonly byMinute: Map<EpochMs, Candle> }
  >();
  for await (const batch of events) {
    for (const event of batch) {
      const received = readPrice(event);
      const asset = received && assets.get(received.symbol);
      const face = received && FACES[received.venue];
      if (!received || !asset || !face) continue;
      const key = `${face} ${asset.symbol}`;
      let entry = bars.get(key);
      if (!entry) {
        entry = { asset, face, byMinute: new Map() };
        bars.set(key, entry);
      }
      for (const [at, price] of received.prices) {
        const openTime = Math.floor(at / MINUTE_MS) * MINUTE_MS;
        entry.byMinute.set(openTime, extended(entry.byMinute.get(openTime), openTime, price));
      }
    }
  }
  return [...bars.values()].map(({ asset, face, byMinute }) => ({
    symbol: asset.symbol,
    kind: asset.kind,
    face,
    timeframeMs: MINUTE_MS,
    candles: [...byMinute.values()].sort((a, b) => a.openTime - b.openTime),
  }));
}

interface Received {
  readonly venue: Venue;
  /** Underlying symbol: `AAPL`, `BTC`. */
  readonly symbol: string;
  readonly prices: readonly (readonly [at: EpochMs, price: string])[];
}

function readPrice(event: TapeEvent): Received | null {
  if (event.kind === 'quote') {
    if (event.bid === null || event.ask === null) return null;
    const mid = plainDecimal(new Decimal(event.bid).plus(event.ask).div(2));
    return { venue: event.venue, symbol: findUnderlying(event.venue, event.instrument), prices: [[event.receivedAt, mid]] };
  }
  if (event.kind === 'reference')
    return { venue: 'reference', symbol: event.instrument, prices: [[event.receivedAt, event.referencePrice]] };
  // Longer bars do not show their minutes.
  if (event.kind !== 'candles' || event.timeframe !== '1m') return null;
  const prices = event.candles.flatMap(({ openTime, open, high, low, close }) =>
    [open, high, low, close].map((price) => [openTime, price] as const),
  );
  return { venue: event.venue, symbol: findUnderlying(event.venue, event.instrument), prices };
}

function findUnderlying(venue: Venue, instrument: string): string {
  const entry = CATALOG.entries.find((one) => one.venue === venue && one.instrument === instrument);
  return entry?.underlying ?? CATALOG.feeds.find((feed) => feed.instrument === instrument)?.instrument ?? instrument;
}

function extended(bar: Candle | undefined, openTime: EpochMs, price: string): Candle {
  if (!bar) return { openTime, open: price, high: price, low: price, close: price, volume: '0' };
  return {
    openTime,
    open: bar.open,
    high: Number(price) > Number(bar.high) ? price : bar.high,
    low: Number(price) < Number(bar.low) ? price : bar.low,
    close: price,
    volume: '0',
  };
}
