/** Closed bars of an instrument, shared by several charts. */
import { barLength, splitKey, type TIMEFRAMES } from '../../timeframes.js';
import { api, useRead } from '../api.ts';
import { feed } from '../market.ts';
import { IS_REPLAY } from '../replay/mode.ts';

export type Timeframe = (typeof TIMEFRAMES)[number][0];
export const SHOWN_BARS = 300;
/** Reading interval during a replay, whose bars close faster. */
const REPLAYED_EVERY_MS = 1_000;

/** Reads the newest bars, and again as each closes. */
export const useBars = (key: string | null, timeframe: Timeframe) =>
  useRead(
    ['bars', key, timeframe],
    async (call) => {
      const from = feed.now() - SHOWN_BARS * barLength(timeframe);
      const bars = [];
      const asked = { ...splitKey(key ?? ''), timeframe, from: String(from), limit: 200 };
      for await (const { items } of api.listCandles.pages(asked, call)) bars.push(...items);
      return bars;
    },
    { enabled: key !== null, refetchInterval: IS_REPLAY ? REPLAYED_EVERY_MS : Math.min(barLength(timeframe), 60_000) },
  );
