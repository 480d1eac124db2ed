/** The `candles` channel: the last closed bars of a series, then each bar shortly after it closes, without gaps. */
import { Type } from 'typebox';
import type { CandleSeries, StoredCandle } from '../../../src/domain/candles/candle.ts';
import { CATALOG } from '../../../src/domain/catalog/catalog.ts';
import { instrumentKey, VENUES, type Venue } from '../../../src/domain/market/venue.ts';
import { type EpochMs, isoTime, startOfSlot, timeframeMs } from '../../../src/domain/values/time.ts';
import { Time, VenueWord } from '../../shapes.ts';
import { barFields } from '../../v1/market/candles.ts';
import type { FeedPorts } from '../feed-ports.ts';
import type { ChangedState, LatestChannel, LatestSource } from './channel.ts';

/** Number of bars in the snapshot, and the maximum age in bars of a late bar. */
const KEPT_BARS = 100;
/** Milliseconds after a bar's close at which it is first read. The venue needs a moment. */
const SETTLE_MS = 1_500;
const LOOK_AGAIN_MS = 2_000;
/** Maximum attempts in a row. Afterwards the bar is read again when the next one closes. */
const LOOKS = 5;

const CandleItem = Type.Object(
  { venue: VenueWord, instrument: Type.String(), timeframe: Type.String(), closeTime: Time, ...barFields },
  { $id: 'FedCandle', description: 'One closed bar of the series.' },
);

export const candlesChannel: LatestChannel = {
  kind: 'latest',
  name: 'candles',
  about: 'The last closed bars of one series, then each bar shortly after it closes. A missing bar is never filled in.',
  permission: 'market:read',
  item: CandleItem,
  params: Type.Object(
    {
      venue: Type.Unsafe<string>({ type: 'string', enum: [...VENUES] }),
      instrument: Type.String({ minLength: 1, maxLength: 64 }),
      timeframe: Type.String({ pattern: '^[1-9][0-9]{0,2}[mh]$' }),
    },
    { additionalProperties: false },
  ),
  problem({ venue, instrument }) {
    const key = instrumentKey(venue as Venue, instrument as string);
    const known = CATALOG.byKey(key) !== undefined || CATALOG.entries.some(({ benchmark }) => benchmark === key);
    return known ? null : `instrument: ${String(venue)} has none of that name; GET /v1/catalog lists them`;
  },
  open(ports, params) {
    return followSeries(ports, params as unknown as CandleSeries);
  },
};

function followSeries(ports: FeedPorts, series: CandleSeries): LatestSource {
  const { clock } = ports;
  const barMs = timeframeMs(series.timeframe) as number;
  const bars = new Map<EpochMs, StoredCandle>();
  let listener: (changed: readonly ChangedState[]) => void = () => {};
  let cancel = (): void => {};
  let stopped = false;
  let begun = false;
  let looks = 0;

  const json = ({ openTime, open, high, low, close, volume, source, simulated }: StoredCandle): string =>
    JSON.stringify({
      ...series,
      openTime: isoTime(openTime),
      closeTime: isoTime(openTime + barMs),
      open,
      high,
      low,
      close,
      volume,
      source,
      simulated: simulated ?? null,
    });

  /** Reads possibly new bars, from the oldest missing one on. Returns true if the newest bar is there. */
  async function read(): Promise<boolean> {
    const to = startOfSlot(clock.now(), barMs);
    let from = Math.max(0, to - KEPT_BARS * barMs);
    while (from < to && bars.has(from)) from += barMs;
    if (from >= to) return true;
    const found = await ports.candles.range({ ...series, from, to, limit: KEPT_BARS, askAgainMs: LOOK_AGAIN_MS / 2 });
    if (stopped) return true;
    const fresh = found.filter((bar) => !bars.has(bar.openTime));
    for (const bar of fresh) bars.set(bar.openTime, bar);
    for (const openTime of [...bars.keys()].sort((a, b) => a - b)) if (bars.size > KEPT_BARS) bars.delete(openTime);
    // The bars of the first read are the snapshot.
    if (begun) listener(fresh.map((bar) => ({ key: String(bar.openTime), json: () => json(bar) })));
    begun = true;
    return bars.has(to - barMs);
  }

  function lookAt(at: EpochMs): void {
    if (stopped) return;
    cancel = clock.deadline(at, () => {
      read().then(
        (there) => plan(there),
        (error: unknown) => {
          ports.reportDefect(error, 'feeds: candles');
          plan(false);
        },
      );
    });
  }

  function plan(there: boolean): void {
    const now = clock.now();
    const next = startOfSlot(now, barMs) + barMs + SETTLE_MS;
    looks = there ? 0 : looks + 1;
    if (there || looks >= LOOKS) looks = 0;
    lookAt(there || looks === 0 ? next : Math.min(next, now + LOOK_AGAIN_MS));
  }

  const ready = read().then(plan);
  return {
    ready,
    snapshot: () => [...bars.values()].sort((a, b) => a.openTime - b.openTime).map(json),
    subscribe(receive) {
      listener = receive;
      return () => {
        stopped = true;
        cancel();
      };
    },
  };
}
